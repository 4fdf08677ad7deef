// Heads and pushes from outside, as bodies give them (docs/bodies.md): what presses on the liquid
// lowers its level by as much at rest, what presses everywhere does nothing, and a push is momentum
// to the last digit.
#define _GNU_SOURCE // M_PI
#include "columns/columns.h"
#include "columns/laws/cell.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- A tank: level ground between walls ---------------------------------------------------------

typedef struct tank {
    rv_params params;
    rv_column_set set;
    rv_engine *s;
    float *press;
} tank;

static rv_params tank_params(int nx, int ny)
{
    rv_params p = rv_default_params();
    p.grid_nx = nx, p.grid_ny = ny, p.grid_dx = 0.01, p.grid_top = 4;
    p.liquid_viscosity = 0, p.pipes_kept = 1, p.tension_on = false;
    return p;
}

static tank *make_tank(rv_params params, double depth)
{
    rv_allocator allocator = rv_default_allocator();
    tank *t = calloc(1, sizeof *t);
    t->params = params;
    rv_grid grid = rv_grid_of(&params);
    float *heights = calloc((size_t)(params.grid_nx * params.grid_ny), sizeof(float));
    assert_int_equal(rv_columns_from_heights(&t->set, &grid, heights, NULL, &allocator), RV_OK);
    free(heights);
    assert_int_equal(rv_pipes_create(&(rv_solver_setup){.columns = &t->set,
                                                        .params = &params,
                                                        .pool = NULL,
                                                        .allocator = &allocator},
                                     &t->s),
                     RV_OK);
    for (size_t i = 0; i < t->set.slots; i++)
        if (rv_column_exists(&t->set, i)) rv_pipes_add(t->s, i, depth);
    t->press = calloc(t->set.slots, sizeof(float));
    return t;
}

static void free_tank(tank *t)
{
    rv_pipes_destroy(t->s);
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
        int n = rv_pipes_substeps(t->s, step);
        for (int k = 0; k < n; k++) rv_pipes_substep(t->s, step / n);
    }
}

static double volume(const tank *t)
{
    rv_solver_stats stats;
    rv_pipes_measure(t->s, &stats);
    return stats.volume;
}

static const rv_rect everywhere = {0, 0, 16384, 16384};

static void bump(tank *t, double x, double y, double height, double width)
{
    for (int j = 0; j < t->params.grid_ny; j++)
        for (int i = 0; i < t->params.grid_nx; i++) {
            double r2 = ((i - x) * (i - x) + (j - y) * (j - y)) / (width * width);
            rv_pipes_add(t->s, at(t, i, j), height * exp(-r2));
        }
}

static void same_depths(const tank *a, const tank *b)
{
    for (size_t i = 0; i < a->set.slots; i++)
        if (memcmp(&a->s->depth[i], &b->s->depth[i], sizeof(float)) != 0)
            fail_msg("slot %zu: %.9g, not %.9g", i, (double)a->s->depth[i], (double)b->s->depth[i]);
}

static double level_at(const tank *t, double x, double y)
{
    int i = (int)floor(x), j = (int)floor(y);
    double fx = x - i, fy = y - j, sum = 0;
    for (int k = 0; k < 4; k++) {
        double w = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
        if (w > 0) sum += w * (double)t->s->depth[at(t, i + k % 2, j + k / 2)];
    }
    return sum;
}

// Both areas, four and eight neighbours.
static rv_params variant(rv_params p, int k)
{
    p.pipes_area = k % 2 ? RV_AREA_CELL : RV_AREA_WET;
    p.pipes_neighbours = k / 2 ? RV_NEIGHBOURS_EIGHT : RV_NEIGHBOURS_FOUR;
    return p;
}

static rv_params with_eight(rv_params p)
{
    p.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
    return p;
}

// ---- Press --------------------------------------------------------------------------------------

