// One substep of a plain single layer (no ceiling in reach, no odd pipe) in one sweep: fluxes of
// row y, scales of row y, then scaled fluxes and levels of row y - 1, so that every array goes
// through the caches once. The arithmetic is that of step.c, by the same row functions.
//
// With several threads the rows are cut into strips. A strip needs three rows of its neighbours as
// they were before the substep; those are copied first and the strip works on its copies.
#include "columns/pipes.h"

#include <string.h>

#define EDGE 3            // rows a strip needs from each neighbour
#define ARRAYS 5          // depth, flux_x, flux_y, flux_ne, flux_nw; with four neighbours three
#define STRIP_ROWS_MIN 16 // thinner strips would mostly copy
#define LEAD 16           // floats before a copied row: its slot at -1

typedef struct sweep {
    rv_solver *s;
    int strips;
    size_t pitch;
    size_t strip_floats; // scratch of one strip
    size_t arrays;
} sweep;

typedef struct strip {
    sweep *w;
    int first, end; // own rows
    float *copy;    // [2 * EDGE rows][arrays][pitch + 2 LEAD]
    float *scale;   // [3 rows][pitch + 2 LEAD]
} strip;

static size_t row_floats(const sweep *w)
{
    return w->pitch + 2 * LEAD;
}

static strip strip_of(sweep *w, int index)
{
    rv_solver *s = w->s;
    float *scratch = s->halo + (size_t)index * w->strip_floats;
    int rows = (int)s->row_count;
    return (strip){w, (int)((int64_t)rows * index / w->strips),
                   (int)((int64_t)rows * (index + 1) / w->strips), scratch,
                   scratch + 2 * EDGE * w->arrays * row_floats(w)};
}

// Index of the copy of row y, or -1 when the strip owns the row or it lies outside the grid.
static int copy_index(const strip *t, int y)
{
    if (y < t->first) return t->first - 1 - y;
    if (y >= t->end) return EDGE + y - t->end;
    return -1;
}

static float *array_row(const strip *t, int array, int y)
{
    rv_solver *s = t->w->s;
    int copy = copy_index(t, y);
    bool outside = y < 0 || y >= (int)s->row_count;
    if (copy >= 0 && !outside)
        return t->copy + ((size_t)copy * t->w->arrays + (size_t)array) * row_floats(t->w) + LEAD;
    float *arrays[ARRAYS] = {s->depth, s->flux_x, s->flux_y, s->flux_ne, s->flux_nw};
    // Rows -1 and row_count are the ring: dry, without flux.
    return arrays[array] + (ptrdiff_t)s->row[0].first + (ptrdiff_t)y * (ptrdiff_t)t->w->pitch;
}

static float *scale_of(const strip *t, int y)
{
    return t->scale + (size_t)((y + 3) % 3) * row_floats(t->w) + LEAD;
}

static void copy_task(void *context, int index)
{
    sweep *w = context;
    strip t = strip_of(w, index);
    for (int k = 0; k < 2 * EDGE; k++) {
        int y = k < EDGE ? t.first - 1 - k : t.end + k - EDGE;
        if (y < 0 || y >= (int)w->s->row_count) continue;
        strip whole = {.w = w, .first = 0, .end = (int)w->s->row_count};
        for (int a = 0; a < (int)w->arrays; a++)
            memcpy(array_row(&t, a, y) - 1, array_row(&whole, a, y) - 1,
                   (w->pitch + 1) * sizeof(float));
    }
}

// Where a row of the grid stands for a strip: the depths are the strip's, the rest is the solver's.
static rv_row row_at(const strip *t, const float *depth, const float *behind, int y, int x)
{
    rv_solver *s = t->w->s;
    ptrdiff_t i = (ptrdiff_t)s->row[0].first + y * (ptrdiff_t)t->w->pitch + x;
    return (rv_row){s->columns->base + i, s->columns->max + i, depth + x, behind,
                    s->press ? s->press + i : NULL};
}

