// Inside the solver `glass`: volumes in whole numbers, merging in any order, the film loop in every
// form, and that a warm step takes no memory.
#include "pane/glass.h"

#include "base/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const rv_solver_api rv_glass_api;

// ---- A pane without a world ---------------------------------------------------------------------

static int64_t taken; // calls of the allocator

static void *take(size_t bytes, void *user)
{
    rv_allocator *own = user;
    taken++;
    return own->allocate(bytes, own->user);
}

static void give(void *memory, size_t bytes, void *user)
{
    rv_allocator *own = user;
    own->release(memory, bytes, own->user);
}

typedef struct bench {
    rv_allocator own, allocator;
    rv_column_set columns;
    rv_solver *solver;
    rv_glass *s; // the same
} bench;

static rv_params pane_params(int n)
{
    rv_params p = rv_default_params();
    p.solver = RV_SOLVER_GLASS;
    p.grid_nx = n, p.grid_ny = n, p.grid_dx = 0.1 / n;
    p.glass_static = 4e-9, p.glass_most = 4000;
    return p;
}

static void open_pane(bench *b, const rv_params *p)
{
    rv_grid grid = rv_grid_of(p);
    float *bed = calloc((size_t)(grid.nx * grid.ny), sizeof *bed);
    b->own = rv_default_allocator();
    b->allocator = (rv_allocator){take, give, &b->own};
    assert_int_equal(rv_columns_from_heights(&b->columns, &grid, bed, NULL, &b->allocator), RV_OK);
    free(bed);
    rv_solver_setup setup = {.columns = &b->columns, .params = p, .allocator = &b->allocator};
    assert_int_equal(rv_glass_api.create(&setup, &b->solver), RV_OK);
    b->s = (rv_glass *)b->solver;
}

static void close_pane(bench *b)
{
    rv_glass_api.destroy(b->solver);
    rv_columns_free(&b->columns);
}

static void step(rv_glass *s, double dt)
{
    int n = rv_glass_api.substeps((rv_solver *)s, dt);
    for (int i = 0; i < n; i++) rv_glass_api.substep((rv_solver *)s, dt / n);
}

static void assert_balance(const rv_glass *s)
{
    int64_t volume = 0;
    for (int i = 0; i < s->count; i++) {
        assert_true(s->drops[i].volume > 0);
        volume += s->drops[i].volume;
    }
    const rv_glass_clock *c = &s->clock;
    assert_int_equal(c->over.whole + c->evaporated.whole, 0); // far less than 1 m³
    assert_int_equal(volume + c->over.part + c->evaporated.part,
                     c->begun.part + c->rained.part + c->poured.part);
    assert_int_equal(volume, c->inside);
}

// What the maps say of each drop is what the drop says of itself.
static void assert_maps(const rv_glass *s)
{
    int64_t *sum = calloc((size_t)s->count + 1, sizeof *sum);
    for (int y = 0; y < s->ny; y++) {
        for (int x = 0; x < s->nx; x++) {
            size_t c = rv_cell(s, x, y);
            assert_true(s->id[c] < s->count);
            assert_true((s->id[c] < 0) == (s->kind[c] == RV_CELL_DRY));
            assert_true((s->id[c] < 0) == (s->height[c] == 0.0f));
            if (s->id[c] < 0) continue;
            bool rests = s->drops[s->id[c]].state == RV_DROP_RESTS;
            assert_true(rests == (s->kind[c] == RV_CELL_REST));
            sum[s->id[c]] += rv_height_units(s->height[c]);
        }
    }
    for (int i = 0; i < s->count; i++) assert_int_equal(sum[i], s->drops[i].drawn);
    free(sum);
}

// ---- Tests --------------------------------------------------------------------------------------

static void test_mass_is_exact(void **state)
{
    (void)state;
    bench b;
    rv_params p = pane_params(200);
    p.glass_drops = 200, p.glass_rain = 20000, p.glass_evaporation = 2e-6;
    p.glass_wiper = true, p.glass_wiper_y = -0.05, p.glass_wiper_length = 0.09;
    p.glass_wiper_inner = 0.01, p.glass_wiper_period = 0.8, p.glass_residual_time = 0.05;
    open_pane(&b, &p);
    for (int i = 0; i < 300; i++) {
        if (i % 20 == 0) {
            rv_solver_rod rod = {{-0.04, 0.03, 0}, {0.04, -0.01, 0}, 0.006, 0.005};
            rv_glass_api.stir(b.solver, &rod);
        }
        rv_entry entry = {.kind = RV_ENTRY_ADD,
                          .slot = rv_cell(b.s, 60 + i % 50, 90),
                          .amount = i % 2 ? 1e-4 : -1e-4};
        if (i % 7 == 0) rv_glass_api.exchange(b.solver, &entry, 1);
        step(b.s, 0.005);
        assert_balance(b.s);
        if (i % 10 == 0) assert_maps(b.s);
    }
    assert_true(b.s->clock.over.part > 0 && b.s->clock.evaporated.part > 0 &&
                b.s->clock.rained.part > 0);
    close_pane(&b);
}