// The same head everywhere is no head at all, to the bit.
static void even_press_is_none(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        rv_params p = variant(tank_params(40, 33), k);
        tank *a = make_tank(p, 0.1), *b = make_tank(p, 0.1);
        for (size_t i = 0; i < b->set.slots; i++) b->press[i] = 0.037f;
        rv_pipes_press(b->s, b->press, everywhere);
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
    for (int k = 0; k < 4; k++) {
        rv_params p = variant(tank_params(40, 30), k);
        p.pipes_kept = 0.02, p.liquid_viscosity = 1e-4;
        tank *t = make_tank(p, 0.1);
        double before = volume(t), s = 0.02;
        for (int y = 10; y < 20; y++)
            for (int x = 5; x < 15; x++) t->press[at(t, x, y)] = (float)s;
        rv_pipes_press(t->s, t->press, (rv_rect){5, 10, 15, 20});
        run(t, 25, 0.01);
        double high = 0.1 + s * 100 / 1200;
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 40; x++) {
                bool under = x >= 5 && x < 15 && y >= 10 && y < 20;
                double want = under ? high - s : high, got = (double)t->s->depth[at(t, x, y)];
                if (fabs(got - want) > 2e-7) fail_msg("%d %d: %.9g, not %.9g", x, y, got, want);
            }
        assert_true(fabs(volume(t) / before - 1) < 1e-6);
        rv_pipes_press(t->s, NULL, (rv_rect){0, 0, 0, 0});
        run(t, 25, 0.01);
        assert_true(fabs((double)t->s->depth[at(t, 10, 15)] - 0.1) < 2e-7);
        free_tank(t);
    }
}

// Liquid on dry ground is pressed out from under a head, and columns that are dry stay so.
static void press_empties(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        rv_params p = variant(tank_params(64, 64), k);
        p.liquid_viscosity = 1e-4;
        tank *t = make_tank(p, 0);
        bump(t, 32, 32, 0.02, 8);
        double before = volume(t);
        for (int y = 24; y < 40; y++)
            for (int x = 24; x < 40; x++) t->press[at(t, x, y)] = 0.5f;
        rv_pipes_press(t->s, t->press, (rv_rect){24, 24, 40, 40});
        run(t, 2, 0.01);
        for (size_t i = 0; i < t->set.slots; i++) assert_true(t->s->depth[i] >= 0);
        assert_true((double)t->s->depth[at(t, 32, 32)] < 0.003); // of 0.02
        assert_true(fabs(volume(t) / before - 1) < 1e-6);
        free_tank(t);
    }
}

// Two tanks and a full passage between them: what presses on one tank stands higher in the other,
// for every kind of passage.
static void press_through_passages(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        rv_params p = tank_params(30, 3);
        p.pipes_neighbours = k / 3 ? RV_NEIGHBOURS_EIGHT : RV_NEIGHBOURS_FOUR;
        p.pipes_passages = (rv_passages)(RV_PASSAGES_AXIS + k % 3);
        p.pipes_kept = 0.05, p.liquid_viscosity = 1e-5;
        tank *t = make_tank(p, 0);
        for (int y = 0; y < 3; y++)
            for (int x = 10; x < 20; x++) t->set.max[at(t, x, y)] = 0.02f;
        rv_engine *s;
        rv_allocator allocator = rv_default_allocator();
        assert_int_equal(rv_pipes_create(&(rv_solver_setup){.columns = &t->set,
                                                            .params = &p,
                                                            .pool = NULL,
                                                            .allocator = &allocator},
                                         &s),
                         RV_OK);
        rv_pipes_destroy(t->s);
        t->s = s;
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 30; x++) {
                rv_pipes_add(s, at(t, x, y), 0.1); // cut to the ceiling
                if (x < 10) t->press[at(t, x, y)] = 0.03f;
            }
        double before = volume(t);
        rv_pipes_press(s, t->press, (rv_rect){0, 0, 10, 3});
        run(t, 20, 0.01);
        double low = (double)s->depth[at(t, 5, 1)], high = (double)s->depth[at(t, 25, 1)];
        if (fabs(high - low - 0.03) > 1e-4) fail_msg("%d: %g and %g", k, low, high);
        assert_true(fabs(volume(t) / before - 1) < 1e-6);
        free_tank(t);
    }
}

// ---- Push ---------------------------------------------------------------------------------------

