// render/picture.h: a still of a world, drawn by casting rays on the CPU.
//
// A picture keeps what does not change from frame to frame (the terrain as seen by the camera), so
// that the frames of a film cost little more than their liquid. It sees a world through the public
// interface only, never changes it, and gives the same bytes for any number of threads.
//
//     rv_picture *picture;
//     if (rv_picture_create(world, pool, &picture) == RV_OK)
//         rv_picture_draw(picture, world, pool, rgb, 960, 720);
//     rv_picture_destroy(picture);
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include "rivulet/rivulet.h"

typedef struct rv_picture rv_picture;

// Samples the terrain of the world. Call again when the terrain itself has changed.
rv_result rv_picture_create(const rv_world *world, rv_pool *pool, rv_picture **out);
void rv_picture_destroy(rv_picture *picture);

// Draws the world as it is now into width × height × 3 bytes, sRGB, rows from the top. The camera,
// the material and the look of the liquid are the world's parameters (view.*, liquid.look). The
// world is the one the picture was made from. Sizes from 1 to 16384.
rv_result rv_picture_draw(rv_picture *picture, const rv_world *world, rv_pool *pool, uint8_t *rgb,
                          int width, int height);

#endif
