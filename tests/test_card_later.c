// What a card does after substeps by itself: sources and inflow borders give, drains take, and what
// falls from edges that drip is taken, with the processor's bits and without a wait in every
// substep. Where it cannot the processor does it: columns without room, sources that share columns,
// a source that begins.
#include "card_failing.h"
#include "card_worlds.h"

// The same world here and there. Each step has the same bits, volumes and counts; a step after the
// first few waits at most so often, but for `others` of them.
static void compare(rv_world_def *def, const rv_device *device, int steps, double dt, int most,
                    int others)
{
    failing card = {device, -1, -1, NULL};
    rv_device there_device = failing_device(&card);
    count_waits(&there_device);
    def->device = NULL;
    rv_world *here = make(def);
    def->device = &there_device;
    rv_world *there = make(def);
    int substeps = 0, over = 0;
    for (int i = 0; i < steps; i++) {
        run(here, 1, dt);
        waits = 0;
        run(there, 1, dt);
        over += i > 2 && waits > most;
        rv_stats a = stats_of(here), b = stats_of(there);
        substeps += a.substeps;
        if (rv_world_hash(here) != rv_world_hash(there))
            fail_msg("other bits after %d steps", i + 1);
        assert_true(a.sourced == b.sourced && a.drained == b.drained && a.airborne == b.airborne);
        assert_int_equal(a.unplaced, b.unplaced);
        assert_int_equal(a.all_substeps, b.all_substeps);
        assert_int_equal(b.on_cpu, 0);
    }
    assert_true(substeps > 3 * most * steps / 2); // or it would say nothing
    if (over > others) fail_msg("%d steps waited more than %d times", over, most);
    rv_world_destroy(here);
    rv_world_destroy(there);
}

// ---- Sources ------------------------------------------------------------------------------------

static rv_source_def sources[3];

static void pool(small_world *s, rv_area area, bool tense)
{
    small_grid(s, RV_SOLVER_PIPES, 40, 30, 0.001);
    s->def.params.grid_top = 0.03, s->def.params.tension_on = tense;
    s->def.params.pipes_area = area;
    s->fill[0] = rv_default_fill_def();
    s->fill[0].level = 0.002;
    s->def.fills = s->fill, s->def.fill_count = 1;
    for (int k = 0; k < 3; k++) {
        sources[k] = rv_default_source_def();
        sources[k].at = (rv_vec3){-0.012 + 0.012 * k, 0.004 - 0.003 * k, 0.029};
        sources[k].radius = 0.001 + 0.0011 * k, sources[k].rate = 3e-7;
    }
    s->def.sources = sources, s->def.source_count = 3;
}

// One begins within a step, and one ends.
static void test_sources(void **state)
{
    for (int k = 0; k < 3; k++) {
        small_world s;
        pool(&s, k == 0 ? RV_AREA_CELL : RV_AREA_WET, k == 2);
        double dt = k == 0 ? 0.06 : k == 1 ? 0.06 : 0.02;
        sources[1].start = 3.6 * dt, sources[2].stop = 5.3 * dt;
        compare(&s.def, device_of(state), 9, dt, 2, 3);
    }
}

// They share columns: that is the processor's, in the order of the sources.
static void test_shared(void **state)
{
    small_world s;
    pool(&s, RV_AREA_WET, false);
    sources[1].at = sources[0].at, sources[1].at.x += 0.001;
    compare(&s.def, device_of(state), 4, 0.03, 2, 4);
}

// A shaft that is full after a while: what finds no room is counted.
static void test_full(void **state)
{
    small_world s;
    pool(&s, RV_AREA_WET, false);
    s.solid[0] = rv_default_solid_def();
    s.solid[0].shape = RV_SHAPE_BOX, s.solid[0].at = (rv_vec3){0, 0, 0.0};
    s.solid[0].size = (rv_vec3){1, 1, 0.058};
    s.solid[1] = rv_default_solid_def();
    s.solid[1].op = RV_SUBTRACT, s.solid[1].shape = RV_SHAPE_BOX;
    s.solid[1].at = (rv_vec3){0, 0.001, 0.02}, s.solid[1].size = (rv_vec3){0.006, 0.006, 0.03};
    s.def.solids = s.solid, s.def.solid_count = 2, s.def.fill_count = 0;
    sources[1].at = (rv_vec3){0, 0.001, 0.0299}, sources[1].rate = 2e-5;
    s.def.sources = sources + 1, s.def.source_count = 1;
    compare(&s.def, device_of(state), 8, 0.02, 2, 8);
}