// Of a pipe, m³/s; with law `flow` by its velocity and the mean depth of the two columns.
static double flow_of(const rv_engine *s, size_t slot, rv_way way)
{
    const rv_plane *plane = &s->columns->plane[0];
    if (!s->slope[way][slot]) return 0;
    if (!s->flow) return (double)s->flux[way][slot];
    size_t other = slot + (size_t)rv_way_step(way, plane->pitch);
    double mean = 0.5 * ((double)s->depth[slot] + (double)s->depth[other]);
    return mean * (double)s->speed[way][slot] * s->params.grid_dx;
}

// Σ f d over all pipes, m⁴/s.
static void momentum(const tank *t, double out[2])
{
    static const double x[RV_WAYS] = {1, 0, 1, -1}, y[RV_WAYS] = {0, 1, 1, 1};
    out[0] = out[1] = 0;
    for (size_t i = 0; i < t->set.slots; i++)
        for (int way = 0; way < rv_ways(t->s); way++) {
            double flow = flow_of(t->s, i, (rv_way)way) * t->params.grid_dx;
            out[0] += x[way] * flow, out[1] += y[way] * flow;
        }
}

static void push_is_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tank *t = make_tank(variant(tank_params(20, 20), k), 0.1);
        static const int places[][2] = {{7, 9}, {0, 5}, {19, 19}, {7, 9}, {6, 9}, {3, 0}};
        double sum[2] = {0, 0}, got[2];
        for (int i = 0; i < 6; i++) {
            double x = 1e-5 * (i - 2.3), y = 2e-5 * (1.7 - i);
            assert_true(rv_pipes_push(t->s, at(t, places[i][0], places[i][1]), x, y));
            sum[0] += x, sum[1] += y;
            momentum(t, got);
            assert_true(fabs(got[0] - sum[0]) < 1e-11 && fabs(got[1] - sum[1]) < 1e-11);
        }
        free_tank(t);
        tank *lane = make_tank(variant(tank_params(20, 1), k), 0.1); // no pipe along y
        assert_false(rv_pipes_push(lane->s, at(lane, 5, 0), 1e-5, 1e-5));
        momentum(lane, got);
        assert_true(got[0] == 0 && got[1] == 0);
        assert_true(rv_pipes_push(lane->s, at(lane, 5, 0), 1e-5, 0));
        free_tank(lane);
        tank *dry = make_tank(variant(tank_params(20, 20), k), 0);
        assert_false(rv_pipes_push(dry->s, at(dry, 5, 5), 1e-5, 0));
        free_tank(dry);
    }
}

