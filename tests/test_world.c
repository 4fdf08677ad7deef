// The world: what it refuses, what sources, drains and borders do to the volume, what it allocates.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 24
#define DX 1e-3

// A flat bed of N × N cells with walls.
static rv_world_def flat(float heights[N * N])
{
    rv_world_def def = grid_def(RV_SOLVER_PIPES, N, N, DX);
    for (int i = 0; i < N * N; i++) heights[i] = 0;
    def.params.grid_bottom = -0.01, def.params.grid_top = 0.02;
    def.heights = heights;
    return def;
}

// Volume is what was there and came, less what went.
static void assert_balance(const rv_world *world, double first)
{
    rv_stats s = stats_of(world);
    double most = first + s.sourced;
    assert_true(fabs(s.volume - (first + s.sourced - s.drained)) <= 1e-6 * most);
}

// ---- What is refused ----------------------------------------------------------------------------

static void refuses_with_names(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_source_def sources[2] = {rv_default_source_def(), rv_default_source_def()};
    rv_drain_def drain = rv_default_drain_def();
    rv_fill_def fill = rv_default_fill_def();
    sources[1].rate = -1;
    sources[0].start = 2, sources[0].stop = 1;
    drain.from.y = 1, drain.to.y = 0;
    fill.depth = NAN;
    def.params.grid_top = def.params.grid_bottom;
    def.sources = sources, def.source_count = 2;
    def.drains = &drain, def.drain_count = 1;
    def.fills = &fill, def.fill_count = 1;
    rv_messages m = {0};
    rv_world *world = (rv_world *)&def;
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_null(world);
    assert_int_equal(m.count, 5);
    assert_non_null(strstr(m.text, "grid.top: "));
    assert_non_null(strstr(m.text, "sources[1].rate: "));
    assert_non_null(strstr(m.text, "sources[0].stop: "));
    assert_non_null(strstr(m.text, "drains[0].to: "));
    assert_non_null(strstr(m.text, "fills[0].depth: "));
}

static void refuses_bad_solids_and_heights(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_world *world;
    rv_messages m = {0};
    heights[5 * N + 3] = NAN;
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "x 3, y 5"));
    rv_solid_def solids[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solids[1].shape = RV_SHAPE_SPHERE, solids[1].radius = -2;
    def.heights = NULL, def.solids = solids, def.solid_count = 2;
    m = (rv_messages){0};
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "solids[1].radius"));
    def.solids = NULL;
    m = (rv_messages){0};
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "solids: 2 given"));
}

static void refuses_a_source_off_the_grid(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_source_def source = rv_default_source_def();
    source.at.x = 1;
    def.sources = &source, def.source_count = 1;
    rv_messages m = {0};
    rv_world *world;
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "sources[0].at"));
}

