// A pane's maps on the card: copies of the world's, of which only the tiles that changed are sent,
// and the water's shape made of them there.
#ifndef RENDER_PANE_MAPS_H
#define RENDER_PANE_MAPS_H

#include "rivulet/pane.h"

#include <epoxy/gl.h>

typedef struct rv_pane_maps {
    int nx, ny;
    double dx;       // m
    double thickest; // m
    // Of which pane the maps are, and of which of its changes; made 0: of none.
    uint64_t made;
    int64_t changes;
    int tile, across, along;   // cells of a tile each way; tiles in a row, rows of them
    float *most;               // m, by tile: the thickest water
    uint8_t *stale;            // by tile: the shape is that of older maps
    int stale_count;           // of these
    GLuint heights, mists;     // as the world has them
    GLuint affinities;         // where the pane repels water no mist settles
    GLuint shape, framebuffer; // slope times cover, cover, mist
    uint64_t uploaded;         // bytes, in the last update
} rv_pane_maps;

// Takes over what changed since the last time; all of it from another pane.
rv_result rv_pane_maps_update(rv_pane_maps *maps, const rv_pane *pane);
// Whether the shape is that of older maps.
bool rv_pane_maps_stale(const rv_pane_maps *maps);
// Draws the shape anew where it is stale, with the program that is in use and its textures; leaves
// the shape bound to the texture unit that is active.
void rv_pane_maps_shape(rv_pane_maps *maps);
void rv_pane_maps_free(rv_pane_maps *maps);

int rv_pane_levels(int width, int height); // down to one texel
GLuint rv_pane_texture(GLenum format, int levels, int width, int height, GLenum small, GLenum wrap);

#endif
