// Passes over pixels by compute, where a driver has it: a card may have far more that computes than
// that draws. Where it has not, the same is drawn.
#ifndef RENDER_KERNELS_H
#define RENDER_KERNELS_H

#include "render/program.h"

#include <epoxy/gl.h>
#include <stdbool.h>

typedef enum rv_kernel {
    RV_KERNEL_LIGHT, // solids in the light that liquid leaves
    RV_KERNEL_LIGHT_BODIES,
    RV_KERNEL_LIQUID, // its colours
    RV_KERNEL_LIQUID_BODIES,
    RV_KERNEL_SECOND,   // of liquid behind the nearest
    RV_KERNEL_NUMBERED, // the same three from numbers of triangles
    RV_KERNEL_NUMBERED_BODIES,
    RV_KERNEL_NUMBERED_SECOND,
    RV_KERNEL_RAYS, // through the density of particles
    RV_KERNEL_RAYS_FOAM,
    RV_KERNEL_SHADE, // solids in its shadow
    RV_KERNEL_HALVE, // the smaller levels of the map of light
    RV_KERNEL_CLEAR, // nothing into a texture
    RV_KERNEL_FINISH,
    RV_KERNEL_FINISH_CODED,
    RV_KERNELS
} rv_kernel;

typedef struct rv_kernels {
    bool can;     // the driver has compute, and its kernels were taken
    bool numbers; // and tells which triangle a pixel shows
    GLuint program[RV_KERNELS];
    rv_program_asked asked[RV_KERNELS];
    int samples; // that `finish` is made for
} rv_kernels;

// Whether the driver has what they need.
void rv_kernels_make(rv_kernels *kernels);
void rv_kernels_free(rv_kernels *kernels);
// How many samples the kernel for the finish has to read.
void rv_kernels_sample(rv_kernels *kernels, int samples);
// Asks the driver for one that will be needed; it need not be asked for.
void rv_kernels_ask(rv_kernels *kernels, rv_kernel which);
// The program, made when it is wanted first; 0: draw instead.
GLuint rv_kernels_take(rv_kernels *kernels, rv_kernel which);
// Room in a buffer that kernels work on, in the card's memory; what was there is lost where it must
// be larger. false: there is none.
bool rv_kernels_room(GLuint *buffer, size_t *has, size_t bytes);
// A level of a texture that kernels write into: 0 is what rv_kernels_run binds itself.
void rv_kernels_bind(GLuint place, GLuint image, int level, GLenum format);
// Runs one with what is bound.
void rv_kernels_go(GLuint program, const int part[4]);
// Runs one for each pixel of a part of the picture (x, y, width, height) and writes into a texture;
// what is drawn or read after it finds it there.
void rv_kernels_run(GLuint program, const int part[4], GLuint image, GLenum format);

#endif
