// What bodies do to the liquid (docs/bodies.md): heads that press on columns are added to levels
// wherever a pipe's ends are compared; pushes change fluxes, or velocities.
//
// The liquid's momentum is ρ Σ f d over all pipes, f the flux and d the way from one column's
// middle to the other's: what flows through a pipe moves the middle of all liquid by f d a second.
// A push of impulse over density J along x shares J/dx among the pipes of the column along x. With
// law `flow` f is H̄ u dx, H̄ the mean depth of the two columns. Its flux stays as it was, for it is
// what carries momentum in the next substep; but first liquid has none yet, and is seen to move.
#include "columns/joints.h"

#include <math.h>

// Cells of one row of a plane that something presses on. A pipe belongs to the row of its low end.
bool rv_pipes_is_pressed(const rv_engine *s, uint32_t r)
{
    return s->press && s->row[r].y + 1 >= s->pressed.y0 && s->row[r].y < s->pressed.y1;
}

// A pipe of a column on one side: where its flux or velocity stands, what a change of flux by 1
// changes there, and the share of a push that it gets. NULL: there is none.
typedef struct grip {
    float *value;
    double unit, share;
    float *seen; // flux that is set with the velocity; NULL: none
} grip;

static grip grip_between(rv_engine *s, uint32_t a, uint32_t b, float *flux, float *speed,
                         double share)
{
    const float *base = s->columns->base;
    if (!s->flow) return (grip){flux, 1.0, share, NULL};
    float level = rv_f_max(base[a] + s->depth[a], base[b] + s->depth[b]);
    if (!(level - rv_f_max(base[a], base[b]) > s->law.film)) return (grip){NULL, 0.0, 0.0, NULL};
    double both = (double)s->depth[a] + (double)s->depth[b];
    return (grip){speed, 2.0 / (both * s->params.grid_dx), share,
                  s->clock.substeps == 0 ? flux : NULL};
}

static grip grip_of(rv_engine *s, uint32_t slot, rv_way way, bool high)
{
    uint32_t step = (uint32_t)rv_way_step(way, rv_plane_of(s->columns, slot)->pitch);
    uint32_t low = high ? slot : slot - step;
    const uint16_t *gaps = rv_gaps_of(s, way);
    if (s->slope[way][low])
        return grip_between(s, low, low + step, &s->flux[way][low], &s->speed[way][low],
                            rv_pipe_share(s, way, gaps ? gaps[low] : 0));
    const rv_odd_column *column = rv_pipes_odd_column(s, slot);
    for (uint32_t e = 0; column && e < column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[column->first + e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        if (entry->side == rv_side_of(way, high) && p->b != RV_NO_SLOT)
            return grip_between(s, p->a, p->b, &s->odd_flux[entry->pipe],
                                &s->odd_speed[entry->pipe], rv_pipe_share(s, way, p->gaps));
    }
    return (grip){NULL, 0.0, 0.0, NULL};
}

// Shares that the pipes of a column take of a push along an axis, by side. Diagonals come in pairs
// on the same side of the column, so that nothing is pushed across.
static double shares_along(const grip grips[RV_SIDES], bool along_y, double out[RV_SIDES])
{
    static const int sides[2][2][3] = {
        {{RV_WEST, RV_SOUTH_WEST, RV_NORTH_WEST}, {RV_EAST, RV_SOUTH_EAST, RV_NORTH_EAST}},
        {{RV_SOUTH, RV_SOUTH_WEST, RV_SOUTH_EAST}, {RV_NORTH, RV_NORTH_WEST, RV_NORTH_EAST}}};
    double all[2];
    for (int high = 0; high < 2; high++) {
        const int *side = sides[along_y][high];
        bool both = grips[side[1]].value && grips[side[2]].value;
        out[side[0]] = grips[side[0]].share;
        for (int k = 1; k < 3; k++) out[side[k]] = both ? grips[side[k]].share : 0.0;
        all[high] = out[side[0]] + (out[side[1]] + out[side[2]]);
    }
    return all[0] + all[1];
}

static void see(rv_engine *s, size_t i, size_t pitch, int count)
{
    s->loops.rows->see(rv_pipes_eight_at(s, i, pitch), s->seen_x + i, s->seen_y + i, count);
}

void rv_pipes_see(rv_engine *s)
{
    for (uint32_t r = 0; r < s->row_count; r++)
        see(s, s->row[r].first, (size_t)s->columns->plane[s->row[r].plane].pitch, s->row[r].count);
}

// Around a column whose pipes were changed, and nowhere else: within a step the rest is older than
// the fluxes, and what whole vectors would bring up to date beside it depends on their width. The
// sums are those of the row's loop.
static void see_around(rv_engine *s, uint32_t slot)
{
    const rv_plane *plane = rv_plane_of(s->columns, slot);
    rv_place at = rv_place_of(s->columns, slot);
    size_t pitch = (size_t)plane->pitch;
    const float *fx = s->flux[RV_WAY_X], *fy = s->flux[RV_WAY_Y];
    const float *ne = s->flux[RV_WAY_NE], *nw = s->flux[RV_WAY_NW];
    for (int y = at.y - 1; y <= at.y + 1; y++)
        for (int x = at.x - 1; x <= at.x + 1; x++) {
            if (!rv_plane_has(plane, x, y)) continue;
            size_t i = rv_slot(plane, x, y);
            float low = ne[i - pitch] - nw[i - pitch + 1];
            s->seen_x[i] = fx[i] + 0.5f * ((ne[i] - nw[i + 1]) + low);
            s->seen_y[i] = fy[i] + 0.5f * ((ne[i] + nw[i + 1]) + (ne[i - 1] + nw[i]));
        }
}

// Two pipes of one kind share a push by their shares.
static inline void push_two(const rv_engine *s, float *low, float *high, const uint16_t *gaps,
                            size_t below, size_t slot, double push)
{
    double first = 0.5;
    if (gaps && gaps[below] != gaps[slot]) {
        double a = rv_pipe_share(s, RV_WAY_X, gaps[below]);
        first = a / (a + rv_pipe_share(s, RV_WAY_X, gaps[slot]));
    }
    *low = (float)((double)*low + push * first);
    *high = (float)((double)*high + push * (1.0 - first));
}

// A column with four plain pipes of law `cell`, as most have. false: it is none.
static bool push_plain(rv_engine *s, size_t slot, const double push[2])
{
    if (s->eight || s->flow || s->odd_at[slot]) return false;
    size_t west = slot - 1, south = slot - (size_t)rv_plane_of(s->columns, (uint32_t)slot)->pitch;
    if (!s->slope[RV_WAY_X][west] || !s->slope[RV_WAY_X][slot] || !s->slope[RV_WAY_Y][south] ||
        !s->slope[RV_WAY_Y][slot])
        return false;
    push_two(s, &s->flux[RV_WAY_X][west], &s->flux[RV_WAY_X][slot], s->gaps_x, west, slot, push[0]);
    push_two(s, &s->flux[RV_WAY_Y][south], &s->flux[RV_WAY_Y][slot], s->gaps_y, south, slot,
             push[1]);
    return true;
}

// Whether a column can be pushed at all.
static bool has_liquid(rv_engine *s, size_t slot)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return false;
    if (!(s->depth[slot] > s->law.film)) return false;
    if (s->share_axial == 0.0) rv_pipes_set_law(s, s->params.time_step); // before the first substep
    return true;
}

