// The pressure of the narrow form (narrow.c): not negative, and where it is not 0, just what the
// liquid needs so that no cell gets denser than it may.
//
//     p >= 0,  r = b - Σ_faces c (p - p_next) <= 0,  p r = 0
//
// By multigrid: a few rounds of relaxing on a grid take out what is rough, what is left is solved
// for on a grid of cells twice as large, and comes back by interpolation between cells that are
// joined. Rows are relaxed in two colours, and within a row every second cell before the others, so
// that any number of threads gives the same bits. Cells that have no pressure count as p = 0 on all
// levels: their share of the conductance stays in the diagonal. Between two large cells half the
// sum of the small faces' conductances counts, for their middles are twice as far apart. Near
// ragged surfaces that makes the coarser levels say too much: taken in full, pressures in space
// went to and fro for ever, what was left made liquid denser by a hundredth in each substep, and
// pushing it apart again was energy out of nothing. So after each slow cycle less of it is taken.
//
// It begins with the pressure of the substep before, by cell, which is part of the state. What
// takes cycles is to find out which cells have pressure, and there it is known but for a few. A
// cell gets pressure by relaxing, so that where liquid strikes something it would spread by some
// cells a cycle: once, when a cycle leaves much, all cells of liquid count, and what coarser levels
// say is given to all of them.
#include "particles/splat.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define OMEGA 1.15f   // of relaxing; 1.1 to 1.3 take the fewest cycles on dams
#define STAGES 5      // two rounds of relaxing before and after a coarser level, and the way there
#define LAST_ROUNDS 4 // on the coarsest
#define CYCLES 16     // at most
#define SLOW 0.4f     // a cycle that leaves more than this of what was left is a slow one
#define DOUBT 0.85f   // after one, this share of what counted of the coarser levels counts
#define STUCK 0.3f    // one that leaves more may be so because cells wait to get pressure
#define ENOUGH 1e-3f  // of a cell's volume in a substep, what may be left
#define DONE 0.3f     // of that, after half a cycle: the other half leaves about as much
#define AHEAD 0.5f    // of that, what the cycle after would leave if it went on as it does
#define MOST_AHEAD 5.0f // times that, at most, is left then
#define SMALL 4096      // cells; levels with less are done by one thread
#define ROWS_A_TASK 8
#define THICK 8          // planes of a slab, at least: seams, four planes to each side, keep apart
#define SLABS_A_THREAD 3 // so that none waits long for the others

// ---- Levels -------------------------------------------------------------------------------------

static size_t level_rows(const rv_narrow_level *l)
{
    return (size_t)l->n[1] * (size_t)l->n[2];
}

static size_t slot_of(const rv_narrow_level *l, int a, int b)
{
    return l->origin + (size_t)a * l->pitch + (size_t)b * l->layer;
}

// The sizes of all levels; how many floats those beyond the first take, and how many rows all have.
void rv_narrow_lay_out(rv_splat *s, size_t *floats, size_t *rows)
{
    const rv_splat_grid *g = &s->grid;
    s->level[0] = (rv_narrow_level){.n = {g->n[0], g->n[1], g->axes == 3 ? g->n[2] : 1},
                                    .axes = g->axes,
                                    .pitch = g->pitch,
                                    .layer = g->layer,
                                    .origin = g->origin,
                                    .slots = g->slots};
    *floats = 0, *rows = level_rows(&s->level[0]);
    s->levels = 1;
    while (s->levels < RV_NARROW_LEVELS) {
        const rv_narrow_level *f = &s->level[s->levels - 1];
        if (s->levels > 1 && f->n[0] <= 4 && f->n[1] <= 4 && f->n[2] <= 4) break;
        rv_narrow_level l = {.axes = g->axes};
        for (int c = 0; c < 3; c++) l.n[c] = (f->n[c] + 1) / 2;
        l.pitch = ((size_t)l.n[0] + 2 + RV_NARROW_BEYOND + 15) / 16 * 16;
        l.layer = l.pitch * (size_t)(l.n[1] + 2);
        l.slots = l.layer * (size_t)(l.n[2] + (g->axes == 3 ? 2 : 0)) + 2 * RV_NARROW_BEYOND;
        l.origin = 1 + l.pitch + (g->axes == 3 ? l.layer : 0);
        *floats += l.slots * (size_t)(4 + g->axes);
        *rows += level_rows(&l);
        s->level[s->levels++] = l;
    }
}

