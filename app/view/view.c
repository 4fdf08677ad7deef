// `rivulet view`: a window in which one pours, drills and turns the scene.
#define _POSIX_C_SOURCE 200809L
#include "app/view/view.h"

#include "app/progress.h"
#include "app/settings.h"
#include "app/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WIDTH 1280
#define HEIGHT 800

static const rv_option options[] = {
    {"--size", "WxH", "size of the window in pixels; default: 1280x800"},
    {"--camera", "A,E[,ZOOM]", "azimuth and elevation of the camera in degrees, and zoom"},
    {"--set", "KEY=VALUE",
     "change a parameter; may be given again and again\n"
     "(`rivulet params SCENE` lists them)"},
    {"--threads", "N", "threads; default: all cores"},
    RV_BACKEND_OPTION,
    {"--out", "DIR", "where pictures and films go; default: the current folder"},
    {"--script", "FILE", "do what a file says, line by line (docs/viewer.md)"},
};
static const rv_command command = {
    "view",
    "SCENE [options]",
    "Opens a window on SCENE: a shipped name (`rivulet scenes`), a YAML file, a mesh (.obj .stl\n"
    ".ply .glb .gltf), which is stood on a plane under a source, or land-N, a landscape of N x N\n"
    "columns to fly over (g). The left button pours, the right one turns, the wheel zooms; F1 "
    "shows\n"
    "all keys. Files may be dropped onto the window.",
    options,
    (int)(sizeof options / sizeof options[0]),
    NULL};

typedef struct view_options {
    const char *scene, *out, *script;
    rv_settings sets;
    rv_backend backend;
    long threads;
    bool sized; // --size was given
} view_options;

static bool take_option(void *user, const char *name, const char *value)
{
    view_options *o = user;
    if (strcmp(name, "--size") == 0) {
        o->sized = true;
        return rv_settings_size(&o->sets, &command, value);
    }
    if (strcmp(name, "--camera") == 0) return rv_settings_camera(&o->sets, &command, value);
    if (strcmp(name, "--set") == 0) return rv_settings_add(&o->sets, &command, value);
    if (strcmp(name, "--threads") == 0)
        return rv_option_whole(&command, name, value, 1, 1024, &o->threads);
    if (strcmp(name, "--backend") == 0) return rv_backend_option(&o->backend, &command, value);
    if (strcmp(name, "--out") == 0)
        o->out = value;
    else
        o->script = value; // --script, the only one left
    return true;
}

