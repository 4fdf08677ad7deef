// Passages as pipes paper §7 has them: all gates of a connected group of full columns exchange with
// their mean level, whatever the passage's shape, length or inertia.
//
// The flux of a gate stands in the ordinary pipe between it and the passage. So it starts from what
// flowed there before, and goes on as ordinary flux when the passage falls dry again.
#include "columns/passages/passages.h"

#include "columns/card/card.h"

static bool grow_run_pipes(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    uint32_t fresh = w->run_pipe_capacity ? 2 * w->run_pipe_capacity : 1024;
    const rv_passage_array array = {&w->run_pipe, sizeof *w->run_pipe};
    if (!rv_passages_grow(s, &array, 1, w->run_pipes, w->run_pipe_capacity, fresh)) return false;
    w->run_pipe_capacity = fresh;
    return true;
}

static bool add_run_pipe(rv_engine *s, uint32_t pipe)
{
    rv_passage_work *w = s->passage;
    if (w->run_pipes == w->run_pipe_capacity && !grow_run_pipes(s)) return false;
    w->run_pipe[w->run_pipes++] = pipe;
    return true;
}

// A run and its pipes, for sums.
typedef struct pipes_of_run {
    const rv_engine *s;
    const rv_passage_run *run;
} pipes_of_run;

static const rv_passage_pipe *run_pipe(const pipes_of_run *g, uint32_t i)
{
    const rv_passage_work *w = g->s->passage;
    return &w->pipe[w->run_pipe[g->run->first + i]];
}

// Share of a flux that drag leaves: between floor and ceiling with the wet area, the papers' with
// the cell.
double rv_passage_drag(const rv_engine *s, double opening, double gate_depth)
{
    bool cell = !s->flow;
    double height = cell ? gate_depth : opening;
    double drag = s->dt * s->params.liquid_viscosity * (cell ? 3.0 : 12.0);
    return height * height / (height * height + drag + 1e-300);
}

double rv_passage_push(const rv_engine *s, double opening)
{
    bool cell = !s->flow;
    return s->dt * rv_gravity_down(&s->params) * rv_pipe_reach(s) *
           (cell ? s->params.grid_dx : opening);
}

static bool is_gate_pipe(const rv_passage_pipe *p)
{
    return (p->ia >= 0) != (p->ib >= 0);
}

// +1 where positive flux goes into the passage.
static double inward(const rv_passage_pipe *p)
{
    return p->ia >= 0 ? -1.0 : 1.0;
}

// Gate pipes group by group.
static void list_gates(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++) {
        if (!w->member[k] || w->group[k] != k) continue;
        uint32_t first = w->run_pipes;
        for (uint32_t p = 0; p < w->pipes; p++) {
            const rv_passage_pipe *pipe = &w->pipe[p];
            if (!is_gate_pipe(pipe)) continue;
            if (w->group[pipe->ia >= 0 ? pipe->ia : pipe->ib] != k) continue;
            if (!add_run_pipe(s, p)) return;
        }
        if (!rv_passages_add_run(s,
                                 (rv_passage_run){.first = first, .count = w->run_pipes - first}))
            return;
    }
}

static double open_head(const void *context, uint32_t i)
{
    const rv_passage_pipe *p = run_pipe(context, i);
    return p->shut ? 0.0 : rv_gate_head(((const pipes_of_run *)context)->s, p);
}

static double open_flux(const void *context, uint32_t i)
{
    const rv_passage_pipe *p = run_pipe(context, i);
    return p->shut ? 0.0 : inward(p) * p->fresh;
}

static uint32_t open_gates(const pipes_of_run *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->run->count; i++) n += !run_pipe(g, i)->shut;
    return n;
}