// A list of entries does what the same things do one by one, and says what came of each.
static void entries_are_taken_in_order(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tank *a = make_tank(variant(tank_params(20, 1), k), 0.1);
        tank *b = make_tank(variant(tank_params(20, 1), k), 0.1);
        bump(a, 7, 0, 0.02, 3), bump(b, 7, 0, 0.02, 3);
        run(a, 0.05, 0.01), run(b, 0.05, 0.01);
        double area = 1e-4, least = 1e-15, each = 0.02, most = 0;
        int place = 0; // where most liquid flows together
        for (int x = 10; x < 20; x++) {
            double there = rv_pipes_calm(b->s, at(b, x, 0), 1);
            if (there > most) most = there, place = x;
        }
        assert_true(most > 0);
        size_t thrown = at(a, place, 0);
        rv_entry entry[] = {
            {.kind = RV_ENTRY_PUSH, .slot = at(a, 5, 0), .amount = 2, .y = 1e-5, .hands_on = true},
            {.kind = RV_ENTRY_PUSH, .slot = at(a, 6, 0), .amount = 3, .x = 1e-5},
            {.kind = RV_ENTRY_ADD, .slot = at(a, 7, 0), .amount = 0.013},
            {.kind = RV_ENTRY_PUSH, .slot = at(a, 7, 0), .amount = 1, .y = 1e-5},
            {.kind = RV_ENTRY_PUSH, .slot = at(a, 8, 0), .amount = 1, .x = -2e-5},
            {.kind = RV_ENTRY_ADD, .slot = at(a, 9, 0), .amount = -9},
            {.kind = RV_ENTRY_THROW,
             .slot = thrown,
             .amount = 1e-6,
             .least = least,
             .energy = each,
             .share = 0.5},
            {.kind = RV_ENTRY_THROW, .slot = thrown, .amount = 1e-6, .least = 1, .energy = each}};
        rv_pipes_exchange(a->s, entry, 8);
        assert_true(entry[0].done == 2 && entry[1].done == 0); // no pipe along y: handed on
        assert_true(rv_pipes_push(b->s, at(b, 6, 0), 5 * 1e-5, 0));
        assert_true(entry[2].done == rv_pipes_add(b->s, at(b, 7, 0), 0.013));
        assert_true(entry[3].done == 1 && entry[4].done == 0); // handed on to none
        assert_true(rv_pipes_push(b->s, at(b, 8, 0), -2e-5, 0));
        assert_true(entry[5].done == rv_pipes_add(b->s, at(b, 9, 0), -9));
        double energy = rv_pipes_calm(b->s, thrown, 1);
        double want = fmin(1e-6, 0.5 * energy / each);
        assert_true(want >= least);
        want = -rv_pipes_add(b->s, thrown, -want / area) * area;
        rv_pipes_calm(b->s, thrown, sqrt(1 - each * want / energy));
        assert_true(fabs(entry[6].done / want - 1) < 1e-6 && entry[7].done == 0);
        run(a, 0.02, 0.01), run(b, 0.02, 0.01);
        for (int x = 0; x < 20; x++)
            assert_true(fabs((double)(a->s->depth[at(a, x, 0)] - b->s->depth[at(b, x, 0)])) < 1e-7);
        free_tank(a);
        free_tank(b);
    }
}

// All columns pushed alike: what is seen along x is H dx u, and nothing along y.
static void push_is_seen(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        tank *t = make_tank(variant(tank_params(20, 16), k), 0.1);
        double dx = 0.01, u = 0.02;
        for (int y = 0; y < 16; y++)
            for (int x = 0; x < 20; x++)
                assert_true(rv_pipes_push(t->s, at(t, x, y), 0.1 * dx * dx * u, 0));
        rv_liquid seen;
        rv_pipes_substep(t->s, 1e-9); // a velocity is seen as flux from the next substep on
        rv_pipes_view(t->s, &seen);
        const float *flux_x = seen.flux_x, *flux_y = seen.flux_y;
        for (int y = 0; y < 16; y++)
            for (int x = 1; x < 17; x++) { // the last columns have pipes on one side only
                double got = (double)flux_x[at(t, x, y)] / (0.1 * dx);
                bool at_wall = k >= 2 && (y < 2 || y > 13); // diagonals in pairs only
                if (fabs(got / u - 1) > (at_wall ? 0.5 : 1e-5))
                    fail_msg("%d: %d %d: %g", k, x, y, got);
                if (x > 1 && y > 1 && y < 13)
                    assert_true(fabs((double)flux_y[at(t, x, y)]) < 1e-6 * 0.1 * dx * u);
            }
        free_tank(t);
    }
}

// Within a step what is seen is as old as the step; a push brings it up to date around its column
// and nowhere else, however wide the machine's vectors are.
static void push_is_seen_around(void **state)
{
    (void)state;
    tank *t = make_tank(with_eight(tank_params(40, 20)), 0.1);
    bump(t, 17, 9, 0.02, 6);
    run(t, 0.05, 0.01);
    t->s->substeps_left = 2; // not the last of its step
    rv_pipes_substep(t->s, 1e-3);
    size_t bytes = t->set.slots * sizeof(float);
    float *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, t->s->seen_x, bytes);
    assert_true(rv_pipes_push(t->s, at(t, 17, 9), 1e-6, 1e-6));
    int changed = 0;
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 40; x++) {
            bool around = abs(x - 17) <= 1 && abs(y - 9) <= 1;
            bool same = memcmp(&before[at(t, x, y)], &t->s->seen_x[at(t, x, y)], 4) == 0;
            if (!around && !same) fail_msg("%d %d was brought up to date too", x, y);
            changed += !same;
        }
    assert_true(changed >= 6);
    free(before);
    free_tank(t);
}