static void test_no_memory_in_a_step(void **state)
{
    (void)state;
    bench b;
    rv_params p = pane_params(160);
    p.glass_drops = 100, p.glass_rain = 20000, p.glass_wiper = true, p.glass_mist = 0.5;
    open_pane(&b, &p);
    int64_t before = taken;
    for (int i = 0; i < 100; i++) step(b.s, 0.005);
    assert_int_equal(taken, before);
    close_pane(&b);
}

// Two drops that touch: the volume is the sum, the momentum μ times the sum, the place the lower
// one's.
static void test_two_merge(void **state)
{
    (void)state;
    bench b;
    rv_params p = pane_params(200);
    p.glass_merge = 1.25, p.glass_affinity = 0;
    open_pane(&b, &p);
    int high = rv_glass_add_drop(b.s, 0.001, 0.002, 3000000000), low;
    low = rv_glass_add_drop(b.s, 0.0, 0.0, 2000000000);
    rv_drop *d = b.s->drops;
    d[high].speed = 0.3, d[high].way_x = 0.0, d[high].way_y = -1.0, d[high].state = RV_DROP_RUNS;
    d[low].speed = 0.1, d[low].way_x = 1.0, d[low].way_y = 0.0, d[low].state = RV_DROP_RUNS;
    rv_glass_draw(b.s);
    rv_glass_merge(b.s);
    rv_glass_bury(b.s);
    assert_int_equal(b.s->count, 1);
    assert_int_equal(d[0].volume, 5000000000);
    assert_true(d[0].x == 0.0 && d[0].y == 0.0);
    double x = d[0].speed * d[0].way_x, y = d[0].speed * d[0].way_y;
    assert_true(fabs(x - 1.25 * 0.2 / 5.0) < 1e-9);
    assert_true(fabs(y + 1.25 * 0.9 / 5.0) < 1e-9);
    assert_maps(b.s);
    close_pane(&b);
}

static int by_key(const void *a, const void *b)
{
    uint32_t i = ((const rv_drop *)a)->key, j = ((const rv_drop *)b)->key;
    return (i > j) - (i < j);
}

#define CROWD 60

// Drops in heaps that touch in chains, made in one order or another.
static int64_t crowd(bench *b, int stride, rv_drop *out)
{
    rv_params p = pane_params(200);
    p.glass_residual = 0; // droplets would get their keys in another order
    open_pane(b, &p);
    rv_glass *s = b->s;
    for (int n = 0; n < CROWD; n++) {
        int i = n * stride % CROWD;
        double a = rv_chance(7, 1, (uint32_t)i), c = rv_chance(7, 2, (uint32_t)i);
        double x = (i % 6 - 2.5) * 0.015 + (a - 0.5) * 0.008, y = (c - 0.3) * 0.05;
        int drop = rv_glass_add_drop(s, x, y, 500000000 + i * INT64_C(60000000));
        s->drops[drop].key = (uint32_t)i + 1, s->drops[drop].draws = 2;
        s->drops[drop].caps = 1 + i % 5, s->drops[drop].patience = 1e9;
    }
    for (int k = 0; k < 60; k++) step(s, 0.005);
    assert_maps(s);
    memcpy(out, s->drops, (size_t)s->count * sizeof *out);
    qsort(out, (size_t)s->count, sizeof *out, by_key);
    return s->count;
}

static void test_any_order(void **state)
{
    (void)state;
    bench a, b;
    rv_drop one[CROWD], two[CROWD];
    const int strides[] = {7, 11, 59};
    int64_t count = crowd(&a, 1, one);
    assert_true(count > 3 && count < CROWD - 10);
    for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
        assert_int_equal(crowd(&b, strides[k], two), count);
        assert_memory_equal(one, two, (size_t)count * sizeof *one);
        size_t bytes = a.s->slots * sizeof(float);
        assert_memory_equal(a.s->height, b.s->height, bytes);
        close_pane(&b);
    }
    close_pane(&a);
}

