// Which columns the surface passes over, and which of them are linked (SPEC §1 and §4; 003 §4.1,
// §4.3).
//
// Wet columns are nodes, and so are dry ones linked to a wet one. Where a wet column faces a wall
// under an overhang, the column beyond it cannot be linked; an extra node in the wall closes the
// crack. Where it stands on an edge that overhangs, the column beyond is far below; an extra node
// over that one is the lip that a curtain hangs from.
//
// A level at the very underside counts as in the range: below the grid all is solid, so a dry bed
// at its bottom is one with the solids beside it.
#include "surface/surface.h"

#include <string.h>

#define ROWS_PER_TASK 16

typedef struct finding {
    rv_surface_work *w;
    const rv_surface_input *in;
} finding;

static bool in_grid(const rv_column_set *c, int x, int y)
{
    return x >= 0 && y >= 0 && x < c->grid.nx && y < c->grid.ny;
}

// ---- Rows that matter ---------------------------------------------------------------------------

static void forget_rows(rv_surface_work *w)
{
    for (uint32_t r = 0; r < w->rows; r++) {
        size_t first = w->row[r].first, n = (size_t)(w->row[r].x1 - w->row[r].x0);
        memset(w->kind + first, RV_NODE_NONE, n);
        memset(w->inside + first, 0, n);
        memset(w->quad + first, RV_QUAD_NONE, n);
        memset(w->bits + first, 0, n * sizeof *w->bits);
        memset(w->vertex + first, 0xff, n * sizeof *w->vertex);
        memset(w->record + first, 0xff, n * sizeof *w->record);
    }
    w->rows = 0;
}

// First wet cell and after the last, of one row of cells over all planes; marks them.
static void scan_cells(void *context, int task)
{
    finding *f = context;
    rv_surface_work *w = f->w;
    const rv_column_set *c = f->in->columns;
    int end = (task + 1) * ROWS_PER_TASK < c->grid.ny ? (task + 1) * ROWS_PER_TASK : c->grid.ny;
    float film = (float)f->in->film;
    for (int y = task * ROWS_PER_TASK; y < end; y++) {
        uint8_t *mark = w->wet_cell + (size_t)y * (size_t)c->grid.nx;
        if (w->wet_to[y] > w->wet_from[y])
            memset(mark + w->wet_from[y], 0, (size_t)(w->wet_to[y] - w->wet_from[y]));
        int from = c->grid.nx, to = 0;
        for (int l = 0; l < c->planes; l++) {
            const rv_plane *p = &c->plane[l];
            if (y < p->y0 || y >= p->y0 + p->ny) continue;
            const float *depth = f->in->depth + rv_slot(p, p->x0, y);
            int a = 0, b = p->nx;
            while (a < b && !(depth[a] > film)) a++;
            if (a == b) continue;
            while (!(depth[b - 1] > film)) b--;
            uint8_t *own = mark + p->x0;
            for (int x = a; x < b; x++) own[x] |= depth[x] > film;
            if (p->x0 + a < from) from = p->x0 + a;
            if (p->x0 + b > to) to = p->x0 + b;
        }
        w->wet_from[y] = from, w->wet_to[y] = to;
    }
}

// Cells of row y that are wet or beside a wet one.
static bool near_range(const rv_surface_work *w, const rv_grid *g, int y, int *x0, int *x1)
{
    *x0 = g->nx, *x1 = 0;
    for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < g->ny; j++) {
        if (w->wet_to[j] <= w->wet_from[j]) continue;
        if (w->wet_from[j] - 1 < *x0) *x0 = w->wet_from[j] - 1;
        if (w->wet_to[j] + 1 > *x1) *x1 = w->wet_to[j] + 1;
    }
    if (*x0 < 0) *x0 = 0;
    if (*x1 > g->nx) *x1 = g->nx;
    return *x1 > *x0;
}

static bool list_rows(rv_surface_work *w, const rv_column_set *c)
{
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            int x0, x1;
            if (!near_range(w, &c->grid, y, &x0, &x1)) continue;
            if (x0 < p->x0) x0 = p->x0;
            if (x1 > p->x0 + p->nx) x1 = p->x0 + p->nx;
            if (x1 <= x0) continue;
            if (!rv_surface_grow(w, (void **)&w->row, &w->row_room, w->rows, (uint64_t)w->rows + 1,
                                 sizeof *w->row))
                return false;
            w->row[w->rows++] = (rv_surface_row){.first = (uint32_t)rv_slot(p, x0, y),
                                                 .plane = (int16_t)l,
                                                 .y = (int16_t)y,
                                                 .x0 = x0,
                                                 .x1 = x1};
        }
    }
    return true;
}

