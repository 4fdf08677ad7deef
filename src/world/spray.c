// Spray in a world: which columns give droplets, where droplets give their volume back, and their
// part in a step and in a snapshot. What the rules are is told in docs/spray.md.
//
// In each substep, liquid that ran over an edge is taken from the column it came to and hangs at
// the edge until it is a drop; at the end of a step crests throw, all that flies is moved, and what
// came down is given to columns. A depth has single precision, so a column gives or takes a little
// more or less than was asked: what it really gave is the volume of the droplets, and what it did
// not take is owed, and goes with the next droplet that lands.
#include "spray/spray.h"
#include "base/hash.h"
#include "world/world_internal.h"

#include <stddef.h>
#include <string.h>

#define AIR_DENSITY 1.2   // kg/m³
#define SPEED_MOST 1e6    // m/s, that is believed
#define DROPS_PER_THROW 8 // of one column in one step
#define HANG_HALVES 0.1   // s in which the size at which a hanging drop lets go halves
#define CREST_WAVE 0.785  // wave number of a crest, of eight cells, times the side of a cell
#define SPENT_MOST 0.5    // of the energy of what flows together in a column, in one step

// ---- Room and checks ----------------------------------------------------------------------------

bool rv_world_check_spray(const rv_params *params, rv_messages *messages)
{
    const rv_solver_api *api = rv_solver_find(params->solver);
    if (params->spray_on && api && !api->traits(params).has_spray) {
        rv_messages_add(messages, "spray.on: solver %s throws no droplets", api->name);
        return false;
    }
    if (params->spray_smallest <= params->spray_largest) return true;
    rv_messages_add(messages, "spray.smallest: %g is more than spray.largest, %g",
                    params->spray_smallest, params->spray_largest);
    return false;
}

bool rv_world_spray_room(rv_world *world, const rv_params *params, int count)
{
    bool gives = world->emitter_count > 0 && !world->api->particles;
    if ((params->spray_on || gives) && count < params->spray_droplets)
        count = params->spray_droplets;
    if (rv_world_list_edges(world, params) && count < params->spray_droplets)
        count = params->spray_droplets;
    return rv_spray_make_room(&world->spray, count) &&
           (!params->spray_on || rv_spray_make_slots(&world->spray, world->columns.slots));
}

// ---- Asking and throwing ------------------------------------------------------------------------

rv_result rv_world_get_droplets(const rv_world *world, rv_droplets *out)
{
    if (!world || !out) return RV_BAD_ARGUMENT;
    const rv_spray *s = &world->spray;
    *out = (rv_droplets){s->count, s->at, s->velocity, s->radius, s->form};
    return RV_OK;
}

