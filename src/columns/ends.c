// Ends: columns beside a wall, an edge, a border or a pipe to another plane (docs/tension.md,
// Walls, edges and borders). Their neighbours lie anywhere, so which columns these may be is kept
// from when the pipes were made; what they hold is gathered for a handful of ends at a time, and
// their heads are worked out side by side (laws/tension_simd.c).
#include "columns/tension.h"

#include "columns/joints.h"
#include "columns/laws/flow.h"

// What is on a side of an end; none of these: a wall.
enum {
    BORDER = 1,   // of the grid
    FLAT = 2,     // a column, and no step
    STEEP = 4,    // a column beyond a step
    UP = 8,       // … whose bed is higher
    STEPPED = 16, // what stands over the step counts, see step_share
    ROOF = 32     // a column with a lower ceiling, see roof_share
};

#define CORNERS 4

// Of a wall that slants across the grid what rises along one axis is less than a step; along its
// foot it rises hardly at all, and there its surface is open. Share of a step from which on it
// counts as one.
#define SLANTED_STEP 0.5f

struct rv_end {
    // The columns around it while the sides `open`, a bit each, are open; MEAN: a corner between
    // two sides that are. Kept, since sides seldom open or close.
    uint32_t at[RV_AROUND];
    uint8_t open, mean;
    uint8_t kind[4];
    uint32_t near[4]; // west, east, south, north: the columns there, or itself
    // South west, south east, north west, north east: the column there if the side along x is open,
    // that along y, or both; RV_NO_SLOT: none.
    uint32_t corner[CORNERS][3];
};

#define UNKNOWN 0xff // of `open`: no column around it has been looked for

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
    bool slanted = s->tension->end[slot] == RV_END_SLANTED;
    bool stepped =
        steep || (slanted && rv_f_abs(base[other] - base[slot]) > SLANTED_STEP * s->law.fall);
    return (uint8_t)((steep ? STEEP : FLAT) | (stepped ? STEPPED : 0) |
                     (base[other] > base[slot] ? UP : 0) |
                     (rv_tension_is_roof(s, slot, other) ? ROOF : 0));
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
    e->open = UNKNOWN;
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