// Every instruction set gives the same bits.
static void test_film_forms(void **state)
{
    (void)state;
    const char *names[] = {"baseline", "avx2", "avx512"};
    enum { WIDE = 96, TALL = 5 };
    float height[TALL * WIDE] = {0}, next[3][WIDE];
    uint16_t kind[TALL * WIDE] = {0};
    rv_film_law law = {0.1f, 0.2f, 4e-5f, 0.8f};
    for (int i = 0; i < TALL * WIDE; i++) {
        kind[i] = (uint16_t)(rv_chance(3, 1, (uint32_t)i) * 4.0);
        if (kind[i]) height[i] = (float)(1e-3 * rv_chance(3, 2, (uint32_t)i));
    }
    rv_film_row row = {height + 2 * WIDE + 16, kind + 2 * WIDE + 16, next[0], WIDE};
    rv_glass_rows_named("baseline")->film(&law, row, 64);
    for (int k = 1; k < 3; k++) {
        const rv_glass_rows *form = rv_glass_rows_named(names[k]);
        if (!form) continue;
        row.next = next[k];
        form->film(&law, row, 64);
        assert_memory_equal(next[0], next[k], 64 * sizeof(float));
    }
}

// The same of the loop that writes heights: one drop's cells, some of which dry, and cells of two
// drops.
static void test_write_forms(void **state)
{
    (void)state;
    const char *names[] = {"baseline", "avx2", "avx512"};
    float next[16], height[3][16];
    uint16_t kind[3][16];
    int32_t id[3][16];
    rv_written sum[3];
    for (int k = 0; k < 3; k++) {
        const rv_glass_rows *form = rv_glass_rows_named(names[k]);
        if (!form) form = rv_glass_rows_named(names[0]);
        for (int i = 0; i < 16; i++) {
            next[i] = (float)(2e-5 * rv_chance(4, 1, (uint32_t)i));
            kind[k][i] = (uint16_t)(i % 4);
            id[k][i] = kind[k][i] >= RV_CELL_LOOSE ? 7 : kind[k][i] ? 3 : -1;
            height[k][i] = kind[k][i] ? 1e-4f : 0.0f;
        }
        assert_int_equal(form->write(next, 3, 0.9f, 5e-6f, height[k], kind[k], id[k]).loose, -1);
        sum[k] = form->write(next, 7, 0.9f, 5e-6f, height[k], kind[k], id[k]);
        int32_t loose = 0, units = 0;
        for (int i = 0; i < 16; i++) {
            if (i % 4 < RV_CELL_LOOSE) continue;
            bool wet = next[i] * 0.9f >= 5e-6f;
            assert_true(height[k][i] == (wet ? next[i] * 0.9f : 0.0f));
            assert_true(id[k][i] == (wet ? 7 : -1) && kind[k][i] == (wet ? RV_CELL_LOOSE : 0));
            loose += wet, units += wet ? (int32_t)rv_height_units(height[k][i]) : 0;
        }
        assert_true(loose > 0 && loose < 8 && sum[k].loose == loose && sum[k].units == units);
        assert_memory_equal(height[0], height[k], sizeof height[0]);
    }
}

// Smoothing moves water, and neither makes nor loses any.
static void test_smoothing_conserves(void **state)
{
    (void)state;
    enum { N = 48 };
    float height[(N + 2) * N] = {0}, next[N];
    uint16_t kind[(N + 2) * N] = {0};
    double before = 0.0, after = 0.0;
    for (int y = 8; y < 30; y++) {
        for (int x = 17; x < 40; x++) {
            if ((x - 28) * (x - 28) + (y - 20) * (y - 20) > 90) continue;
            height[y * N + x] = (float)(1e-3 * rv_chance(5, 1, (uint32_t)(y * N + x)));
            kind[y * N + x] = RV_CELL_LOOSE;
            before += (double)height[y * N + x];
        }
    }
    rv_film_law law = {0.2f, 0.0f, 1.0f, 1.0f};
    for (int y = 1; y < N; y++) {
        rv_film_row row = {height + y * N + 16, kind + y * N + 16, next, N};
        rv_glass_rows_best()->film(&law, row, 16);
        for (int x = 0; x < 16; x++) after += (double)next[x];
        row = (rv_film_row){height + y * N + 32, kind + y * N + 32, next, N};
        rv_glass_rows_best()->film(&law, row, 8);
        for (int x = 0; x < 8; x++) after += (double)next[x];
    }
    assert_true(fabs(after - before) < 1e-5 * before);
}