// ---- Eight neighbours ---------------------------------------------------------------------------

// cos(k π x / L) in a lane, and how large it is now.
static void wave(tank *t, int k, double height)
{
    int nx = t->params.grid_nx;
    for (int y = 0; y < t->params.grid_ny; y++)
        for (int x = 0; x < nx; x++)
            rv_pipes_add(t->s, at(t, x, y), height * cos(k * M_PI * (x + 0.5) / nx));
}

static double wave_now(const tank *t, int k)
{
    int nx = t->params.grid_nx;
    double sum = 0;
    for (int x = 0; x < nx; x++)
        sum += (double)t->s->depth[at(t, x, 0)] * cos(k * M_PI * (x + 0.5) / nx);
    return 2 * sum / nx;
}

// Time of the n-th change of sign, s.
static double crossing(tank *t, int k, int n, double step)
{
    double before = wave_now(t, k);
    for (int i = 1; i < 100000; i++) {
        run(t, step, step);
        double now = wave_now(t, k);
        if (now * before <= 0 && --n == 0) return step * (i - now / (now - before));
        before = now;
    }
    return INFINITY;
}

// A wave along a tank of any width has the period of shallow water, stays even across it, walls or
// not, and longer or thinner pipes slow it down by the root.
static void waves_keep_their_period(void **state)
{
    (void)state;
    for (int width = 1; width <= 5; width += 2) {
        tank *t = make_tank(with_eight(tank_params(100, width)), 0.1);
        wave(t, 2, 1e-4);
        double exact = 1.0 / sqrt(9.81 * 0.1), period = 2 * (crossing(t, 2, 3, 1e-3) - 0) / 2.5;
        if (fabs(period / exact - 1) > 0.005) fail_msg("%d: %g s, not %g", width, period, exact);
        float worst = 0;
        for (int x = 0; x < 100; x++)
            for (int y = 1; y < width; y++)
                worst = fmaxf(worst, fabsf(t->s->depth[at(t, x, y)] - t->s->depth[at(t, x, 0)]));
        assert_true(worst < 1e-6f); // rounding, of a wave of 1e-4
        free_tank(t);
    }
    rv_params p = with_eight(tank_params(100, 3));
    p.pipes_pipe_length = 2, p.pipes_pipe_area = 0.5;
    tank *t = make_tank(p, 0.1);
    wave(t, 2, 1e-4);
    double slow = 2 * crossing(t, 2, 3, 1e-3) / 2.5;
    assert_true(fabs(slow * sqrt(9.81 * 0.1) / 2 - 1) < 0.005);
    free_tank(t);
}

// Level on the x axis at a distance from column (80, 80), through four columns.
static double on_axis(const tank *t, double r)
{
    int i = (int)floor(r);
    double f = r - i, h[4];
    for (int k = 0; k < 4; k++) h[k] = (double)t->s->depth[at(t, 80 + i - 1 + k, 80)] - 0.1;
    return -f * (f - 1) * (f - 2) / 6 * h[0] + (f + 1) * (f - 1) * (f - 2) / 2 * h[1] -
           (f + 1) * f * (f - 2) / 2 * h[2] + (f + 1) * f * (f - 1) / 6 * h[3];
}

// How much a ring from a bump differs between the axes and the diagonals, as a share of its height.
static double ring_error(rv_params p)
{
    tank *t = make_tank(p, 0.1);
    bump(t, 80, 80, 1e-4, 3);
    run(t, 0.55, 1e-3);
    double most = 0, apart = 0;
    for (int m = 20; m < 50; m++) {
        double axis = on_axis(t, m * sqrt(2));
        double diagonal = (double)t->s->depth[at(t, 80 + m, 80 + m)] - 0.1;
        most = fmax(most, fabs(axis)), apart = fmax(apart, fabs(axis - diagonal));
    }
    free_tank(t);
    return apart / most;
}

