// The camera of the renderer: from view.* to rays, pixels and matrices. All lengths in cells.
#ifndef RENDER_EYE_H
#define RENDER_EYE_H

#include "render/extent.h"

typedef struct rv_eye {
    vec3 at, right, up, forward;
    vec3 target;       // the point that it looks at
    float sx, sy;      // tangents of half the angles of view
    float near, far;   // distances along `forward` between which everything lies
    int width, height; // pixels
} rv_eye;

// Zoom 1 shows all of the block; the lens is the vertical angle, zoom narrows it.
rv_eye rv_eye_of(const rv_params *params, const rv_extent *extent, int width, int height);
// Moves it within its lens, `place` in radii, and turns it so that what is in focus stays where it
// was: `focus` cells behind the target.
void rv_eye_shift(rv_eye *eye, const rv_extent *extent, const float place[2], float radius,
                  float focus);
// To the picture, column by column as GL wants it.
void rv_eye_matrix(const rv_eye *eye, float out[16]);
// The ray through a point of the picture, in pixels from its upper left corner.
vec3 rv_eye_ray(const rv_eye *eye, float px, float py);
// Whether a box is wholly beyond one side of the picture.
bool rv_eye_hides(const rv_eye *eye, vec3 low, vec3 high);
// The pixel a point is seen in. false: outside the picture.
bool rv_eye_pixel(const rv_eye *eye, vec3 p, float *px, float *py);

#endif
