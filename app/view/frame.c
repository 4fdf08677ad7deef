// One frame: what a script or the mouse does, simulation, surface, picture, panel.
#include "app/view/view.h"

#include "app/progress.h"

#include <math.h>
#include <string.h>

// Simulation may take this long in a frame, s; then the picture goes first and time runs slower.
#define BUDGET 0.035
#define WEIGH 32       // frames
#define WEIGH_WIDE 512 // with so many columns that bringing them is seen

static void aim(rv_view *v)
{
    bool panel = v->mouse.drag == RV_DRAG_NONE && v->panel.wants_mouse;
    if (v->fly.on) { // what is under the mouse changes in every frame, and costs a look at all
                     // columns
        rv_tools_nowhere(&v->tools);
        return;
    }
    bool turns = v->mouse.drag != RV_DRAG_NONE && v->mouse.drag != RV_DRAG_TOOL;
    if (!v->mouse.inside || panel || turns) {
        rv_tools_nowhere(&v->tools);
        return;
    }
    rv_params drawn = rv_view_drawn(v);
    rv_ray ray = rv_renderer_ray(v->renderer, &drawn, v->mouse.x, v->mouse.y);
    rv_tools_point(&v->tools, v->stage.world, &ray);
}

static void edit(rv_view *v, double seconds)
{
    rv_messages messages = {0};
    if (rv_tools_work(&v->tools, v->stage.world, seconds, &messages)) v->stale = true;
    if (rv_tools_paint(&v->tools, v->stage.world, &messages)) v->stale = true;
    if (messages.count > 0) rv_view_say_all(v, &messages);
}

static void simulate(rv_view *v)
{
    double began = rv_seconds();
    rv_clock_plan plan =
        rv_clock_begin(&v->clock, began, v->params.view_speed, v->params.time_step);
    v->passed = v->hold ? 0 : plan.elapsed;
    if (v->hold) plan.steps = 0;
    if (!v->hold) edit(v, plan.elapsed);
    int done = 0;
    bool in_time = true;
    v->ms_simulation = 0;
    for (; done < plan.steps && in_time; done++) {
        rv_tools_pour(&v->tools, v->stage.world, plan.dt);
        rv_tools_stir(&v->tools, v->stage.world, plan.dt, plan.steps - done);
        rv_result result = rv_world_step(v->stage.world, plan.dt);
        if (result != RV_OK) {
            rv_view_say(v, true, "the simulation stopped: %s", rv_result_text(result));
            v->clock.paused = true;
            break;
        }
        in_time = v->clock.fixed > 0 || rv_seconds() - began < BUDGET;
    }
    v->params.gravity = rv_world_params(v->stage.world)->gravity; // events may have turned it
    if (done > 0) v->ms_simulation = 1e3 * (rv_seconds() - began), v->stale = true;
    double simulated = done * plan.dt;
    rv_clock_end(&v->clock, rv_seconds(), simulated, done == plan.steps);
    // A film shows what happens at the speed that is asked for, however long the frames took here.
    v->film_passed = v->clock.paused ? plan.elapsed : simulated / v->params.view_speed;
    if (v->hold) v->film_passed = 0;
}

static void fly(rv_view *v)
{
    if (!v->fly.on) return;
    rv_fly_turn(&v->fly, &v->params, v->passed);
    rv_params drawn = rv_view_drawn(v);
    rv_aim aim = rv_aim_of(v->renderer, &drawn, v->width, v->height);
    rv_fly_move(&v->fly, &v->params, &aim, v->passed);
}

static void remake_surface(rv_view *v)
{
    rv_messages messages = {0};
    if (!v->stale) return;
    rv_result result = RV_OK;
    if (rv_renderer_wants_surface(v->stage.world, &v->params))
        result = rv_surface_update_drawn(v->stage.surface, v->stage.world);
    if (result == RV_OK)
        result = rv_renderer_update(v->renderer, v->stage.world, v->stage.surface, &messages);
    if (result != RV_OK && messages.count == 0)
        rv_messages_add(&messages, "the surface: %s", rv_result_text(result));
    if (messages.count > 0) rv_view_say_all(v, &messages);
    v->stale = false;
}

void rv_view_get_stats(rv_view *v, rv_stats *out)
{
    rv_stats now;
    bool wide = !rv_renderer_wants_surface(v->stage.world, &v->params);
    if (!v->on_card || v->remembered % (wide ? WEIGH_WIDE : WEIGH) == 1)
        rv_world_get_stats(v->stage.world, &v->stats);
    *out = v->stats;
    if (rv_world_get_counters(v->stage.world, &now) == RV_OK)
        out->time = now.time, out->bodies = now.bodies;
}

