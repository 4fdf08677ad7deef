// Surface tension, wetting and liquid at rest on a graphics card: the processor's bits, in the
// open, beside walls and edges, under roofs, in deep liquid, with what presses, and while puddles
// fall asleep and wake.
#include "card_worlds.h"

#include <math.h>

static void tense(small_world *s, rv_solver_kind solver)
{
    slope_world(s, solver);
    s->def.params.tension_on = true;
}

static void test_slopes(void **state)
{
    for (int k = 0; k < 4; k++) {
        small_world s;
        tense(&s, k < 2 ? RV_SOLVER_PIPES : RV_SOLVER_SWE);
        if (k == 1) s.def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
        if (k == 3) s.def.params.swe_advection = RV_SWE_SEMI;
        same_after(&s.def, device_of(state), 6, 0.01);
    }
}

// Gravity that leans, steps that are too long, a lid that is touched.
static void test_hard(void **state)
{
    small_world s;
    tense(&s, RV_SOLVER_PIPES);
    s.def.params.gravity = (rv_vec3){1.5, -0.7, -9}, s.def.params.time_substeps_max = 4;
    same_after(&s.def, device_of(state), 6, 0.02);
    tense(&s, RV_SOLVER_PIPES);
    s.def.params.grid_top = 0.06, s.source.at.z = 0.058, s.source.rate = 2e-3;
    same_after(&s.def, device_of(state), 4, 0.01);
}

// Walls, a roof, an open border, a level that is held, pipes between layers.
static void test_layers(void **state)
{
    small_world s;
    small_layers(&s, RV_SOLVER_PIPES);
    same_after(&s.def, device_of(state), 5, 0.004);
    small_layers(&s, RV_SOLVER_SWE);
    same_after(&s.def, device_of(state), 3, 0.004);
    small_basin(&s);
    same_after(&s.def, device_of(state), 8, 0.01);
}

// A round cup: deep liquid is smoothed, four times where it is deepest.
static void test_deep(void **state)
{
    small_world s;
    small_grid(&s, RV_SOLVER_PIPES, 40, 36, 1e-3);
    rv_params *p = &s.def.params;
    p->tension_on = true, p->grid_top = 0.03;
    s.solid[0] = box_between(RV_UNION, -1, 1, -0.1, 0.02);
    s.solid[1] = rv_default_solid_def();
    s.solid[1].shape = RV_SHAPE_SPHERE, s.solid[1].op = RV_SUBTRACT;
    s.solid[1].at = (rv_vec3){0, 0, 0.02}, s.solid[1].radius = 0.015;
    s.fill[0].level = 0.009, s.fill[1].level = 0.017, s.fill[1].to.x = -0.004;
    s.def.solids = s.solid, s.def.solid_count = 2;
    s.def.fills = s.fill, s.def.fill_count = 2;
    same_after(&s.def, device_of(state), 5, 0.005);
}

// A ball in a pool with steps and posts, more ends than are worked out at once: what presses on one
// counts once, whoever works it out.
static void test_pressed(void **state)
{
    small_world s;
    rv_world *one, *two;
    small_grid(&s, RV_SOLVER_PIPES, 48, 30, 2e-3);
    s.def.params.tension_on = true, s.def.params.grid_top = 0.08;
    for (int k = 0; k < 4; k++) {
        s.solid[k] = rv_default_solid_def();
        s.solid[k].shape = RV_SHAPE_BOX, s.solid[k].size = (rv_vec3){0.012, 0.012, 0.02};
        s.solid[k].at = (rv_vec3){0.02 * (k - 1.5), 0.002 * k, 0};
    }
    s.fill[0].level = 0.016;
    s.body[0] = rv_default_body_def();
    s.body[0].at = (rv_vec3){0, 0, 0.03}, s.body[0].radius = 0.012, s.body[0].density = 500;
    s.def.solids = s.solid, s.def.solid_count = 4;
    s.def.fills = s.fill, s.def.fill_count = 1;
    s.def.bodies = s.body, s.def.body_count = 1;
    rv_pool *pool = rv_pool_create(3);
    one = make(&s.def);
    s.def.pool = pool, two = make(&s.def);
    run(one, 6, 0.01), run(two, 6, 0.01);
    assert_true(rv_world_hash(one) == rv_world_hash(two));
    rv_world_destroy(one), rv_world_destroy(two);
    rv_pool_destroy(pool);
    s.def.pool = NULL;
    same_after(&s.def, device_of(state), 3, 0.01);
}