// ---- Drains and inflow borders ------------------------------------------------------------------

static rv_drain_def drains[3];

// Drains that share columns, beside a source and two borders with an inflow; the third takes more
// than there is.
static void drained_pool(small_world *s, rv_area area, bool tense)
{
    pool(s, area, tense);
    s->def.source_count = 1;
    for (int k = 0; k < 3; k++) {
        drains[k] = rv_default_drain_def();
        drains[k].from = (rv_vec3){-0.02 + 0.01 * k, -0.01, -1};
        drains[k].to = (rv_vec3){-0.008 + 0.01 * k, 0.005, 1};
        drains[k].rate = k == 2 ? 1e-4 : 4e-7;
    }
    s->def.drains = drains, s->def.drain_count = 3;
    s->def.params.border_west = s->def.params.border_south = RV_BORDER_INFLOW;
    s->def.params.border_west_rate = 2e-6, s->def.params.border_south_rate = 1e-6;
    s->def.params.border_east = RV_BORDER_OPEN;
}

// The card does it where it has doubles; else each of these steps waits for its substeps.
static void test_drains(void **state)
{
    bool doubles = device_of(state)->doubles;
    for (int k = 0; k < 3; k++) {
        small_world s;
        drained_pool(&s, k == 0 ? RV_AREA_CELL : RV_AREA_WET, k == 2);
        double dt = k == 0 ? 0.06 : k == 1 ? 0.06 : 0.02;
        drains[1].start = 3.6 * dt, drains[0].stop = 6.3 * dt; // within steps
        compare(&s.def, device_of(state), 9, dt, 2, doubles ? 3 : 9);
    }
}

// Liquid that sleeps when a drain begins, and a layer under a roof that an inflow fills: both are
// the processor's, and not all of it.
static void test_drains_else(void **state)
{
    small_world s;
    pool(&s, RV_AREA_WET, true);
    s.def.source_count = 0;
    drains[0] = rv_default_drain_def();
    drains[0].from = (rv_vec3){-0.02, -0.01, -1}, drains[0].to = (rv_vec3){0.008, 0.005, 1};
    drains[0].rate = 4e-7, drains[0].start = 0.3;
    s.def.drains = drains, s.def.drain_count = 1;
    compare(&s.def, device_of(state), 30, 0.02, 1, 30);
    drained_pool(&s, RV_AREA_WET, false);
    s.solid[0] = rv_default_solid_def();
    s.solid[0].shape = RV_SHAPE_BOX, s.solid[0].at = (rv_vec3){-0.016, 0, 0.006};
    s.solid[0].size = (rv_vec3){0.01, 1, 0.003};
    s.def.solids = s.solid, s.def.solid_count = 1;
    s.def.params.border_west_rate = 4e-5;
    compare(&s.def, device_of(state), 8, 0.02, 1, 8);
}

// The same worlds after a change while they run: a drain that is elsewhere, one that takes turns
// with another of the same size, and borders that give more.
static void test_drains_change(void **state)
{
    for (int k = 0; k < 3; k++) {
        small_world s;
        double dt = 0.06;
        pool(&s, RV_AREA_WET, false);
        s.def.source_count = 0, s.def.drains = drains, s.def.drain_count = k == 1 ? 2 : 1;
        for (int i = 0; i < 2; i++) {
            drains[i] = rv_default_drain_def();
            drains[i].from = (rv_vec3){-0.016 + 0.02 * i, -0.01, -1};
            drains[i].to = (rv_vec3){-0.008 + 0.02 * i, 0.005, 1};
            drains[i].rate = 2e-7;
        }
        if (k == 1) drains[0].stop = 3 * dt, drains[1].start = 4 * dt;
        if (k == 2)
            s.def.params.border_west = RV_BORDER_INFLOW, s.def.params.border_west_rate = 1e-6;
        rv_world *here = make(&s.def);
        s.def.device = device_of(state);
        rv_world *there = make(&s.def), *both[2] = {here, there};
        for (int i = 0; i < 8; i++) {
            if (i == 4 && k == 0) drains[0].from.x += 0.01, drains[0].to.x += 0.01;
            if (i == 4) s.def.params.border_west_rate *= 1.5;
            for (int w = 0; w < 2; w++) {
                if (i == 4 && k == 0)
                    assert_int_equal(rv_world_set_drain(both[w], 0, drains, NULL), RV_OK);
                if (i == 4 && k == 2)
                    assert_int_equal(rv_world_set_params(both[w], &s.def.params, NULL), RV_OK);
                run(both[w], 1, dt);
            }
            if (rv_world_hash(here) != rv_world_hash(there))
                fail_msg("change %d: other bits after %d steps", k, i + 1);
            assert_true(stats_of(here).drained == stats_of(there).drained);
            assert_true(stats_of(here).sourced == stats_of(there).sourced);
        }
        rv_world_destroy(here), rv_world_destroy(there);
    }
}

