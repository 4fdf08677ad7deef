// Ends: columns beside a wall, an edge, a border or a pipe to another plane (docs/tension.md,
// Walls, edges and borders). Their neighbours lie anywhere, so which columns these may be is kept
// from when the pipes were made; what they hold is gathered for a handful of ends at a time, and
// their heads are worked out side by side (laws/tension_simd.c).
#include "columns/tension.h"

#include "columns/joints.h"
#include "columns/laws/flow.h"

// What is on a side of an end; none of these: a wall.
enum {
    BORDER = 1,  // of the grid
    FLAT = 2,    // a column, and no step
    STEEP = 4,   // a column beyond a step
    UP = 8,      // … whose bed is higher
    STEPPED = 16 // what stands over the step counts, see step_share
};

#define CORNERS 4

struct rv_end {
    uint32_t near[4]; // west, east, south, north: the columns there, or itself
    // South west, south east, north west, north east: the column there if the side along x is open,
    // that along y, or both; RV_NO_SLOT: none.
    uint32_t corner[CORNERS][3];
    uint8_t kind[4];
};

static const rv_side corner_sides[CORNERS][2] = {
    {RV_WEST, RV_SOUTH}, {RV_EAST, RV_SOUTH}, {RV_WEST, RV_NORTH}, {RV_EAST, RV_NORTH}};

// ---- Which columns ------------------------------------------------------------------------------

static uint8_t kind_of(const rv_engine *s, uint32_t slot, uint32_t other, rv_side side)
{
    const rv_grid *g = &s->columns->grid;
    const float *base = s->columns->base;
    rv_place at = rv_place_of(s->columns, slot);
    const bool border[4] = {at.x == 0, at.x == g->nx - 1, at.y == 0, at.y == g->ny - 1};
    if (other == RV_NO_SLOT) return border[side] ? BORDER : 0;
    bool steep = rv_tension_is_step(s, slot, other);
    bool stepped = steep || s->tension->end[slot] == RV_END_SLANTED;
    return (uint8_t)((steep ? STEEP : FLAT) | (stepped ? STEPPED : 0) |
                     (base[other] > base[slot] ? UP : 0));
}

// A corner is reached by way of either of the two sides next to it. Where these lead to columns one
// above the other, it is the one whose bed is nearer, whichever way: a scene may be turned.
static void link_corner(const rv_engine *s, uint32_t slot, const rv_side sides[2], rv_end *e,
                        uint32_t out[3])
{
    const float *base = s->columns->base;
    float far[2];
    for (int k = 0; k < 2; k++) {
        rv_side first = sides[k], then = sides[!k];
        bool there = e->kind[first] & (FLAT | STEEP);
        uint32_t at = there ? rv_tension_beside(s, e->near[first], then) : RV_NO_SLOT;
        if (at != RV_NO_SLOT && rv_tension_is_step(s, e->near[first], at)) at = RV_NO_SLOT;
        out[k] = at, far[k] = at == RV_NO_SLOT ? INFINITY : rv_f_abs(base[at] - base[slot]);
    }
    out[2] = far[1] < far[0] ? out[1] : out[0];
}

static void link_end(const rv_engine *s, uint32_t slot, rv_end *e)
{
    for (int side = 0; side < 4; side++) {
        uint32_t other = rv_tension_beside(s, slot, (rv_side)side);
        e->kind[side] = kind_of(s, slot, other, (rv_side)side);
        e->near[side] = other == RV_NO_SLOT ? slot : other;
    }
    for (int k = 0; k < CORNERS; k++) link_corner(s, slot, corner_sides[k], e, e->corner[k]);
}

// The place of a column among those that are kept, from 1 on; 0: there is no room, and it is linked
// whenever it is looked at.
static uint32_t place_for(rv_engine *s, uint32_t slot)
{
    rv_tension *t = s->tension;
    if (t->end_at[slot]) return t->end_at[slot];
    if (t->end_count == t->end_capacity) {
        uint32_t fresh = t->end_capacity ? 2 * t->end_capacity : 1024;
        rv_end *memory = rv_new(&s->allocator, fresh, sizeof *memory);
        if (!memory) return 0;
        for (uint32_t k = 0; k < t->end_count; k++) memory[k] = t->ends[k];
        rv_free(&s->allocator, t->ends, t->end_capacity, sizeof *t->ends);
        t->ends = memory, t->end_capacity = fresh;
    }
    return t->end_at[slot] = ++t->end_count;
}

// What is linked there reaches two cells.
#define LINKED 3

void rv_ends_link(rv_engine *s, rv_rect cells)
{
    rv_rect wide = {cells.x0 - LINKED, cells.y0 - LINKED, cells.x1 + LINKED, cells.y1 + LINKED};
    for (uint32_t r = 0; r < s->row_count; r++) {
        int from, to, x0 = s->columns->plane[s->row[r].plane].x0;
        if (!rv_row_within(s, r, wide, &from, &to)) continue;
        for (int x = from; x < to; x++) {
            uint32_t slot = s->row[r].first + (uint32_t)(x - x0), at;
            if (!s->tension->end[slot]) continue;
            at = place_for(s, slot);
            if (at) link_end(s, slot, &s->tension->ends[at - 1]);
        }
    }
}

void rv_ends_free(rv_engine *s)
{
    rv_tension *t = s->tension;
    rv_free(&s->allocator, t->ends, t->end_capacity, sizeof *t->ends);
}

size_t rv_ends_bytes(const rv_engine *s)
{
    return s->tension->end_capacity * sizeof *s->tension->ends;
}

// ---- What they hold -----------------------------------------------------------------------------

