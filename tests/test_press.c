// Pressure and wind on columns: levels at rest against p/(ρ g), the tilt of a basin against τ/(ρ g
// H), beside bodies, in snapshots, on several threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>

#define NX 40
#define NY 12
#define DX 5e-3
#define DEPTH 0.02

typedef struct scene {
    float heights[NX * NY];
    rv_fill_def fill;
    rv_world_def def;
} scene;

// A basin with walls and 2 cm of a liquid that comes to rest soon.
static void set_scene(scene *s, rv_solver_kind solver)
{
    memset(s->heights, 0, sizeof s->heights);
    s->def = rv_default_world_def();
    s->def.params.solver = solver, s->def.params.tension_on = false;
    s->def.params.grid_nx = NX, s->def.params.grid_ny = NY, s->def.params.grid_dx = DX;
    s->def.params.grid_bottom = -0.01, s->def.params.grid_top = 0.1;
    s->def.params.liquid_viscosity = 1e-4;
    s->def.heights = s->heights;
    s->fill = rv_default_fill_def();
    s->fill.kind = RV_FILL_LEVEL, s->fill.level = DEPTH;
    s->def.fills = &s->fill, s->def.fill_count = 1;
}

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static void run(rv_world *world, double seconds)
{
    for (int i = 0; i < (int)(seconds / 0.02 + 0.5); i++)
        assert_int_equal(rv_world_step(world, 0.02), RV_OK);
}

static double depth_at(const rv_world *world, int x, int y)
{
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    return (double)c.depth[rv_slot(&c.plane[0], x, y)];
}

static double fastest(const rv_world *world)
{
    rv_stats s;
    assert_int_equal(rv_world_get_stats(world, &s), RV_OK);
    return s.fastest;
}

// All of the cells with x < 0.
static rv_press_def west_half(void)
{
    rv_press_def p = rv_default_press_def();
    p.from = (rv_vec3){-1, -1, -1}, p.to = (rv_vec3){0, 1, 1};
    return p;
}

static void level_goes_down(void **state)
{
    (void)state;
    const rv_solver_kind solvers[] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};
    for (int k = 0; k < 2; k++) {
        scene s;
        set_scene(&s, solvers[k]);
        rv_world *world = make(&s.def);
        rv_press_def p = west_half();
        int number = -1;
        const rv_params *params = rv_world_params(world);
        double weight = params->liquid_density * rv_gravity_down(params);
        p.pressure = 0.004 * weight;
        assert_int_equal(rv_world_add_press(world, &p, &number, NULL), RV_OK);
        assert_int_equal(number, 0);
        run(world, 40);
        assert_true(fastest(world) < 1e-6);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) {
                double want = DEPTH + (x < NX / 2 ? -0.002 : 0.002);
                if (fabs(depth_at(world, x, y) - want) > 1e-7)
                    fail_msg("%.9f m at %d, %d, not %.9f", depth_at(world, x, y), x, y, want);
            }
        // twice as much at a quarter of the weight, then none: as it was
        p.pressure *= 2;
        assert_int_equal(rv_world_set_press(world, number, &p, NULL), RV_OK);
        run(world, 40);
        assert_true(fabs(depth_at(world, 3, 3) - (DEPTH - 0.004)) < 1e-7);
        assert_int_equal(rv_world_remove_press(world, number), RV_OK);
        run(world, 40);
        assert_true(fabs(depth_at(world, 3, 3) - DEPTH) < 1e-7);
        rv_world_destroy(world);
    }
}

// Heads follow density and gravity, and two presses on a column add up.
static void heads_follow_the_weight(void **state)
{
    (void)state;
    scene s;
    set_scene(&s, RV_SOLVER_PIPES);
    rv_world *world = make(&s.def);
    rv_press_def p = west_half();
    p.pressure = 15;
    for (int i = 0; i < 2; i++) assert_int_equal(rv_world_add_press(world, &p, NULL, NULL), RV_OK);
    rv_params heavier = *rv_world_params(world);
    run(world, 1);
    heavier.liquid_density *= 2, heavier.gravity.z *= 0.5;
    assert_int_equal(rv_world_set_params(world, &heavier, NULL), RV_OK);
    run(world, 60);
    double head = 30 / (heavier.liquid_density * rv_gravity_down(&heavier));
    assert_true(fabs(depth_at(world, 30, 5) - depth_at(world, 5, 5) - head) < 1e-6);
    rv_world_destroy(world);
}

