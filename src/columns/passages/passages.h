// Passages: columns full to their ceiling, the pipes that touch them, and the groups they form.
// Found anew in each substep from the depths, so nothing about them has to be kept but a flag per
// column.
#ifndef RV_PIPES_PASSAGES_H
#define RV_PIPES_PASSAGES_H

#include "columns/columns.h"

// A pipe with at least one full end. Ends that are not full are gates (or beyond a border).
typedef struct rv_passage_pipe {
    float *flux;    // where its flux stands
    uint32_t a, b;  // slots; b is RV_NO_SLOT beyond a border
    int32_t ia, ib; // positions in the list of full columns, -1 where not full
    float opening;  // m
    double slope;   // cos²α
    float beyond;   // m, head beyond a border
    double share;   // of a push
    uint8_t way;    // rv_way
    bool shut;      // a dry gate higher than the passage: nothing comes from it
    double old;     // flux before the substep
    double conduct; // flux per metre of head, pressure only
    double start;   // flux without head, pressure only
    double fresh;   // flux of this substep before scaling
} rv_passage_pipe;

// A pipe as one full column sees it.
typedef struct rv_passage_end {
    uint32_t pipe;
    uint8_t side; // rv_side
    int8_t sign;  // +1: positive flux leaves
} rv_passage_end;

// Pipes that carry one flux: a straight run between two gates, or all gates of a group.
typedef struct rv_passage_run {
    uint32_t first, count;   // in run_pipe or run_flux
    uint32_t gate_a, gate_b; // slots, axis only
    double flux;             // axis: before scaling
    double share;
    double share_in, share_out; // unified: of what enters and leaves
} rv_passage_run;

// A row's entry in the system for the heads.
typedef struct rv_passage_link {
    double conduct;
    uint32_t other; // position
    uint8_t side;
} rv_passage_link;

struct rv_passage_work {
    uint32_t count, capacity; // full columns
    uint32_t *slot;
    int32_t *index;      // by slot: position in the list, -1
    uint32_t *end_first; // [count + 1], into end
    uint32_t *group;     // connected group, by position of its first member
    float *group_top;    // highest gate's level, by group
    uint8_t *member;     // part of a passage (else: full, but free to drain)
    double *head, *right, *diagonal, *residual, *direction, *product, *scaled; // pressure
    double most_flow;      // m³/s, through any of them
    float *share;          // new in-scales
    rv_passage_link *link; // [ends], the solved neighbours of each column; pressure
    uint32_t *link_first;  // [count + 1]
    uint32_t pipes, pipe_capacity;
    rv_passage_pipe *pipe;
    rv_passage_end *end;
    uint32_t ends, end_capacity;
    uint32_t runs, run_capacity; // runs (axis) or groups (unified)
    rv_passage_run *run;
    uint32_t run_pipes, run_pipe_capacity;
    uint32_t *run_pipe; // pipes of groups, group by group
    uint32_t run_fluxes, run_flux_capacity;
    float **run_flux; // fluxes of runs, run by run
};

// Sum of n numbers that does not depend on their order, so that a turned scene gives the same bits:
// the numbers are rounded to a common step and added as integers. get(context, i) gives the i-th.
typedef double rv_get(const void *context, uint32_t i);
double rv_sum_any_order(uint32_t n, rv_get *get, const void *context);

static inline float rv_level(const rv_solver *s, uint32_t slot)
{
    return s->columns->base[slot] + s->depth[slot];
}

// Head of a column under its ceiling, m: its level and what presses on it.
static inline float rv_total(const rv_solver *s, uint32_t slot)
{
    return rv_level(s, slot) + rv_press(s, slot);
}

static inline float rv_sill(const rv_solver *s, const rv_passage_pipe *p)
{
    float a = s->columns->base[p->a];
    return p->b == RV_NO_SLOT ? a : rv_f_max(a, s->columns->base[p->b]);
}

static inline bool rv_is_member(const rv_passage_work *w, int32_t position)
{
    return position >= 0 && w->member[position];
}

// The end of a pipe that is not part of the passage: its slot, RV_NO_SLOT beyond a border; the head
// there, at least the sill; and whether it has nothing to give.
static inline uint32_t rv_gate_of(const rv_passage_work *w, const rv_passage_pipe *p)
{
    return rv_is_member(w, p->ia) ? p->b : p->a;
}

static inline double rv_gate_head(const rv_solver *s, const rv_passage_pipe *p)
{
    if (p->b == RV_NO_SLOT) return (double)p->beyond;
    uint32_t gate = rv_gate_of(s->passage, p);
    return (double)(rv_f_max(rv_level(s, gate), rv_sill(s, p)) + rv_press(s, gate));
}

static inline bool rv_gate_is_dry(const rv_solver *s, const rv_passage_pipe *p)
{
    if (p->b == RV_NO_SLOT) return p->beyond <= rv_sill(s, p);
    return !(rv_level(s, rv_gate_of(s->passage, p)) - rv_sill(s, p) > s->law.film);
}

// Grows an array to hold at least `need` items, keeping `used`. false: no memory.
bool rv_passages_grow(rv_solver *s, void **array, uint32_t used, uint32_t old, uint32_t fresh,
                      size_t size);

// pressure.c
void rv_pressure_solve(rv_solver *s);
void rv_pressure_fluxes(rv_solver *s);
void rv_pressure_scales(rv_solver *s);

// unified.c
void rv_unified_fluxes(rv_solver *s);
void rv_unified_scales(rv_solver *s);
void rv_unified_finish(rv_solver *s);
void rv_unified_levels(rv_solver *s);
// Both of the papers' passages: flux per metre of head, and the share of it that drag leaves:
// between floor and ceiling with the wet area, the papers' with the cell.
double rv_passage_push(const rv_solver *s, double opening);
double rv_passage_drag(const rv_solver *s, double opening, double gate_depth);

// axis.c
void rv_axis_prepare(rv_solver *s);
void rv_axis_fluxes(rv_solver *s);
void rv_axis_scales(rv_solver *s);
void rv_axis_finish(rv_solver *s);

bool rv_passages_add_run(rv_solver *s, rv_passage_run run);

#endif
