// Point, ray and distance queries against what is known of simple worlds.
#include "small_worlds.h"

#include <math.h>

#define N 30
#define DX 1e-3

static void assert_near(double a, double b, double apart)
{
    if (fabs(a - b) <= apart) return;
    print_message("%.12g is not %.12g\n", a, b);
    fail();
}

static rv_world_def grid(void)
{
    rv_world_def def = grid_def(RV_SOLVER_PIPES, N, N, DX);
    def.params.grid_bottom = -5e-3, def.params.grid_top = 0.02;
    return def;
}

// A lake over a slope that comes out of it.
static rv_world *lake(float heights[N * N], double level)
{
    rv_world_def def = grid();
    rv_fill_def fill = rv_default_fill_def();
    for (int i = 0; i < N * N; i++) heights[i] = 4e-4f * (float)(i % N);
    fill.level = level;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    return make(&def);
}

static double slope_at(double x)
{
    return 0.4 * (x + 0.5 * N * DX - 0.5 * DX);
}

static void a_lake_is_level_up_to_its_shore(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world *world = lake(heights, 5e-3);
    for (int i = 1; i < 100; i++) {
        rv_vec3 p = {(i / 100.0 - 0.5) * (N - 1) * DX, 3.7e-3, 1};
        rv_sample s;
        rv_world_sample(world, &p, 1, &s);
        assert_true(s.inside && s.layer == 0);
        assert_near(s.base, slope_at(p.x), 2e-9);
        if (slope_at(p.x) < 5e-3 - 4e-4) {
            assert_true(s.wet);
            assert_near(s.level, 5e-3, 2e-9);
            assert_near(s.depth, 5e-3 - slope_at(p.x), 4e-9);
            assert_near(s.normal.z, 1, 1e-9);
        }
        if (slope_at(p.x) > 5e-3 + 1e-8) {
            assert_false(s.wet);
            assert_near(s.level, s.base, 0);
            assert_near(s.normal.x / s.normal.z, -0.4, 1e-4);
        }
        assert_true(s.u == 0 && s.v == 0);
    }
    rv_world_destroy(world);
}

static void outside_is_outside(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world *world = lake(heights, 5e-3);
    const double half = 0.5 * N * DX;
    rv_vec3 p[5] = {
        {half * 1.001, 0, 1}, {0, -half * 1.001, 1}, {0, 0, -1}, {NAN, 0, 0}, {half, half, 1}};
    rv_sample s[5];
    rv_world_sample(world, p, 5, s);
    for (int i = 0; i < 4; i++) assert_false(s[i].inside);
    assert_true(s[4].inside);
    rv_world_destroy(world);
}

// Steps between nearby samples are small when the surface is rough and moving.
static void samples_are_continuous(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = grid();
    rv_fill_def fill = rv_default_fill_def();
    for (int i = 0; i < N * N; i++) heights[i] = 1e-3f * (float)((i * 7919) % 13) / 13.0f;
    fill.kind = RV_FILL_DROP, fill.volume = 1e-6, fill.radius = 8e-3, fill.at.z = 1;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = make(&def);
    for (int i = 0; i < 8; i++) rv_world_step(world, 0.005);
    rv_sample last = {0};
    const int steps = 200 * N;
    double steepest = 0;
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps - 0.5;
        rv_vec3 p = {t * 0.97 * N * DX, t * 0.61 * N * DX + 1e-3, 1};
        rv_sample s;
        rv_world_sample(world, &p, 1, &s);
        assert_true(s.inside);
        if (i > 0) {
            steepest = fmax(steepest, fabs(s.level - last.level));
            assert_true(fabs(s.base - last.base) < 3e-5);
        }
        last = s;
    }
    // a step of 5.7e-6 m over slopes of at most a few units: no jump of the order of a depth
    assert_true(steepest < 5e-5);
    rv_world_destroy(world);
}

static void layers_are_told_apart(void **state)
{
    (void)state;
    rv_solid_def slab = rv_default_solid_def();
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    rv_world_def def = grid();
    slab.size = (rv_vec3){0.012, 0.012, 2e-3}, slab.at.z = 6e-3;
    fills[0].level = 2e-3, fills[0].to.z = 1e-3;
    fills[1].kind = RV_FILL_DEPTH, fills[1].depth = 5e-4, fills[1].from.z = 6e-3;
    def.params.grid_bottom = 0;
    def.solids = &slab, def.solid_count = 1, def.fills = fills, def.fill_count = 2;
    rv_world *world = make(&def);
    rv_vec3 p[3] = {{1e-4, 2e-4, 0.01}, {1e-4, 2e-4, 3e-3}, {0.01, 0.01, 0.01}};
    rv_sample s[3];
    rv_world_sample(world, p, 3, s);
    assert_true(s[0].layer == 1 && s[1].layer == 0 && s[2].layer == 0);
    assert_near(s[0].base, 7e-3, 1e-6);
    assert_near(s[0].depth, 5e-4, 1e-8);
    assert_near(s[1].level, 2e-3, 1e-8);
    assert_near(s[1].ceiling, 5e-3, 1e-6);
    assert_near(s[2].level, 2e-3, 1e-8);
    rv_ray rays[2] = {{{1e-4, 2e-4, 0.019}, {0, 0, -3}}, {{1e-4, 2e-4, 4e-3}, {0, 0, -1}}};
    rv_hit hits[2];
    rv_world_cast(world, rays, 2, hits);
    assert_true(hits[0].liquid && hits[0].terrain && hits[1].liquid && hits[1].terrain);
    assert_near(hits[0].liquid_distance, 0.019 - 7.5e-3, 2e-6);
    assert_near(hits[0].terrain_distance, 0.019 - 7e-3, 1e-5);
    assert_near(hits[1].liquid_distance, 2e-3, 2e-6);
    assert_near(hits[1].liquid_depth, 2e-3, 1e-6);
    assert_near(hits[1].terrain_normal.z, 1, 1e-3);
    // from under the slab upward: stone, and no liquid in between
    rv_ray up = {{1e-4, 2e-4, 3e-3}, {0, 0, 1}};
    rv_world_cast(world, &up, 1, hits);
    assert_true(hits[0].terrain && !hits[0].liquid);
    assert_near(hits[0].terrain_distance, 2e-3, 1e-5);
    float distance[2];
    rv_vec3 q[2] = {{0, 0, 6e-3}, {0, 0, 9e-3}};
    rv_world_distance(world, q, 2, distance);
    assert_true(distance[0] < 0 && distance[1] > 0);
    rv_world_destroy(world);
}