// More cells get some of an inflow than a group of the kernel has threads, by twelve times.
static void test_long_borders(void **state)
{
    small_world s;
    small_grid(&s, RV_SOLVER_PIPES, 1500, 4, 0.001);
    s.def.params.grid_top = 0.03;
    s.def.params.border_south = s.def.params.border_north = RV_BORDER_INFLOW;
    s.def.params.border_south_rate = 2e-5, s.def.params.border_north_rate = 3e-5;
    same_after(&s.def, device_of(state), 6, 0.03);
}

// ---- Drips --------------------------------------------------------------------------------------

// A board over a dish, from whose edges drops fall.
static void board(small_world *s, double height)
{
    small_grid(s, RV_SOLVER_PIPES, 34, 30, 0.001);
    s->def.params.grid_top = 0.04, s->def.params.tension_on = true;
    s->solid[0] = rv_default_solid_def();
    s->solid[0].shape = RV_SHAPE_BOX, s->solid[0].at = (rv_vec3){0, 0, 0.001};
    s->solid[0].size = (rv_vec3){1, 1, 0.004};
    s->solid[1] = rv_default_solid_def();
    s->solid[1].shape = RV_SHAPE_BOX, s->solid[1].at = (rv_vec3){0.002, 0.003, height};
    s->solid[1].size = (rv_vec3){0.012, 0.01, 0.004}, s->solid[1].rotate = (rv_vec3){0.15, 0.1, 0};
    s->def.solids = s->solid, s->def.solid_count = 2;
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){0.002, 0.003, 0.039}, s->source.radius = 0.003,
    s->source.rate = 1.2e-6;
    s->def.sources = &s->source, s->def.source_count = 1;
}

static void test_drips(void **state)
{
    small_world s;
    board(&s, 0.03);
    compare(&s.def, device_of(state), 40, 0.008, 5, 8);
}

// Low over the dish only the higher edges drip; with less tension the lower ones do too.
static void test_clear(void **state)
{
    static const double tension[] = {0.072, 0.03, 0.072};
    small_world s;
    board(&s, 0.0103);
    s.def.params.liquid_tension = tension[0];
    rv_world *here = make(&s.def);
    s.def.device = device_of(state);
    rv_world *there = make(&s.def);
    double airborne = 0;
    for (int i = 0; i < 45; i++) {
        s.def.params.liquid_tension = tension[i / 15];
        rv_world *both[2] = {here, there};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(rv_world_set_params(both[k], &s.def.params, NULL), RV_OK);
            run(both[k], 1, 0.008);
        }
        if (rv_world_hash(here) != rv_world_hash(there))
            fail_msg("other bits after %d steps", i + 1);
        airborne = fmax(airborne, stats_of(there).airborne);
    }
    assert_true(airborne > 0); // or nothing dripped
    rv_world_destroy(here);
    rv_world_destroy(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),      cmocka_unit_test(test_shared),
        cmocka_unit_test(test_full),         cmocka_unit_test(test_drains),
        cmocka_unit_test(test_drains_else),  cmocka_unit_test(test_drains_change),
        cmocka_unit_test(test_long_borders), cmocka_unit_test(test_drips),
        cmocka_unit_test(test_clear),
    };
    return cmocka_run_group_tests(tests, enter, leave) +
           cmocka_run_group_tests_name("with doubles", tests, enter_doubles, leave);
}
