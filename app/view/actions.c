// What can be done in the viewer, whoever asks for it: a key, the panel or a script.
#include "app/view/view.h"

#include "app/progress.h"
#include "io/hdr_file.h"
#include "io/picture_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rv_view_say(rv_view *v, bool bad, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->panel.note, sizeof v->panel.note, format, arguments);
    va_end(arguments);
    v->panel.note_bad = bad;
    v->redraw = v->redraw > 3 ? v->redraw : 3;
}

void rv_view_say_all(rv_view *v, const rv_messages *messages)
{
    rv_view_say(v, true, "%s", messages->text);
}

rv_params rv_view_drawn(const rv_view *v)
{
    double covered = v->panel.shown ? v->panel.width * v->pixel : 0;
    rv_params seen = v->params;
    // who paints wants to see what is painted
    if (v->tools.tool == RV_TOOL_PAINT && seen.view_mode == RV_VIEW_SHADED)
        seen.view_mode = RV_VIEW_AFFINITY;
    return rv_camera_beside(v->renderer, &seen, v->panel.shown ? v->fit : 1, covered);
}

// ---- Things that take long ----------------------------------------------------------------------

static void show_progress(const char *what, double share, void *user)
{
    rv_view *v = user;
    static const double interval = 0.1; // s
    if (v->blocks || rv_seconds() - v->busy_shown < interval) return;
    v->busy_shown = rv_seconds();
    v->panel.busy = what, v->panel.busy_share = share;
    rv_view_show(v);
    v->panel.busy = NULL;
}

rv_prepare_progress rv_view_progress(rv_view *v)
{
    v->busy_shown = rv_seconds();
    return (rv_prepare_progress){.show = show_progress,
                                 .user = v,
                                 .backend = rv_backend_table(&v->backend),
                                 .device = rv_backend_device(&v->backend)};
}

// ---- Scenes -------------------------------------------------------------------------------------

bool rv_view_surround(rv_view *v, const char *path)
{
    rv_messages messages = {0};
    rv_hdr_file picture = {0};
    if (path && !rv_hdr_file_load(path, &picture, &messages)) {
        rv_view_say_all(v, &messages);
        return false;
    }
    rv_environment around = {picture.width, picture.height, picture.rgb};
    rv_result result = rv_renderer_set_environment(v->renderer, path ? &around : NULL);
    if (result != RV_OK) rv_view_say(v, true, "the surroundings: %s", rv_result_text(result));
    rv_hdr_file_free(&picture);
    v->redraw = 3;
    return result == RV_OK;
}

bool rv_view_behind(rv_view *v, const char *path)
{
    rv_messages messages = {0};
    rv_picture_file picture = {0};
    if (path && !rv_picture_load(path, &picture, &messages)) {
        rv_view_say_all(v, &messages);
        return false;
    }
    rv_backdrop behind = {picture.width, picture.height, picture.value};
    rv_result result = rv_renderer_set_backdrop(v->renderer, path ? &behind : NULL);
    if (result != RV_OK) rv_view_say(v, true, "the backdrop: %s", rv_result_text(result));
    rv_picture_free(&picture);
    v->redraw = 3;
    return result == RV_OK;
}

// Which of the shipped scenes is on the stage; -1: none of them.
static int find_scene(const rv_view *v)
{
    char folder[4096], path[4400];
    if (!rv_scene_folder(folder, sizeof folder)) return -1;
    for (int i = 0; i < v->scenes.count; i++) {
        snprintf(path, sizeof path, "%s/%s.yaml", folder, v->scenes.name[i]);
        if (strcmp(path, v->stage.scene.path) == 0) return i;
    }
    return -1;
}

void rv_view_adopt(rv_view *v, rv_stage *stage)
{
    rv_stage old = v->stage;
    v->stage = *stage;
    v->params = stage->scene.params;
    v->params.view_width = v->width, v->params.view_height = v->height;
    // Without a GPU every sample is paid for in full.
    if (v->software) v->params.view_samples = 1;
    rv_rows_make(&v->rows, &v->params, v->params.solver);
    rv_tools_suit(&v->tools, &v->params);
    rv_history_clear(&v->history);
    rv_clock_forget(&v->clock);
    v->mouse.drag = RV_DRAG_NONE;
    v->fly.on = false;
    v->fit_width = 0; // to be found anew
    v->stale = true;
    v->redraw = 3;
    // The renderer lets go of the old world when it is shown another.
    rv_messages messages = {0};
    rv_renderer_update(v->renderer, v->stage.world, v->stage.surface, &messages);
    if (messages.count > 0) rv_view_say_all(v, &messages);
    if (v->stage.scene.environment || old.scene.environment)
        rv_view_surround(v, v->stage.scene.environment);
    if (v->stage.scene.backdrop || old.scene.backdrop) rv_view_behind(v, v->stage.scene.backdrop);
    if (old.world) rv_stage_close(&old);
    v->scene_now = find_scene(v);
    rv_window_title(v);
}

