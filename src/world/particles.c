// What worlds of particles and panes have besides columns: emitters, rods that stir, and what is
// asked of them.
#include "world/world_internal.h"

#include <stdio.h>
#include <string.h>

// ---- Checks -------------------------------------------------------------------------------------

bool rv_world_check_emitter(const rv_emitter_def *e, const rv_params *params, const char *where,
                            rv_messages *messages)
{
    bool good = rv_table_check(rv_emitter_table(), e, where, messages);
    bool box = e->kind == RV_EMITTER_BLOCK || e->kind == RV_EMITTER_RAIN;
    if (box && !(e->from.x <= e->to.x && e->from.y <= e->to.y && e->from.z <= e->to.z)) {
        rv_messages_add(messages, "%s.to: a component is lower than that of `from`", where);
        good = false;
    }
    if (e->start > e->stop) {
        rv_messages_add(messages, "%s.stop: %g s is before start, %g s", where, e->stop, e->start);
        good = false;
    }
    bool still = e->velocity.x == 0 && e->velocity.y == 0 && e->velocity.z == 0;
    if (e->kind == RV_EMITTER_JET && still) {
        rv_messages_add(messages, "%s.velocity: missing, a jet needs one", where);
        good = false;
    }
    if (params->solver == RV_SOLVER_GLASS && e->kind != RV_EMITTER_DROP) {
        rv_messages_add(messages, "%s.kind: on a pane only drop", where);
        good = false;
    }
    return good;
}

bool rv_world_check_particles(const rv_world_def *def, const rv_solver_api *api,
                              rv_messages *messages)
{
    bool good = true;
    if (def->emitter_count > 0 && !api->emit) {
        rv_messages_add(messages, "emitters: solver %s has no particles to give; use sources",
                        api->name);
        good = false;
    }
    for (int i = 0; i < def->emitter_count; i++) {
        char where[32];
        snprintf(where, sizeof where, "emitters[%d]", i);
        good = rv_world_check_emitter(&def->emitters[i], &def->params, where, messages) && good;
    }
    const rv_map *map = def->affinity;
    if (map && (map->width < 1 || map->height < 1 || !map->value)) {
        rv_messages_add(messages, "affinity: an empty map");
        good = false;
    }
    return good;
}

// ---- Making and ending --------------------------------------------------------------------------

static size_t map_size(const rv_map *map)
{
    return (size_t)map->width * (size_t)map->height;
}

rv_result rv_world_copy_particles(rv_world *world, const rv_world_def *def)
{
    world->backend = def->backend;
    rv_result r = rv_live_make(world, RV_EMITTERS, def->emitters, def->emitter_count);
    if (r != RV_OK || !def->affinity) return r;
    rv_map map = *def->affinity;
    float *value = rv_new(&world->allocator, map_size(&map), sizeof *value);
    if (!value) return RV_OUT_OF_MEMORY;
    memcpy(value, map.value, map_size(&map) * sizeof *value);
    map.value = value;
    world->affinity = map;
    return RV_OK;
}

void rv_world_free_particles(rv_world *world)
{
    const rv_allocator *a = &world->allocator;
    rv_free(a, (void *)(uintptr_t)world->affinity.value, map_size(&world->affinity), sizeof(float));
}

// ---- Emitters -----------------------------------------------------------------------------------

static bool gives_once(const rv_emitter_def *e)
{
    return e->kind == RV_EMITTER_BLOCK || e->kind == RV_EMITTER_DROP;
}

void rv_world_first_particles(rv_world *world)
{
    for (int i = 0; i < world->emitter_count; i++) {
        const rv_emitter_def *e = &world->emitters[i].def;
        if (gives_once(e) && e->start == 0) world->api->emit(world->solver, e, i, 0, 0);
    }
}

// What the definition has at time 0 was given before the first step.
void rv_world_emit(rv_world *world, double time, double dt)
{
    for (int i = 0; i < world->emitter_count; i++) {
        const rv_emitter_def *e = &world->emitters[i].def;
        const rv_name *name = &world->emitters[i].name;
        double from = fmax(time, e->start), to = time + dt;
        if (!gives_once(e)) to = fmin(to, e->stop);
        bool late = e->start > 0 || name->changed;
        bool now = gives_once(e) ? late && e->start >= time && e->start < to : to > from;
        if (!now) continue;
        world->counters.sourced +=
            world->api->emit(world->solver, e, name->number, from, to - from);
    }
}

