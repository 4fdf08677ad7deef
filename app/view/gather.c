// What the panel shows is gathered here, and what was changed in it is done.
#include "app/view/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEAN 30 // frames that the numbers beside the plots of times are a mean of

static float plot_at(const void *source, int which, int back)
{
    return rv_history_at(source, (rv_quantity)which, back);
}

// An axis that begins at 0 and ends at 1, 2 or 5 times a power of ten.
static float round_up(float value)
{
    if (!(value > 0)) return 1;
    double power = pow(10, floor(log10(value))), lead = value / power;
    return (float)(power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10));
}

static void write_ms(float ms, char *out, size_t size)
{
    snprintf(out, size, ms < 10 ? "%.2f ms" : ms < 100 ? "%.1f ms" : "%.0f ms", (double)ms);
}

static void fill_plots(rv_view *v)
{
    static const char *const names[RV_QUANTITIES] = {"volume",  "wet columns", "simulation",
                                                     "surface", "meniscus",    "rendering"};
    _Static_assert((int)RV_QUANTITIES == RV_PANEL_PLOTS, "one plot for each quantity");
    rv_stats stats = {0};
    rv_view_get_stats(v, &stats);
    for (int i = 0; i < RV_QUANTITIES; i++) {
        rv_panel_plot *p = &v->panel.plot[i];
        rv_quantity q = (rv_quantity)i;
        *p = (rv_panel_plot){.name = names[i], .at = plot_at, .source = &v->history, .which = i};
        p->count = v->history.count, p->room = RV_HISTORY;
        p->high = round_up(rv_history_most(&v->history, q));
        if (q == RV_Q_VOLUME)
            rv_quantity_text("m3", stats.volume, p->now, sizeof p->now);
        else if (q == RV_Q_WET)
            snprintf(p->now, sizeof p->now, "%" PRId64, stats.wet);
        else
            write_ms(rv_history_mean(&v->history, q, MEAN), p->now, sizeof p->now);
    }
}

static void fill_state(rv_view *v)
{
    rv_panel *p = &v->panel;
    rv_stats s = {0};
    rv_world_info info = {0};
    char deep[32];
    rv_view_get_stats(v, &s);
    rv_world_get_info(v->stage.world, &info);
    if (v->clock.paused)
        snprintf(p->state, sizeof p->state, "%.3f s   paused", s.time);
    else
        snprintf(p->state, sizeof p->state, "%.2f s   %.2f x real time   %.0f frames/s", s.time,
                 v->clock.factor, v->clock.rate);
    p->bodies = s.bodies;
    rv_quantity_text("m", s.deepest, deep, sizeof deep);
    int used = snprintf(p->numbers, sizeof p->numbers,
                        "%d x %d cells, %d layer%s, %.3g k columns\ndeepest %s, fastest %.3g m/s",
                        v->params.grid_nx, v->params.grid_ny, info.layers,
                        info.layers == 1 ? "" : "s", 1e-3 * (double)info.columns, deep, s.fastest);
    if (s.bodies > 0 && used > 0 && (size_t)used < sizeof p->numbers)
        snprintf(p->numbers + used, sizeof p->numbers - (size_t)used, "\n%d %s", s.bodies,
                 s.bodies == 1 ? "body" : "bodies");
}

void rv_view_fill_panel(rv_view *v)
{
    rv_panel *p = &v->panel;
    p->paused = v->clock.paused;
    p->speed = v->params.view_speed;
    p->tool = (int)v->tools.tool;
    p->tools = rv_tool_names;
    p->radius = v->tools.radius[v->tools.tool], p->rate = v->tools.rate;
    p->radius_low = v->tools.radius_low, p->radius_high = v->tools.radius_high;
    p->rate_low = v->tools.rate_low, p->rate_high = v->tools.rate_high;
    p->affinity = v->tools.affinity;
    p->density = v->tools.body.density, p->restitution = v->tools.body.restitution;
    p->box = v->tools.body.shape == RV_BODY_BOX;
    p->scenes = (const char *const *)v->scenes.name;
    p->scene_count = v->scenes.count, p->scene = v->scene_now;
    p->scene_name = v->stage.scene.name, p->scene_title = v->stage.scene.title;
    p->liquid_count = 0;
    for (int i = 0; i < rv_liquid_count() && i < 16; i++)
        p->liquids[p->liquid_count++] = rv_liquid_get((rv_liquid_look)i)->name;
    p->liquid = (int)v->params.liquid_look;
    p->params = v->params;
    p->rows = &v->rows;
    p->filming = v->capture.video != NULL;
    p->keys = rv_view_keys;
    p->step = p->reset = p->picture = p->film = p->home = p->clear = false;
    p->changed = p->typed_row = -1;
    p->puppet = rv_script_runs(&v->script) && v->script.until == 0;
    p->puppet_x = (float)(v->mouse.x / v->pixel), p->puppet_y = (float)(v->mouse.y / v->pixel);
    fill_state(v);
    fill_plots(v);
}

static void take_typed(rv_view *v)
{
    const rv_row *row = &v->rows.row[v->panel.typed_row];
    rv_params params = v->params;
    char why[256];
    if (rv_field_parse(row->field, v->panel.typed, &params, why, sizeof why))
        rv_view_apply(v, row, &params);
    else
        rv_view_say(v, true, "%s: %s", row->field->key, why);
}

// Of what else can be asked for only one thing happens in a frame; nobody has two hands on the
// mouse.
static void take_rest(rv_view *v, int liquid)
{
    rv_panel *p = &v->panel;
    if (p->typed_row >= 0)
        take_typed(v);
    else if (p->changed >= 0)
        rv_view_apply(v, &v->rows.row[p->changed], &p->params);
    else if (p->liquid != liquid)
        rv_view_liquid(v, p->liquid);
    else if (p->step)
        rv_view_key(v, ".", 0, false);
    else if (p->reset)
        rv_view_reset(v);
    else if (p->picture)
        rv_view_take_picture(v, NULL);
    else if (p->film)
        rv_view_film(v);
    else if (p->home)
        rv_view_home(v);
    else if (p->clear)
        rv_view_clear(v);
}

void rv_view_take_panel(rv_view *v)
{
    rv_panel *p = &v->panel;
    if (p->paused != v->clock.paused) rv_view_key(v, "space", 0, false);
    v->params.view_speed = p->speed;
    if (p->tool != (int)v->tools.tool) {
        v->tools.tool = (rv_tool)p->tool; // its radius is shown in the next frame
    } else {
        v->tools.radius[v->tools.tool] = p->radius;
        v->tools.rate = p->rate, v->tools.affinity = p->affinity;
        v->tools.body.density = p->density, v->tools.body.restitution = p->restitution;
        v->tools.body.shape = p->box ? RV_BODY_BOX : RV_BODY_SPHERE;
    }
    if (p->scene != v->scene_now && p->scene >= 0)
        rv_view_open(v, v->scenes.name[p->scene]);
    else
        take_rest(v, (int)v->params.liquid_look);
}
