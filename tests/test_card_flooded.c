// Flooded passages on a graphics card: the processor's bits for every kind, with columns that stay
// there; what a card does that fails in the middle of such a substep; and kernels whose groups come
// in another order, which must not matter.
#include "card_failing.h"
#include "card_worlds.h"

#include "columns/card/card.h"

#include <string.h>

// None of the substeps was worked out here, and passages were there.
static void stays_there(rv_world_def *def, const rv_device *device, int steps, double dt)
{
    same_after(def, device, steps, dt);
    def->device = device;
    rv_world *world = make(def);
    int passages = 0;
    for (int k = 0; k < steps; k++) {
        run(world, 1, dt);
        passages += stats_of(world).passages > 0;
    }
    assert_true(passages > 0);
    assert_int_equal(stats_of(world).on_cpu, 0);
    rv_world_destroy(world);
}

static void test_kinds(void **state)
{
    static const rv_passages kinds[] = {RV_PASSAGES_PRESSURE, RV_PASSAGES_UNIFIED,
                                        RV_PASSAGES_AXIS};
    for (int k = 0; k < 3; k++)
        for (int law = 0; law < 3; law++) {
            small_world s;
            small_tanks(&s, law == 2 ? RV_SOLVER_SWE : RV_SOLVER_PIPES);
            s.def.params.pipes_passages = kinds[k];
            if (law == 1) s.def.params.pipes_area = RV_AREA_CELL;
            stays_there(&s.def, device_of(state), 5, 0.01);
        }
}

// A basin under a slab that a source floods, with surface tension: columns become full and free.
static void test_basin(void **state)
{
    small_world s;
    small_basin(&s);
    stays_there(&s.def, device_of(state), 30, 0.01);
    s.def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
    same_after(&s.def, device_of(state), 12, 0.01);
}

// Substeps of a step follow each other without waiting, with a source over a tank; one in the
// tunnel finds no room there, and the substep that was begun meanwhile is left out and done again.
static void test_follows(void **state)
{
    small_world s;
    for (int law = 0; law < 2; law++) {
        small_tanks(&s, law ? RV_SOLVER_SWE : RV_SOLVER_PIPES);
        s.source.radius = 0.025, s.source.rate = 2e-4, s.def.source_count = 1;
        s.source.at = (rv_vec3){-0.2, 0, 0.4};
        stays_there(&s.def, device_of(state), 6, 0.03);
        s.source.at = (rv_vec3){0, 0, 0.02};
        stays_there(&s.def, device_of(state), 4, 0.03);
    }
}

// Two tanks joined by a passage under a roof, `length` cells long and `width` across.
static void joined(small_world *s, rv_solver_kind solver, int length, int width)
{
    double dx = 0.01, half = 0.5 * length * dx;
    small_grid(s, solver, length + 24, width, dx);
    rv_params *p = &s->def.params;
    p->pipes_kept = p->swe_kept = 1, p->grid_top = 0.5, p->grid_bottom = -0.01;
    s->solid[0] = box_between(RV_UNION, -2, 2, -0.1, 0.5);
    s->solid[1] = box_between(RV_SUBTRACT, -half - 0.1, -half, 0, 1);
    s->solid[2] = box_between(RV_SUBTRACT, half, half + 0.1, 0, 1);
    s->solid[3] = box_between(RV_SUBTRACT, -half - 0.01, half + 0.01, 0, 0.03);
    s->fill[0].level = 0.06;
    s->fill[1].level = 0.16, s->fill[1].to.x = -half;
    s->def.solid_count = 4, s->def.fill_count = 2;
}

