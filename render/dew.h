// Drops on solids on the graphics card.
#ifndef RENDER_DEW_H
#define RENDER_DEW_H

#include "render/extent.h"
#include "render/eye.h"

#include <epoxy/gl.h>

// A cap: an ellipsoid cut off by the plane of its foot. Lengths in cells.
typedef struct rv_dew_piece {
    float at[3], radius;     // middle of the foot
    float normal[3], height; // of the solid; 2 radii: a ball
    float way[3], stretch;   // which way it is drawn out, a unit, and by how much of its radius
    float sag, chance;       // how far its top hangs down that way, in radii; a number of its own
} rv_dew_piece;

typedef struct rv_dew_set {
    GLuint array, instances;
    rv_dew_cap *cap;
    rv_dew_piece *piece;
    float *far; // of each from the eye
    int *order;
    int count, room;
    size_t uploaded; // bytes, by each drawing
    vec3 low, high;  // around all of them, cells
} rv_dew_set;

rv_result rv_dew_set_update(rv_dew_set *set, const rv_world *world, const rv_extent *extent);
void rv_dew_set_free(rv_dew_set *set);
// From the farthest to the nearest: they cover each other.
rv_result rv_dew_set_draw(rv_dew_set *set, const rv_eye *eye);

#endif
