// The generated surroundings: a photo studio. Directions: x toward the camera, y to its right, z
// up.
#ifndef RENDER_STUDIO_H
#define RENDER_STUDIO_H

#include "render/vec.h"

// What is seen in a direction; 1 is a white sheet in full light.
vec3 rv_studio(vec3 direction);

#endif
