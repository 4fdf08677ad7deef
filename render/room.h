// What surrounds the scene, ready for the card: a cube of pictures that are blurred more and more
// from level to level, the light of a white sheet by its normal, and the one lamp that throws
// shadows.
#ifndef RENDER_ROOM_H
#define RENDER_ROOM_H

#include "render/vec.h"
#include "rivulet_gl/renderer.h"

#include <epoxy/gl.h>

enum { RV_ROOM_LEVELS = 6, RV_ROOM_SIDE = 256 };

typedef struct rv_room {
    GLuint cube;         // level n: as a surface of roughness n / 5 mirrors it
    bool studio;         // generated: its directions count from the camera's azimuth
    rv_studio_kind kind; // which
    vec3 key;            // toward the brightest lamp
    float key_width;     // tangent of its angular radius
    vec3 key_light;      // light of a white sheet that faces it; 1 is white
    float key_peak;      // its radiance
    vec3 sky[9]; // light of a white sheet as spherical harmonics of its normal, without the lamp
} rv_room;

// `environment` NULL: that studio. Needs a context.
rv_result rv_room_make(rv_room *room, const rv_environment *environment, rv_studio_kind kind);
void rv_room_free(rv_room *room);

#endif