static void wind_tilts_a_basin(void **state)
{
    (void)state;
    const rv_solver_kind solvers[] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};
    for (int k = 0; k < 2; k++) {
        scene s;
        set_scene(&s, solvers[k]);
        rv_world *world = make(&s.def);
        rv_press_def wind = rv_default_press_def();
        const rv_params *params = rv_world_params(world);
        double weight = params->liquid_density * rv_gravity_down(params);
        wind.wind.x = 0.5; // Pa, a storm
        assert_int_equal(rv_world_add_press(world, &wind, NULL, NULL), RV_OK);
        run(world, 40);
        double across = depth_at(world, NX - 4, NY / 2) - depth_at(world, 3, NY / 2);
        double slope = across / ((NX - 7) * DX), want = wind.wind.x / (weight * DEPTH);
        print_message("%s: slope %.6e, τ/(ρgH) %.6e, %.2f%% off\n", k ? "swe" : "pipes", slope,
                      want, 100 * (slope / want - 1));
        assert_true(fabs(slope / want - 1) < 0.02);
        assert_true(fastest(world) < 1e-5);
        // along y the same, and nothing across
        wind.wind = (rv_vec3){0, -0.5, 0};
        assert_int_equal(rv_world_set_press(world, 0, &wind, NULL), RV_OK);
        run(world, 40);
        slope = (depth_at(world, NX / 2, 2) - depth_at(world, NX / 2, NY - 3)) / ((NY - 5) * DX);
        assert_true(fabs(slope / want - 1) < 0.02);
        assert_true(fabs(depth_at(world, 2, 5) - depth_at(world, NX - 3, 5)) < 1e-6);
        rv_world_destroy(world);
    }
}

static void it_has_its_time(void **state)
{
    (void)state;
    scene s;
    set_scene(&s, RV_SOLVER_PIPES);
    rv_world *world = make(&s.def), *plain = make(&s.def);
    rv_press_def p = west_half();
    p.pressure = 20, p.start = 1, p.stop = 2;
    assert_int_equal(rv_world_add_press(world, &p, NULL, NULL), RV_OK);
    run(world, 1), run(plain, 1);
    assert_true(rv_world_hash(world) == rv_world_hash(plain)); // as if it were not there
    run(world, 0.4);                                           // nearly half a swing to and fro
    assert_true(depth_at(world, 3, 3) < DEPTH - 5e-4);
    run(world, 40);
    assert_true(fabs(depth_at(world, 3, 3) - DEPTH) < 1e-7);
    rv_world_destroy(world), rv_world_destroy(plain);
}

static void beside_a_body(void **state)
{
    (void)state;
    scene s;
    set_scene(&s, RV_SOLVER_PIPES);
    rv_body_def ball = rv_default_body_def();
    ball.radius = 0.008, ball.at = (rv_vec3){0.05, 0, 0.024}, ball.density = 500;
    s.def.bodies = &ball, s.def.body_count = 1;
    rv_world *world = make(&s.def);
    rv_press_def p = west_half();
    p.pressure = 30;
    assert_int_equal(rv_world_add_press(world, &p, NULL, NULL), RV_OK);
    run(world, 40);
    const rv_params *params = rv_world_params(world);
    double head = 30 / (params->liquid_density * rv_gravity_down(params));
    assert_true(fabs(depth_at(world, NX - 2, 2) - depth_at(world, 2, 2) - head) < 2e-5);
    rv_body_state state_of;
    assert_int_equal(rv_world_get_body(world, 0, NULL, &state_of), RV_OK);
    double volume = 4.0 / 3.0 * acos(-1) * pow(ball.radius, 3);
    assert_true(fabs(state_of.submerged / volume - 0.5) < 0.02); // it floats as it did
    rv_world_destroy(world);
}

