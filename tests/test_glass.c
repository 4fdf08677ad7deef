// Drops on a pane, as a host sees them: what makes them move, what they leave, tools, weather,
// threads and snapshots.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>

static rv_world_def pane_def(int n, double side)
{
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_GLASS;
    def.params.grid_nx = n, def.params.grid_ny = n, def.params.grid_dx = side / n;
    def.params.glass_static = 4e-9;
    return def;
}

static void run_for(rv_world *world, double time, double dt)
{
    for (int i = 0; i < (int)(time / dt + 0.5); i++)
        assert_int_equal(rv_world_step(world, dt), RV_OK);
}

static rv_pane pane_of(const rv_world *world)
{
    rv_pane pane;
    assert_int_equal(rv_world_get_pane(world, &pane), RV_OK);
    return pane;
}

static rv_particles drops_of(const rv_world *world)
{
    rv_particles drops;
    assert_int_equal(rv_world_get_particles(world, &drops), RV_OK);
    return drops;
}

// A ball of the volume, laid on the pane.
static void lay(rv_world *world, double x, double y, double volume)
{
    double given = rv_world_pour(world, (rv_vec3){x, y, 0}, 0, volume);
    assert_true(fabs(given / volume - 1) < 1e-6);
}

// ---- Motion -------------------------------------------------------------------------------------

static void test_small_stays_large_runs(void **state)
{
    (void)state;
    rv_world_def def = pane_def(200, 0.1);
    def.params.glass_affinity = 0, def.params.glass_residual = 0;
    rv_world *world = make(&def);
    lay(world, -0.02, 0.03, 0.95 * def.params.glass_static);
    lay(world, 0.02, 0.03, 2.0 * def.params.glass_static);
    run_for(world, 0.3, 0.005);
    rv_particles d = drops_of(world);
    assert_int_equal(d.count, 2);
    int small = d.volume[0] < d.volume[1] ? 0 : 1;
    assert_true(d.y[small] == 0.03f && d.v[small] == 0);
    assert_true(d.y[1 - small] < 0.025f && d.v[1 - small] < 0);
    // a = g (1 - kinetic/2), and its end speed a/k
    double end = 9.81 * (1 - def.params.glass_kinetic / 2) / def.params.glass_drag;
    double speed = hypot((double)d.u[1 - small], (double)d.v[1 - small]);
    assert_true(fabs(speed / end - 1) < 0.01);
    rv_world_destroy(world);
}

static void test_flat_pane_holds_all(void **state)
{
    (void)state;
    rv_world_def def = pane_def(150, 0.1);
    def.params.glass_tilt = 0;
    rv_world *world = make(&def);
    lay(world, 0.01, 0.01, 6 * def.params.glass_static);
    run_for(world, 0.2, 0.005);
    rv_particles d = drops_of(world);
    assert_true(d.count == 1 && d.u[0] == 0 && d.v[0] == 0);
    assert_true(d.x[0] == 0.01f && d.y[0] == 0.01f);
    rv_world_destroy(world);
}

static void test_wind_drives_up(void **state)
{
    (void)state;
    rv_world_def def = pane_def(200, 0.1);
    def.params.glass_wind_y = 14, def.params.glass_wind_x = 3;
    rv_world *world = make(&def);
    lay(world, 0, 0, def.params.glass_static);
    run_for(world, 0.1, 0.005);
    rv_particles d = drops_of(world);
    assert_true(d.count >= 1 && d.v[0] > 0 && d.y[0] > 0);
    rv_world_destroy(world);
}

// Most of the water of a running drop is in its lower half, and it is longer than wide.
static void test_teardrop(void **state)
{
    (void)state;
    rv_world_def def = pane_def(400, 0.1);
    def.params.glass_affinity = 0, def.params.glass_residual = 0;
    rv_world *world = make(&def);
    lay(world, 0, 0.04, 3 * def.params.glass_static);
    run_for(world, 0.2, 0.005);
    rv_pane p = pane_of(world);
    int x0 = p.nx, x1 = 0, y0 = p.ny, y1 = 0;
    double all = 0, moment = 0;
    for (int y = 0; y < p.ny; y++) {
        for (int x = 0; x < p.nx; x++) {
            double h = (double)p.height[(size_t)y * (size_t)p.pitch + (size_t)x];
            if (h < 1e-4) continue;
            if (x < x0) x0 = x;
            if (x > x1) x1 = x;
            if (y < y0) y0 = y;
            if (y > y1) y1 = y;
            all += h, moment += h * y;
        }
    }
    assert_true(y1 - y0 > 1.3 * (x1 - x0));
    assert_true(moment / all < y0 + 0.45 * (y1 - y0));
    rv_world_destroy(world);
}

// ---- Water --------------------------------------------------------------------------------------

