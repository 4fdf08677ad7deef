// Dew in a world: what goes over between drops on solids and columns, drops on solids that change
// or move, and their part in a step and in a snapshot. The rules are told in docs/dew.md.
//
// A drop that comes to liquid, or that is wider than some cells on a bed, goes into columns. A
// depth has single precision, so a column takes a little more or less than it is given: what is
// left is owed, and goes with the next drop. So no volume is lost, however long it rains.
#include "dew/dew.h"
#include "base/hash.h"
#include "world/world_internal.h"

#include <string.h>

#define WET 0.01       // cells: shallower columns swallow no drop
#define WIDE 0.5       // cells, from which radius on a drop goes into several columns
#define BED 0.9        // of the normal's upward part: flatter is a bed, which columns stand on
#define FOLLOWS 0.75   // cells, by which a solid may be changed under a drop
#define BURIED 6.0     // cells, from how deep a drop comes to the surface again
#define FAR 1e9        // m: no drop is farther from the origin
#define RAIN_SHOWN 256 // raindrops in the air
#define RIDES 0.3      // cells: drops nearer to a moving solid go with it

// ---- Room and checks ----------------------------------------------------------------------------

bool rv_world_check_dew_sizes(const rv_params *p, rv_messages *messages)
{
    if (!p->dew_on || p->dew_smallest <= p->dew_largest) return true;
    rv_messages_add(messages, "dew.smallest: %g is more than dew.largest, %g", p->dew_smallest,
                    p->dew_largest);
    return false;
}

bool rv_world_check_dew(const rv_world_def *def, rv_messages *messages)
{
    const rv_params *p = &def->params;
    const rv_solver_api *api = rv_solver_find(p->solver);
    bool good = true;
    if (!p->dew_on) return true;
    if (!api || !api->columns) {
        rv_messages_add(messages, "dew.on: solver %s has no columns that drops could run into",
                        api ? api->name : "unknown");
        good = false;
    }
    if (def->heights || !p->terrain_keep) {
        rv_messages_add(messages, "dew.on: drops sit on the distance field: terrain from solids, "
                                  "with terrain.keep");
        good = false;
    }
    return rv_world_check_dew_sizes(p, messages) && good;
}

bool rv_world_dew_room(rv_world *world, int count)
{
    world->dew.most = world->params.dew_on ? world->params.dew_most : 0;
    if (count < world->dew.most) count = world->dew.most;
    return rv_dew_make_room(&world->dew, count);
}

void rv_world_find_feet(rv_world *world)
{
    if (world->params.dew_on) rv_dew_find_feet(&world->dew, world->terrain, &world->params);
}

void rv_world_make_dew(rv_world *world)
{
    rv_world_find_feet(world);
    if (world->params.dew_on && world->params.dew_sweat > 0 && !(world->dew.coldest > 0))
        rv_world_warn(world, "dew.sweat: no solid is cold, so nothing condenses");
}

// ---- To columns ---------------------------------------------------------------------------------

static double area_of(const rv_world *world)
{
    return world->params.grid_dx * world->params.grid_dx;
}

// The column beside a place of the solid: on steep sides the one before it.
static size_t slot_beside(const rv_world *world, const rv_dew_drop *d)
{
    static const double out[] = {0.05, 0.5, 1.0};
    for (size_t k = 0; k < sizeof out / sizeof out[0]; k++) {
        rv_vec3 at = rv_dew_along(d->at, d->normal, out[k] * world->params.grid_dx);
        size_t slot = rv_spray_slot_at(&world->columns, at);
        if (slot != RV_NOWHERE) return slot;
    }
    return RV_NOWHERE;
}

// Gives volume to a column, with what is owed; returns what it has no room for.
static double give(rv_world *world, size_t slot, double volume)
{
    const rv_column_set *set = &world->columns;
    double area = area_of(world), left = volume + world->dew.owed;
    if (!(left > 0)) { // less than was given too much before
        world->dew.owed = left;
        return 0;
    }
    left -= rv_world_add(world, slot, left / area) * area;
    bool room = rv_world_view_of(world, &slot, 1).depth[slot] < set->max[slot] - set->base[slot];
    bool rounding = room || left < 0;
    world->dew.owed = rounding ? left : 0;
    return rounding ? 0 : left;
}

