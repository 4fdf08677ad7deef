// How large the block is that pictures show, in cells (render/vec.h): what the camera must see.
#ifndef RENDER_EXTENT_H
#define RENDER_EXTENT_H

#include "render/vec.h"
#include "rivulet/rivulet.h"

enum { RV_EXTENT_PEAKS = 16 };

typedef struct rv_extent {
    double x0, y0, bottom, dx; // m, low corner of the grid, and the side of a cell
    float wide, deep, top;     // the grid, cells
    float low, high;           // lowest and highest bed, cells
    float floor;               // underside of the block that is drawn, cells
    bool fill;                 // a pane: it fills the picture, which shows no more than it
    // Highest bed or liquid in each of 16 × 16 parts of the grid, cells; -INFINITY where there is
    // none.
    float peak[RV_EXTENT_PEAKS * RV_EXTENT_PEAKS];
} rv_extent;

void rv_extent_find(rv_extent *extent, const rv_columns *columns);

// Metres to cells.
static inline vec3 rv_extent_cells(const rv_extent *e, double x, double y, double z)
{
    return v3((float)((x - e->x0) / e->dx), (float)((y - e->y0) / e->dx),
              (float)((z - e->bottom) / e->dx));
}

#endif
