// Minimum heights: how far over its bed the surface must at least be drawn at each column, so that
// no triangle of it passes under a vertex of the terrain that is drawn (docs/surface.md, pipes
// paper §4.4).
//
// The promise: where two columns of 4-neighbour cells are linked and both wet, and each is drawn
// `over` its bed or higher, and the steps between the two are kept, the straight line between them
// passes over every upward vertex of the terrain's mesh on it that the rule does not leave out
// (heights.c says which). All vertices of that mesh lie on such lines or under a column, so the
// same holds for triangles, with either diagonal.
#ifndef RV_SURFACE_HEIGHTS_H
#define RV_SURFACE_HEIGHTS_H

#include "terrain/terrain.h"

// At a cliff, the column at its foot must be drawn nearly as high as its edge, but only while
// liquid runs over the edge: while both columns are wet and linked by their own levels.
typedef struct rv_height_step {
    uint32_t slot;   // at the foot
    uint32_t beside; // the column of a 4-neighbour cell, over the edge
    float over;      // m, for `slot`, over its bed
} rv_height_step;

typedef struct rv_heights {
    // m, by slot of the columns; never through the ceiling; 0 in slots without a column
    float *over;
    size_t slots;
    rv_height_step *step; // by rows of cells, in each by x
    size_t step_count, step_room;
    size_t *row; // [rows + 1] first step of the cells with this y
    int rows;
    // kept from one update to the next
    uint8_t *count; // [cells] steps of each
    size_t cells;
    rv_height_step *old_step; // [step_room]
    size_t *old_row;
    rv_allocator allocator;
} rv_heights;

// For all columns. terrain NULL: the terrain that is drawn is straight between columns, and `least`
// (m) is enough everywhere. After a failure *heights is empty.
rv_result rv_heights_build(rv_heights *heights, const rv_column_set *columns,
                           const rv_terrain *terrain, double least, rv_pool *pool,
                           const rv_allocator *allocator);
// After the terrain and the columns of the cells in `area` (rv_terrain_change.cells) changed, in
// the same layout: the same, to the bit, as building anew. After a failure *heights is empty.
rv_result rv_heights_update(rv_heights *heights, const rv_column_set *columns,
                            const rv_terrain *terrain, double least, rv_rect area);
void rv_heights_free(rv_heights *heights);

#endif
