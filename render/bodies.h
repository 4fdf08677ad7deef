// The rigid bodies of a world on the graphics card: one mesh for all, drawn once for each body.
#ifndef RENDER_BODIES_H
#define RENDER_BODIES_H

#include "render/eye.h"
#include "render/openness.h"

#include <epoxy/gl.h>

enum {
    RV_BODY_MATERIALS = 6,
    RV_BODY_MAP_SIDE = 1024, // of their shadow map
    RV_BODY_NEAR_MAX = 32    // that darken what lies around them
};

// A body as the shaders see it; lengths in cells.
typedef struct rv_body_look {
    float at[3], round;  // middle; radius of its edges, of a sphere all of it
    float half[3], seed; // of its edges; seed: which of those of its kind
    float turn[4];       // unit quaternion x, y, z, w
    uint8_t open[8];     // share of the sky toward -x, -y, -z, 0, +x, +y, +z, 0
} rv_body_look;

typedef struct rv_body_set {
    GLuint array, vertices, indices, instances;
    GLuint near;               // numbers of those that darken what lies around them
    GLuint framebuffer, depth; // as the lamp sees them
    GLsizei index_count;
    rv_body_look *look;  // sorted by material
    rv_body_look *drawn; // those of the last picture
    int count, drawn_count, room;
    int first[RV_BODY_MATERIALS + 1]; // of each material, in `look`
    bool mapped;                      // the shadow map is that of `look` and of its matrix
    float matrix[16];
    int area[4]; // x, y, width and height of what the last picture has of them and of their shadows
    size_t uploaded; // bytes, by the last update
} rv_body_set;

// Takes over the bodies as they are now.
rv_result rv_body_set_update(rv_body_set *set, const rv_world *world, const rv_extent *extent,
                             const rv_openness *openness);
// What the camera must see besides the block: where the scene's bodies begin.
void rv_body_set_peaks(const rv_world *world, rv_extent *extent);
void rv_body_set_free(rv_body_set *set);

// Whether they are others, or elsewhere, than in the last picture.
bool rv_body_set_moved(const rv_body_set *set);
// The part of a picture that shows them and their shadows from a lamp of a radius (its tangent),
// down to the lowest bed.
void rv_body_set_area(const rv_body_set *set, const rv_extent *extent, const rv_eye *eye,
                      vec3 toward, float radius, int area[4]);
void rv_body_set_keep(rv_body_set *set, const int area[4]); // a picture was drawn
// Widens the camera's range of depths to those that are over the grid or beside it.
void rv_body_set_widen(const rv_body_set *set, rv_eye *eye);

// Draws their shadow map, if it is not there yet.
rv_result rv_body_set_map(rv_body_set *set, const float matrix[16], GLuint program);
// Draws those of one material, or all with -1.
void rv_body_set_draw(const rv_body_set *set, int material);

#endif
