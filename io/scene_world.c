// From a scene file to a world: the files of its solids, then the terrain; for the command, and for
// hosts, who know a scene as a handle.
#include "io/scene_world.h"

#include <stdlib.h>
#include <string.h>

struct rv_scene {
    rv_scene_file file;
    bool assigned; // parameters were changed since it was checked
};

rv_scene_work rv_default_scene_work(void)
{
    return (rv_scene_work){.allocator = rv_default_allocator()};
}

typedef struct told {
    const rv_scene_work *work;
    const char *what;
} told;

static void tell(double share, void *user)
{
    const told *t = user;
    if (t->work->progress) t->work->progress(t->what, share, t->work->user);
}

static rv_result load_forms(rv_scene_file *scene, const rv_scene_work *work, rv_messages *messages)
{
    told forms = {work, "reading the files of solids"};
    rv_form_work how = rv_default_form_work();
    how.pool = work->pool, how.allocator = work->allocator;
    how.progress = tell, how.progress_user = &forms;
    return rv_scene_load_forms(scene, &how, messages) ? RV_OK : RV_BAD_DATA;
}

static rv_world_def def_of(const rv_scene_file *scene, const rv_scene_work *work)
{
    rv_world_def def = rv_scene_world_def(scene);
    def.pool = work->pool, def.allocator = work->allocator, def.logger = work->logger;
    def.backend = work->backend, def.device = work->device, def.ranks = work->ranks;
    def.heights = work->heights;
    if (work->affinity) def.affinity = work->affinity;
    return def;
}

// What is not as asked for, though the world is made, is told with its line in the file.
static void note(rv_log_level level, const char *line, void *user)
{
    if (level == RV_LOG_WARNING) rv_messages_add(user, "%s", line);
}

static rv_result make_world(rv_scene_file *scene, const rv_scene_work *work, rv_world **out,
                            rv_messages *warnings, rv_messages *messages)
{
    told terrain = {work, "preparing the terrain"};
    *out = NULL;
    rv_result result = load_forms(scene, work, messages);
    if (result != RV_OK) return result;
    rv_world_def def = def_of(scene, work);
    def.progress = tell, def.progress_user = &terrain;
    rv_messages problems = {0}, noted = {0};
    if (warnings) def.logger = (rv_logger){note, &noted};
    result = rv_world_create(&def, out, &problems);
    if (warnings) {
        rv_world_set_logger(*out, work->logger);
        rv_scene_place(scene, &noted, warnings);
    }
    if (result == RV_OK) return RV_OK;
    if (problems.count == 0) rv_messages_add(&problems, "%s", rv_result_text(result));
    rv_scene_place(scene, &problems, messages);
    return result;
}

bool rv_prepare_world(rv_scene_file *scene, rv_pool *pool, const rv_prepare_progress *progress,
                      rv_world **out, rv_messages *messages)
{
    rv_scene_work work = rv_default_scene_work();
    work.pool = pool;
    if (progress) {
        work.progress = progress->show, work.user = progress->user;
        work.backend = progress->backend, work.device = progress->device;
        work.ranks = progress->ranks, work.heights = progress->heights;
    }
    return make_world(scene, &work, out, progress ? progress->warnings : NULL, messages) == RV_OK;
}

// ---- For hosts ----------------------------------------------------------------------------------

static rv_result open_scene(const char *text, size_t size, const char *path, bool memory,
                            rv_scene **out, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (out) *out = NULL;
    if (!path || !out || (memory && !text)) {
        rv_messages_add(messages, "rv_scene_open: no name, or no place for the scene");
        return RV_BAD_ARGUMENT;
    }
    rv_scene *scene = calloc(1, sizeof *scene);
    if (!scene) {
        rv_messages_add(messages, "%s: not enough memory", path);
        return RV_OUT_OF_MEMORY;
    }
    bool good = memory ? rv_scene_load_memory(text, size, path, &scene->file, messages)
                       : rv_scene_load(path, &scene->file, messages);
    if (good)
        *out = scene;
    else
        free(scene);
    return good ? RV_OK : RV_BAD_DATA;
}

rv_result rv_scene_open(const char *name_or_path, rv_scene **out, rv_messages *messages)
{
    return open_scene(NULL, 0, name_or_path, false, out, messages);
}

rv_result rv_scene_open_memory(const char *text, size_t size, const char *path, rv_scene **out,
                               rv_messages *messages)
{
    return open_scene(text, size, path, true, out, messages);
}

void rv_scene_close(rv_scene *scene)
{
    if (!scene) return;
    rv_scene_free(&scene->file);
    free(scene);
}

rv_result rv_scene_assign(rv_scene *scene, const char *assignment, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!messages) messages = &unread;
    if (!scene || !assignment) {
        rv_messages_add(messages, "rv_scene_assign: no scene or no text");
        return RV_BAD_ARGUMENT;
    }
    if (!rv_scene_set_by(&scene->file, "", assignment, messages)) return RV_BAD_ARGUMENT;
    scene->assigned = true;
    return RV_OK;
}

