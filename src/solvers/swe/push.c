// What bodies and droplets do to the liquid (SPEC §6). The momentum of the liquid over its density
// is Σ H̄ u dx² over all faces, with H̄ the mean depth of the two cells: a push is shared by the two
// faces of a cell along its axis.
#include "solvers/swe/swe.h"

// A face of a cell: where its velocity stands, and its depth; NULL: no liquid can pass it.
typedef struct grip {
    float *speed;
    double depth; // m
} grip;

static grip grip_of(rv_solver *s, uint32_t flat, bool along_y, bool high)
{
    uint32_t step = along_y ? (uint32_t)s->pitch : 1;
    uint32_t a = high ? flat : flat - step, b = a + step;
    float sill = rv_f_max(s->bed[a], s->bed[b]);
    float level = rv_f_max(s->bed[a] + s->depth[a], s->bed[b] + s->depth[b]);
    uint32_t other = high ? b : a;
    // what stands beyond a border takes no push
    if (!rv_column_exists(s->columns, other) || !(level - sill > s->law.film))
        return (grip){NULL, 0.0};
    return (grip){(along_y ? s->speed_y : s->speed_x) + a,
                  0.5 * ((double)s->depth[a] + (double)s->depth[b])};
}

static bool can_take(const grip grips[2], double push)
{
    return push == 0.0 || grips[0].speed || grips[1].speed;
}

// push: m⁴/s over dx².
static void give(const grip grips[2], double push)
{
    double share = grips[0].speed && grips[1].speed ? 0.5 : 1.0;
    for (int k = 0; k < 2; k++)
        if (grips[k].speed && push != 0.0)
            *grips[k].speed = (float)((double)*grips[k].speed + share * push / grips[k].depth);
}

bool rv_swe_push(rv_solver *s, size_t slot, double x, double y)
{
    uint32_t flat = rv_swe_flat(s, slot);
    if (flat == RV_NO_SLOT || !(s->depth[flat] > s->law.film)) return false;
    grip along_x[2] = {grip_of(s, flat, false, false), grip_of(s, flat, false, true)};
    grip along_y[2] = {grip_of(s, flat, true, false), grip_of(s, flat, true, true)};
    if (!can_take(along_x, x) || !can_take(along_y, y)) return false;
    double area = s->params.grid_dx * s->params.grid_dx;
    give(along_x, x / area);
    give(along_y, y / area);
    rv_swe_touch(s, flat);
    return true;
}

// Velocities a and b of two opposite faces are a flow through the cell, (a + b)/2, and one together
// in it, (a - b)/2, whose kinetic energies stand side by side. Against a wall all is together.
// Returns m²/s²: the energy of the latter over density and over the liquid's volume.
static double calm_way(grip low, grip high, double share)
{
    if (!low.speed && !high.speed) return 0.0;
    bool both = low.speed && high.speed;
    double a = low.speed ? (double)*low.speed : 0.0, b = high.speed ? (double)*high.speed : 0.0;
    double through = both ? 0.5 * (a + b) : 0.0, in = both ? 0.5 * (a - b) : a - b;
    if (share != 1.0 && low.speed) *low.speed = (float)(through + share * in);
    if (share != 1.0 && high.speed) *high.speed = (float)(through - share * in);
    return both ? in * in : 0.5 * in * in;
}

double rv_swe_calm(rv_solver *s, size_t slot, double share)
{
    uint32_t flat = rv_swe_flat(s, slot);
    if (flat == RV_NO_SLOT || !(s->depth[flat] > s->law.film)) return 0.0;
    double sum = 0.0, area = s->params.grid_dx * s->params.grid_dx;
    for (int k = 0; k < 2; k++)
        sum += calm_way(grip_of(s, flat, k == 1, false), grip_of(s, flat, k == 1, true), share);
    return sum * (double)s->depth[flat] * area;
}
