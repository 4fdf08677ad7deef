// Liquid at rest sleeps (src/columns/rest.c): it costs nothing and changes no more, wakes when
// something touches it, and restored worlds, threads and edits do not tell.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.01
#define FLOOR 4e-3 // m

// A level floor with room for two puddles that are far apart: blocks are 32 cells wide, and rows
// count for themselves.
static void two_puddles(small_world *s)
{
    small_grid(s, RV_SOLVER_PIPES, 32, 64, 1e-3);
    rv_params *p = &s->def.params;
    p->tension_on = true, p->grid_top = 0.03, p->time_step = STEP;
    p->liquid_viscosity = 5e-5, p->tension_rest = 2e-5; // comes to rest soon
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = FLOOR, s->def.solid_count = 1;
    for (int k = 0; k < 2; k++) {
        s->fill[k].kind = RV_FILL_DROP, s->fill[k].radius = 5e-3, s->fill[k].volume = 1e-7;
        s->fill[k].at = (rv_vec3){0, k ? 0.016 : -0.016, 0.02};
    }
    s->def.fills = s->fill, s->def.fill_count = 2;
}

static float *depths_of(const rv_world *world, size_t *slots)
{
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    float *copy = malloc(c.slots * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, c.depth, c.slots * sizeof *copy);
    *slots = c.slots;
    return copy;
}

// The greatest difference of two worlds' depths in rows of the grid, m.
static double apart(const rv_world *one, const rv_world *two, int y0, int y1)
{
    rv_columns a, b;
    double most = 0;
    rv_world_get_columns(one, &a), rv_world_get_columns(two, &b);
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < 32; x++)
            most = fmax(most, fabs((double)a.depth[rv_slot(a.plane, x, y)] -
                                   (double)b.depth[rv_slot(b.plane, x, y)]));
    return most;
}

static bool is_asleep(const rv_world *world)
{
    return stats_of(world).fastest == 0.0;
}

// Steps until everything sleeps, and at least ten times; how often.
static int until_asleep(rv_world *world)
{
    int steps = 0;
    while (steps < 10 || (steps < 2000 && !is_asleep(world))) run(world, 1, STEP), steps++;
    assert_true(is_asleep(world));
    return steps;
}

// Worlds that most tests start from: not yet asleep, and asleep.
typedef struct saved {
    unsigned char *drowsy, *asleep;
    size_t size;
} saved;

static int start(void **state)
{
    static saved s;
    small_world two;
    two_puddles(&two);
    rv_world *world = make(&two.def);
    run(world, 700, STEP);
    assert_false(is_asleep(world));
    s.drowsy = save(world, &s.size);
    until_asleep(world);
    s.asleep = save(world, &s.size);
    rv_world_destroy(world);
    *state = &s;
    return 0;
}

static int stop(void **state)
{
    saved *s = *state;
    free(s->drowsy), free(s->asleep);
    return 0;
}

static rv_world *take_up(const rv_world_def *def, const unsigned char *from, size_t size)
{
    rv_world *world = make(def);
    assert_int_equal(rv_world_restore(world, from, size, NULL), RV_OK);
    return world;
}

static rv_world *asleep(const small_world *s, void **state)
{
    const saved *from = *state;
    rv_world *world = take_up(&s->def, from->asleep, from->size);
    run(world, 1, STEP);
    assert_true(is_asleep(world));
    return world;
}

// ---- Asleep -------------------------------------------------------------------------------------

static void an_hour_changes_nothing(void **state)
{
    small_world s;
    two_puddles(&s);
    rv_world *world = asleep(&s, state);
    size_t slots;
    float *before = depths_of(world, &slots);
    double volume = stats_of(world).volume;
    for (int i = 0; i < 3600; i++) {
        assert_int_equal(rv_world_step(world, 1.0), RV_OK);
        if (i % 600 == 0) assert_int_equal(stats_of(world).substeps, 1);
    }
    rv_columns c;
    rv_world_get_columns(world, &c);
    assert_memory_equal(before, c.depth, slots * sizeof *before);
    assert_true(stats_of(world).volume == volume);
    near(volume, 2e-7, 1e-6);
    free(before);
    rv_world_destroy(world);
}