// Equation 8 of the pipes paper for every open gate, then equation 9: the mean is taken off. Dry
// gates that would have to give are shut and the rest is done again.
static void drive_group(rv_engine *s, rv_passage_run *run)
{
    rv_passage_work *w = s->passage;
    pipes_of_run g = {s, run};
    for (uint32_t i = 0; i < run->count; i++) w->pipe[w->run_pipe[run->first + i]].shut = false;
    for (uint32_t round = 0; round <= run->count; round++) {
        uint32_t open = open_gates(&g);
        if (open < 2) break;
        double mean = rv_sum_any_order(run->count, open_head, &g) / (double)open;
        for (uint32_t i = 0; i < run->count; i++) {
            rv_passage_pipe *p = &w->pipe[w->run_pipe[run->first + i]];
            double into =
                (double)s->law.kept * inward(p) * p->old +
                p->share * rv_passage_push(s, (double)p->opening) * (rv_gate_head(s, p) - mean);
            uint32_t gate = rv_gate_of(w, p);
            double depth =
                into > 0.0 && gate != RV_NO_SLOT ? (double)s->depth[gate] : (double)p->opening;
            p->fresh = inward(p) * into * rv_passage_drag(s, (double)p->opening, depth);
        }
        double excess = rv_sum_any_order(run->count, open_flux, &g) / (double)open;
        bool again = false;
        for (uint32_t i = 0; i < run->count; i++) {
            rv_passage_pipe *p = &w->pipe[w->run_pipe[run->first + i]];
            p->fresh -= inward(p) * excess;
            if (p->shut || !rv_gate_is_dry(s, p) || inward(p) * p->fresh <= 0.0) continue;
            p->shut = true;
            again = true;
        }
        if (!again) return;
    }
    for (uint32_t i = 0; i < run->count; i++) w->pipe[w->run_pipe[run->first + i]].shut = true;
}

void rv_unified_fluxes(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    w->runs = 0, w->run_pipes = 0;
    list_gates(s);
    for (uint32_t p = 0; p < w->pipes; p++) *w->pipe[p].flux = 0.0f;
    for (uint32_t r = 0; r < w->runs; r++) {
        drive_group(s, &w->run[r]);
        for (uint32_t i = w->run[r].first; i < w->run[r].first + w->run[r].count; i++) {
            rv_passage_pipe *p = &w->pipe[w->run_pipe[i]];
            if (p->shut) p->fresh = 0.0;
            *p->flux = (float)p->fresh;
        }
    }
}

static double entering(const void *context, uint32_t i)
{
    const rv_passage_pipe *p = run_pipe(context, i);
    double flux = inward(p) * p->fresh;
    return flux > 0.0 ? flux : 0.0;
}

static double leaving(const void *context, uint32_t i)
{
    const rv_passage_pipe *p = run_pipe(context, i);
    double flux = inward(p) * p->fresh;
    return flux < 0.0 ? -flux : 0.0;
}

// Each gate gives and takes what it can; then the greater of the two sums is cut to the smaller, so
// that what enters the passage leaves it.
void rv_unified_scales(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t r = 0; r < w->runs; r++) {
        rv_passage_run *run = &w->run[r];
        pipes_of_run g = {s, run};
        for (uint32_t i = 0; i < run->count; i++) {
            rv_passage_pipe *p = &w->pipe[w->run_pipe[run->first + i]];
            uint32_t gate = rv_gate_of(w, p);
            if (gate == RV_NO_SLOT) continue;
            bool gives = inward(p) * p->fresh > 0.0;
            p->fresh *= (double)(gives ? s->out_scale[gate] : s->in_scale[gate]);
        }
        double in = rv_sum_any_order(run->count, entering, &g);
        double out = rv_sum_any_order(run->count, leaving, &g);
        run->share_in = in > out ? out / in : 1.0;
        run->share_out = out > in ? in / out : 1.0;
    }
}

void rv_unified_finish(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t p = 0; p < w->pipes; p++) *w->pipe[p].flux = 0.0f;
    for (uint32_t r = 0; r < w->runs; r++) {
        const rv_passage_run *run = &w->run[r];
        for (uint32_t i = run->first; i < run->first + run->count; i++) {
            rv_passage_pipe *p = &w->pipe[w->run_pipe[i]];
            double into = inward(p) * p->fresh;
            into *= into > 0.0 ? run->share_in : run->share_out;
            *p->flux = (float)(inward(p) * into);
        }
    }
    for (uint32_t k = 0; k < w->count; k++) w->share[k] = s->depth[w->slot[k]];
}

// What goes in at one gate comes out at others: the full columns between them stay as they were.
void rv_unified_levels(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    uint32_t last = RV_NO_SLOT;
    for (uint32_t k = 0; k < w->count; k++)
        if (w->member[k]) s->depth[w->slot[k]] = w->share[k];
    if (s->card && s->card->flooding) return; // it looks again
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t row = rv_pipes_row_of(s, w->slot[k]);
        if (row != last) rv_pipes_scan_row(s, row);
        last = row;
    }
}
