// Extra nodes, which close the surface where columns end it (docs/surface.md; pipes paper §4.3).
//
// Where a wet column faces a wall under an overhang, the column beyond it cannot be linked; an
// extra node in the wall closes the crack. Where it stands on an edge that overhangs, the column
// beyond is far below; an extra node over that one is the lip that a curtain hangs from.
#include "surface/links.h"

static void join(rv_surface_work *w, uint32_t a, uint32_t b, int direction)
{
    w->records[a].link[direction] = w->records[b].node;
    w->records[b].link[rv_opposite(direction)] = w->records[a].node;
}

// Joins a wet column and an extra node.
static void join_extra(rv_surface_work *w, uint32_t column, uint32_t extra, int direction)
{
    join(w, column, extra, direction);
    w->records[extra].wet |= (uint8_t)(1u << rv_opposite(direction));
    w->odd[w->records[column].node] = 1;
}

// Of the cells around one, those beside the cell in a direction from it: where they are, and the
// direction from there to that cell.
typedef struct beside {
    int8_t at, to;
} beside;

static const struct {
    int count;
    beside cell[4];
} around[RV_DIRECTIONS] = {
    {4, {{RV_NE, RV_S}, {RV_N, RV_SE}, {RV_S, RV_NE}, {RV_SE, RV_N}}},
    {2, {{RV_E, RV_N}, {RV_N, RV_E}}},
    {4, {{RV_E, RV_NW}, {RV_NE, RV_W}, {RV_NW, RV_E}, {RV_W, RV_NE}}},
    {2, {{RV_N, RV_W}, {RV_W, RV_N}}},
    {4, {{RV_N, RV_SW}, {RV_NW, RV_S}, {RV_SW, RV_N}, {RV_S, RV_NW}}},
    {2, {{RV_W, RV_S}, {RV_S, RV_W}}},
    {4, {{RV_E, RV_SW}, {RV_W, RV_SE}, {RV_SW, RV_E}, {RV_SE, RV_W}}},
    {2, {{RV_E, RV_S}, {RV_S, RV_E}}},
};

// Nodes linked to `from` that lie beside the extra node, which is in a direction from it, and have
// no link there yet belong to it too: one node serves a whole stretch of shore around its cell.
static void spread_extra(rv_surface_work *w, uint32_t extra, uint32_t from, int direction,
                         int depth)
{
    for (int k = 0; k < around[direction].count && depth < RV_DIRECTIONS; k++) {
        int to = around[direction].cell[k].to;
        uint32_t node = w->records[from].link[around[direction].cell[k].at];
        if (node == RV_NO_NODE || w->kind[node] != RV_NODE_WET) continue;
        uint32_t other = w->record[node];
        if (w->records[other].link[to] != RV_NO_NODE) continue;
        if (w->records[extra].link[rv_opposite(to)] != RV_NO_NODE) continue;
        join_extra(w, other, extra, to);
        spread_extra(w, extra, other, to, depth + 1);
    }
}

// A column under a ceiling a little lower than the level here is not linked, full or not, and yet
// the sheet goes on to it from the columns beside both: with an extra node in its cell a corner
// would stay open, a tooth through which the solid shows. It is joined as it is, before there are
// any extra nodes: so what is joined does not depend on which cell comes first.
#define LOWER 1.0f // cells
#define STEP 0.25f // cells that levels under one ceiling may differ by

static void join_full(const rv_surface_pass *p, rv_surface_band *band, uint32_t from, int direction)
{
    rv_surface_work *w = p->w;
    rv_node_record *n = &w->records[from];
    (void)band;
    if (n->lip >> direction & 1) return;
    for (int k = 0; k < around[direction].count; k++) {
        uint32_t both = n->link[around[direction].cell[k].at];
        if (both == RV_NO_NODE || both >= w->slots) continue;
        if (!rv_levels_linked(p->in->columns, n->node, (double)w->level[n->node], both,
                              (double)w->level[both]))
            continue; // it was joined itself: now or later
        uint32_t full = rv_linked(w, p->in->columns, both, around[direction].cell[k].to);
        if (full == RV_NO_NODE || full >= w->slots || w->kind[full] != RV_NODE_WET) continue;
        rv_node_record *f = &w->records[w->record[full]];
        if (f->link[rv_opposite(direction)] != RV_NO_NODE) continue;
        float over = w->level[n->node] - p->in->columns->max[full];
        if (!rv_level_within(p->in->columns, n->node, (double)w->level[full])) continue;
        if (!(over < LOWER * p->dx)) continue;
        join(w, from, w->record[full], direction);
        n->wet |= (uint8_t)(1u << direction), f->wet |= (uint8_t)(1u << rv_opposite(direction));
        w->odd[n->node] = w->odd[full] = 1;
        return;
    }
}