static int row_tasks(const rv_surface_work *w)
{
    return (int)((w->rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK);
}

#define EACH_ROW(w, task, r)                                                                       \
    for (uint32_t r = (uint32_t)(task)*ROWS_PER_TASK;                                              \
         r < (w)->rows && r < ((uint32_t)(task) + 1) * ROWS_PER_TASK; r++)

static void level_rows(void *context, int task)
{
    finding *f = context;
    rv_surface_work *w = f->w;
    EACH_ROW(w, task, r)
    {
        size_t i = w->row[r].first;
        w->loops->levels(f->in->columns->base + i, f->in->depth + i, f->in->over + i,
                         w->row[r].x1 - w->row[r].x0, w->level + i, w->z + i);
    }
}

static void link_rows(void *context, int task)
{
    finding *f = context;
    rv_surface_work *w = f->w;
    const rv_column_set *c = f->in->columns;
    EACH_ROW(w, task, r)
    {
        size_t i = w->row[r].first, up = i + (size_t)c->plane[w->row[r].plane].pitch;
        w->loops->links(w->level + i, c->min + i, c->max + i, w->level + up, c->min + up,
                        c->max + up, c->base + i, f->in->depth + i, (float)f->in->film,
                        w->row[r].x1 - w->row[r].x0, w->bits + i);
    }
}

// Whether a wet column of the same plane is linked.
static bool wet_linked(const int32_t *b, ptrdiff_t pitch)
{
    int32_t own = b[0];
    return ((own & RV_BIT_E) && (b[1] & RV_BIT_WET)) ||
           ((own & RV_BIT_NE) && (b[pitch + 1] & RV_BIT_WET)) ||
           ((own & RV_BIT_N) && (b[pitch] & RV_BIT_WET)) ||
           ((own & RV_BIT_NW) && (b[pitch - 1] & RV_BIT_WET)) ||
           ((b[-1] & RV_BIT_E) && (b[-1] & RV_BIT_WET)) ||
           ((b[-pitch - 1] & RV_BIT_NE) && (b[-pitch - 1] & RV_BIT_WET)) ||
           ((b[-pitch] & RV_BIT_N) && (b[-pitch] & RV_BIT_WET)) ||
           ((b[-pitch + 1] & RV_BIT_NW) && (b[-pitch + 1] & RV_BIT_WET));
}

// ---- Links between planes -----------------------------------------------------------------------

// The column of a cell, not of plane `but`, whose range holds a height.
static bool other_plane(const rv_column_set *c, int x, int y, float h, int but, uint32_t *found)
{
    for (int l = 0; l < c->planes; l++) {
        if (!rv_plane_has(&c->plane[l], x, y)) break;
        size_t slot = rv_slot(&c->plane[l], x, y);
        if (!rv_column_exists(c, slot)) break;
        if (l == but || !(h >= c->min[slot] && h < c->max[slot])) continue;
        *found = (uint32_t)slot;
        return true;
    }
    return false;
}

static float level_at(const rv_surface_input *in, uint32_t slot)
{
    float depth = in->depth[slot];
    return in->columns->base[slot] + (depth > 0.0f ? depth : 0.0f);
}

static bool linked_across(const rv_surface_input *in, uint32_t slot, float level, int plane, int x,
                          int y, uint32_t *other)
{
    const rv_column_set *c = in->columns;
    if (!in_grid(c, x, y) || !other_plane(c, x, y, level, plane, other)) return false;
    float h = level_at(in, *other);
    return h >= c->min[slot] && h < c->max[slot];
}

static bool wet_across(const finding *f, uint32_t slot, int plane, int x, int y)
{
    const rv_column_set *c = f->in->columns;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        int ox = x + rv_step_x(d), oy = y + rv_step_y(d);
        uint32_t other;
        if (!in_grid(c, ox, oy) || !f->w->wet_cell[(size_t)oy * (size_t)c->grid.nx + (size_t)ox])
            continue;
        if (linked_across(f->in, slot, f->w->level[slot], plane, ox, oy, &other) &&
            (double)f->in->depth[other] > f->in->film)
            return true;
    }
    return false;
}

// ---- Nodes --------------------------------------------------------------------------------------