void rv_narrow_place(rv_splat *s)
{
    float *at = s->coarse;
    int *row = s->level_row;
    for (int i = 0; i < s->levels; i++) {
        rv_narrow_level *l = &s->level[i];
        l->low = row, l->high = row + level_rows(l), row += 2 * level_rows(l);
        if (i == 0) {
            l->p = s->f.pressure, l->b = s->f.dense;
            l->diag = s->f.smooth[0], l->inverse = s->f.smooth[1];
            for (int c = 0; c < l->axes; c++) l->joint[c] = s->joint[c];
            continue;
        }
        float **array[7] = {&l->p,        &l->b,        &l->diag,    &l->inverse,
                            &l->joint[0], &l->joint[1], &l->joint[2]};
        for (int k = 0; k < 4 + l->axes; k++) *array[k] = at, at += l->slots;
    }
}

// ---- Work over the rows of a level --------------------------------------------------------------

typedef struct rows_work rows_work;
typedef void level_pass(const rows_work *w, int a, int b);

struct rows_work {
    rv_splat *s;
    const rv_narrow_level *l, *other; // the level whose rows these are, and one beside it
    level_pass *each;
    bool first; // the finest level is one of the two
    int a_task;
    float part; // of the pressure of the coarser level that counts
};

static void do_rows(void *context, int item)
{
    const rows_work *w = context;
    int rows = (int)level_rows(w->l), end = (item + 1) * w->a_task;
    for (int i = item * w->a_task; i < end && i < rows; i++) {
        int a = i % w->l->n[1], b = i / w->l->n[1];
        if (w->l->low[i] < w->l->high[i]) w->each(w, a, b);
    }
}

static void over_level(const rows_work *work)
{
    rows_work w = *work;
    int rows = (int)level_rows(w.l);
    bool small = (size_t)rows * (size_t)w.l->n[0] < SMALL;
    w.a_task = small ? rows : ROWS_A_TASK;
    if (!small && rows / ROWS_A_TASK > 256) w.a_task = rows / 256;
    rv_parallel_for(small ? NULL : w.s->pool, (rows + w.a_task - 1) / w.a_task, do_rows, &w);
}

static size_t row_of(const rv_narrow_level *l, int a, int b)
{
    return (size_t)a + (size_t)b * (size_t)l->n[1];
}

// Slabs of a level, of about equal numbers of cells; one where there is little to do.
static void make_slabs(rv_splat *s, int level)
{
    const rv_narrow_level *l = &s->level[level];
    rv_narrow_slabs *out = &s->slabs_of[level];
    int threads = rv_pool_threads(s->pool), n = l->n[1];
    int64_t all = 0, own = 0;
    *out = (rv_narrow_slabs){.count = 1, .at = {0, n}, .first = n, .last = 0};
    for (size_t i = 0; i < level_rows(l); i++) {
        if (l->low[i] >= l->high[i]) continue;
        int a = (int)(i % (size_t)n);
        all += l->high[i] - l->low[i];
        out->first = out->first < a ? out->first : a;
        out->last = out->last > a + 1 ? out->last : a + 1;
    }
    out->first &= ~1, out->last = (out->last + 1) & ~1; // two planes have one on the next level
    if (threads < 2 || all < SMALL) return;
    int most =
        SLABS_A_THREAD * threads < RV_NARROW_SLABS ? SLABS_A_THREAD * threads : RV_NARROW_SLABS;
    out->count = 0;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < l->n[2]; b++) own += l->high[row_of(l, a, b)] - l->low[row_of(l, a, b)];
        int end = a + 1, thick = end - out->at[out->count];
        bool full = own * most >= all && thick >= THICK && end % 2 == 0 && n - end >= THICK;
        if (end < n && !(full && out->count + 1 < most)) continue;
        out->at[++out->count] = end;
        own = 0;
    }
}

// ---- Coarser grids ------------------------------------------------------------------------------