static void rings_are_round(void **state)
{
    (void)state;
    rv_params p = tank_params(161, 161);
    double four = ring_error(p), eight = ring_error(with_eight(p));
    print_message("apart at 45 degrees: four %.3f, eight %.3f\n", four, eight);
    assert_true(eight < 0.04 && four > 5 * eight);
}

// A thick drop spreads as with four neighbours.
static double spread(rv_params p)
{
    tank *t = make_tank(p, 0);
    bump(t, 40, 40, 0.02, 8);
    run(t, 3, 0.02);
    double sum = 0, all = 0;
    for (int y = 0; y < 81; y++)
        for (int x = 0; x < 81; x++) {
            double d = (double)t->s->depth[at(t, x, y)];
            sum += d * ((x - 40) * (x - 40) + (y - 40) * (y - 40)), all += d;
        }
    free_tank(t);
    return sqrt(sum / all);
}

static void films_spread_alike(void **state)
{
    (void)state;
    rv_params p = tank_params(81, 81);
    p.liquid_viscosity = 1e-2;
    double four = spread(p), eight = spread(with_eight(p));
    print_message("spread: four %.3f, eight %.3f cells\n", four, eight);
    assert_true(four > 8 && fabs(eight / four - 1) < 0.005); // 5.7 at first
}

// A lake over rough ground, with islands, does not stir, to the bit.
static void lake_rests(void **state)
{
    (void)state;
    for (int k = 2; k < 4; k++) {
        rv_params p = variant(tank_params(50, 41), k);
        p.grid_top = 0.5, p.pipes_quotient = 1;
        tank *t = make_tank(p, 0);
        uint32_t random = 5;
        for (int y = 0; y < 41; y++)
            for (int x = 0; x < 50; x++) {
                random = random * 1664525u + 1013904223u;
                t->set.base[at(t, x, y)] = 0.1f * (float)(random >> 8) / 16777216.0f;
            }
        rv_columns_snap(&t->set);
        rv_engine *s;
        rv_allocator allocator = rv_default_allocator();
        assert_int_equal(rv_pipes_create(&(rv_solver_setup){.columns = &t->set,
                                                            .params = &p,
                                                            .pool = NULL,
                                                            .allocator = &allocator},
                                         &s),
                         RV_OK);
        rv_pipes_destroy(t->s);
        t->s = s;
        float level = 0.0625f;
        for (int y = 0; y < 41; y++)
            for (int x = 0; x < 50; x++)
                rv_pipes_add(s, at(t, x, y), (double)(level - t->set.base[at(t, x, y)]));
        float *before = malloc(t->set.slots * sizeof(float));
        memcpy(before, s->depth, t->set.slots * sizeof(float));
        run(t, 10, 0.01);
        assert_memory_equal(before, s->depth, t->set.slots * sizeof(float));
        for (size_t i = 0; i < t->set.slots; i++)
            for (int way = 0; way < RV_WAYS; way++)
                assert_true(s->flux[way][i] == 0 && s->speed[way][i] == 0);
        free(before);
        free_tank(t);
    }
}

// A tank turned by 90°, with liquid that runs out over dry ground, heads and pushes.
static void turned_tank(void **state)
{
    (void)state;
    for (int k = 2; k < 4; k++) {
        rv_params p = variant(tank_params(50, 37), k), q = p;
        p.pipes_quotient = q.pipes_quotient = 0.5;
        q.grid_nx = 37, q.grid_ny = 50;
        tank *a = make_tank(p, 0), *b = make_tank(q, 0);
        bump(a, 20, 12, 0.1, 5), bump(b, 36 - 12, 20, 0.1, 5);
        for (int y = 8; y < 16; y++)
            for (int x = 10; x < 22; x++) {
                a->press[at(a, x, y)] = b->press[at(b, 36 - y, x)] = 0.01f * (float)(x - 9);
                rv_pipes_push(a->s, at(a, x, y), 1e-7 * x, 3e-7);
                rv_pipes_push(b->s, at(b, 36 - y, x), -3e-7, 1e-7 * x);
            }
        rv_pipes_press(a->s, a->press, (rv_rect){10, 8, 22, 16});
        rv_pipes_press(b->s, b->press, (rv_rect){36 - 15, 10, 36 - 7, 22});
        run(a, 1, 0.005), run(b, 1, 0.005);
        for (int y = 0; y < 37; y++)
            for (int x = 0; x < 50; x++)
                assert_memory_equal(&a->s->depth[at(a, x, y)], &b->s->depth[at(b, 36 - y, x)], 4);
        free_tank(a), free_tank(b);
    }
}

