// rivulet/pick.h: what lies under the mouse: liquid or solid on a ray, whatever the world's liquid is made of.
//
//     rv_ray ray = {eye, toward}; // of a pixel: rv_renderer_ray of rivulet_gl
//     rv_pick pick;
//     rv_world_pick(world, &ray, false, &pick);
//     if (pick.over) rv_world_pour(world, pick.at, 0.002, 1e-7);
#ifndef RIVULET_PICK_H
#define RIVULET_PICK_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

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

RV_API rv_scope rv_scope_of(const rv_params *params);
// `solid`: liquid is not in the way.
RV_API rv_result rv_world_pick(const rv_world *world, const rv_ray *ray, bool solid, rv_pick *out);

#ifdef __cplusplus
}
#endif
#endif
