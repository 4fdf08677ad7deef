// Passages by pressure (docs/pipes-inside.md, Passages): the head φ of a full column is unknown;
// over the ordinary pipes
//     f = v (ζ f_old + dt g A (φ_a - φ_b) / l),   v = H² / (H² + 12 dt ν),
// the heads are such that what flows into a full column flows out of it. Gates give the boundary
// values. The system is symmetric and solved (iterate.c) from the last substep's heads. Its matrix
// is the same from substep to substep while the same columns are full and the same gates shut.
// A column whose head would fall under its ceiling is free; a dry gate higher than the passage
// gives nothing. Both are found by solving again without them.
#include "columns/joints.h"
#include "columns/passages/passages.h"

#include <math.h>
#include <string.h>

#define ROUNDS 6       // solves for the sake of freed columns and shut gates
#define LOW 0.9995     // share of its height under which a full column is filled up again …
#define TARGET 0.9998  // … to this
#define REFILL 0.2     // share of what it lacks that it gets in a substep
#define RELIEF 1e-3    // share of what flows through by which one fuller than that is relieved …
#define RELIEF_ALL 0.1 // … and of what flows through for all of them together
#define LEAK 1e-6      // pulls heads to their ceilings where no gate does
#define LEAK_GATED 1e-14     // the same where gates do: only to be there
#define FREE_SHARE 1e-3      // a head this share of its height under the ceiling frees the column
#define FLOW_SHARE 3e-4      // of the greatest flow: what need not balance
#define REST_SHARE 0.25      // of what need not balance without flow: a flux that is none
#define HEAD_SPACING 0x1p-23 // of floats, as a share

// ---- The lists ----------------------------------------------------------------------------------

// Block of one cell, counted from the middle of the grid, so that it turns with the scene.
static int32_t from_middle(int at, int cells)
{
    int twice = 2 * at + 1 - cells;
    if (cells % 2 != 0) return twice / 2;
    return twice < 0 ? (twice - 1) / 2 : (twice + 1) / 2;
}

static bool grow_links(rv_engine *s, uint32_t links)
{
    rv_passage_work *w = s->passage;
    rv_passage_level *l = w->level;
    const rv_passage_array array = {&w->link_pipe, sizeof *w->link_pipe};
    if (!rv_level_reserve_links(s, l, links)) return false;
    if (l->link_capacity == w->link_pipe_capacity) return true;
    if (!rv_passages_grow(s, &array, 1, 0, w->link_pipe_capacity, l->link_capacity)) return false;
    w->link_pipe_capacity = l->link_capacity;
    return true;
}

static bool is_inside(const rv_passage_pipe *p)
{
    return p->ia >= 0 && p->ib >= 0;
}

// Pipes between full columns first, then those to gates: most of what is done to a pipe is done to
// one kind only.
static void part_pipes(rv_passage_work *w)
{
    uint32_t low = 0, high = w->pipes;
    while (low < high) {
        if (is_inside(&w->pipe[low])) {
            low++;
        } else if (!is_inside(&w->pipe[high - 1])) {
            high--;
        } else {
            rv_passage_pipe p = w->pipe[low];
            w->pipe[low++] = w->pipe[--high];
            w->pipe[high] = p;
        }
    }
    w->inside = low;
}

// The links of each column: counted, then filled in from the end of each.
static void link_columns(rv_passage_work *w)
{
    rv_passage_level *l = w->level;
    uint32_t links = 0;
    for (uint32_t i = 0; i < w->inside; i++) l->first[w->pipe[i].ia]++, l->first[w->pipe[i].ib]++;
    l->most_links = 1;
    for (uint32_t k = 0; k < l->count; k++) {
        if (l->first[k] > l->most_links) l->most_links = l->first[k];
        links += l->first[k], l->first[k] = links;
    }
    l->first[l->count] = l->links = links;
    for (uint32_t i = w->inside; i-- > 0;) {
        const rv_passage_pipe *p = &w->pipe[i];
        uint32_t a = --l->first[p->ia], b = --l->first[p->ib];
        l->other[a] = (uint32_t)p->ib, l->other[b] = (uint32_t)p->ia;
        w->link_pipe[a] = w->link_pipe[b] = i;
    }
}

bool rv_pressure_prepare(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    rv_passage_level *l = w->level;
    const rv_grid *grid = &s->columns->grid;
    if (!rv_level_reserve(s, l, w->count) || !grow_links(s, 2 * w->pipes)) return false;
    l->count = w->count;
    memset(l->first, 0, (l->count + 1) * sizeof *l->first);
    for (uint32_t k = 0; k < w->count; k++) {
        rv_place at = rv_place_of(s->columns, w->slot[k]);
        l->x[k] = from_middle(at.x, grid->nx), l->y[k] = from_middle(at.y, grid->ny);
    }
    part_pipes(w);
    link_columns(w);
    w->levels = 0;
    return w->count <= RV_PLAIN_MOST || rv_levels_build(s);
}

// ---- The system ---------------------------------------------------------------------------------

