// The flight of droplets: dv/dt = -g - k |v| v with k = 3/8 · Cd · ρ_air / (ρ r), a ball in air.
//
// Drag alone has the exact solution v / (1 + k |v| t), gravity alone the parabola; half a step of
// the first, one of the second and half a step of the first again make a step of second order, and
// without drag an exact one. Where something may be in the way the parabola is cut into moves of at
// most half a cell, each axis by itself, and the columns are what droplets meet: the sides of
// higher beds and of slabs turn them back, undersides stop them, and on a bed or on liquid they
// come down. One that rises passes through the surface that threw it.
#include "spray/spray.h"

#define BATCH 256      // droplets of a task
#define MOVES_MAX 1000 // in a step; longer ones may pass a thin wall
#define BOUNCE 0.2     // speed off a wall over speed onto it: most of a drop stays there

typedef struct flight {
    rv_spray *spray;
    const rv_air *air;
    double dt;
} flight;

// The column that a droplet is in, and the void over it.
typedef struct place {
    int x, y;
    size_t slot;
    double low_x, low_y;      // m, of the cell
    double base, level, roof; // m; no roof: INFINITY
} place;

static int cell_of(double v, double low, double dx, int n)
{
    double c = floor((v - low) / dx);
    return c < 0 ? -1 : c >= n ? n : (int)c;
}

static bool is_open_above(const rv_column_set *set, size_t slot)
{
    return (double)set->max[slot] >= set->grid.top * (1 - 1e-6) - 1e-6 * fabs(set->grid.bottom);
}

// The column of a cell in whose void the height lies; over the top of the grid it is open sky.
static size_t find_void(const rv_column_set *set, int x, int y, double z)
{
    int l = rv_columns_below(set, x, y, z);
    if (l < 0) return RV_NOWHERE;
    size_t slot = rv_slot(&set->plane[l], x, y);
    return z > (double)set->max[slot] && !is_open_above(set, slot) ? RV_NOWHERE : slot;
}

static bool enter(const rv_air *air, int x, int y, double z, place *out)
{
    const rv_column_set *set = air->columns;
    size_t slot = find_void(set, x, y, z);
    if (slot == RV_NOWHERE) return false;
    double base = (double)set->base[slot];
    *out = (place){.x = x,
                   .y = y,
                   .slot = slot,
                   .low_x = set->grid.x0 + x * set->grid.dx,
                   .low_y = set->grid.y0 + y * set->grid.dx,
                   .base = base,
                   .level = rv_surface_level(set, air->depth, air->lift, slot),
                   .roof = is_open_above(set, slot) ? INFINITY : (double)set->max[slot]};
    return true;
}

size_t rv_spray_slot_at(const rv_column_set *set, rv_vec3 at)
{
    const rv_grid *g = &set->grid;
    return find_void(set, cell_of(at.x, g->x0, g->dx, g->nx), cell_of(at.y, g->y0, g->dx, g->ny),
                     at.z);
}

static void slow_down(rv_vec3 *v, double k, double dt)
{
    double speed = sqrt(v->x * v->x + v->y * v->y + v->z * v->z), left = 1 / (1 + k * speed * dt);
    v->x *= left, v->y *= left, v->z *= left;
}

// One move sideways, along x or y; false: it left the grid there.
static bool move_side(const rv_air *air, place *here, const rv_vec3 *at, double *p, double *v,
                      double dt, bool along_y)
{
    const rv_grid *g = &air->columns->grid;
    double pull = along_y ? air->pull.y : air->pull.x;
    double to = *p + *v * dt + 0.5 * pull * dt * dt, low = along_y ? here->low_y : here->low_x;
    *v += pull * dt;
    if (to >= low && to < low + g->dx) {
        *p = to;
        return true;
    }
    int n = along_y ? g->ny : g->nx, cell = cell_of(to, along_y ? g->y0 : g->x0, g->dx, n);
    bool beyond = cell < 0 || cell >= n;
    if (beyond && !air->wall[2 * along_y + (cell >= n)]) {
        *p = to;
        return false;
    }
    if (!beyond && enter(air, along_y ? here->x : cell, along_y ? cell : here->y, at->z, here))
        *p = to;
    else
        *v *= -BOUNCE; // it stays on its side of the wall
    return true;
}

// Up or down; true: it came down.
static bool move_up(const rv_air *air, const place *here, rv_vec3 *at, rv_vec3 *v, double dt)
{
    at->z += v->z * dt + 0.5 * air->pull.z * dt * dt;
    v->z += air->pull.z * dt;
    if (at->z > here->roof) {
        at->z = here->roof;
        if (v->z > 0) v->z *= -BOUNCE;
    }
    bool down = at->z <= here->base || (at->z <= here->level && v->z <= 0);
    if (at->z < here->base) at->z = here->base;
    return down;
}

