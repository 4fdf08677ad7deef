// A texture of noise in space, for materials.
#ifndef RENDER_NOISE_H
#define RENDER_NOISE_H

#include <epoxy/gl.h>

// A cube that repeats, 16 bumps along each side: red is the value, green, blue and alpha its slope
// along x, y and z; all 0 … 1 around 0.5. 0: no memory.
GLuint rv_noise_make(void);

#endif
