// Fluxes and velocities that die out become zeros: none is left that is so small that graphics
// cards take it for one and processors work a hundred times as long on it, for either law.
#include "small_worlds.h"

#include "world/world_internal.h"

#include <math.h>
#include <string.h>

// Depths, fluxes and velocities that are no zeros and less than what a float holds whole.
static int count_subnormal(rv_world *world)
{
    rv_state_field fields[RV_STATE_FIELDS_MAX];
    int n = world->api->fields(world->solver, fields), count = 0, looked = 0;
    for (int k = 0; k < n; k++) {
        const float *value = fields[k].data;
        if (fields[k].item != sizeof *value || strcmp(fields[k].name, "head") == 0) continue;
        looked++;
        for (size_t i = 0; i < fields[k].count; i++) count += fpclassify(value[i]) == FP_SUBNORMAL;
    }
    assert_in_range(looked, 3, 12);
    return count;
}

// A pool that was pushed once and whose flow is halved in every substep, so that in 400 steps what
// began at 0.01 m/s would be 1e-122.
static void dies(rv_solver_kind solver, rv_area area)
{
    small_world s;
    small_grid(&s, solver, 16, 12, 0.01);
    s.def.params.grid_top = 0.2, s.def.params.pipes_area = area;
    s.def.params.pipes_kept = s.def.params.swe_kept = 1e-300;
    s.fill[0] = rv_default_fill_def();
    s.fill[0].level = 0.05;
    s.def.fills = s.fill, s.def.fill_count = 1;
    rv_world *world = make(&s.def);
    assert_int_equal(
        rv_world_stir(world, (rv_vec3){-0.02, 0, 0.1}, (rv_vec3){0.02, 0.01, 0}, 0.03, 1), RV_OK);
    for (int k = 0; k < 400; k++) {
        run(world, 1, 0.001);
        assert_int_equal(count_subnormal(world), 0);
    }
    assert_true(stats_of(world).kinetic < 1e-12);
    rv_world_destroy(world);
}

static void test_cell(void **state)
{
    (void)state;
    dies(RV_SOLVER_PIPES, RV_AREA_CELL);
}

static void test_wet(void **state)
{
    (void)state;
    dies(RV_SOLVER_PIPES, RV_AREA_WET);
}

static void test_swe(void **state)
{
    (void)state;
    dies(RV_SOLVER_SWE, RV_AREA_WET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cell),
        cmocka_unit_test(test_wet),
        cmocka_unit_test(test_swe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