// What makes a form cannot be told to one that is made. false: it was told.
static bool check_given(const rv_scene_file *file, const rv_scene_form *form, rv_shape shape,
                        rv_messages *messages)
{
    const rv_table *table = rv_form_table();
    bool good = true;
    if (form->shape != shape) {
        rv_messages_add(messages, "%s:%d: %s.shape: '%s' is a form of another shape", file->path,
                        form->line, form->key, form->file);
        good = false;
    }
    for (int i = 0; i < table->count && i < RV_SCENE_FORM_KEYS; i++) {
        if (form->lines[i] == 0) continue;
        rv_messages_add(messages, "%s:%d: %s.%s: belongs to the making of '%s', which is made",
                        file->path, form->lines[i], form->key, table->fields[i].key, form->file);
        good = false;
    }
    return good;
}

rv_result rv_scene_put_form(rv_scene *scene, const char *name, rv_shape shape, const rv_form *form,
                            rv_messages *messages)
{
    if (!scene || !name || !form) {
        rv_messages_add(messages, "rv_scene_put_form: no scene, no name or no form");
        return RV_BAD_ARGUMENT;
    }
    rv_scene_file *file = &scene->file;
    bool good = true, named = false;
    for (int i = 0; i < file->form_count; i++) {
        if (strcmp(file->forms[i].file, name) != 0) continue;
        named = true;
        good = check_given(file, &file->forms[i], shape, messages) && good;
    }
    if (!named) rv_messages_add(messages, "%s: no solid is made from '%s'", file->path, name);
    if (!good || !named) return RV_BAD_ARGUMENT;
    for (int i = 0; i < file->form_count; i++)
        if (strcmp(file->forms[i].file, name) == 0) file->forms[i].given = form;
    return RV_OK;
}

rv_result rv_scene_get_info(const rv_scene *scene, rv_scene_info *out)
{
    if (!scene || !out) return RV_BAD_ARGUMENT;
    const rv_scene_file *f = &scene->file;
    *out = (rv_scene_info){.name = f->name,
                           .title = f->title,
                           .about = f->about,
                           .path = f->path,
                           .params = &f->params,
                           .environment = f->environment,
                           .backdrop = f->backdrop};
    return RV_OK;
}

// What both ways to a world begin with: arguments, and what assignments may have broken.
static rv_result begin(rv_scene *scene, const void *out, rv_messages *messages)
{
    if (!scene || !out) {
        rv_messages_add(messages, "rv_scene_make_world: no scene, or no place for the result");
        return RV_BAD_ARGUMENT;
    }
    if (scene->assigned && !rv_scene_check(&scene->file, messages)) return RV_BAD_ARGUMENT;
    scene->assigned = false;
    return RV_OK;
}

// Lines of warnings, each with its place in the file, to the host's own logger.
static void pass_on(const rv_logger *logger, rv_messages *warnings)
{
    char *line = warnings->text;
    while (logger->write && *line) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        logger->write(RV_LOG_WARNING, line, logger->user);
        if (!end) return;
        line = end + 1;
    }
}

rv_result rv_scene_make_world(rv_scene *scene, const rv_scene_work *work, rv_world **out,
                              rv_messages *messages)
{
    rv_messages unread = {0}, warnings = {0};
    rv_scene_work plain = rv_default_scene_work();
    if (!messages) messages = &unread;
    if (!work) work = &plain;
    if (out) *out = NULL;
    rv_result r = begin(scene, out, messages);
    if (r != RV_OK) return r;
    r = make_world(&scene->file, work, out, &warnings, messages);
    pass_on(&work->logger, &warnings);
    return r;
}

rv_result rv_scene_make_def(rv_scene *scene, const rv_scene_work *work, rv_world_def *out,
                            rv_messages *messages)
{
    rv_messages unread = {0};
    rv_scene_work plain = rv_default_scene_work();
    if (!messages) messages = &unread;
    rv_result r = begin(scene, out, messages);
    if (r == RV_OK) r = load_forms(&scene->file, work ? work : &plain, messages);
    if (r == RV_OK) *out = def_of(&scene->file, work ? work : &plain);
    return r;
}

rv_result rv_scene_list_make(rv_scene_list *out, rv_messages *messages)
{
    rv_messages unread = {0};
    rv_scene_names names;
    if (!messages) messages = &unread;
    if (!out) return RV_BAD_ARGUMENT;
    *out = (rv_scene_list){0, NULL};
    if (!rv_scene_names_list(&names, messages)) return RV_BAD_DATA;
    *out = (rv_scene_list){names.count, names.name};
    return RV_OK;
}

void rv_scene_list_free(rv_scene_list *list)
{
    if (!list) return;
    rv_scene_names names = {list->count, list->name};
    rv_scene_names_free(&names);
    *list = (rv_scene_list){0, NULL};
}