static void remember(rv_view *v)
{
    rv_stats stats;
    rv_surface_stats surface = {0};
    rv_renderer_stats drawn = {.ms = -1};
    bool surfaced = rv_renderer_wants_surface(v->stage.world, &v->params);
    if (surfaced) rv_surface_get_counters(v->stage.surface, &surface);
    v->on_card = surfaced ? surface.on_card : rv_world_card_depth(v->stage.world) != 0;
    v->on_card = v->on_card || v->backend.is_card; // or particles, which are brought for statistics
    v->remembered++;
    rv_view_get_stats(v, &stats);
    if (surface.on_card && surface.ms_card > 0)
        surface.ms = surface.ms_card, surface.ms_meniscus = surface.ms_card_meniscus;
    rv_renderer_get_stats(v->renderer, &drawn);
    if (v->clock.paused && v->ms_simulation == 0) return;
    float value[RV_QUANTITIES];
    value[RV_Q_VOLUME] = (float)(1e6 * stats.volume);
    value[RV_Q_WET] = (float)stats.wet;
    value[RV_Q_SIMULATION] = (float)v->ms_simulation;
    value[RV_Q_SURFACE] = (float)(surface.ms - surface.ms_meniscus);
    value[RV_Q_MENISCUS] = (float)surface.ms_meniscus;
    value[RV_Q_RENDERING] = (float)(drawn.ms >= 0 ? drawn.ms : v->ms_drawing);
    rv_history_add(&v->history, value);
}

// The scene as pictures and films have it: all of the window, without panel and marks.
static void draw_clean(rv_view *v)
{
    rv_mark none = {0};
    rv_renderer_set_mark(v->renderer, &none);
    rv_renderer_draw(v->renderer, &v->params);
}

static void take_picture(rv_view *v)
{
    rv_messages messages = {0};
    v->picture = false;
    if (v->picture_path[0] == '\0' &&
        !rv_capture_name(v->capture.folder, v->stage.scene.name, "png", v->picture_path,
                         sizeof v->picture_path)) {
        rv_view_say(v, true, "no name is free for a picture");
        return;
    }
    if (rv_capture_picture(&v->capture, v->target, v->picture_path, &messages))
        rv_view_say(v, false, "saved %s", v->picture_path);
    else
        rv_view_say_all(v, &messages);
}

static void capture(rv_view *v)
{
    bool film = rv_capture_passes(&v->capture, v->film_passed);
    if (!film && !v->picture) return;
    rv_messages messages = {0};
    draw_clean(v);
    if (v->picture) take_picture(v);
    if (film && !rv_capture_add(&v->capture, v->target, &messages)) rv_view_say_all(v, &messages);
}

// The window may have another size, or the panel another width.
static void measure(rv_view *v)
{
    rv_target_get_size(v->target, &v->width, &v->height);
    v->params.view_width = v->width, v->params.view_height = v->height;
    double covered = v->panel.width * v->pixel;
    if (v->width == v->fit_width && v->height == v->fit_height && covered == v->fit_covered) return;
    v->fit = rv_camera_fit(v->renderer, v->stage.world, &v->params, v->width, v->height, covered);
    v->fit_width = v->width, v->fit_height = v->height, v->fit_covered = covered;
}

static void draw(rv_view *v)
{
    rv_params drawn = rv_view_drawn(v);
    rv_mark mark = rv_tools_mark(&v->tools);
    rv_renderer_set_mark(v->renderer, &mark);
    rv_result result = rv_renderer_draw(v->renderer, &drawn);
    // what the update said of it tells more
    if (result != RV_OK && !v->panel.note_bad)
        rv_view_say(v, true, "drawing: %s", rv_result_text(result));
}

void rv_view_show(rv_view *v)
{
    draw(v);
    rv_view_fill_panel(v);
    rv_panel_draw(&v->panel);
    rv_target_present(v->target);
}

static void write_window(rv_view *v)
{
    rv_messages messages = {0};
    if (v->window_path[0] == '\0') return;
    if (!rv_capture_picture(&v->capture, v->target, v->window_path, &messages))
        rv_view_say_all(v, &messages);
    v->window_path[0] = '\0';
}

void rv_view_frame(rv_view *v)
{
    v->hold = false;
    rv_script_advance(v, rv_seconds());
    if (v->quit) return;
    measure(v);
    aim(v);
    simulate(v);
    remake_surface(v);
    fly(v);
    double began = rv_seconds();
    capture(v);
    draw(v);
    v->ms_drawing = 1e3 * (rv_seconds() - began);
    remember(v);
    rv_view_fill_panel(v);
    rv_panel_draw(&v->panel);
    write_window(v);
    rv_target_present(v->target);
    rv_view_take_panel(v);
    v->frames++;
    if (v->redraw > 0) v->redraw--;
}

bool rv_view_still(const rv_view *v)
{
    return v->clock.paused && v->clock.singles == 0 && v->redraw == 0 && !v->stale && !v->picture &&
           v->mouse.drag == RV_DRAG_NONE && !v->panel.moving && !v->capture.video &&
           !rv_script_runs(&v->script) && !v->fly.on;
}
