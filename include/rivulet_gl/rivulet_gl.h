// rivulet_gl/rivulet_gl.h: pictures of worlds, and particles stepped on the card, by OpenGL ES 3.0. This header includes
// all of rivulet_gl. Link rivulet_gl (CMake: rivulet::gl, pkg-config: rivulet_gl).
#ifndef RIVULET_GL_RIVULET_GL_H
#define RIVULET_GL_RIVULET_GL_H

#include "aim.h"
#include "painter.h"
#include "renderer.h"
#include "splat_gl.h"
#include "target.h"

#endif
