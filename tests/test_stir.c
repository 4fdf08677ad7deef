// Stirring columns: liquid near the rod takes on its velocity, none is made or lost, what is far
// stays still, and nonsense is refused.
#include "rivulet/rivulet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SIDE = 40 };
static const double DX = 1e-3, DEPTH = 5e-3;

static rv_world *make_pool(void)
{
    static float heights[SIDE * SIDE];
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DEPTH, fill.depth = DEPTH;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = SIDE, def.params.grid_dx = DX;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world;
    rv_messages messages = {0};
    assert_int_equal(rv_world_create(&def, &world, &messages), RV_OK);
    return world;
}

static rv_sample sample_at(const rv_world *world, double x, double y)
{
    rv_vec3 at = {x, y, 1};
    rv_sample s;
    rv_world_sample(world, &at, 1, &s);
    return s;
}

static void near_the_rod_it_moves_with_it(void **state)
{
    (void)state;
    rv_world *world = make_pool();
    const double speed = 0.05, dt = 0.02;
    assert_int_equal(rv_world_stir(world, (rv_vec3){-5e-4, 0, DEPTH}, (rv_vec3){5e-4, 0, DEPTH},
                                   5 * DX, 1e-3 / speed),
                     RV_OK);
    rv_sample s = sample_at(world, 0, 0);
    assert_true(s.u > 0.7 * speed && s.u < 1.05 * speed);
    assert_true(fabs(s.v) < 0.02 * speed);
    assert_true(fabs(sample_at(world, 12 * DX, 0).u) < 1e-9);
    rv_stats before, after;
    rv_world_get_stats(world, &before);
    assert_int_equal(rv_world_step(world, dt), RV_OK);
    rv_world_get_stats(world, &after);
    assert_true(fabs(after.volume - before.volume) <= 1e-7 * before.volume);
    // it runs up before the rod and falls behind it
    assert_true(sample_at(world, 6 * DX, 0).level > sample_at(world, -6 * DX, 0).level + 1e-6);
    rv_world_destroy(world);
}

static void again_and_again_is_no_faster(void **state)
{
    (void)state;
    rv_world *world = make_pool();
    for (int i = 0; i < 50; i++)
        rv_world_stir(world, (rv_vec3){0, -5e-4, DEPTH}, (rv_vec3){0, 5e-4, DEPTH}, 5 * DX, 0.02);
    assert_true(sample_at(world, 0, 0).v < 0.05 * 1.05);
    rv_world_destroy(world);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    rv_world *world = make_pool();
    const rv_vec3 at = {0, 0, 0}, bad = {NAN, 0, 0}, beyond = {1e5, 1e5, 0};
    uint64_t hash = rv_world_hash(world);
    assert_int_equal(rv_world_stir(NULL, at, at, 1e-3, 1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_stir(world, bad, at, 1e-3, 1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_stir(world, at, bad, 1e-3, 1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_stir(world, at, at, 0, 1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_stir(world, at, at, 1e-3, 0), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_stir(world, beyond, beyond, 1e-3, 1), RV_OK); // meets nothing
    assert_true(rv_world_hash(world) == hash);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_the_rod_it_moves_with_it),
        cmocka_unit_test(again_and_again_is_no_faster),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
