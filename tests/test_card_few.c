// What the world does to columns on a card here and there: bodies, wind and pressure, a rod, drops
// that land. The bits are the processor's, and what crosses is about the columns that are touched,
// not all of them.
#include "card_failing.h"
#include "card_worlds.h"

#include <math.h>

// ---- What crosses -------------------------------------------------------------------------------

static size_t brought; // bytes

static rv_result count_read(void *user, rv_device_buffer *b, size_t at, size_t bytes,
                            rv_device_ticket *out)
{
    brought += bytes;
    return pass_read(user, b, at, bytes, out);
}

static rv_result count_fetch(void *user, rv_device_buffer *b, size_t at, void *data, size_t bytes)
{
    brought += bytes;
    return pass_fetch(user, b, at, data, bytes);
}

static rv_device counting_device(failing *f)
{
    rv_device d = failing_device(f);
    d.read = count_read, d.fetch = count_fetch;
    return d;
}

// ---- Worlds -------------------------------------------------------------------------------------

#define WIDE 160
#define HIGH 120

// A shallow pool. What all columns' depths, fluxes and velocities take is 5 words each.
static void pool(small_world *s, rv_area area, bool tense)
{
    small_grid(s, RV_SOLVER_PIPES, WIDE, HIGH, 0.001);
    s->def.params.grid_top = 0.1, s->def.params.tension_on = tense;
    s->def.params.pipes_area = area;
    s->fill[0] = rv_default_fill_def();
    s->fill[0].level = 0.01;
    s->def.fills = s->fill, s->def.fill_count = 1;
}

typedef struct pair {
    rv_world *here, *there;
    failing card;
    rv_device device;
} pair;

static void make_pair(pair *p, rv_world_def *def, const rv_device *device)
{
    p->card = (failing){device, -1, -1, NULL};
    p->device = counting_device(&p->card);
    def->device = NULL;
    p->here = make(def);
    def->device = &p->device;
    p->there = make(def);
}

static void drop_pair(pair *p)
{
    rv_world_destroy(p->here);
    rv_world_destroy(p->there);
}

// So many steps, each with `act` before it; a step brings at most `share` of all columns for each
// of its substeps.
static void compare(pair *p, int steps, void (*act)(rv_world *world, int step), double share)
{
    const size_t all = 5 * sizeof(float) * WIDE * HIGH;
    for (int i = 0; i < steps; i++) {
        brought = 0;
        if (act) act(p->here, i), act(p->there, i);
        run(p->here, 1, 0.005), run(p->there, 1, 0.005);
        double parts = stats_of(p->here).substeps;
        if (i > 0 && (double)brought > share * (double)all * parts)
            fail_msg("step %d brought %zu bytes in %g substeps, all columns are %zu", i, brought,
                     parts, all);
        if (rv_world_hash(p->here) != rv_world_hash(p->there))
            fail_msg("other bits after %d steps", i + 1);
    }
}

// ---- Tests --------------------------------------------------------------------------------------

static void blow(rv_world *world, int step)
{
    rv_press_def fan = rv_default_press_def();
    rv_messages messages = {0};
    fan.from = (rv_vec3){-0.03, -0.02, -1}, fan.to = (rv_vec3){-0.015, -0.01, 1};
    fan.pressure = 8, fan.wind = (rv_vec3){0.4, 0.1, 0};
    if (step == 0) assert_int_equal(rv_world_add_press(world, &fan, NULL, &messages), RV_OK);
    if (step == 3) assert_int_equal(rv_world_remove_press(world, 0), RV_OK);
}

// Heads and pushes on 15 by 10 cells, and then none.
static void test_wind(void **state)
{
    static const rv_area areas[] = {RV_AREA_CELL, RV_AREA_WET, RV_AREA_WET};
    for (int k = 0; k < 3; k++) {
        small_world s;
        pair p;
        pool(&s, areas[k], k == 2);
        make_pair(&p, &s.def, device_of(state));
        compare(&p, 5, blow, 0.25);
        drop_pair(&p);
    }
}

// A ball that drops in, with its heads and its drag.
static void test_body(void **state)
{
    for (int tense = 0; tense < 2; tense++) {
        small_world s;
        pair p;
        pool(&s, RV_AREA_WET, tense);
        s.body[0] = rv_default_body_def();
        s.body[0].at = (rv_vec3){0.02, 0.01, 0.015}, s.body[0].radius = 0.006;
        s.body[0].velocity = (rv_vec3){0.05, 0, -0.2};
        s.def.bodies = s.body, s.def.body_count = 1;
        make_pair(&p, &s.def, device_of(state));
        compare(&p, 4, NULL, 0.35);
        drop_pair(&p);
    }
}

static void stir(rv_world *world, int step)
{
    rv_vec3 from = {0.002 * step, 0, 0.02}, to = {0.002 * step + 0.004, 0.001, 0};
    assert_int_equal(rv_world_stir(world, from, to, 0.006, 0.005), RV_OK);
}

static void test_rod(void **state)
{
    for (int k = 0; k < 2; k++) {
        small_world s;
        pair p;
        pool(&s, k ? RV_AREA_WET : RV_AREA_CELL, k);
        make_pair(&p, &s.def, device_of(state));
        compare(&p, 3, stir, 0.5);
        drop_pair(&p);
    }
}

// Liquid that runs over a table's edge falls as drops, which land and push.
static void test_drops(void **state)
{
    small_world s;
    small_table(&s);
    same_after(&s.def, device_of(state), 40, 0.01);
    s.def.params.tension_on = true;
    same_after(&s.def, device_of(state), 40, 0.01);
}

// The same over so many columns that their depths are more than an answer may have.
static void test_many_columns(void **state)
{
    small_world s;
    small_grid(&s, RV_SOLVER_PIPES, 280, 260, 0.002);
    s.def.params.tension_on = false, s.def.params.grid_top = 0.06;
    s.fill[0].level = 0.004, s.def.fill_count = 1;
    s.emitter = rv_default_emitter_def();
    s.emitter.kind = RV_EMITTER_RAIN, s.emitter.radius = 1e-3, s.emitter.rate = 4e-6;
    s.emitter.at = (rv_vec3){0, 0, 0.02}, s.def.emitters = &s.emitter, s.def.emitter_count = 1;
    assert_true(280 * 260 * sizeof(float) > RV_DEVICE_READ_MOST);
    same_after(&s.def, device_of(state), 6, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wind),         cmocka_unit_test(test_body),
        cmocka_unit_test(test_rod),          cmocka_unit_test(test_drops),
        cmocka_unit_test(test_many_columns),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