// A drop as wide as several cells goes into all the columns under it.
static double give_wide(rv_world *world, const rv_dew_drop *d, double radius)
{
    rv_feed *feed = &world->poured;
    rv_vec3 over = rv_dew_along(d->at, d->normal, 0.5 * radius);
    double area = area_of(world), all = d->volume + world->dew.owed;
    if (!(all > 0) || rv_feed_find(world, feed, over, radius) != RV_OK || feed->disk == 0)
        return d->volume;
    bool room = false;
    double left = rv_world_spread(world, feed->slots, feed->disk, feed->all, all / area, &room);
    world->dew.owed = room ? left * area : 0;
    return room ? 0 : left * area;
}

// Whether liquid of the column reaches up to the lower rim of the drop.
static bool is_reached(const rv_world *world, const rv_liquid *view, size_t slot,
                       const rv_dew_drop *d, double radius)
{
    const rv_column_set *set = &world->columns;
    double deep = (double)view->depth[slot], level = (double)set->base[slot] + deep;
    double steep = sqrt(fmax(1 - d->normal.z * d->normal.z, 0));
    if (!(deep > WET * world->params.grid_dx)) return false;
    return level >= d->at.z - radius * (d->form == RV_DEW_FALLS ? 1 : steep);
}

static void swallow(rv_world *world)
{
    rv_dew *dew = &world->dew;
    if (dew->count == 0) return; // nothing need come from a card
    rv_liquid view = rv_world_view_depths(world);
    double large = world->params.dew_gives * world->params.grid_dx;
    for (int i = 0; i < dew->count; i++) {
        rv_dew_drop *d = &dew->drop[i];
        double a = dew->radius[i];
        if (!(d->volume > 0)) continue;
        size_t slot = slot_beside(world, d);
        if (slot == RV_NOWHERE) continue;
        if (is_reached(world, &view, slot, d, a))
            rv_dew_set_volume(dew, i,
                              a > WIDE * world->params.grid_dx ? give_wide(world, d, a)
                                                               : give(world, slot, d->volume));
        else if (d->form == RV_DEW_SITS && a > large && d->normal.z > BED)
            rv_dew_set_volume(dew, i, give_wide(world, d, a));
    }
}

// ---- From columns -------------------------------------------------------------------------------

// Whether a cell has liquid about the height z, deep enough to swallow a drop.
static bool is_wet_near(const rv_world *world, const rv_liquid *view, int x, int y, double z)
{
    const rv_column_set *set = &world->columns;
    double dx = world->params.grid_dx;
    for (int l = 0; l < set->planes; l++) {
        if (!rv_plane_has(&set->plane[l], x, y)) continue;
        size_t slot = rv_slot(&set->plane[l], x, y);
        if (!rv_column_exists(set, slot) || !((double)view->depth[slot] > WET * dx)) continue;
        double base = (double)set->base[slot], level = base + (double)view->depth[slot];
        if (base < z + dx && level > z - dx) return true;
    }
    return false;
}

// Liquid of one column becomes a drop where nothing around it is wet: nothing that columns can tell
// of its shape. All of its depth goes over, which is exact.
static void take_one(rv_world *world, const rv_liquid *view, int x, int y, size_t slot)
{
    const rv_grid *g = &world->columns.grid;
    rv_dew *dew = &world->dew;
    double depth = (double)view->depth[slot], base = (double)world->columns.base[slot];
    double dx = world->params.grid_dx;
    if (!(depth > 0) || dew->count >= dew->most) return;
    rv_vec3 at = {g->x0 + (x + 0.5) * dx, g->y0 + (y + 0.5) * dx, base}, normal;
    rv_dew_drop drop = {.at = at};
    if (!rv_dew_settle(world->terrain, dx, &drop.at, &normal)) return;
    drop = rv_dew_sitting(world->terrain, drop.at, depth * area_of(world));
    double radius = rv_cube_root(drop.volume / dew->foot[drop.set].shape);
    double most = fmin(world->params.dew_takes, 0.9 * world->params.dew_gives);
    if (!(radius < most * dx)) return;
    for (int n = 0; n < 9; n++) {
        int i = x + n % 3 - 1, j = y + n / 3 - 1;
        if (n != 4 && is_wet_near(world, view, i, j, base)) return;
    }
    drop.volume = -rv_world_add(world, slot, -depth) * area_of(world);
    if (drop.volume > 0) rv_dew_add(dew, &drop);
}

