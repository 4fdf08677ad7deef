// What render/ asks of epoxy, on WebGL 2: its functions are linked, so only the questions remain.
#ifndef SHIM_EPOXY_GL_H
#define SHIM_EPOXY_GL_H

#include <GLES3/gl3.h>

#include <stdbool.h>

// Of GL_EXT_disjoint_timer_query, which a page does not have under this name (see shim/gl.c).
#define GL_TIME_ELAPSED_EXT 0x88BF
#define GL_GPU_DISJOINT_EXT 0x8FBB
void glGetQueryObjectui64vEXT(GLuint query, GLenum name, GLuint64 *value);

bool epoxy_is_desktop_gl(void);
int epoxy_gl_version(void); // 30: WebGL 2 is OpenGL ES 3.0
// Asking for an extension turns it on, as WebGL wants it.
bool epoxy_has_gl_extension(const char *name);

#endif
