// Casting columns from a field that exists: one cell after an edit, or all of them.
#include "terrain/field.h"

#include "base/memory.h"

void rv_terrain_cast_cell(const rv_terrain *t, int x, int y, rv_stack *out)
{
    int i = x + 1, j = y + 1; // the samples' ring
    const rv_brick *bricks = rv_field_brick(t, i, j, 0);
    rv_stack_cast(&t->grid, bricks, i & RV_BRICK_MASK, j & RV_BRICK_MASK, out);
}

typedef struct casting {
    const rv_terrain *t;
    uint8_t *count;     // [ny][nx]
    int *dropped;       // [ny]
    rv_column_set *set; // NULL: only count
} casting;

static void cast_row(void *context, int y)
{
    casting *c = context;
    int nx = c->t->grid.nx;
    if (!rv_rows_have(rv_grid_kept(&c->t->grid), y)) return;
    for (int x = 0; x < nx; x++) {
        rv_stack stack;
        rv_terrain_cast_cell(c->t, x, y, &stack);
        if (c->set) {
            rv_columns_put(c->set, x, y, (const float(*)[3])stack.column, stack.count);
        } else {
            c->count[(size_t)y * (size_t)nx + (size_t)x] = (uint8_t)stack.count;
            c->dropped[y] += stack.dropped;
        }
    }
}

rv_result rv_terrain_columns(const rv_terrain *t, rv_pool *pool, rv_column_set *set)
{
    const rv_allocator *a = &t->allocator;
    size_t cells = (size_t)t->grid.nx * (size_t)t->grid.ny, rows = (size_t)t->grid.ny;
    casting c = {
        .t = t, .count = rv_new_sparse(a, cells, 1), .dropped = rv_new(a, rows, sizeof(int))};
    bool starved = !c.count || !c.dropped;
    if (t->grid.cut)
        starved = rv_cut_any(t->grid.cut, starved); // before they are laid out together
    rv_result r = starved ? RV_OUT_OF_MEMORY : RV_OK;
    if (r == RV_OK) {
        rv_parallel_for(pool, t->grid.ny, cast_row, &c);
        r = rv_columns_layout(set, &t->grid, c.count, pool, a);
    }
    if (r == RV_OK) {
        c.set = set;
        rv_parallel_for(pool, t->grid.ny, cast_row, &c);
        for (size_t y = 0; y < rows; y++) set->dropped += c.dropped[y];
    }
    rv_free(a, c.count, cells, 1);
    rv_free(a, c.dropped, rows, sizeof(int));
    return r;
}
