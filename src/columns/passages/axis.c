// Passages as pipes paper §3.3 has them: along each row and column of the grid, a straight run of
// full columns joins the gates at its two ends with one extended pipe. It cannot turn a corner.
//
// The flux of such a pipe stands in all the ordinary pipes of its run. So it starts from what
// flowed there before, goes on as ordinary flux when the passage falls dry again, and needs no
// state of its own; the papers' ripples come from starting at zero. What runs into a full column of
// a run runs out of it: its depth stays.
#include "columns/passages/passages.h"

// A pipe seen from a full column.
typedef struct joint {
    uint32_t other; // slot, RV_NO_SLOT: there is none
    float *flux;
    float opening; // m
} joint;

static const joint no_joint = {RV_NO_SLOT, NULL, 0.0f};

static rv_side opposite(rv_side side)
{
    static const rv_side others[] = {RV_EAST, RV_WEST, RV_NORTH, RV_SOUTH};
    return others[side];
}

static joint regular_joint(const rv_engine *s, uint32_t i, rv_side side)
{
    const rv_column_set *c = s->columns;
    uint32_t step = side <= RV_EAST ? 1u : (uint32_t)rv_plane_of(c, i)->pitch;
    bool low = side == RV_WEST || side == RV_SOUTH;
    uint32_t at = low ? i - step : i, other = low ? i - step : i + step;
    if ((side <= RV_EAST ? s->slope[RV_WAY_X] : s->slope[RV_WAY_Y])[at] == 0) return no_joint;
    float opening = rv_f_min(c->max[i], c->max[other]) - rv_f_max(c->base[i], c->base[other]);
    return (joint){other, (side <= RV_EAST ? s->flux[RV_WAY_X] : s->flux[RV_WAY_Y]) + at, opening};
}

// The widest pipe on one side of a column to a full column, or to one that is not.
static joint widest(const rv_engine *s, uint32_t i, rv_side side, bool to_full)
{
    joint best = regular_joint(s, i, side);
    if (best.other != RV_NO_SLOT && (s->full[best.other] != 0) != to_full) best = no_joint;
    if (!s->odd_at[i]) return best;
    const rv_odd_column *column = rv_pipes_odd_column(s, i);
    for (uint32_t e = 0; column && e < column->count; e++) {
        const rv_odd_entry *entry = &s->odd_of[column->first + e];
        const rv_odd_pipe *p = &s->odd[entry->pipe];
        uint32_t other = entry->sign > 0 ? p->b : p->a;
        if (entry->side != side || other == RV_NO_SLOT || (s->full[other] != 0) != to_full)
            continue;
        if (p->opening > best.opening) best = (joint){other, &s->odd_flux[entry->pipe], p->opening};
    }
    return best;
}

// The pipe to the next full column, if each is the other's: then a run is the same from both its
// ends.
static joint next_full(const rv_engine *s, uint32_t i, rv_side side)
{
    joint next = widest(s, i, side, true);
    if (next.other == RV_NO_SLOT || !(s->odd_at[i] | s->odd_at[next.other])) return next;
    return widest(s, next.other, opposite(side), true).other == i ? next : no_joint;
}

static bool add_flux(rv_engine *s, joint j)
{
    rv_passage_work *w = s->passage;
    if (w->run_fluxes == w->run_flux_capacity) {
        uint32_t fresh = w->run_flux_capacity ? 2 * w->run_flux_capacity : 1024;
        const rv_passage_array array = {&w->run_flux, sizeof *w->run_flux};
        if (!rv_passages_grow(s, &array, 1, w->run_fluxes, w->run_flux_capacity, fresh))
            return false;
        w->run_flux_capacity = fresh;
    }
    w->run_flux[w->run_fluxes++] = j.flux;
    return true;
}

// Sum from both ends inward: the same from either side.
static double sum_both_ways(float *const *flux, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t i = 0; 2 * i < n; i++)
        sum += 2 * i + 1 == n ? (double)*flux[i] : (double)*flux[i] + (double)*flux[n - 1 - i];
    return sum;
}

typedef struct run_ends {
    joint low, high;
    uint32_t first, last; // its full columns
    float opening;        // m, narrowest
    float ceiling;        // m, highest
} run_ends;

