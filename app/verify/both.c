// What the cases share that run for both solvers of columns: channels, fronts, and how whole a film
// is.
#include "both.h"

#include <math.h>
#include <stdlib.h>

#define THIN 1e-4 // m: what is not deeper counts as dry

rv_solver_kind rv_both_kind(int k)
{
    return k == 0 ? RV_SOLVER_PIPES : RV_SOLVER_SWE;
}

const char *rv_both_word(int k)
{
    return k == 0 ? "pipes" : "swe";
}

// ---- Channels -----------------------------------------------------------------------------------

float *rv_channel(rv_world_def *def, int solver, int nx, int ny, double dx, double fall,
                  double room)
{
    float *bed = malloc((size_t)nx * (size_t)ny * sizeof *bed);
    *def = rv_verify_def();
    def->params.solver = rv_both_kind(solver);
    def->params.grid_nx = nx, def->params.grid_ny = ny, def->params.grid_dx = dx;
    def->params.grid_top = nx * dx * fall + room;
    for (int i = 0; bed && i < nx * ny; i++) bed[i] = (float)((nx - 1 - i % nx) * dx * fall);
    def->heights = bed;
    return bed;
}

rv_fill_def rv_channel_fill(const rv_world_def *def, int x, double depth)
{
    double dx = def->params.grid_dx, at = (x + 0.5 - 0.5 * def->params.grid_nx) * dx;
    rv_fill_def fill = rv_default_fill_def();
    fill.kind = RV_FILL_DEPTH, fill.depth = depth;
    fill.from.x = at - 0.25 * dx, fill.to.x = at + 0.25 * dx;
    return fill;
}

double rv_channel_front(const rv_world *world, double edge)
{
    const rv_params *p = rv_world_params(world);
    const int n = p->grid_nx, y = p->grid_ny / 2;
    for (int x = n - 1; x >= 0; x--) {
        double here = rv_verify_depth(world, x, y);
        if (!(here >= edge)) continue;
        double ahead = x + 1 < n ? rv_verify_depth(world, x + 1, y) : 0;
        return (x + 0.5 + (here - edge) / (here - ahead)) * p->grid_dx;
    }
    return 0;
}

// ---- Wholeness ----------------------------------------------------------------------------------

rv_wholeness rv_whole_of(const rv_world *world, bool along_y, int from, int to)
{
    const rv_params *p = rv_world_params(world);
    const int across = along_y ? p->grid_nx : p->grid_ny;
    rv_wholeness w = {0};
    for (int k = from + 1; k < to - 1; k++)
        for (int j = 0; j < across; j++) {
            double d[3];
            for (int i = 0; i < 3; i++)
                d[i] = along_y ? rv_verify_depth(world, j, k + i - 1)
                               : rv_verify_depth(world, k + i - 1, j);
            if (!(d[0] > THIN && d[2] > THIN)) continue;
            if (!(d[1] > THIN))
                w.holes++;
            else
                w.rough += fabs(d[0] - 2 * d[1] + d[2]) / d[1], w.counted++;
        }
    if (w.counted > 0) w.rough /= w.counted;
    return w;
}