// Nothing leaks between walls that touch at a corner.
static void corners_hold(void **state)
{
    (void)state;
    tank *t = make_tank(with_eight(tank_params(20, 20)), 0);
    for (int i = 0; i < 20; i++) { // a stair of walls from corner to corner
        size_t wall = at(t, i, i);
        t->set.base[wall] = 0, t->set.max[wall] = -1;
    }
    rv_engine *s;
    rv_allocator allocator = rv_default_allocator();
    assert_int_equal(rv_pipes_create(&(rv_solver_setup){.columns = &t->set,
                                                        .params = &t->params,
                                                        .pool = NULL,
                                                        .allocator = &allocator},
                                     &s),
                     RV_OK);
    rv_pipes_destroy(t->s);
    t->s = s;
    for (int y = 0; y < 20; y++)
        for (int x = y + 1; x < 20; x++) rv_pipes_add(s, at(t, x, y), 0.1 + 0.001 * x);
    run(t, 2, 0.01);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < y; x++) assert_true(s->depth[at(t, x, y)] == 0);
    free_tank(t);
}

// ---- The viscosity quotient and the kept share --------------------------------------------------

// V = 1/16 takes all of a push from 4 units on, and a quarter at 2 (tank paper Fig. 2). Unless it
// holds, what is left rises to 1/√(3V), and stays.
static void quotient_meets_in(double given, double unit, bool holds)
{
    rv_params p = tank_params(3, 3);
    p.pipes_quotient = 1.0 / 16, p.pipes_quotient_pressure = given, p.pipes_area = RV_AREA_CELL;
    p.pipes_quotient_holds = holds;
    tank *t = make_tank(p, 0.1);
    rv_pipes_set_law(t->s, 1e-3);
    static const double pressure[] = {0.5, 2, 3.9, 4, 5, 100};
    for (int i = 0; i < 6; i++) {
        float head = (float)(pressure[i] * unit / 9810);
        rv_pipe_end a = {0.1f, 0.1f, head}, b = {0.1f, 0.1f, 0};
        double flux = (double)rv_pipe_flux(&t->s->law, a, b, (rv_pipe){RV_SLOPE_ONE, 1, 0, 0}, 0);
        double full = 1e-3 * 9.81 * 0.01 * (double)head;
        double most = holds ? INFINITY : 4 / sqrt(3);
        double want = fmax(1 - pressure[i] * pressure[i] / 16, 0);
        if (pressure[i] > most) want = 2.0 / 3 * most / pressure[i];
        assert_true(fabs(flux / full - want) < 1e-5);
    }
    free_tank(t);
}

static void quotient_meets(void **state)
{
    (void)state;
    for (int holds = 0; holds < 2; holds++) {
        quotient_meets_in(1, 1, holds);
        quotient_meets_in(250, 250, holds);
        quotient_meets_in(0, 4 * 9810 * tank_params(3, 3).grid_dx, holds); // four cells deep
    }
}

// What arrives at the far side of a tank when a bump falls together.
static double response(double quotient)
{
    rv_params p = with_eight(tank_params(60, 60));
    p.pipes_area = RV_AREA_CELL, p.pipes_kept_step = 0.93, p.pipes_quotient = quotient;
    p.pipes_quotient_pressure = 1;
    tank *t = make_tank(p, 0.2);
    double before = volume(t), most = 0;
    bump(t, 20, 30, 0.01, 6);
    before = volume(t);
    for (int i = 0; i < 200; i++) {
        run(t, 0.01, 0.01);
        most = fmax(most, fabs(level_at(t, 45, 30) - 0.2));
    }
    assert_true(fabs(volume(t) / before - 1) < 1e-6);
    free_tank(t);
    return most;
}

