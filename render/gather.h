// The lamp's light where liquid stands in it: a map of what the liquid takes and of where it lets
// it fall, kept while lamp, terrain and liquid stay; and the picture of solids in that light.
#ifndef RENDER_GATHER_H
#define RENDER_GATHER_H

#include "rivulet/base.h"

#include <epoxy/gl.h>

enum { RV_GATHER_SIDE = 1024, RV_GATHER_LEVELS = 6 };

typedef struct rv_gather {
    GLuint first, second; // framebuffers: with depth, and without
    GLuint light, depth;
    GLuint straight, bent, shade, shade_bodies; // programs, made when they are needed
    GLuint straight_wide, bent_wide;
    bool cannot;                                // the driver cannot add up in floats
    bool there;                                 // the map is that of the liquid
    uint64_t sent;                              // of the sheet that it was made from
    float matrix[16], index;
} rv_gather;

void rv_gather_free(rv_gather *gather);

#endif
