// Foam of particles in a plane or as a height, by cell: a texture of one byte a cell, for the shaders.
#ifndef RENDER_FOAM_H
#define RENDER_FOAM_H

#include "rivulet/base.h"

#include <epoxy/gl.h>

typedef struct rv_foam {
    GLuint texture; // 0: there is none
    int nx, ny;
    uint8_t *bytes;
    size_t room;
} rv_foam;

// Takes over nx × ny shares, 0 … 1, x fastest; NULL: there is none.
rv_result rv_foam_take(rv_foam *foam, int nx, int ny, const float *froth);
// The same from a buffer of the graphics library, which has bytes from `at` on; 0: there is none.
rv_result rv_foam_take_card(rv_foam *foam, int nx, int ny, GLuint buffer, size_t at);
// At the place that all programs share.
void rv_foam_bind(const rv_foam *foam);
void rv_foam_free(rv_foam *foam);

#endif
