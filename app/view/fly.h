// Flying over a scene: the camera goes where it looks, and keeps clear of ground and liquid.
#ifndef APP_VIEW_FLY_H
#define APP_VIEW_FLY_H

#include "rivulet_gl/aim.h"

typedef struct rv_fly {
    bool on;
    double speed;        // m/s, as the camera goes
    double turn, pitch;  // rad, still to be turned: to the right, upward
    rv_vec3 at;          // where the camera is
    float *top;          // [side × side] highest ground or liquid of parts of the grid, m
    double low[2], size; // m: their corner; how large a part is
    double clear;        // m, between the camera and that
} rv_fly;

// From where the camera is. false: there are no columns to fly over.
bool rv_fly_begin(rv_fly *fly, const rv_renderer *renderer, const rv_world *world,
                  const rv_params *drawn, int width, int height);
// One press of a key that steers: to the right, upward, faster, each -1, 0 or 1.
void rv_fly_steer(rv_fly *fly, int right, int up, int faster);
// Goes on for so many seconds: first turns `params`; then, with where they would put the camera,
// shifts them so that it is where the flight is.
void rv_fly_turn(rv_fly *fly, rv_params *params, double seconds);
void rv_fly_move(rv_fly *fly, rv_params *params, const rv_aim *aim, double seconds);
void rv_fly_free(rv_fly *fly);

#endif