static void kind_rows(void *context, int task)
{
    finding *f = context;
    rv_surface_work *w = f->w;
    const rv_column_set *c = f->in->columns;
    EACH_ROW(w, task, r)
    {
        rv_surface_row *row = &w->row[r];
        size_t i = row->first;
        ptrdiff_t pitch = c->plane[row->plane].pitch;
        int n = row->x1 - row->x0;
        w->loops->even(w->bits + i - pitch, w->bits + i, w->bits + i + pitch, n, w->inside + i);
        row->uneven = 0;
        for (int x = 0; x < n; x++, i++) {
            int32_t b = w->bits[i];
            if (w->inside[i]) {
                w->kind[i] = RV_NODE_EVEN;
            } else if (b & RV_BIT_WET) {
                w->kind[i] = RV_NODE_WET, row->uneven++;
            } else if ((b & RV_BIT_THERE) &&
                       (wet_linked(w->bits + i, pitch) ||
                        (c->planes > 1 &&
                         wet_across(f, (uint32_t)i, row->plane, row->x0 + x, row->y)))) {
                w->kind[i] = RV_NODE_DRY, row->uneven++;
            }
        }
    }
}

static rv_node_record *add_record(rv_surface_work *w, uint32_t node, int x, int y)
{
    rv_node_record *n = &w->records[w->count];
    n->node = node, n->x = (int16_t)x, n->y = (int16_t)y, n->below = n->bottom = RV_NO_NODE;
    n->shared = n->hung = 0;
    for (int d = 0; d < RV_DIRECTIONS; d++) n->link[d] = n->end[d] = RV_NO_NODE;
    w->record[node] = w->count++;
    return n;
}

static void link_record(const finding *f, rv_node_record *n, int plane)
{
    const rv_surface_work *w = f->w;
    const rv_column_set *c = f->in->columns;
    ptrdiff_t pitch = c->plane[plane].pitch;
    const int32_t *b = w->bits + n->node;
    const bool own[RV_DIRECTIONS] = {b[0] & RV_BIT_E,      b[0] & RV_BIT_NE,
                                     b[0] & RV_BIT_N,      b[0] & RV_BIT_NW,
                                     b[-1] & RV_BIT_E,     b[-pitch - 1] & RV_BIT_NE,
                                     b[-pitch] & RV_BIT_N, b[-pitch + 1] & RV_BIT_NW};
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t other = (uint32_t)((ptrdiff_t)n->node + rv_step_x(d) + rv_step_y(d) * pitch);
        if (!own[d] &&
            (c->planes == 1 || !linked_across(f->in, n->node, w->level[n->node], plane,
                                              n->x + rv_step_x(d), n->y + rv_step_y(d), &other)))
            continue;
        if (w->kind[other] != RV_NODE_NONE) n->link[d] = other;
    }
}

static bool make_records(const finding *f)
{
    rv_surface_work *w = f->w;
    uint64_t need = 0;
    for (uint32_t r = 0; r < w->rows; r++) need += w->row[r].uneven;
    w->count = 0;
    if (!rv_surface_grow(w, (void **)&w->records, &w->room, 0, need, sizeof *w->records))
        return false;
    for (uint32_t r = 0; r < w->rows; r++) {
        const rv_surface_row *row = &w->row[r];
        uint32_t left = row->uneven;
        for (int x = row->x0; left > 0; x++) {
            uint32_t slot = row->first + (uint32_t)(x - row->x0);
            if (w->kind[slot] == RV_NODE_NONE || w->kind[slot] == RV_NODE_EVEN) continue;
            link_record(f, add_record(w, slot, x, row->y), row->plane);
            left--;
        }
    }
    w->columns = w->count;
    return true;
}

// ---- Extra nodes --------------------------------------------------------------------------------

// What a wet column without a link in a direction meets there.
static rv_node_kind beyond(const rv_surface_input *in, const rv_node_record *n, int x, int y,
                           uint32_t *below)
{
    const rv_column_set *c = in->columns;
    float level = level_at(in, n->node);
    uint32_t other;
    *below = RV_NO_NODE;
    if (!in_grid(c, x, y)) return RV_NODE_NONE;
    bool full = !(level < c->max[n->node]); // up to its ceiling: it has no surface to close
    if (!other_plane(c, x, y, level, -1, &other))
        return !full && c->max[n->node] < (float)c->grid.top ? RV_NODE_WALL : RV_NODE_NONE;
    if (c->base[other] > c->max[n->node]) return full ? RV_NODE_NONE : RV_NODE_WALL;
    if (in->curtain && level_at(in, other) < c->min[n->node]) {
        *below = other;
        return RV_NODE_LIP;
    }
    return RV_NODE_NONE;
}

static void join(rv_surface_work *w, uint32_t a, uint32_t b, int direction)
{
    w->records[a].link[direction] = w->records[b].node;
    w->records[b].link[(direction + 4) % RV_DIRECTIONS] = w->records[a].node;
}

