// The shallow-water solver in a world: borders, layers, terrain that changes, bodies, droplets.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>

// ---- Borders ------------------------------------------------------------------------------------

static void borders_fill_and_empty(void **state)
{
    (void)state;
    static const float flat[30 * 20];
    rv_world_def def = grid_def(RV_SOLVER_SWE, 30, 20, 1e-3);
    rv_messages messages = {0};
    def.params.border_west = RV_BORDER_LEVEL, def.params.border_west_level = 0.004;
    def.params.liquid_viscosity = 1e-6, def.params.swe_kept = 0.5;
    def.heights = flat;
    rv_world *world = make(&def);
    run(world, 2000, 0.01);
    rv_stats s = stats_of(world);
    assert_true(fabs(s.volume / (600e-6 * 0.004) - 1) < 1e-3); // full to the level, and at rest
    assert_true(fabs(s.sourced - s.drained - s.volume) < 1e-6 * s.sourced);
    rv_params p = *rv_world_params(world);
    p.border_west = RV_BORDER_WALL, p.border_south = RV_BORDER_OPEN;
    assert_int_equal(rv_world_set_params(world, &p, &messages), RV_OK);
    run(world, 1000, 0.01);
    s = stats_of(world);
    assert_true(s.volume < 0.1 * 600e-6 * 0.004); // a film drains ever more slowly
    assert_true(fabs(s.sourced - s.drained - s.volume) < 1e-6 * s.sourced);
    rv_world_destroy(world);
}

// ---- Layers and edits ---------------------------------------------------------------------------

// A bridge over the ground: liquid runs along its top, over its edges and under it.
static void all_layers_flow(void **state)
{
    (void)state;
    rv_solid_def solids[2] = {box_between(RV_UNION, -1, 1, -0.1, 0.002),
                              box_between(RV_UNION, -0.004, 0.004, 0.006, 0.008)};
    rv_world_def def = grid_def(RV_SOLVER_SWE, 40, 24, 1e-3);
    rv_source_def source = rv_default_source_def();
    source.at = (rv_vec3){0, 0, 0.03}, source.radius = 0.003, source.rate = 2e-6;
    def.params.grid_top = 0.04;
    def.solids = solids, def.solid_count = 2;
    def.sources = &source, def.source_count = 1;
    rv_world *world = make(&def);
    rv_columns c;
    run(world, 100, 0.01);
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    assert_int_equal(c.planes, 2);
    double above = 0, under = 0, beside = 0;
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 40; x++) {
            double low = (double)c.depth[rv_slot(&c.plane[0], x, y)];
            bool covered = rv_plane_has(&c.plane[1], x, y) &&
                           c.max[rv_slot(&c.plane[1], x, y)] > c.base[rv_slot(&c.plane[1], x, y)];
            if (covered) above += (double)c.depth[rv_slot(&c.plane[1], x, y)], under += low;
            if (!covered) beside += low;
        }
    assert_true(above > 0 && under > 0 && beside > 0);
    rv_stats s = stats_of(world);
    assert_true(fabs((above + under + beside) * 1e-6 - s.sourced) < 1e-6 * s.sourced);
    assert_true(fabs(s.volume - s.sourced) < 1e-6 * s.sourced);
    rv_world_destroy(world);
}

// Drills and mounds while liquid flows, also such as leave overhangs: no volume is lost, and a
// restored world goes on.
static void edits_keep_the_liquid(void **state)
{
    (void)state;
    rv_solid_def ground = box_between(RV_UNION, -1, 1, -0.1, 0.01), ball = rv_default_solid_def();
    rv_fill_def fill = rv_default_fill_def();
    rv_world_def def = grid_def(RV_SOLVER_SWE, 48, 40, 1e-3);
    uint32_t random = 1;
    fill.kind = RV_FILL_DROP, fill.volume = 4e-6, fill.radius = 0.012, fill.at.z = 1;
    def.params.grid_top = 0.04, def.params.grid_bottom = -0.02;
    def.solids = &ground, def.solid_count = 1, def.fills = &fill, def.fill_count = 1;
    rv_world *world = make(&def);
    double first = stats_of(world).volume;
    ball.shape = RV_SHAPE_SPHERE;
    for (int i = 0; i < 60; i++) {
        rv_event_def edit = rv_default_event_def();
        double draw[4];
        for (int k = 0; k < 4; k++) {
            random = random * 1664525u + 1013904223u;
            draw[k] = (random >> 8) * 0x1p-24;
        }
        ball.radius = 0.002 + 0.003 * draw[0];
        ball.at = (rv_vec3){0.03 * (draw[1] - 0.5), 0.03 * (draw[2] - 0.5), 0.004 + 0.01 * draw[3]};
        edit.kind = i % 3 == 2 ? RV_EVENT_ADD : RV_EVENT_CARVE;
        edit.tool = &ball, edit.tool_count = 1;
        assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
        run(world, 3, 0.01);
        rv_stats s = stats_of(world);
        assert_true(fabs(s.volume + s.held - first) < 1e-6 * first);
        assert_int_equal(s.not_finite, 0);
    }
    run(world, 40, 0.01); // all has found a place
    size_t size = rv_world_snapshot_size(world);
    unsigned char *snapshot = malloc(size);
    rv_world *other = make(&def);
    assert_int_equal(rv_world_save(world, snapshot, size), RV_OK);
    assert_int_equal(rv_world_restore(other, snapshot, size, NULL), RV_OK);
    run(world, 10, 0.01);
    run(other, 10, 0.01);
    assert_true(rv_world_hash(world) == rv_world_hash(other));
    free(snapshot);
    rv_world_destroy(other);
    rv_world_destroy(world);
}

