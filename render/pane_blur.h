// Pictures out of focus: what a pane's backdrop is made of.
#ifndef RENDER_PANE_BLUR_H
#define RENDER_PANE_BLUR_H

#include "rivulet/base.h"

// Linear light, rows from the top, three numbers a pixel.
typedef struct rv_light_map {
    int width, height;
    float *rgb; // owned
} rv_light_map;

bool rv_light_map_make(rv_light_map *map, int width, int height);
void rv_light_map_free(rv_light_map *map);

// As a lens shows it that is focused on something near: every point becomes a disk of the radius
// (pixels), a little brighter at its edge and a little angular, as the blades of an iris make it.
// false: no memory.
bool rv_blur_lens(const rv_light_map *in, float radius, rv_light_map *out);
// A quarter as wide and high, blurred softly over `radius` pixels of its own.
bool rv_blur_soft(const rv_light_map *in, int radius, rv_light_map *out);
// Half as wide and high: the next level of a texture.
bool rv_blur_halve(const rv_light_map *in, rv_light_map *out);

#endif