// What would still have moved is no more than the speed of rest allows.
static void sleeping_and_waking_agree(void **state)
{
    small_world s;
    two_puddles(&s);
    const saved *from = *state;
    rv_world *sleeps = take_up(&s.def, from->drowsy, from->size);
    s.def.params.tension_rest = 0;
    rv_world *wakes = take_up(&s.def, from->drowsy, from->size);
    int steps = until_asleep(sleeps) + 200;
    run(sleeps, 200, STEP), run(wakes, steps, STEP);
    assert_false(is_asleep(wakes));
    near(stats_of(wakes).volume, stats_of(sleeps).volume, 1e-6);
    // what is 1.6 mm deep; less than a pipe at rest carries into a column in two seconds
    double most = apart(sleeps, wakes, 0, 64);
    if (!(most < 2e-5 * 2.0)) fail_msg("%g m apart after %d steps", most, steps);
    rv_world_destroy(sleeps), rv_world_destroy(wakes);
}

// ---- What wakes it ------------------------------------------------------------------------------

// One puddle is touched and the other, far away, sleeps on.
static void only_what_is_touched_wakes(void **state)
{
    small_world s;
    two_puddles(&s);
    rv_world *world = asleep(&s, state), *still = asleep(&s, state);
    assert_true(rv_world_pour(world, (rv_vec3){0, 0.016, 0.02}, 1e-3, 2e-8) > 0);
    run(world, 3, STEP);
    assert_false(is_asleep(world));
    assert_true(stats_of(world).substeps > 1);
    assert_true(apart(world, still, 0, 32) == 0.0);
    assert_true(apart(world, still, 30, 64) > 1e-5);
    until_asleep(world);
    near(stats_of(world).volume, 2.2e-7, 1e-6);
    rv_world_destroy(world), rv_world_destroy(still);
}

typedef void touch(rv_world *world, small_world *s);

static void tilt(rv_world *world, small_world *s)
{
    s->def.params.gravity = (rv_vec3){3, 0, -9};
    assert_int_equal(rv_world_set_params(world, &s->def.params, NULL), RV_OK);
}

static void thin(rv_world *world, small_world *s)
{
    s->def.params.liquid_tension = 0.02;
    assert_int_equal(rv_world_set_params(world, &s->def.params, NULL), RV_OK);
}

static void paint(rv_world *world, small_world *s)
{
    (void)s;
    assert_int_equal(rv_world_paint(world, (rv_vec3){0.006, 0.016, 0}, 3e-3, 1.0), RV_OK);
}

static void drill(rv_world *world, small_world *s)
{
    (void)s;
    rv_event_def hole = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 2e-3, tool.at = (rv_vec3){0.002, 0.016, FLOOR};
    hole.kind = RV_EVENT_CARVE, hole.tool = &tool, hole.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &hole, NULL, NULL), RV_OK);
}

static void stir(rv_world *world, small_world *s)
{
    (void)s;
    rv_world_stir(world, (rv_vec3){-0.002, 0.016, 0.01}, (rv_vec3){0.002, 0.016, 0.01}, 2e-3, STEP);
}

static void touches_wake(void **state)
{
    static touch *const touches[] = {tilt, thin, paint, drill, stir};
    for (size_t k = 0; k < sizeof touches / sizeof *touches; k++) {
        small_world s;
        two_puddles(&s);
        rv_world *world = asleep(&s, state), *still = asleep(&s, state);
        touches[k](world, &s);
        run(world, 2, STEP);
        if (is_asleep(world)) fail_msg("touch %d woke nothing", (int)k);
        if (!(apart(world, still, 30, 64) > 0.0)) fail_msg("touch %d moved nothing", (int)k);
        near(balance(world), 2e-7, 1e-6);
        rv_world_destroy(world), rv_world_destroy(still);
    }
}

// Liquid that runs toward a sleeping puddle wakes it before it is there, and joins it.
static void what_comes_wakes_what_it_reaches(void **state)
{
    small_world s;
    two_puddles(&s);
    rv_world *world = asleep(&s, state), *still = asleep(&s, state);
    double poured = 0;
    for (int i = 0; i < 20; i++) {
        poured += rv_world_pour(world, (rv_vec3){0, 0.006, 0.02}, 2e-3, 8e-9);
        run(world, 1, STEP);
    }
    run(world, 100, STEP);
    near(stats_of(world).volume, 2e-7 + poured, 2e-6);
    assert_true(apart(world, still, 46, 50) > 1e-6);
    rv_world_destroy(world), rv_world_destroy(still);
}

