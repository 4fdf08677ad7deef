// How far inside columns are, made fair (docs/surface.md, Where it ends).
//
// `inside` is a number of single columns, in metres of depth here and of distance there, and wrong
// by some tenths of a cell: a column that is barely inside is a tooth in the line of ends, and
// sliding ends along their ways (line.c) cannot take it out, since no end passes a node. So it is
// first made a distance, by its own slope, and then evened out over the columns around, there and
// back by a little more, as line.c does it along the line. Columns beside each other on a steep bed
// count by their distance along the bed: what runs down bone is evened as much across its way as
// along it. No column changes by more than a part of a cell, so that what is truly wet is drawn,
// and what is dry is not. Without tension nothing holds a line together, and nothing is done.
#include "surface/surface.h"

#include <math.h>

#define TURNS 6
#define THERE 0.6f
#define BACK -0.45f
#define FAR 1.0f     // cells from the end: how much farther counts for nothing
#define MOST 0.6f    // cells by which a column may change in all
#define DRY 0.2f     // cells that a dry column stays outside
#define BARELY 0.12f // cells outside: a wet column counts as inside by
#define LEAST 0.05f  // so much, or the line would reach in to it as a needle

typedef struct fairing {
    rv_surface_pass *p;
    int from; // which of the two numbers of a column is read; the other is written
    float share;
} fairing;

static float within(float x, float low, float high)
{
    return fminf(fmaxf(x, low), high);
}

// ---- A distance ---------------------------------------------------------------------------------

static float raw(const rv_surface_pass *p, const rv_node_record *n, int direction)
{
    const rv_surface_work *w = p->w;
    uint32_t o = n->link[direction];
    if (o == RV_NO_NODE) return n->inside;
    return rv_has_record(w, o) ? w->records[w->record[o]].inside : rv_surface_inside_even(p, o);
}

// Cells to the end, by how much `inside` changes from cell to cell around.
static float distance(const rv_surface_pass *p, const rv_node_record *n)
{
    float at[RV_DIRECTIONS];
    for (int d = 0; d < RV_DIRECTIONS; d++) at[d] = raw(p, n, d);
    float diagonal = at[RV_NE] - at[RV_SW], other = at[RV_SE] - at[RV_NW];
    float x = 2.0f * (at[RV_E] - at[RV_W]) + (diagonal + other);
    float y = 2.0f * (at[RV_N] - at[RV_S]) + (diagonal - other);
    float slope = sqrtf(x * x + y * y) * 0.125f, own = fabsf(n->inside);
    float cells = own < FAR * slope ? own / slope : FAR;
    return n->inside > 0.0f ? cells : -cells;
}

static void begin_band(void *context, int task)
{
    const fairing *f = context;
    rv_surface_work *w = f->p->w;
    const rv_surface_band *band = &w->band[task];
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++)
        for (uint32_t i = row->records; i < row->records + row->uneven; i++)
            w->records[i].fair[0] = w->records[i].first = distance(f->p, &w->records[i]);
}

// ---- Evened out ---------------------------------------------------------------------------------

static float of_node(const fairing *f, uint32_t node)
{
    const rv_surface_work *w = f->p->w;
    if (rv_has_record(w, node)) return w->records[w->record[node]].fair[f->from];
    return FAR;
}

// The mean of those around, by distance along the bed. Beyond dry columns there is nothing.
static float mean_around(const fairing *f, const rv_node_record *n)
{
    const rv_surface_pass *p = f->p;
    const float *base = p->in->columns->base;
    float sum = 0.0f, all = 0.0f;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d];
        float rise = o < p->w->slots ? (base[o] - base[n->node]) * p->per_dx : 0.0f;
        float weight = (d % 2 ? 1.0f : 2.0f) / (1.0f + (d % 2 ? 0.5f : 1.0f) * rise * rise);
        float there = o != RV_NO_NODE ? of_node(f, o) : n->fair[f->from];
        if (o == RV_NO_NODE && p->w->kind[n->node] == RV_NODE_DRY) there = -FAR;
        sum += weight * there, all += weight;
    }
    return sum / all;
}

static void even_band(void *context, int task)
{
    const fairing *f = context;
    const rv_surface_work *w = f->p->w;
    const rv_surface_band *band = &w->band[task];
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++) {
        for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
            rv_node_record *n = &w->records[i];
            float own = n->fair[f->from], to = own + f->share * (mean_around(f, n) - own);
            to = within(to, n->first - MOST, n->first + MOST);
            if (w->kind[n->node] == RV_NODE_DRY) to = fminf(to, -DRY);
            n->fair[!f->from] = within(to, -FAR, FAR);
        }
    }
}

static void end_band(void *context, int task)
{
    const fairing *f = context;
    rv_surface_work *w = f->p->w;
    const rv_surface_band *band = &w->band[task];
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++) {
        for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
            rv_node_record *n = &w->records[i];
            float cells = n->fair[0];
            if (w->kind[n->node] == RV_NODE_WET && cells > -BARELY) cells = fmaxf(cells, LEAST);
            n->inside = cells * f->p->dx;
            rv_surface_settle(w, n);
        }
    }
}

void rv_surface_make_fair(rv_surface_pass *p)
{
    fairing f = {.p = p};
    if (!p->in->edge || !p->in->bends) return;
    rv_parallel_for(p->w->pool, p->w->bands, begin_band, &f);
    for (int k = 0; k < TURNS; k++) {
        f.share = k % 2 ? BACK : THERE;
        rv_parallel_for(p->w->pool, p->w->bands, even_band, &f);
        f.from = !f.from;
    }
    rv_parallel_for(p->w->pool, p->w->bands, end_band, &f);
}

float rv_surface_inside_of(const rv_surface_pass *p, uint32_t node)
{
    const rv_surface_work *w = p->w;
    if (rv_has_record(w, node)) return w->records[w->record[node]].inside;
    return p->in->bends ? FAR * p->dx : rv_surface_inside_even(p, node);
}
