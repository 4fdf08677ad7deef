// Liquid that stands on a moving solid rides with it (docs/terrain.md).
//
// Columns stay where they are while the solid passes under them, so it has to be said that their
// liquid moves: when the solid's velocity changes, as it starts, turns or stops, the liquid that
// stands on it gets the same change as an impulse, what the walls of a cup would give it by their
// pressure. With the solid's own velocity the level stays as it is while the bed moves under it:
// ∂b/∂t + u·∇b = 0. While the velocity stays the same nothing is given, and what the liquid has of
// its own, waves and streams, it keeps. The solid is as heavy as need be; no volume is touched.
//
// Velocities follow from the events alone, by differences over a step, so that a restored world
// goes on with the same bits.
#include "world/world_internal.h"

#define UNDER 0.75 // cells: the bed is the mover's if that is no farther away

static rv_vec3 apart(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Where a point of the solid is that was defined at q, and back.
static rv_vec3 place_of(const rv_motion *m, rv_vec3 q)
{
    return (rv_vec3){m->at.x + m->row[0].x * q.x + m->row[1].x * q.y + m->row[2].x * q.z,
                     m->at.y + m->row[0].y * q.x + m->row[1].y * q.y + m->row[2].y * q.z,
                     m->at.z + m->row[0].z * q.x + m->row[1].z * q.y + m->row[2].z * q.z};
}

static rv_vec3 own_place(const rv_motion *m, rv_vec3 p)
{
    rv_vec3 d = apart(p, m->at);
    return (rv_vec3){dot(m->row[0], d), dot(m->row[1], d), dot(m->row[2], d)};
}

// A step before, at its beginning, and at its end.
typedef struct ride {
    rv_motion last, from, to;
    int mover;
    double dt; // s
} ride;

// By how much the solid's velocity changes at a place, m/s.
static rv_vec3 change_at(const ride *r, rv_vec3 p)
{
    rv_vec3 q = own_place(&r->to, p), from = place_of(&r->from, q);
    rv_vec3 now = apart(p, from), last = apart(from, place_of(&r->last, q));
    return (rv_vec3){(now.x - last.x) / r->dt, (now.y - last.y) / r->dt, (now.z - last.z) / r->dt};
}

static void push_column(rv_world *world, const ride *r, size_t slot, int x, int y)
{
    const rv_column_set *set = &world->columns;
    double depth = (double)rv_world_view(world).depth[slot], dx = world->params.grid_dx;
    rv_vec3 p = {rv_cell_x(world, x), rv_cell_y(world, y), (double)set->base[slot]};
    if (!(depth > 0) || !(rv_terrain_mover_distance(world->terrain, r->mover, p) < UNDER * dx))
        return;
    p.z += 0.5 * depth;
    rv_vec3 change = change_at(r, p);
    double volume = depth * dx * dx;
    if (change.x != 0 || change.y != 0)
        rv_world_put_push(world, slot, volume * change.x, volume * change.y);
}

static bool same(const rv_motion *a, const rv_motion *b)
{
    rv_vec3 d = apart(a->at, b->at);
    bool turned = false;
    for (int k = 0; k < 3; k++) {
        rv_vec3 e = apart(a->row[k], b->row[k]);
        turned |= e.x != 0 || e.y != 0 || e.z != 0;
    }
    return !turned && d.x == 0 && d.y == 0 && d.z == 0;
}

void rv_world_ride(rv_world *world, int mover, double time, double dt)
{
    if (!world->api->columns || !(dt > 0)) return;
    ride r = {.last = rv_world_motion(world, mover, time - dt),
              .from = rv_world_motion(world, mover, time),
              .to = rv_world_motion(world, mover, time + dt),
              .mover = mover,
              .dt = dt};
    if (same(&r.last, &r.from) && same(&r.from, &r.to)) return;
    if (world->cut) world->api->columns->ready(world->solver);
    rv_rect cells = rv_terrain_mover_cells(world->terrain, mover);
    const rv_column_set *set = &world->columns;
    size_t slot;
    for (int l = 0; l < set->planes; l++)
        for (int y = cells.y0; y < cells.y1; y++)
            for (int x = cells.x0; x < cells.x1; x++)
                if (rv_column_at(set, l, x, y, &slot)) push_column(world, &r, slot, x, y);
    rv_world_trade(world);
}
