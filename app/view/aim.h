// Where things are on the screen: from pixels to rays, from points to pixels, and the camera's
// moves.
#ifndef APP_VIEW_AIM_H
#define APP_VIEW_AIM_H

#include "render/renderer.h"

// The camera of a drawn picture. Pixels count from its upper left corner.
typedef struct rv_aim {
    rv_vec3 eye, forward;
    rv_vec3 right, up; // at distance 1, from the middle of the picture to its edges
    int width, height;
} rv_aim;

rv_aim rv_aim_of(const rv_renderer *renderer, const rv_params *params, int width, int height);
// The pixel in which a point is seen. false: it is behind the camera.
bool rv_aim_pixel(const rv_aim *aim, rv_vec3 point, double *x, double *y);

// Turns the camera by so many pixels of a drag.
void rv_camera_orbit(rv_params *params, double dx, double dy);
// Shifts what the camera looks at, so that a point comes to be seen in a pixel.
void rv_camera_pin(rv_params *params, const rv_aim *aim, rv_vec3 point, double x, double y);
// The part of the zoom by which all of the terrain fits into a window of which `covered` pixels are
// hidden at the right; at most 1.
double rv_camera_fit(const rv_renderer *renderer, const rv_world *world, const rv_params *params,
                     int width, int height, double covered);
// The parameters to draw with, so that what would be in the middle of the window is in the middle
// of what is not covered.
rv_params rv_camera_beside(const rv_renderer *renderer, const rv_params *params, double fit,
                           double covered);

static inline rv_vec3 rv_plus(rv_vec3 a, rv_vec3 b, double s)
{
    return (rv_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double rv_aim_dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

#endif