static void test_balance(void **state)
{
    (void)state;
    rv_world_def def = pane_def(200, 0.1);
    def.params.glass_drops = 100, def.params.glass_rain = 20000;
    def.params.glass_evaporation = 1e-6;
    rv_world *world = make(&def);
    double first = stats_of(world).volume;
    assert_true(first > 0);
    run_for(world, 1.5, 0.005);
    rv_stats s = stats_of(world);
    rv_pane p = pane_of(world);
    assert_true(s.sourced > 0 && s.drained > 0 && p.evaporated > 0 && p.over > 0);
    assert_true(fabs(s.volume - (first + s.sourced - s.drained)) < 1e-12 * p.rained);
    assert_true(fabs(p.rained - p.over - p.evaporated - s.volume) < 1e-12 * p.rained);
    assert_true(fabs(p.shown / s.volume - 1) < 0.05);
    rv_world_destroy(world);
}

// The same drops fall at the same times, however time is divided.
static void test_rain_does_not_know_the_step(void **state)
{
    (void)state;
    double rained[3];
    const double dt[3] = {0.005, 0.0025, 0.02};
    rv_world_def def = pane_def(100, 0.1);
    def.params.glass_rain = 30000;
    for (int k = 0; k < 3; k++) {
        rv_world *world = make(&def);
        run_for(world, 0.5, dt[k]);
        rained[k] = pane_of(world).rained;
        rv_world_destroy(world);
    }
    assert_true(rained[0] > 0 && rained[0] == rained[1] && rained[0] == rained[2]);
    // 150 drops of 0.625 glass.static in the mean
    double mean = 30000 * 0.01 * 0.5 * 0.625 * def.params.glass_static;
    assert_true(fabs(rained[0] / mean - 1) < 0.25);
}

static void test_small_drops_dry_first(void **state)
{
    (void)state;
    rv_world_def def = pane_def(200, 0.1);
    def.params.glass_evaporation = 5e-5;
    rv_world *world = make(&def);
    lay(world, -0.02, 0, 0.05e-9);
    lay(world, 0.02, 0, 3e-9);
    int64_t count = 2;
    double before = stats_of(world).volume;
    for (int i = 0; i < 4000 && drops_of(world).count == 2; i++) rv_world_step(world, 0.005);
    rv_particles d = drops_of(world);
    assert_int_equal(d.count, count - 1);
    assert_true(d.x[0] > 0);
    for (int i = 0; i < 8000 && drops_of(world).count > 0; i++) rv_world_step(world, 0.005);
    rv_pane p = pane_of(world);
    assert_true(p.evaporated == before && stats_of(world).volume == 0 && stats_of(world).wet == 0);
    rv_world_destroy(world);
}

// ---- Affinity -----------------------------------------------------------------------------------

// Water does not stay on a stripe that repels it.
static void test_repelling_stripe(void **state)
{
    (void)state;
    enum { N = 32 };
    float value[N * N];
    for (int i = 0; i < N * N; i++) value[i] = i % N >= N / 4 && i % N < N / 2 ? 0.0f : 0.6f;
    rv_map map = {N, N, value};
    rv_world_def def = pane_def(200, 0.1);
    def.affinity = &map;
    def.params.glass_rain = 10000, def.params.glass_largest = 0.5;
    rv_world *world = make(&def);
    run_for(world, 2, 0.005);
    rv_pane p = pane_of(world);
    int dry = 0, wet = 0;
    for (int y = 0; y < p.ny; y++) {
        const float *row = p.height + (size_t)y * (size_t)p.pitch;
        for (int x = 52; x < 98; x++) dry += row[x] > 0;
        for (int x = 102; x < 148; x++) wet += row[x] > 0;
    }
    assert_true(wet > 500 && dry < wet / 3);
    rv_world_destroy(world);
}

// ---- Tools and mist -----------------------------------------------------------------------------

static void test_finger_pushes(void **state)
{
    (void)state;
    rv_world_def def = pane_def(200, 0.1);
    def.params.glass_mist = 0.5;
    rv_world *world = make(&def);
    lay(world, 0, 0, 2e-9);
    rv_world_step(world, 0.005);
    assert_int_equal(
        rv_world_stir(world, (rv_vec3){-0.02, 0, 0}, (rv_vec3){0.01, 0, 0}, 0.005, 0.02), RV_OK);
    rv_world_step(world, 0.02);
    rv_particles d = drops_of(world);
    rv_pane p = pane_of(world);
    assert_true(d.count == 1 && d.x[0] > 0.014f);
    assert_true(fabs(stats_of(world).volume / 2e-9 - 1) < 1e-6);
    size_t under = (size_t)(100 * p.pitch + 80), beside = (size_t)(140 * p.pitch + 80);
    assert_true(p.mist[under] < 0.01f && p.mist[beside] > 0.49f && p.height[under] == 0);
    run_for(world, 2.0 * def.params.glass_mist_return, 0.1);
    p = pane_of(world);
    assert_true(p.mist[under] > 0.4f && p.mist[under] < 0.45f); // 0.5 (1 - e^-2)
    rv_world_destroy(world);
}

