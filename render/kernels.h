// Passes over pixels by compute, where a driver has it: a card may have far more that computes than
// that draws. Where it has not, the same is drawn.
#ifndef RENDER_KERNELS_H
#define RENDER_KERNELS_H

#include <epoxy/gl.h>
#include <stdbool.h>

typedef struct rv_kernels {
    bool can;                   // the driver has compute, and its kernels were taken
    GLuint light, light_bodies; // solids in the light that liquid leaves
    GLuint liquid, liquid_bodies, liquid_second;
    GLuint rays, rays_foam, shade; // through the density of particles; solids in its shadow
    GLuint halve;                  // the smaller levels of the map of light
    GLuint clear;                  // nothing into a texture
    GLuint finish;
    int samples; // that `finish` was made for
} rv_kernels;

// Whether the driver has what they need.
void rv_kernels_make(rv_kernels *kernels);
void rv_kernels_free(rv_kernels *kernels);
// Each gives the program, made when it is asked for first; 0: draw instead.
GLuint rv_kernels_light(rv_kernels *kernels, bool bodies);
// The colours of liquid among bodies, or of liquid behind the nearest.
GLuint rv_kernels_liquid(rv_kernels *kernels, bool bodies, bool second);
// Rays through the density of particles, and their shadow on solids; 0: either is to be drawn.
GLuint rv_kernels_rays(rv_kernels *kernels, bool foams);
GLuint rv_kernels_shade(rv_kernels *kernels);
GLuint rv_kernels_halve(rv_kernels *kernels);
GLuint rv_kernels_clear(rv_kernels *kernels);
GLuint rv_kernels_finish(rv_kernels *kernels, int samples);
// A level of a texture that kernels write into: 0 is what rv_kernels_run binds itself.
void rv_kernels_bind(GLuint place, GLuint image, int level, GLenum format);
// Runs one with what is bound.
void rv_kernels_go(GLuint program, const int part[4]);
// Runs one for each pixel of a part of the picture (x, y, width, height) and writes into a texture;
// what is drawn or read after it finds it there.
void rv_kernels_run(GLuint program, const int part[4], GLuint image, GLenum format);

#endif
