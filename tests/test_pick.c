// What lies under the mouse: liquid or solid in columns, particles in space and in a slice, a pane.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static rv_pick pick(const rv_world *world, rv_ray ray, bool solid)
{
    rv_pick out;
    assert_int_equal(rv_world_pick(world, &ray, solid, &out), RV_OK);
    return out;
}

static void columns(void **state)
{
    (void)state;
    rv_fill_def fill = rv_default_fill_def();
    rv_world_def def = rv_default_world_def();
    fill.kind = RV_FILL_LEVEL, fill.level = 0.01;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world = make(&def);
    rv_ray down = {{0.003, 0.002, 0.04}, {0, 0, -2}}, aside = {{1, 0, 0.04}, {0, 0, -1}};
    rv_pick p = pick(world, down, false);
    assert_true(p.over && p.liquid && fabs(p.at.z - 0.01) < 1e-6 && p.normal.z > 0.999);
    p = pick(world, down, true); // through the liquid
    assert_true(p.over && !p.liquid && fabs(p.at.z) < 1e-6);
    assert_false(pick(world, aside, false).over);
    assert_int_equal(rv_scope_of(rv_world_params(world)), RV_SCOPE_COLUMNS);
    assert_int_equal(rv_world_pick(NULL, &down, false, &p), RV_BAD_ARGUMENT);
    assert_false(p.over);
    assert_int_equal(rv_world_pick(world, NULL, false, &p), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_pick(world, &down, false, NULL), RV_BAD_ARGUMENT);
    rv_world_destroy(world);
}

static void particles(void **state)
{
    (void)state;
    rv_emitter_def block = rv_default_emitter_def();
    rv_world_def def = rv_default_world_def();
    block.kind = RV_EMITTER_BLOCK;
    block.from = (rv_vec3){-0.06, -0.06, 0}, block.to = (rv_vec3){0.06, 0.06, 0.05};
    def.params.solver = RV_SOLVER_SPLAT;
    def.params.grid_nx = def.params.grid_ny = 12, def.params.grid_dx = 0.01;
    def.params.grid_top = 0.12;
    def.emitters = &block, def.emitter_count = 1;
    rv_world *world = make(&def);
    assert_int_equal(rv_world_step(world, 0.001), RV_OK);
    rv_ray down = {{0.003, 0.002, 0.2}, {0, 0, -1}};
    rv_pick p = pick(world, down, false);
    assert_true(p.over && p.liquid && fabs(p.at.z - 0.05) < 0.01 && p.normal.z > 0.9);
    assert_int_equal(rv_scope_of(rv_world_params(world)), RV_SCOPE_SPACE);
    rv_world_destroy(world);

    def.params.splat_form = RV_SPLAT_2D, def.params.grid_ny = 1;
    world = make(&def);
    p = pick(world, (rv_ray){{0.02, -1, 0.03}, {0, 1, 0}}, false);
    assert_true(p.over && fabs(p.at.y) < 1e-12 && p.normal.y == -1);
    p = pick(world, (rv_ray){{0.02, 1, 0.03}, {0, -1, 0}}, false); // from behind
    assert_true(p.over && p.normal.y == 1);
    assert_false(pick(world, (rv_ray){{0.2, -1, 0.03}, {0, 1, 0}}, false).over);
    rv_world_destroy(world);
}

static void pane(void **state)
{
    (void)state;
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_GLASS;
    rv_world *world = make(&def);
    rv_pick p = pick(world, (rv_ray){{0.01, 0.02, 1}, {0, 0, -1}}, false);
    assert_true(p.over && p.liquid && fabs(p.at.x - 0.01) < 1e-12 && p.normal.z == 1);
    assert_false(pick(world, (rv_ray){{5, 0, 1}, {0, 0, -1}}, false).over);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(particles),
        cmocka_unit_test(pane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