void rv_ends_words(const rv_engine *s, uint32_t slot, uint32_t out[19])
{
    const rv_tension *t = s->tension;
    rv_end own, *e = &own;
    if (t->end_at[slot])
        e = &t->ends[t->end_at[slot] - 1];
    else
        link_end(s, slot, &own);
    out[0] = 0;
    for (int side = 0; side < 4; side++) {
        out[0] |= (uint32_t)e->kind[side] << (8 * side);
        out[1 + side] = e->near[side];
    }
    for (int k = 0; k < CORNERS; k++)
        for (int i = 0; i < 3; i++) out[5 + 3 * k + i] = e->corner[k][i];
    const int16_t *pull = t->pull + 4 * (size_t)slot;
    for (int k = 0; k < 2; k++)
        out[17 + k] = (uint16_t)pull[2 * k] | (uint32_t)(uint16_t)pull[2 * k + 1] << 16;
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

// How far liquid stays under the ceiling of the column beside it: 1 … 0 from there to half a cell
// over it.
static float roof_share(const rv_engine *s, uint32_t slot, uint32_t other)
{
    float over = rv_level(s, slot) - s->columns->max[other];
    return 1.0f - rv_f_max(rv_f_min(over * s->tension->per_half, 1.0f), 0.0f);
}

// One side of end k of a batch. Returns whether it is open.
static bool add_side(const rv_engine *s, rv_end_batch *b, int k, uint32_t slot, const rv_end *e,
                     int side)
{
    int kind = e->kind[side];
    float over = 1.0f, step = 0.0f;
    if (kind & STEPPED) over = step_share(s, slot, e->near[side]), step = kind & UP ? 1.0f : -1.0f;
    bool open = kind & FLAT || (kind & STEEP && over > 0.0f);
    float under = kind & ROOF ? roof_share(s, slot, e->near[side]) : 1.0f, face = RV_FACE_OPEN;
    if (under < 1.0f) over = under, step = 1.0f, open = under > 0.0f;
    if (kind & BORDER)
        face = RV_FACE_LIMIT;
    else if (!open)
        face = kind == 0 || kind & UP || under < 1.0f ? RV_FACE_WALL : RV_FACE_EDGE;
    b->face[side][k] = face, b->step[side][k] = step, b->over[side][k] = over;
    b->pull[side][k] = (float)s->tension->pull[4 * (size_t)slot + (size_t)side];
    return open;
}

static const int side_places[4] = {RV_AT_W, RV_AT_E, RV_AT_S, RV_AT_N};
static const int corner_places[CORNERS] = {RV_AT_SW, RV_AT_SE, RV_AT_NW, RV_AT_NE};

// Finds the columns around an end anew. What is closed is as the end itself is. Where there is no
// column in a corner: what the sides next to it have, or the one that is open.
static void look_around(rv_end *e, uint32_t slot, int open)
{
    e->open = (uint8_t)open, e->mean = 0;
    e->at[RV_AT_MID] = slot;
    for (int side = 0; side < 4; side++)
        e->at[side_places[side]] = open >> side & 1 ? e->near[side] : slot;
    for (int k = 0; k < CORNERS; k++) {
        const rv_side *sides = corner_sides[k];
        int along = open >> sides[0] & 1, across = open >> sides[1] & 1;
        uint32_t *at = &e->at[corner_places[k]];
        *at = slot;
        if (!along && !across) continue;
        *at = e->corner[k][along && across ? 2 : along ? 0 : 1];
        if (*at != RV_NO_SLOT) continue;
        *at = e->near[along ? sides[0] : sides[1]];
        if (along && across) e->mean |= (uint8_t)(1 << k);
    }
}

static void put_mean(rv_end_batch *b, int k, int corner)
{
    int at = corner_places[corner], one = side_places[corner_sides[corner][0]];
    int two = side_places[corner_sides[corner][1]];
    b->base[at][k] = 0.5f * (b->base[one][k] + b->base[two][k]);
    b->depth[at][k] = 0.5f * (b->depth[one][k] + b->depth[two][k]);
    b->thick[at][k] = 0.5f * (b->thick[one][k] + b->thick[two][k]);
}

static void put_around(const rv_engine *s, rv_end_batch *b, int k, const rv_end *e)
{
    const float *base = s->columns->base, *lean = s->tension->lean;
    for (int at = 0; at < RV_AROUND; at++) {
        uint32_t slot = e->at[at];
        float depth = s->depth[slot];
        b->base[at][k] = base[slot], b->depth[at][k] = depth;
        b->thick[at][k] = depth * lean[slot];
    }
    for (int corner = 0; e->mean && corner < CORNERS; corner++)
        if (e->mean >> corner & 1) put_mean(b, k, corner);
}

// Whether a column or one of four others holds anything.
static bool is_wet(const float *depth, uint32_t slot, uint32_t a, uint32_t b, uint32_t c,
                   uint32_t d)
{
    float most = rv_f_max(rv_f_max(depth[a], depth[b]), rv_f_max(depth[c], depth[d]));
    return rv_f_max(depth[slot], most) > 0.0f;
}

bool rv_ends_add(rv_engine *s, rv_end_batch *b, uint32_t slot)
{
    const rv_tension *t = s->tension;
    rv_end own, *e = &own;
    if (t->end_at[slot])
        e = &t->ends[t->end_at[slot] - 1];
    else
        link_end(s, slot, &own);
    if (!is_wet(s->depth, slot, e->near[0], e->near[1], e->near[2], e->near[3])) return false;
    int k = b->count, open = 0;
    for (int side = 0; side < 4; side++) open |= add_side(s, b, k, slot, e, side) << side;
    if (open != e->open) look_around(e, slot, open);
    const uint32_t *at = e->at;
    if (!is_wet(s->depth, slot, at[RV_AT_W], at[RV_AT_E], at[RV_AT_S], at[RV_AT_N])) return false;
    put_around(s, b, k, e);
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
