// Heads and pushes from outside, as bodies give them (SPEC §6): what presses on the liquid lowers
// its level by as much at rest, what presses everywhere does nothing, and a push is momentum to the
// last digit.
#include "solvers/pipes/pipes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const rv_solver_api rv_pipes_api;

// ---- A tank: level ground between walls
// ----------------------------------------------------------

typedef struct tank {
    rv_params params;
    rv_column_set set;
    rv_solver *s;
    float *press;
} tank;

static rv_params tank_params(int nx, int ny)
{
    rv_params p = rv_default_params();
    p.grid_nx = nx, p.grid_ny = ny, p.grid_dx = 0.01, p.grid_top = 4;
    p.liquid_viscosity = 0, p.pipes_kept = 1;
    return p;
}

static tank *make_tank(rv_params params, double depth)
{
    rv_allocator allocator = rv_default_allocator();
    tank *t = calloc(1, sizeof *t);
    t->params = params;
    rv_grid grid = rv_grid_of(&params);
    float *heights = calloc((size_t)(params.grid_nx * params.grid_ny), sizeof(float));
    assert_int_equal(rv_columns_from_heights(&t->set, &grid, heights, &allocator), RV_OK);
    free(heights);
    assert_int_equal(rv_pipes_api.create(&t->set, &params, NULL, &allocator, &t->s), RV_OK);
    for (size_t i = 0; i < t->set.slots; i++)
        if (rv_column_exists(&t->set, i)) rv_pipes_api.add(t->s, i, depth);
    t->press = calloc(t->set.slots, sizeof(float));
    return t;
}

static void free_tank(tank *t)
{
    rv_pipes_api.destroy(t->s);
    rv_columns_free(&t->set);
    free(t->press);
    free(t);
}

static size_t at(const tank *t, int x, int y)
{
    return rv_slot(&t->set.plane[0], x, y);
}

static void run(tank *t, double seconds, double step)
{
    int steps = (int)lround(seconds / step);
    for (int i = 0; i < steps; i++) {
        int n = rv_pipes_api.substeps(t->s, step);
        for (int k = 0; k < n; k++) rv_pipes_api.substep(t->s, step / n);
    }
}

static double volume(const tank *t)
{
    rv_solver_stats stats;
    rv_pipes_api.stats(t->s, &stats);
    return stats.volume;
}

static const rv_rect everywhere = {0, 0, 16384, 16384};

static void bump(tank *t, double x, double y, double height, double width)
{
    for (int j = 0; j < t->params.grid_ny; j++)
        for (int i = 0; i < t->params.grid_nx; i++) {
            double r2 = ((i - x) * (i - x) + (j - y) * (j - y)) / (width * width);
            rv_pipes_api.add(t->s, at(t, i, j), height * exp(-r2));
        }
}

static void same_depths(const tank *a, const tank *b)
{
    for (size_t i = 0; i < a->set.slots; i++)
        if (memcmp(&a->s->depth[i], &b->s->depth[i], sizeof(float)) != 0)
            fail_msg("slot %zu: %.9g, not %.9g", i, (double)a->s->depth[i], (double)b->s->depth[i]);
}

// ---- Press
// ---------------------------------------------------------------------------------------

// The same head everywhere is no head at all, to the bit.
static void even_press_is_none(void **state)
{
    (void)state;
    for (int area = 0; area < 2; area++) {
        rv_params p = tank_params(40, 33);
        p.pipes_area = area ? RV_AREA_CELL : RV_AREA_WET;
        tank *a = make_tank(p, 0.1), *b = make_tank(p, 0.1);
        for (size_t i = 0; i < b->set.slots; i++) b->press[i] = 0.037f;
        rv_pipes_api.press(b->s, b->press, everywhere);
        bump(a, 12, 9, 0.05, 4), bump(b, 12, 9, 0.05, 4);
        run(a, 1, 0.01), run(b, 1, 0.01);
        same_depths(a, b);
        assert_true(fabs((double)a->s->depth[at(a, 30, 20)] - 0.1) > 1e-4); // something moved
        free_tank(a), free_tank(b);
    }
}

// At rest the level under a head s is lower by s, and the rest is where the volume puts it.
static void press_lowers_by_its_head(void **state)
{
    (void)state;
    for (int area = 0; area < 2; area++) {
        rv_params p = tank_params(40, 30);
        p.pipes_area = area ? RV_AREA_CELL : RV_AREA_WET;
        p.pipes_kept = 0.02, p.liquid_viscosity = 1e-4;
        tank *t = make_tank(p, 0.1);
        double before = volume(t), s = 0.02;
        for (int y = 10; y < 20; y++)
            for (int x = 5; x < 15; x++) t->press[at(t, x, y)] = (float)s;
        rv_pipes_api.press(t->s, t->press, (rv_rect){5, 10, 15, 20});
        run(t, 25, 0.01);
        double high = 0.1 + s * 100 / 1200;
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 40; x++) {
                bool under = x >= 5 && x < 15 && y >= 10 && y < 20;
                double want = under ? high - s : high, got = (double)t->s->depth[at(t, x, y)];
                if (fabs(got - want) > 2e-7) fail_msg("%d %d: %.9g, not %.9g", x, y, got, want);
            }
        assert_true(fabs(volume(t) / before - 1) < 1e-6);
        rv_pipes_api.press(t->s, NULL, (rv_rect){0, 0, 0, 0});
        run(t, 25, 0.01);
        assert_true(fabs((double)t->s->depth[at(t, 10, 15)] - 0.1) < 2e-7);
        free_tank(t);
    }
}

// ---- Push
// ----------------------------------------------------------------------------------------

// Σ f d over all pipes, m⁴/s.
static void momentum(const tank *t, double out[2])
{
    const rv_solver *s = t->s;
    out[0] = out[1] = 0;
    for (size_t i = 0; i < t->set.slots; i++) {
        out[0] += (double)s->flux_x[i] * t->params.grid_dx;
        out[1] += (double)s->flux_y[i] * t->params.grid_dx;
    }
}

static void push_is_momentum(void **state)
{
    (void)state;
    tank *t = make_tank(tank_params(20, 20), 0.1);
    static const int places[][2] = {{7, 9}, {0, 5}, {19, 19}, {7, 9}, {6, 9}, {3, 0}};
    double sum[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        double x = 1e-5 * (k - 2.3), y = 2e-5 * (1.7 - k), got[2];
        assert_true(rv_pipes_api.push(t->s, at(t, places[k][0], places[k][1]), x, y));
        sum[0] += x, sum[1] += y;
        momentum(t, got);
        assert_true(fabs(got[0] - sum[0]) < 1e-11 && fabs(got[1] - sum[1]) < 1e-11);
    }
    free_tank(t);
    tank *lane = make_tank(tank_params(20, 1), 0.1); // no pipe along y
    assert_false(rv_pipes_api.push(lane->s, at(lane, 5, 0), 1e-5, 1e-5));
    double got[2];
    momentum(lane, got);
    assert_true(got[0] == 0 && got[1] == 0);
    assert_true(rv_pipes_api.push(lane->s, at(lane, 5, 0), 1e-5, 0));
    free_tank(lane);
    tank *dry = make_tank(tank_params(20, 20), 0);
    assert_false(rv_pipes_api.push(dry->s, at(dry, 5, 5), 1e-5, 0));
    free_tank(dry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_press_is_none),
        cmocka_unit_test(press_lowers_by_its_head),
        cmocka_unit_test(push_is_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
