// One substep (docs/pipes.md): fluxes, scaling, depths. The passes go over the grid
// together, each some rows behind the one before, so that the arrays go through the caches once.
// Where passages or ceilings need a look at the whole in between, the substep is cut into parts,
// with fewer passes each. A band works out again what its passes need of its neighbours' rows, so
// results do not depend on the number of bands.
#include "columns/sweep.h"

#include "columns/tension.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define CELLS_WORTH_THREADS 4096 // under this a pass is shorter than waking a thread

typedef enum pass { FLUXES, SCALES, FINISH, LEVELS, PASSES } pass;

static void (*const passes[PASSES])(rv_band *t, int y) = {rv_pass_fluxes, rv_pass_scales,
                                                          rv_pass_finish, rv_pass_levels};
// Rows behind the first pass: a row's depth changes only when the next row's fluxes are scaled, and
// no pass needs what a later one has changed.
static const int lags[PASSES] = {0, 0, 1, 1};

// A part of a substep: passes from `first` to `last`, and how many rows beyond its own a band works
// out in each, so that the next one has what it needs.
typedef struct part {
    rv_engine *s;
    int first, last;
    int below[PASSES], above[PASSES];
    unsigned fresh; // sets that ghosts need
    int from, gap; // of the bands that are done now: the first, and after `from` … how many are not
    rv_cut *nudged; // what other ranks send is on its way; NULL: it is not, or this is a thread
} part;

static part make_part(rv_engine *s, int first, int last)
{
    // what pass k + 1 needs of pass k: rows before and after
    static const int before[PASSES] = {1, 0, 1, 0}, after[PASSES] = {0, 1, 0, 0};
    static const unsigned fresh[PASSES] = {
        RV_SET(RV_DEPTH) | RV_SET_FLUX | RV_SET_SPEED, RV_SET_FLUX,
        RV_SET_FLUX | RV_SET_SPEED | RV_SET(RV_OUT) | RV_SET(RV_IN), RV_SET_FLUX | RV_SET_SPEED};
    part p = {.s = s, .first = first, .last = last, .fresh = fresh[first]};
    for (int k = last - 1; k >= first; k--)
        p.below[k] = p.below[k + 1] + before[k], p.above[k] = p.above[k + 1] + after[k];
    return p;
}

// Odd pipes of a band and its ghosts, from the solver and back.
static void take_odd(const rv_band *t)
{
    const rv_engine *s = t->s;
    if (t->odd_flux == s->odd_flux || s->odd_count == 0) return;
    uint32_t from = rv_odd_from(s, t->first - RV_GHOSTS), to = rv_odd_from(s, t->end + RV_GHOSTS);
    memcpy(t->odd_flux + from, s->odd_flux + from, (to - from) * sizeof(float));
    if (s->flow) memcpy(t->odd_speed + from, s->odd_speed + from, (to - from) * sizeof(float));
}

static void put_odd(const rv_band *t)
{
    rv_engine *s = t->s;
    if (t->odd_flux == s->odd_flux || s->odd_count == 0) return;
    uint32_t from = rv_odd_from(s, t->first), to = rv_odd_from(s, t->end);
    memcpy(s->odd_flux + from, t->odd_flux + from, (to - from) * sizeof(float));
    if (s->flow) memcpy(s->odd_speed + from, t->odd_speed + from, (to - from) * sizeof(float));
}

static void refresh_task(void *context, int index)
{
    const part *p = context;
    const rv_band *t = &p->s->bands->band[index];
    rv_band_refresh(t, p->fresh);
    take_odd(t);
}

// Passages may have set the fluxes of odd pipes between parts.
static void mark_live(rv_band *t, int first)
{
    const rv_engine *s = t->s;
    if (s->odd_count == 0 || (first != FLUXES && !rv_passages_active(s))) return;
    memset(t->live, 0, s->odd_column_count);
    if (first == FLUXES) return; // each row marks its own
    rv_odd_mark(s, t->odd_flux, rv_odd_from(s, t->first - RV_GHOSTS),
                rv_odd_from(s, t->end + RV_GHOSTS), t->live);
}