// How far the liquid below a step stands over it, 0 … 1 from none to half a cell. A slanted wall is
// steps: were they walls at one moment and open at the next, the pull would jump from one column to
// another, and the liquid beside such a wall would never rest.
static float step_share(const rv_engine *s, uint32_t a, uint32_t b)
{
    const float *base = s->columns->base;
    uint32_t low = base[a] < base[b] ? a : b, high = low == a ? b : a;
    float over = rv_level(s, low) - base[high];
    return rv_f_max(rv_f_min(over * s->tension->per_half, 1.0f), 0.0f);
}

// One side of end k of a batch. Returns the column to look at there: itself where it is closed.
static uint32_t add_side(const rv_engine *s, rv_end_batch *b, int k, uint32_t slot, const rv_end *e,
                         int side)
{
    int kind = e->kind[side];
    float over = 1.0f, step = 0.0f;
    if (kind & STEPPED) over = step_share(s, slot, e->near[side]), step = kind & UP ? 1.0f : -1.0f;
    bool open = kind & FLAT || (kind & STEEP && over > 0.0f);
    bool wall = !open && (kind == 0 || (kind & STEEP && kind & UP));
    bool limit = kind & BORDER && !rv_pipes_lets_through(s, (rv_side)side); // the grid ends there
    b->face[side][k] = open    ? RV_FACE_OPEN
                       : wall  ? RV_FACE_WALL
                       : limit ? RV_FACE_LIMIT
                               : RV_FACE_EDGE;
    b->step[side][k] = step, b->over[side][k] = over;
    b->pull[side][k] = (float)s->tension->pull[4 * (size_t)slot + (size_t)side];
    return open ? e->near[side] : slot;
}

static void put(const rv_engine *s, rv_end_batch *b, int at, int k, uint32_t slot)
{
    float depth = s->depth[slot];
    b->base[at][k] = s->columns->base[slot], b->depth[at][k] = depth;
    b->thick[at][k] = depth * s->tension->lean[slot];
}

static float mean(const float one[RV_END_BATCH], const float two[RV_END_BATCH], int k)
{
    return 0.5f * (one[k] + two[k]);
}

// Where there is no column in a corner: what the sides next to it have, or the one that is open.
static void put_corner(const rv_engine *s, rv_end_batch *b, int k, const rv_end *e, int corner,
                       uint32_t slot)
{
    static const int at[CORNERS] = {RV_AT_SW, RV_AT_SE, RV_AT_NW, RV_AT_NE};
    static const int x[CORNERS] = {RV_AT_W, RV_AT_E, RV_AT_W, RV_AT_E};
    static const int y[CORNERS] = {RV_AT_S, RV_AT_S, RV_AT_N, RV_AT_N};
    const rv_side *sides = corner_sides[corner];
    bool open_x = b->face[sides[0]][k] == RV_FACE_OPEN;
    bool open_y = b->face[sides[1]][k] == RV_FACE_OPEN;
    if (!open_x && !open_y) {
        put(s, b, at[corner], k, slot);
        return;
    }
    uint32_t there = e->corner[corner][open_x && open_y ? 2 : open_x ? 0 : 1];
    if (there != RV_NO_SLOT) {
        put(s, b, at[corner], k, there);
        return;
    }
    int one = open_x ? x[corner] : y[corner], two = open_y ? y[corner] : x[corner];
    b->base[at[corner]][k] = mean(b->base[one], b->base[two], k);
    b->depth[at[corner]][k] = mean(b->depth[one], b->depth[two], k);
    b->thick[at[corner]][k] = mean(b->thick[one], b->thick[two], k);
}

bool rv_ends_add(rv_engine *s, rv_end_batch *b, uint32_t slot)
{
    static const int places[4] = {RV_AT_W, RV_AT_E, RV_AT_S, RV_AT_N};
    const rv_tension *t = s->tension;
    const float *depth = s->depth;
    rv_end own;
    const rv_end *e = &own;
    if (t->end_at[slot])
        e = &t->ends[t->end_at[slot] - 1];
    else
        link_end(s, slot, &own);
    const uint32_t *near = e->near;
    float most = rv_f_max(rv_f_max(depth[near[0]], depth[near[1]]),
                          rv_f_max(depth[near[2]], depth[near[3]]));
    if (!(depth[slot] > 0.0f) && !(most > 0.0f)) return false;
    int k = b->count;
    bool wet = depth[slot] > 0.0f;
    for (int side = 0; side < 4; side++) {
        uint32_t other = add_side(s, b, k, slot, e, side);
        put(s, b, places[side], k, other);
        wet |= depth[other] > 0.0f;
    }
    if (!wet) return false;
    put(s, b, RV_AT_MID, k, slot);
    for (int corner = 0; corner < CORNERS; corner++) put_corner(s, b, k, e, corner, slot);
    b->lean[k] = t->lean[slot], b->full[k] = t->full[slot];
    b->cost[k] = t->wetted[slot] > 0.0f ? t->recede[slot] : t->advance[slot];
    b->slot[k] = slot;
    b->count++;
    return true;
}

void rv_ends_finish(rv_engine *s, const rv_tension_law *law, rv_end_batch *b)
{
    rv_tension *t = s->tension;
    if (b->count == 0) return;
    s->loops.tension->ends(law, b);
    for (int k = 0; k < b->count; k++) {
        uint32_t slot = b->slot[k];
        float head = s->full[slot] && b->covered[k] ? 0.0f : b->head[k];
        t->head[slot] = b->pressed[k] ? head + s->press[slot] : head;
    }
    b->count = 0;
}