// No component is larger, or not a number.
static bool is_within(rv_vec3 v, double most)
{
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

// More than many grids could hold is no droplet.
static double most_volume(const rv_world *world)
{
    const rv_params *p = &world->params;
    return 1e3 * p->grid_nx * p->grid_ny * p->grid_dx * p->grid_dx * (p->grid_top - p->grid_bottom);
}

double rv_world_throw(rv_world *world, rv_vec3 at, rv_vec3 velocity, double volume)
{
    if (!world || !world->params.spray_on || !is_within(at, 1e9) ||
        !is_within(velocity, SPEED_MOST))
        return 0;
    if (!(volume > 0) || !(volume <= most_volume(world))) return 0;
    if (rv_spray_slot_at(&world->columns, at) == RV_NOWHERE) return 0;
    if (rv_spray_add(&world->spray, world->params.spray_droplets, at, velocity, volume) < 0)
        return 0;
    world->counters.sourced += volume;
    return volume;
}

// ---- Liquid that leaves -------------------------------------------------------------------------

static double area_of(const rv_world *world)
{
    return world->params.grid_dx * world->params.grid_dx;
}

double rv_world_take(rv_world *world, size_t slot, double volume)
{
    return -rv_world_add(world, slot, -volume / area_of(world)) * area_of(world);
}

// Chance of this step for a cell and the next droplet; `draw` tells several apart. In [0, 1).
static double chance(const rv_world *world, int x, int y, int draw)
{
    uint64_t step = (uint64_t)world->counters.steps ^ (uint64_t)world->params.seed << 32;
    uint64_t cell = (uint64_t)(uint32_t)y << 32 | (uint32_t)x;
    return rv_spray_chance(step, cell * 16 + (uint64_t)draw + ((uint64_t)world->spray.count << 40));
}

// The same in [-1, 1).
static double either_way(const rv_world *world, int x, int y, int draw)
{
    return 2 * chance(world, x, y, draw) - 1;
}

// Volume of a droplet of a size by chance.
static double some_volume(const rv_world *world, double chance_of_size)
{
    const rv_params *p = &world->params;
    double r = p->spray_smallest + (p->spray_largest - p->spray_smallest) * chance_of_size;
    return rv_ball_volume(r * p->grid_dx);
}

void rv_world_start_back(const rv_world *world, rv_vec3 *at, rv_vec3 *v, double time, double floor_)
{
    rv_vec3 g = world->params.gravity;
    at->z = fmax(at->z - time * (v->z - 0.5 * g.z * time), floor_);
    v->x -= g.x * time, v->y -= g.y * time, v->z -= g.z * time;
}

// One droplet of a crest; the column loses the momentum that it takes along.
static void throw_one(rv_world *world, const rv_crest *c, double volume, double dt)
{
    const rv_params *p = &world->params;
    double wild = p->spray_spread * c->rise, dx = p->grid_dx;
    rv_vec3 at = {rv_cell_x(world, c->x) + 0.45 * dx * either_way(world, c->x, c->y, 1),
                  rv_cell_y(world, c->y) + 0.45 * dx * either_way(world, c->x, c->y, 2), c->level};
    rv_vec3 v = {c->u + wild * either_way(world, c->x, c->y, 3),
                 c->v + wild * either_way(world, c->x, c->y, 4),
                 c->rise + wild * either_way(world, c->x, c->y, 5)};
    rv_world_start_back(world, &at, &v, dt * chance(world, c->x, c->y, 6),
                        (double)world->columns.base[c->slot]);
    rv_spray_add(&world->spray, p->spray_droplets, at, v, volume);
    rv_world_put_push(world, c->slot, -volume * v.x, -volume * v.y);
}

// What a crest gives (m³), at most `most`: droplets take the kinetic energy with which they rise
// from the flow that lifts the column.
static double take_crest(rv_world *world, const rv_crest *c, double most)
{
    double wild = world->params.spray_spread, smallest = some_volume(world, 0);
    double sideways = c->u * c->u + c->v * c->v;
    const rv_entry entry = {.kind = RV_ENTRY_THROW,
                            .slot = c->slot,
                            .amount = fmin(c->depth * area_of(world), most),
                            .least = smallest,
                            .energy = 0.5 * (c->rise * c->rise * (1 + wild * wild) + sideways),
                            .share = SPENT_MOST};
    return rv_world_take_crest(world, &entry);
}

static bool throw_crest(rv_world *world, const rv_crest *c, double dt)
{
    int room = world->params.spray_droplets - world->spray.count;
    int most = room < DROPS_PER_THROW ? room : DROPS_PER_THROW;
    double largest = some_volume(world, 1), smallest = some_volume(world, 0);
    if (most <= 0) {
        world->spray.refused++;
        return false;
    }
    double left = take_crest(world, c, most * largest);
    if (!(left > 0)) return false;
    for (int k = 0; left > 0; k++) {
        double volume = some_volume(world, chance(world, c->x, c->y, 0));
        // so that no later one need be larger than the largest, and none is smaller than the
        // smallest
        volume = fmax(volume, left - (most - 1 - k) * largest);
        if (k + 1 >= most || left - volume < smallest) volume = left;
        throw_one(world, c, volume, dt);
        left -= volume;
    }
    return true;
}

// Whether a body sticks out of a column: there is no surface there to throw from.
static bool is_covered(const rv_world *world, size_t slot)
{
    const rv_bodies *b = &world->bodies;
    if (!b->first_cover) return false;
    for (int k = b->first_cover[slot] - 1; k >= 0; k = b->cover[k].next)
        if (b->cover[k].high >= b->cover[k].level) return true;
    return false;
}

// By how much bodies lift the surface, by slot; NULL where there are none.
static const float *lift_of(const rv_world *world, bool bodies)
{
    return bodies && world->bodies.slots >= world->columns.slots ? world->bodies.head : NULL;
}

static bool throw_crests(rv_world *world, double dt, const float *lift)
{
    const rv_params *p = &world->params;
    rv_liquid view = rv_world_view(world);
    rv_spray_flow flow = {view.depth, view.flux_x, view.flux_y, lift};
    rv_throw_rule rule = {.speed = p->spray_speed,
                          .most = p->spray_fastest,
                          .height = p->spray_crest * p->grid_dx,
                          .share = p->spray_share,
                          .wave = view.waves ? CREST_WAVE / p->grid_dx : 0,
                          .least = some_volume(world, 0) / area_of(world)};
    int found = rv_spray_find_crests(&world->spray, &world->columns, &flow, &rule, dt);
    bool any = false;
    for (int i = 0; i < found; i++) {
        const rv_crest *c = &world->spray.crest[i];
        if (lift && is_covered(world, c->slot)) continue;
        any = throw_crest(world, c, dt) || any;
    }
    rv_world_trade(world);
    return any;
}

// ---- Falls over edges ---------------------------------------------------------------------------

// Where a drop hangs at the edge that liquid runs over, anywhere along it.
static rv_vec3 edge_place(const rv_world *world, const rv_fall *fall, double depth)
{
    const rv_column_set *set = &world->columns;
    double dx = set->grid.dx, back = (0.5 - RV_EDGE_INSIDE) * dx;
    double along = 0.45 * dx * either_way(world, fall->x, fall->y, 7);
    double z = (double)set->base[fall->from] + 0.5 * depth;
    return (rv_vec3){rv_cell_x(world, fall->x) - back * fall->dx + (fall->dx == 0 ? along : 0),
                     rv_cell_y(world, fall->y) - back * fall->dy + (fall->dy == 0 ? along : 0),
                     fmin(z, (double)set->max[fall->to])};
}

// Speed of the liquid that ran over the edge.
static rv_vec3 edge_velocity(rv_world *world, const rv_fall *fall, double depth, double dt)
{
    const rv_params *p = &world->params;
    double deep = fmax(depth, fmax(rv_world_view_of(world, &fall->from, 1).film, 1e-9));
    double speed = fall->volume / (dt * p->grid_dx * deep);
    // the depth was measured after the liquid ran; a film that ran dry tells of no speed
    speed = fmin(speed, 10 * sqrt(rv_gravity_down(p) * (depth + p->grid_dx)));
    double unit = fall->dx != 0 && fall->dy != 0 ? 0.70710678118654752 : 1;
    return (rv_vec3){speed * unit * fall->dx, speed * unit * fall->dy, 0};
}

// Lets a drop go, as several where it is large; what is left under the size of the next goes on
// hanging.
static void let_go(rv_world *world, const rv_fall *fall, int index, double step)
{
    rv_spray *s = &world->spray;
    int limit = world->params.spray_droplets;
    double largest = some_volume(world, 1), low = (double)world->columns.base[fall->to];
    for (int k = 0; k < DROPS_PER_THROW && s->volume[index] > largest && s->count < limit; k++) {
        rv_vec3 v = s->velocity[index], at = s->at[index];
        double slower = 1 - world->params.spray_spread * chance(world, fall->x, fall->y, 9);
        double along = 0.45 * world->params.grid_dx * either_way(world, fall->x, fall->y, 10);
        if (fall->dx == 0) at.x = rv_cell_x(world, fall->x) + along;
        if (fall->dy == 0) at.y = rv_cell_y(world, fall->y) + along;
        v.x *= slower, v.y *= slower;
        rv_world_start_back(world, &at, &v, step * chance(world, fall->x, fall->y, 11), low);
        rv_spray_add(s, limit, at, v, largest);
        rv_spray_set_volume(s, index, s->volume[index] - largest);
    }
    if (s->volume[index] < s->goal[index]) return;
    s->goal[index] = 0;
    s->hangs[s->down[index]] = 0;
    rv_world_start_back(world, &s->at[index], &s->velocity[index],
                        step * chance(world, fall->x, fall->y, 12), low);
}

void rv_world_on_fall(void *user, const rv_fall *fall)
{
    rv_falling *f = user;
    rv_world *world = f->world;
    rv_spray *s = &world->spray;
    int index = s->hangs[fall->to] - 1;
    if (index < 0 && s->count >= world->params.spray_droplets) {
        s->refused++;
        return;
    }
    double depth = (double)rv_world_view_of(world, &fall->from, 1).depth[fall->from];
    double volume = rv_world_take(world, fall->to, fall->volume);
    if (!(volume > 0)) return;
    rv_vec3 v = edge_velocity(world, fall, depth, f->dt);
    f->any = true;
    if (index < 0) {
        rv_vec3 at = edge_place(world, fall, depth);
        index = rv_spray_add(s, world->params.spray_droplets, at, v, volume);
        s->goal[index] = some_volume(world, chance(world, fall->x, fall->y, 8));
        s->down[index] = fall->to, s->hangs[fall->to] = index + 1;
    } else {
        double share = volume / (s->volume[index] + volume);
        rv_vec3 *own = &s->velocity[index];
        own->x += share * (v.x - own->x), own->y += share * (v.y - own->y);
        rv_spray_set_volume(s, index, s->volume[index] + volume);
    }
    if (s->volume[index] >= s->goal[index]) let_go(world, fall, index, f->step);
}

// Over edges within a layer.
static void fall_from_cliffs(rv_world *world, double drop, double dt, rv_on_fall *each, void *user)
{
    const rv_column_set *set = &world->columns;
    size_t count = world->spray.cliff_count;
    if (count == 0) return;
    rv_liquid view = rv_world_view_of(world, world->spray.cliff_slot, 2 * (int)count);
    for (size_t i = 0; i < count; i++) {
        const rv_cliff *c = &world->spray.cliff[i];
        double flux = (double)(c->dx != 0 ? view.flux_x : view.flux_y)[c->low] * (c->dx + c->dy);
        if (!(flux > 0)) continue;
        double level = (double)set->base[c->to] + (double)view.depth[c->to];
        if (!((double)set->base[c->from] - level >= drop)) continue;
        rv_fall fall = {c->from, c->to, c->x, c->y, c->dx, c->dy, flux * dt};
        each(user, &fall);
    }
}

void rv_world_each_fall(rv_world *world, double drop, double dt, rv_on_fall *each, void *user)
{
    if (world->traits.has_layers && world->api->columns)
        world->api->columns->falls(world->solver, drop, each, user);
    fall_from_cliffs(world, drop, dt, each, user);
}

// ---- Liquid that comes back ---------------------------------------------------------------------

// Gives to a column; true: it has room for more, so what is left of `volume` is rounding.
static bool give(rv_world *world, size_t slot, double *volume)
{
    const rv_column_set *set = &world->columns;
    *volume -= rv_world_add(world, slot, *volume / area_of(world)) * area_of(world);
    return rv_world_view_of(world, &slot, 1).depth[slot] < set->max[slot] - set->base[slot];
}

// The columns beside that share a void with a full one (all, where there is none) take what they
// can.
static bool give_beside(rv_world *world, size_t own, rv_vec3 at, double *volume)
{
    const rv_column_set *set = &world->columns;
    const rv_grid *g = &set->grid;
    int x = (int)floor((at.x - g->x0) / g->dx), y = (int)floor((at.y - g->y0) / g->dx);
    for (int k = 0; k < 9 * set->planes; k++) {
        size_t other;
        if (!rv_column_at(set, k / 9, x + k % 3 - 1, y + k / 3 % 3 - 1, &other)) continue;
        if (own != RV_NOWHERE &&
            fmaxf(set->base[own], set->base[other]) >= fminf(set->max[own], set->max[other]))
            continue;
        if (give(world, other, volume)) return true;
    }
    return false;
}

// Drops larger than a cell come down on all the columns under them.
static bool land_wide(rv_world *world, int i)
{
    rv_spray *s = &world->spray;
    rv_feed *feed = &world->poured;
    rv_vec3 at = s->at[i], v = s->velocity[i];
    double radius = s->radius[i], came = s->volume[i], all = came + s->owed;
    if (!(radius > 0.5 * world->params.grid_dx) || !rv_world_drips(world)) return false;
    at.z += 0.5 * radius;
    if (!(all > 0) || rv_feed_find(world, feed, at, radius) != RV_OK || feed->disk == 0)
        return false;
    bool room = false;
    double area = area_of(world);
    double left = rv_world_spread(world, feed->slots, feed->disk, feed->all, all / area, &room);
    double given = (came - left * area) / feed->disk;
    for (int k = 0; k < feed->disk && given > 0; k++)
        rv_world_put_push(world, feed->slots[k], given * v.x, given * v.y);
    s->owed = room ? left * area : 0;
    rv_spray_set_volume(s, i, room ? 0 : left * area);
    s->velocity[i] = (rv_vec3){0, 0, 0};
    return true;
}

// What finds no room stays in the air and tries again in the next step.
static void land(rv_world *world, int i)
{
    rv_spray *s = &world->spray;
    size_t slot = s->down[i];
    double left = s->volume[i] + s->owed, came = s->volume[i];
    s->owed = 0;
    bool done = !(left > 0) || (slot != RV_NOWHERE && give(world, slot, &left)) ||
                give_beside(world, slot, s->at[i], &left);
    if (slot != RV_NOWHERE && came > left)
        rv_world_put_push(world, slot, (came - left) * s->velocity[i].x,
                          (came - left) * s->velocity[i].y);
    if (done) s->owed = left;
    rv_spray_set_volume(s, i, done ? 0 : left);
    s->velocity[i] = (rv_vec3){0, 0, 0};
}

// Where it came down it stays until the next step; false: in no column.
static bool come_to_rest(rv_world *world, int i)
{
    rv_spray *s = &world->spray;
    size_t slot = s->down[i];
    if (slot == RV_NOWHERE) return false;
    // so that the column is found again
    double over = (double)world->columns.base[slot] + 1e-3 * world->params.grid_dx;
    s->at[i].z = fmin(fmax(s->at[i].z, over), (double)world->columns.max[slot]);
    if (rv_spray_slot_at(&world->columns, s->at[i]) != slot) return false;
    s->form[i] = RV_HANG_LANDS, s->goal[i] = s->volume[i];
    s->off[i] = (rv_vec3){0, 0, 0};
    return true;
}

static bool land_all(rv_world *world)
{
    rv_spray *s = &world->spray;
    bool any = false, soft = rv_world_lands_softly(world);
    for (int i = 0; i < s->count; i++) {
        if (s->flown[i] == RV_FLOWN_ON) continue;
        if (s->flown[i] == RV_FLOWN_OUT) {
            world->counters.drained += s->volume[i];
            rv_spray_set_volume(s, i, 0);
        } else if (soft && come_to_rest(world, i)) {
            continue; // it goes into its columns in the next step
        } else if (!land_wide(world, i)) {
            land(world, i);
        }
        any = true;
    }
    rv_world_trade(world);
    rv_spray_sweep(s); // also what landed in this step
    return any;
}

// ---- A step -------------------------------------------------------------------------------------

// Notes which drop hangs over which column, for the substeps.
static void note_hanging(rv_world *world)
{
    rv_spray *s = &world->spray;
    for (int i = 0; i < s->count; i++) {
        if (!(s->goal[i] > 0) || s->form[i] != RV_HANG_NOT) continue;
        s->down[i] = rv_spray_slot_at(&world->columns, s->at[i]);
        if (s->down[i] == RV_NOWHERE)
            s->goal[i] = 0; // the terrain was changed
        else
            s->hangs[s->down[i]] = i + 1;
    }
}

// The longer a drop hangs, the smaller it may be to let go; so the last one falls too.
static void end_hanging(rv_world *world, double dt)
{
    rv_spray *s = &world->spray;
    double kept = exp2(-dt / HANG_HALVES);
    for (int i = 0; i < s->count; i++) {
        if (!(s->goal[i] > 0) || s->form[i] != RV_HANG_NOT) continue;
        s->hangs[s->down[i]] = 0;
        s->goal[i] *= kept;
        if (s->volume[i] >= s->goal[i]) s->goal[i] = 0;
    }
}

static bool has_edges(const rv_world *world)
{
    return world->params.spray_on && world->params.spray_edges;
}

// The list of edges within layers, made anew where the terrain changed; a step allocates nothing
// unless there are more of them than ever.
static void refresh_cliffs(rv_world *world, bool drips)
{
    rv_spray *s = &world->spray;
    double drop = world->params.spray_fall * world->params.grid_dx;
    bool all = has_edges(world);
    if (drips) drop = all ? fmin(drop, s->edges.clear) : s->edges.clear;
    if (s->cliff_drop == drop && s->cliff_all == all && s->cliff_changes == world->changes) return;
    bool made = rv_spray_list_cliffs(s, &world->columns, drop);
    s->cliff_drop = made ? drop : 0, s->cliff_all = all, s->cliff_changes = world->changes;
    size_t kept = 0; // only those that drip
    for (size_t i = 0; !all && i < s->cliff_count; i++)
        if (s->edges.of[s->cliff[i].from] > 0) s->cliff[kept++] = s->cliff[i];
    if (!all) s->cliff_count = kept;
    for (size_t i = 0; i < s->cliff_count; i++)
        s->cliff_slot[2 * i] = s->cliff[i].low, s->cliff_slot[2 * i + 1] = s->cliff[i].to;
    if (drips) rv_world_make_fall_room(world);
}

bool rv_world_begin_spray(rv_world *world)
{
    bool drips = rv_world_begin_drips(world);
    bool gives = world->emitter_count > 0 && !world->api->particles;
    if (!world->params.spray_on && world->spray.count == 0 && !drips && !gives) return false;
    // allocates only after the columns were laid out anew
    if (!rv_spray_make_slots(&world->spray, world->columns.slots)) return false;
    if (has_edges(world) || drips) refresh_cliffs(world, drips);
    note_hanging(world);
    return true;
}

bool rv_world_fall(rv_world *world, double dt, double past, double step)
{
    double drop = world->params.spray_fall * world->params.grid_dx;
    rv_falling f = {.world = world, .dt = dt, .past = past, .step = step, .spray = drop};
    if (world->spray.edges.count > 0 && rv_world_drips(world)) return rv_world_drip(&f);
    if (!has_edges(world)) return false;
    rv_world_each_fall(world, drop, dt, rv_world_on_fall, &f);
    return f.any;
}

static bool flies(const rv_spray *s)
{
    for (int i = 0; i < s->count; i++)
        if (!(s->goal[i] > 0)) return true;
    return false;
}

bool rv_world_end_spray(rv_world *world, double dt, bool bodies)
{
    const rv_params *p = &world->params;
    rv_air air = {
        .columns = &world->columns,
        .lift = lift_of(world, bodies),
        .pull = p->gravity,
        .drag = p->spray_drag * AIR_DENSITY / p->liquid_density,
        .wall = {p->border_west != RV_BORDER_OPEN, p->border_east != RV_BORDER_OPEN,
                 p->border_south != RV_BORDER_OPEN, p->border_north != RV_BORDER_OPEN},
    };
    end_hanging(world, dt);
    rv_world_end_drips(world, dt);
    bool thrown = p->spray_on && throw_crests(world, dt, air.lift);
    if (flies(&world->spray)) {
        air.depth = rv_world_view_depths(world).depth;
        air.clear = rv_spray_highest(&world->columns, air.depth, air.lift);
        if (world->cut) rv_cut_greatest(world->cut, &air.clear, 1);
        rv_spray_fly(&world->spray, &air, dt, world->pool);
        if (bodies) rv_world_strike_bodies(world, dt, air.wall);
    } else if (world->spray.count > 0) { // what hangs lands nowhere
        memset(world->spray.flown, RV_FLOWN_ON, (size_t)world->spray.count);
    }
    return land_all(world) || thrown;
}

void rv_world_spray_energy(const rv_world *world, double *kinetic, double *potential)
{
    const rv_params *p = &world->params;
    const rv_spray *s = &world->spray;
    rv_vec3 g = p->gravity;
    for (int i = 0; i < s->count; i++) {
        rv_vec3 at = s->at[i], v = s->velocity[i];
        double mass = p->liquid_density * s->volume[i];
        if (!(s->goal[i] > 0)) // one that still hangs has the velocity that it will fall with
            *kinetic += 0.5 * mass * (v.x * v.x + v.y * v.y + v.z * v.z);
        *potential -= mass * (g.x * (at.x - p->grid_x) + g.y * (at.y - p->grid_y) +
                              g.z * (at.z - p->grid_bottom));
    }
}

// ---- Snapshot and hash --------------------------------------------------------------------------

typedef struct saved_droplet {
    rv_vec3 at, velocity;
    double volume, goal;
    double flow;
    int32_t x, y, form, rest;
    rv_vec3 off;
} saved_droplet;

typedef struct saved_spray {
    double owed, push[2];
    int64_t refused;
} saved_spray;

static saved_droplet pack(const rv_spray *s, int i)
{
    return (saved_droplet){.at = s->at[i],
                           .velocity = s->velocity[i],
                           .volume = s->volume[i],
                           .goal = s->goal[i],
                           .flow = s->flow[i],
                           .x = s->root[i].x,
                           .y = s->root[i].y,
                           .form = s->form[i],
                           .off = s->off[i]};
}

uint64_t rv_world_hash_spray(const rv_world *world, uint64_t hash)
{
    const rv_spray *s = &world->spray;
    if (s->owed != 0) hash = rv_hash_bytes(hash, &s->owed, sizeof s->owed);
    if (s->push[0] != 0 || s->push[1] != 0) hash = rv_hash_bytes(hash, s->push, sizeof s->push);
    for (int i = 0; i < s->count; i++) {
        saved_droplet d = pack(s, i);
        // the rest only of those that hang at edges that drip
        size_t bytes = offsetof(saved_droplet, off);
        if (d.form == RV_HANG_NOT) bytes = offsetof(saved_droplet, flow);
        hash = rv_hash_bytes(hash, &d, bytes);
        // and where it is in its stream only of those in one
        if (d.off.x != 0 || d.off.y != 0 || d.off.z != 0)
            hash = rv_hash_bytes(hash, &d.off, sizeof d.off);
    }
    return hash;
}

size_t rv_world_spray_bytes(int count)
{
    return sizeof(saved_spray) + (size_t)count * sizeof(saved_droplet);
}

void rv_world_save_spray(const rv_world *world, unsigned char *to)
{
    const rv_spray *s = &world->spray;
    saved_spray all = {s->owed, {s->push[0], s->push[1]}, s->refused};
    memcpy(to, &all, sizeof all);
    to += sizeof all;
    for (int i = 0; i < world->spray.count; i++, to += sizeof(saved_droplet)) {
        saved_droplet d = pack(&world->spray, i);
        memcpy(to, &d, sizeof d);
    }
}

bool rv_world_spray_good(const rv_world *world, const unsigned char *from, int count)
{
    const rv_grid *g = &world->columns.grid;
    rv_vec3 middle = {world->params.grid_x, world->params.grid_y, 0};
    double wide = (0.5 * g->nx + 1) * g->dx, deep = (0.5 * g->ny + 1) * g->dx;
    double most = most_volume(world), push = most * 2 * SPEED_MOST;
    saved_spray all;
    memcpy(&all, from, sizeof all);
    from += sizeof all;
    if (!(fabs(all.push[0]) <= push) || !(fabs(all.push[1]) <= push)) return false;
    if (!(fabs(all.owed) <= most) || all.refused < 0 || all.refused > INT64_MAX / 2) return false;
    for (int i = 0; i < count; i++, from += sizeof(saved_droplet)) {
        saved_droplet d;
        memcpy(&d, from, sizeof d);
        if (!is_within(d.at, 1e9) || !is_within(d.velocity, 2 * SPEED_MOST)) return false;
        if (fabs(d.at.x - middle.x) > wide || fabs(d.at.y - middle.y) > deep) return false;
        if (!(d.volume > 0) || !(d.volume <= most) || !(d.goal >= 0) || !isfinite(d.goal))
            return false;
        if (d.form < RV_HANG_NOT || d.form > RV_HANG_LANDS || (d.form > 0 && !(d.goal > 0)))
            return false;
        if (!(d.flow >= 0) || !isfinite(d.flow) || !is_within(d.off, 1e9)) return false;
        if (d.x < 0 || d.y < 0 || d.x >= g->nx || d.y >= g->ny) return false;
    }
    return true;
}

void rv_world_restore_spray(rv_world *world, const unsigned char *from, int count)
{
    rv_spray *s = &world->spray;
    saved_spray all;
    memcpy(&all, from, sizeof all);
    from += sizeof all;
    s->count = 0, s->owed = all.owed, s->refused = all.refused;
    s->push[0] = all.push[0], s->push[1] = all.push[1];
    for (int i = 0; i < count; i++, from += sizeof(saved_droplet)) {
        saved_droplet d;
        memcpy(&d, from, sizeof d);
        rv_spray_add(s, count, d.at, d.velocity, d.volume);
        s->goal[i] = d.goal, s->flow[i] = d.flow, s->form[i] = (uint8_t)d.form;
        s->root[i] = (rv_spray_cell){d.x, d.y}, s->off[i] = d.off;
    }
}
