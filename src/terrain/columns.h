// Columns: what the terrain looks like to the liquid (docs/pipes.md, Words).
//
// Columns live in planes: plane l holds the l-th column from below of every cell with more than l
// columns, over the bounding rectangle of those cells, so that most pipes join equal planes and
// loops run over straight rows. Around each rectangle one ring of slots is kept for borders. Slots
// of cells without an l-th column, and the ring, have max < base (base 0, max -1, min 0).
//
// Row layout: slot(x0, y) is a multiple of 16; 16 slots before it, and those after its last column
// up to a multiple of 16 and at least one, belong to the row and stay empty: pitch = 16 + round
// up(nx + 1, 16). So loops may run over whole vectors, and the ring's slots at x0 - 1 and x0 + nx
// belong to one row only.
#ifndef RV_TERRAIN_COLUMNS_H
#define RV_TERRAIN_COLUMNS_H

#include "base/grid.h"
#include "rivulet/world.h"

#define RV_LAYERS_MAX 16

typedef struct rv_rect {
    int x0, y0, x1, y1; // cells, half open
} rv_rect;
rv_rect rv_rect_join(rv_rect a, rv_rect b); // around both; empty ones do not count

typedef struct rv_column_set {
    rv_grid grid;
    int planes;
    rv_plane plane[RV_LAYERS_MAX];
    size_t slots;
    float *min, *base, *max; // [slots]
    int64_t columns;
    int64_t cells_with[RV_LAYERS_MAX + 1];
    int64_t dropped; // columns above the 16th of a cell, left out
    rv_allocator allocator;
} rv_column_set;

// The columns of a cell, from below: {min, base, max} each.
typedef struct rv_stack {
    int count;
    int dropped; // above the 16th
    float column[RV_LAYERS_MAX][3];
} rv_stack;

// Lays out planes from the number of columns per cell, row-major nx × ny, and takes the memory; all
// slots are empty.
rv_result rv_columns_layout(rv_column_set *set, const rv_grid *grid, const uint8_t *count,
                            rv_pool *pool, const rv_allocator *allocator);
// One plane from the bed's height per cell.
rv_result rv_columns_from_heights(rv_column_set *set, const rv_grid *grid, const float *heights,
                                  rv_pool *pool, const rv_allocator *allocator);
// Writes the columns of one cell, {min, base, max} each from below, over those it had; the planes
// must have room. Does not count them.
void rv_columns_put(rv_column_set *set, int x, int y, const float (*column)[3], int count);
// The columns of one cell; returns how many.
int rv_columns_get(const rv_column_set *set, int x, int y, float (*column)[3]);
// Counts a cell that had `before` columns and has `after`.
void rv_columns_recount(rv_column_set *set, int before, int after);
// Lays the same columns out anew so that plane l has a slot for every cell of `need[l]`, and some
// room around. `old` then holds the old layout and arrays, to be freed by the caller; on failure
// nothing changed.
rv_result rv_columns_widen(rv_column_set *set, const rv_rect need[RV_LAYERS_MAX],
                           rv_column_set *old);
// Rounds all heights to the grid's step (rv_grid_snap).
void rv_columns_snap(rv_column_set *set);
void rv_columns_free(rv_column_set *set);

static inline bool rv_column_exists(const rv_column_set *set, size_t slot)
{
    return set->max[slot] > set->base[slot];
}

// Plane of the column of cell (x, y) with the highest base at or below z; -1 when there is none.
int rv_columns_below(const rv_column_set *set, int x, int y, double z);

#endif
