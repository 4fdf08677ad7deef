// rivulet_gl/device_gl.h: a graphics card for worlds (rivulet/device.h), by OpenGL ES 3.1 or OpenGL
// 4.3 and up; which of them a target has is found when it runs.
//
//     rv_device_gl *card;
//     if (rv_device_gl_create(target, &card, &messages) != RV_OK) puts(messages.text);
//     def.device = rv_device_gl_table(card); // def: rv_world_def
//     …
//     rv_world_destroy(world), rv_device_gl_destroy(card), rv_target_destroy(target);
//
// All of it must be called from the thread of the target's context, with that context current. It
// leaves a program of its own in use, and has the places for storage buffers up to RV_GL_FREE_PLACE
// to itself, but for two that renderers have.
#ifndef RIVULET_GL_DEVICE_GL_H
#define RIVULET_GL_DEVICE_GL_H

#include "target.h"

#ifdef __cplusplus
extern "C" {
#endif

// Places for storage buffers from here on are anybody's.
enum { RV_GL_FREE_PLACE = 27 };

typedef struct rv_device_gl rv_device_gl;

// RV_BAD_ARGUMENT: the target does not draw, or its driver is too old; a message says what it has
// and what is wanted.
RV_API rv_result rv_device_gl_create(rv_target *target, rv_device_gl **out, rv_messages *messages);
RV_API void rv_device_gl_destroy(rv_device_gl *card);

// What goes into rv_world_def.device; it lives as long as `card`.
RV_API const rv_device *rv_device_gl_table(const rv_device_gl *card);

#ifdef __cplusplus
}
#endif
#endif
