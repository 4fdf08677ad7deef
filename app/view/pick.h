// What lies under the mouse: liquid or solid on a ray, whatever the world's liquid is made of.
#ifndef APP_VIEW_PICK_H
#define APP_VIEW_PICK_H

#include "rivulet/world.h"

// How a world is seen and touched.
typedef enum rv_scope {
    RV_SCOPE_COLUMNS, // liquid on solids
    RV_SCOPE_SPACE,   // particles in space
    RV_SCOPE_SLICE,   // particles in a vertical plane
    RV_SCOPE_PANE     // drops on a pane
} rv_scope;

typedef struct rv_pick {
    bool over; // there is something
    bool liquid;
    rv_vec3 at, normal; // m, and out of what is there
    rv_vec3 plane;      // normal of the plane in which a hand moves from there on, unit
} rv_pick;

rv_scope rv_scope_of(const rv_params *params);
// `solid`: liquid is not in the way.
rv_pick rv_pick_under(const rv_world *world, const rv_ray *ray, bool solid);

#endif
