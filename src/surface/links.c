// Which columns the surface passes over, and which of them are linked (SPEC §1 and §4; 003 §4.1,
// §4.3).
//
// Wet columns are nodes, and so are dry ones linked to a wet one. Where a wet column faces a wall
// under an overhang, the column beyond it cannot be linked; an extra node in the wall closes the
// crack. Where it stands on an edge that overhangs, the column beyond is far below; an extra node
// over that one is the lip that a curtain hangs from.
#include "surface/surface.h"

#include <math.h>

static float level_of(const rv_surface_input *in, size_t slot)
{
    float depth = in->depth[slot];
    return in->columns->base[slot] + (depth > 0.0f ? depth : 0.0f);
}

static bool is_wet(const rv_surface_input *in, size_t slot)
{
    return (double)in->depth[slot] > in->film;
}

// The column of a cell whose range holds a height; false: none.
static bool column_at_height(const rv_column_set *c, int x, int y, float h, int guess,
                             size_t *found)
{
    for (int k = 0; k < c->planes; k++) {
        int l = k == 0 ? guess : k <= guess ? k - 1 : k; // the same plane is likely
        if (!rv_plane_has(&c->plane[l], x, y)) continue;
        size_t slot = rv_slot(&c->plane[l], x, y);
        if (!rv_column_exists(c, slot) || !(h > c->min[slot] && h < c->max[slot])) continue;
        *found = slot;
        return true;
    }
    return false;
}

static bool in_grid(const rv_column_set *c, int x, int y)
{
    return x >= 0 && y >= 0 && x < c->grid.nx && y < c->grid.ny;
}

// ---- Columns ------------------------------------------------------------------------------------

static uint32_t add_node(rv_surface_work *w, rv_node_kind kind, uint32_t slot, int x, int y)
{
    if (!rv_surface_grow(w, (void **)&w->node, &w->room, w->count, (uint64_t)w->count + 1,
                         sizeof *w->node))
        return RV_NO_NODE;
    rv_node_data *n = &w->node[w->count];
    *n = (rv_node_data){.slot = slot, .x = (int16_t)x, .y = (int16_t)y, .kind = (uint8_t)kind};
    for (int d = 0; d < RV_DIRECTIONS; d++) n->link[d] = RV_NO_NODE;
    for (int d = 0; d < 4; d++) n->on_edge[d] = RV_NO_NODE;
    n->vertex = n->bottom = RV_NO_NODE;
    return w->count++;
}

// Whether column `slot` is linked to the one of cell (x, y) in whose range its level is.
static bool linked_column(const rv_surface_input *in, size_t slot, float level, int plane, int x,
                          int y, size_t *other)
{
    const rv_column_set *c = in->columns;
    if (!column_at_height(c, x, y, level, plane, other)) return false;
    float h = level_of(in, *other);
    return h > c->min[slot] && h < c->max[slot];
}

static bool near_wet(const rv_surface_input *in, size_t slot, int plane, int x, int y)
{
    const rv_column_set *c = in->columns;
    float level = level_of(in, slot);
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        int ox = x + rv_step_x(d), oy = y + rv_step_y(d);
        size_t other;
        if (in_grid(c, ox, oy) && linked_column(in, slot, level, plane, ox, oy, &other) &&
            is_wet(in, other))
            return true;
    }
    return false;
}

// A byte per cell: some column of it is wet.
static void mark_wet_cells(const rv_surface_input *in, uint8_t *wet)
{
    const rv_column_set *c = in->columns;
    size_t cells = (size_t)c->grid.nx * (size_t)c->grid.ny;
    for (size_t i = 0; i < cells; i++) wet[i] = 0;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            const float *depth = in->depth + rv_slot(p, p->x0, y);
            uint8_t *row = wet + (size_t)y * (size_t)c->grid.nx + (size_t)p->x0;
            float film = (float)in->film;
            for (int x = 0; x < p->nx; x++) row[x] |= depth[x] > film;
        }
    }
}

static bool wet_around(const rv_column_set *c, const uint8_t *wet, int x, int y)
{
    int x0 = x > 0 ? x - 1 : 0, x1 = x + 1 < c->grid.nx ? x + 1 : x;
    int y0 = y > 0 ? y - 1 : 0, y1 = y + 1 < c->grid.ny ? y + 1 : y;
    for (int j = y0; j <= y1; j++)
        for (int i = x0; i <= x1; i++)
            if (wet[(size_t)j * (size_t)c->grid.nx + (size_t)i]) return true;
    return false;
}

static bool find_columns(rv_surface_work *w, const rv_surface_input *in)
{
    const rv_column_set *c = in->columns;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *p = &c->plane[l];
        for (int y = p->y0; y < p->y0 + p->ny; y++) {
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t slot = rv_slot(p, x, y);
                w->active[slot] = RV_NO_NODE;
                if (!rv_column_exists(c, slot)) continue;
                bool wet = is_wet(in, slot);
                if (!wet && (!wet_around(c, w->wet_cell, x, y) || !near_wet(in, slot, l, x, y)))
                    continue;
                uint32_t node = add_node(w, wet ? RV_NODE_WET : RV_NODE_DRY, (uint32_t)slot, x, y);
                if (node == RV_NO_NODE) return false;
                w->active[slot] = node;
            }
        }
    }
    w->columns = w->count;
    return true;
}

