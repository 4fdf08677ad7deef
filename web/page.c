// The entry: a viewer on the page's canvas. The page owns the loop, the window and the panel, and
// calls in here; everything that happens goes through the functions that the command's window uses.
#include "web/page.h"

#include "app/meshes.h"
#include "app/progress.h"
#include "io/snapshot_file.h"
#include "io/state_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Beginning ----------------------------------------------------------------------------------

static bool open_canvas(rv_view *v)
{
    rv_messages messages = {0};
    rv_target_def def = {.kind = RV_TARGET_WINDOW, .width = v->width, .height = v->height};
    if (rv_target_create(&def, &v->target, &messages) == RV_OK &&
        rv_renderer_create(v->target, NULL, &v->renderer, &messages) == RV_OK)
        return true;
    if (messages.count == 0) rv_messages_add(&messages, "drawing cannot begin");
    rv_view_say_all(v, &messages);
    return false;
}

// `software`: the browser draws without a GPU. NULL: no memory; page_failed tells the rest.
PAGE rv_page *page_create(int width, int height, int threads, int software)
{
    rv_page *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    rv_view *v = &p->view;
    rv_messages messages = {0};
    v->width = width, v->height = height;
    v->pool = threads > 1 ? rv_pool_create(threads) : NULL;
    v->panel.shown = true, v->blocks = true;
    v->pixel = 1, v->fit = 1, v->scene_now = -1;
    v->software = software != 0;
    v->signal = &p->signal;
    v->tools.tool = RV_TOOL_POUR;
    v->clock = rv_clock_start(rv_seconds());
    if (!rv_scene_names_list(&v->scenes, &messages)) v->scenes = (rv_scene_names){0};
    open_canvas(v);
    return p;
}

// Why nothing can be drawn; "": it can.
PAGE const char *page_failed(rv_page *p)
{
    return p->view.renderer ? "" : p->view.panel.note;
}

// ---- Frames -------------------------------------------------------------------------------------

PAGE void page_resize(rv_page *p, int width, int height, double pixel)
{
    rv_target_resize(p->view.target, width, height);
    p->view.pixel = pixel > 0 ? pixel : 1;
    p->view.redraw = 3;
}

// Whether something was drawn.
PAGE int page_frame(rv_page *p)
{
    if (!p->opened) return 0;
    if (rv_view_still(&p->view)) {
        rv_clock_forget(&p->view.clock);
        return 0;
    }
    rv_view_frame(&p->view);
    return 1;
}

// Nobody looks: the time until the next frame does not count.
PAGE void page_forget(rv_page *p)
{
    rv_clock_forget(&p->view.clock);
}

// ---- Scenes -------------------------------------------------------------------------------------

PAGE int page_open(rv_page *p, const char *name)
{
    rv_view *v = &p->view;
    bool good = rv_view_open(v, name);
    p->opened |= good;
    return good;
}

PAGE int page_behind(rv_page *p, const char *path)
{
    return rv_view_behind(&p->view, path[0] ? path : NULL);
}

PAGE int page_set(rv_page *p, const char *assignment)
{
    return p->opened && rv_view_set(&p->view, assignment);
}

PAGE int page_liquid(rv_page *p, int which)
{
    return p->opened && rv_view_liquid(&p->view, which);
}

// ---- Mouse, keys and tools ----------------------------------------------------------------------

PAGE void page_mouse(rv_page *p, double x, double y)
{
    if (p->opened) rv_view_mouse(&p->view, x, y);
}

PAGE void page_leave(rv_page *p)
{
    rv_view_leave(&p->view);
}

PAGE void page_press(rv_page *p, int button, int mods)
{
    if (p->opened) rv_view_press(&p->view, (rv_button)button, mods);
}

PAGE void page_release(rv_page *p, int button)
{
    if (p->opened) rv_view_release(&p->view, (rv_button)button);
}

PAGE void page_wheel(rv_page *p, double amount, int mods)
{
    if (p->opened) rv_view_wheel(&p->view, amount, mods);
}

PAGE int page_key(rv_page *p, const char *key, int mods, int repeat)
{
    return p->opened && rv_view_key(&p->view, key, mods, repeat != 0);
}

PAGE void page_tool(rv_page *p, int tool)
{
    char key[2] = {(char)('1' + tool), '\0'};
    if (p->opened) rv_view_key(&p->view, key, 0, false);
}

// The tool's values that a slider sets, with the ends that the window's panel gives them.
static bool tool_slider(rv_tools *t, const char *which, rv_slider *slider, double **value)
{
    const struct {
        const char *name;
        rv_slider slider;
        double *value;
    } all[] = {
        {"radius", {t->radius_low, t->radius_high, true, false}, &t->radius[t->tool]},
        {"rate", {t->rate_low, t->rate_high, true, false}, &t->rate},
        {"density", {50, 12000, true, false}, &t->body.density},
        {"bounce", {0, 1, false, false}, &t->body.restitution},
        {"affinity", {0, 1, false, false}, &t->affinity},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(which, all[i].name) != 0) continue;
        *slider = all[i].slider, *value = all[i].value;
        return true;
    }
    return false;
}