// Where kernels have doubles a step waits once for all of its flooded substeps, or twice: for which
// of them were too much for the card, which the processor then does.
static void test_waits(void **state)
{
    static const rv_passages kinds[] = {RV_PASSAGES_PRESSURE, RV_PASSAGES_PRESSURE,
                                        RV_PASSAGES_UNIFIED, RV_PASSAGES_AXIS};
    failing card = {device_of(state), -1, -1, NULL};
    rv_device device = failing_device(&card);
    count_waits(&device);
    for (int k = 0; k < 4; k++) {
        small_world s;
        int substeps = 0, flooded = 0, over = 0;
        joined(&s, k == 1 ? RV_SOLVER_SWE : RV_SOLVER_PIPES, 8, 5);
        s.def.params.pipes_passages = kinds[k];
        same_after(&s.def, device_of(state), 4, 0.03);
        s.def.device = &device;
        rv_world *world = make(&s.def);
        for (int i = 0; i < 6; i++) {
            waits = 0;
            run(world, 1, 0.03);
            over += waits > 2;
            substeps += stats_of(world).substeps, flooded += stats_of(world).passages > 0;
        }
        assert_true(flooded == 6 && substeps > 30);
        if (over > 0) fail_msg("kind %d: %d steps waited more than twice", k, over);
        rv_world_destroy(world);
    }
}

// More columns than the card solves for, and a passage that takes more rounds.
static void test_many(void **state)
{
    small_world s;
    joined(&s, RV_SOLVER_PIPES, 60, 5);
    stays_there(&s.def, device_of(state), 4, 0.01);
    joined(&s, RV_SOLVER_PIPES, 48, 2);
    stays_there(&s.def, device_of(state), 24, 0.01);
}

// Straight passages side by side, more columns than a group of the kernel has threads, while a low
// hall beside them takes in what it can in as many columns: `walls` by the width of cells.
static void test_many_runs(void **state)
{
    small_world s;
    double dx = 0.01;
    small_grid(&s, RV_SOLVER_PIPES, 220, 40, dx);
    rv_params *p = &s.def.params;
    p->pipes_passages = RV_PASSAGES_AXIS, p->pipes_kept = 1, p->grid_top = 0.5;
    p->grid_bottom = -0.01;
    s.solid[0] = box_between(RV_UNION, -2, 2, 0.03, 0.6); // a roof, and under it all is open
    s.solid[0].size.y = 0.08, s.solid[0].at.y = -0.1;
    s.solid[1] = box_between(RV_UNION, -2, 2, 0.05, 0.6);
    s.solid[1].size.y = 0.14, s.solid[1].at.y = 0.13;
    s.fill[0] = rv_default_fill_def(), s.fill[0].level = 0.025;
    s.fill[1] = rv_default_fill_def(), s.fill[1].level = 0.1, s.fill[1].to.y = 0.05;
    s.def.solids = s.solid, s.def.solid_count = 2;
    s.def.fills = s.fill, s.def.fill_count = 2;
    same_after(&s.def, device_of(state), 12, 0.01);
}

// A passage with 1,400 gates, whose heads and fluxes are added up as words.
static void test_many_gates(void **state)
{
    small_world s;
    small_grid(&s, RV_SOLVER_PIPES, 700, 14, 0.01);
    rv_params *p = &s.def.params;
    p->pipes_passages = RV_PASSAGES_UNIFIED, p->pipes_kept = 1, p->grid_top = 0.5;
    p->grid_bottom = -0.01;
    s.solid[0] = box_between(RV_UNION, -4, 4, 0.03, 0.6); // over two rows of columns
    s.solid[0].size.y = 0.02, s.solid[0].at.y = 0;
    s.fill[0] = rv_default_fill_def(), s.fill[0].level = 0.06;
    s.fill[1] = rv_default_fill_def(), s.fill[1].level = 0.1, s.fill[1].to.y = -0.01;
    s.def.solids = s.solid, s.def.solid_count = 1;
    s.def.fills = s.fill, s.def.fill_count = 2;
    same_after(&s.def, device_of(state), 6, 0.01);
}