static void response_falls_with_quotient(void **state)
{
    (void)state;
    static const double quotients[] = {0, 1e-4, 1e-3, 1e-2, 0.1, 1};
    double last = INFINITY;
    for (int i = 0; i < 6; i++) {
        double now = response(quotients[i]);
        print_message("quotient %g: %.3f mm\n", quotients[i], 1e3 * now);
        assert_true(now < last * 0.999);
        last = now;
    }
}

// What a heap of ten cells comes to at once. It stands for seconds where the quotient holds it,
// and runs away where it does not, the more slowly the more it is.
static double heap_after(double quotient, bool holds)
{
    rv_params p = with_eight(tank_params(60, 60));
    p.pipes_area = RV_AREA_CELL, p.pipes_kept_step = 0.93, p.pipes_quotient = quotient;
    p.pipes_quotient_holds = holds;
    tank *t = make_tank(p, 0.2);
    for (int y = 28; y < 32; y++)
        for (int x = 28; x < 32; x++) rv_pipes_add(t->s, at(t, x, y), 0.1);
    run(t, holds ? 2 : 0.03, 0.01);
    double level = level_at(t, 30, 30) - 0.2;
    free_tank(t);
    return level;
}

static void heaps_do_not_stand(void **state)
{
    (void)state;
    double none = heap_after(0, false), some = heap_after(0.25, false), all = heap_after(1, false);
    double held = heap_after(1, true);
    print_message("after 0.03 s %.1f, %.1f, %.1f mm; held %.1f mm\n", 1e3 * none, 1e3 * some,
                  1e3 * all, 1e3 * held);
    assert_true(held > 0.09);
    assert_true(none < some - 0.005 && some < all - 0.005 && all < held - 0.005);
}

// A standing wave whose flux keeps D of itself a step falls by √D a step: its peaks are
// exp(-γ T/2) apart, γ = -ln D / step, T = 2π / √(ω² - γ²/4).
static void kept_share_of_a_step(void **state)
{
    (void)state;
    rv_params p = with_eight(tank_params(100, 3));
    p.time_step = 0.02, p.pipes_kept_step = 0.93;
    tank *t = make_tank(p, 0.1);
    int k = 12;
    wave(t, k, 1e-3);
    double omega = k * M_PI * sqrt(9.81 * 0.1), gamma = -log(0.93) / 0.02;
    double period = 2 * M_PI / sqrt(omega * omega - gamma * gamma / 4);
    double peaks[8], a = 0, b = 1e-3;
    for (int i = 0, n = 0; n < 8; i++) {
        run(t, 1e-3, 1e-3);
        double c = wave_now(t, k);
        if (fabs(b) > fabs(a) && fabs(b) > fabs(c) && i > 10) { // through three points
            double curve = a - 2 * b + c, slope = 0.5 * (c - a);
            peaks[n++] = fabs(b - 0.5 * slope * slope / curve);
        }
        a = b, b = c;
    }
    double rate = log(peaks[0] / peaks[6]) / (3 * period), want = gamma / 2;
    print_message("decay %.4f, expected %.4f 1/s\n", rate, want);
    assert_true(fabs(rate / want - 1) < 0.02);
    free_tank(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_press_is_none),
        cmocka_unit_test(press_lowers_by_its_head),
        cmocka_unit_test(press_empties),
        cmocka_unit_test(press_through_passages),
        cmocka_unit_test(push_is_momentum),
        cmocka_unit_test(entries_are_taken_in_order),
        cmocka_unit_test(push_is_seen),
        cmocka_unit_test(push_is_seen_around),
        cmocka_unit_test(waves_keep_their_period),
        cmocka_unit_test(rings_are_round),
        cmocka_unit_test(films_spread_alike),
        cmocka_unit_test(lake_rests),
        cmocka_unit_test(turned_tank),
        cmocka_unit_test(corners_hold),
        cmocka_unit_test(quotient_meets),
        cmocka_unit_test(response_falls_with_quotient),
        cmocka_unit_test(heaps_do_not_stand),
        cmocka_unit_test(kept_share_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
