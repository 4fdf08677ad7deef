// What stands on the stage: a scene, the world made from it, the surface of its liquid, and how it
// all was at the start.
#ifndef APP_VIEW_STAGE_H
#define APP_VIEW_STAGE_H

#include "io/scene_world.h"

#define RV_STAGE_CELLS_MAX (1 << 26) // a viewer's limit: a mistyped grid must not take all memory

typedef struct rv_stage {
    rv_scene_file scene; // its params are those that the world was made with
    float *heights;      // of a large landscape (app/bench_large.h); NULL: the scene has solids
    int cells;           // of it, each way
    rv_world *world;
    rv_surface *surface;
    void *start; // snapshot of the beginning
    size_t start_size;
} rv_stage;

// Opens a shipped scene, a YAML file, a landscape of any size (land-N), or a mesh, which becomes a
// scene of its own. Assignments may be NULL. false: messages say why, and `out` is empty.
bool rv_stage_open(rv_stage *out, const char *name, const char *const *sets, int set_count,
                   rv_pool *pool, const rv_prepare_progress *progress, rv_messages *messages);
// Makes the world anew with other parameters. false: messages say why, and nothing has changed.
bool rv_stage_rebuild(rv_stage *stage, const rv_params *params, rv_pool *pool,
                      const rv_prepare_progress *progress, rv_messages *messages);
// Back to the beginning, with the parameters as they are now.
bool rv_stage_reset(rv_stage *stage, rv_messages *messages);
void rv_stage_close(rv_stage *stage);

// A scene for a mesh: it stands on a plane, fitted to the grid, under a small source.
bool rv_model_scene(const char *path, rv_scene_file *out, rv_messages *messages);

#endif
