// What the context that is current can do, in the words of OpenGL ES. It is one of OpenGL ES, or
// one of OpenGL 4.5 that has all of ES 3.2 (target_kinds.h): there other names mean the same.
#ifndef RENDER_DRIVER_H
#define RENDER_DRIVER_H

#include <epoxy/gl.h>
#include <stdbool.h>

// The version of OpenGL ES that it has: 30, 31, 32.
int rv_driver_version(void);
// Floats, or at least half floats, can be drawn into; the former can; … and are blended.
bool rv_driver_draws_halves(void);
bool rv_driver_draws_floats(void);
bool rv_driver_blends_floats(void);
// Queries tell how long the card takes: nanoseconds of one that is there.
bool rv_driver_times(void);
GLuint64 rv_driver_time(GLuint query);
// Whether what was timed since the last time this was asked is of no use.
bool rv_driver_was_disturbed(void);

// What contexts of OpenGL ES always do, and others when they are told.
void rv_driver_begin(void);

#endif
