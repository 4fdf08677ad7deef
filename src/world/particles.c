// What worlds of particles and panes have besides columns: emitters, rods that stir, and what is
// asked of them.
#include "world/world_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Checks -------------------------------------------------------------------------------------

bool rv_world_check_emitter(const rv_emitter_def *e, bool on_pane, const char *where,
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
    if (on_pane && e->kind != RV_EMITTER_DROP) {
        rv_messages_add(messages, "%s.kind: on a pane only drop", where);
        good = false;
    }
    return good;
}

bool rv_world_check_emitters(const rv_world_def *def, const rv_solver_api *api,
                             rv_messages *messages)
{
    bool good = true;
    if (def->emitter_count > 0 && !api->particles && !api->traits(&def->params).has_spray) {
        rv_messages_add(messages, "emitters: solver %s has no particles to give; use sources",
                        api->name);
        good = false;
    }
    for (int i = 0; i < def->emitter_count; i++) {
        char where[32];
        snprintf(where, sizeof where, "emitters[%d]", i);
        good = rv_world_check_emitter(&def->emitters[i], false, where, messages) && good;
    }
    return good;
}

// ---- Making and ending --------------------------------------------------------------------------

rv_result rv_world_copy_emitters(rv_world *world, const rv_world_def *def)
{
    return rv_live_make(world, RV_EMITTERS, def->emitters, def->emitter_count);
}

// ---- Emitters -----------------------------------------------------------------------------------

static bool gives_once(const rv_emitter_def *e)
{
    return e->kind == RV_EMITTER_BLOCK || e->kind == RV_EMITTER_DROP;
}

// What of [from, to] lies within `half` of the middle.
static double clipped(double from, double to, double middle, double half)
{
    return fmax(fmin(to, middle + half) - fmax(from, middle - half), 0);
}

// Volume of a block within the grid; one of a plane is a cell wide.
static double block_volume(const rv_world *world, const rv_emitter_def *e)
{
    const rv_params *p = &world->params;
    double half_z = 0.5 * (p->grid_top - p->grid_bottom), y = p->grid_dx;
    double x = clipped(e->from.x, e->to.x, p->grid_x, 0.5 * p->grid_nx * p->grid_dx);
    if (!world->traits.in_plane)
        y = clipped(e->from.y, e->to.y, p->grid_y, 0.5 * p->grid_ny * p->grid_dx);
    return x * y * clipped(e->from.z, e->to.z, p->grid_bottom + half_z, half_z);
}

// Over columns particles are droplets. All that fly are moved by the whole step at its end: what
// leaves later in it, by what is left of the step then.
static bool put_grain(void *user, const rv_grain *g)
{
    rv_world *world = user;
    rv_spray *s = &world->spray;
    if (rv_spray_slot_at(&world->columns, g->at) == RV_NOWHERE) return false;
    int i = rv_spray_add(s, world->params.spray_droplets, g->at, g->velocity, g->volume);
    if (i < 0) return false;
    s->off[i] = g->off, s->late[i] = fmax(g->when - world->counters.time, 0);
    return true;
}

static double emit_droplets(rv_world *world, const rv_emitter_def *e, int number, double time,
                            double dt)
{
    const rv_params *p = &world->params;
    const rv_emission emission = {.emitter = e,
                                  .grid = &world->columns.grid,
                                  .seed = (uint64_t)p->seed,
                                  .number = number,
                                  .h = p->spray_grain * p->grid_dx,
                                  .time = time,
                                  .dt = dt};
    return rv_spray_emit(&emission, put_grain, world);
}

// Lets an emitter give. A block is put on the lattice of particles, in whole ones, where there is
// room: where that is more than a hundredth off its volume it is told.
static double emit(rv_world *world, int i, double time, double dt)
{
    const rv_emitter_def *e = &world->emitters[i].def;
    int number = world->emitters[i].name.number;
    if (!world->api->particles) return emit_droplets(world, e, number, time, dt);
    double given = world->api->particles->emit(world->solver, e, number, time, dt);
    if (e->kind != RV_EMITTER_BLOCK) return given;
    double asked = block_volume(world, e);
    if (fabs(given - asked) > 0.01 * asked)
        rv_world_warn(world,
                      "emitters[%d]: of its block of %.4g m3, %.4g m3 were placed: in whole "
                      "particles, splat.spacing cells apart, where neither solids nor others are",
                      number, asked, given);
    return given;
}

void rv_world_first_particles(rv_world *world)
{
    for (int i = 0; i < world->emitter_count; i++) {
        const rv_emitter_def *e = &world->emitters[i].def;
        if (gives_once(e) && e->start == 0) emit(world, i, 0, 0);
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
        if (now) world->counters.sourced += emit(world, i, from, to - from);
    }
}

double rv_world_place_drop(rv_world *world, rv_vec3 at, double volume)
{
    rv_emitter_def drop = rv_default_emitter_def();
    drop.kind = RV_EMITTER_DROP;
    drop.at = at, drop.radius = cbrt(volume * 3 / (4 * 3.14159265358979323846));
    double time = world->counters.time;
    int number = world->roster[RV_EMITTERS].next;
    double given = world->api->particles->emit(world->solver, &drop, number, time, 0);
    world->counters.sourced += given;
    return given;
}

// ---- Stirring -----------------------------------------------------------------------------------

static bool is_finite(rv_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

rv_result rv_world_stir(rv_world *world, rv_vec3 from, rv_vec3 to, double radius, double dt)
{
    rv_solver_rod rod = {from, to, radius, dt};
    if (!world || !is_finite(from) || !is_finite(to)) return RV_BAD_ARGUMENT;
    if (!(radius > 0) || !isfinite(radius) || !(dt > 0) || !isfinite(dt)) return RV_BAD_ARGUMENT;
    world->api->stir(world->solver, &rod);
    if (world->api->bulk) world->rod = rod, world->stirred = true; // the others have done it
    return RV_OK;
}

// ---- What is asked ------------------------------------------------------------------------------

rv_result rv_world_fetch(rv_world *world, unsigned what)
{
    if (!world || what > RV_FETCH_ALL) return RV_BAD_ARGUMENT;
    if (world->device) rv_world_view(world); // brings all of it
    return world->api->bulk ? world->api->bulk->fetch(world->solver, what) : RV_OK;
}

rv_result rv_world_get_particles(const rv_world *world, rv_particles *out)
{
    if (!world || !out || !world->api->particles) return RV_BAD_ARGUMENT;
    return world->api->particles->list(world->solver, out);
}

rv_result rv_world_get_density(const rv_world *world, rv_density *out)
{
    if (!world || !out || !world->api->bulk) return RV_BAD_ARGUMENT;
    return world->api->bulk->density(world->solver, out);
}

rv_result rv_world_get_drawn_density(const rv_world *world, double level, rv_density *out)
{
    if (!world || !out || !world->api->bulk || !isfinite(level)) return RV_BAD_ARGUMENT;
    return world->api->bulk->drawn(world->solver, level, out);
}

rv_result rv_world_get_density_card(rv_world *world, double level, rv_density_card *out)
{
    if (!world || !out || !world->device || !world->api->bulk) return RV_BAD_ARGUMENT;
    return world->api->bulk->on_card(world->solver, level, out) ? RV_OK : RV_BAD_ARGUMENT;
}

rv_result rv_world_get_pane(const rv_world *world, rv_pane *out)
{
    if (!world || !out || !world->api->pane) return RV_BAD_ARGUMENT;
    world->api->pane->show(world->solver, out);
    return RV_OK;
}
