// From a loaded scene to a world: the files of its solids, then the terrain.
#include "app/prepare.h"

typedef struct told {
    const rv_prepare_progress *progress;
    const char *what;
} told;

static void tell(double share, void *user)
{
    const told *t = user;
    if (t->progress && t->progress->show) t->progress->show(t->what, share, t->progress->user);
}

static void note(rv_log_level level, const char *line, void *user)
{
    if (level == RV_LOG_WARNING) rv_messages_add(user, "%s", line);
}

bool rv_prepare_world(rv_scene_file *scene, rv_pool *pool, const rv_prepare_progress *progress,
                      rv_world **out, rv_messages *messages)
{
    *out = NULL;
    told forms = {progress, "reading the files of solids"},
         terrain = {progress, "preparing the terrain"};
    rv_form_work work = rv_default_form_work();
    work.pool = pool;
    work.progress = tell, work.progress_user = &forms;
    if (!rv_scene_load_forms(scene, &work, messages)) return false;

    rv_world_def def = rv_scene_world_def(scene);
    def.pool = pool;
    if (progress) def.backend = progress->backend;
    def.progress = tell, def.progress_user = &terrain;
    rv_messages problems = {0}, warnings = {0};
    def.logger = (rv_logger){note, &warnings};
    rv_result result = rv_world_create(&def, out, &problems);
    rv_world_set_logger(*out, (rv_logger){0});
    if (progress && progress->warnings) rv_scene_place(scene, &warnings, progress->warnings);
    if (result == RV_OK) return true;
    if (problems.count == 0) rv_messages_add(&problems, "%s", rv_result_text(result));
    rv_scene_place(scene, &problems, messages);
    return false;
}