static void sweep_task(void *context, int item)
{
    const part *p = context;
    int index = item < p->from ? item : item + p->gap;
    rv_band *t = &p->s->bands->band[index];
    int ny = p->s->columns->grid.ny, first = INT_MAX, last = INT_MIN;
    for (int k = 0; p->s->flow && k < p->s->columns->planes; k++) {
        for (int i = 0; i < 4; i++) t->ring[k].last_row[i] = INT_MIN;
        t->ring[k].ahead_row = INT_MIN;
        for (int i = 0; i < 2; i++) t->ring[k].between_row[i] = t->ring[k].around_row[i] = INT_MIN;
    }
    mark_live(t, p->first);
    for (int k = p->first; k <= p->last; k++) {
        int low = t->first - p->below[k] + lags[k], high = t->end + p->above[k] + lags[k];
        first = low < first ? low : first, last = high > last ? high : last;
    }
    for (int step = first; step < last; step++) {
        if (p->nudged && step % 16 == 0) rv_cut_nudge(p->nudged);
        for (int k = p->first; k <= p->last; k++) {
            int y = step - lags[k];
            bool mine = y >= t->first - p->below[k] && y < t->end + p->above[k];
            if (mine && y >= 0 && y < ny) passes[k](t, y);
        }
    }
    put_odd(t);
}

static void run_part(rv_engine *s, rv_pool *pool, int first, int last)
{
    part p = make_part(s, first, last);
    int count = s->bands->count;
    if (s->bands->ghosts) rv_parallel_for(pool, count, refresh_task, &p);
    // first what other ranks wait for; the rest while it is on its way
    int outer = s->bands->low + s->bands->high;
    if (outer > 0) {
        p.from = s->bands->low, p.gap = count - outer;
        rv_parallel_for(pool, outer, sweep_task, &p);
        rv_far_send(s);
        p.nudged = pool ? NULL : s->columns->grid.cut;
    }
    p.from = 0, p.gap = s->bands->low;
    rv_parallel_for(pool, count - outer, sweep_task, &p);
    if (s->bands->own && outer == 0) rv_far_send(s);
    if (s->bands->own) rv_far_arrive(s);
}

// ---- The whole ----------------------------------------------------------------------------------

// By rows of the grid, so that the sums of ranks are those of one process.
void rv_pipes_count_borders(rv_engine *s)
{
    for (uint32_t i = 0; i < s->odd_count; i++) {
        if (s->odd[i].b != RV_NO_SLOT) continue;
        double volume = s->dt * (double)s->odd_flux[i];
        s->border[volume > 0.0][s->odd[i].y] += fabs(volume);
    }
}

static bool worth_threads(const rv_engine *s)
{
    int64_t cells = s->odd_count;
    for (uint32_t r = 0; r < s->row_count; r++)
        cells += (int64_t)__builtin_popcountll(s->busy[r]) << s->strip_shift;
    return cells >= CELLS_WORTH_THREADS;
}

void rv_pipes_sweep(rv_engine *s)
{
    bool threads = rv_pool_threads(s->pool) > 1 && worth_threads(s);
    rv_pool *pool = threads ? s->pool : NULL;
    if (s->flow && s->odd_count > 0) {
        memcpy(s->odd_last_flux, s->odd_flux, s->odd_count * sizeof(float));
        memcpy(s->odd_last_speed, s->odd_speed, s->odd_count * sizeof(float));
        memset(s->bands->was_live, 0, s->odd_column_count);
        rv_odd_mark(s, s->odd_flux, 0, s->odd_count, s->bands->was_live);
    }
    s->heads = s->press;
    if (s->tense) {
        rv_tension_heads(s, pool);
        s->heads = s->tension->head;
    }
    rv_passages_prepare(s);
    s->lid_near = rv_pipes_lid_near(s), s->lid_touched = rv_pipes_lid_touched(s);
    bool passages = rv_passages_active(s);
    s->parted = s->has_ceilings || s->lid_near;
    // rows of other ranks need not be worked out where nothing looks at them before they come anew
    bool own = s->far && !s->parted && !s->tense;
    rv_bands_share(s, threads ? rv_pool_threads(s->pool) : 1, own);
    if (!s->parted) {
        run_part(s, pool, FLUXES, LEVELS);
    } else {
        run_part(s, pool, FLUXES, passages ? FLUXES : SCALES);
        if (passages) {
            rv_passages_fluxes(s);
            run_part(s, pool, SCALES, SCALES);
        }
        rv_pipes_relax_scales(s);
        rv_passages_scales(s);
        run_part(s, pool, FINISH, passages ? FINISH : LEVELS);
        if (passages) {
            rv_passages_finish(s);
            run_part(s, pool, LEVELS, LEVELS);
            rv_passages_levels(s);
        }
    }
    if (s->has_borders) rv_pipes_count_borders(s);
    rv_pipes_gather(s);
}