// A drop at rest is drawn with its volume, in the contact radius of its caps.
static void test_heights_sum_to_volume(void **state)
{
    (void)state;
    bench b;
    rv_params p = pane_params(400);
    p.glass_affinity = 0, p.glass_caps = 1;
    open_pane(&b, &p);
    rv_glass_add_drop(b.s, 0.01, 0.01, 3000000000);
    step(b.s, 0.005);
    const rv_drop *d = &b.s->drops[0];
    assert_int_equal(d->state, RV_DROP_RESTS);
    assert_true(fabs(rv_units_volume(b.s, d->drawn) / rv_drop_volume(d) - 1.0) < 1e-4);
    double radius = rv_cap_radius(3e-9, 1, rv_glass_contact(b.s, 0.5));
    assert_true(fabs(d->radius / radius - 1.0) < 1e-6);
    int wet = 0;
    for (size_t c = 0; c < b.s->slots; c++) wet += b.s->height[c] > 0.0f;
    double area = wet * b.s->dx * b.s->dx;
    assert_true(fabs(area / (RV_PI * radius * radius) - 1.0) < 0.03);
    close_pane(&b);
}

// On glass that lies a large drop is a puddle 2 l sin(t/2) high, l² = γ/(ρ g); a small one, and any
// on upright glass, is a cap.
static void test_puddles_are_flat(void **state)
{
    (void)state;
    for (int lies = 0; lies < 2; lies++) {
        for (int large = 0; large < 2; large++) {
            bench b;
            rv_params p = pane_params(400);
            double volume = large ? 1.4e-6 : 3e-9, deepest = 0.0;
            p.glass_affinity = 0, p.glass_caps = 1, p.glass_sag = 0, p.glass_static = 1e-5;
            if (lies) p.glass_tilt = 0;
            open_pane(&b, &p);
            rv_glass_add_drop(b.s, 0.0, 0.0, (int64_t)(volume / RV_QUANTUM));
            step(b.s, 0.005);
            const rv_drop *d = &b.s->drops[0];
            double cosine = rv_glass_contact(b.s, 0.5), tangent = sqrt((1 - cosine) / (1 + cosine));
            double cap = rv_cap_radius(volume, 1, cosine);
            for (size_t c = 0; c < b.s->slots; c++) deepest = fmax(deepest, (double)b.s->height[c]);
            assert_true(fabs(rv_units_volume(b.s, d->drawn) / volume - 1.0) < 1e-4);
            double length = sqrt(p.liquid_tension / (p.liquid_density * 9.81));
            double exact = lies && large ? 2.0 * length * sqrt(0.5 * (1 - cosine)) : cap * tangent;
            assert_true(fabs(deepest / exact - 1.0) < 0.02);
            double flat = sqrt(volume / (RV_PI * exact)); // of a disk as high as that
            if (lies && large) assert_true(d->radius > flat && d->radius < 1.1 * flat);
            close_pane(&b);
        }
    }
}

// A hemisphere has the paper's radius.
static void test_radius(void **state)
{
    (void)state;
    double volume = 5e-9, exact = cbrt(3.0 * volume / (2.0 * RV_PI * 3.0));
    assert_true(fabs(rv_cap_radius(volume, 3, 0.0) / exact - 1.0) < 1e-12);
}

static void test_own_functions(void **state)
{
    (void)state;
    for (double x = 1e-9; x < 50.0; x = x * 1.37 + 1e-3) {
        double sine, cosine;
        rv_sine(x, &sine, &cosine);
        assert_true(fabs(sine - sin(x)) < 1e-9 && fabs(cosine - cos(x)) < 1e-9);
        assert_true(fabs(rv_decay(x) / exp(-x) - 1.0) < 1e-12);
        assert_true(fabs(rv_ln(x) - log(x)) < 1e-9);
        assert_true(fabs(rv_cube_root(x * 1e-9) / cbrt(x * 1e-9) - 1.0) < 1e-12);
    }
    for (double a = -3.1; a < 3.15; a += 0.1)
        assert_true(fabs(rv_angle(2.0 * cos(a), 2.0 * sin(a)) - a) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_is_exact),       cmocka_unit_test(test_no_memory_in_a_step),
        cmocka_unit_test(test_two_merge),           cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_film_forms),          cmocka_unit_test(test_write_forms),
        cmocka_unit_test(test_smoothing_conserves), cmocka_unit_test(test_heights_sum_to_volume),
        cmocka_unit_test(test_puddles_are_flat),    cmocka_unit_test(test_radius),
        cmocka_unit_test(test_own_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
