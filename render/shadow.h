// The shadow map: how far the lamp sees, kept while lamp and terrain stay.
#ifndef RENDER_SHADOW_H
#define RENDER_SHADOW_H

#include "render/tiles.h"
#include "render/wide.h"

enum { RV_SHADOW_SIDE = 512, RV_FLOOR_SIDE = 128 };

typedef struct rv_shadow {
    GLuint framebuffer, depth;
    GLuint floor_framebuffer, floor; // how much of the lamp the floor sees
    GLuint compare, read;            // samplers of the same texture
    vec3 toward;                     // the lamp that it was made for
    bool fresh;
    float matrix[16]; // to 0 … 1 each way
    float wide, far;  // cells, across the map and along the light
} rv_shadow;

bool rv_shadow_make(rv_shadow *shadow);
void rv_shadow_free(rv_shadow *shadow);
// Draws the map if the lamp moved or `fresh` is false. true: it did.
// `wide`: the terrain, if it is one; else NULL.
bool rv_shadow_update(rv_shadow *shadow, const rv_tiles *tiles, rv_wide *wide,
                      const rv_extent *extent, vec3 toward, GLuint program);

#endif
