// rivulet_gl/aim.h: where things are on the screen: from points to pixels, and the camera's moves.
//
//     rv_ray ray = rv_renderer_ray(renderer, &params, mouse_x, mouse_y); // from pixels to rays
//     rv_pick pick;
//     rv_world_pick(world, &ray, false, &pick);                         // what lies there
#ifndef RIVULET_GL_AIM_H
#define RIVULET_GL_AIM_H

#include "renderer.h"

#ifdef __cplusplus
extern "C" {
#endif

// The camera of a drawn picture. Pixels count from its upper left corner.
typedef struct rv_aim {
    rv_vec3 eye, forward;
    rv_vec3 right, up; // at distance 1, from the middle of the picture to its edges
    int width, height;
} rv_aim;

RV_API rv_aim rv_aim_of(const rv_renderer *renderer, const rv_params *params, int width,
                        int height);
// The pixel in which a point is seen. false: it is behind the camera.
RV_API bool rv_aim_pixel(const rv_aim *aim, rv_vec3 point, double *x, double *y);

// Turns the camera by so many pixels of a drag.
RV_API void rv_camera_orbit(rv_params *params, double dx, double dy);
// Shifts what the camera looks at, so that a point comes to be seen in a pixel.
RV_API void rv_camera_pin(rv_params *params, const rv_aim *aim, rv_vec3 point, double x, double y);
// The part of the zoom by which all of the terrain fits into a window of which `covered` pixels are
// hidden at the right; at most 1.
RV_API double rv_camera_fit(const rv_renderer *renderer, const rv_world *world,
                            const rv_params *params, int width, int height, double covered);
// The parameters to draw with, so that what would be in the middle of the window is in the middle
// of what is not covered.
RV_API rv_params rv_camera_beside(const rv_renderer *renderer, const rv_params *params, double fit,
                                  double covered);

#ifdef __cplusplus
}
#endif
#endif
