// rivulet_gl/splat_gl.h: the particles of solver `splat` stepped by drawing (splat paper), on anything
// that has OpenGL ES 3.0 or WebGL 2 and can draw into float or half-float textures.
//
//     rv_splat_gl *gl;
//     if (rv_splat_gl_create(target, NULL, &gl, &messages) != RV_OK) puts(messages.text);
//     def.backend = rv_splat_gl_backend(gl); // def: rv_world_def
//     …
//     rv_world_destroy(world), rv_splat_gl_destroy(gl), rv_target_destroy(target);
//
// All of it must be called from the thread of the target's context; it leaves that context without
// a program, blending or vertex array, and with the target's framebuffer.
#ifndef RIVULET_GL_SPLAT_GL_H
#define RIVULET_GL_SPLAT_GL_H

#include "target.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_splat_gl rv_splat_gl;

typedef struct rv_splat_gl_def {
    bool half; // half-float grids even where the driver can add up whole floats: faster, coarser
} rv_splat_gl_def;

// `def` may be NULL. RV_BAD_ARGUMENT: the target does not draw, or its driver cannot add up floats;
// a message says so.
RV_API rv_result rv_splat_gl_create(rv_target *target, const rv_splat_gl_def *def,
                                    rv_splat_gl **out, rv_messages *messages);
RV_API void rv_splat_gl_destroy(rv_splat_gl *gl);

// What goes into rv_world_def.backend; it lives as long as `gl`.
RV_API const rv_splat_backend *rv_splat_gl_backend(rv_splat_gl *gl);
// Whether the grids have half floats.
RV_API bool rv_splat_gl_half(const rv_splat_gl *gl);

// Waits until the card has done all that it was asked for: to time it.
RV_API void rv_splat_gl_finish(rv_splat_gl *gl);

#ifdef __cplusplus
}
#endif
#endif
