// Conjugate gradients for the heads of passages. Columns that are full together are mostly few, and
// hang together in small groups: then the diagonal as preconditioner does in 3 to 12 rounds, from
// the last substep's heads. It carries news by one column a round; where that is not enough, and
// where columns are many, coarse levels (levels.c) precondition.
//
// Both sums of a plain round are taken of the same vectors, so that a graphics card, which does the
// same (../card/kernels/full_heads.glsl), brings its threads together only three times a round
// (Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems", 1989).
#include "columns/passages/passages.h"

#include <math.h>

static bool good_enough(const rv_passage_work *w)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (!(fabs(w->residual[k]) <= w->limit[k])) return false;
    return true;
}

// ---- Few columns --------------------------------------------------------------------------------

// A row times v. Its terms are rounded to a step of their own, so that no other row has a say.
static double row_times(const rv_passage_level *l, const double *v, uint32_t k)
{
    uint32_t first = l->first[k], end = l->first[k + 1];
    double most = 0.0, sum = 0.0;
    for (uint32_t e = first; e < end; e++) {
        double size = fabs(l->conduct[e] * v[l->other[e]]);
        most = size > most ? size : most;
    }
    double rounder = rv_rounder(end - first, most);
    for (uint32_t e = first; e < end; e++)
        sum += rv_rounded(l->conduct[e] * v[l->other[e]], rounder);
    return l->diagonal[k] * v[k] - sum;
}

// Of the residual what the diagonal makes of it, u, and the matrix times that, z; the direction is
// p, and the matrix times that q. Returns how many rounds it took.
static int go_plain(rv_passage_work *w, int most)
{
    const rv_passage_level *l = w->level;
    double *r = w->residual, *u = w->scaled, *z = l->rest, *p = w->direction, *q = w->product;
    double size = 0.0, step = 0.0;
    uint32_t n = w->count;
    for (uint32_t k = 0; k < n; k++) {
        r[k] = w->member[k] ? w->right[k] - row_times(l, w->head, k) : 0.0;
        p[k] = q[k] = 0.0;
    }
    for (int round = 0; round < most; round++) {
        if (good_enough(w)) return round;
        for (uint32_t k = 0; k < n; k++) u[k] = l->inverse[k] * r[k];
        for (uint32_t k = 0; k < n; k++) z[k] = row_times(l, u, k);
        double last = size, turn = 0.0, curvature = rv_passage_dot(n, z, u);
        size = rv_passage_dot(n, r, u);
        if (round > 0) turn = size / last, curvature -= turn * size / step;
        if (!(curvature > 0.0) || !(size > 0.0)) return round + 1;
        step = size / curvature;
        for (uint32_t k = 0; k < n; k++) {
            p[k] = u[k] + turn * p[k], q[k] = z[k] + turn * q[k];
            w->head[k] += step * p[k], r[k] -= step * q[k];
        }
    }
    return most;
}

// ---- Coarse levels ------------------------------------------------------------------------------

// What a cycle makes of the residual; columns that came free are no unknowns.
static void precondition(rv_passage_work *w)
{
    rv_levels_cycle(w, w->residual, w->scaled);
    for (uint32_t k = 0; w->freed && k < w->count; k++)
        if (!w->member[k]) w->scaled[k] = 0.0;
}

// The cycle is not quite linear (its last level is an iteration), so the next direction is made
// orthogonal to the last by what it is, not by what theory says: flexible conjugate gradients.
static int go_by_levels(rv_passage_work *w, int most)
{
    const rv_passage_level *l = w->level;
    uint32_t n = w->count;
    double size = 0.0, step = 0.0;
    rv_level_rest(l, w->right, w->head, rv_most(n, w->head), w->residual);
    for (uint32_t k = 0; w->freed && k < n; k++)
        if (!w->member[k]) w->residual[k] = 0.0;
    for (int i = 0; i < most; i++) {
        if (good_enough(w)) return i;
        precondition(w);
        double turn = i > 0 ? -step * rv_passage_dot(n, w->product, w->scaled) / size : 0.0;
        for (uint32_t k = 0; k < n; k++)
            w->direction[k] = i > 0 ? w->scaled[k] + turn * w->direction[k] : w->scaled[k];
        size = rv_passage_dot(n, w->residual, w->scaled);
        rv_level_times(l, w->direction, w->product);
        double curvature = rv_passage_dot(n, w->direction, w->product);
        if (!(curvature > 0.0) || !(size > 0.0)) return i + 1;
        step = size / curvature;
        for (uint32_t k = 0; k < n; k++) {
            w->head[k] += step * w->direction[k];
            w->residual[k] -= step * w->product[k];
        }
    }
    return most;
}

// ---- The whole ----------------------------------------------------------------------------------

void rv_pressure_iterate(rv_engine *s)
{
    rv_passage_work *w = s->passage;
    int most = s->params.pipes_iterations, done = 0;
    if (w->count <= RV_PLAIN_MOST) {
        done = go_plain(w, most < RV_PLAIN_ROUNDS ? most : RV_PLAIN_ROUNDS);
        s->totals.iterations += done;
        if (good_enough(w)) return;
    }
    if (w->levels == 0 && !rv_levels_build(s))
        w->known.lists = false; // the next substep tries anew
    rv_levels_fill(s);
    s->totals.iterations += go_by_levels(w, most - done);
    if (!good_enough(w)) s->totals.unsolved++;
}