// Least head of a full column, m: under it the column comes free of its ceiling.
static double least_head(const rv_engine *s, uint32_t slot)
{
    return (double)(s->columns->max[slot] + rv_press(s, slot));
}

static void set_conduct(const rv_engine *s, rv_passage_pipe *p)
{
    const rv_params *q = &s->params;
    double height = (double)p->opening;
    double square = height * height * p->slope;
    double push = s->dt * rv_gravity_down(q) * (s->flow ? height : q->grid_dx);
    p->keep = square / (square + 12.0 * s->dt * q->liquid_viscosity + 1e-300);
    p->conduct = p->keep * push * p->slope * (p->share * rv_pipe_reach(s));
}

static void set_conducts(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    if (w->known.conducts && w->known.dt == s->dt) return;
    for (uint32_t i = 0; i < w->pipes; i++) set_conduct(s, &w->pipe[i]);
    w->known.conducts = false, w->known.dt = s->dt;
}

// What a full column should gain, m³/s: it is kept a little under its ceiling, so that what the
// solution leaves over finds room. One at rest is left alone, however full.
static double wanted(const rv_engine *s, uint32_t slot, double per_depth, double relief)
{
    double cap = (double)rv_cap(s, slot), depth = (double)s->depth[slot];
    double lack = REFILL * (TARGET * cap - depth) * per_depth;
    if (depth > TARGET * cap) return lack > -relief ? lack : -relief;
    return depth < LOW * cap ? lack : 0.0;
}

// The first level's numbers: what changes only with the columns, the gates and the length of the
// substep.
static void set_matrix(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    rv_passage_level *l = w->level;
    if (w->known.conducts) return;
    double most = 0.0;
    for (uint32_t i = 0; i < w->pipes; i++) most = fmax(most, w->pipe[i].conduct);
    double rounder = rv_rounder(w->most_pipes, most);
    memset(l->sink, 0, l->count * sizeof *l->sink);
    memset(l->diagonal, 0, l->count * sizeof *l->diagonal);
    memset(w->group_open, 0, l->count);
    for (uint32_t i = 0; i < w->pipes; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        bool a = rv_is_member(w, p->ia), b = rv_is_member(w, p->ib);
        if (p->shut || !(a || b)) continue;
        double conduct = rv_rounded(p->conduct, rounder);
        if (a) l->diagonal[p->ia] += conduct;
        if (b) l->diagonal[p->ib] += conduct;
        if (a && b) continue;
        l->sink[a ? p->ia : p->ib] += conduct;
        w->group_open[w->group[a ? p->ia : p->ib]] = 1;
    }
    for (uint32_t k = 0; k < l->count; k++) {
        double share = w->group_open[w->group[k]] ? LEAK_GATED : LEAK;
        l->leak[k] = w->member[k] ? share * l->diagonal[k] + 1e-300 : 0.0;
        l->diagonal[k] += l->leak[k];
    }
    for (uint32_t k = 0; k < l->count; k++)
        for (uint32_t e = l->first[k]; e < l->first[k + 1]; e++)
            l->conduct[e] =
                w->member[k] && w->member[l->other[e]] ? w->pipe[w->link_pipe[e]].conduct : 0.0;
    rv_level_invert(l);
    w->filled = false;
    w->known.conducts = true;
}

// What pushes a pipe with one end in the passage from its other end.
static double gate_push(const rv_engine *s, const rv_passage_pipe *p)
{
    return p->conduct * rv_gate_head(s, p);
}

// Where the pipes begin that may lead to a gate; a column that came free is one.
static uint32_t first_gate(const rv_passage_work *w)
{
    return w->freed ? 0 : w->inside;
}

// Greatest of what the right side is made of.
static double most_push(const rv_engine *s)
{
    const rv_passage_work *w = s->passage;
    double most = 0.0;
    for (uint32_t i = 0; i < w->pipes; i++) {
        double size = fabs(w->pipe[i].start);
        most = size > most ? size : most;
    }
    for (uint32_t i = first_gate(w); i < w->pipes; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        if (rv_is_member(w, p->ia) != rv_is_member(w, p->ib))
            most = fmax(most, fabs(gate_push(s, p)));
    }
    return most;
}

static void add_pushes(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    double rounder = rv_rounder(2 * w->most_pipes, most_push(s));
    uint32_t gates = first_gate(w);
    memset(w->right, 0, w->count * sizeof *w->right);
    memset(w->through, 0, w->count * sizeof *w->through);
    for (uint32_t i = 0; i < gates; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        double start = rv_rounded(p->start, rounder);
        if (start == 0.0) continue;
        w->right[p->ia] -= start, w->through[p->ia] += fabs(start);
        w->right[p->ib] += start, w->through[p->ib] += fabs(start);
    }
    for (uint32_t i = gates; i < w->pipes; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        bool a = rv_is_member(w, p->ia), b = rv_is_member(w, p->ib);
        if (p->shut || !(a || b)) continue;
        double start = rv_rounded(p->start, rounder);
        if (a) w->right[p->ia] -= start, w->through[p->ia] += fabs(start);
        if (b) w->right[p->ib] += start, w->through[p->ib] += fabs(start);
        if (!(a && b)) w->right[a ? p->ia : p->ib] += rv_rounded(gate_push(s, p), rounder);
    }
}

