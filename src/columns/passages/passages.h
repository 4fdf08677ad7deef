// Passages: columns full to their ceiling, the pipes that touch them, and the groups they form.
// All of it follows from the depths and a flag per column, so nothing has to be kept for its own
// sake; lists that would come out the same again are not made again.
#ifndef RV_PIPES_PASSAGES_H
#define RV_PIPES_PASSAGES_H

#include "columns/columns.h"

// A pipe with at least one full end. Ends that are not full are gates (or beyond a border).
typedef struct rv_passage_pipe {
    float *flux;    // where its flux stands
    uint32_t a, b;  // slots; b is RV_NO_SLOT beyond a border
    int32_t ia, ib; // positions in the list of full columns, -1 where not full
    float opening;  // m
    float beyond;   // m, head beyond a border
    double slope;   // cos²α
    double share;   // of a push
    double old;     // flux before the substep
    double keep;    // share of a flux that drag leaves, pressure only
    double conduct; // flux per metre of head, pressure only
    double start;   // flux without head, pressure only
    double fresh;   // flux of this substep before scaling
    uint8_t way;    // rv_way
    bool outward;   // through a border at low x or y: positive flux leaves toward low
    bool shut;      // a dry gate higher than the passage: nothing comes from it
} rv_passage_pipe;

// Pipes that carry one flux: a straight run between two gates, or all gates of a group.
typedef struct rv_passage_run {
    uint32_t first, count;   // in run_pipe or run_flux
    uint32_t gate_a, gate_b; // slots, axis only
    double flux;             // axis: before scaling
    double share;
    double share_in, share_out; // unified: of what enters and leaves
} rv_passage_run;

// One level of the system for the heads, see levels.c; the first is the system itself, a node per
// full column. (A v)_k = diagonal_k v_k - Σ conduct_e v_other(e) over the links e of k.
typedef struct rv_passage_level {
    uint32_t count, capacity; // nodes
    uint32_t links, link_capacity;
    uint32_t most_links;     // of a node
    uint32_t *first;         // [count + 1], into the links
    uint32_t *into;          // node of the next level
    int32_t *x, *y;          // block of the grid, counted from its middle
    uint8_t *merged;         // made of more than one node of the level before
    double *sink, *leak;     // conduct to gates, and to the ceiling; both are in the diagonal
    double *diagonal;        // 0: no unknown
    double *inverse;         // of the diagonal, or 0
    double *value, *right;   // of a cycle
    double *rest, *way, *to; // of a cycle; of the last level's iteration
    uint32_t *other;         // by link: node at its far end
    uint32_t *part;      // … link of the next level that it is part of, RV_NO_SLOT: inside a node
    double *conduct;     // …
    double most_conduct; // of a link
} rv_passage_level;

#define RV_PASSAGE_LEVELS 24

// What the lists were made for.
typedef struct rv_passage_known {
    bool lists;       // they stand for the columns listed, as the parameters were
    bool conducts;    // so do the levels' numbers, with the members and gates as they stand
    rv_params params; // …
    double dt;        // s, of the conducts
} rv_passage_known;

struct rv_passage_work {
    uint32_t count, capacity; // full columns
    uint32_t *slot;
    uint32_t *found;     // the same, as they are being listed
    int32_t *index;      // by slot: position in the list, -1
    uint32_t *group;     // connected group, by position of its first member
    float *group_top;    // highest gate's level, by group; unified
    uint8_t *group_open; // some gate of the group is not shut; pressure
    uint8_t *member;     // part of a passage (else: full, but free to drain)
    double *head, *right, *residual, *direction, *product, *scaled; // pressure
    double *through;      // m³/s, sum of the old fluxes' sizes
    double *limit;        // m³/s, what need not balance
    uint32_t *scratch[3]; // of levels.c, and of limit.c
    float *share;         // new in-scales
    uint8_t *suspect;     // of limit.c
    int groups;           // that have members
    rv_passage_known known;
    uint32_t pipes, pipe_capacity;
    rv_passage_pipe *pipe;
    uint32_t most_pipes; // of a column
    uint32_t inside;     // pipes between two full columns, which come first; pressure
    bool freed;          // some columns are not members; pressure
    bool flows;          // some flux is not 0; pressure
    uint32_t levels;     // 0: only the first is there
    bool filled;         // with numbers; else the first alone is
    rv_passage_level level[RV_PASSAGE_LEVELS];
    uint32_t *link_pipe; // by link of the first level
    uint32_t link_pipe_capacity;
    uint32_t runs, run_capacity; // runs (axis) or groups (unified)
    rv_passage_run *run;
    uint32_t run_pipes, run_pipe_capacity;
    uint32_t *run_pipe; // pipes of groups, group by group
    uint32_t run_fluxes, run_flux_capacity;
    float **run_flux; // fluxes of runs, run by run
};