// Direction from one cell to a neighbouring one; -1: it is none.
static int direction_to(int dx, int dy)
{
    static const int8_t of[3][3] = {{RV_SW, RV_S, RV_SE}, {RV_W, -1, RV_E}, {RV_NW, RV_N, RV_NE}};
    if (dx < -1 || dx > 1 || dy < -1 || dy > 1) return -1;
    return of[dy + 1][dx + 1];
}

// Nodes linked to `from` that lie beside the extra node and have no link there yet belong to it
// too: one node serves a whole stretch of shore around its cell.
static void spread_extra(rv_surface_work *w, uint32_t extra, uint32_t from, int depth)
{
    for (int d = 0; d < RV_DIRECTIONS && depth < RV_DIRECTIONS; d++) {
        uint32_t node = w->records[from].link[d];
        if (node == RV_NO_NODE || w->kind[node] != RV_NODE_WET) continue;
        uint32_t other = w->record[node];
        const rv_node_record *e = &w->records[extra], *o = &w->records[other];
        int to = direction_to(e->x - o->x, e->y - o->y);
        if (to < 0 || o->link[to] != RV_NO_NODE) continue;
        if (e->link[(to + 4) % RV_DIRECTIONS] != RV_NO_NODE) continue;
        join(w, other, extra, to);
        spread_extra(w, extra, other, depth + 1);
    }
}

static bool add_extra(const finding *f, uint32_t from, int direction, rv_node_kind kind,
                      uint32_t below)
{
    rv_surface_work *w = f->w;
    uint32_t extra = w->count;
    size_t node = w->slots + (extra - w->columns);
    if (!rv_surface_grow(w, (void **)&w->records, &w->room, w->count, (uint64_t)w->count + 1,
                         sizeof *w->records) ||
        !rv_surface_grow_nodes(w, node + 1))
        return false;
    const rv_node_record *n = &w->records[from];
    rv_node_record *e =
        add_record(w, (uint32_t)node, n->x + rv_step_x(direction), n->y + rv_step_y(direction));
    e->below = below;
    w->kind[node] = (uint8_t)kind, w->vertex[node] = RV_NO_NODE;
    join(w, from, extra, direction);
    spread_extra(w, extra, from, 0);
    return true;
}

static bool add_extras(const finding *f)
{
    rv_surface_work *w = f->w;
    for (uint32_t i = 0; i < w->columns; i++) {
        if (w->kind[w->records[i].node] != RV_NODE_WET) continue;
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            const rv_node_record *n = &w->records[i];
            uint32_t below;
            if (n->link[d] != RV_NO_NODE) continue;
            rv_node_kind kind = beyond(f->in, n, n->x + rv_step_x(d), n->y + rv_step_y(d), &below);
            if (kind != RV_NODE_NONE && !add_extra(f, i, d, kind, below)) return false;
        }
    }
    return true;
}

// Extra nodes of neighbouring cells are linked when they belong to the same shore: they share a wet
// node.
static void link_extras(rv_surface_work *w)
{
    for (uint32_t i = w->columns; i < w->count; i++) {
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            uint32_t member = w->records[i].link[d];
            if (member == RV_NO_NODE || member >= w->slots) continue;
            const rv_node_record *m = &w->records[w->record[member]];
            for (int k = 0; k < RV_DIRECTIONS; k++) {
                uint32_t other = m->link[k];
                if (other == RV_NO_NODE || other < w->slots || w->record[other] <= i) continue;
                const rv_node_record *a = &w->records[i], *b = &w->records[w->record[other]];
                int to = direction_to(b->x - a->x, b->y - a->y);
                if (to < 0 || a->link[to] != RV_NO_NODE) continue;
                if (b->link[(to + 4) % RV_DIRECTIONS] != RV_NO_NODE) continue;
                join(w, i, w->record[other], to);
            }
        }
    }
}

bool rv_surface_find(rv_surface_work *w, const rv_surface_input *in)
{
    finding f = {w, in};
    const rv_column_set *c = in->columns;
    forget_rows(w);
    rv_parallel_for(in->pool, (c->grid.ny + ROWS_PER_TASK - 1) / ROWS_PER_TASK, scan_cells, &f);
    if (!list_rows(w, c)) return false;
    rv_parallel_for(in->pool, row_tasks(w), level_rows, &f);
    rv_parallel_for(in->pool, row_tasks(w), link_rows, &f);
    rv_parallel_for(in->pool, row_tasks(w), kind_rows, &f);
    if (!make_records(&f) || !add_extras(&f)) return false;
    link_extras(w);
    return true;
}