static void test_wiper_clears(void **state)
{
    (void)state;
    rv_world_def def = pane_def(250, 0.2);
    def.params.glass_drops = 400, def.params.glass_largest = 0.3, def.params.glass_wiper = true;
    def.params.glass_wiper_period = 1, def.params.glass_mist = 0.5;
    rv_world *world = make(&def);
    double before = stats_of(world).volume;
    run_for(world, 0.5, 0.005);
    rv_pane p = pane_of(world);
    double inside = 0;
    for (int y = 0; y < p.ny; y++) {
        for (int x = 0; x < p.nx; x++) {
            double px = (x + 0.5) * p.dx - 0.1, py = (y + 0.5) * p.dx, r = hypot(px, py);
            if (r < 0.05 || r > 0.14 || py < fabs(px)) continue; // well within its way
            inside += (double)p.height[(size_t)y * (size_t)p.pitch + (size_t)x] * p.dx * p.dx;
        }
    }
    // a quarter of a ring of 0.0134 m² of 0.04 m²
    assert_true(inside < 0.25 * before * 0.0134 / 0.04);
    assert_true(fabs((stats_of(world).volume + p.over) / before - 1) < 1e-12);
    rv_world_destroy(world);
}

// ---- State --------------------------------------------------------------------------------------

static rv_world_def busy_def(void)
{
    rv_world_def def = pane_def(180, 0.1);
    def.params.glass_drops = 150, def.params.glass_rain = 20000, def.params.glass_mist = 0.7;
    def.params.glass_residual_time = 0.05, def.params.glass_residual = 0.1;
    def.params.glass_wiper = true, def.params.glass_wiper_y = -0.05;
    def.params.glass_wiper_length = 0.08;
    return def;
}

static void test_threads(void **state)
{
    (void)state;
    uint64_t hash[3];
    const int threads[3] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        rv_world_def def = busy_def();
        def.pool = rv_pool_create(threads[k]);
        rv_world *world = make(&def);
        run_for(world, 0.5, 0.005);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(def.pool);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void test_seed(void **state)
{
    (void)state;
    rv_world_def def = busy_def();
    rv_world *one = make(&def);
    def.params.seed = 2;
    rv_world *two = make(&def);
    assert_true(rv_world_hash(one) != rv_world_hash(two));
    rv_world_destroy(one);
    rv_world_destroy(two);
}

static void test_snapshot(void **state)
{
    (void)state;
    rv_world_def def = busy_def();
    rv_world *one = make(&def), *two = make(&def);
    rv_messages messages = {0};
    run_for(one, 0.3, 0.005);
    size_t size = rv_world_snapshot_size(one);
    unsigned char *buffer = malloc(size);
    assert_int_equal(rv_world_save(one, buffer, size), RV_OK);
    assert_int_equal(rv_world_restore(two, buffer, size, &messages), RV_OK);
    assert_true(rv_world_hash(one) == rv_world_hash(two));
    run_for(one, 0.2, 0.005);
    run_for(two, 0.2, 0.005);
    assert_true(rv_world_hash(one) == rv_world_hash(two));
    rv_pane a = pane_of(one), b = pane_of(two);
    assert_true(a.rained == b.rained && a.over == b.over && a.shown == b.shown);
    free(buffer);
    rv_world_destroy(one);
    rv_world_destroy(two);
}

// Far more water than a small pane can hold, by rain and on one spot: what it does not hold runs
// over its edge or is not taken, heights stay what cells can sum, and the account is exact.
static void test_a_flood_is_counted(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        rv_world_def def = pane_def(96, 0.0384);
        rv_params *p = &def.params;
        p->grid_ny = 55;
        if (kind < 2) p->glass_drops = 40, p->glass_rain = 1e5;
        if (kind == 0) p->glass_largest = 229;
        if (kind == 1) p->glass_largest = 1e3, p->glass_static = 1; // m³: the ends of their ranges
        rv_world *world = make(&def);
        double first = stats_of(world).volume;
        for (int n = 0; n < 60; n++) {
            if (kind == 2) rv_world_pour(world, (rv_vec3){0.003, 0.002, 0}, 0.002, 3e-3 * (n + 1));
            run_for(world, 0.005, 0.005);
            rv_pane pane = pane_of(world);
            rv_stats t = stats_of(world);
            assert_true(t.volume >= 0 && t.volume <= 0.21);
            assert_true(t.deepest < 0.15);
            near(first + t.sourced - t.drained, t.volume, 1e-9);
            for (int i = 0; i < pane.nx * pane.ny; i++) {
                float h = pane.height[(i / pane.nx) * pane.pitch + i % pane.nx];
                assert_true(h >= 0.0f && h < 0.15f);
            }
        }
        rv_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_stays_large_runs),
        cmocka_unit_test(test_flat_pane_holds_all),
        cmocka_unit_test(test_wind_drives_up),
        cmocka_unit_test(test_teardrop),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_rain_does_not_know_the_step),
        cmocka_unit_test(test_small_drops_dry_first),
        cmocka_unit_test(test_repelling_stripe),
        cmocka_unit_test(test_finger_pushes),
        cmocka_unit_test(test_wiper_clears),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_a_flood_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