// Whether of the finer level those cells count that have pressure now; else all that may have it.
static bool counts_pressed(const rows_work *w)
{
    return w->first && !w->s->whole_level;
}

// Joints to the cells before, and in `diag` the conductance to cells without pressure.
static void make_joints(const rows_work *w, int a, int b)
{
    const rv_narrow_level *l = w->l, *f = w->other;
    size_t i = row_of(l, a, b), at = slot_of(l, a, b) + (size_t)l->low[i];
    size_t bytes = (size_t)(l->high[i] - l->low[i]) * sizeof(float);
    memset(l->diag + at, 0, bytes), memset(l->inverse + at, 0, bytes);
    for (int c = 0; c < l->axes; c++) memset(l->joint[c] + at, 0, bytes);
    for (int k = 2 * b; k < 2 * b + 2 && k < f->n[2]; k++)
        for (int j = 2 * a; j < 2 * a + 2 && j < f->n[1]; j++) {
            size_t row = row_of(f, j, k), from = slot_of(f, j, k) + (size_t)f->low[row];
            w->s->pressing->coarsen(f, counts_pressed(w), from, f->high[row] - f->low[row], j & 1,
                                    k & 1, l, slot_of(l, a, b) + (size_t)(f->low[row] / 2));
        }
}

static void make_diagonal(const rows_work *w, int a, int b)
{
    const rv_narrow_level *l = w->l;
    size_t i = row_of(l, a, b);
    w->s->pressing->diagonal(l, slot_of(l, a, b) + (size_t)l->low[i], l->high[i] - l->low[i]);
}

// Cells [from, to) of a row of a coarse level have no pressure any more.
static void empty(const rv_narrow_level *l, size_t slot, int from, int to)
{
    size_t at = slot + (size_t)from, bytes = (size_t)(to - from) * sizeof(float);
    if (from >= to) return;
    for (int c = 0; c < l->axes; c++) memset(l->joint[c] + at, 0, bytes);
    memset(l->inverse + at, 0, bytes);
    memset(l->p + at, 0, bytes);
}

// Spans begin and end between two large cells; the last may end one cell beyond the grid. What was
// in the old one and is not in the new one must not be seen by cells beside it: beyond its span a
// row is empty.
static void set_span(const rv_narrow_level *l, int a, int b, int low, int high)
{
    size_t row = row_of(l, a, b), slot = slot_of(l, a, b);
    int first = l->low[row], last = l->high[row];
    low = low < high ? low & ~1 : 0, high = low < high ? (high + 1) & ~1 : 0;
    empty(l, slot, first, last < low ? last : low);
    empty(l, slot, first > high ? first : high, last);
    l->low[row] = low, l->high[row] = high;
}

static void coarse_spans(const rv_narrow_level *f, const rv_narrow_level *l)
{
    for (int b = 0; b < l->n[2]; b++)
        for (int a = 0; a < l->n[1]; a++) {
            int low = l->n[0], high = 0;
            for (int k = 2 * b; k < 2 * b + 2 && k < f->n[2]; k++)
                for (int j = 2 * a; j < 2 * a + 2 && j < f->n[1]; j++) {
                    size_t i = row_of(f, j, k);
                    if (f->low[i] >= f->high[i]) continue;
                    low = low < f->low[i] / 2 ? low : f->low[i] / 2;
                    high = high > (f->high[i] + 1) / 2 ? high : (f->high[i] + 1) / 2;
                }
            set_span(l, a, b, low, high);
        }
}

static void make_levels(rv_splat *s)
{
    for (int i = 1; i < s->levels; i++) {
        const rv_narrow_level *f = &s->level[i - 1], *l = &s->level[i];
        coarse_spans(f, l);
        over_level(&(rows_work){s, l, f, make_joints, i == 1, 0, 1.0f});
        over_level(&(rows_work){s, l, f, make_diagonal, i == 1, 0, 1.0f});
        make_slabs(s, i);
    }
}

// ---- A cycle ------------------------------------------------------------------------------------