// ---- Rest ---------------------------------------------------------------------------------------

#define STEP 0.01

// Two puddles, far apart.
static void two_puddles(small_world *s)
{
    small_grid(s, RV_SOLVER_PIPES, 32, 48, 1e-3);
    rv_params *p = &s->def.params;
    p->tension_on = true, p->grid_top = 0.03, p->time_step = STEP;
    p->liquid_viscosity = 1e-4, p->tension_rest = 1e-3; // comes to rest soon
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = 4e-3, s->def.solid_count = 1;
    for (int k = 0; k < 2; k++) {
        s->fill[k].kind = RV_FILL_DROP, s->fill[k].radius = 3e-3, s->fill[k].volume = 2e-8;
        s->fill[k].at = (rv_vec3){0, k ? 0.014 : -0.014, 0.02};
    }
    s->def.fills = s->fill, s->def.fill_count = 2;
}

static bool is_asleep(const rv_world *world)
{
    return stats_of(world).fastest == 0.0;
}

static void both(rv_world *here, rv_world *there, int steps)
{
    for (int i = 0; i < steps; i++) {
        run(here, 1, STEP), run(there, 1, STEP);
        if (rv_world_hash(here) != rv_world_hash(there)) fail_msg("other bits after %d steps", i);
    }
}

// They fall asleep; one is poured into and runs into the other, which wakes before it is reached.
static void test_rest(void **state)
{
    small_world s;
    two_puddles(&s);
    rv_world *here = make(&s.def);
    s.def.device = device_of(state);
    rv_world *there = make(&s.def);
    int steps = 0;
    size_t size = 0;
    while ((steps < 10 || !is_asleep(here)) && steps++ < 400) run(here, 1, STEP);
    assert_in_range(steps, 20, 399);
    rv_world_destroy(here);
    s.def.device = NULL, here = make(&s.def);
    run(here, steps - 6, STEP);
    unsigned char *kept = save(here, &size);
    assert_int_equal(rv_world_restore(there, kept, size, NULL), RV_OK);
    free(kept);
    both(here, there, 8);
    assert_true(is_asleep(there));
    for (int k = 0; k < 2; k++) {
        rv_world *w = k ? there : here;
        rv_world_pour(w, (rv_vec3){0, -0.010, 0.02}, 0.003, 6e-7);
    }
    both(here, there, 6);
    assert_false(is_asleep(there));
    rv_world_destroy(here), rv_world_destroy(there);
}

// Paint, an edit, other parameters, and no tension for a while.
static void pester(rv_world *world, int step)
{
    rv_event_def edit = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    rv_params params = *rv_world_params(world);
    if (step == 1) rv_world_paint(world, (rv_vec3){0, 0.01, 0}, 0.01, 0.9);
    if (step == 2) {
        tool.shape = RV_SHAPE_SPHERE, tool.at = (rv_vec3){0, 0.01, 0.04}, tool.radius = 0.008;
        edit.tool = &tool, edit.tool_count = 1;
        assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    }
    if (step == 3) params.liquid_contact = 1.2, params.border_west = RV_BORDER_OPEN;
    if (step == 4) params.liquid_tension = 0;
    if (step == 5) params.liquid_tension = 0.05;
    if (step >= 3) assert_int_equal(rv_world_set_params(world, &params, NULL), RV_OK);
}

static void test_changes(void **state)
{
    small_world s;
    tense(&s, RV_SOLVER_PIPES);
    rv_world *here = make(&s.def);
    s.def.device = device_of(state);
    rv_world *there = make(&s.def);
    for (int i = 0; i < 7; i++) {
        pester(here, i), pester(there, i);
        both(here, there, 1);
    }
    rv_world_destroy(here), rv_world_destroy(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),  cmocka_unit_test(test_hard),
        cmocka_unit_test(test_layers),  cmocka_unit_test(test_deep),
        cmocka_unit_test(test_pressed), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_changes),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