double rv_world_place_drop(rv_world *world, rv_vec3 at, double volume)
{
    rv_emitter_def drop = rv_default_emitter_def();
    drop.kind = RV_EMITTER_DROP;
    drop.at = at, drop.radius = cbrt(volume * 3 / (4 * 3.14159265358979323846));
    double time = world->counters.time;
    int number = world->roster[RV_EMITTERS].next;
    double given = world->api->emit(world->solver, &drop, number, time, 0);
    world->counters.sourced += given;
    return given;
}

// ---- Stirring -----------------------------------------------------------------------------------

// Distance of a point to the way of the rod, seen from above.
static double distance_to_way(const rv_solver_rod *rod, double x, double y)
{
    double ax = rod->to.x - rod->from.x, ay = rod->to.y - rod->from.y;
    double px = x - rod->from.x, py = y - rod->from.y, length = ax * ax + ay * ay;
    double t = length > 0 ? fmin(fmax((px * ax + py * ay) / length, 0), 1) : 0;
    return hypot(px - t * ax, py - t * ay);
}

// Columns have no rod in them: those that it passes take on its velocity, fewer toward its rim.
static void stir_columns(rv_world *world, const rv_solver_rod *rod)
{
    const rv_column_set *set = &world->columns;
    rv_liquid view = rv_world_view(world);
    double dx = set->grid.dx, u = (rod->to.x - rod->from.x) / rod->seconds,
           v = (rod->to.y - rod->from.y) / rod->seconds;
    double x0 = fmin(rod->from.x, rod->to.x) - rod->radius;
    double x1 = fmax(rod->from.x, rod->to.x) + rod->radius;
    double y0 = fmin(rod->from.y, rod->to.y) - rod->radius;
    double y1 = fmax(rod->from.y, rod->to.y) + rod->radius;
    int i0 = (int)fmin(fmax((x0 - set->grid.x0) / dx - 1, 0), set->grid.nx);
    int i1 = (int)fmin(fmax((x1 - set->grid.x0) / dx + 1, 0), set->grid.nx);
    int j0 = (int)fmin(fmax((y0 - set->grid.y0) / dx - 1, 0), set->grid.ny);
    int j1 = (int)fmin(fmax((y1 - set->grid.y0) / dx + 1, 0), set->grid.ny);
    for (int y = j0; y < j1; y++) {
        for (int x = i0; x < i1; x++) {
            double far = distance_to_way(rod, rv_cell_x(world, x), rv_cell_y(world, y));
            int l = rv_columns_below(set, x, y, fmax(rod->from.z, rod->to.z));
            if (!(far < rod->radius) || l < 0) continue;
            const rv_plane *plane = &set->plane[l];
            size_t slot = rv_slot(plane, x, y);
            double depth = (double)view.depth[slot], volume = depth * dx * dx;
            if (!(depth > world->params.pipes_film)) continue;
            double near = 1 - far * far / (rod->radius * rod->radius);
            float own[2];
            world->api->velocity(world->solver, slot, own);
            world->api->push(world->solver, slot, volume * near * (u - (double)own[0]),
                             volume * near * (v - (double)own[1]));
        }
    }
    world->api->changed(world->solver);
}

static bool is_finite(rv_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

rv_result rv_world_stir(rv_world *world, rv_vec3 from, rv_vec3 to, double radius, double dt)
{
    rv_solver_rod rod = {from, to, radius, dt};
    if (!world || !is_finite(from) || !is_finite(to)) return RV_BAD_ARGUMENT;
    if (!(radius > 0) || !isfinite(radius) || !(dt > 0) || !isfinite(dt)) return RV_BAD_ARGUMENT;
    if (world->api->stir)
        world->api->stir(world->solver, &rod);
    else if (world->api->push)
        stir_columns(world, &rod);
    else
        return RV_BAD_ARGUMENT;
    return RV_OK;
}

// ---- What is asked ------------------------------------------------------------------------------

rv_result rv_world_get_particles(const rv_world *world, rv_particles *out)
{
    if (!world || !out || !world->api->particles) return RV_BAD_ARGUMENT;
    return world->api->particles(world->solver, out);
}

rv_result rv_world_get_density(const rv_world *world, rv_density *out)
{
    if (!world || !out || !world->api->density) return RV_BAD_ARGUMENT;
    return world->api->density(world->solver, out);
}

rv_result rv_world_get_pane(const rv_world *world, rv_pane *out)
{
    if (!world || !out || !world->api->pane) return RV_BAD_ARGUMENT;
    world->api->pane(world->solver, out);
    return RV_OK;
}
