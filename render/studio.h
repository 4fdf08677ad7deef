// The generated surroundings: photo studios. Directions: x toward the camera, y to its right, z
// up.
#ifndef RENDER_STUDIO_H
#define RENDER_STUDIO_H

#include "render/vec.h"
#include "rivulet/params.h"

// What is seen in a direction; 1 is a white sheet in full light.
vec3 rv_studio(rv_studio_kind kind, vec3 direction);
// Light of white sheets out of the picture, which brighten shadows; nothing mirrors them.
vec3 rv_studio_sheets(rv_studio_kind kind);
// The tint of the paper behind the scene.
vec3 rv_studio_paper(rv_studio_kind kind);

#endif