static void flux_row_tank(const strip *t, int y)
{
    rv_solver *s = t->w->s;
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    rv_flux_tank *flux = cell ? s->rows->tank_cell : s->rows->tank_wet[s->row[y].kind];
    const float *here = array_row(t, 0, y), *north = array_row(t, 0, y + 1);
    const float *south = array_row(t, 0, y - 1);
    const float *beyond = y + 1 < (int)s->row_count ? array_row(t, 0, y + 2) : north;
    float *flux_x = array_row(t, 1, y), *flux_y = array_row(t, 2, y);
    uint32_t r = (uint32_t)y;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        int x = run.x;
        size_t i = s->row[r].first + (size_t)x;
        const uint16_t *gaps_x = s->eight ? s->gaps_x + i : NULL;
        const uint16_t *gaps_y = s->eight ? s->gaps_y + i : NULL;
        flux(&s->law, row_at(t, here, here + x - 1, y, x), row_at(t, here, here + x + 2, y, x + 1),
             s->slope_x + i, gaps_x, flux_x + x, run.count);
        flux(&s->law, row_at(t, here, south + x, y, x), row_at(t, north, beyond + x, y + 1, x),
             s->slope_y + i, gaps_y, flux_y + x, run.count);
        if (!s->eight || y + 1 == (int)s->row_count) continue; // the last has no diagonals
        flux(&s->law_diagonal, row_at(t, here, south + x - 1, y, x),
             row_at(t, north, beyond + x + 2, y + 1, x + 1), s->slope_ne + i, NULL,
             array_row(t, 3, y) + x, run.count);
        flux(&s->law_diagonal, row_at(t, here, south + x + 1, y, x),
             row_at(t, north, beyond + x - 2, y + 1, x - 1), s->slope_nw + i, NULL,
             array_row(t, 4, y) + x, run.count);
    }
}

static void flux_row(const strip *t, int y)
{
    if (rv_pipes_is_tank_row(t->w->s, (uint32_t)y)) {
        flux_row_tank(t, y);
        return;
    }
    rv_solver *s = t->w->s;
    const float *base = s->columns->base;
    bool cell = s->params.pipes_area == RV_AREA_CELL;
    const float *depth = array_row(t, 0, y), *north_depth = array_row(t, 0, y + 1);
    const float *south = array_row(t, 0, y - 1);
    const float *beyond = y + 1 < (int)s->row_count ? array_row(t, 0, y + 2) : north_depth;
    float *flux_x = array_row(t, 1, y), *flux_y = array_row(t, 2, y);
    uint32_t r = (uint32_t)y;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        size_t x = (size_t)run.x, i = s->row[r].first + x;
        rv_row here = {base + i, NULL, depth + x, depth + x - 1, NULL};
        rv_row east = {base + i + 1, NULL, depth + x + 1, depth + x + 2, NULL};
        rv_row north = {base + i + t->w->pitch, NULL, north_depth + x, beyond + x, NULL};
        rv_flux_row *flux = cell ? s->rows->flux_cell : s->rows->flux_wet[s->row[r].kind];
        flux(&s->law, here, east, north, south + x, s->slope_x + i, s->slope_y + i, flux_x + x,
             flux_y + x, run.count);
    }
}

static rv_eight eight_at(const strip *t, int y, int x)
{
    return (rv_eight){array_row(t, 1, y) + x, array_row(t, 2, y - 1) + x,
                      array_row(t, 2, y) + x, array_row(t, 3, y - 1) + x - 1,
                      array_row(t, 3, y) + x, array_row(t, 4, y - 1) + x + 1,
                      array_row(t, 4, y) + x};
}

// Whether any share of the row is under 1.
static bool scale_row(const strip *t, int y)
{
    rv_solver *s = t->w->s;
    const float *depth = array_row(t, 0, y), *flux_x = array_row(t, 1, y);
    const float *low_y = array_row(t, 2, y - 1), *high_y = array_row(t, 2, y);
    float *scale = scale_of(t, y);
    uint32_t r = (uint32_t)y;
    int cut = 0;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run))
        cut |= s->eight ? s->rows->scale_out_eight(&s->law, depth + run.x, eight_at(t, y, run.x),
                                                   scale + run.x, run.count)
                        : s->rows->scale_out(&s->law, depth + run.x, flux_x + run.x, low_y + run.x,
                                             high_y + run.x, scale + run.x, run.count);
    return cut;
}