// It fails at any place of a flooded substep: once an error, and the processor goes on.
static void test_lost(void **state)
{
    small_world s;
    small_tanks(&s, RV_SOLVER_PIPES);
    for (int left = 0; left < 16; left += 2) { // of some 20 calls of a step
        failing f = {device_of(state), -1, -1, NULL};
        rv_device device = failing_device(&f);
        s.def.device = &device;
        rv_world *world = make(&s.def);
        run(world, 2, 0.01);
        assert_true(stats_of(world).passages > 0);
        double volume = stats_of(world).volume;
        f.dispatches = left;
        assert_int_equal(rv_world_step(world, 0.01), RV_DEVICE_LOST);
        assert_int_equal(rv_world_step(world, 0.01), RV_OK);
        near(stats_of(world).volume, volume, 1e-5);
        run(world, 2, 0.01);
        rv_world_destroy(world);
    }
}

// ---- In another order ---------------------------------------------------------------------------

static const char *const orders[] = {"#define TURNED 1\n", "#define TURNED 2\n"};

// Each thread is there once, and others come first.
static void test_orders(void **state)
{
    const rv_device *d = device_of(state);
    const rv_kernel_text *thread = rv_kernel_texts;
    while (thread->name && strcmp(thread->name, "thread") != 0) thread++;
    assert_non_null(thread->name);
    for (int k = 0; k < 2; k++) {
        const char *text[] = {
            orders[k],
            "#define NO_PLANES\nuvec3 thread_here();\nlayout(local_size_x = 4) in;\n"
            "layout(std430, binding = 0) buffer Out { uint ids[]; };\n"
            "void main() { ids[gl_GlobalInvocationID.x] = thread_here().x; }\n",
            thread->text};
        rv_device_kernel *kernel = NULL;
        rv_device_buffer *out = NULL;
        uint32_t ids[28], seen = 0;
        assert_int_equal(d->make_kernel(d->user, "order", text, 3, &kernel, NULL), RV_OK);
        assert_int_equal(d->make_buffer(d->user, sizeof ids, &out), RV_OK);
        rv_device_call call = {kernel, &out, 1, NULL, 0, {7, 1, 1}, NULL, 0};
        assert_int_equal(d->dispatch(d->user, &call), RV_OK);
        assert_int_equal(d->fetch(d->user, out, 0, ids, sizeof ids), RV_OK);
        for (int i = 0; i < 28; i++) seen |= 1u << ids[i];
        assert_int_equal(seen, 0xfffffff);
        assert_int_equal(ids[4], k == 0 ? 20 : 8);
        d->free_buffer(d->user, out);
        d->free_kernel(d->user, kernel);
    }
}

static void test_turned(void **state)
{
    for (int k = 0; k < 2; k++) {
        failing f = {device_of(state), -1, -1, orders[k]};
        rv_device device = failing_device(&f);
        small_world s;
        slope_world(&s, k ? RV_SOLVER_SWE : RV_SOLVER_PIPES);
        same_after(&s.def, &device, 6, 0.01);
        s.def.params.tension_on = true;
        same_after(&s.def, &device, 4, 0.01);
        slope_world(&s, RV_SOLVER_PIPES);
        s.def.params.pipes_area = RV_AREA_CELL;
        same_after(&s.def, &device, 6, 0.01);
        small_layers(&s, RV_SOLVER_PIPES);
        same_after(&s.def, &device, 4, 0.004);
        small_basin(&s);
        same_after(&s.def, &device, 6, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest doubles[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_many),
                                         cmocka_unit_test(test_many_runs),
                                         cmocka_unit_test(test_many_gates)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_follows), cmocka_unit_test(test_basin),
        cmocka_unit_test(test_lost),  cmocka_unit_test(test_orders),  cmocka_unit_test(test_turned),
    };
    return cmocka_run_group_tests(tests, enter, leave) +
           cmocka_run_group_tests_name("with doubles", tests, enter_doubles, leave) +
           cmocka_run_group_tests_name("only with doubles", doubles, enter_doubles, leave);
}
