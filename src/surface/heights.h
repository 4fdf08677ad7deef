// Minimum heights: how far over its bed the surface must at least be drawn at each column, so that no triangle
// of it passes under a vertex of the terrain that is drawn (SPEC §4, 003 §4.4).
#ifndef RV_SURFACE_HEIGHTS_H
#define RV_SURFACE_HEIGHTS_H

#include "terrain/terrain.h"

typedef struct rv_heights {
    float *over; // m, by slot of the columns: at least the least height
    size_t slots;
    // work, kept from one update to the next
    void *work;
    rv_allocator allocator;
} rv_heights;

// For all columns. terrain NULL (made of heights): `least` everywhere but where the bed itself bulges between
// columns. least: m.
rv_result rv_heights_build(rv_heights *heights, const rv_column_set *columns,
                           const rv_terrain *terrain, double least, rv_pool *pool,
                           const rv_allocator *allocator);
// After the columns of the cells in `area` changed, in the same layout.
rv_result rv_heights_update(rv_heights *heights, const rv_column_set *columns,
                            const rv_terrain *terrain, double least, rv_rect area);
void rv_heights_free(rv_heights *heights);

#endif