// A pit is carved under the pressure, and a roof is put over a part of it: other columns, in other
// slots.
static void edits_are_followed(void **state)
{
    (void)state;
    rv_solid_def slab = rv_default_solid_def(), tool = rv_default_solid_def();
    rv_fill_def fill = rv_default_fill_def();
    rv_event_def edit = rv_default_event_def();
    rv_world_def def = rv_default_world_def();
    slab.size = (rv_vec3){1, 1, 0.02};
    fill.level = 0.02;
    def.params.grid_nx = 40, def.params.grid_ny = 20, def.params.grid_dx = 2e-3;
    def.params.liquid_viscosity = 1e-4, def.params.tension_on = false;
    def.solids = &slab, def.solid_count = 1, def.fills = &fill, def.fill_count = 1;
    rv_world *world = make(&def);
    rv_press_def p = west_half();
    p.pressure = 20;
    assert_int_equal(rv_world_add_press(world, &p, NULL, NULL), RV_OK);
    run(world, 1);
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 0.006, tool.at = (rv_vec3){-0.02, 0, 0.01};
    edit.kind = RV_EVENT_CARVE, edit.tool = &tool, edit.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    run(world, 1);
    tool.shape = RV_SHAPE_BOX, tool.at.z = 0.03, tool.size = (rv_vec3){0.012, 0.012, 0.004};
    edit.kind = RV_EVENT_ADD;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    run(world, 40);
    const rv_params *params = rv_world_params(world);
    double head = 20 / (params->liquid_density * rv_gravity_down(params));
    rv_vec3 at[] = {{-0.03, 0.01, 0.05}, {-0.02, 0, 0.025}, {0.02, 0, 0.05}};
    rv_sample level[3];
    rv_world_sample(world, at, 3, level);
    assert_true(fabs(level[2].level - level[0].level - head) < 1e-5);
    assert_true(fabs(level[1].level - level[0].level) < 1e-5); // under the roof, over the pit
    assert_true(level[1].ceiling < 0.03);
    rv_world_destroy(world);
}

static uint64_t windy_hash(rv_pool *pool, bool stop)
{
    scene s;
    set_scene(&s, RV_SOLVER_PIPES);
    s.def.pool = pool;
    rv_world *world = make(&s.def);
    rv_press_def p = west_half();
    p.pressure = 25, p.wind = (rv_vec3){0.3, 0.2, 0};
    assert_int_equal(rv_world_add_press(world, &p, NULL, NULL), RV_OK);
    run(world, 0.5);
    if (stop) {
        size_t size = rv_world_snapshot_size(world);
        void *bytes = malloc(size);
        assert_int_equal(rv_world_save(world, bytes, size), RV_OK);
        rv_world_destroy(world);
        world = make(&s.def);
        assert_int_equal(rv_world_restore(world, bytes, size, NULL), RV_OK);
        free(bytes);
    }
    run(world, 0.5);
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    return hash;
}

static void same_bits(void **state)
{
    (void)state;
    uint64_t want = windy_hash(NULL, false);
    rv_pool *pool = rv_pool_create(3);
    assert_true(windy_hash(pool, false) == want);
    rv_pool_destroy(pool);
    assert_true(windy_hash(NULL, true) == want); // saved half-way and gone on elsewhere
}

static void bad_ones_are_refused(void **state)
{
    (void)state;
    scene s;
    set_scene(&s, RV_SOLVER_PIPES);
    rv_world *world = make(&s.def);
    rv_messages messages = {0};
    rv_press_def p = west_half();
    p.pressure = INFINITY;
    assert_int_equal(rv_world_add_press(world, &p, NULL, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "press.pressure"));
    p.pressure = 1, p.to.y = -2;
    assert_int_equal(rv_world_add_press(world, &p, NULL, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "press.to"));
    p = west_half(), p.start = 3, p.stop = 2;
    assert_int_equal(rv_world_add_press(world, &p, NULL, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "press.stop"));
    assert_int_equal(rv_world_press_count(world), 0);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_goes_down),    cmocka_unit_test(heads_follow_the_weight),
        cmocka_unit_test(wind_tilts_a_basin), cmocka_unit_test(it_has_its_time),
        cmocka_unit_test(beside_a_body),      cmocka_unit_test(edits_are_followed),
        cmocka_unit_test(same_bits),          cmocka_unit_test(bad_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
