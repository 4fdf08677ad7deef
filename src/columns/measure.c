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

// Of one row; all but the last three over dx², see rv_pipes_measure.
typedef struct row_sums {
    double volume, kinetic, height, across, along;
    double deepest;
    double fastest; // square of twice the speed times dx
    int64_t wet, flooded;
} row_sums;

// Each pipe's speed is worked out once where its neighbour's will do: that to the west is the one
// to the east of the column before.
static void measure_run(const rv_engine *s, const rv_pipe_row *row, rv_run run, const flow *f,
                        row_sums *sum)
{
    const rv_grid *g = &s->columns->grid;
    const float *base = s->columns->base;
    double kinetic = 0.0, height = 0.0, across = 0.0, volume = 0.0, deepest = sum->deepest;
    float fastest = (float)sum->fastest;
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
        sum->wet++, sum->flooded += s->full[i];
        fastest = rv_f_max(fastest, u * u + v * v);
        deepest = d > deepest ? d : deepest;
        volume += d, height += d * ((double)base[i] - g->bottom + 0.5 * d);
        across += d * ((double)(x0 + (int)(i - row->first)) + 0.5 - 0.5 * g->nx);
    }
    sum->deepest = deepest, sum->fastest = (double)fastest;
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

static row_sums measure_row(const rv_engine *s, uint32_t r)
{
    const rv_pipe_row *row = &s->row[r];
    flow f = flow_in(s, row->plane);
    row_sums sum = {.volume = sum_of(s->depth + row->first, row->count)};
    uint64_t blocks = s->wet[r] | s->awake[r];
    for (rv_run run = rv_first_run_of(s, r, blocks); run.count; run = rv_next_run(s, r, run))
        measure_run(s, row, run, &f, &sum);
    return sum;
}

// Adds a row to what those before it have.
static void add_row(row_sums *all, const row_sums *row)
{
    all->volume += row->volume, all->kinetic += row->kinetic, all->height += row->height;
    all->across += row->across, all->along += row->along;
    all->wet += row->wet, all->flooded += row->flooded;
    all->deepest = fmax(all->deepest, row->deepest),
    all->fastest = fmax(all->fastest, row->fastest);
}

// The same over all ranks: plane by plane the rows of each in turn, as one process has them, each
// rank going on with the sums of the one before.
static void add_ranks(const rv_engine *s, row_sums *all)
{
    rv_cut *cut = s->columns->grid.cut;
    int last = 0, count = cut->ranks->count;
    for (int p = 0; p < s->columns->planes; p++) {
        const rv_plane *plane = &s->columns->plane[p];
        for (int rank = 0; rank < count; rank++) {
            rv_cut_pass(cut, last, rank, all, sizeof *all);
            last = rank;
            if (rank != cut->ranks->rank) continue;
            rv_rows here = rv_rows_both(cut->own, (rv_rows){plane->y0, plane->y0 + plane->ny});
            for (int y = here.from; y < here.to; y++) {
                row_sums row = measure_row(s, s->plane_row[p] + (uint32_t)(y - plane->y0));
                add_row(all, &row);
            }
        }
    }
    rv_cut_spread(cut, last, all, sizeof *all);
}

// Rows are measured several at a time, and added up in their order.
enum { AT_ONCE = 256, SHARE = 8 };

typedef struct measuring {
    const rv_engine *s;
    uint32_t first, count;
    row_sums row[AT_ONCE];
} measuring;

static void measure_some(void *context, int task)
{
    measuring *m = context;
    uint32_t from = (uint32_t)task * SHARE, to = from + SHARE;
    for (uint32_t k = from; k < to && k < m->count; k++)
        m->row[k] = measure_row(m->s, m->first + k);
}

static void add_rows(const rv_engine *s, row_sums *all)
{
    measuring m = {.s = s};
    for (m.first = 0; m.first < s->row_count; m.first += AT_ONCE) {
        m.count = s->row_count - m.first < AT_ONCE ? s->row_count - m.first : AT_ONCE;
        rv_parallel_for(s->pool, (int)((m.count + SHARE - 1) / SHARE), measure_some, &m);
        for (uint32_t k = 0; k < m.count; k++) add_row(all, &m.row[k]);
    }
}

void rv_pipes_measure(const rv_engine *s, rv_solver_stats *out)
{
    const rv_params *p = &s->params;
    double dx = p->grid_dx;
    row_sums sum = {0};
    rv_pipes_counters(s, out);
    if (s->far)
        add_ranks(s, &sum);
    else
        add_rows(s, &sum);
    out->wet = sum.wet, out->flooded = sum.flooded, out->deepest = sum.deepest;
    out->volume = sum.volume * dx * dx;
    out->fastest = sqrt(sum.fastest) * 0.5 / dx;
    out->kinetic = 0.5 * p->liquid_density * sum.kinetic;
    out->potential = p->liquid_density * dx * dx *
                     (rv_gravity_down(p) * sum.height -
                      dx * (p->gravity.x * sum.across + p->gravity.y * sum.along));
}

// What went over borders is kept by rows, and added up in their order.
void rv_pipes_counters(const rv_engine *s, rv_solver_stats *out)
{
    const rv_grid *g = &s->columns->grid;
    double sums[2] = {0.0};
    *out = s->totals;
    int last = 0;
    for (int rank = 0; rank < (g->cut ? g->cut->ranks->count : 1); rank++) {
        if (g->cut) rv_cut_pass(g->cut, last, rank, sums, sizeof sums);
        last = rank;
        if (g->cut && rank != g->cut->ranks->rank) continue;
        rv_rows own = rv_grid_own(g);
        for (int k = 0; k < 2; k++)
            for (int y = own.from; y < own.to; y++) sums[k] += s->border[k][y];
    }
    if (g->cut) rv_cut_spread(g->cut, last, sums, sizeof sums);
    if (g->cut) rv_cut_sum(g->cut, &out->not_finite, 1);
    out->border_in = sums[0], out->border_out = sums[1];
}
