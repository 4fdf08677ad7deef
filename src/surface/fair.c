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

// By record, one array behind the other: its neighbours, whole numbers, and their weights, by
// direction; then what a turn reads and writes (lists.h).
enum { BESIDE, WEIGHT = BESIDE + RV_DIRECTIONS, ALL = WEIGHT + RV_DIRECTIONS, FIRST, TOP, OWN };
_Static_assert(OWN + 2 == RV_FAIR_PARTS, "as many as there is room for");

typedef struct fairing {
    rv_surface_pass *p;
    int from; // which of the two numbers of a column is read; the other is written
    float share;
} fairing;

static float *part(const fairing *f, int which)
{
    return f->p->w->fair + (size_t)which * f->p->w->fair_room;
}

static int32_t *beside(const fairing *f, int direction)
{
    return (int32_t *)(void *)part(f, BESIDE + direction);
}

// ---- A distance ---------------------------------------------------------------------------------

// Cells to the end, by how much `inside` changes from cell to cell around.
static float distance(const rv_surface_pass *p, const rv_node_record *n)
{
    float at[RV_DIRECTIONS];
    for (int d = 0; d < RV_DIRECTIONS; d++)
        at[d] = n->link[d] != RV_NO_NODE ? rv_surface_inside_found(p->w, n->link[d]) : n->inside;
    float diagonal = at[RV_NE] - at[RV_SW], other = at[RV_SE] - at[RV_NW];
    float x = 2.0f * (at[RV_E] - at[RV_W]) + (diagonal + other);
    float y = 2.0f * (at[RV_N] - at[RV_S]) + (diagonal - other);
    float slope = sqrtf(x * x + y * y) * 0.125f, own = fabsf(n->inside);
    float cells = own < FAR * slope ? own / slope : FAR;
    return n->inside > 0.0f ? cells : -cells;
}

// Where a neighbour is read from, and how much it counts: less, the farther along the bed. Beyond
// dry columns there is nothing.
static void weigh(const fairing *f, uint32_t i)
{
    const rv_surface_work *w = f->p->w;
    const rv_node_record *n = &w->records[i];
    const float *base = f->p->in->columns->base;
    bool dry = w->kind[n->node] == RV_NODE_DRY;
    float rise[RV_DIRECTIONS], weight[RV_DIRECTIONS], all = 0.0f;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t o = n->link[d], at = dry ? RV_FAIR_OUTSIDE : RV_FAIR_FIRST + i;
        if (o != RV_NO_NODE)
            at = rv_has_record(w, o) ? RV_FAIR_FIRST + w->record[o] : RV_FAIR_INSIDE;
        beside(f, d)[i] = (int32_t)at;
        rise[d] = base[o != RV_NO_NODE ? o : n->node] - base[n->node];
    }
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        float by = rise[d] * f->p->per_dx;
        weight[d] = (d % 2 ? 1.0f : 2.0f) / (1.0f + (d % 2 ? 0.5f : 1.0f) * by * by);
    }
    for (int d = 0; d < RV_DIRECTIONS; d++) part(f, WEIGHT + d)[i] = weight[d], all += weight[d];
    part(f, ALL)[i] = all, part(f, TOP)[i] = dry ? -DRY : INFINITY;
}

static void begin_band(void *context, int task)
{
    const fairing *f = context;
    const rv_surface_work *w = f->p->w;
    const rv_surface_band *band = &w->band[task];
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++) {
        for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
            weigh(f, i);
            part(f, OWN)[RV_FAIR_FIRST + i] = part(f, FIRST)[i] = distance(f->p, &w->records[i]);
        }
    }
}

// ---- Evened out ---------------------------------------------------------------------------------

// What is behind the last record is worked on with it, and read by none.
static void begin_list(const fairing *f, uint32_t count)
{
    for (int k = 0; k < 2; k++)
        part(f, OWN + k)[RV_FAIR_INSIDE] = FAR, part(f, OWN + k)[RV_FAIR_OUTSIDE] = -FAR;
    for (uint32_t i = count; i < rv_list_room(count); i++)
        for (int k = 0; k < RV_FAIR_PARTS; k++) part(f, k)[k < OWN ? i : RV_FAIR_FIRST + i] = 0.0f;
}

static void even_piece(void *context, int task)
{
    const fairing *f = context;
    const rv_surface_work *w = f->p->w;
    const rv_list_fair list = {.beside = beside(f, 0),
                               .weight = part(f, WEIGHT),
                               .stride = w->fair_room,
                               .all = part(f, ALL),
                               .own = part(f, OWN + f->from),
                               .to = part(f, OWN + !f->from),
                               .first = part(f, FIRST),
                               .top = part(f, TOP),
                               .share = f->share,
                               .most = MOST,
                               .far = FAR};
    uint32_t from = (uint32_t)task * RV_LIST_PIECE, to = from + RV_LIST_PIECE;
    if (to > rv_list_room(w->columns)) to = rv_list_room(w->columns);
    w->lists->even(&list, from, to);
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
            float cells = part(f, OWN)[RV_FAIR_FIRST + i];
            if (w->kind[n->node] == RV_NODE_WET && cells > -BARELY)
                cells = rv_greater_f(cells, LEAST);
            n->inside = cells * f->p->dx;
            rv_surface_settle(w, n);
        }
    }
}

bool rv_surface_make_fair(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    fairing f = {.p = p};
    uint32_t room = rv_list_room(w->columns);
    if (!p->in->edge || !p->in->bends) return true;
    if (!rv_surface_grow(w, (void **)&w->fair, &w->fair_room, (uint64_t)room + RV_LIST_GROUP,
                         RV_FAIR_PARTS * sizeof *w->fair))
        return false;
    begin_list(&f, w->columns);
    rv_parallel_for(w->pool, w->bands, begin_band, &f);
    for (int k = 0; k < TURNS; k++) {
        f.share = k % 2 ? BACK : THERE;
        rv_parallel_for(w->pool, (int)((room + RV_LIST_PIECE - 1) / RV_LIST_PIECE), even_piece, &f);
        f.from = !f.from;
    }
    rv_parallel_for(w->pool, w->bands, end_band, &f);
    return true;
}

float rv_surface_inside_of(const rv_surface_pass *p, uint32_t node)
{
    const rv_surface_work *w = p->w;
    if (rv_has_record(w, node)) return w->records[w->record[node]].inside;
    return p->in->bends ? FAR * p->dx : p->in->depth[node]; // no wedges without tension
}