// ---- Sums that do not depend on the order of their terms ----------------------------------------
// A turned scene lists its columns in another order and must give the same bits.

// Numbers are rounded to a common step before they are added: rv_rounded(v, rv_rounder(n, most)) of
// up to n numbers v of at most the size `most` add up without any further rounding. Adding
// 1.5 · 2^52 steps leaves no bits under the step.
double rv_rounder(uint32_t n, double most);
static inline double rv_rounded(double value, double rounder)
{
    return (value + rounder) - rounder;
}

// Sum of n numbers so; get(context, i) gives the i-th.
typedef double rv_get(const void *context, uint32_t i);
double rv_sum_any_order(uint32_t n, rv_get *get, const void *context);

double rv_most(uint32_t n, const double *v);                         // greatest size
double rv_passage_dot(uint32_t n, const double *a, const double *b); // Σ a b

// Head of a column under its ceiling, m: its level and what presses on it.
static inline float rv_total(const rv_engine *s, uint32_t slot)
{
    return rv_level(s, slot) + rv_press(s, slot);
}

static inline float rv_sill(const rv_engine *s, const rv_passage_pipe *p)
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

// Surface tension counts while the gate's surface stands over the passage's ceiling, down to that:
// further down it would only free the columns that it fills again.
static inline double rv_gate_head(const rv_engine *s, const rv_passage_pipe *p)
{
    if (p->b == RV_NO_SLOT) return (double)p->beyond;
    uint32_t gate = rv_gate_of(s->passage, p), inside = gate == p->a ? p->b : p->a;
    float level = rv_level(s, gate), press = rv_press(s, gate), ceiling = s->columns->max[inside];
    if (level > ceiling) return (double)rv_f_max(level + rv_extra(s, gate), ceiling + press);
    return (double)(rv_f_max(level, rv_sill(s, p)) + press);
}

static inline bool rv_gate_is_dry(const rv_engine *s, const rv_passage_pipe *p)
{
    if (p->b == RV_NO_SLOT) return p->beyond <= rv_sill(s, p);
    return !(rv_level(s, rv_gate_of(s->passage, p)) - rv_sill(s, p) > s->law.film);
}

// An array that grows, with others of the same length or alone.
typedef struct rv_passage_array {
    void *at;    // address of the pointer to it
    size_t size; // of an item
} rv_passage_array;

// Grows n arrays from `old` items to `fresh`, keeping `used`: all of them, or none. false: no
// memory.
bool rv_passages_grow(rv_engine *s, const rv_passage_array *arrays, int n, uint32_t used,
                      uint32_t old, uint32_t fresh);

// pressure.c
bool rv_pressure_prepare(rv_engine *s); // after the lists were made; false: no memory
void rv_pressure_solve(rv_engine *s);
void rv_pressure_fluxes(rv_engine *s);

// iterate.c
#define RV_PLAIN_MOST 256u // columns up to which coarse levels come second …
#define RV_PLAIN_ROUNDS 32 // … after so many rounds
void rv_pressure_iterate(rv_engine *s);

// limit.c
void rv_pressure_scales(rv_engine *s);

// levels.c
bool rv_levels_build(rv_engine *s); // from the nodes and links of the first; false: no memory
void rv_levels_fill(rv_engine *s);  // numbers of all, from those of the first
void rv_level_invert(rv_passage_level *l);
// An approximate solution of A to = right on the first level.
void rv_levels_cycle(rv_passage_work *w, const double *right, double *to);
// left = right - A v, the v at most of size `most`; returns its greatest size.
double rv_level_rest(const rv_passage_level *l, const double *right, const double *v, double most,
                     double *left);
void rv_level_times(const rv_passage_level *l, const double *v, double *to); // A v
bool rv_level_reserve(rv_engine *s, rv_passage_level *l, uint32_t nodes);
bool rv_level_reserve_links(rv_engine *s, rv_passage_level *l, uint32_t links);
void rv_level_free(const rv_allocator *a, rv_passage_level *l);
size_t rv_level_bytes(const rv_passage_level *l);

// unified.c
void rv_unified_fluxes(rv_engine *s);
void rv_unified_scales(rv_engine *s);
void rv_unified_finish(rv_engine *s);
void rv_unified_levels(rv_engine *s);
// Both of the papers' passages: flux per metre of head, and the share of it that drag leaves:
// between floor and ceiling with the wet area, the papers' with the cell.
double rv_passage_push(const rv_engine *s, double opening);
double rv_passage_drag(const rv_engine *s, double opening, double gate_depth);

// axis.c
void rv_axis_prepare(rv_engine *s);
void rv_axis_fluxes(rv_engine *s);
void rv_axis_scales(rv_engine *s);
void rv_axis_finish(rv_engine *s);

bool rv_passages_add_run(rv_engine *s, rv_passage_run run);

#endif
