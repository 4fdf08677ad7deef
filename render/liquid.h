// The liquid as the picture sees it: the triangles of its surface (rivulet/surface.h), in cells,
// sorted by where they lie.
#ifndef RENDER_LIQUID_H
#define RENDER_LIQUID_H

#include "render/vec.h"
#include "rivulet/rivulet.h"

// A vertex. Places are those of render/vec.h moved by half a cell in x and y, so that the centres
// of cells are whole numbers and a triangle of the sheet lies between whole numbers.
typedef struct rv_point {
    vec3 at, normal;
    float thick; // depth of the liquid under it, cells
    float speed; // cells/s, along the ground
    float drop;  // cells, how far the liquid has fallen: at the lower ends of curtains
} rv_point;

typedef struct rv_facet {
    vec3 at, u, v;      // a corner, and the ways from it to the other two
    uint32_t corner[3]; // points
    bool falling;       // part of a curtain
} rv_facet;

// Lowest and highest point of facets, cells.
typedef struct rv_span {
    float low, high;
} rv_span;

// What a ray meets.
typedef struct rv_liquid_hit {
    float t;      // along the ray; INFINITY: no liquid
    float leave;  // where the ray comes out of the liquid again, INFINITY: it does not
    float thick;  // depth there, cells; of a curtain how thick it is
    vec3 normal;  // of the surface, out of the liquid
    bool cut;     // seen through a side of the block
    bool falling; // it hangs in the air: a curtain
} rv_liquid_hit;

typedef struct rv_liquid {
    rv_surface *surface;
    rv_columns columns;
    rv_point
        *point; // of the surface, then of the strips that carry it on to the sides of the block
    size_t points, point_room;
    vec3 *sum; // by point, of normals
    size_t sum_room;
    uint32_t *corner; // three per triangle, as they come
    size_t triangles, corner_room;
    rv_facet *facet; // by place; a curtain stands between two and is in both
    size_t facet_room;
    uint32_t *first; // of the (nx + 1) × (ny + 1) places' facets, and one past the last
    size_t places;
    rv_span *place, *block; // heights of each place, and of BLOCK × BLOCK places
    int block_nx, block_ny;
    float high;    // cells, highest point; -INFINITY: no liquid is drawn
    float gravity; // cells/s²
} rv_liquid;

enum { RV_LIQUID_BLOCK = 8 };

// Brings the triangles up to date with the world, always the same one.
rv_result rv_liquid_update(rv_liquid *liquid, const rv_world *world);
void rv_liquid_free(rv_liquid *liquid);

// The first surface met in [t0, t1]; `cut`: t0 is where the ray enters through a side. Curtains are
// met from t0 + RV_CURTAIN_GAP on: to go on behind one, start half of that before it, so that what
// it lands on is not missed.
#define RV_CURTAIN_GAP 2e-3f
rv_liquid_hit rv_liquid_cast(const rv_liquid *liquid, vec3 from, vec3 direction, float t0, float t1,
                             bool cut);

#endif
