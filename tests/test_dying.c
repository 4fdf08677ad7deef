// Fluxes and velocities that die out become zeros: none is left that is so small that graphics
// cards take it for one and processors work a hundred times as long on it, for either law.
#include "small_worlds.h"

#include "columns/laws/flow.h"

#include <math.h>

static const rv_law law = {.steepest = 1e30f,
                           .push = 1e-6f,
                           .kept = 0.5f,
                           .drag = 1e-3f,
                           .film = 1e-6f,
                           .fall = 1.0f,
                           .width = 0.01f,
                           .fastest = 1.0f,
                           .courant = 0.1f,
                           .reach = 0.5f};

static bool is_whole(float a)
{
    return a == 0.0f || fpclassify(a) == FP_NORMAL;
}

// Between level columns what flows is halved in every substep: from 1 cm/s it is under what a float
// holds whole after 130.
static void test_flow(void **state)
{
    (void)state;
    float u = -0.01f;
    int steps = 0;
    while (u != 0.0f && steps++ < 200) {
        rv_flow_end end = {.depth = 0.02f, .behind = 0.02f};
        rv_flow_pipe pipe = {.slope = RV_SLOPE_ONE, .u = u, .both = 0.04f};
        rv_flow f = rv_flow_through(&law, end, end, pipe, (rv_flow_ease){0, 0, 0, 0});
        assert_true(is_whole(f.speed) && is_whole(f.flux));
        assert_true(fabsf(f.speed) < fabsf(u));
        u = f.speed;
    }
    assert_in_range(steps, 20, 110);
    assert_false(signbit(u));
}

static void test_cell(void **state)
{
    (void)state;
    float flux = 1e-6f;
    int steps = 0;
    while (flux != 0.0f && steps++ < 200) {
        rv_pipe_end end = {.depth = 0.02f, .level = 0.02f};
        rv_pipe pipe = {.slope = RV_SLOPE_ONE, .flux = flux};
        flux = rv_pipe_flux(&law, end, end, pipe, 1);
        assert_true(is_whole(flux));
    }
    assert_in_range(steps, 20, 110);
}

// Over a sill with hardly any liquid on it the flux is a zero before it is too small, and keeps its
// sign.
static void test_sill(void **state)
{
    (void)state;
    for (float over = 1e-6f; over > 1e-42f; over *= 0.1f) {
        rv_flow_pipe pipe = {.slope = RV_SLOPE_ONE, .both = 1e-4f};
        rv_flow f = rv_flow_dragged(&law, -1e-10f, over, pipe, (rv_flow_ease){0, 0, 0, 0});
        assert_true(is_whole(f.flux) && signbit(f.flux));
    }
}

// What is no number is not hidden.
static void test_nan(void **state)
{
    (void)state;
    assert_true(isnan(rv_unless_small(NAN, RV_DRIVE_LEAST)));
    rv_flow_pipe pipe = {.slope = RV_SLOPE_ONE, .both = 1e-4f};
    rv_flow f = rv_flow_dragged(&law, NAN, 0.01f, pipe, (rv_flow_ease){0, 0, 0, 0});
    assert_true(isnan(f.flux) || isnan(f.speed) || fabsf(f.speed) == law.fastest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_cell),
        cmocka_unit_test(test_sill),
        cmocka_unit_test(test_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
