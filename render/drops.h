// Droplets of spray on the graphics card.
#ifndef RENDER_DROPS_H
#define RENDER_DROPS_H

#include "render/extent.h"

#include <epoxy/gl.h>

typedef struct rv_drops {
    GLuint array, instances;
    // Middle and radius, cells; velocity, cells/s; half of the way that is seen at most, whole
    // radii, plus foam, under 1.
    float (*ball)[8];
    int count, room;
    size_t uploaded; // bytes, by the last update
} rv_drops;

// Takes over those that are in the air now: fast ones in as many pieces as they would break into.
rv_result rv_drops_update(rv_drops *drops, const rv_world *world, const rv_extent *extent);
// Takes over these instead (as rv_points has them), of one radius (cells).
rv_result rv_drops_take(rv_drops *drops, const float (*at)[8], int count, float radius);
void rv_drops_free(rv_drops *drops);
void rv_drops_draw(const rv_drops *drops);

#endif
