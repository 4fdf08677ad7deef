// Checks of a definition before anything is made: ranges by the tables, then what several values
// must satisfy together. Every problem is reported, each on a line that starts with the key.
#define _DEFAULT_SOURCE // sysconf
#include "world/world_internal.h"

#include <stdio.h>
#include <unistd.h>

#define BYTES_PER_COLUMN 100.0

static bool check_box(rv_vec3 from, rv_vec3 to, const char *where, rv_messages *messages)
{
    if (from.x <= to.x && from.y <= to.y && from.z <= to.z) return true;
    rv_messages_add(messages, "%s.to: a component is lower than that of `from`", where);
    return false;
}

static bool check_times(double start, double stop, const char *where, rv_messages *messages)
{
    if (start <= stop) return true;
    rv_messages_add(messages, "%s.stop: %g s is before start, %g s", where, stop, start);
    return false;
}

bool rv_world_check_source(const rv_source_def *source, const char *where, rv_messages *messages)
{
    bool good = rv_table_check(rv_source_table(), source, where, messages);
    return check_times(source->start, source->stop, where, messages) && good;
}

bool rv_world_check_drain(const rv_drain_def *drain, const char *where, rv_messages *messages)
{
    bool good = rv_table_check(rv_drain_table(), drain, where, messages);
    good = check_box(drain->from, drain->to, where, messages) && good;
    return check_times(drain->start, drain->stop, where, messages) && good;
}

// What does not fit under the lid is cut and told (fills.c). A drop so many times as high as the
// grid is a mistake, litres for millilitres, and refused.
#define DROP_TOO_HIGH 100

static bool check_drop(const rv_fill_def *fill, const rv_params *p, const char *where,
                       rv_messages *messages)
{
    const double pi = 3.14159265358979323846;
    double disk = pi * fill->radius * fill->radius, cell = p->grid_dx * p->grid_dx;
    double high = fill->volume / fmax(disk, cell), room = p->grid_top - p->grid_bottom;
    if (!(room > 0) || high <= DROP_TOO_HIGH * room)
        return true; // the grid's own trouble is told already
    rv_messages_add(
        messages,
        "%s.volume: %g m3 in a drop of radius %g m would stand %.3g m high; the grid is "
        "%g m high",
        where, fill->volume, fill->radius, high, room);
    return false;
}

static bool check_fill(const rv_fill_def *fill, const rv_params *params, const char *where,
                       rv_messages *messages)
{
    bool good = rv_table_check(rv_fill_table(), fill, where, messages);
    if (fill->kind != RV_FILL_DROP) return check_box(fill->from, fill->to, where, messages) && good;
    return good && check_drop(fill, params, where, messages);
}