bool rv_view_open(rv_view *v, const char *name)
{
    rv_messages messages = {0};
    const char *dot = strrchr(name, '.');
    if (dot && strcmp(dot, ".hdr") == 0) return rv_view_surround(v, name);
    rv_stage fresh;
    rv_messages warnings = {0};
    rv_prepare_progress progress = rv_view_progress(v);
    progress.warnings = &warnings;
    bool good = rv_stage_open(&fresh, name, NULL, 0, v->pool, &progress, &messages);
    rv_clock_forget(&v->clock);
    if (!good) {
        rv_view_say_all(v, &messages);
        return false;
    }
    rv_view_say(v, false, "opened %s", fresh.scene.name);
    if (warnings.count > 0) rv_view_say(v, false, "%s", warnings.text);
    rv_view_adopt(v, &fresh);
    return true;
}

void rv_view_reset(rv_view *v)
{
    rv_messages messages = {0};
    if (!rv_stage_reset(&v->stage, &messages)) rv_view_say_all(v, &messages);
    rv_history_clear(&v->history);
    rv_clock_forget(&v->clock);
    rv_tools_end(&v->tools);
    v->stale = true;
    v->redraw = 3;
}

// ---- Bodies -------------------------------------------------------------------------------------

void rv_view_throw(rv_view *v)
{
    rv_messages messages = {0};
    rv_view_aim(v);
    if (rv_tools_throw(&v->tools, v->stage.world, &messages) < 0) rv_view_say_all(v, &messages);
    v->stale = true;
    v->redraw = 3;
}

void rv_view_clear(rv_view *v)
{
    int gone = rv_tools_clear(v->stage.world);
    rv_view_say(v, false, gone == 1 ? "1 body removed" : "%d bodies removed", gone);
    v->stale = true;
    v->redraw = 3;
}

// ---- The camera ---------------------------------------------------------------------------------

void rv_view_home(rv_view *v)
{
    const rv_params *p = &v->rows.scene;
    v->params.view_azimuth = p->view_azimuth, v->params.view_elevation = p->view_elevation;
    v->params.view_zoom = p->view_zoom, v->params.view_lens = p->view_lens;
    v->params.view_x = p->view_x, v->params.view_y = p->view_y, v->params.view_z = p->view_z;
    v->fit_width = 0;
    v->fly.on = false;
    v->redraw = 3;
}

void rv_view_fly(rv_view *v)
{
    rv_params drawn = rv_view_drawn(v);
    bool begins = !v->fly.on;
    v->fly.on = false;
    if (!begins)
        rv_view_say(v, false, "landed");
    else if (rv_fly_begin(&v->fly, v->renderer, v->stage.world, &drawn, v->width, v->height))
        rv_view_say(v, false, "flying: arrows steer, w and x: faster, slower, g: stay here");
    else
        rv_view_say(v, true, "there is no ground to fly over");
}

// ---- Parameters ---------------------------------------------------------------------------------

static bool rebuild(rv_view *v, const rv_params *params, rv_messages *messages)
{
    rv_prepare_progress progress = rv_view_progress(v);
    bool good = rv_stage_rebuild(&v->stage, params, v->pool, &progress, messages);
    rv_clock_forget(&v->clock);
    if (!good) return false;
    rv_renderer_update(v->renderer, v->stage.world, v->stage.surface, messages);
    rv_history_clear(&v->history);
    rv_rows_make(&v->rows, &v->rows.scene, params->solver);
    rv_tools_suit(&v->tools, params);
    v->fit_width = 0;
    return true;
}

bool rv_view_apply(rv_view *v, const rv_row *row, const rv_params *wanted)
{
    rv_messages messages = {0};
    rv_params params = *wanted; // may be the panel's, which is drawn while the world is made
    bool good;
    if (row && row->field->fixed) {
        const char *key = row->field->key; // the rows may be others afterwards
        good = rebuild(v, &params, &messages);
        if (good) rv_view_say(v, false, "%s: the world was made anew", key);
    } else {
        good = rv_world_set_params(v->stage.world, &params, &messages) == RV_OK;
    }
    if (messages.count > 0) rv_view_say_all(v, &messages);
    if (good) {
        bool resized = params.view_width != v->params.view_width ||
                       params.view_height != v->params.view_height;
        v->params = params;
        if (resized) rv_window_resize(v);
    }
    v->stale = true;
    v->redraw = 3;
    return good;
}

