// Strips of awake blocks that are dry and settled are left alone (src/columns/busy.c): all state is
// the same bits as if everything awake were worked out, in layers, beside walls, under heads that
// come and go, with tension and without; and most of what is dry is left alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns/columns.h"

#include <math.h>

enum { NX = 150, NY = 60, FRAMES = 24, FIELDS = 32 };

// Ground that leans and has waves, steps that are walls, and over a part of it a slab: its columns
// are of two planes.
static void make_columns(rv_column_set *set, const rv_params *p)
{
    rv_grid grid = rv_grid_of(p);
    rv_allocator allocator = rv_default_allocator();
    static uint8_t count[NX * NY];
    for (int i = 0; i < NX * NY; i++)
        count[i] = i % NX > 49 && i % NX < 76 && i / NX > 22 && i / NX < 44 ? 2 : 1;
    assert_int_equal(rv_columns_layout(set, &grid, count, NULL, &allocator), RV_OK);
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            double waves = 2e-3 * (1 + sin(0.4 * x) * cos(0.3 * y)) + 1e-4 * x;
            float low = (float)(waves + (x / 9 % 3 == 0 && y / 7 % 4 == 1 ? 6e-3 : 0));
            int layers = count[y * NX + x];
            for (int l = 0; l < layers; l++) {
                size_t i = rv_slot(&set->plane[l], x, y);
                set->min[i] = l ? 0.024f : 0.0f, set->base[i] = l ? 0.026f + 1e-3f * low : low;
                set->max[i] = l || layers == 1 ? 0.06f : 0.024f;
            }
        }
    rv_columns_snap(set);
}

static rv_params params_for(bool tension, rv_neighbours neighbours)
{
    rv_params p = rv_default_params();
    p.tension_on = tension, p.pipes_neighbours = neighbours;
    p.grid_nx = NX, p.grid_ny = NY, p.grid_dx = 1e-3;
    p.grid_bottom = 0, p.grid_top = 0.06, p.border_east = RV_BORDER_OPEN;
    return p;
}

static rv_engine *make(const rv_column_set *set, const rv_params *params)
{
    rv_allocator allocator = rv_default_allocator();
    rv_solver_setup setup = {.columns = set, .params = params, .allocator = &allocator};
    rv_engine *s = NULL;
    assert_int_equal(rv_pipes_create(&setup, &s), RV_OK);
    return s;
}

static void pour(rv_engine *s, int plane, int x, int y, double depth)
{
    rv_entry entry = {.kind = RV_ENTRY_ADD, .amount = depth};
    entry.slot = rv_slot(&s->columns->plane[plane], x, y);
    rv_pipes_exchange(s, &entry, 1);
}

// What one frame's sources and bodies do.
static void meddle(rv_engine *s, const float *press, int frame)
{
    for (int k = 0; k < 4; k++) pour(s, 0, 20 + k, 12, 4e-4);
    for (int k = 0; k < 4; k++) pour(s, 1, 73, 30 + k, 6e-4); // runs over the slab's edge
    if (frame == 8) rv_pipes_press(s, press, (rv_rect){90, 5, 120, 50});
    if (frame == 16) rv_pipes_press(s, NULL, (rv_rect){0, 0, 0, 0});
}

static int strips_of(const rv_engine *s)
{
    int strips = 0;
    for (uint32_t r = 0; r < s->row_count; r++) strips += __builtin_popcountll(s->busy[r]);
    return strips;
}

static void assert_same(rv_engine *one, rv_engine *two, int frame)
{
    rv_state_field a[FIELDS], b[FIELDS];
    int count = rv_pipes_fields(one, a);
    assert_int_equal(rv_pipes_fields(two, b), count);
    for (int i = 0; i < count; i++)
        if (memcmp(a[i].data, b[i].data, a[i].count * a[i].item) != 0)
            fail_msg("frame %d: other %s", frame, a[i].name);
}

static void compare(const rv_params *params, double share)
{
    rv_column_set set;
    make_columns(&set, params);
    rv_engine *some = make(&set, params), *all = make(&set, params);
    float *press = malloc(set.slots * sizeof *press);
    assert_non_null(press);
    for (size_t i = 0; i < set.slots; i++) press[i] = (float)(1e-3 * sin(0.01 * (double)i));
    double busy = 0, awake = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        meddle(some, press, frame), meddle(all, press, frame);
        int parts = rv_pipes_substeps(some, 5e-3);
        assert_int_equal(rv_pipes_substeps(all, 5e-3), parts);
        for (int k = 0; k < parts; k++) {
            rv_busy_forget(all);
            rv_pipes_substep(some, 5e-3 / parts);
            rv_pipes_substep(all, 5e-3 / parts);
            busy += strips_of(some), awake += strips_of(all);
        }
        assert_same(some, all, frame);
    }
    if (!(busy < share * awake)) fail_msg("%g of %g strips are busy", busy, awake);
    rv_pipes_destroy(some), rv_pipes_destroy(all);
    free(press);
    rv_columns_free(&set);
}

static void with_tension(void **state)
{
    (void)state;
    rv_params p = params_for(true, RV_NEIGHBOURS_FOUR);
    compare(&p, 0.7);
}

static void without_tension(void **state)
{
    (void)state;
    rv_params p = params_for(false, RV_NEIGHBOURS_FOUR);
    compare(&p, 0.9);
}

static void with_eight_neighbours(void **state)
{
    (void)state;
    rv_params p = params_for(true, RV_NEIGHBOURS_EIGHT);
    compare(&p, 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_tension),
        cmocka_unit_test(without_tension),
        cmocka_unit_test(with_eight_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
