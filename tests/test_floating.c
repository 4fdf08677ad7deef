// Bodies in liquid that is particles as a height: they float where they should, move as the liquid
// does, and any number of threads gives the same bits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_worlds.h"

#include <math.h>

#define N 24
#define SIDE 0.5 // m

typedef struct pool_scene {
    rv_world_def def;
    rv_fill_def fill;
    rv_body_def body;
} pool_scene;

// A pool 0.2 m deep, with a body over its middle.
static void fill_pool(pool_scene *s, rv_body_shape shape, double density)
{
    s->def = rv_default_world_def(), s->fill = rv_default_fill_def();
    s->body = rv_default_body_def();
    rv_params *p = &s->def.params;
    p->solver = RV_SOLVER_SPLAT, p->splat_form = RV_SPLAT_HEIGHT;
    p->grid_nx = p->grid_ny = N, p->grid_dx = SIDE / N, p->grid_top = 0.5;
    p->splat_depth = 0.05 * N / SIDE; // four layers
    s->fill.kind = RV_FILL_DEPTH, s->fill.depth = 0.2;
    s->body.shape = shape, s->body.radius = 0.07, s->body.size = (rv_vec3){0.16, 0.12, 0.08};
    s->body.density = density * p->liquid_density, s->body.at = (rv_vec3){0.01, -0.02, 0.22};
    s->def.fills = &s->fill, s->def.fill_count = 1;
    s->def.bodies = &s->body, s->def.body_count = 1;
}

static rv_body_state body_of(const rv_world *world)
{
    rv_body_state now;
    assert_int_equal(rv_world_get_body(world, 0, NULL, &now), RV_OK);
    return now;
}

// Its middle over the level of the pool, which it lifts by what it displaces.
static double over_level(const rv_world *world, double displaced)
{
    return body_of(world).at.z - (0.2 + displaced / (SIDE * SIDE));
}

static void a_ball_floats_as_its_density_says(void **state)
{
    (void)state;
    pool_scene s;
    fill_pool(&s, RV_BODY_SPHERE, 0.5);
    rv_world *world = make(&s.def);
    run(world, 250, 0.01);
    double r = s.body.radius, half = 2.0 / 3.0 * 3.14159265 * r * r * r;
    assert_true(fabs(over_level(world, half)) < 0.1 * r);
    assert_true(fabs(body_of(world).submerged / half - 1) < 0.15);
    near(balance(world), 0.2 * SIDE * SIDE, 1e-6);
    rv_world_destroy(world);
}

static void a_box_floats_level(void **state)
{
    (void)state;
    pool_scene s;
    fill_pool(&s, RV_BODY_BOX, 0.75);
    rv_world *world = make(&s.def);
    run(world, 250, 0.01);
    rv_vec3 size = s.body.size;
    double under = 0.75 * size.x * size.y * size.z;
    // three quarters of its height are under
    assert_true(fabs(over_level(world, under) + 0.25 * size.z) < 0.1 * size.z);
    assert_true(fabs(body_of(world).spin.x) < 0.2 && fabs(body_of(world).spin.y) < 0.2);
    rv_world_destroy(world);
}

static void a_heavy_one_sinks_to_the_floor(void **state)
{
    (void)state;
    pool_scene s;
    fill_pool(&s, RV_BODY_SPHERE, 3);
    rv_world *world = make(&s.def);
    run(world, 150, 0.01);
    assert_true(fabs(body_of(world).at.z - s.body.radius) < 0.1 * s.body.radius);
    rv_world_destroy(world);
}

static uint64_t hash_with(int threads)
{
    pool_scene s;
    fill_pool(&s, RV_BODY_SPHERE, 0.5);
    s.body.velocity = (rv_vec3){0.8, 0.1, -0.5};
    rv_pool *pool = threads > 1 ? rv_pool_create(threads) : NULL;
    s.def.pool = pool;
    rv_world *world = make(&s.def);
    run(world, 40, 0.01);
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    rv_pool_destroy(pool);
    return hash;
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t one = hash_with(1);
    assert_true(one == hash_with(2));
    assert_true(one == hash_with(3));
}

// A dam takes a ball along.
static void a_wave_carries_a_ball(void **state)
{
    (void)state;
    pool_scene s;
    fill_pool(&s, RV_BODY_SPHERE, 0.5);
    rv_fill_def fills[2] = {s.fill, s.fill};
    fills[0].depth = 0.1;
    fills[1].depth = 0.2, fills[1].from = (rv_vec3){-SIDE, -SIDE, -1};
    fills[1].to = (rv_vec3){-0.1, SIDE, 1};
    s.body.at = (rv_vec3){0, 0, 0.1};
    s.def.fills = fills, s.def.fill_count = 2;
    rv_world *world = make(&s.def);
    run(world, 30, 0.01);
    assert_true(body_of(world).at.x > 0.01);
    assert_true(fabs(body_of(world).at.y) < 0.02);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_floats_as_its_density_says),
        cmocka_unit_test(a_box_floats_level),
        cmocka_unit_test(a_heavy_one_sinks_to_the_floor),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(a_wave_carries_a_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
