// What the page shows, as JSON: scenes, parameters, and how things stand.
#include "web/page.h"

#include <stdio.h>
#include <string.h>

static rv_text *answer(rv_page *p)
{
    rv_text_clear(&p->text);
    return &p->text;
}

// ---- What there is ------------------------------------------------------------------------------

static void tell_scene(rv_text *t, const char *name)
{
    rv_messages messages = {0};
    rv_scene_file scene;
    char solver[32];
    if (!rv_scene_load(name, &scene, &messages)) return;
    rv_field_print(rv_table_find(rv_params_table(), "solver"), &scene.params, solver,
                   sizeof solver);
    rv_json_open(t, NULL, '{');
    rv_json_string(t, "name", name);
    rv_json_string(t, "title", scene.title);
    rv_json_string(t, "about", scene.about);
    rv_json_string(t, "figure", scene.paper.figure);
    rv_json_string(t, "solver", solver);
    rv_json_close(t, '}');
    rv_scene_free(&scene);
}

// The shipped scenes, the tools, the liquids, the keys and the ways to draw.
PAGE const char *page_lists(rv_page *p)
{
    rv_text *t = answer(p);
    rv_json_open(t, NULL, '{');
    rv_json_string(t, "version", rv_version());
    rv_json_string(t, "driver", rv_target_driver(p->view.target));
    rv_json_open(t, "scenes", '[');
    for (int i = 0; i < p->view.scenes.count; i++) tell_scene(t, p->view.scenes.name[i]);
    rv_json_close(t, ']');
    rv_json_open(t, "tools", '[');
    for (int i = 0; i < RV_TOOLS; i++) rv_json_string(t, NULL, rv_tool_names[i]);
    rv_json_close(t, ']');
    rv_json_open(t, "liquids", '[');
    for (int i = 0; i < rv_liquid_count(); i++) {
        const rv_liquid_info *liquid = rv_liquid_get((rv_liquid_look)i);
        char viscosity[32];
        rv_quantity_text("m2/s", liquid->viscosity, viscosity, sizeof viscosity);
        rv_json_open(t, NULL, '{');
        rv_json_string(t, "name", liquid->name);
        rv_json_string(t, "viscosity", viscosity);
        rv_json_open(t, "colour", '[');
        for (int c = 0; c < 3; c++) rv_json_real(t, NULL, rv_liquid_back(liquid, c));
        rv_json_close(t, ']');
        rv_json_close(t, '}');
    }
    rv_json_close(t, ']');
    rv_json_open(t, "keys", '[');
    for (const rv_panel_key *k = rv_view_keys; k->key; k++) {
        rv_json_open(t, NULL, '[');
        rv_json_string(t, NULL, k->key);
        rv_json_string(t, NULL, k->meaning);
        rv_json_close(t, ']');
    }
    rv_json_close(t, ']');
    rv_json_close(t, '}');
    return rv_text_get(t);
}

// ---- Parameters ---------------------------------------------------------------------------------

static const char *const type_names[] = {"real", "whole", "flag", "word", "vector"};

// A bound of the range, as a person reads it.
static void tell_bound(rv_text *t, const char *name, const rv_field_info *f, double value)
{
    char text[64] = "0"; // of any unit
    if (value != 0) rv_quantity_text(f->unit, value, text, sizeof text);
    rv_json_string(t, name, text);
}

static void tell_row(rv_text *t, const rv_row *row, const rv_params *scene)
{
    const rv_field_info *f = row->field;
    char own[96];
    rv_row_text(row, scene, own, sizeof own);
    rv_json_open(t, NULL, '{');
    rv_json_string(t, "key", f->key);
    rv_json_string(t, "group", row->group);
    rv_json_string(t, "label", row->label);
    rv_json_string(t, "type", type_names[f->type]);
    rv_json_string(t, "unit", f->unit);
    rv_json_string(t, "words", f->words);
    rv_json_string(t, "meaning", f->meaning);
    rv_json_string(t, "scene", own);
    rv_json_flag(t, "shapes", row->field->fixed);
    if (f->type == RV_REAL || f->type == RV_WHOLE) {
        tell_bound(t, "low", f, f->low);
        tell_bound(t, "high", f, f->high);
    }
    rv_json_close(t, '}');
}

