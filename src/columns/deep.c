// Heads of deep liquid with surface tension (docs/tension.md). Depth-averaged, waves that are
// shorter than the liquid is deep are too fast, and substeps would be for them alone; so there the
// heads, levels included, are smoothed over the grid, up to four times, each the deeper the liquid
// is (rv_calm_share in laws/flow.h), and what is left of the shortest waves is damped
// (rv_calm_damps). Heads that are even stay, so what is at rest does not know.
#include "columns/laws/flow.h"
#include "columns/tension.h"

// Smoothing begins at these depths, in cells, and is whole at half as much again.
static const double calm_from[4] = {0.5, 0.9, 4.5, 8};

// Share that the grid's shortest waves lose of their velocity in a substep; half of that in height.
#define DAMPED 0.1

#define TAKE -1 // before the four passes: heads over the whole
#define GIVE 4  // and after them: back to heads

typedef struct calming {
    rv_engine *s;
    int pass, tasks;
} calming;

// A row takes part in a pass, and in the one that it makes a pair with, while it has liquid that is
// deep enough; after a pair its heads are where they were. What is beside it and does not take part
// counts for nothing.
static bool is_calmed(const rv_engine *s, uint32_t r, int pass)
{
    int first = pass == 2 || pass == 3 ? 2 : 0;
    return s->awake[r] && s->row_most[r] > (float)(calm_from[first] * s->params.grid_dx);
}

// What odd pipes between deep columns add.
static void calm_odd(rv_engine *s, const rv_odd_column *column, const float *from, float *to,
                     int pass)
{
    uint32_t own = column->slot;
    float share = rv_calm_share(&s->law, s->depth[own] * s->tension->even[own], pass);
    float sides[RV_SIDES] = {0.0f}; // summed by side, so that a turned scene gives turned bits
    if (!(share > 0.0f)) return;
    for (uint32_t e = column->first; e < column->first + column->count; e++) {
        const rv_odd_pipe *p = &s->odd[s->odd_of[e].pipe];
        if (p->b == RV_NO_SLOT) continue;
        uint32_t other = p->a == own ? p->b : p->a;
        float there = rv_calm_share(&s->law, s->depth[other] * s->tension->even[other], pass);
        sides[s->odd_of[e].side] += rv_f_min(share, there) * (from[other] - from[own]);
    }
    to[own] += RV_CALM_NEAR * rv_sum_sides(sides);
}

static void calm_odd_row(rv_engine *s, uint32_t r, int pass)
{
    const rv_pipe_row *row = &s->row[r];
    float *const *calm = s->tension->calm;
    for (uint32_t k = row->odd_first; k < row->odd_first + row->odd_count; k++)
        if (s->awake[r] >> s->odd_column[k].block & 1)
            calm_odd(s, &s->odd_column[k], calm[pass & 1], calm[!(pass & 1)], pass);
}

static void calm_row(rv_engine *s, uint32_t r, int pass)
{
    const rv_tension *t = s->tension;
    ptrdiff_t pitch = s->columns->plane[s->row[r].plane].pitch;
    const float *base = s->columns->base, *depth = s->depth;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t i = s->row[r].first + (size_t)run.x, end = i + (size_t)run.count;
        rv_calm_rows in = {base + i,        depth + i,       t->even + i,    s->speed[0] + i,
                           s->speed[1] + i, s->slope[0] + i, s->slope[1] + i};
        if (pass == TAKE) {
            for (size_t k = i; k < end; k++) t->calm[0][k] = (base[k] + depth[k]) + t->head[k];
        } else if (pass == GIVE) {
            s->loops.tension->calmed(&s->law, in, t->calm[0] + i, t->head + i, pitch, run.count);
        } else {
            s->loops.tension->calm(&s->law, in, t->calm[pass & 1] + i, t->calm[!(pass & 1)] + i,
                                   pitch, pass, run.count);
        }
    }
    if (pass == GIVE) rv_tension_clear_beyond(s, r);
    if (pass != TAKE && pass != GIVE) calm_odd_row(s, r, pass);
}

static void calm_task(void *context, int index)
{
    const calming *c = context;
    rv_engine *s = c->s;
    uint32_t first, end;
    rv_tension_share(s, index, c->tasks, &first, &end);
    for (uint32_t r = first; r < end; r++)
        if (is_calmed(s, r, c->pass)) calm_row(s, r, c->pass);
}

void rv_tension_calm(rv_engine *s, rv_pool *pool, int tasks)
{
    if (s->clipped || !(s->deepest > calm_from[0] * s->params.grid_dx)) return;
    for (int pass = TAKE; pass <= GIVE; pass++) {
        if (pass == 2 && !(s->deepest > calm_from[2] * s->params.grid_dx)) pass = GIVE;
        calming c = {s, pass, tasks};
        rv_parallel_for(pool, tasks, calm_task, &c);
    }
}

double rv_tension_calm_from(const rv_engine *s, int pass)
{
    return calm_from[pass] * s->params.grid_dx;
}

void rv_tension_set_calm(rv_engine *s, double dt)
{
    double g = rv_gravity_down(&s->params);
    s->law.damp = g > 0.0 ? (float)(DAMPED * s->params.grid_dx / (8.0 * g * dt)) : 0.0f;
    for (int k = 0; k < 4; k++) s->law.calm[k] = (float)(2.0 / (calm_from[k] * s->params.grid_dx));
}