// The right side, and what need not balance: what would change a column's depth by no more than the
// tolerance allows, a small share of the greatest flow through any, and what comes of keeping heads
// in single precision, or heads at rest would be found anew in every substep.
static void set_right(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    add_pushes(s);
    double flow = FLOW_SHARE * rv_most(w->count, w->through);
    double per_depth = 1.0 / (double)s->law.dt_area; // flux that changes a depth by 1 m
    double allowed = s->params.pipes_tolerance * per_depth;
    double relief = fmin(RELIEF, RELIEF_ALL / (double)w->count);
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t i = w->slot[k];
        w->limit[k] = allowed * (double)rv_cap(s, i) + flow +
                      HEAD_SPACING * w->level[0].diagonal[k] * fabs(w->head[k]);
        w->right[k] += w->level[0].leak[k] * least_head(s, i) -
                       wanted(s, i, per_depth, relief * w->through[k]);
        if (!w->member[k]) w->right[k] = 0.0;
    }
}

// ---- Freed columns and shut gates ---------------------------------------------------------------

static double end_head(const rv_engine *s, const rv_passage_pipe *p, int32_t position)
{
    return rv_is_member(s->passage, position) ? s->passage->head[position] : rv_gate_head(s, p);
}

static bool free_columns(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    bool any = false;
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t i = w->slot[k];
        double floor = least_head(s, i) - FREE_SHARE * (double)rv_cap(s, i);
        if (!w->member[k] || w->head[k] >= floor) continue;
        w->member[k] = 0;
        s->full[i] = 0;
        any = w->freed = true;
    }
    return any;
}

static bool set_shut(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    bool any = false;
    for (uint32_t i = first_gate(w); i < w->pipes; i++) {
        rv_passage_pipe *p = &w->pipe[i];
        bool a = rv_is_member(w, p->ia), b = rv_is_member(w, p->ib);
        bool shut = false;
        if (a != b && rv_gate_is_dry(s, p)) shut = rv_gate_head(s, p) >= w->head[a ? p->ia : p->ib];
        any |= shut != p->shut;
        p->shut = shut;
    }
    return any;
}

// Head that gravity's horizontal parts add along a pipe, m.
static double slant_of(const rv_engine *s, const rv_passage_pipe *p)
{
    static const double way_x[RV_WAYS] = {1, 0, 1, -1}, way_y[RV_WAYS] = {0, 1, 1, 1};
    double slant =
        way_x[p->way] * (double)s->law.slant[0] + way_y[p->way] * (double)s->law.slant[1];
    return p->outward ? -slant : slant;
}

// What flowed, as far as it goes on by itself, and what gravity adds along the pipe.
static void set_starts(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t i = 0; i < w->pipes; i++) {
        rv_passage_pipe *p = &w->pipe[i];
        p->old = (double)*p->flux;
        p->start = p->keep * (double)s->law.kept * p->old + p->conduct * slant_of(s, p);
    }
}

// A flux so small that all of a column's together need not balance is none: what rests comes to
// rest.
static double flux_of(const rv_passage_pipe *p, double allowed, double a, double b)
{
    double flux = p->start + p->conduct * (a - b), size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double none = REST_SHARE * allowed * (double)p->opening + HEAD_SPACING * p->conduct * size;
    return p->shut || fabs(flux) <= none ? 0.0 : flux;
}

static void set_fresh(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    double allowed = s->params.pipes_tolerance / (double)s->law.dt_area;
    uint32_t gates = first_gate(w);
    bool flows = w->freed;
    for (uint32_t i = 0; i < gates; i++) {
        rv_passage_pipe *p = &w->pipe[i];
        p->fresh = flux_of(p, allowed, w->head[p->ia], w->head[p->ib]);
        flows |= p->fresh != 0.0;
    }
    for (uint32_t i = gates; i < w->pipes; i++) {
        rv_passage_pipe *p = &w->pipe[i];
        p->fresh = flux_of(p, allowed, end_head(s, p, p->ia), end_head(s, p, p->ib));
        flows |= p->fresh != 0.0;
    }
    w->flows = flows;
}

void rv_pressure_solve(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++) {
        double head = (double)s->head[w->slot[k]], least = least_head(s, w->slot[k]);
        w->head[k] = head > least ? head : least;
    }
    set_conducts(s);
    set_starts(s);
    if (set_shut(s)) w->known.conducts = false;
    for (int round = 0; round < ROUNDS; round++) {
        set_matrix(s);
        set_right(s);
        rv_pressure_iterate(s);
        bool freed = free_columns(s);
        if (!set_shut(s) && !freed) break;
        w->known.conducts = false;
    }
    set_fresh(s);
}

void rv_pressure_fluxes(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++)
        s->head[w->slot[k]] = w->member[k] ? (float)w->head[k] : 0.0f;
    for (uint32_t i = 0; i < w->pipes; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        if (rv_is_member(w, p->ia) || rv_is_member(w, p->ib)) *p->flux = (float)p->fresh;
    }
}
