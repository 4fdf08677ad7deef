// What droplets that leave a column take of the flow that lifts it.
//
// Fluxes (with law `flow` velocities) a and b of the two pipes of a way are a flow through the
// column, (a + b)/2, and one together in it, (a - b)/2. In a pipe of length l and area A, flux f
// has the kinetic energy ρ f² l/(2A), so the two parts have it side by side, and one can be slowed
// without the other. Where a way has a pipe on one side only, against a wall, all of its flow is
// together. Odd pipes stay as they are.
#include "columns/columns.h"

// Half of the square of the flow together, flux or velocity, over the pipes' share of the push.
static double calm_way(rv_engine *s, uint32_t slot, rv_way way, double share)
{
    uint32_t step = (uint32_t)rv_way_step(way, rv_plane_of(s->columns, slot)->pitch);
    uint32_t before = slot - step;
    const uint16_t *slope = s->slope[way];
    const uint16_t *gaps = rv_gaps_of(s, way);
    float *flux = s->flow ? s->speed[way] : s->flux[way];
    bool low = slope[before] != 0, high = slope[slot] != 0, both = low && high;
    if (!low && !high) return 0.0;
    double a = low ? (double)flux[before] : 0.0, b = high ? (double)flux[slot] : 0.0;
    double through = both ? 0.5 * (a + b) : 0.0, in = both ? 0.5 * (a - b) : a - b;
    if (share != 1.0 && low) flux[before] = (float)(through + share * in);
    if (share != 1.0 && high) flux[slot] = (float)(through - share * in);
    double of_push = rv_pipe_share(s, way, gaps ? gaps[low ? before : slot] : 0);
    return (both ? in * in : 0.5 * in * in) / of_push;
}

double rv_pipes_calm(rv_engine *s, size_t slot, double share)
{
    if (slot >= s->slots || !rv_column_exists(s->columns, slot)) return 0.0;
    if (!(s->depth[slot] > s->law.film)) return 0.0;
    if (s->share_axial == 0.0) rv_pipes_set_law(s, s->params.time_step); // before the first substep
    if (share != 1.0) rv_rest_stir(s, rv_pipes_row_of(s, (uint32_t)slot), (uint32_t)slot);
    double dx = s->params.grid_dx, sum = 0.0;
    for (int way = 0; way < rv_ways(s); way++)
        sum += calm_way(s, (uint32_t)slot, (rv_way)way, share);
    // with f = u H dx and A = H dx, f² l/A is u² H dx²; with A = dx² it is f²/dx
    double mass = s->flow ? (double)s->depth[slot] * dx * dx : 1.0 / dx;
    return sum * mass / rv_pipe_reach(s);
}