// Every parameter that does something here.
PAGE const char *page_rows(rv_page *p)
{
    rv_text *t = answer(p);
    rv_json_open(t, NULL, '[');
    for (int i = 0; p->opened && i < p->view.rows.count; i++)
        tell_row(t, &p->view.rows.row[i], &p->view.rows.scene);
    rv_json_close(t, ']');
    return rv_text_get(t);
}

static bool is_number(const rv_row *row)
{
    return row->field->type == RV_REAL || row->field->type == RV_WHOLE;
}

// The value of each row: its text, and the places of its sliders: of numbers one, of vectors three.
PAGE const char *page_values(rv_page *p)
{
    rv_text *t = answer(p);
    const rv_view *v = &p->view;
    rv_json_open(t, NULL, '[');
    for (int i = 0; p->opened && i < v->rows.count; i++) {
        const rv_row *row = &v->rows.row[i];
        char text[96];
        rv_row_text(row, &v->params, text, sizeof text);
        rv_json_string(t, NULL, text);
        rv_json_open(t, NULL, '[');
        if (is_number(row))
            rv_json_real(t, NULL, rv_slider_place(&row->slider, rv_row_get(row, &v->params)));
        for (int c = 0; row->field->type == RV_VECTOR && c < 3; c++) {
            double part = rv_row_get_part(row, &v->params, c);
            rv_json_real(t, NULL, rv_slider_place(&row->part[c], part));
        }
        rv_json_close(t, ']');
    }
    rv_json_close(t, ']');
    return rv_text_get(t);
}

// Those that differ from the scene's own, "key=value" each, exactly: for links.
PAGE const char *page_changes(rv_page *p)
{
    rv_text *t = answer(p);
    const rv_view *v = &p->view;
    rv_json_open(t, NULL, '[');
    for (int i = 0; p->opened && i < v->rows.count; i++) {
        const rv_field_info *f = v->rows.row[i].field;
        char now[96], own[96], both[256];
        rv_field_print(f, &v->params, now, sizeof now);
        rv_field_print(f, &v->rows.scene, own, sizeof own);
        bool size = strcmp(f->key, "view.width") == 0 || strcmp(f->key, "view.height") == 0;
        if (size || strcmp(now, own) == 0) continue;
        snprintf(both, sizeof both, "%s=%s", f->key, now);
        rv_json_string(t, NULL, both);
    }
    rv_json_close(t, ']');
    return rv_text_get(t);
}

// From the place of a row's slider, of vectors the one of a component; 0: the panel's message says
// why not.
PAGE int page_slide(rv_page *p, int index, int part, double place)
{
    rv_view *v = &p->view;
    if (!p->opened || index < 0 || index >= v->rows.count) return 0;
    const rv_row *row = &v->rows.row[index];
    rv_params params = v->params;
    if (is_number(row)) rv_row_set(row, &params, rv_slider_value(&row->slider, place));
    if (row->field->type == RV_VECTOR && part >= 0 && part < 3)
        rv_row_set_part(row, &params, part, rv_slider_value(&row->part[part], place));
    return rv_view_apply(v, row, &params);
}

// Back to the scene's value.
PAGE int page_back(rv_page *p, int index)
{
    rv_view *v = &p->view;
    if (!p->opened || index < 0 || index >= v->rows.count) return 0;
    const rv_row *row = &v->rows.row[index];
    rv_params params = v->params;
    char own[96], why[128];
    rv_field_print(row->field, &v->rows.scene, own, sizeof own);
    return rv_field_parse(row->field, own, &params, why, sizeof why) &&
           rv_view_apply(v, row, &params);
}

PAGE int page_matches(rv_page *p, int index, const char *search)
{
    const rv_panel_rows *rows = &p->view.rows;
    return p->opened && index >= 0 && index < rows->count &&
           rv_row_matches(&rows->row[index], search);
}