// -1: go on; else the exit code.
static int parse(view_options *o, int argc, char **argv)
{
    *o = (view_options){.threads = rv_hardware_threads()};
    int status = rv_args_read(&command, argc, argv, "scene", &o->scene, take_option, o);
    if (status >= 0) return status;
    if (!o->scene)
        return rv_usage_error(&command,
                              "which scene? `rivulet scenes` lists them, or name a YAML file or a "
                              "mesh");
    struct stat folder;
    if (o->out && (stat(o->out, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        return rv_usage_error(&command, "--out %s: there is no such folder", o->out);
    return -1;
}

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

static void show_preparation(const char *what, double share, void *user)
{
    rv_progress_show(user, share, what);
}

static bool open_stage(rv_view *v, const view_options *o, rv_stage *stage)
{
    rv_messages messages = {0};
    rv_progress bar = rv_progress_start(false);
    rv_messages warnings = {0};
    rv_prepare_progress progress = {.show = show_preparation, .user = &bar, .warnings = &warnings};
    bool good =
        rv_stage_open(stage, o->scene, o->sets.text, o->sets.count, v->pool, &progress, &messages);
    rv_progress_clear(&bar);
    rv_print_warnings(&warnings);
    if (!good) rv_print_messages(&messages);
    return good;
}

static bool open_window(rv_view *v, const view_options *o, const rv_stage *stage)
{
    rv_messages messages = {0};
    rv_target_def def = {.kind = RV_TARGET_WINDOW, .title = "rivulet"};
    def.computes = o->backend.is_card;
    def.width = o->sized ? stage->scene.params.view_width : WIDTH;
    def.height = o->sized ? stage->scene.params.view_height : HEIGHT;
    if (rv_target_create(&def, &v->target, &messages) != RV_OK) {
        if (messages.count == 0) rv_messages_add(&messages, "no window can be opened");
        rv_usage_error(&command, "%s; rivulet run --image draws without one", messages.text);
        return false;
    }
    rv_result result = rv_renderer_create(v->target, NULL, &v->renderer, &messages);
    if (result != RV_OK) {
        if (messages.count == 0) rv_messages_add(&messages, "%s", rv_result_text(result));
        rv_print_messages(&messages);
        return false;
    }
    // Before the panel: its own listeners pass everything on to those that were there.
    rv_window_listen(v);
    v->has_panel = rv_panel_start(rv_target_window(v->target), rv_window_scale(v));
    if (v->has_panel) return true;
    rv_usage_error(&command, "the panel cannot be drawn with this driver");
    return false;
}

// A backend that draws needs the window, which needs the scene: so the world is made once more.
static bool open_backend(rv_view *v, const view_options *o, rv_stage *stage)
{
    rv_messages messages = {0};
    rv_params params = stage->scene.params;
    v->backend = o->backend;
    if (!o->backend.wanted) return true;
    bool good = rv_backend_open(&v->backend, v->target, &params, &messages);
    rv_prepare_progress progress = {.backend = rv_backend_table(&v->backend),
                                    .device = rv_backend_device(&v->backend)};
    rv_renderer_set_splat(v->renderer, v->backend.gl);
    good = good && rv_stage_rebuild(stage, &params, v->pool, &progress, &messages);
    if (!good) rv_print_messages(&messages);
    return good;
}

static int run(rv_view *v, const view_options *o)
{
    rv_messages messages = {0};
    rv_stage stage;
    if (o->script && !rv_script_load(&v->script, o->script, &messages))
        return rv_print_messages(&messages);
    if (!has_display())
        return rv_usage_error(&command, "no display: rivulet run --image draws without one");
    if (!open_stage(v, o, &stage)) return RV_EXIT_USAGE;
    if (!open_window(v, o, &stage) || !open_backend(v, o, &stage)) {
        rv_stage_close(&stage);
        return RV_EXIT_USAGE;
    }
    // The list may be missing; then there is nothing to switch to.
    if (!rv_scene_names_list(&v->scenes, &messages)) v->scenes = (rv_scene_names){0};
    v->tools.tool = RV_TOOL_POUR;
    v->clock = rv_clock_start(rv_seconds());
    rv_target_get_size(v->target, &v->width, &v->height);
    const char *driver = rv_target_driver(v->target);
    v->software = strstr(driver, "llvmpipe") || strstr(driver, "softpipe");
    rv_view_say(v, false,
                v->software
                    ? "F1 shows all keys. No GPU here: drawing is slow, a smaller window helps."
                    : "F1 shows all keys");
    rv_view_adopt(v, &stage);
    v->signal = rv_signals_catch();
    rv_window_run(v);
    if (v->capture.video) rv_view_film(v); // a film that still runs is kept
    return *v->signal ? 128 + (int)*v->signal : v->status;
}

int rv_app_view(int argc, char **argv)
{
    view_options *o = calloc(1, sizeof *o);
    rv_view *v = calloc(1, sizeof *v);
    int status = o && v ? parse(o, argc, argv) : rv_usage_error(&command, "not enough memory");
    if (status < 0) {
        v->pool = o->threads > 1 ? rv_pool_create((int)o->threads) : NULL;
        v->capture.folder = o->out;
        v->panel.shown = true;
        v->pixel = 1, v->fit = 1;
        status = run(v, o);
        rv_fly_free(&v->fly);
        rv_capture_free(&v->capture);
        rv_script_free(&v->script);
        rv_scene_names_free(&v->scenes);
        if (v->has_panel) rv_panel_stop();
        rv_stage_close(&v->stage);
        rv_backend_close(&v->backend);
        rv_renderer_destroy(v->renderer);
        rv_target_destroy(v->target);
        rv_pool_destroy(v->pool);
    }
    free(v);
    free(o);
    return status;
}