// What is left on the finer level, summed up for the row of a coarser one.
static void restrict_row(const rows_work *w, int a, int b)
{
    const rv_narrow_level *l = w->l, *f = w->other;
    size_t own = row_of(l, a, b), to = slot_of(l, a, b);
    if (l->low[own] >= l->high[own]) return;
    size_t bytes = (size_t)(l->high[own] - l->low[own]) * sizeof(float);
    memset(l->b + to + l->low[own], 0, bytes);
    memset(l->p + to + l->low[own], 0, bytes);
    for (int k = 2 * b; k < 2 * b + 2 && k < f->n[2]; k++)
        for (int j = 2 * a; j < 2 * a + 2 && j < f->n[1]; j++) {
            size_t i = row_of(f, j, k), at = slot_of(f, j, k) + (size_t)f->low[i];
            int count = f->high[i] - f->low[i];
            if (count <= 0) continue;
            float *sum = l->b + to + f->low[i] / 2;
            float most = w->s->pressing->leave(f, at, count, w->first, sum);
            if (w->first) w->s->row_most[i] = most;
        }
}

static void correct_row(const rows_work *w, int a, int b)
{
    const rv_narrow_level *f = w->l, *l = w->other;
    size_t i = row_of(f, a, b), at = slot_of(f, a, b) + (size_t)f->low[i];
    if (f->low[i] >= f->high[i]) return;
    w->s->pressing->correct(f, w->first, counts_pressed(w), w->part, at, f->high[i] - f->low[i], l,
                            slot_of(l, a / 2, b / 2) + (size_t)(f->low[i] / 2), a & 1, b & 1);
}

static float most_left(const rv_splat *s)
{
    const rv_narrow_level *l = &s->level[0];
    float most = 0.0f;
    for (size_t i = 0; i < level_rows(l); i++)
        if (l->low[i] < l->high[i] && s->row_most[i] > most) most = s->row_most[i];
    return most;
}

// ---- Sweeps -------------------------------------------------------------------------------------

// Several passes over a level in one go over memory: the next pass follows one plane (of rows with
// the same a) behind the one before, while what it needs is near. Every pass looks at the planes
// beside its own only, so each slab of planes can do so by itself, each pass a plane less far to
// both sides; what is left out at the seams between slabs is done after. All of it gives the bits
// that whole passes one after the other would.
typedef enum stage { RELAX_EVEN, RELAX_ODD, RESTRICT, CORRECT } stage;

typedef struct sweep {
    rv_splat *s;
    int level, count;
    const stage *stages;
    const rv_narrow_slabs *slabs;
    rows_work own, down; // what passes over this level's rows and the next one's want
    atomic_int beside[RV_NARROW_SLABS]; // by seam: how many of its two slabs are done
} sweep;

static void relax_plane(const sweep *w, int a, int odd)
{
    const rv_narrow_level *l = w->own.l;
    const rv_pressure_rows *rows = w->s->pressing;
    for (int b = (a ^ odd) & 1; b < l->n[2]; b += 2) {
        size_t i = row_of(l, a, b);
        int low = l->low[i], count = l->high[i] - low;
        if (count > 0) rows->relax(l, slot_of(l, a, b) + (size_t)low, count, OMEGA, w->own.first);
    }
}

static void do_plane(const sweep *w, stage what, int a)
{
    const rv_narrow_level *l = w->own.l, *next = w->own.other;
    if (what == RELAX_EVEN || what == RELAX_ODD) {
        relax_plane(w, a, what == RELAX_ODD);
    } else if (what == CORRECT) {
        for (int b = 0; b < l->n[2]; b++) correct_row(&w->own, a, b);
    } else if (a % 2 == 1 || a + 1 == l->n[1]) { // two planes at once, with the second
        for (int b = 0; b < next->n[2]; b++) restrict_row(&w->down, a / 2, b);
    }
}

// All stages, stage k from plane low - k·widen up to high + k·widen: slabs shrink, seams grow.
static void do_wave(const sweep *w, int low, int high, int widen)
{
    int n = w->own.l->n[1], last = w->count - 1, from[STAGES], to[STAGES];
    int begin = w->slabs->first, end = w->slabs->last; // beyond there is nothing
    for (int k = 0; k < w->count; k++) {
        int a = low == 0 ? 0 : low - k * widen, b = high == n ? n : high + k * widen;
        from[k] = a > begin ? a : begin, to[k] = b < end ? b : end;
    }
    int front = low - last > begin ? low - last : begin;
    for (; front < high + 2 * last && front < end + last; front++)
        for (int k = 0; k < w->count; k++)
            if (front - k >= from[k] && front - k < to[k]) do_plane(w, w->stages[k], front - k);
}

