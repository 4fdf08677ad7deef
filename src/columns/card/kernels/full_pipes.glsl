// The pipes of a column, as ../../passages/passages.c lists them, one after the other. Needs beds, pipes,
// and with ODD odd, odd_columns.
#ifndef NO_SLOT
#define NO_SLOT 0xffffffffu
#endif

#define LAW_DOUBLE(k) packDouble2x32((k & 1) == 0 ? law.wide[k / 2].xy : law.wide[k / 2].zw)
#define LAW_PUSH LAW_DOUBLE(0)   // dt g
#define LAW_GAP_DRAG LAW_DOUBLE(1) // 12 dt ν
#define LAW_REACH LAW_DOUBLE(2)
#define LAW_AXIAL LAW_DOUBLE(3)    // shares of a push
#define LAW_DIAGONAL LAW_DOUBLE(4)
#define LAW_DX LAW_DOUBLE(5)
#define LAW_PER_DEPTH LAW_DOUBLE(6) // flux that changes a depth by 1 m
#define LAW_ALLOWED LAW_DOUBLE(7)   // what need not balance of a column of 1 m
#define LAW_FLUX_ALLOWED LAW_DOUBLE(8)
#define LAW_DRAG LAW_DOUBLE(9) // dt ν, 3 or 12 times

// A column, and what is beside it along x and y, west to north: all is asked for at once, since the way
// to it is long.
struct FullColumn {
    uint slot, pitch;
    uint odd_first, candidates; // places where it may have pipes: regular ones, then odd ones
    uvec4 code;                 // slopes; 0: there is no pipe
    uvec4 mark;
    vec4 base, top, deep; // m
    float own_base, own_top;
};

// A pipe, and what is at its other end.
struct FullPipe {
    bool there;
    uint place; // by way and slot of its low end, or with ODD_PLACE of the odd pipe
    uint other; // slot; NO_SLOT: beyond a border
    bool back;  // positive flux comes into the column
    uint way, gaps;
    float code, opening; // of its slope; m
    float beyond;        // m, the head beyond a border
    bool outward;        // through a border at low x or y
    float base, deep;    // of the other column
    uint mark;
};

#define ODD_PLACE 0x80000000u

uint plane_with(uint slot)
{
    uint p = 0u;
    for (uint k = 1u; k < law.planes; k++)
        if (law.plane[2u * k].x <= slot) p = k;
    return p;
}

#define BESIDE(array, first, c) vec4(array[(first) + (c).x], array[(first) + (c).y], array[(first) + (c).z], array[(first) + (c).w])

uvec4 beside(uint slot, uint pitch)
{
    return uvec4(slot - 1u, slot + 1u, slot - pitch, slot + pitch);
}

FullColumn full_column(uint slot)
{
    FullColumn c;
    c.slot = slot, c.pitch = law.plane[2u * plane_with(slot)].y;
    c.odd_first = 0u, c.candidates = 2u * law.ways;
    uvec4 at = beside(slot, c.pitch);
    uint own = pipes[slot], west = pipes[at.x], south = pipes[at.z];
#ifdef ODD
    uint odd_one = odd_columns[slot];
#endif
    c.base = BESIDE(beds, 0u, at), c.top = BESIDE(beds, law.slots, at), c.deep = BESIDE(depth, 0u, at);
    c.mark = uvec4(full[MARK_AT + at.x], full[MARK_AT + at.y], full[MARK_AT + at.z], full[MARK_AT + at.w]);
    c.own_base = beds[slot], c.own_top = beds[law.slots + slot];
    c.code = uvec4(west & 0xffffu, own & 0xffffu, south >> 16, own >> 16);
#ifdef ODD
    if (odd_one != 0u) {
        c.odd_first = odd_columns[law.slots + 4u * (odd_one - 1u) + 1u];
        c.candidates += odd_columns[law.slots + 4u * (odd_one - 1u) + 2u];
    }
#endif
    return c;
}

float opening_between(float top_a, float top_b, float base_a, float base_b)
{
    precise float opening = smaller(top_a, top_b) - larger(base_a, base_b);
    return opening;
}

