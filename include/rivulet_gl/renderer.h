// rivulet_gl/renderer.h: draws a world: terrain and liquid as the scene's view.* and liquid.look say.
//
//     rv_target *target;                        // rivulet_gl/target.h: makes a context
//     rv_renderer *renderer;
//     rv_renderer_create(target, NULL, &renderer, &messages);
//     for (;;) {
//         rv_world_step(world, dt);
//         rv_surface_update(surface, world);
//         rv_renderer_update(renderer, world, surface, &messages);
//         rv_renderer_draw(renderer, rv_world_params(world));
//         rv_target_present(target);
//     }
//
// It sees a world through the public interface only and never changes it.
#ifndef RIVULET_GL_RENDERER_H
#define RIVULET_GL_RENDERER_H

#include "target.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_renderer rv_renderer;
struct rv_splat_gl; // rivulet_gl/splat_gl.h

// What surrounds the scene: a picture of all directions, linear light, rows from the top (up), columns from +x
// toward +y; 1 is a white sheet in full light.
typedef struct rv_environment {
    int width, height;
    const float *rgb; // width × height × 3
} rv_environment;

// `environment` NULL: a generated studio. Copied.
RV_API rv_result rv_renderer_create(rv_target *target, const rv_environment *environment,
                                    rv_renderer **out, rv_messages *messages);
RV_API void rv_renderer_destroy(rv_renderer *renderer);
RV_API rv_result rv_renderer_set_environment(rv_renderer *renderer,
                                             const rv_environment *environment);
// Worlds that are taken over have their particles on this backend, on the same target: their density is drawn from where
// it is. NULL: as they come.
RV_API void rv_renderer_set_splat(rv_renderer *renderer, struct rv_splat_gl *splat);

// What is behind a pane (solver glass): a picture in linear light, rows from the top; 1 is a white sheet in full light. It
// covers the whole pane, seen straight on.
typedef struct rv_backdrop {
    int width, height;
    const float *rgb; // width × height × 3
} rv_backdrop;

// `backdrop` NULL: a street at night by the world's seed, which is also there without this call. Copied.
RV_API rv_result rv_renderer_set_backdrop(rv_renderer *renderer, const rv_backdrop *backdrop);

// Whether a world's liquid is drawn from its surface, and not from what it is made of (splat in 2d and 3d, glass): only
// then rv_surface_update is needed for a picture.
RV_API bool rv_renderer_needs_surface(const rv_params *params);
// The same of a world that is there: a wide one (view.detail) is drawn from its columns, which costs far less.
RV_API bool rv_renderer_wants_surface(const rv_world *world, const rv_params *params);

// Takes over the terrain and the surface as they are now. Only what changed since the last call is uploaded; another
// world than before is taken over whole. `surface` may be NULL where it is not needed.
RV_API rv_result rv_renderer_update(rv_renderer *renderer, const rv_world *world,
                                    const rv_surface *surface, rv_messages *messages);
// Draws into the target. Of the parameters view.* and liquid.look count (they may differ from the world's own).
RV_API rv_result rv_renderer_draw(rv_renderer *renderer, const rv_params *params);
// The same, seen through one place of the lens (view.aperture, view.focus), from its middle in radii: the mean of pictures
// through all of it is blurred where it is not in focus. A pane and a plane of particles have no such depth.
RV_API rv_result rv_renderer_draw_through(rv_renderer *renderer, const rv_params *params, double across,
                                          double up);

// The ray through a point of the target's picture, pixels from its upper left corner, in metres: to pick with.
RV_API rv_ray rv_renderer_ray(const rv_renderer *renderer, const rv_params *params, double px,
                              double py);
// Metres that a pixel is wide at the point that the camera looks at: to pan with.
RV_API double rv_renderer_pixel(const rv_renderer *renderer, const rv_params *params);

// A mark that is drawn over the scene, for tools: a ring of the radius around a point, on the surface with the normal.
typedef struct rv_mark {
    bool shown;
    rv_vec3 at, normal;
    double radius; // m
    float rgb[3];
} rv_mark;
RV_API void rv_renderer_set_mark(rv_renderer *renderer, const rv_mark *mark);

// The passes of a frame that are timed (docs/rendering-inside.md): maps of the lamp; the map of light through liquid;
// a surface in the card's memory made finer from close by; solids; the nearest liquid's depth; solids in that light; the
// liquid behind the nearest; the nearest; what covers the samples; their mean; and the finish.
typedef enum rv_pass {
    RV_PASS_SHADOW,
    RV_PASS_GATHER,
    RV_PASS_NEAR,
    RV_PASS_SOLIDS,
    RV_PASS_FRONT,
    RV_PASS_LIGHT,
    RV_PASS_SECOND,
    RV_PASS_LIQUID,
    RV_PASS_COVER,
    RV_PASS_MEAN,
    RV_PASS_FINISH,
    RV_PASSES
} rv_pass;

typedef struct rv_renderer_stats {
    double ms;            // GPU time of the last drawn frame that is known; -1: the driver has no timers
    // its parts; together more than the whole, since the card waits between parts that are timed
    double ms_shadow, ms_terrain, ms_liquid, ms_post;
    double ms_pass[RV_PASSES];                        // and its passes
    double ms_map;        // of the map of light through liquid when it was last made; -1: not known
    double ms_near;       // of a surface in the card's memory that was made finer from close by, the last time; the same
    double ms_upload;     // wall clock of the last update
    size_t uploaded;      // bytes, in the last update
    int64_t terrain_triangles, liquid_triangles;
    int tiles;            // of the terrain, uploaded in the last update
} rv_renderer_stats;
RV_API rv_result rv_renderer_get_stats(rv_renderer *renderer, rv_renderer_stats *out);

#ifdef __cplusplus
}
#endif
#endif