static void take(rv_world *world)
{
    const rv_column_set *set = &world->columns;
    if (!(world->params.dew_takes > 0)) return;
    rv_liquid view = rv_world_view(world);
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *plane = &set->plane[l];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++)
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t slot = rv_slot(plane, x, y);
                if (rv_column_exists(set, slot) && view.depth[slot] > 0)
                    take_one(world, &view, x, y, slot);
            }
    }
}

// ---- A step -------------------------------------------------------------------------------------

// A drop that comes: into liquid where there is some, else it sits.
static void come(void *user, const rv_dew_drop *drop)
{
    rv_world *world = user;
    rv_dew *dew = &world->dew;
    rv_liquid view = rv_world_view_depths(world);
    size_t slot = slot_beside(world, drop);
    double left = drop->volume;
    if (slot != RV_NOWHERE && is_reached(world, &view, slot, drop, 0)) {
        left = give(world, slot, left);
        world->counters.sourced += drop->volume - left; // what is full takes no more rain
    } else if (rv_dew_add(dew, drop) >= 0) {
        world->counters.sourced += drop->volume;
    }
}

static void drain_gone(rv_world *world)
{
    rv_dew *dew = &world->dew;
    for (int i = 0; i < dew->count; i++) {
        if (dew->drop[i].form != RV_DEW_GONE) continue;
        world->counters.drained += dew->drop[i].volume;
        rv_dew_set_volume(dew, i, 0);
    }
}

void rv_world_step_dew(rv_world *world, double dt)
{
    rv_dew *dew = &world->dew;
    const rv_dew_place place = {world->terrain, &world->params, dt};
    double came = 0, went = 0;
    if (!world->params.dew_on || !world->terrain) return;
    rv_dew_rain(dew, &place, come, world);
    rv_dew_seed(dew, &place, come, world);
    rv_dew_grow(dew, &place, &came, &went);
    world->counters.sourced += came, world->counters.drained += went;
    rv_dew_run(dew, &place);
    drain_gone(world);
    rv_dew_sweep(dew);
    rv_dew_merge(dew, world->terrain);
    swallow(world);
    rv_world_trade(world);
    take(world);
    rv_dew_sweep(dew);
}

// ---- Solids that change under them --------------------------------------------------------------

// A drop that is in the solid now and far from its surface: into columns, or what is held.
static void unearth(rv_world *world, int i)
{
    rv_dew_drop *d = &world->dew.drop[i];
    const rv_grid *g = &world->columns.grid;
    double dx = g->dx;
    for (int k = 0; k < 9 * world->columns.planes && d->volume > 0; k++) {
        size_t slot;
        int x = (int)floor((d->at.x - g->x0) / dx) + k % 3 - 1;
        int y = (int)floor((d->at.y - g->y0) / dx) + k / 3 % 3 - 1;
        if (!rv_column_at(&world->columns, k / 9, x, y, &slot)) continue;
        rv_dew_set_volume(&world->dew, i, give(world, slot, d->volume));
    }
    if (!(d->volume > 0)) return;
    world->counters.held += d->volume;
    world->counters.held_x = (int32_t)fmin(fmax(floor((d->at.x - g->x0) / dx), 0), g->nx - 1);
    world->counters.held_y = (int32_t)fmin(fmax(floor((d->at.y - g->y0) / dx), 0), g->ny - 1);
    rv_dew_set_volume(&world->dew, i, 0);
}

static bool is_in(const rv_world *world, rv_rect cells, rv_vec3 at)
{
    const rv_grid *g = &world->columns.grid;
    double x = (at.x - g->x0) / g->dx, y = (at.y - g->y0) / g->dx;
    return x >= cells.x0 - 2 && x < cells.x1 + 2 && y >= cells.y0 - 2 && y < cells.y1 + 2;
}

