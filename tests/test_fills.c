// First liquid that moves: its momentum is what was asked for, it goes where it was sent, and
// liquid without a velocity is as it was, to the bit.
#include "small_worlds.h"

#include <math.h>

#define DT 5e-3

// Middle of the liquid, m, and its volume.
static double middle_of(const rv_world *world, double *x, double *y)
{
    rv_columns c;
    double sum = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    *x = *y = 0;
    for (int j = 0; j < c.ny; j++)
        for (int i = 0; i < c.nx; i++) {
            double d = (double)c.depth[rv_slot(&c.plane[0], i, j)];
            sum += d, *x += d * (i + 0.5), *y += d * (j + 0.5);
        }
    *x = c.x0 + *x / sum * c.dx, *y = c.y0 + *y / sum * c.dx;
    return sum * c.dx * c.dx;
}

static void columns_start_with_it(void **state)
{
    (void)state;
    static const rv_solver_kind solvers[2] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};
    static const rv_fill_kind kinds[3] = {RV_FILL_DEPTH, RV_FILL_LEVEL, RV_FILL_DROP};
    for (int k = 0; k < 6; k++) {
        small_world s;
        small_tray(&s, solvers[k % 2], RV_SPLAT_3D);
        s.fill[0].kind = kinds[k / 2], s.fill[0].level = 0.06;
        s.fill[0].radius = 0.1, s.fill[0].volume = 1e-3;
        rv_world *world = make(&s.def);
        rv_stats stats;
        assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
        assert_true(stats.sourced == 0 && stats.kinetic > 0);
        // in its middle all of it moves so
        rv_vec3 at = {0.005, 0.005, 0.2};
        rv_sample sample;
        rv_world_sample(world, &at, 1, &sample);
        near(sample.u, 0.4, kinds[k / 2] == RV_FILL_DROP ? 0.02 : 1e-5);
        near(sample.v, -0.1, kinds[k / 2] == RV_FILL_DROP ? 0.02 : 1e-5);
        // and it goes there: pressure pushes it apart alike on both sides
        double x0, y0, x1, y1;
        middle_of(world, &x0, &y0);
        run(world, 10, DT);
        middle_of(world, &x1, &y1);
        near(x1 - x0, 0.4 * 10 * DT, 0.1);
        near(y1 - y0, -0.1 * 10 * DT, 0.1);
        rv_world_destroy(world);
    }
}

static void particles_start_with_it(void **state)
{
    (void)state;
    static const rv_splat_form forms[3] = {RV_SPLAT_2D, RV_SPLAT_3D, RV_SPLAT_HEIGHT};
    for (int k = 0; k < 3; k++) {
        small_world s;
        small_tray(&s, RV_SOLVER_SPLAT, forms[k]);
        s.fill[0].velocity.z = 0.2;
        // one that rests beside it
        s.fill[1] = s.fill[0];
        s.fill[1].velocity = (rv_vec3){0, 0, 0};
        s.fill[1].from.x = 0.2, s.fill[1].to.x = 0.3;
        s.def.fill_count = 2;
        rv_world *world = make(&s.def);
        rv_particles p;
        assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
        int64_t moving = 0;
        for (int64_t i = 0; i < p.count; i++) {
            bool moves = p.x[i] < 0.15f;
            moving += moves;
            assert_true(p.u[i] == (moves ? 0.4f : 0.0f));
            if (p.v) assert_true(p.v[i] == (moves ? -0.1f : 0.0f));
            if (p.w) assert_true(p.w[i] == (moves ? 0.2f : 0.0f));
        }
        assert_true(moving > 100 && moving < p.count);
        rv_world_destroy(world);
    }
}

// Two fills on each other share their momentum; what is sent nowhere stays as it was.
static void momentum_adds_up(void **state)
{
    (void)state;
    small_world s;
    small_tray(&s, RV_SOLVER_PIPES, RV_SPLAT_3D);
    s.fill[1] = s.fill[0];
    s.fill[1].velocity.x = -0.4, s.fill[1].velocity.y = 0.3;
    s.def.fill_count = 2;
    rv_world *world = make(&s.def);
    rv_vec3 at = {0.005, 0.005, 0.2};
    rv_sample sample;
    rv_world_sample(world, &at, 1, &sample);
    assert_true(fabs(sample.u) < 1e-7);
    near(sample.v, 0.1, 1e-5);
    rv_world_destroy(world);

    s.fill[0].velocity = s.fill[1].velocity = (rv_vec3){0, 0, 0};
    world = make(&s.def);
    rv_stats stats;
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    assert_true(stats.kinetic == 0 && stats.fastest == 0);
    rv_world_destroy(world);
}

static void a_drop_smaller_than_a_cell_moves_too(void **state)
{
    (void)state;
    small_world s;
    small_tray(&s, RV_SOLVER_PIPES, RV_SPLAT_3D);
    s.fill[0].kind = RV_FILL_DROP, s.fill[0].at = (rv_vec3){0.0149, 0.0149, 0.1};
    s.fill[0].radius = 1e-4, s.fill[0].volume = 2e-6;
    rv_world *world = make(&s.def);
    double x0, y0, x1, y1;
    near(middle_of(world, &x0, &y0), 2e-6, 1e-6);
    run(world, 1, DT);
    middle_of(world, &x1, &y1);
    assert_true(x1 > x0 + 1e-3 && y1 < y0);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_start_with_it),
        cmocka_unit_test(particles_start_with_it),
        cmocka_unit_test(momentum_adds_up),
        cmocka_unit_test(a_drop_smaller_than_a_cell_moves_too),
    };
    return cmocka_run_group_tests_name("fills", tests, NULL, NULL);
}