// A full column is linked to none under the same ceiling, full or not, and the sheet that goes on
// to both from a column beside them would have a tooth between them. They are joined where such a
// column is there, which is not full itself: it has links to both, or was joined to them.
static bool is_full(const rv_surface_pass *p, uint32_t node)
{
    return node < p->w->slots && p->w->kind[node] == RV_NODE_WET &&
           !(p->w->level[node] < p->in->columns->max[node]);
}

// Under one ceiling: no step between them would be drawn over what stands there.
static bool same_ceiling(const rv_surface_pass *p, uint32_t a, uint32_t b)
{
    const rv_column_set *c = p->in->columns;
    float low = c->base[a] > c->base[b] ? c->base[a] : c->base[b];
    float high = c->max[a] < c->max[b] ? c->max[a] : c->max[b];
    float step = p->w->level[a] - p->w->level[b], most = STEP * p->dx;
    return low < high && step < most && -step < most;
}

// The column in a direction that one may be joined to so, one of them full.
static uint32_t full_beside(const rv_surface_pass *p, const rv_node_record *n, int direction)
{
    const rv_surface_work *w = p->w;
    for (int k = 0; k < around[direction].count; k++) {
        uint32_t both = n->link[around[direction].cell[k].at];
        if (both == RV_NO_NODE || !rv_is_wet_node(w->kind[both]) || is_full(p, both)) continue;
        uint32_t full = rv_linked(w, p->in->columns, both, around[direction].cell[k].to);
        if (full == RV_NO_NODE || full >= w->slots || w->kind[full] != RV_NODE_WET) continue;
        if (!is_full(p, full) && !is_full(p, n->node)) continue;
        if (same_ceiling(p, n->node, full)) return full;
    }
    return RV_NO_NODE;
}

// In which directions a column is joined so, all found before any is joined. Until then the list of
// its ends, of which there are none yet, holds with whom.
static void find_full(const rv_surface_pass *p, uint32_t i)
{
    const rv_surface_work *w = p->w;
    rv_node_record *n = &w->records[i];
    for (int d = 0; d < RV_DIRECTIONS && is_full(p, n->node); d++) {
        uint32_t full = n->link[d] == RV_NO_NODE ? full_beside(p, n, d) : RV_NO_NODE;
        if (full == RV_NO_NODE) continue;
        const rv_node_record *f = &w->records[w->record[full]];
        int back = rv_opposite(d);
        if (f->link[back] != RV_NO_NODE || full_beside(p, f, back) != n->node) continue;
        n->shared |= (uint8_t)(1u << d), w->ends[i].end[d] = full;
    }
}

static void join_to_full(const rv_surface_pass *p, uint32_t from)
{
    rv_surface_work *w = p->w;
    rv_node_record *n = &w->records[from];
    for (; n->shared; n->shared &= (uint8_t)(n->shared - 1)) {
        int d = __builtin_ctz(n->shared);
        uint32_t *asked = &w->ends[from].end[d], full = *asked;
        *asked = RV_NO_NODE;
        join(w, from, w->record[full], d);
        n->wet |= (uint8_t)(1u << d);
        w->records[w->record[full]].wet |= (uint8_t)(1u << rv_opposite(d));
        w->odd[n->node] = w->odd[full] = 1;
    }
}

// Of the nodes that need it, the first says what it is: the lowest slot, whatever their order here.
static void settle_extra(const rv_surface_pass *p, rv_surface_band *band, rv_node_record *e)
{
    const rv_surface_work *w = p->w;
    const rv_node_record *first = NULL;
    int direction = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        if (e->link[d] == RV_NO_NODE) continue;
        const rv_node_record *n = &w->records[w->record[e->link[d]]];
        if (!(n->want >> rv_opposite(d) & 1) || (first && first->node < n->node)) continue;
        first = n, direction = rv_opposite(d);
    }
    bool lip = first->lip >> direction & 1;
    w->kind[e->node] = lip ? RV_NODE_LIP : RV_NODE_WALL;
    if (!lip) return;
    e->below = rv_column_below(p, first, direction);
    const rv_surface_input *in = p->in;
    if (in->drip && in->drip[first->node] > 0 && !in->sheet[in->drip[first->node] - 1])
        e->apron = in->columns->min[first->node];
    else
        band->falls++;
    band->lips++;
}