// ---- Links --------------------------------------------------------------------------------------

static int plane_index(const rv_column_set *c, uint32_t slot)
{
    int l = c->planes - 1;
    while (l > 0 && slot < c->plane[l].offset) l--;
    return l;
}

static void link_column(rv_surface_work *w, const rv_surface_input *in, uint32_t number)
{
    rv_node_data *n = &w->node[number];
    int plane = plane_index(in->columns, n->slot);
    float level = level_of(in, n->slot);
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        int x = n->x + rv_step_x(d), y = n->y + rv_step_y(d);
        size_t other;
        if (in_grid(in->columns, x, y) && linked_column(in, n->slot, level, plane, x, y, &other))
            n->link[d] = w->active[other];
    }
}

// ---- Extra nodes --------------------------------------------------------------------------------

// What a wet column without a link in a direction meets there.
static rv_node_kind beyond(const rv_surface_input *in, const rv_node_data *n, int x, int y,
                           uint32_t *below)
{
    const rv_column_set *c = in->columns;
    float level = level_of(in, n->slot);
    size_t other;
    *below = RV_NO_NODE;
    if (!in_grid(c, x, y)) return RV_NODE_NONE;
    if (!column_at_height(c, x, y, level, plane_index(c, n->slot), &other))
        return c->max[n->slot] < (float)c->grid.top ? RV_NODE_WALL : RV_NODE_NONE;
    if (c->base[other] > c->max[n->slot]) return RV_NODE_WALL;
    if (level_of(in, other) <= c->min[n->slot]) {
        *below = (uint32_t)other;
        return in->curtain ? RV_NODE_LIP : RV_NODE_NONE;
    }
    return RV_NODE_NONE;
}

static void join(rv_surface_work *w, uint32_t a, uint32_t b, int direction)
{
    w->node[a].link[direction] = b;
    w->node[b].link[(direction + 4) % RV_DIRECTIONS] = a;
}

// Direction from one cell to a neighbouring one; -1: it is none.
static int direction_to(int dx, int dy)
{
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (rv_step_x(d) == dx && rv_step_y(d) == dy) return d;
    return -1;
}

// Nodes linked to `from` that lie beside the extra node and have no link there yet belong to it
// too: one node serves a whole stretch of shore around its cell.
static void spread_extra(rv_surface_work *w, uint32_t extra, uint32_t from, int depth)
{
    if (depth > 8) return;
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        uint32_t other = w->node[from].link[d];
        if (other == RV_NO_NODE || other >= w->columns) continue;
        const rv_node_data *e = &w->node[extra], *o = &w->node[other];
        int to = direction_to(e->x - o->x, e->y - o->y);
        if (to < 0 || o->kind != RV_NODE_WET || o->link[to] != RV_NO_NODE) continue;
        if (e->link[(to + 4) % RV_DIRECTIONS] != RV_NO_NODE) continue;
        join(w, other, extra, to);
        spread_extra(w, extra, other, depth + 1);
    }
}

static bool add_extras(rv_surface_work *w, const rv_surface_input *in)
{
    for (uint32_t i = 0; i < w->columns; i++) {
        if (w->node[i].kind != RV_NODE_WET) continue;
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            if (w->node[i].link[d] != RV_NO_NODE) continue;
            int x = w->node[i].x + rv_step_x(d), y = w->node[i].y + rv_step_y(d);
            uint32_t below;
            rv_node_kind kind = beyond(in, &w->node[i], x, y, &below);
            if (kind == RV_NODE_NONE) continue;
            uint32_t extra = add_node(w, kind, below, x, y);
            if (extra == RV_NO_NODE) return false;
            join(w, i, extra, d);
            spread_extra(w, extra, i, 0);
        }
    }
    return true;
}

// Extra nodes of neighbouring cells are linked when they belong to the same shore: they share a wet
// node, or have linked ones.
static void link_extras(rv_surface_work *w)
{
    for (uint32_t i = w->columns; i < w->count; i++) {
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            uint32_t member = w->node[i].link[d];
            if (member == RV_NO_NODE || member >= w->columns) continue;
            for (int k = 0; k < RV_DIRECTIONS; k++) {
                uint32_t other = w->node[member].link[k];
                if (other == RV_NO_NODE || other <= i || other < w->columns) continue;
                int to =
                    direction_to(w->node[other].x - w->node[i].x, w->node[other].y - w->node[i].y);
                if (to < 0 || w->node[i].link[to] != RV_NO_NODE) continue;
                if (w->node[other].link[(to + 4) % RV_DIRECTIONS] != RV_NO_NODE) continue;
                join(w, i, other, to);
            }
        }
    }
}

bool rv_surface_find(rv_surface_work *w, const rv_surface_input *in)
{
    w->count = w->columns = 0;
    mark_wet_cells(in, w->wet_cell);
    if (!find_columns(w, in)) return false;
    for (uint32_t i = 0; i < w->columns; i++) link_column(w, in, i);
    if (!add_extras(w, in)) return false;
    link_extras(w);
    return true;
}