// A value of the tool, from the place of its slider, 0 to 1, as page_panel shows it.
PAGE void page_tool_value(rv_page *p, const char *which, double place)
{
    rv_slider slider;
    double *value;
    if (tool_slider(&p->view.tools, which, &slider, &value))
        *value = rv_slider_value(&slider, place);
    else if (strcmp(which, "box") == 0)
        p->view.tools.body.shape = place > 0.5 ? RV_BODY_BOX : RV_BODY_SPHERE;
    p->view.redraw = 3;
}

// Where that slider stands, 0 to 1.
PAGE double page_tool_place(rv_page *p, const char *which)
{
    rv_slider slider;
    double *value;
    return tool_slider(&p->view.tools, which, &slider, &value) ? rv_slider_place(&slider, *value)
                                                               : 0;
}

// The scene's own gravity, tilted by so much, rad: what a phone feels. Nothing is said of it, many
// times a second; 0: the panel's message says why not.
PAGE int page_lean(rv_page *p, double right, double away)
{
    static const double most = 1.5; // rad, beyond which a sine would come back
    rv_view *v = &p->view;
    if (!p->opened) return 0;
    rv_view_level(v);
    bool good = rv_view_tilt(v, fmax(-most, fmin(most, right)), fmax(-most, fmin(most, away)));
    if (good) rv_view_say(v, false, "%s", "");
    return good;
}

PAGE void page_clear(rv_page *p)
{
    if (p->opened) rv_view_clear(&p->view);
}

// ---- For scripts --------------------------------------------------------------------------------

// As many steps of time.step as come nearest to so many seconds. Their number; -1: it stopped.
PAGE int page_step(rv_page *p, double seconds)
{
    rv_view *v = &p->view;
    if (!p->opened) return -1;
    int steps = (int)lround(seconds / v->params.time_step), done = 0;
    while (done < steps && rv_world_step(v->stage.world, v->params.time_step) == RV_OK) done++;
    v->stale = true, v->redraw = 3;
    rv_clock_forget(&v->clock);
    return done == steps ? done : -1;
}

// A parameter's value, exactly, in SI units; "": there is none of that key.
PAGE const char *page_get(rv_page *p, const char *key)
{
    const rv_field_info *field = rv_table_find(rv_params_table(), key);
    char text[128] = "";
    rv_text_clear(&p->text);
    if (p->opened && field) rv_field_print(field, &p->view.params, text, sizeof text);
    rv_text_add(&p->text, "%s", text);
    return rv_text_get(&p->text);
}

PAGE const char *page_hash(rv_page *p)
{
    rv_text_clear(&p->text);
    if (p->opened) rv_text_add(&p->text, "%016" PRIx64, rv_world_hash(p->view.stage.world));
    return rv_text_get(&p->text);
}

// How things stand, as the viewer's scripts get it, into a file.
PAGE int page_report(rv_page *p, const char *path)
{
    rv_messages messages = {0};
    return p->opened && rv_view_report(&p->view, path, &messages);
}

// ---- Files --------------------------------------------------------------------------------------

static bool save_mesh(rv_view *v, const char *path, rv_messages *messages)
{
    rv_meshes meshes;
    rv_moment moment = rv_moment_begin(); // to be brought up to date
    moment.surface = v->stage.surface;
    rv_meshes_start(&meshes, v->stage.world, &moment, path);
    return rv_meshes_finish(&meshes, v->stage.world, messages);
}

// kind: mesh, terrain, state, snapshot. 0: the message in the panel says why.
PAGE int page_save(rv_page *p, const char *kind, const char *path)
{
    rv_view *v = &p->view;
    rv_messages messages = {0};
    bool good = false;
    if (!p->opened) return 0;
    if (strcmp(kind, "mesh") == 0)
        good = save_mesh(v, path, &messages);
    else if (strcmp(kind, "terrain") == 0)
        good = rv_terrain_export(v->stage.world, path, &messages);
    else if (strcmp(kind, "state") == 0)
        good = rv_state_write(path, v->stage.world, &messages);
    else if (strcmp(kind, "snapshot") == 0)
        good = rv_snapshot_write(path, v->stage.world, &messages);
    if (!good) rv_view_say_all(v, &messages);
    return good;
}

// Takes a picture with the next frame, which is drawn here and now.
PAGE int page_picture(rv_page *p, const char *path)
{
    if (!p->opened) return 0;
    rv_view_take_picture(&p->view, path);
    rv_view_frame(&p->view);
    return !p->view.panel.note_bad;
}

PAGE int page_restore(rv_page *p, const char *path)
{
    rv_view *v = &p->view;
    rv_messages messages = {0};
    if (!p->opened) return 0;
    bool good = rv_snapshot_read(path, v->stage.world, &messages);
    if (!good) {
        rv_view_reset(v); // a world that was half read must not be used
        rv_view_say_all(v, &messages);
    }
    rv_history_clear(&v->history);
    v->stale = true, v->redraw = 3;
    return good;
}