bool rv_view_set(rv_view *v, const char *assignment)
{
    rv_messages messages = {0};
    rv_scene_file scene = {.params = v->params};
    if (!rv_scene_set(&scene, assignment, &messages)) {
        rv_view_say_all(v, &messages);
        return false;
    }
    if (scene.environment) {
        bool good = rv_view_surround(v, scene.environment);
        rv_scene_free(&scene);
        return good;
    }
    if (scene.backdrop) {
        bool good = rv_view_behind(v, scene.backdrop);
        rv_scene_free(&scene);
        return good;
    }
    size_t length = strcspn(assignment, "= ");
    for (int i = 0; i < v->rows.count; i++) {
        const char *key = v->rows.row[i].field->key;
        if (strlen(key) == length && strncmp(key, assignment, length) == 0)
            return rv_view_apply(v, &v->rows.row[i], &scene.params);
    }
    return rv_view_apply(v, NULL, &scene.params);
}

bool rv_view_liquid(rv_view *v, int which)
{
    rv_params params = v->params;
    const rv_liquid_info *liquid = rv_liquid_get((rv_liquid_look)which);
    if (!liquid) return false;
    rv_params_set_liquid(&params, (rv_liquid_look)which);
    if (!rv_view_apply(v, NULL, &params)) return false;
    char text[32];
    rv_quantity_text("m2/s", liquid->viscosity, text, sizeof text);
    rv_view_say(v, false, "%s: %s, %.4g kg/m3", liquid->name, text, liquid->density);
    return true;
}

// ---- Gravity ------------------------------------------------------------------------------------

static const double steepest = 1.0471975511965976; // rad, 60 degrees: as far as it can be tilted

// A pane has no camera around it: right is across and away is up along it.
static void directions(const rv_view *v, double right[2])
{
    double a = v->params.view_azimuth;
    bool pane = v->params.solver == RV_SOLVER_GLASS;
    right[0] = pane ? 1 : -sin(a), right[1] = pane ? 0 : cos(a);
}

bool rv_view_tilt(rv_view *v, double right, double away)
{
    rv_params params = v->params;
    double size = rv_gravity_size(&params), way[2];
    if (!(size > 0)) {
        rv_view_say(v, true, "there is no gravity to tilt");
        return false;
    }
    directions(v, way);
    // away from the one who looks is a quarter turn to the left of right
    double across = sin(right), along = sin(away);
    double x = params.gravity.x / size + across * way[0] - along * way[1];
    double y = params.gravity.y / size + across * way[1] + along * way[0];
    double sine = sqrt(x * x + y * y), most = sin(steepest);
    if (sine > most) x *= most / sine, y *= most / sine, sine = most;
    if (sine < 1e-6) x = y = sine = 0;
    params.gravity = (rv_vec3){size * x, size * y, -size * sqrt(1 - sine * sine)};
    if (sine == 0) params.gravity = (rv_vec3){0, 0, -size};
    if (!rv_view_apply(v, NULL, &params)) return false;
    rv_view_say(v, false, "gravity tilted by %.1f deg", asin(sine) * 180 / acos(-1));
    return true;
}

void rv_view_level(rv_view *v)
{
    rv_params params = v->params;
    params.gravity = v->rows.scene.gravity;
    if (rv_view_apply(v, NULL, &params)) rv_view_say(v, false, "gravity as the scene has it");
}

// ---- Pictures and films -------------------------------------------------------------------------

void rv_view_take_picture(rv_view *v, const char *path)
{
    snprintf(v->picture_path, sizeof v->picture_path, "%s", path ? path : "");
    v->picture = true;
    v->redraw = v->redraw > 1 ? v->redraw : 1;
}

void rv_view_film(rv_view *v)
{
    rv_messages messages = {0};
    char path[sizeof v->capture.path];
    v->redraw = 3;
    if (v->capture.video) {
        if (rv_capture_end(&v->capture, &messages))
            rv_view_say(v, false, "saved %s, %.1f s", v->capture.path,
                        (double)v->capture.frames / v->capture.rate);
        else
            rv_view_say_all(v, &messages);
        return;
    }
    if (!rv_capture_name(v->capture.folder, v->stage.scene.name, "mp4", path, sizeof path))
        rv_view_say(v, true, "no name is free for a film");
    else if (rv_capture_begin(&v->capture, v->target, path, v->params.view_rate, &messages))
        rv_view_say(v, false, "filming to %s", path);
    else
        rv_view_say_all(v, &messages);
}
