// Textures that are written once or drawn into, and looked up within their borders.
#ifndef RV_RENDER_TEXTURE_H
#define RV_RENDER_TEXTURE_H

#include <epoxy/gl.h>

// One level of that format and size, clamped at its sides; it stays bound. `filter`: both ways.
GLuint rv_texture_make(GLenum format, int width, int height, GLint filter);

#endif
