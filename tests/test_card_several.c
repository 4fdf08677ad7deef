// Several substeps of law `cell` as one call on a card: liquid that wets blocks and leaves them,
// calls of one, two and four, calls that do not count because it became too deep between, and the
// same with groups in another order.
#include "card_failing.h"
#include "card_worlds.h"

#include <math.h>
#include <stdlib.h>

// A slope with bumps, and a heap of liquid in a corner of it.
typedef struct heap {
    rv_world_def def;
    float *heights;
    rv_fill_def fill;
} heap;

static void make_heap(heap *h, int nx, int ny)
{
    *h = (heap){.def = rv_default_world_def(), .fill = rv_default_fill_def()};
    h->heights = malloc(sizeof *h->heights * (size_t)nx * (size_t)ny);
    assert_non_null(h->heights);
    for (int i = 0; i < nx * ny; i++) {
        float x = (float)(i % nx), y = (float)(i / nx);
        h->heights[i] = 0.02f + 1e-4f * (x - 0.5f * y) + 0.002f * sinf(0.3f * x) * cosf(0.4f * y);
    }
    rv_params *p = &h->def.params;
    p->grid_nx = nx, p->grid_ny = ny, p->grid_dx = 0.002, p->grid_top = 1;
    p->tension_on = false, p->pipes_area = RV_AREA_CELL;
    h->fill.level = 0.04;
    h->fill.from = (rv_vec3){0.5 * 0.002 * nx - 0.06, -0.5 * 0.002 * ny, 0};
    h->fill.to = (rv_vec3){0.5 * 0.002 * nx, 0.04 - 0.5 * 0.002 * ny, 1};
    h->def.heights = h->heights, h->def.fills = &h->fill, h->def.fill_count = 1;
}

static int64_t substeps_of(const rv_world_def *def, int steps, double dt)
{
    rv_world_def here = *def;
    here.device = NULL;
    rv_world *world = make(&here);
    run(world, steps, dt);
    int64_t count = stats_of(world).all_substeps;
    rv_world_destroy(world);
    return count;
}

// Calls that some steps take on a card.
static int calls_of(rv_world_def *def, const rv_device *real, int steps, double dt)
{
    failing f = {real, 1 << 20, -1, NULL};
    rv_device device = failing_device(&f);
    def->device = &device;
    rv_world *world = make(def);
    int before = f.dispatches;
    run(world, steps, dt);
    rv_world_destroy(world);
    return before - f.dispatches;
}

static void test_spreads(void **state)
{
    heap h;
    make_heap(&h, 150, 70);
    same_after(&h.def, device_of(state), 12, 0.05);
    h.def.params.gravity = (rv_vec3){-1.2, 0.7, -9}, h.def.params.pipes_quotient = 0.3;
    same_after(&h.def, device_of(state), 6, 0.05);
    h.def.params.liquid_viscosity = 1e-4;
    same_after(&h.def, device_of(state), 6, 0.03);
    free(h.heights);
}

// So many columns that less of them are one call; over 64 blocks of 32 columns would be too many.
static void test_wide(void **state)
{
    heap h;
    make_heap(&h, 2100, 76);
    same_after(&h.def, device_of(state), 2, 0.03);
    free(h.heights);
}

static void test_calls(void **state)
{
    heap h;
    make_heap(&h, 150, 70);
    int64_t all = substeps_of(&h.def, 3, 0.05);
    int calls = calls_of(&h.def, device_of(state), 3, 0.05);
    assert_true(all > 12);
    assert_in_range(calls, (all + 3) / 4, all / 4 + 3 * 3);
    free(h.heights);
}

// The lid comes into reach within a call: it does not count, and its substeps are asked for again.
// Liquid falls from two terraces into a long pit, in which it is deeper than it was on them.
static void test_too_deep(void **state)
{
    heap h;
    make_heap(&h, 90, 80);
    for (int i = 0; i < 90 * 80; i++) h.heights[i] = abs(i % 90 - 45) < 4 ? 0.0f : 0.02f;
    rv_fill_def fills[2] = {rv_default_fill_def(), rv_default_fill_def()};
    fills[0].level = fills[1].level = 0.024;
    fills[0].to = (rv_vec3){-0.012, -0.04, 1}, fills[1].from = (rv_vec3){0.012, -1, 0};
    fills[1].to.y = -0.04;
    h.def.fills = fills, h.def.fill_count = 2;
    int again = 0;
    for (int k = 0; k < 6; k++) {
        double dt = 0.05 + 0.01 * k;
        h.def.params.grid_top = 1;
        int plain = calls_of(&h.def, device_of(state), 10, dt);
        h.def.params.grid_top = 0.047 + 0.004 * k;
        same_after(&h.def, device_of(state), 10, dt);
        again += calls_of(&h.def, device_of(state), 10, dt) > plain;
    }
    assert_true(again > 0);
    free(h.heights);
}

static void test_turned(void **state)
{
    static const char *const orders[] = {"#define TURNED 1\n", "#define TURNED 2\n"};
    heap h;
    make_heap(&h, 150, 70);
    for (int k = 0; k < 2; k++) {
        failing f = {device_of(state), -1, -1, orders[k]};
        rv_device device = failing_device(&f);
        same_after(&h.def, &device, 5, 0.05);
    }
    free(h.heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spreads), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_calls),   cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_turned),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