// Over all beds and all liquid nothing is in the way.
static bool fly_free(const rv_air *air, double dt, rv_vec3 *at, rv_vec3 *v)
{
    const rv_grid *g = &air->columns->grid;
    rv_vec3 pull = air->pull;
    double z = at->z + v->z * dt + 0.5 * pull.z * dt * dt;
    double x = at->x + v->x * dt + 0.5 * pull.x * dt * dt;
    double y = at->y + v->y * dt + 0.5 * pull.y * dt * dt;
    if (!(z > air->clear && at->z > air->clear)) return false;
    if (x < g->x0 || y < g->y0 || x >= g->x0 + g->nx * g->dx || y >= g->y0 + g->ny * g->dx)
        return false;
    *at = (rv_vec3){x, y, z};
    v->x += pull.x * dt, v->y += pull.y * dt, v->z += pull.z * dt;
    return true;
}

// The column that one inside a solid belongs to: on top of that solid, else the highest of the
// cell.
static size_t out_of_solid(const rv_column_set *set, int x, int y, double z)
{
    size_t found = RV_NOWHERE;
    for (int l = 0; l < set->planes; l++) {
        if (!rv_plane_has(&set->plane[l], x, y)) break;
        size_t slot = rv_slot(&set->plane[l], x, y);
        if (!rv_column_exists(set, slot)) break;
        found = slot;
        if ((double)set->base[slot] >= z) break;
    }
    return found;
}

// The parabola of dt, up to what is in its way.
static rv_flown fly_moves(const rv_air *air, double dt, rv_vec3 *at, rv_vec3 *v, size_t *down)
{
    const rv_grid *g = &air->columns->grid;
    int x = cell_of(at->x, g->x0, g->dx, g->nx), y = cell_of(at->y, g->y0, g->dx, g->ny);
    place here;
    if (!enter(air, x, y, at->z, &here)) { // the terrain was changed
        *down = out_of_solid(air->columns, x, y, at->z);
        return RV_FLOWN_DOWN;
    }
    rv_vec3 pull = air->pull;
    double speed = sqrt(v->x * v->x + v->y * v->y + v->z * v->z) +
                   sqrt(pull.x * pull.x + pull.y * pull.y + pull.z * pull.z) * dt;
    double moves = fmin(ceil(2 * speed * dt / g->dx), MOVES_MAX);
    int n = moves > 1 ? (int)moves : 1;
    double part = dt / n;
    for (int i = 0; i < n; i++) {
        if (!move_side(air, &here, at, &at->x, &v->x, part, false)) return RV_FLOWN_OUT;
        if (!move_side(air, &here, at, &at->y, &v->y, part, true)) return RV_FLOWN_OUT;
        *down = here.slot;
        if (move_up(air, &here, at, v, part)) return RV_FLOWN_DOWN;
    }
    return RV_FLOWN_ON;
}

static rv_flown fly_one(const rv_air *air, double dt, double radius, rv_vec3 *at, rv_vec3 *v,
                        size_t *down)
{
    double k = radius > 0 ? 0.375 * air->drag / radius : 0;
    slow_down(v, k, 0.5 * dt);
    rv_flown flown = fly_free(air, dt, at, v) ? RV_FLOWN_ON : fly_moves(air, dt, at, v, down);
    slow_down(v, k, 0.5 * dt);
    return flown;
}

static double speed_of(rv_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// A stream narrows as it falls faster, its flow being the same all along: its radius goes with
// 1/√speed. What was turned back is in the stream no more, nor what a solid or the side of the grid
// parts from its middle.
static void narrow(const rv_column_set *set, rv_vec3 *at, rv_vec3 *off, rv_vec3 before,
                   rv_vec3 after)
{
    double from = speed_of(before), to = speed_of(after);
    if (before.x * after.x < 0 || before.y * after.y < 0 || (before.z < 0 && after.z > 0))
        *off = (rv_vec3){0, 0, 0};
    if (!(to > from)) return;
    double by = sqrt(from / to) - 1;
    rv_vec3 to_middle = {by * off->x, by * off->y, by * off->z};
    rv_vec3 to_be = {at->x + to_middle.x, at->y + to_middle.y, at->z + to_middle.z};
    if (rv_spray_slot_at(set, to_be) == RV_NOWHERE) {
        *off = (rv_vec3){0, 0, 0};
        return;
    }
    *at = to_be;
    off->x += to_middle.x, off->y += to_middle.y, off->z += to_middle.z;
}

static void fly_task(void *context, int task)
{
    const flight *f = context;
    rv_spray *s = f->spray;
    int end = (task + 1) * BATCH < s->count ? (task + 1) * BATCH : s->count;
    for (int i = task * BATCH; i < end; i++) {
        s->flown[i] = RV_FLOWN_ON;
        if (s->goal[i] > 0) continue;
        rv_vec3 before = s->velocity[i], off = s->off[i];
        s->flown[i] = (uint8_t)fly_one(f->air, fmax(f->dt - s->late[i], 0), s->radius[i], &s->at[i],
                                       &s->velocity[i], &s->down[i]);
        s->late[i] = 0;
        if (s->flown[i] == RV_FLOWN_ON && (off.x != 0 || off.y != 0 || off.z != 0))
            narrow(f->air->columns, &s->at[i], &s->off[i], before, s->velocity[i]);
    }
}

void rv_spray_fly(rv_spray *spray, const rv_air *air, double dt, rv_pool *pool)
{
    flight f = {spray, air, dt};
    if (spray->count == 0) return;
    rv_parallel_for(pool, (spray->count + BATCH - 1) / BATCH, fly_task, &f);
}
