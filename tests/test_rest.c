// Liquid at rest sleeps (src/columns/rest.c): it costs nothing and changes no more, wakes when
// something touches it, and restored worlds, threads and edits do not tell.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.01

// A level floor with room for two puddles that are far apart: blocks are 32 cells wide, and rows
// count for themselves.
static void two_puddles(small_world *s)
{
    small_grid(s, RV_SOLVER_PIPES, 40, 60, 1e-3);
    rv_params *p = &s->def.params;
    p->tension_on = true, p->grid_top = 0.03, p->time_step = STEP;
    p->liquid_viscosity = 2e-5; // comes to rest soon
    for (int k = 0; k < 2; k++) {
        s->fill[k].kind = RV_FILL_DROP, s->fill[k].radius = 4e-3, s->fill[k].volume = 1.5e-7;
        s->fill[k].at = (rv_vec3){0, k ? 0.015 : -0.015, 0.02};
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
        for (int x = 0; x < 40; x++)
            most = fmax(most, fabs((double)a.depth[rv_slot(a.plane, x, y)] -
                                   (double)b.depth[rv_slot(b.plane, x, y)]));
    return most;
}

static bool is_asleep(const rv_world *world)
{
    return stats_of(world).fastest == 0.0;
}

// Steps until everything sleeps; how many.
static int until_asleep(rv_world *world)
{
    int steps = 0;
    while (steps < 3000 && !is_asleep(world)) run(world, 1, STEP), steps++;
    assert_true(is_asleep(world));
    return steps;
}

// ---- Asleep -------------------------------------------------------------------------------------

static void an_hour_changes_nothing(void **state)
{
    (void)state;
    small_world s;
    two_puddles(&s);
    rv_world *world = make(&s.def);
    until_asleep(world);
    run(world, 1, STEP);
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
    near(volume, 3e-7, 1e-6);
    free(before);
    rv_world_destroy(world);
}

// What would still have moved is no more than the speed of rest allows.
static void sleeping_and_waking_agree(void **state)
{
    (void)state;
    small_world s;
    two_puddles(&s);
    rv_world *sleeps = make(&s.def);
    s.def.params.tension_rest = 0;
    rv_world *wakes = make(&s.def);
    int steps = until_asleep(sleeps);
    run(wakes, steps, STEP);
    assert_true(apart(sleeps, wakes, 0, 60) < 1e-6); // it slept before it was seen to
    run(sleeps, 400, STEP), run(wakes, 400, STEP);
    assert_false(is_asleep(wakes));
    // through each of four pipes no more than rest · h* · time, h* being under 2 mm here
    double bound = 4 * 1e-5 * 2e-3 * 4.0 / 1e-3;
    assert_true(apart(sleeps, wakes, 0, 60) < bound);
    rv_world_destroy(sleeps), rv_world_destroy(wakes);
}

// ---- What wakes it ------------------------------------------------------------------------------

// One puddle is touched and the other, far away, sleeps on.
static void only_what_is_touched_wakes(void **state)
{
    (void)state;
    small_world s;
    two_puddles(&s);
    rv_world *world = make(&s.def), *still = make(&s.def);
    until_asleep(world), until_asleep(still);
    assert_true(rv_world_pour(world, (rv_vec3){0, 0.015, 0.02}, 1e-3, 2e-8) > 0);
    run(world, 3, STEP);
    assert_false(is_asleep(world));
    assert_true(stats_of(world).substeps > 1);
    assert_true(apart(world, still, 0, 30) == 0.0);
    assert_true(apart(world, still, 30, 60) > 1e-5);
    until_asleep(world);
    near(stats_of(world).volume, 3.2e-7, 1e-6);
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
    assert_int_equal(rv_world_paint(world, (rv_vec3){0.006, 0.015, 0}, 3e-3, 1.0), RV_OK);
}

static void drill(rv_world *world, small_world *s)
{
    (void)s;
    rv_event_def hole = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 2e-3, tool.at = (rv_vec3){0.002, 0.015, 0};
    hole.kind = RV_EVENT_CARVE, hole.tool = &tool, hole.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &hole, NULL, NULL), RV_OK);
}

static void stir(rv_world *world, small_world *s)
{
    (void)s;
    rv_world_stir(world, (rv_vec3){-0.002, 0.015, 0}, (rv_vec3){0.002, 0.015, 0}, 2e-3, STEP);
}

static void touches_wake(void **state)
{
    (void)state;
    static touch *const touches[] = {tilt, thin, paint, drill, stir};
    for (size_t k = 0; k < sizeof touches / sizeof *touches; k++) {
        small_world s;
        two_puddles(&s);
        rv_world *world = make(&s.def), *still = make(&s.def);
        until_asleep(world), until_asleep(still);
        touches[k](world, &s);
        run(world, 2, STEP);
        if (is_asleep(world)) fail_msg("touch %d woke nothing", (int)k);
        if (!(apart(world, still, 30, 60) > 0.0)) fail_msg("touch %d moved nothing", (int)k);
        near(stats_of(world).volume, 3e-7, 1e-6);
        rv_world_destroy(world), rv_world_destroy(still);
    }
}

// A stream that runs toward a sleeping puddle wakes it before it is there, and joins it.
static void a_stream_wakes_what_it_reaches(void **state)
{
    (void)state;
    small_world s;
    two_puddles(&s);
    rv_world *world = make(&s.def);
    until_asleep(world);
    double poured = 0;
    for (int i = 0; i < 60; i++) {
        poured += rv_world_pour(world, (rv_vec3){0, 0, 0.02}, 1e-3, 1e-8);
        run(world, 1, STEP);
    }
    near(stats_of(world).volume, 3e-7 + poured, 2e-6);
    until_asleep(world);
    near(stats_of(world).volume, 3e-7 + poured, 2e-6);
    rv_world_destroy(world);
}

// ---- The same bits ------------------------------------------------------------------------------

static uint64_t hash_after(const small_world *s, int threads, int saved_at)
{
    rv_world_def def = s->def;
    rv_pool *pool = rv_pool_create(threads);
    def.pool = pool;
    rv_world *world = make(&def);
    for (int i = 0; i < 260; i++) {
        if (i == 200) rv_world_pour(world, (rv_vec3){0, 0.015, 0.02}, 1e-3, 2e-8);
        if (i == saved_at) {
            size_t size;
            unsigned char *at = save(world, &size);
            rv_world_destroy(world);
            world = make(&def);
            assert_int_equal(rv_world_restore(world, at, size, NULL), RV_OK);
            free(at);
        }
        run(world, 1, STEP);
    }
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    rv_pool_destroy(pool);
    return hash;
}

static void threads_and_snapshots_agree(void **state)
{
    (void)state;
    small_world s;
    two_puddles(&s);
    uint64_t hash = hash_after(&s, 1, -1);
    assert_true(hash_after(&s, 3, -1) == hash);
    static const int saved_at[] = {60, 120, 195, 200, 201, 230};
    for (size_t k = 0; k < sizeof saved_at / sizeof *saved_at; k++)
        if (hash_after(&s, 1, saved_at[k]) != hash) fail_msg("saved at step %d", saved_at[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_changes_nothing),
        cmocka_unit_test(sleeping_and_waking_agree),
        cmocka_unit_test(only_what_is_touched_wakes),
        cmocka_unit_test(touches_wake),
        cmocka_unit_test(a_stream_wakes_what_it_reaches),
        cmocka_unit_test(threads_and_snapshots_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
