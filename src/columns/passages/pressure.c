// Passages by pressure (SPEC §2): the head φ of a full column is unknown; over the ordinary pipes
//     f = v (ζ f_old + dt g A (φ_a - φ_b) / l),   v = H² / (H² + 12 dt ν),
// the heads are such that what flows into a full column flows out of it. Gates give the boundary
// values. The system is symmetric and solved by conjugate gradients from the last substep's heads.
// A column whose head would fall under its ceiling is free; a dry gate higher than the passage
// gives nothing. Both are found by solving again without them.
#include "columns/passages/passages.h"

#include <math.h>

#define ROUNDS 6        // solves for the sake of freed columns and shut gates
#define LOW 0.9995      // share of its height under which a full column is filled up again …
#define TARGET 0.9998   // … to this
#define REFILL 0.2      // share of what it lacks that it gets in a substep
#define RELIEF 1e-3     // share of what flows through by which one fuller than that is relieved
#define LEAK 1e-6       // pulls heads to their ceilings where no gate does
#define FREE_SHARE 1e-3 // a head this share of its height under the ceiling frees the column
#define FLOW_SHARE 3e-4 // of the greatest flow: what need not balance
#define LIMIT_ROUNDS 60
#define LIMIT_GENTLE 20 // rounds in which outflow still counts as room

// Step to which n numbers up to `most` in size are rounded, so that their sum fits an integer; 0:
// no sum.
static double sum_step(uint32_t n, double most)
{
    if (!(most > 1e-280) || !(most < 1e280)) return 0.0;
    int exponent, bits = 1;
    (void)frexp(most, &exponent);
    while (bits < 32 && (1u << bits) <= n) bits++;
    return ldexp(1.0, exponent - 61 + bits);
}

double rv_sum_any_order(uint32_t n, rv_get *get, const void *context)
{
    double most = 0.0;
    for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(get(context, i)));
    double step = sum_step(n, most);
    int64_t sum = 0;
    for (uint32_t i = 0; step > 0.0 && i < n; i++) sum += llrint(get(context, i) / step);
    return (double)sum * step;
}

// ---- The system ---------------------------------------------------------------------------------

// Least head of a full column, m: under it the column comes free of its ceiling.
static double least_head(const rv_solver *s, uint32_t slot)
{
    return (double)(s->columns->max[slot] + rv_press(s, slot));
}

static void set_pipe(const rv_solver *s, rv_passage_pipe *p)
{
    const rv_params *q = &s->params;
    double height = (double)p->opening;
    double square = height * height * p->slope;
    double keep = square / (square + 12.0 * s->dt * q->liquid_viscosity + 1e-300);
    double push =
        s->dt * rv_gravity_down(q) * (q->pipes_area == RV_AREA_CELL ? q->grid_dx : height);
    p->conduct = keep * push * p->slope * (p->share * rv_pipe_reach(s));
    p->start = keep * (double)s->law.kept * p->old;
}

// What a full column should gain, m³/s: it is kept a little under its ceiling, so that what the
// solution leaves over finds room. One at rest is left alone, however full.
static double wanted(const rv_solver *s, uint32_t slot, double through)
{
    double cap = (double)rv_cap(s, slot), depth = (double)s->depth[slot];
    double lack = REFILL * (TARGET * cap - depth) / (double)s->law.dt_area;
    if (depth > TARGET * cap) return fmax(lack, -RELIEF * through);
    return depth < LOW * cap ? lack : 0.0;
}

