// Opening scenes, making worlds of them, and going back to their beginning. A world that cannot be
// made leaves the one on the stage as it is.
#include "app/view/stage.h"

#include "app/bench_large.h"
#include "io/mesh_file.h"
#include "rivulet_gl/renderer.h"

#include <stdlib.h>
#include <string.h>

static bool check_size(const rv_params *p, rv_messages *messages)
{
    if ((double)p->grid_nx * p->grid_ny <= RV_STAGE_CELLS_MAX) return true;
    rv_messages_add(messages, "grid: %d x %d cells are more than the viewer takes on", p->grid_nx,
                    p->grid_ny);
    return false;
}

// A landscape has the heights of its own columns and no others.
static bool check_heights(const rv_stage *s, rv_messages *messages)
{
    const rv_params *p = &s->scene.params;
    if (!s->heights || (p->grid_nx == s->cells && p->grid_ny == s->cells)) return true;
    rv_messages_add(messages, "grid: %d x %d cells: %s has %d x %d; land-N has N each way",
                    p->grid_nx, p->grid_ny, s->scene.name, s->cells, s->cells);
    return false;
}

static void free_world(rv_stage *s)
{
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    free(s->start);
    s->surface = NULL, s->world = NULL, s->start = NULL, s->start_size = 0;
}

static bool save_start(rv_stage *s, rv_messages *messages)
{
    s->start_size = rv_world_snapshot_size(s->world);
    s->start = malloc(s->start_size);
    rv_result result =
        s->start ? rv_world_save(s->world, s->start, s->start_size) : RV_OUT_OF_MEMORY;
    if (result == RV_OK) return true;
    rv_messages_add(messages, "%s: %s", s->scene.path, rv_result_text(result));
    return false;
}

// Only where pictures are drawn from it: of a large pane it would take more memory than all the
// rest.
static rv_result update_surface(rv_stage *s)
{
    if (!rv_renderer_wants_surface(s->world, &s->scene.params)) return RV_OK;
    return rv_surface_update_drawn(s->surface, s->world);
}

// World, surface and snapshot for the scene that is there.
static bool make(rv_stage *s, rv_pool *pool, const rv_prepare_progress *progress,
                 rv_messages *messages)
{
    rv_prepare_progress how = progress ? *progress : (rv_prepare_progress){0};
    how.heights = s->heights;
    s->world = NULL, s->surface = NULL, s->start = NULL;
    if (!check_size(&s->scene.params, messages) || !check_heights(s, messages) ||
        !rv_prepare_world(&s->scene, pool, &how, &s->world, messages))
        return false;
    rv_result result = rv_surface_create(s->world, &s->surface);
    if (result == RV_OK) result = update_surface(s);
    if (result != RV_OK) rv_messages_add(messages, "the surface: %s", rv_result_text(result));
    if (result == RV_OK && save_start(s, messages)) return true;
    free_world(s);
    return false;
}

bool rv_stage_open(rv_stage *out, const char *name, const char *const *sets, int set_count,
                   rv_pool *pool, const rv_prepare_progress *progress, rv_messages *messages)
{
    *out = (rv_stage){0};
    bool loaded = rv_land_name(name, &out->cells)
                      ? rv_land_scene(name, out->cells, &out->scene, &out->heights, messages)
                  : rv_mesh_file_is(name) ? rv_model_scene(name, &out->scene, messages)
                                          : rv_scene_load(name, &out->scene, messages);
    if (!loaded) {
        // As elsewhere: problems of the assignments are told together with those of the file.
        rv_scene_file other = {.params = rv_default_params()};
        for (int i = 0; i < set_count; i++) rv_scene_set(&other, sets[i], messages);
        *out = (rv_stage){0};
        return false;
    }
    int before = messages->count;
    for (int i = 0; i < set_count; i++) rv_scene_set(&out->scene, sets[i], messages);
    bool good = messages->count == before &&
                (set_count == 0 || rv_scene_check(&out->scene, messages)) &&
                make(out, pool, progress, messages);
    if (good) return true;
    rv_scene_free(&out->scene);
    free(out->heights);
    *out = (rv_stage){0};
    return false;
}

bool rv_stage_rebuild(rv_stage *stage, const rv_params *params, rv_pool *pool,
                      const rv_prepare_progress *progress, rv_messages *messages)
{
    rv_stage fresh = *stage;
    fresh.scene.params = *params;
    if (!rv_table_check(rv_params_table(), params, "", messages) ||
        !rv_scene_check(&fresh.scene, messages) || !make(&fresh, pool, progress, messages))
        return false;
    free_world(stage);
    *stage = fresh;
    return true;
}

bool rv_stage_reset(rv_stage *s, rv_messages *messages)
{
    rv_result result = rv_world_restore(s->world, s->start, s->start_size, messages);
    if (result == RV_OK) result = update_surface(s);
    if (result == RV_OK) return true;
    rv_messages_add(messages, "reset: %s", rv_result_text(result));
    return false;
}

void rv_stage_close(rv_stage *stage)
{
    free_world(stage);
    rv_scene_free(&stage->scene);
    free(stage->heights);
    *stage = (rv_stage){0};
}