// ---- Bodies and droplets ------------------------------------------------------------------------

static void a_ball_floats(void **state)
{
    (void)state;
    enum { N = 60 };
    static const float flat[N * N];
    rv_world_def def = grid_def(RV_SOLVER_SWE, N, N, 0.01);
    rv_fill_def fill = rv_default_fill_def();
    rv_body_def ball = rv_default_body_def();
    fill.level = 0.1;
    ball.radius = 0.05, ball.density = 500, ball.at.z = 0.2;
    def.params.grid_top = 1, def.params.swe_kept = 0.3;
    def.heights = flat, def.fills = &fill, def.fill_count = 1;
    def.bodies = &ball, def.body_count = 1;
    rv_world *world = make(&def);
    rv_body_state body;
    double first = stats_of(world).volume, fastest = 0;
    for (int i = 0; i < 600; i++) {
        run(world, 1, 0.01);
        fastest = fmax(fastest, stats_of(world).fastest);
    }
    assert_int_equal(rv_world_get_body(world, 0, NULL, &body), RV_OK);
    // half of it is under the level, which it raised by what it displaces
    double raised = 0.1 + 2.0 / 3 * 3.14159265 * pow(0.05, 3) / (0.36);
    assert_true(fabs(body.at.z - raised) < 0.02 * 0.05);
    assert_true(fastest > 0.1 && fastest < 3);
    rv_stats s = stats_of(world);
    assert_true(fabs(s.volume - first) < 1e-6 * first);
    rv_world_destroy(world);
}

// What a thrown ball loses along x while it drops in, the liquid gains.
static void momentum_is_shared(void **state)
{
    (void)state;
    enum { N = 80 };
    static const float flat[N * N];
    rv_world_def def = grid_def(RV_SOLVER_SWE, N, N, 0.01);
    rv_fill_def fill = rv_default_fill_def();
    rv_body_def ball = rv_default_body_def();
    fill.level = 0.15;
    ball.radius = 0.05, ball.density = 900, ball.at.z = 0.21, ball.velocity.x = 1.5;
    def.params.grid_top = 1, def.params.liquid_viscosity = 0;
    def.heights = flat, def.fills = &fill, def.fill_count = 1;
    def.bodies = &ball, def.body_count = 1;
    rv_world *world = make(&def);
    rv_body_state body;
    run(world, 60, 0.002); // before any wave has come back from the walls
    rv_columns c;
    rv_world_get_columns(world, &c);
    rv_world_get_body(world, 0, NULL, &body);
    double mass = 900 * 4.0 / 3 * 3.14159265 * pow(0.05, 3), flow = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) flow += (double)c.flux_x[rv_slot(&c.plane[0], x, y)];
    double lost = mass * (1.5 - body.velocity.x), gained = 1000 * 0.01 * flow;
    assert_true(lost > 0.1 * mass);
    assert_true(fabs(gained - lost) < 0.05 * lost);
    rv_world_destroy(world);
}

