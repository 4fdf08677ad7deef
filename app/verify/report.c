// What the cases share: rows, worlds, and a few measurements.
#include "verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rv_verify_row *new_row(rv_report *report)
{
    if (report->count == report->capacity) {
        int capacity = report->capacity > 0 ? 2 * report->capacity : 64;
        rv_verify_row *moved = realloc(report->rows, (size_t)capacity * sizeof *moved);
        if (!moved) return NULL;
        report->rows = moved, report->capacity = capacity;
    }
    return &report->rows[report->count++];
}

void rv_report_add(rv_report *report, double measured, double exact, double tolerance,
                   const char *quantity, ...)
{
    rv_verify_row *row = new_row(report);
    if (!row) return;
    *row = (rv_verify_row){
        .name = report->name, .measured = measured, .exact = exact, .tolerance = tolerance};
    va_list arguments;
    va_start(arguments, quantity);
    vsnprintf(row->quantity, sizeof row->quantity, quantity, arguments);
    va_end(arguments);
    row->error = exact == 0 ? fabs(measured) : fabs(measured - exact) / fabs(exact);
    row->informs = isnan(tolerance);
    row->pass = !row->informs && row->error <= tolerance; // a NaN that was measured fails
    if (report->show) report->show(row, report->user);
}

rv_world_def rv_verify_def(void)
{
    rv_world_def def = rv_default_world_def();
    def.params.tension_on = false;
    return def;
}

rv_world *rv_verify_world(rv_report *report, rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    def->pool = report->pool, def->device = report->device;
    if (rv_world_create(def, &world, &messages) == RV_OK) return world;
    messages.text[strcspn(messages.text, "\n")] = 0;
    rv_report_add(report, NAN, 0, 0, "world not made: %.70s", messages.text);
    return NULL;
}

bool rv_verify_run(rv_report *report, rv_world *world, double dt, double time)
{
    int64_t steps = llround(time / dt);
    for (int64_t i = 0; i < steps; i++) {
        if (report->progress && i % 50 == 0)
            report->progress(report->name, (double)i / (double)steps, report->user);
        if (rv_world_step(world, dt) != RV_OK) return false;
    }
    return true;
}

rv_stats rv_verify_stats(const rv_world *world)
{
    rv_stats stats;
    memset(&stats, 0, sizeof stats);
    rv_world_get_stats(world, &stats);
    return stats;
}

static double column(const rv_world *world, int x, int y, bool level)
{
    rv_columns c;
    if (rv_world_get_columns(world, &c) != RV_OK || !rv_plane_has(&c.plane[0], x, y)) return NAN;
    size_t slot = rv_slot(&c.plane[0], x, y);
    return (level ? (double)c.base[slot] : 0) + (double)c.depth[slot];
}

double rv_verify_level(const rv_world *world, int x, int y)
{
    return column(world, x, y, true);
}

double rv_verify_depth(const rv_world *world, int x, int y)
{
    return column(world, x, y, false);
}

rv_solid_def rv_verify_box(rv_operation op, double x1, double x2, double y1, double y2, double z1,
                           double z2)
{
    rv_solid_def box = rv_default_solid_def();
    box.shape = RV_SHAPE_BOX, box.op = op;
    box.at = (rv_vec3){0.5 * (x1 + x2), 0.5 * (y1 + y2), 0.5 * (z1 + z2)};
    box.size = (rv_vec3){x2 - x1, y2 - y1, z2 - z1};
    return box;
}

void rv_crossings_add(rv_crossings *c, double time, double value)
{
    if (c->started && ((value > 0) != (c->last_value > 0))) {
        double share = c->last_value / (c->last_value - value);
        double when = c->last_time + share * (time - c->last_time);
        if (c->count == 0) c->first = when;
        c->latest = when;
        c->count++;
    }
    c->started = true, c->last_time = time, c->last_value = value;
}

double rv_crossings_period(const rv_crossings *c)
{
    return c->count < 2 ? NAN : 2 * (c->latest - c->first) / (c->count - 1);
}