// Whoever is done with the second of the slabs beside a seam does the seam: nobody waits for all
// slabs to be done first.
static void do_seam(sweep *w, int seam)
{
    if (seam < 0 || seam + 1 >= w->slabs->count) return;
    if (atomic_fetch_add_explicit(&w->beside[seam], 1, memory_order_acq_rel) == 0) return;
    do_wave(w, w->slabs->at[seam + 1], w->slabs->at[seam + 1], 1);
}

static void do_slab(void *context, int item)
{
    sweep *w = context;
    do_wave(w, w->slabs->at[item], w->slabs->at[item + 1], -1);
    do_seam(w, item - 1), do_seam(w, item);
}

static void run_sweep(rv_splat *s, int level, const stage *stages, int count, float trust)
{
    const rv_narrow_level *l = &s->level[level], *next = l + 1;
    bool first = level == 0;
    sweep w;
    w.s = s, w.level = level, w.count = count, w.stages = stages, w.slabs = &s->slabs_of[level];
    w.own = (rows_work){.s = s, .l = l, .other = next, .first = first, .part = trust};
    w.down = (rows_work){.s = s, .l = next, .other = l, .first = first};
    for (int i = 0; i + 1 < w.slabs->count; i++) atomic_init(&w.beside[i], 0);
    rv_parallel_for(s->pool, w.slabs->count, do_slab, &w);
}

// Half a cycle: a level relaxed, and what is left then asked of the next one.
static void sink(rv_splat *s, int level)
{
    static const stage stages[] = {RELAX_EVEN, RELAX_ODD, RELAX_EVEN, RELAX_ODD, RESTRICT};
    run_sweep(s, level, stages, STAGES, 1.0f);
}

// The other half: what the coarser levels say, of which this one takes the part `trust`.
static void rise(rv_splat *s, int level, float trust)
{
    static const stage stages[] = {CORRECT, RELAX_ODD, RELAX_EVEN, RELAX_ODD, RELAX_EVEN};
    static const stage round[] = {RELAX_EVEN, RELAX_ODD};
    if (level + 1 == s->levels - 1) {
        for (int i = 0; i < LAST_ROUNDS; i++) run_sweep(s, level + 1, round, 2, 1.0f);
    } else {
        sink(s, level + 1);
        rise(s, level + 1, 1.0f);
    }
    run_sweep(s, level, stages, STAGES, trust);
}

// ---- All of it ----------------------------------------------------------------------------------

// Which cells of a row have been kept, [low, high): those between walls that particles reached.
static rv_splat_span reached(const rv_splat *s, int a, int b)
{
    rv_splat_span span = s->span[rv_splat_row(&s->grid, a, b)];
    int low = span.low > 0 ? span.low : 0, n = s->grid.n[0];
    int high = span.high < n ? span.high : n;
    return low < high ? (rv_splat_span){low, high} : (rv_splat_span){0, 0};
}

static float *pressed_row(const rv_splat *s, int a, int b)
{
    return s->pressed + row_of(&s->level[0], a, b) * (size_t)s->grid.n[0];
}

// Liquid is pressed about as it was a substep before: where it is pressed at all, most of all,
// which is what takes cycles to find.
static void guess(void *context, int a)
{
    rv_splat *s = context;
    const rv_narrow_level *l = &s->level[0];
    for (int b = 0; b < l->n[2]; b++) {
        size_t i = row_of(l, a, b), slot = slot_of(l, a, b);
        const float *restrict from = pressed_row(s, a, b), *restrict inverse = l->inverse + slot;
        float *restrict p = l->p + slot, move = s->narrow_law.move;
        int end = l->high[i] < l->n[0] ? l->high[i] : l->n[0];
        for (int x = l->low[i]; x < end; x++) p[x] = inverse[x] > 0.0f ? from[x] * move : 0.0f;
    }
}