// How a push along x and y is shared out among the sides of a column; false: there is no pipe that
// takes it.
static bool share_out(rv_engine *s, size_t slot, const double push[2], grip grips[RV_SIDES],
                      double shares[2][RV_SIDES], double all[2])
{
    for (int way = 0; way < rv_ways(s); way++)
        for (int high = 0; high < 2; high++)
            grips[rv_side_of((rv_way)way, high)] = grip_of(s, (uint32_t)slot, (rv_way)way, high);
    for (int k = 0; k < 2; k++) {
        all[k] = shares_along(grips, k == 1, shares[k]);
        if (push[k] != 0.0 && !(all[k] > 0.0)) return false;
    }
    return true;
}

bool rv_pipes_can_push(rv_engine *s, size_t slot, double x, double y)
{
    grip grips[RV_SIDES] = {{NULL, 0.0, 0.0, NULL}};
    const double push[2] = {x / s->params.grid_dx, y / s->params.grid_dx};
    double shares[2][RV_SIDES] = {{0.0}, {0.0}}, all[2];
    return has_liquid(s, slot) && share_out(s, slot, push, grips, shares, all);
}

bool rv_pipes_push(rv_engine *s, size_t slot, double x, double y)
{
    if (!has_liquid(s, slot)) return false;
    const double push[2] = {x / s->params.grid_dx, y / s->params.grid_dx};
    rv_rest_stir(s, rv_pipes_row_of(s, (uint32_t)slot), (uint32_t)slot);
    if (push_plain(s, slot, push)) return true;
    grip grips[RV_SIDES] = {{NULL, 0.0, 0.0, NULL}};
    double shares[2][RV_SIDES] = {{0.0}, {0.0}}, all[2];
    if (!share_out(s, slot, push, grips, shares, all)) return false;
    for (int side = 0; side < RV_SIDES; side++) {
        if (!grips[side].value) continue;
        // flux to the north-west runs against x
        bool back = side == RV_NORTH_WEST || side == RV_SOUTH_EAST;
        double along_x = shares[0][side] > 0.0 ? push[0] * shares[0][side] / all[0] : 0.0;
        double along_y = shares[1][side] > 0.0 ? push[1] * shares[1][side] / all[1] : 0.0;
        double more = (back ? -along_x : along_x) + along_y;
        *grips[side].value = (float)((double)*grips[side].value + more * grips[side].unit);
        if (grips[side].seen) *grips[side].seen = (float)((double)*grips[side].seen + more);
    }
    if (s->eight) see_around(s, (uint32_t)slot);
    return true;
}

// Liquid at rest came into a column: its pipes keep their momentum, and are slower by as much as
// the two columns of each are deeper. With the flux as state momentum does not depend on depths.
void rv_pipes_dilute(rv_engine *s, size_t slot, double more)
{
    if (!s->flow || !(more > 0.0) || !(s->depth[slot] > s->law.film)) return;
    for (int way = 0; way < rv_ways(s); way++)
        for (int high = 0; high < 2; high++) {
            grip g = grip_of(s, (uint32_t)slot, (rv_way)way, high);
            if (!g.value) continue;
            double both = 2.0 / (g.unit * s->params.grid_dx); // m, of the two columns
            *g.value = (float)((double)*g.value * fmax(1.0 - more / both, 0.0));
        }
}
