// The liquid as the picture sees it: bilinear patches of level between the centres of four cells.
#ifndef RENDER_LIQUID_H
#define RENDER_LIQUID_H

#include "render/vec.h"
#include "rivulet/rivulet.h"

// Corners without a column that belongs to the surface: it goes on level into a wall, or down over
// the edge of an overhang.
enum { RV_PATCH_WALL = -1, RV_PATCH_EDGE = -2 };

// Between the centres of cells (x-1, y-1) and (x, y); corners: 0 low x low y, 1 high x, 2 high y, 3
// both.
typedef struct rv_patch {
    int slot[4];    // or one of the above
    float level[4]; // cells
} rv_patch;

typedef struct rv_patch_row {
    rv_patch *patch;
    int *first; // of each of the nx + 1 patches' places, and one past the last
    int count, room;
} rv_patch_row;

// What a ray meets.
typedef struct rv_liquid_hit {
    float t;     // along the ray; INFINITY: no liquid
    float leave; // where the ray comes out of the liquid again, INFINITY: it does not
    float thick; // vertical depth there, cells, from the columns
    float share; // 1, less toward the edge of an overhang, where the surface ends
    vec3 normal; // of the surface, upward
    bool cut;    // seen through a side of the block
} rv_liquid_hit;

typedef struct rv_liquid {
    rv_columns columns;
    size_t room;       // slots the arrays were made for
    float *level;      // cells, of wet columns and of dry ones beside them; NAN elsewhere
    float *thick;      // cells
    float *reference;  // cells, deepest wet column among the neighbours
    float *gx, *gy;    // slope of the level
    rv_patch_row *row; // ny + 1
    int rows;
    float *block_low, *block_high; // lowest and highest level of BLOCK × BLOCK patches
    int block_nx, block_ny;
    float thinnest; // m, thinner films are only a wet sheen
    float high;     // cells, highest level
} rv_liquid;

enum { RV_LIQUID_BLOCK = 8 };

// Brings the patches up to date with the world. thinnest in metres.
rv_result rv_liquid_update(rv_liquid *liquid, const rv_world *world, rv_pool *pool,
                           double thinnest);
void rv_liquid_free(rv_liquid *liquid);

// The first surface met from above in [t0, t1]; `cut`: t0 is where the ray enters through a side.
rv_liquid_hit rv_liquid_cast(const rv_liquid *liquid, vec3 from, vec3 direction, float t0, float t1,
                             bool cut);
// The film that covers a point of the terrain: its depth in cells, 0 when dry; the surface's
// normal.
float rv_liquid_film(const rv_liquid *liquid, vec3 point, vec3 *normal);

#endif