static double sum_sides(const double v[RV_SIDES])
{
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

static void assemble(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    w->most_flow = 0.0;
    uint32_t links = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        w->link_first[k] = links;
        w->right[k] = 0.0, w->diagonal[k] = 1.0;
        if (!w->member[k]) continue;
        // by side, for a sum that turns with the scene
        double right[RV_SIDES] = {0}, diagonal[RV_SIDES] = {0}, through[RV_SIDES] = {0};
        for (uint32_t e = w->end_first[k]; e < w->end_first[k + 1]; e++) {
            const rv_passage_end *end = &w->end[e];
            const rv_passage_pipe *p = &w->pipe[end->pipe];
            if (p->shut) continue;
            diagonal[end->side] += p->conduct;
            right[end->side] -= end->sign * p->start;
            through[end->side] += fabs(p->start);
            if (!rv_is_member(w, p->ia) || !rv_is_member(w, p->ib))
                right[end->side] += p->conduct * rv_gate_head(s, p);
            else
                w->link[links++] = (rv_passage_link){
                    p->conduct, (uint32_t)(end->sign > 0 ? p->ib : p->ia), end->side};
        }
        double sum = sum_sides(diagonal);
        double ceiling = least_head(s, w->slot[k]);
        double leak = LEAK * sum + 1e-300;
        w->diagonal[k] = sum + leak;
        double flow = sum_sides(through);
        if (flow > w->most_flow) w->most_flow = flow;
        w->right[k] = sum_sides(right) - wanted(s, w->slot[k], flow) + leak * ceiling;
    }
    w->link_first[w->count] = links;
}

static void multiply_four(const rv_passage_work *w, const double *restrict x, double *restrict y)
{
    for (uint32_t k = 0; k < w->count; k++) {
        double side[4] = {0};
        for (uint32_t e = w->link_first[k]; e < w->link_first[k + 1]; e++)
            side[w->link[e].side] += w->link[e].conduct * x[w->link[e].other];
        y[k] = w->diagonal[k] * x[k] - ((side[0] + side[1]) + (side[2] + side[3]));
    }
}

static void multiply_eight(const rv_passage_work *w, const double *restrict x, double *restrict y)
{
    for (uint32_t k = 0; k < w->count; k++) {
        double side[RV_SIDES] = {0};
        for (uint32_t e = w->link_first[k]; e < w->link_first[k + 1]; e++)
            side[w->link[e].side] += w->link[e].conduct * x[w->link[e].other];
        y[k] = w->diagonal[k] * x[k] - sum_sides(side);
    }
}

static void multiply(const rv_solver *s, const double *x, double *y)
{
    (s->eight ? multiply_eight : multiply_four)(s->passage, x, y);
}

// ---- Conjugate gradients, scaled by the diagonal ------------------------------------------------

// Sum of a[i] b[i], the same in any order: see rv_sum_any_order.
static double dot(uint32_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        double size = fabs(a[i] * b[i]);
        most = size > most ? size : most;
    }
    double step = sum_step(n, most);
    if (step == 0.0) return 0.0;
    double scale = 1.0 / step; // powers of two: exact
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (int64_t)llrint(a[i] * b[i] * scale);
    return (double)sum * step;
}

// Solved when no residual would change a column's depth by more than the tolerance allows, or by
// more than a small share of the greatest flow through any.
static bool good_enough(const rv_solver *s)
{
    const rv_passage_work *w = s->passage;
    double allowed = s->params.pipes_tolerance / (double)s->law.dt_area;
    for (uint32_t k = 0; k < w->count; k++)
        if (fabs(w->residual[k]) >
            allowed * (double)rv_cap(s, w->slot[k]) + FLOW_SHARE * w->most_flow)
            return false;
    return true;
}

static void iterate(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    uint32_t n = w->count;
    double *scaled = w->scaled; // residual over the diagonal
    multiply(s, w->head, w->product);
    for (uint32_t k = 0; k < n; k++) {
        w->residual[k] = w->member[k] ? w->right[k] - w->product[k] : 0.0;
        w->direction[k] = scaled[k] = w->residual[k] / w->diagonal[k];
    }
    double size = dot(n, w->residual, scaled);
    for (int i = 0; i < s->params.pipes_iterations; i++) {
        if (good_enough(s)) return;
        s->totals.iterations++;
        multiply(s, w->direction, w->product);
        double curvature = dot(n, w->direction, w->product);
        if (!(curvature > 0.0)) break;
        double step = size / curvature;
        for (uint32_t k = 0; k < n; k++) {
            w->head[k] += step * w->direction[k];
            w->residual[k] = w->member[k] ? w->residual[k] - step * w->product[k] : 0.0;
            scaled[k] = w->residual[k] / w->diagonal[k];
        }
        double next = dot(n, w->residual, scaled);
        double turn = size > 0.0 ? next / size : 0.0;
        size = next;
        for (uint32_t k = 0; k < n; k++) w->direction[k] = scaled[k] + turn * w->direction[k];
    }
    if (!good_enough(s)) s->totals.unsolved++;
}