static void add_extra(const rv_surface_pass *p, rv_surface_band *band, uint32_t from, int direction)
{
    rv_surface_work *w = p->w;
    const rv_node_record *n = &w->records[from];
    uint32_t number = band->extra + band->extra_count++, extra = w->columns + number;
    rv_node_record *e = rv_begin_record(w, extra, (uint32_t)w->slots + number,
                                        n->x + rv_step_x(direction), n->y + rv_step_y(direction));
    memset(e->link, 0xff, sizeof e->link); // RV_NO_NODE
    w->vertex[e->node] = RV_NO_NODE;
    e->wet = 0;
    join_extra(w, from, extra, direction);
    spread_extra(w, extra, from, direction, 0);
    settle_extra(p, band, e);
}

typedef void on_want(const rv_surface_pass *p, rv_surface_band *band, uint32_t from, int direction);

// Calls for each direction in which a column of a band wants a node and has none.
static void each_want(const rv_surface_pass *p, rv_surface_band *band, on_want *does)
{
    const rv_surface_work *w = p->w;
    if (band->extra_room == 0) return;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            for (uint32_t i = row->records; i < row->records + row->uneven; i++)
                for (int d = 0; w->records[i].want >> d; d++)
                    if ((w->records[i].want >> d & 1) && w->records[i].link[d] == RV_NO_NODE)
                        does(p, band, i, d);
        }
    }
}

static void full_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    each_want(p, rv_band_of(p, task), join_full);
}

static void find_full_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_work *w = p->w;
    const rv_surface_band *band = rv_band_of(p, task);
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++)
        for (uint32_t i = row->records; i < row->records + row->uneven; i++) find_full(p, i);
}

static void to_full_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_work *w = p->w;
    const rv_surface_band *band = rv_band_of(p, task);
    const rv_surface_row *first = rv_row_of(w, band->y0, 0), *last = rv_row_of(w, band->y1, 0);
    for (const rv_surface_row *row = first; row < last; row++)
        for (uint32_t i = row->records; i < row->records + row->uneven; i++) join_to_full(p, i);
}

static void add_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    each_want(p, rv_band_of(p, task), add_extra);
}

// Extra nodes of neighbouring cells are linked when they belong to the same shore: they share a wet
// node.
// First each asks for one in each direction; then those are linked that ask for each other. Until
// then the list of its ends, of which an extra node has none, holds whom it asks.
static void ask_around(rv_surface_work *w, uint32_t i)
{
    uint32_t *asks = w->ends[i].end;
    memset(asks, 0xff, sizeof w->ends[i].end); // RV_NO_NODE
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t member = w->records[i].link[d];
        if (member == RV_NO_NODE || member >= w->slots) continue;
        const rv_node_record *m = &w->records[w->record[member]];
        int here = rv_opposite(d);
        for (int k = 0; k < around[here].count; k++) {
            uint32_t other = m->link[around[here].cell[k].at];
            if (other == RV_NO_NODE || other < w->slots || w->record[other] == i) continue;
            int to = rv_opposite(around[here].cell[k].to);
            if (w->records[i].link[to] != RV_NO_NODE || asks[to] != RV_NO_NODE) continue;
            asks[to] = other;
        }
    }
}

static void link_extra(rv_surface_work *w, uint32_t i)
{
    for (int to = 0; to < RV_DIRECTIONS; to++) {
        uint32_t other = w->ends[i].end[to];
        if (other == RV_NO_NODE) continue;
        if (w->ends[w->record[other]].end[rv_opposite(to)] == w->records[i].node)
            w->records[i].link[to] = other;
    }
}

static void ask_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    for (uint32_t i = 0; i < band->extra_count; i++)
        ask_around(p->w, p->w->columns + band->extra + i);
}

static void join_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    rv_surface_work *w = p->w;
    const rv_surface_band *band = rv_band_of(p, task);
    for (uint32_t i = 0; i < band->extra_count; i++) {
        uint32_t extra = w->columns + band->extra + i;
        link_extra(w, extra);
        rv_surface_shape_extra(p, &w->records[extra]);
    }
}

bool rv_surface_extend(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    uint64_t need = 0;
    for (int b = 0; b < w->bands; b++) {
        w->band[b].extra = (uint32_t)need;
        need += w->band[b].extra_room;
    }
    w->extras = (uint32_t)need;
    if (w->columns + need >= UINT32_MAX / RV_DIRECTIONS - 2) return false;
    if (need > 0 && (!rv_surface_grow_records(w, w->columns + need, w->columns) ||
                     !rv_surface_grow_nodes(w, w->slots + need)))
        return false;
    if (need > 0) rv_surface_each_second_band(p, full_band);
    if (w->planes > 1) {
        rv_surface_each_band(p, find_full_band);
        rv_surface_each_second_band(p, to_full_band);
    }
    if (need == 0) return true;
    rv_surface_each_second_band(p, add_band);
    rv_surface_each_band(p, ask_band);
    rv_surface_each_band(p, join_band);
    return true;
}
