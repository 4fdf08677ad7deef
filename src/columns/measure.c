// What the liquid is like as a whole: volume, depth, speed, energy. Only the volume looks at
// columns that sleep, which may hold less than a film.
//
// A pipe between columns of depths a and b through which q flows has the cross-section dx max(a,
// b); the liquid that moves with it is half of that in both cells, so its kinetic energy is ½ ρ (q
// / (dx max(a, b)))² dx² max(a, b) = ½ ρ q² / max(a, b). Potential: a column of depth H on a bed at
// b has its middle at b + H/2.
#include "columns/columns.h"

#include <math.h>

typedef struct flow {
    const float *depth, *x, *y; // m, m³/s
    const float *u, *v;         // m/s; NULL: the flux is all there is
    const uint8_t *full;        // what flows there is known as flux only
    float dx;
    size_t pitch;
} flow;

static flow flow_in(const rv_engine *s, int plane)
{
    bool speeds = s->flow && !s->eight;
    return (flow){s->depth,
                  s->eight ? s->seen_x : s->flux[RV_WAY_X],
                  s->eight ? s->seen_y : s->flux[RV_WAY_Y],
                  speeds ? s->speed[RV_WAY_X] : NULL,
                  speeds ? s->speed[RV_WAY_Y] : NULL,
                  s->full,
                  (float)s->params.grid_dx,
                  (size_t)s->columns->plane[plane].pitch};
}

// Speed through the pipe from slot a to slot b, times dx, m²/s.
static inline float through(const flow *f, const float *flux, const float *speed, size_t a,
                            size_t b)
{
    if (speed && !(f->full[a] | f->full[b])) return speed[a] * f->dx;
    float deeper = f->depth[a] > f->depth[b] ? f->depth[a] : f->depth[b];
    return flux[a] == 0.0f ? 0.0f : flux[a] / deeper;
}

// Mean of the two pipes along each axis, times 2 dx, m²/s.
static inline void twice_velocity(const flow *f, size_t i, float out[2])
{
    out[0] = through(f, f->x, f->u, i - 1, i) + through(f, f->x, f->u, i, i + 1);
    out[1] = through(f, f->y, f->v, i - f->pitch, i) + through(f, f->y, f->v, i, i + f->pitch);
}

void rv_pipes_velocity(const rv_engine *s, size_t slot, float out[2])
{
    out[0] = out[1] = 0.0f;
    if (slot >= s->slots || !(s->depth[slot] > s->law.film)) return;
    flow f = flow_in(s, (int)(rv_plane_of(s->columns, (uint32_t)slot) - s->columns->plane));
    float half = (float)(0.5 / s->params.grid_dx);
    twice_velocity(&f, slot, out);
    out[0] *= half, out[1] *= half;
}

typedef struct sums {
    double kinetic, height, across, along; // all over dx², see rv_pipes_measure
    float fastest;                         // square of twice the speed times dx
} sums;

// Each pipe's speed is worked out once where its neighbour's will do: that to the west is the one
// to the east of the column before.
static void measure_run(const rv_engine *s, const rv_pipe_row *row, rv_run run, const flow *f,
                        rv_solver_stats *out, sums *sum)
{
    const rv_grid *g = &s->columns->grid;
    const float *base = s->columns->base;
    double kinetic = 0.0, height = 0.0, across = 0.0, volume = 0.0, deepest = out->deepest;
    int x0 = s->columns->plane[row->plane].x0;
    size_t first = row->first + (size_t)run.x;
    float west = through(f, f->x, f->u, first - 1, first), east;
    for (size_t i = first; i < first + (size_t)run.count; i++, west = east) {
        bool wet = f->depth[i] > s->law.film;
        east = through(f, f->x, f->u, i, i + 1);
        if (!wet && f->x[i] == 0.0f && f->y[i] == 0.0f) continue;
        float north = through(f, f->y, f->v, i, i + f->pitch);
        kinetic += (double)(f->x[i] * east) + (double)(f->y[i] * north);
        if (!wet) continue;
        double d = (double)f->depth[i];
        float u = west + east, v = through(f, f->y, f->v, i - f->pitch, i) + north;
        out->wet++, out->flooded += s->full[i];
        sum->fastest = rv_f_max(sum->fastest, u * u + v * v);
        deepest = d > deepest ? d : deepest;
        volume += d, height += d * ((double)base[i] - g->bottom + 0.5 * d);
        across += d * ((double)(x0 + (int)(i - row->first)) + 0.5 - 0.5 * g->nx);
    }
    out->deepest = deepest;
    sum->kinetic += kinetic, sum->height += height, sum->across += across;
    sum->along += volume * ((double)row->y + 0.5 - 0.5 * g->ny);
}

// The sum of a row's depths, in four sums side by side: one alone would wait for each addition.
static double sum_of(const float *depth, uint32_t count)
{
    double sum[4] = {0.0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (uint32_t k = 0; k < 4; k++) sum[k] += (double)depth[i + k];
    for (; i < count; i++) sum[0] += (double)depth[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void rv_pipes_measure(const rv_engine *s, rv_solver_stats *out)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx, all = 0.0;
    sums sum = {0};
    *out = s->totals;
    out->wet = 0, out->deepest = 0.0, out->flooded = 0;
    for (uint32_t r = 0; r < s->row_count; r++) {
        const rv_pipe_row *row = &s->row[r];
        flow f = flow_in(s, row->plane);
        all += sum_of(s->depth + row->first, row->count);
        uint64_t blocks = s->wet[r] | s->awake[r];
        for (rv_run run = rv_first_run_of(s, r, blocks); run.count; run = rv_next_run(s, r, run))
            measure_run(s, row, run, &f, out, &sum);
    }
    out->volume = all * dx * dx;
    out->fastest = sqrt((double)sum.fastest) * 0.5 / dx;
    out->kinetic = 0.5 * p->liquid_density * sum.kinetic;
    out->potential = p->liquid_density * dx * dx *
                     (rv_gravity_down(p) * sum.height -
                      dx * (p->gravity.x * sum.across + p->gravity.y * sum.along));
}