static void finish_row(const strip *t, int y, bool here_cut)
{
    rv_solver *s = t->w->s;
    const float *here = scale_of(t, y), *north = scale_of(t, y + 1);
    float *flux_x = array_row(t, 1, y), *flux_y = array_row(t, 2, y);
    uint32_t r = (uint32_t)y;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) {
        if (here_cut)
            s->rows->finish_out(flux_x + run.x, here + run.x, here + run.x + 1, run.count);
        s->rows->finish_out(flux_y + run.x, here + run.x, north + run.x, run.count);
        if (!s->eight) continue;
        s->rows->finish_out(array_row(t, 3, y) + run.x, here + run.x, north + run.x + 1, run.count);
        s->rows->finish_out(array_row(t, 4, y) + run.x, here + run.x, north + run.x - 1, run.count);
    }
}

static void level_row(const strip *t, int y)
{
    rv_solver *s = t->w->s;
    rv_level_result all = {0};
    float *depth = array_row(t, 0, y);
    const float *flux_x = array_row(t, 1, y);
    const float *low_y = array_row(t, 2, y - 1), *high_y = array_row(t, 2, y);
    uint32_t r = (uint32_t)y;
    for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run))
        rv_pipes_merge(&all,
                       s->eight
                           ? s->rows->level_eight(&s->law, depth + run.x, eight_at(t, y, run.x),
                                                  run.count, s->block_width)
                           : s->rows->level(&s->law, depth + run.x, flux_x + run.x, low_y + run.x,
                                            high_y + run.x, run.count, s->block_width),
                       run.x / s->block_width);
    if (s->awake[r]) rv_pipes_note_row(s, r, all);
}

// Rows first - 2 … end come by in turn; a row is final once the row after it has its scales.
static void strip_task(void *context, int index)
{
    sweep *w = context;
    strip t = strip_of(w, index);
    int rows = (int)w->s->row_count;
    memset(t.scale, 0, 3 * row_floats(w) * sizeof(float));
    bool cut = false, was_cut;
    if (t.first >= 2) flux_row(&t, t.first - 2);
    for (int y = t.first - 1; y <= t.end; y++) {
        was_cut = cut, cut = false;
        if (y >= 0 && y < rows) {
            flux_row(&t, y);
            cut = scale_row(&t, y);
        }
        int done = y - 1;
        if (done < 0 || done < t.first - 1) continue;
        if (cut || was_cut) finish_row(&t, done, was_cut);
        if (done >= t.first) level_row(&t, done);
    }
}

void rv_pipes_substep_strips(rv_solver *s)
{
    sweep w = {.s = s, .strips = rv_pool_threads(s->pool)};
    int most = (int)s->row_count / STRIP_ROWS_MIN;
    if (w.strips > most) w.strips = most > 1 ? most : 1;
    w.pitch = (size_t)s->columns->plane[0].pitch;
    w.arrays = s->eight ? ARRAYS : 3;
    w.strip_floats = (2 * EDGE * w.arrays + 3) * row_floats(&w);
    if (w.strips > 1) rv_parallel_for(s->pool, w.strips, copy_task, &w);
    rv_parallel_for(s->pool, w.strips, strip_task, &w);
    rv_pipes_gather(s);
}

size_t rv_pipes_strips_scratch(const rv_solver *s)
{
    sweep w = {.pitch = (size_t)s->columns->plane[0].pitch};
    size_t strips = (size_t)rv_pool_threads(s->pool);
    size_t arrays = s->eight ? ARRAYS : 3;
    return strips * (2 * EDGE * arrays + 3) * row_floats(&w);
}
