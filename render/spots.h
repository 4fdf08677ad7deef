// Which tiles of the picture drops may be in: of all that lies over solids only these, and those
// with liquid, are cleared and looked at.
#ifndef RENDER_SPOTS_H
#define RENDER_SPOTS_H

#include <epoxy/gl.h>
#include <stdbool.h>
#include <stdint.h>

enum { RV_PIXEL_TILE = 8 }; // pixels of a tile each way, as the shaders have it

typedef struct rv_spots {
    GLuint texture; // a texel a tile: 1 where drops may be
    int across, along;
    uint8_t *tile;
} rv_spots;

void rv_spots_free(rv_spots *spots);

#endif