static void survives_null(void **state)
{
    (void)state;
    rv_world *world;
    rv_sample sample;
    rv_hit hit;
    float distance;
    rv_stats stats;
    rv_vec3 p = {0, 0, 0};
    assert_int_equal(rv_world_create(NULL, &world, NULL), RV_BAD_ARGUMENT);
    rv_world_destroy(NULL);
    assert_int_equal(rv_world_step(NULL, 1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_stats(NULL, &stats), RV_BAD_ARGUMENT);
    assert_null(rv_world_params(NULL));
    assert_true(rv_world_pour(NULL, p, 1, 1) == 0);
    rv_world_sample(NULL, &p, 1, &sample);
    assert_false(sample.inside);
    rv_world_cast(NULL, NULL, 1, &hit);
    assert_false(hit.liquid || hit.terrain);
    rv_world_distance(NULL, &p, 1, &distance);
    assert_true(rv_world_hash(NULL) == 0 && rv_world_snapshot_size(NULL) == 0);
    float heights[N * N];
    rv_world_def def = flat(heights);
    world = make(&def);
    assert_int_equal(rv_world_step(world, 0), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_step(world, NAN), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_step(world, -1), RV_BAD_ARGUMENT);
    assert_true(rv_world_pour(world, (rv_vec3){NAN, 0, 0}, 1, 1) == 0);
    rv_world_destroy(world);
}

// ---- Liquid that comes and goes -----------------------------------------------------------------

static void fills_have_their_volume(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_fill_def fills[3] = {rv_default_fill_def(), rv_default_fill_def(), rv_default_fill_def()};
    fills[0].kind = RV_FILL_LEVEL, fills[0].level = 2e-3;
    def.fills = fills, def.fill_count = 1;
    rv_world *world = make(&def);
    near(stats_of(world).volume, N * N * DX * DX * 2e-3, 1e-6);
    rv_world_destroy(world);
    fills[1].kind = RV_FILL_DROP, fills[1].volume = 3e-7, fills[1].radius = 5.3e-3;
    fills[1].at = (rv_vec3){1.7e-3, -2.2e-3, 1};
    fills[2].kind = RV_FILL_DEPTH, fills[2].depth = 1e-3, fills[2].to.x = 0;
    def.fill_count = 3;
    world = make(&def);
    near(stats_of(world).volume, N * N * DX * DX * 2.5e-3 + 3e-7, 1e-6);
    assert_true(stats_of(world).sourced == 0);
    rv_world_destroy(world);
}

static void sources_and_drains_balance(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_source_def sources[2] = {rv_default_source_def(), rv_default_source_def()};
    rv_drain_def drain = rv_default_drain_def();
    sources[0].at = (rv_vec3){-4e-3, 0, 1}, sources[0].rate = 2e-7, sources[0].radius = 3e-3;
    sources[1].at = (rv_vec3){4e-3, 2e-3, 1}, sources[1].rate = 1e-7, sources[1].radius = 0;
    sources[1].start = 0.105, sources[1].stop = 0.305;
    drain.from.x = 8e-3, drain.rate = 5e-8;
    def.sources = sources, def.source_count = 2, def.drains = &drain, def.drain_count = 1;
    rv_world *world = make(&def);
    run(world, 100, 0.01);
    rv_stats s = stats_of(world);
    near(s.sourced, 2e-7 * 1.0 + 1e-7 * 0.2, 1e-6);
    assert_true(s.drained > 0 && s.drained <= 5e-8);
    assert_true(s.unplaced == 0 && s.not_finite == 0);
    assert_balance(world, 0);
    rv_world_destroy(world);
}

// Shares below the last bit of a depth are not lost.
static void tiny_rates_arrive(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_fill_def fill = rv_default_fill_def();
    rv_source_def source = rv_default_source_def();
    fill.level = 0.0123;
    source.at.z = 1, source.radius = 1, source.rate = 1e-12;
    def.fills = &fill, def.fill_count = 1, def.sources = &source, def.source_count = 1;
    rv_world *world = make(&def);
    double first = stats_of(world).volume;
    run(world, 400, 0.01);
    assert_true(stats_of(world).unplaced == 0);
    assert_balance(world, first);
    // one unit in the last place of every column is the grain: 9.3e-10 m over 576 mm²
    assert_true(fabs(stats_of(world).sourced - 4e-12) < 5.4e-13);
    rv_world_destroy(world);
}

static void a_full_world_takes_no_more(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_source_def source = rv_default_source_def();
    source.at.z = 1, source.rate = 1e-4;
    def.params.grid_top = 2e-3;
    def.sources = &source, def.source_count = 1;
    rv_world *world = make(&def);
    run(world, 400, 0.01);
    rv_stats s = stats_of(world);
    assert_true(s.unplaced > 0);
    assert_true(s.volume <= N * N * DX * DX * 2e-3 * (1 + 1e-6));
    assert_true(s.volume >= N * N * DX * DX * 2e-3 * 0.98);
    assert_balance(world, 0);
    rv_world_destroy(world);
}

static void inflow_and_open_borders_balance(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    for (int i = 0; i < N * N; i++) heights[i] = 2e-4f * (float)(N - i % N);
    def.params.border_west = RV_BORDER_INFLOW, def.params.border_west_rate = 3e-7;
    def.params.border_east = RV_BORDER_OPEN;
    def.params.liquid_viscosity = 1e-5;
    rv_world *world = make(&def);
    run(world, 300, 0.01);
    rv_stats s = stats_of(world);
    near(s.sourced, 9e-7, 1e-6);
    assert_true(s.drained > 1e-7);
    assert_balance(world, 0);
    rv_world_destroy(world);
}

static void a_level_border_holds_its_level(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    def.params.border_north = RV_BORDER_LEVEL, def.params.border_north_level = 4e-3;
    rv_world *world = make(&def);
    run(world, 2000, 0.01);
    near(stats_of(world).volume, N * N * DX * DX * 4e-3, 0.01);
    assert_balance(world, 0);
    rv_world_destroy(world);
}

static void pouring_falls_on_the_column_below(void **state)
{
    (void)state;
    rv_solid_def slab = rv_default_solid_def();
    slab.size = (rv_vec3){0.012, 0.012, 2e-3}, slab.at.z = 6e-3;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_dx = DX;
    def.params.grid_top = 0.02;
    def.solids = &slab, def.solid_count = 1;
    rv_world *world = make(&def);
    near(rv_world_pour(world, (rv_vec3){0, 0, 0.015}, 2e-3, 1e-8), 1e-8, 1e-5);
    rv_vec3 at[2] = {{5e-4, 5e-4, 0.015}, {5e-4, 5e-4, 1e-3}};
    rv_sample s[2];
    rv_world_sample(world, at, 2, s);
    assert_true(s[0].wet && s[0].layer == 1 && !s[1].wet && s[1].layer == 0);
    near(rv_world_pour(world, at[1], 2e-3, 1e-8), 1e-8, 1e-5);
    rv_world_sample(world, at, 2, s);
    assert_true(s[1].wet);
    near(stats_of(world).volume, 2e-8, 1e-5);
    assert_balance(world, 0);
    rv_world_destroy(world);
}

// A sloshing tank whose greatest depth keeps crossing the bound between one substep and two.
static void a_damped_wave_dies_whatever_the_substeps(void **state)
{
    (void)state;
    enum { LONG = 16 };
    float heights[LONG * 4] = {0};
    rv_fill_def fills[LONG];
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = LONG, def.params.grid_ny = 4, def.params.grid_dx = 2e-3;
    def.params.grid_top = 0.1, def.params.liquid_viscosity = 0;
    for (int x = 0; x < LONG; x++) {
        double at = (x + 0.5 - 0.5 * LONG) * 2e-3;
        fills[x] = rv_default_fill_def();
        fills[x].kind = RV_FILL_DEPTH;
        fills[x].depth = 0.012 + 0.003 * cos(3.141592653589793 * (x + 0.5) / LONG);
        fills[x].from.x = at - 5e-4, fills[x].to.x = at + 5e-4;
    }
    def.heights = heights, def.fills = fills, def.fill_count = LONG;
    rv_world *world = make(&def);
    for (int i = 0; i < 6000; i++) assert_int_equal(rv_world_step(world, 1.0 / 300), RV_OK);
    assert_true(stats_of(world).deepest < 0.0125);
    rv_world_destroy(world);
}

// ---- Changing while running ---------------------------------------------------------------------

static void parameters_change_but_not_the_grid(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_world *world = make(&def);
    rv_params p = *rv_world_params(world);
    p.liquid_viscosity = 0.5;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
    assert_true(rv_world_params(world)->liquid_viscosity == 0.5);
    p.grid_dx = 2e-3, p.pipes_kept = 7;
    rv_messages m = {0};
    assert_int_equal(rv_world_set_params(world, &p, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "grid.dx: "));
    assert_non_null(strstr(m.text, "pipes.kept: "));
    assert_true(rv_world_params(world)->grid_dx == 1e-3);
    rv_world_destroy(world);
}

static void sources_and_drains_change(void **state)
{
    (void)state;
    float heights[N * N];
    rv_world_def def = flat(heights);
    rv_source_def source = rv_default_source_def();
    rv_drain_def drain = rv_default_drain_def();
    drain.rate = 0;
    source.at = (rv_vec3){-8e-3, 0, 1}, source.rate = 1e-7;
    def.sources = &source, def.source_count = 1, def.drains = &drain, def.drain_count = 1;
    rv_world *world = make(&def);
    run(world, 10, 0.01);
    source.at.x = 50;
    assert_int_equal(rv_world_set_source(world, 0, &source, NULL), RV_BAD_ARGUMENT);
    source.at.x = 8e-3, source.rate = 3e-7;
    assert_int_equal(rv_world_set_source(world, 1, &source, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_set_source(world, 0, &source, NULL), RV_OK);
    run(world, 10, 0.01);
    near(stats_of(world).sourced, 1e-8 + 3e-8, 1e-5);
    drain.rate = 1;
    assert_int_equal(rv_world_set_drain(world, -1, &drain, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_set_drain(world, 0, &drain, NULL), RV_OK);
    run(world, 1, 0.01);
    assert_true(stats_of(world).volume == 0);
    assert_balance(world, 0);
    rv_world_destroy(world);
}

// ---- Memory -------------------------------------------------------------------------------------

typedef struct counter {
    int calls, live, fail_at; // fail_at < 0: never
    size_t limit;             // bytes, all calls together; 0: none
    size_t taken;
} counter;

static void *counted_allocate(size_t bytes, void *user)
{
    counter *c = user;
    if (c->calls++ == c->fail_at) return NULL;
    if (c->limit > 0 && bytes > c->limit - c->taken) return NULL;
    c->taken += bytes;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    c->live += memory != NULL;
    return memory;
}

static void counted_release(void *memory, size_t bytes, void *user)
{
    counter *c = user;
    c->live--;
    c->taken -= bytes;
    free(memory);
}

static rv_world_def counted_scene(float heights[N * N], rv_source_def *source, rv_drain_def *drain,
                                  counter *c)
{
    rv_world_def def = flat(heights);
    for (int i = 0; i < N * N; i++) heights[i] = 1e-4f * (float)(i % N);
    *source = rv_default_source_def(), *drain = rv_default_drain_def();
    source->at.z = 1, source->rate = 1e-6, drain->to.x = -5e-3, drain->rate = 1e-7;
    def.sources = source, def.source_count = 1, def.drains = drain, def.drain_count = 1;
    def.allocator = (rv_allocator){counted_allocate, counted_release, c};
    return def;
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    float heights[N * N];
    counter c = {.fail_at = -1};
    rv_source_def source;
    rv_drain_def drain;
    rv_world_def def = counted_scene(heights, &source, &drain, &c);
    rv_world *world = make(&def);
    run(world, 5, 0.01);
    int calls = c.calls;
    run(world, 50, 0.01);
    assert_int_equal(c.calls, calls);
    rv_world_destroy(world);
    assert_int_equal(c.live, 0);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    float heights[N * N];
    rv_source_def source;
    rv_drain_def drain;
    rv_solid_def solid = rv_default_solid_def();
    for (int layered = 0; layered < 2; layered++) {
        bool made = false;
        for (int at = 0; at < 500 && !made; at++) {
            counter c = {.fail_at = at};
            rv_world_def def = counted_scene(heights, &source, &drain, &c);
            if (layered) def.heights = NULL, def.solids = &solid, def.solid_count = 1;
            rv_world *world = NULL;
            rv_messages m = {0};
            rv_result r = rv_world_create(&def, &world, &m);
            made = r == RV_OK && c.calls <= at;
            // some memory can be done without; what cannot must be reported
            if (r != RV_OK) {
                assert_int_equal(r, RV_OUT_OF_MEMORY);
                assert_null(world);
                assert_true(m.count > 0);
            }
            rv_world_destroy(world);
            assert_int_equal(c.live, 0);
        }
        assert_true(made);
    }
}

static void a_grid_too_large_is_refused(void **state)
{
    (void)state;
    rv_world_def def = rv_default_world_def();
    counter c = {.fail_at = -1, .limit = (size_t)64 << 20};
    def.params.grid_nx = def.params.grid_ny = 16384;
    def.allocator = (rv_allocator){counted_allocate, counted_release, &c};
    rv_messages m = {0};
    rv_world *world;
    assert_int_equal(rv_world_create(&def, &world, &m), RV_OUT_OF_MEMORY);
    assert_non_null(strstr(m.text, "not enough memory for 16384 x 16384"));
    assert_int_equal(c.live, 0);
}

// Told before anything is made, with how much it would take.
static void what_fits_is_known_before(void **state)
{
    (void)state;
    rv_world_def def = rv_default_world_def();
    rv_messages m = {0};
    assert_true(rv_world_fits(&def, &m));
    assert_int_equal(m.count, 0);
    def.params.grid_nx = def.params.grid_ny = 64000; // 410 GB
    if (rv_world_fits(&def, &m)) skip();             // a machine that has them
    assert_int_equal(m.count, 1);
    assert_non_null(strstr(m.text, "grid.nx: 64000 x 64000 cells need about 409.6 GB of memory"));
    assert_false(rv_world_fits(NULL, &m));
    assert_false(rv_world_fits(&def, NULL));
}

static void info_counts_columns(void **state)
{
    (void)state;
    rv_solid_def slab = rv_default_solid_def();
    slab.size = (rv_vec3){0.01, 0.01, 2e-3}, slab.at.z = 6e-3;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_dx = DX,
    def.params.grid_top = 0.02;
    def.solids = &slab, def.solid_count = 1;
    rv_world *world = make(&def);
    rv_world_info info;
    assert_int_equal(rv_world_get_info(world, &info), RV_OK);
    assert_int_equal(info.layers, 2);
    assert_int_equal(info.cells_with[2], 100);
    assert_int_equal(info.columns, N * N + 100);
    assert_non_null(info.instructions);
    assert_true(info.bytes > 0 && info.terrain_bytes > 0);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_with_names),
        cmocka_unit_test(refuses_bad_solids_and_heights),
        cmocka_unit_test(refuses_a_source_off_the_grid),
        cmocka_unit_test(survives_null),
        cmocka_unit_test(fills_have_their_volume),
        cmocka_unit_test(sources_and_drains_balance),
        cmocka_unit_test(tiny_rates_arrive),
        cmocka_unit_test(a_full_world_takes_no_more),
        cmocka_unit_test(inflow_and_open_borders_balance),
        cmocka_unit_test(a_level_border_holds_its_level),
        cmocka_unit_test(pouring_falls_on_the_column_below),
        cmocka_unit_test(a_damped_wave_dies_whatever_the_substeps),
        cmocka_unit_test(parameters_change_but_not_the_grid),
        cmocka_unit_test(sources_and_drains_change),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_grid_too_large_is_refused),
        cmocka_unit_test(what_fits_is_known_before),
        cmocka_unit_test(info_counts_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