static void droplets_fly_and_return(void **state)
{
    (void)state;
    enum { N = 60 };
    static const float flat[N * N];
    rv_world_def def = grid_def(RV_SOLVER_SWE, N, N, 0.01);
    rv_fill_def fill = rv_default_fill_def();
    rv_body_def ball = rv_default_body_def();
    fill.level = 0.1;
    ball.radius = 0.05, ball.density = 3000, ball.at.z = 0.5;
    def.params.grid_top = 1, def.params.spray_on = true;
    def.heights = flat, def.fills = &fill, def.fill_count = 1;
    def.bodies = &ball, def.body_count = 1;
    rv_world *world = make(&def);
    double first = stats_of(world).volume;
    int most = 0;
    for (int i = 0; i < 150; i++) {
        run(world, 1, 0.01);
        rv_stats s = stats_of(world);
        most = (int)fmax(most, (double)s.droplets);
        assert_true(fabs(s.volume + s.airborne - first) < 1e-6 * first);
    }
    assert_true(most > 0);
    rv_world_destroy(world);
}

// ---- Ceilings, and liquid without a place -------------------------------------------------------

// Liquid above the ceiling of its column, m, at most.
static double over_ceilings(const rv_world *world)
{
    rv_columns c;
    double most = -1;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int l = 0; l < c.planes; l++)
        for (int y = 0; y < c.ny; y++)
            for (int x = 0; x < c.nx; x++) {
                if (!rv_plane_has(&c.plane[l], x, y)) continue;
                size_t i = rv_slot(&c.plane[l], x, y);
                if (!(c.max[i] > c.base[i])) continue;
                most = fmax(most, (double)c.depth[i] - ((double)c.max[i] - (double)c.base[i]));
            }
    return most;
}

// A dam breaks toward a block that reaches from 5 mm over the ground to the lid, and a source goes
// on pressing: the liquid passes under it, and nowhere stands in it.
static void nothing_stands_in_a_ceiling(void **state)
{
    (void)state;
    rv_solid_def solids[2] = {box_between(RV_UNION, -1, 1, -0.1, 0),
                              box_between(RV_UNION, -0.005, 0.005, 0.005, 0.03)};
    rv_fill_def dam = rv_default_fill_def();
    rv_source_def source = rv_default_source_def();
    rv_world_def def = grid_def(RV_SOLVER_SWE, 40, 8, 1e-3);
    def.params.grid_top = 0.02;
    dam.kind = RV_FILL_LEVEL, dam.level = 0.015, dam.to.x = -0.012;
    source.at = (rv_vec3){-0.016, 0, 0.019}, source.radius = 0.003, source.rate = 2e-6;
    def.solids = solids, def.solid_count = 2;
    def.fills = &dam, def.fill_count = 1;
    def.sources = &source, def.source_count = 1;
    rv_world *world = make(&def);
    double first = balance(world);
    for (int i = 0; i < 60; i++) {
        run(world, 1, 0.01);
        double over = over_ceilings(world);
        if (over > 1e-7) fail_msg("%g m over a ceiling after %d steps", over, i + 1);
    }
    near(balance(world), first, 1e-6);
    rv_world_destroy(world);
}

// A block takes all room, then goes: what was held while it was there comes back.
static void what_is_held_returns(void **state)
{
    (void)state;
    small_world s;
    small_grid(&s, RV_SOLVER_SWE, 12, 12, 1e-3);
    s.def.params.grid_top = 0.01;
    s.solid[0] = box_between(RV_UNION, -1, 1, -0.1, 0.001);
    s.def.solids = s.solid, s.def.solid_count = 1;
    s.fill[0].kind = RV_FILL_LEVEL, s.fill[0].level = 0.006;
    s.def.fills = s.fill, s.def.fill_count = 1;
    rv_world *world = make(&s.def);
    rv_solid_def block = box_between(RV_UNION, -1, 1, 0.0005, 0.02);
    rv_event_def edit = rv_default_event_def();
    double first = balance(world);
    edit.kind = RV_EVENT_ADD, edit.tool = &block, edit.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    run(world, 2, 0.01);
    near(stats_of(world).held, first, 1e-6);
    block = box_between(RV_UNION, -1, 1, 0.001, 0.02);
    edit.kind = RV_EVENT_CARVE;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    run(world, 5, 0.01);
    assert_true(stats_of(world).held < 1e-3 * first);
    near(balance(world), first, 1e-6);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_fill_and_empty),      cmocka_unit_test(all_layers_flow),
        cmocka_unit_test(edits_keep_the_liquid),       cmocka_unit_test(a_ball_floats),
        cmocka_unit_test(momentum_is_shared),          cmocka_unit_test(droplets_fly_and_return),
        cmocka_unit_test(nothing_stands_in_a_ceiling), cmocka_unit_test(what_is_held_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