// Along x or y.
FullPipe straight_pipe(FullColumn c, uint side)
{
    FullPipe p;
    bool low = (side & 1u) == 0u;
    p.way = side / 2u, p.back = low, p.there = c.code[side] != 0u, p.code = float(c.code[side]);
    p.other = side == 0u ? c.slot - 1u : side == 1u ? c.slot + 1u : side == 2u ? c.slot - c.pitch : c.slot + c.pitch;
    uint a = low ? p.other : c.slot;
    p.place = p.way * law.slots + a, p.gaps = 0u, p.beyond = 0.0, p.outward = false;
#ifdef EIGHT
    uint gaps = pipes[3u * law.slots + a];
    p.gaps = p.way == 0u ? gaps & 0xffffu : gaps >> 16;
#endif
    p.base = c.base[side], p.deep = c.deep[side], p.mark = c.mark[side];
    p.opening = opening_between(c.own_top, c.top[side], c.own_base, p.base);
    return p;
}

#ifdef EIGHT
FullPipe diagonal_pipe(FullColumn c, uint way, bool low)
{
    FullPipe p;
    uint step = way == 2u ? c.pitch + 1u : c.pitch - 1u, a = low ? c.slot - step : c.slot, n = law.slots;
    uint words = pipes[2u * n + a], code = way == 2u ? words & 0xffffu : words >> 16;
    p.there = code != 0u, p.place = way * n + a, p.other = low ? a : a + step, p.back = low;
    p.way = way, p.gaps = 0u, p.code = float(code), p.beyond = 0.0, p.outward = false;
    p.base = beds[p.other], p.deep = depth[p.other], p.mark = full[MARK_AT + p.other];
    p.opening = opening_between(c.own_top, beds[n + p.other], c.own_base, p.base);
    return p;
}
#endif

#ifdef ODD
uint odd_side(FullColumn c, uint e)
{
    return odd_columns[law.slots + 4u * law.columns + 2u * (c.odd_first + e - 2u * law.ways) + 1u] & 15u;
}

FullPipe odd_pipe_of(FullColumn c, uint e)
{
    FullPipe p;
    uint at = law.slots + 4u * law.columns + 2u * (c.odd_first + e);
    uint k = odd_columns[at], w = 8u * k, what = odd[w + 2u], side = (what >> 4) & 15u;
    uint a = odd[w], b = odd[w + 1u];
    bool border = b == NO_SLOT;
    p.there = true, p.place = k | ODD_PLACE, p.other = a == c.slot ? b : a;
    p.back = odd_columns[at + 1u] < 256u, p.way = what & 15u;
    p.code = float(odd[w + 3u] & 0xffffu), p.gaps = odd[w + 3u] >> 16;
    p.opening = uintBitsToFloat(odd[w + 5u]), p.beyond = uintBitsToFloat(odd[w + 6u]);
    if (border && odd[w + 7u] == BORDER_LEVEL) p.beyond = larger(law.border_level[side & 3u], p.beyond);
    p.outward = border && (side == 0u || side == 2u);
    uint other = border ? c.slot : p.other;
    p.base = beds[other], p.deep = depth[other], p.mark = border ? 0u : full[MARK_AT + other];
    return p;
}
#endif

FullPipe full_pipe(FullColumn c, uint e)
{
#ifdef ODD
    if (e >= 2u * law.ways) return odd_pipe_of(c, e - 2u * law.ways);
#endif
#ifdef EIGHT
    if (e >= 4u) return diagonal_pipe(c, e / 2u, (e & 1u) == 0u);
#endif
    return straight_pipe(c, e);
}

// rv_pipe_share.
double share_of_push(uint way, uint gaps)
{
    precise double share = LAW_AXIAL + double(gaps) * double(law.share_gap);
    return way >= 2u ? LAW_DIAGONAL : share;
}

float outside_press(uint slot)
{
#ifdef PRESSED
    return press[slot];
#else
    return 0.0;
#endif
}

// ---- Gates --------------------------------------------------------------------------------------

// What is at the end of a pipe that is not part of the passage; `inside` is the column that is.
struct Gate {
    double head; // m, at least the sill
    bool dry;    // it has nothing to give
};

// rv_gate_head, rv_gate_is_dry in ../../passages/passages.h.
Gate gate_of(FullPipe p, FullColumn c)
{
    float sill = c.own_base;
    if (p.other == NO_SLOT) return Gate(double(p.beyond), p.beyond <= sill);
    float outside = outside_press(p.other), more = outside;
    sill = p.back ? larger(p.base, sill) : larger(sill, p.base);
#ifdef TENSE
    more = press[law.slots + p.other];
#endif
    precise float level = p.base + p.deep, above = level - sill;
    precise float low = larger(level, sill) + outside, under = c.own_top + outside;
    precise float high = level + more;
    bool dry = !(above > law.film);
    return Gate(double(level > c.own_top ? larger(high, under) : low), dry);
}