static double run_flux(const rv_engine *s, const rv_passage_run *run, const run_ends *e)
{
    const rv_passage_work *w = s->passage;
    const float *base = s->columns->base;
    float head_a = rv_f_max(rv_level(s, run->gate_a), rv_f_max(base[run->gate_a], base[e->first]));
    float head_b = rv_f_max(rv_level(s, run->gate_b), rv_f_max(base[run->gate_b], base[e->last]));
    float press = rv_press(s, run->gate_a) - rv_press(s, run->gate_b);
    double old = sum_both_ways(w->run_flux + run->first, run->count) / (double)run->count;
    double pushed = (double)s->law.kept * old +
                    rv_passage_push(s, (double)e->opening) * (double)((head_a - head_b) + press);
    float depth = s->depth[pushed > 0.0 ? run->gate_a : run->gate_b];
    if (!(depth > s->law.film)) return 0.0;
    return pushed * rv_passage_drag(s, (double)e->opening, (double)depth);
}

// Liquid under a ceiling higher than both gates' levels is held up by nothing: it drains as it
// will.
static bool is_held(const rv_engine *s, const run_ends *e)
{
    return e->ceiling <= rv_f_max(rv_total(s, e->low.other), rv_total(s, e->high.other));
}

// Follows full columns from i to the high side; adds the run if a gate stands at both ends.
static void follow(rv_engine *s, uint32_t i, rv_side low_side, rv_side high_side)
{
    rv_passage_work *w = s->passage;
    run_ends e = {.low = widest(s, i, low_side, false), .first = i, .ceiling = s->columns->max[i]};
    if (e.low.other == RV_NO_SLOT) return;
    uint32_t first = w->run_fluxes;
    bool fine = add_flux(s, e.low);
    e.opening = e.low.opening;
    for (joint j = next_full(s, i, high_side); fine && j.other != RV_NO_SLOT;
         j = next_full(s, i, high_side)) {
        fine = add_flux(s, j);
        i = j.other;
        e.opening = rv_f_min(e.opening, j.opening);
        e.ceiling = rv_f_max(e.ceiling, s->columns->max[i]);
    }
    e.last = i, e.high = widest(s, i, high_side, false);
    if (e.high.other != RV_NO_SLOT) fine = fine && add_flux(s, e.high);
    e.opening = rv_f_min(e.opening, e.high.opening);
    if (!fine || e.high.other == RV_NO_SLOT || !is_held(s, &e)) {
        w->run_fluxes = first;
        return;
    }
    rv_passage_run run = {.first = first,
                          .count = w->run_fluxes - first,
                          .gate_a = e.low.other,
                          .gate_b = e.high.other};
    run.flux = run_flux(s, &run, &e);
    rv_passages_add_run(s, run);
}

// Whether a run goes on from the column to the low side along an axis.
static bool comes_from(const rv_engine *s, uint32_t i, rv_side side)
{
    if (s->odd_at[i]) return next_full(s, i, side).other != RV_NO_SLOT;
    uint32_t low = side == RV_WEST ? i - 1 : i - (uint32_t)rv_plane_of(s->columns, i)->pitch;
    if (!s->full[low] || (side == RV_WEST ? s->slope[RV_WAY_X] : s->slope[RV_WAY_Y])[low] == 0)
        return false;
    return !s->odd_at[low] || next_full(s, i, side).other != RV_NO_SLOT;
}

// Before the ordinary fluxes are computed: they would overwrite what flowed.
void rv_axis_prepare(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    w->runs = 0, w->run_fluxes = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t i = w->slot[k];
        if (!comes_from(s, i, RV_WEST)) follow(s, i, RV_WEST, RV_EAST);
        if (!comes_from(s, i, RV_SOUTH)) follow(s, i, RV_SOUTH, RV_NORTH);
    }
    s->totals.passages = (int)w->runs;
}

static void set_fluxes(rv_engine *s, bool scaled)
{
    rv_passage_work *w = s->passage;
    for (uint32_t r = 0; r < w->runs; r++) {
        const rv_passage_run *run = &w->run[r];
        float flux = (float)(scaled ? run->flux * run->share : run->flux);
        for (uint32_t i = run->first; i < run->first + run->count; i++) *w->run_flux[i] = flux;
    }
}

void rv_axis_fluxes(rv_engine *s)
{
    set_fluxes(s, false);
}

void rv_axis_scales(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t r = 0; r < w->runs; r++) {
        rv_passage_run *run = &w->run[r];
        uint32_t from = run->flux > 0.0 ? run->gate_a : run->gate_b;
        uint32_t to = run->flux > 0.0 ? run->gate_b : run->gate_a;
        run->share = (double)rv_f_min(s->out_scale[from], s->in_scale[to]);
    }
}

void rv_axis_finish(rv_engine *s)
{
    set_fluxes(s, true);
}