// Memory of the machine in bytes; 0 when it cannot be known.
static double machine_memory(void)
{
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

// A system that promises more memory than it has ends the process later, so the size is checked
// here; an allocator of the host knows better and is asked instead.
#define CELLS_MOST 4.2e9 // slots have numbers of 32 bits
bool rv_world_fits(const rv_world_def *def, rv_messages *messages)
{
    rv_messages unread = {0};
    if (!def) return false;
    if (!messages) messages = &unread;
    const rv_params *p = &def->params;
    double needs = (double)p->grid_nx * p->grid_ny * BYTES_PER_COLUMN, has = machine_memory();
    int ranks = def->ranks && def->ranks->count > 1 ? def->ranks->count : 1;
    needs /= ranks; // at the least
    if ((double)p->grid_nx * p->grid_ny / ranks >= CELLS_MOST) {
        rv_messages_add(messages,
                        "grid.nx: %d x %d cells are more than %d process%s can number, about 4e9 "
                        "each; more ranks share them (docs/scale.md)",
                        p->grid_nx, p->grid_ny, ranks, ranks > 1 ? "es" : "");
        return false;
    }
    if (def->allocator.allocate != rv_default_allocator().allocate || has <= 0 || needs <= has)
        return true;
    rv_messages_add(messages,
                    "grid.nx: %d x %d cells need about %.1f GB of memory; this machine has %.1f GB",
                    p->grid_nx, p->grid_ny, needs * 1e-9, has * 1e-9);
    return false;
}

static bool check_heights(const rv_world_def *def, rv_messages *messages)
{
    const rv_params *p = &def->params;
    int64_t bad = 0, first = 0;
    for (int64_t i = 0; i < (int64_t)p->grid_nx * p->grid_ny; i++)
        if (!isfinite(def->heights[i]) && bad++ == 0) first = i;
    if (bad == 0) return true;
    rv_messages_add(messages, "heights: %lld of the cells are not finite, the first at x %d, y %d",
                    (long long)bad, (int)(first % p->grid_nx), (int)(first / p->grid_nx));
    return false;
}

static bool check_params(const rv_world_def *def, rv_messages *messages)
{
    const rv_params *p = &def->params;
    if (!rv_table_check(rv_params_table(), p, "", messages)) return false;
    bool good = rv_world_fits(def, messages);
    good = rv_world_check_spray(p, messages) && good;
    if (!(p->grid_top > p->grid_bottom)) {
        rv_messages_add(messages, "grid.top: %g m is not above grid.bottom, %g m", p->grid_top,
                        p->grid_bottom);
        good = false;
    } else if ((p->grid_top - p->grid_bottom) / (p->grid_dx * p->grid_stretch) > 65536 &&
               !def->heights) {
        rv_messages_add(messages, "grid.top: more than 65536 samples above grid.bottom; raise "
                                  "grid.stretch");
        good = false;
    }
    const rv_solver_api *api = rv_solver_find(p->solver);
    if (!api) {
        rv_messages_add(messages, "solver: not in this build");
        return false;
    }
    good = api->check(p, def, messages) && good;
    good = rv_world_check_dew(def, messages) && good;
    if (def->device && !api->columns && !api->bulk) {
        rv_messages_add(messages, "solver: %s does not run on the card", api->name);
        good = false;
    }
    return rv_world_check_emitters(def, api, messages) && good;
}

// ---- Changes of the terrain ---------------------------------------------------------------------

static bool finite3(rv_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool rv_world_check_edit(const rv_event_def *e, const char *where, rv_messages *messages)
{
    char tool[64];
    snprintf(tool, sizeof tool, "%.40s.tool", where);
    if (e->tool_count < 1 || !e->tool) {
        rv_messages_add(messages, "%s: missing, there is nothing to %s with", tool,
                        e->kind == RV_EVENT_ADD ? "add" : "carve");
        return false;
    }
    bool good = rv_solids_check(e->tool, e->tool_count, tool, messages);
    if (e->path_count < 0 || (e->path_count > 0 && !e->path)) {
        rv_messages_add(messages, "%.40s.path: %d points given, but the list is missing", where,
                        e->path_count);
        return false;
    }
    for (int i = 0; i < e->path_count; i++) {
        if (finite3(e->path[i])) continue;
        rv_messages_add(messages, "%.40s.path[%d]: not finite", where, i);
        return false;
    }
    return good;
}

static bool has_mover(const rv_world_def *def, int number)
{
    for (int i = 0; i < def->solid_count; i++)
        if (def->solids[i].mover == number) return true;
    return false;
}

// As it is now, turned so, the solver must be able to work with it.
static bool check_turn(const rv_world_def *def, const rv_event_def *e, const char *where,
                       rv_messages *messages)
{
    const rv_solver_api *api = rv_solver_find(def->params.solver);
    rv_messages found = {0};
    rv_params turned = def->params;
    if (!api || !api->check(&turned, NULL, &found)) return true; // told already
    turned.gravity = e->gravity;
    if (api->check(&turned, NULL, &found)) return true;
    rv_messages_add(messages, "%s.%s", where, found.text);
    return false;
}

static bool check_event(const rv_world_def *def, int i, rv_messages *messages)
{
    const rv_event_def *e = &def->events[i];
    char where[32];
    snprintf(where, sizeof where, "events[%d]", i);
    if (!rv_table_check(rv_event_table(), e, where, messages)) return false;
    if (e->kind == RV_EVENT_GRAVITY) return check_turn(def, e, where, messages);
    if (e->kind != RV_EVENT_MOVE) return rv_world_check_edit(e, where, messages);
    if (has_mover(def, e->mover)) return true;
    rv_messages_add(messages, "%s.mover: no solid has mover %d", where, e->mover);
    return false;
}

// What changes needs the field, and a solver whose ground may.
static bool check_changes(const rv_world_def *def, rv_messages *messages)
{
    bool moves = false, edits = false, good = true;
    for (int i = 0; i < def->solid_count && !def->heights; i++) moves |= def->solids[i].mover > 0;
    for (int i = 0; i < def->event_count; i++) edits |= def->events[i].kind != RV_EVENT_GRAVITY;
    if (def->event_count == 0 && !moves) return true;
    const rv_solver_api *api = rv_solver_find(def->params.solver);
    if (api && !api->ground && (edits || moves)) {
        rv_messages_add(messages, "%s: the ground of solver %s does not change",
                        edits ? "events" : "solids", api->name);
        return false;
    }
    if (def->heights && edits) {
        rv_messages_add(messages, "events: terrain made of heights alone cannot change");
        return false;
    }
    if (!def->params.terrain_keep && (edits || moves)) {
        rv_messages_add(messages, "terrain.keep: must be true where the terrain changes");
        good = false;
    }
    for (int i = 0; i < def->event_count; i++) good = check_event(def, i, messages) && good;
    return good;
}

static bool check_count(int count, const void *list, const char *name, rv_messages *messages)
{
    if (count == 0 || (count > 0 && list)) return true;
    rv_messages_add(messages, "%s: %d given, but the list is missing", name, count);
    return false;
}

// Bodies lie on the distance field, or on the beds of a world made of heights.
static bool check_bodies(const rv_world_def *def, rv_messages *messages)
{
    char where[32];
    bool good = true;
    const rv_solver_api *api = rv_solver_find(def->params.solver);
    if (def->body_count > 0 && api && api->traits(&def->params).bodies == RV_BODIES_NONE) {
        rv_messages_add(messages, "bodies: %s", api->traits(&def->params).no_bodies);
        return false;
    }
    if (def->body_count > 0 && !def->heights && !def->params.terrain_keep) {
        rv_messages_add(messages, "terrain.keep: must be true where there are bodies");
        good = false;
    }
    for (int i = 0; i < def->body_count; i++) {
        snprintf(where, sizeof where, "bodies[%d]", i);
        good = rv_world_check_body(&def->bodies[i], &def->params, where, messages) && good;
    }
    return good;
}

// Nothing stands on a pane, and all that gives and takes water are parameters.
static bool check_pane(const rv_world_def *def, const rv_solver_api *api, rv_messages *messages)
{
    int edits = 0;
    for (int i = 0; i < def->event_count; i++) edits += def->events[i].kind != RV_EVENT_GRAVITY;
    const struct {
        const char *name;
        int count;
    } lists[] = {
        {"solids", def->solid_count}, {"fills", def->fill_count}, {"sources", def->source_count},
        {"drains", def->drain_count}, {"events", edits},          {"bodies", def->body_count}};
    bool good = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (lists[i].count == 0) continue;
        rv_messages_add(messages, "%s: solver %s has none; see the parameters %s.*", lists[i].name,
                        api->name, api->name);
        good = false;
    }
    for (int i = 0; i < def->event_count && edits == 0; i++)
        good = check_event(def, i, messages) && good;
    return good;
}

// Whose surface it is is asked of the distance field.
static bool check_angles(const rv_world_def *def, rv_messages *messages)
{
    for (int i = 0; !def->params.terrain_keep && !def->heights && i < def->solid_count; i++) {
        if (!rv_angles_are_said(&def->solids[i])) continue;
        rv_messages_add(messages,
                        "terrain.keep: must be true where solids have contact angles of their own");
        return false;
    }
    return true;
}

bool rv_world_check(const rv_world_def *def, rv_messages *messages)
{
    char where[32];
    bool good = check_count(def->emitter_count, def->emitters, "emitters", messages) &&
                check_params(def, messages);
    if (good && def->heights) good = check_heights(def, messages);
    if (!def->allocator.allocate || !def->allocator.release) {
        rv_messages_add(messages, "allocator: allocate or release is missing");
        good = false;
    }
    if (!check_count(def->solid_count, def->solids, "solids", messages) ||
        !check_count(def->fill_count, def->fills, "fills", messages) ||
        !check_count(def->source_count, def->sources, "sources", messages) ||
        !check_count(def->drain_count, def->drains, "drains", messages) ||
        !check_count(def->event_count, def->events, "events", messages) ||
        !check_count(def->body_count, def->bodies, "bodies", messages))
        return false;
    const rv_solver_api *api = rv_solver_find(def->params.solver);
    if (api && api->traits(&def->params).on_pane) return check_pane(def, api, messages) && good;
    if (!def->heights && !rv_solids_check(def->solids, def->solid_count, "solids", messages))
        good = false;
    good = check_changes(def, messages) && good;
    good = check_angles(def, messages) && good;
    for (int i = 0; i < def->fill_count; i++) {
        snprintf(where, sizeof where, "fills[%d]", i);
        good = check_fill(&def->fills[i], &def->params, where, messages) && good;
    }
    for (int i = 0; i < def->source_count; i++) {
        snprintf(where, sizeof where, "sources[%d]", i);
        good = rv_world_check_source(&def->sources[i], where, messages) && good;
    }
    for (int i = 0; i < def->drain_count; i++) {
        snprintf(where, sizeof where, "drains[%d]", i);
        good = rv_world_check_drain(&def->drains[i], where, messages) && good;
    }
    return check_bodies(def, messages) && good;
}