static void keep(void *context, int a)
{
    rv_splat *s = context;
    const rv_narrow_level *l = &s->level[0];
    for (int b = 0; b < l->n[2]; b++) {
        rv_splat_span *old = &s->span_pressed[row_of(l, a, b)], new = reached(s, a, b);
        const float *restrict p = l->p + slot_of(l, a, b);
        float *restrict to = pressed_row(s, a, b), fill = s->narrow_law.fill;
        for (int x = old->low; x < old->high; x++)
            if (x < new.low || x >= new.high) to[x] = 0.0f;
        for (int x = new.low; x < new.high; x++) to[x] = p[x] * fill;
        *old = new;
    }
}

void rv_narrow_keep(rv_splat *s)
{
    rv_parallel_for(s->pool, s->level[0].n[1], keep, s);
}

void rv_narrow_new_pressed(rv_splat *s)
{
    if (!s->narrow || s->grid.up < 0) return; // there is none
    for (size_t i = 0; i < level_rows(&s->level[0]); i++)
        s->span_pressed[i] = (rv_splat_span){0, s->grid.n[0]};
}

// ---- Which cycles there are ---------------------------------------------------------------------

rv_narrow_limits rv_narrow_limits_of(const rv_splat *s)
{
    float enough = ENOUGH * s->narrow_law.fill;
    return (rv_narrow_limits){.enough = enough,
                              .done = DONE * enough,
                              .ahead = s->body_count > 0 ? 0.0f : AHEAD * enough,
                              .most_ahead = s->body_count > 0 ? 0.0f : MOST_AHEAD * enough,
                              .omega = OMEGA,
                              .slow = SLOW,
                              .doubt = DOUBT,
                              .stuck = STUCK};
}

rv_narrow_cycles rv_narrow_cycles_begin(void)
{
    return (rv_narrow_cycles){
        .left = INFINITY, .last = INFINITY, .before = INFINITY, .trust = 1.0f};
}

void rv_narrow_cycle_next(const rv_narrow_limits *l, rv_narrow_cycles *c, int number)
{
    bool whole = !c->tried && c->left > l->stuck * c->last;
    // which cells have pressure hardly changes unless it does not converge
    c->anew = number == 0 || whole || c->whole || c->left > l->slow * c->before;
    c->before = c->anew ? INFINITY : c->left;
    c->whole = whole, c->tried = c->tried || whole;
}

bool rv_narrow_cycle_done(const rv_narrow_limits *l, rv_narrow_cycles *c, int number, float left)
{
    bool slow = left > l->slow * c->left;
    // going to and fro: the coarser levels say too much where liquid is thin or ragged
    if (number > 1 && slow) c->trust *= l->doubt;
    bool fast = number > 0 && !slow && left < l->most_ahead;
    bool ahead = fast && left * left < l->ahead * c->left;
    c->last = c->left, c->left = left;
    return left < l->enough || ahead;
}

// ---- All of it ----------------------------------------------------------------------------------

// Spans, conductances and what is asked of the finest level must be there.
void rv_narrow_solve(rv_splat *s)
{
    static const stage rounds[] = {RELAX_EVEN, RELAX_ODD, RELAX_EVEN, RELAX_ODD};
    const rv_narrow_limits limits = rv_narrow_limits_of(s);
    rv_narrow_cycles c = rv_narrow_cycles_begin();
    rv_parallel_for(s->pool, s->level[0].n[1], guess, s);
    make_slabs(s, 0);
    run_sweep(s, 0, rounds, 4, 1.0f); // cells that are to have pressure get some, and count
    for (s->cycles = 0; s->cycles < CYCLES; s->cycles++) {
        rv_narrow_cycle_next(&limits, &c, s->cycles);
        s->whole_level = c.whole;
        if (c.anew) make_levels(s);
        sink(s, 0);
        float most = most_left(s);
        if (most < limits.done && s->body_count == 0) break;
        rise(s, 0, c.trust);
        if (s->body_count > 0) most = fmaxf(most, (float)rv_splat_lead_bodies(s));
        if (rv_narrow_cycle_done(&limits, &c, s->cycles, most)) break;
    }
}