void rv_world_follow_dew(rv_world *world, rv_rect cells)
{
    rv_dew *dew = &world->dew;
    double dx = world->params.grid_dx;
    for (int i = 0; i < dew->count; i++) {
        rv_dew_drop *d = &dew->drop[i];
        if (d->form != RV_DEW_SITS || !is_in(world, cells, d->at)) continue;
        double off = (double)rv_terrain_distance(world->terrain, d->at);
        double reach = off < 0 ? BURIED * dx : FOLLOWS * dx;
        if (fabs(off) <= reach && rv_dew_settle(world->terrain, reach, &d->at, &d->normal)) {
            d->set = rv_terrain_angles_near(world->terrain, d->at);
            rv_dew_set_volume(dew, i, d->volume);
        } else if (off > 0) {
            d->form = RV_DEW_FALLS; // there is nothing under it
            rv_dew_set_volume(dew, i, d->volume);
        } else {
            unearth(world, i);
        }
    }
    if (dew->count > 0) rv_world_trade(world);
    rv_dew_sweep(dew);
}

void rv_world_mark_dew(rv_world *world, int mover)
{
    rv_dew *dew = &world->dew;
    double near = RIDES * world->params.grid_dx;
    for (int i = 0; i < dew->count; i++)
        dew->group[i] = dew->drop[i].form == RV_DEW_SITS &&
                        rv_terrain_mover_distance(world->terrain, mover, dew->drop[i].at) < near;
}

static rv_vec3 into(const rv_motion *m, rv_vec3 a)
{
    return (rv_vec3){rv_dew_dot(m->row[0], a), rv_dew_dot(m->row[1], a), rv_dew_dot(m->row[2], a)};
}

static rv_vec3 out_of(const rv_motion *m, rv_vec3 a)
{
    rv_vec3 x = {m->row[0].x * a.x, m->row[0].y * a.x, m->row[0].z * a.x};
    return rv_dew_along(rv_dew_along(x, m->row[1], a.y), m->row[2], a.z);
}