static void velocity_is_flux_over_section(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = grid();
    rv_fill_def fill = rv_default_fill_def();
    const double fall = 0.2, depth = 1e-3, viscosity = 1e-4;
    for (int i = 0; i < N * N; i++) heights[i] = (float)(fall * DX * (N - i / N));
    fill.kind = RV_FILL_DEPTH, fill.depth = depth;
    def.params.liquid_viscosity = viscosity, def.params.pipes_kept = 1;
    def.params.border_north = RV_BORDER_OPEN;
    def.heights = heights, def.fills = &fill, def.fill_count = 1;
    rv_world *world = make(&def);
    for (int i = 0; i < 10; i++) rv_world_step(world, 0.01);
    rv_vec3 p = {3.3e-3, 2.1e-3, 1};
    rv_sample s;
    rv_world_sample(world, &p, 1, &s);
    // a film's mean speed, g sin a cos² a H² / (3 nu) times cos a for its horizontal part
    double a = atan(fall);
    double speed = 9.81 * sin(a) * pow(cos(a), 3) * depth * depth / (3 * viscosity);
    assert_near(s.v, speed, 0.02 * speed);
    assert_near(s.u, 0, 1e-6);
    rv_world_destroy(world);
}

static void rays_meet_the_lake_and_the_bed(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world *world = lake(heights, 5e-3);
    for (int i = 0; i < 40; i++) {
        double angle = 0.16 * i;
        rv_ray ray = {{-0.01 + 2e-4 * i, 1e-3, 0.03}, {0.2 * cos(angle), 0.2 * sin(angle), -2}};
        rv_hit h;
        rv_world_cast(world, &ray, 1, &h);
        assert_true(h.terrain);
        // the bed is a plane here: the point lies on it, and on the ray
        assert_near(h.terrain_point.z, slope_at(h.terrain_point.x), 1e-7);
        double length = sqrt(0.2 * 0.2 + 4), along = h.terrain_distance / length;
        assert_near(h.terrain_point.x, ray.from.x + along * ray.toward.x, 1e-12);
        if (h.terrain_point.z < 4.5e-3) {
            assert_true(h.liquid && h.liquid_distance < h.terrain_distance);
            assert_near(h.liquid_point.z, 5e-3, 1e-7);
            assert_near(h.liquid_depth, 5e-3 - slope_at(h.liquid_point.x), 1e-7);
        }
        if (h.terrain_point.z > 5.5e-3) assert_false(h.liquid);
    }
    rv_ray miss[3] = {
        {{0, 0, 0.5}, {0, 0, 1}}, {{1, 1, 0.01}, {0, 1, 0}}, {{0, 0, 0.01}, {0, 0, 0}}};
    rv_hit h[3];
    rv_world_cast(world, miss, 3, h);
    for (int i = 0; i < 3; i++) {
        assert_false(h[i].liquid || h[i].terrain);
        assert_true(isinf(h[i].liquid_distance) && isinf(h[i].terrain_distance));
    }
    rv_world_destroy(world);
}

static void distance_changes_sign_at_the_bed(void **state)
{
    (void)state;
    float heights[N * N], d[2];
    rv_world *world = lake(heights, 0);
    rv_vec3 p[2] = {{2e-3, 0, slope_at(2e-3) + 1e-3}, {2e-3, 0, slope_at(2e-3) - 1e-3}};
    rv_world_distance(world, p, 2, d);
    double across = 1e-3 / sqrt(1 + 0.16); // of a plane that rises 0.4 a metre
    assert_near((double)d[0], across, 1e-5);
    assert_near((double)d[1], -across, 1e-5);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lake_is_level_up_to_its_shore),
        cmocka_unit_test(outside_is_outside),
        cmocka_unit_test(samples_are_continuous),
        cmocka_unit_test(layers_are_told_apart),
        cmocka_unit_test(velocity_is_flux_over_section),
        cmocka_unit_test(rays_meet_the_lake_and_the_bed),
        cmocka_unit_test(distance_changes_sign_at_the_bed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