// ---- Freed columns and shut gates ---------------------------------------------------------------

static double end_head(const rv_solver *s, const rv_passage_pipe *p, int32_t position)
{
    return rv_is_member(s->passage, position) ? s->passage->head[position] : rv_gate_head(s, p);
}

static bool free_columns(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    bool any = false;
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t i = w->slot[k];
        double floor = least_head(s, i) - FREE_SHARE * (double)rv_cap(s, i);
        if (!w->member[k] || w->head[k] >= floor) continue;
        w->member[k] = 0;
        s->full[i] = 0;
        any = true;
    }
    return any;
}

static bool set_shut(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    bool any = false;
    for (uint32_t i = 0; i < w->pipes; i++) {
        rv_passage_pipe *p = &w->pipe[i];
        bool a = rv_is_member(w, p->ia), b = rv_is_member(w, p->ib);
        bool shut = false;
        if (a != b && rv_gate_is_dry(s, p)) shut = rv_gate_head(s, p) >= w->head[a ? p->ia : p->ib];
        any |= shut != p->shut;
        p->shut = shut;
    }
    return any;
}

void rv_pressure_solve(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t i = 0; i < w->pipes; i++) set_pipe(s, &w->pipe[i]);
    for (uint32_t k = 0; k < w->count; k++)
        w->head[k] = fmax((double)s->head[w->slot[k]], least_head(s, w->slot[k]));
    set_shut(s);
    for (int round = 0; round < ROUNDS; round++) {
        assemble(s);
        iterate(s);
        bool freed = free_columns(s);
        if (!set_shut(s) && !freed) break;
    }
    for (uint32_t i = 0; i < w->pipes; i++) {
        rv_passage_pipe *p = &w->pipe[i];
        p->fresh = p->start + p->conduct * (end_head(s, p, p->ia) - end_head(s, p, p->ib));
        if (p->shut) p->fresh = 0.0;
    }
}

void rv_pressure_fluxes(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++)
        s->head[w->slot[k]] = w->member[k] ? (float)w->head[k] : 0.0f;
    for (uint32_t i = 0; i < w->pipes; i++) {
        const rv_passage_pipe *p = &w->pipe[i];
        if (rv_is_member(w, p->ia) || rv_is_member(w, p->ib)) *p->flux = (float)p->fresh;
    }
}

// ---- Scaling ------------------------------------------------------------------------------------

// A full column may take as much as it gives: its room is what is free plus what leaves. Where a
// gate is full or empty and cuts a flux, the cut goes back through the passage until every column
// fits.
void rv_pressure_scales(rv_solver *s)
{
    rv_passage_work *w = s->passage;
    for (uint32_t k = 0; k < w->count; k++)
        if (w->member[k]) s->in_scale[w->slot[k]] = 1.0f;
    for (int round = 0; round < LIMIT_ROUNDS; round++) {
        bool cut = false;
        for (uint32_t k = 0; k < w->count; k++) {
            uint32_t i = w->slot[k];
            w->share[k] = s->in_scale[i];
            if (!w->member[k]) continue;
            rv_through t = rv_pipes_through(s, i, true);
            float out = round < LIMIT_GENTLE ? t.out : 0.0f;
            float room = rv_f_max(rv_cap(s, i) * RV_DEPTH_SHARE - s->depth[i], 0.0f) + out;
            if (t.in <= room) continue;
            w->share[k] = rv_f_min(w->share[k], RV_DEPTH_SHARE * room / t.asked);
            cut = true;
        }
        if (!cut) return;
        for (uint32_t k = 0; k < w->count; k++) s->in_scale[w->slot[k]] = w->share[k];
    }
}
