// How things stand, as JSON: for tests and for those who steer the viewer by scripts.
#include "app/view/view.h"

#include "io/atomic_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void text(FILE *out, const char *name, const char *value)
{
    fprintf(out, "  \"%s\": \"", name);
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*c);
        else
            fputc(*c, out);
    }
    fputs("\",\n", out);
}

static void number(FILE *out, const char *name, double value)
{
    if (isfinite(value))
        fprintf(out, "  \"%s\": %.17g,\n", name, value);
    else
        fprintf(out, "  \"%s\": null,\n", name);
}

static void whole(FILE *out, const char *name, int64_t value)
{
    fprintf(out, "  \"%s\": %" PRId64 ",\n", name, value);
}

static void flag(FILE *out, const char *name, bool value)
{
    fprintf(out, "  \"%s\": %s,\n", name, value ? "true" : "false");
}

// How many there are, and where the one is that came last.
static void write_bodies(FILE *out, const rv_view *v, int count)
{
    rv_body_def def;
    rv_body_state state;
    int last = rv_world_body_count(v->stage.world) - 1;
    while (last >= 0 && rv_world_get_body(v->stage.world, last, &def, &state) != RV_OK) last--;
    whole(out, "bodies", count);
    if (last < 0) {
        fputs("  \"body\": null,\n", out);
        return;
    }
    fprintf(out,
            "  \"body\": {\"number\": %d, \"shape\": \"%s\", \"radius\": %.9g, \"density\": "
            "%.9g, \"at\": [%.9g, %.9g, %.9g], \"velocity\": [%.9g, %.9g, %.9g]},\n",
            last, def.shape == RV_BODY_BOX ? "box" : "sphere", def.radius, def.density, state.at.x,
            state.at.y, state.at.z, state.velocity.x, state.velocity.y, state.velocity.z);
}

static void write_world(FILE *out, const rv_view *v)
{
    rv_stats s = {0};
    rv_world_info info = {0};
    rv_world_get_stats(v->stage.world, &s);
    rv_world_get_info(v->stage.world, &info);
    number(out, "time", s.time);
    whole(out, "steps", s.steps);
    number(out, "volume", s.volume);
    number(out, "sourced", s.sourced);
    number(out, "drained", s.drained);
    number(out, "poured", v->tools.poured);
    whole(out, "wet", s.wet);
    number(out, "deepest", s.deepest);
    whole(out, "edits", s.edits);
    whole(out, "columns", info.columns);
    write_bodies(out, v, s.bodies);
    fprintf(out, "  \"hash\": \"%016" PRIx64 "\",\n", rv_world_hash(v->stage.world));
}

static void write_mouse(FILE *out, const rv_view *v)
{
    rv_vec3 at = v->tools.at;
    number(out, "mouse_x", v->mouse.x);
    number(out, "mouse_y", v->mouse.y);
    flag(out, "over", v->tools.over);
    if (v->tools.over)
        fprintf(out, "  \"at\": [%.9g, %.9g, %.9g],\n", at.x, at.y, at.z);
    else
        fputs("  \"at\": null,\n", out);
    text(out, "tool", rv_tool_names[v->tools.tool]);
    number(out, "radius", v->tools.radius[v->tools.tool]);
    number(out, "rate", v->tools.rate);
    number(out, "affinity", v->tools.affinity);
}

static void write_view(FILE *out, const rv_view *v)
{
    const rv_params *p = &v->params;
    number(out, "azimuth", p->view_azimuth);
    number(out, "elevation", p->view_elevation);
    number(out, "zoom", p->view_zoom);
    fprintf(out, "  \"target\": [%.9g, %.9g, %.9g],\n", p->view_x, p->view_y, p->view_z);
    whole(out, "width", v->width);
    whole(out, "height", v->height);
    number(out, "panel", v->panel.shown ? (double)v->panel.width : 0);
    whole(out, "frames", v->frames);
    number(out, "frame_rate", v->clock.rate);
    number(out, "speed", p->view_speed);
    number(out, "real_speed", v->clock.factor);
}

bool rv_view_report(const rv_view *v, const char *path, rv_messages *messages)
{
    static const char *const names[RV_QUANTITIES] = {
        "", "", "ms_simulation", "ms_surface", "ms_meniscus", "ms_rendering"};
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    FILE *out = file.stream;
    fputs("{\n", out);
    text(out, "scene", v->stage.scene.name);
    text(out, "liquid", rv_liquid_get(v->params.liquid_look)->name);
    number(out, "viscosity", v->params.liquid_viscosity);
    fprintf(out, "  \"gravity\": [%.9g, %.9g, %.9g],\n", v->params.gravity.x, v->params.gravity.y,
            v->params.gravity.z);
    text(out, "message", v->panel.note);
    flag(out, "bad", v->panel.note_bad);
    flag(out, "paused", v->clock.paused);
    flag(out, "help", v->panel.help);
    flag(out, "filming", v->capture.video != NULL);
    write_world(out, v);
    write_mouse(out, v);
    write_view(out, v);
    for (int q = RV_Q_SIMULATION; q < RV_QUANTITIES; q++)
        number(out, names[q], (double)rv_history_mean(&v->history, (rv_quantity)q, RV_HISTORY));
    text(out, "driver", rv_target_driver(v->target));
    fprintf(out, "  \"grid\": [%d, %d]\n}\n", v->params.grid_nx, v->params.grid_ny);
    return rv_atomic_commit(&file, messages);
}
