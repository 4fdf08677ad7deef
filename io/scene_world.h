// From a loaded scene to a world: the files of its solids, then the terrain.
#ifndef IO_SCENE_WORLD_H
#define IO_SCENE_WORLD_H

#include "io/scene_file.h"
#include "rivulet_io/scene.h"

// Told now and then: what is being done, and the share of it that is.
typedef struct rv_prepare_progress {
    void (*show)(const char *what, double share, void *user); // NULL: nobody wants to know
    void *user;
    const rv_splat_backend *backend; // where particles are stepped; NULL: the CPU
    rv_messages *warnings;   // what is not as asked for, though the world is made; NULL: not wanted
    const rv_device *device; // where columns live; NULL: the CPU
    const rv_ranks *ranks;   // processes that share the grid; NULL: none
    const float *heights;    // of the terrain, as rv_world_def has them; NULL: it has solids
} rv_prepare_progress;

// false: messages say why, as `FILE:LINE: KEY: …`. The world borrows the scene and the pool.
bool rv_prepare_world(rv_scene_file *scene, rv_pool *pool, const rv_prepare_progress *progress,
                      rv_world **out, rv_messages *messages);

#endif