// Whether gravity may have a direction, so that a scene can be tilted.
PAGE int page_can_tilt(rv_page *p)
{
    rv_params params = p->view.params;
    char why[128];
    const rv_field_info *field = rv_table_find(rv_params_table(), "gravity");
    return p->opened && rv_field_parse(field, "0 1 -9", &params, why, sizeof why);
}

// ---- How things stand ---------------------------------------------------------------------------

static void tell_tool(rv_text *t, rv_page *p)
{
    const rv_view *v = &p->view;
    const rv_tools *k = &v->tools;
    char text[48];
    double radius = k->radius[k->tool];
    rv_json_whole(t, "tool", (long long)k->tool);
    rv_json_flag(t, "over", k->over);
    rv_quantity_text("m", radius, text, sizeof text);
    rv_json_string(t, "radius", text);
    rv_json_real(t, "radius_place", page_tool_place(p, "radius"));
    rv_quantity_text("m3/s", k->rate, text, sizeof text);
    rv_json_string(t, "rate", text);
    rv_json_real(t, "rate_place", page_tool_place(p, "rate"));
    rv_json_real(t, "density", k->body.density);
    rv_json_real(t, "density_place", page_tool_place(p, "density"));
    rv_json_real(t, "bounce", k->body.restitution);
    rv_json_real(t, "affinity", k->affinity);
    rv_json_flag(t, "box", k->body.shape == RV_BODY_BOX);
    rv_json_flag(t, "dragging", v->mouse.drag != RV_DRAG_NONE);
}

PAGE const char *page_panel(rv_page *p)
{
    rv_text *t = answer(p);
    const rv_view *v = &p->view;
    const rv_panel *panel = &v->panel;
    rv_json_open(t, NULL, '{');
    rv_json_string(t, "note", panel->note);
    rv_json_flag(t, "bad", panel->note_bad);
    if (p->opened) {
        rv_json_string(t, "scene", v->stage.scene.name);
        rv_json_string(t, "title", v->stage.scene.title);
        rv_json_string(t, "about", v->stage.scene.about);
        rv_json_string(t, "path", v->stage.scene.path);
        rv_json_whole(t, "shipped", v->scene_now);
        rv_json_flag(t, "paused", v->clock.paused);
        rv_json_real(t, "speed", v->params.view_speed);
        rv_json_real(t, "factor", v->clock.factor);
        rv_json_real(t, "rate", v->clock.rate);
        rv_json_string(t, "state", panel->state);
        rv_json_string(t, "numbers", panel->numbers);
        rv_json_whole(t, "bodies", panel->bodies);
        rv_json_whole(t, "liquid", (long long)v->params.liquid_look);
        rv_json_whole(t, "solver", (long long)v->params.solver);
        rv_json_whole(t, "mode", (long long)v->params.view_mode);
        rv_json_flag(t, "wiper", v->params.glass_wiper);
        rv_json_flag(t, "filming", v->capture.video != NULL);
        rv_json_whole(t, "frames", v->frames);
        rv_json_open(t, "tool_state", '{');
        tell_tool(t, p);
        rv_json_close(t, '}');
        rv_json_open(t, "plots", '[');
        for (int i = 0; i < RV_PANEL_PLOTS; i++) {
            rv_json_open(t, NULL, '{');
            rv_json_string(t, "name", panel->plot[i].name);
            rv_json_string(t, "now", panel->plot[i].now);
            rv_json_real(t, "low", (double)panel->plot[i].low);
            rv_json_real(t, "high", (double)panel->plot[i].high);
            rv_json_close(t, '}');
        }
        rv_json_close(t, ']');
    }
    rv_json_close(t, '}');
    return rv_text_get(t);
}

// The last values of a plot, oldest first; how many they are.
PAGE int page_plot(rv_page *p, int which, float *out, int room)
{
    const rv_panel_plot *plot = &p->view.panel.plot[which];
    int count = plot->at && plot->count < room ? plot->count : plot->at ? room : 0;
    for (int i = 0; i < count; i++) out[i] = plot->at(plot->source, plot->which, count - 1 - i);
    return count;
}