static bool is_within(rv_vec3 v, double most)
{
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

void rv_world_carry_dew(rv_world *world, const rv_motion *from, const rv_motion *to)
{
    rv_dew *dew = &world->dew;
    for (int i = 0; i < dew->count; i++) {
        rv_dew_drop *d = &dew->drop[i];
        if (!dew->group[i]) continue;
        rv_vec3 own = into(from, rv_dew_along(d->at, from->at, -1));
        d->at = rv_dew_along(to->at, out_of(to, own), 1);
        d->normal = out_of(to, into(from, d->normal));
        d->velocity = out_of(to, into(from, d->velocity));
        if (is_within(d->at, FAR)) continue;
        world->counters.drained += d->volume;
        rv_dew_set_volume(dew, i, 0);
    }
    rv_dew_sweep(dew);
}

// ---- Asking -------------------------------------------------------------------------------------

int rv_world_get_dew(const rv_world *world, rv_dew_cap *out, int room)
{
    if (!world) return 0;
    const rv_dew *dew = &world->dew;
    for (int i = 0; out && i < dew->count && i < room; i++) {
        const rv_dew_drop *d = &dew->drop[i];
        bool falls = d->form == RV_DEW_FALLS;
        double a = dew->radius[i];
        out[i] = (rv_dew_cap){.at = d->at,
                              .normal = d->normal,
                              .velocity = d->velocity,
                              .volume = d->volume,
                              .radius = a,
                              .height = falls ? 2 * a : dew->foot[d->set].height * a,
                              .falls = falls};
    }
    return dew->count;
}

int rv_world_get_rain(const rv_world *world, rv_dew_cap *out, int room)
{
    if (!world || !out || !world->params.dew_on || !world->terrain) return 0;
    const rv_dew_place place = {world->terrain, &world->params, 0};
    rv_dew_drop drop[RAIN_SHOWN];
    int count = rv_dew_in_air(&world->dew, &place, drop, room < RAIN_SHOWN ? room : RAIN_SHOWN);
    for (int i = 0; i < count; i++) {
        double radius = rv_cube_root(drop[i].volume / (4.0 / 3.0 * RV_PI));
        out[i] = (rv_dew_cap){.at = drop[i].at,
                              .normal = drop[i].normal,
                              .velocity = drop[i].velocity,
                              .volume = drop[i].volume,
                              .radius = radius,
                              .height = 2 * radius,
                              .falls = true};
    }
    return count;
}

double rv_world_bedew(rv_world *world, rv_vec3 at, double volume)
{
    if (!world || !world->params.dew_on || !(volume > 0) || !(volume < 1e9)) return 0;
    if (!is_within(at, FAR)) return 0;
    double far = 2 * world->params.grid_dx;
    rv_dew_drop drop = {.at = at};
    if (rv_world_begin(world, RV_KEEP_NOTHING) != RV_OK) return 0;
    if (!(fabs((double)rv_terrain_distance(world->terrain, at)) <= far)) return 0;
    if (!rv_dew_settle(world->terrain, far, &drop.at, &drop.normal)) return 0;
    drop = rv_dew_sitting(world->terrain, drop.at, volume);
    if (rv_dew_add(&world->dew, &drop) < 0) return 0;
    world->counters.sourced += volume;
    return volume;
}

void rv_world_dew_energy(const rv_world *world, double *kinetic, double *potential)
{
    const rv_params *p = &world->params;
    rv_vec3 g = p->gravity, from = {p->grid_x, p->grid_y, p->grid_bottom};
    for (int i = 0; i < world->dew.count; i++) {
        const rv_dew_drop *d = &world->dew.drop[i];
        double mass = p->liquid_density * d->volume;
        *kinetic += 0.5 * mass * rv_dew_dot(d->velocity, d->velocity);
        *potential -= mass * rv_dew_dot(g, rv_dew_along(d->at, from, -1));
    }
}

// ---- Snapshot and hash --------------------------------------------------------------------------

typedef struct saved_dew {
    double owed, due[2];
    int64_t rained, seeded, left, refused;
} saved_dew;

static saved_dew pack(const rv_dew *d)
{
    return (saved_dew){d->owed, {d->due[0], d->due[1]}, d->rained, d->seeded, d->left, d->refused};
}

uint64_t rv_world_hash_dew(const rv_world *world, uint64_t hash)
{
    const rv_dew *dew = &world->dew;
    if (!world->params.dew_on) return hash;
    saved_dew all = pack(dew);
    hash = rv_hash_bytes(hash, &all, sizeof all);
    return rv_hash_bytes(hash, dew->drop, (size_t)dew->count * sizeof *dew->drop);
}

size_t rv_world_dew_bytes(int count)
{
    return sizeof(saved_dew) + (size_t)count * sizeof(rv_dew_drop);
}

void rv_world_save_dew(const rv_world *world, unsigned char *to)
{
    const rv_dew *dew = &world->dew;
    saved_dew all = pack(dew);
    memcpy(to, &all, sizeof all);
    if (dew->count > 0) memcpy(to + sizeof all, dew->drop, (size_t)dew->count * sizeof *dew->drop);
}

bool rv_world_dew_good(const rv_world *world, const unsigned char *from, int count)
{
    const rv_angles *sets;
    int kinds = rv_terrain_angles(world->terrain, &sets);
    saved_dew all;
    memcpy(&all, from, sizeof all);
    from += sizeof all;
    if (!(fabs(all.owed) <= 1e12) || !(all.due[0] >= 0 && all.due[0] <= 1) ||
        !(all.due[1] >= 0 && all.due[1] <= 1))
        return false;
    const int64_t counts[] = {all.rained, all.seeded, all.left, all.refused};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] < 0 || counts[i] > INT64_MAX / 2) return false;
    for (int i = 0; i < count; i++, from += sizeof(rv_dew_drop)) {
        rv_dew_drop d;
        memcpy(&d, from, sizeof d);
        if (!is_within(d.at, FAR) || !is_within(d.normal, 2) || !is_within(d.velocity, 1e6))
            return false;
        if (!(d.volume > 0) || !(d.volume < 1e12) || !(d.way >= 0) || !(d.way < 1e12)) return false;
        if (d.form > RV_DEW_FALLS || d.set >= (uint32_t)(kinds > 0 ? kinds : 1)) return false;
    }
    return true;
}

void rv_world_restore_dew(rv_world *world, const unsigned char *from, int count)
{
    rv_dew *dew = &world->dew;
    saved_dew all;
    memcpy(&all, from, sizeof all);
    dew->owed = all.owed, dew->due[0] = all.due[0], dew->due[1] = all.due[1];
    dew->rained = all.rained, dew->seeded = all.seeded, dew->left = all.left;
    dew->refused = all.refused, dew->count = count;
    if (count > 0) memcpy(dew->drop, from + sizeof all, (size_t)count * sizeof *dew->drop);
    for (int i = 0; i < count; i++) rv_dew_set_volume(dew, i, dew->drop[i].volume);
}