// ---- The same bits ------------------------------------------------------------------------------

// Of two puddles that fall asleep, of which one is poured on; saved and restored on the way.
static uint64_t hash_after(const saved *from, int threads, int saved_at)
{
    small_world s;
    two_puddles(&s);
    s.def.pool = rv_pool_create(threads);
    rv_world *world = take_up(&s.def, from->drowsy, from->size);
    for (int i = 0; i < 120; i++) {
        if (i == 80) assert_true(is_asleep(world));
        if (i == 80) rv_world_pour(world, (rv_vec3){0, 0.016, 0.02}, 1e-3, 2e-8);
        if (i == saved_at) {
            size_t size;
            unsigned char *at = save(world, &size);
            rv_world_destroy(world);
            world = take_up(&s.def, at, size);
            free(at);
        }
        run(world, 1, STEP);
    }
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    rv_pool_destroy(s.def.pool);
    return hash;
}

static void threads_and_snapshots_agree(void **state)
{
    uint64_t hash = hash_after(*state, 1, -1);
    assert_true(hash_after(*state, 3, -1) == hash);
    static const int saved_at[] = {20, 46, 47, 48, 79, 80, 81, 110};
    for (size_t k = 0; k < sizeof saved_at / sizeof *saved_at; k++)
        if (hash_after(*state, 1, saved_at[k]) != hash) fail_msg("saved at step %d", saved_at[k]);
}

static void edit(rv_world *world, rv_event_kind kind, rv_vec3 at, rv_vec3 size)
{
    rv_event_def change = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    tool.at = at, tool.size = size;
    change.kind = kind, change.tool = &tool, change.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &change, NULL, NULL), RV_OK);
}

// Roofs come and go over one puddle while the other sleeps: planes are then laid out otherwise than
// in a world that is made of the terrain as it is.
static void edited_worlds_go_on(void **state)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        small_world s;
        two_puddles(&s);
        rv_world *world = asleep(&s, state);
        edit(world, RV_EVENT_ADD, (rv_vec3){-9e-3, 0.018, 0.012}, (rv_vec3){4e-3, 9e-3, 2e-3});
        edit(world, RV_EVENT_ADD, (rv_vec3){6e-3, 0.016, 0.012}, (rv_vec3){6e-3, 5e-3, 2e-3});
        run(world, 5, STEP);
        edit(world, RV_EVENT_CARVE, (rv_vec3){-9e-3, 0.018, 0.012}, (rv_vec3){8e-3, 12e-3, 5e-3});
        run(world, 5, STEP);
        assert_false(is_asleep(world));
        if (k) {
            size_t size;
            unsigned char *at = save(world, &size);
            rv_world_destroy(world);
            world = take_up(&s.def, at, size);
            free(at);
        }
        run(world, 60, STEP);
        hash[k] = rv_world_hash(world);
        near(balance(world), 2e-7, 1e-6);
        rv_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// With tension off there is nothing to sleep, no memory for it, and no turning it on.
static void off_takes_no_memory(void **state)
{
    (void)state;
    small_world s;
    rv_world_info with, without;
    two_puddles(&s);
    rv_world *one = make(&s.def);
    s.def.params.tension_on = false;
    rv_world *two = make(&s.def);
    rv_world_get_info(one, &with), rv_world_get_info(two, &without);
    assert_true(with.bytes > without.bytes + 40 * (size_t)with.columns);
    rv_params p = s.def.params;
    p.tension_on = true;
    assert_int_equal(rv_world_set_params(two, &p, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_paint(two, (rv_vec3){0, 0, 0}, 1e-3, 1), RV_BAD_ARGUMENT);
    rv_world_destroy(one), rv_world_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_changes_nothing),
        cmocka_unit_test(sleeping_and_waking_agree),
        cmocka_unit_test(only_what_is_touched_wakes),
        cmocka_unit_test(touches_wake),
        cmocka_unit_test(what_comes_wakes_what_it_reaches),
        cmocka_unit_test(threads_and_snapshots_agree),
        cmocka_unit_test(edited_worlds_go_on),
        cmocka_unit_test(off_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
