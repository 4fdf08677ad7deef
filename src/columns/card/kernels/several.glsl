// One or two substeps (TWICE) of the papers' pipes in one call, of grids so large that memory and
// instructions are what takes long, for four neighbours, without odd pipes and ceilings. A group has ACROSS columns side by side, a thread each, and goes up
// along a band of rows, so that a thread has what is south and north of it at hand. Substep k follows
// three rows behind the one before it. What is around the columns that a group keeps, two for each
// substep, it works out again.
#ifndef ACROSS
#define ACROSS 128
#endif
layout(local_size_x = ACROSS) in;
#ifdef TWICE
#define STAGES 2
#else
#define STAGES 1
#endif
#define MORE (2 * STAGES)
#define KEPT (ACROSS - 2 * MORE)
#define TIMES STAGES
#define BAND_MOST 128 // rows, as in ../several.c

#include "several_parts"

// ---- What is known of columns -------------------------------------------------------------------

// What a substep keeps of this thread's columns of the rows it has passed: the last one, the one
// before that, the one before that.
struct Known {
    Column last;
    vec2 level;      // of the last, and its depth
    float last_east; // what flows to the east before it is scaled
    Column own;      // the one that is finished next
    float west, east, north, share;
    float south, south_share;
};

// Levels and depths of rows that substeps come to; and flows to the east in the last row with shares
// in the one before. Twice, so that one is written while the other is read.
shared vec2 levels[2 * STAGES * ACROSS], found[2 * STAGES * ACROSS];

uint to_west, to_east; // threads

// ---- A substep, row by row ----------------------------------------------------------------------

Known none_known()
{
    Column c = no_column();
    return Known(c, vec2(0.0), 0.0, c, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0);
}

// Where a thread's column stands.
uint stands_at(uint turn, uint k, uint at)
{
    return (turn * uint(STAGES) + k) * uint(ACROSS) + at;
}

// What other threads look at: stage k, of the row it comes to.
void publish(uint turn, uint k, Known s, Column c)
{
    uint at = stands_at(turn, k, thread);
    levels[at] = level_of(c.bed, c.deep), found[at] = vec2(s.last_east, s.share);
}

shared int short_step; // the last in which a column was asked for more than it has

struct Found {
    vec2 level;        // of this column
    float east, north; // of it, and of the one in the last row
    float west, share; // of that one
};

// What flows, before it is scaled. `y`: the row of c.
Found flows_of(uint turn, uint k, Known s, Column c, int y)
{
    Found f;
    f.level = level_of(c.bed, c.deep);
    f.west = found[stands_at(turn, k, to_west)].x;
    f.east = flow_east(c, f.level, levels[stands_at(turn, k, to_east)], y);
    f.north = flow_north(s.last, s.level, f.level, y - 1);
    f.share = 1.0;
    return f;
}

// Of the column in the last row.
float last_wants(Known s, Found f)
{
    return want_of(s.last.deep, f.west, s.last_east, s.north, f.north);
}

// The column two rows before, after the substep. `plain`: nobody near it was asked for more than it had,
// and shares are 1.
Column finished(uint turn, uint k, inout Known s, Found f, Column c, uint salt, bool plain)
{
    float w = s.west, e = s.east, south = s.south, north = s.north;
    if (!plain) {
        w = scaled_by(w, found[stands_at(turn, k, to_west)].y, s.share);
        e = scaled_by(e, s.share, found[stands_at(turn, k, to_east)].y);
        south = scaled_by(south, s.south_share, s.share), north = scaled_by(north, s.share, f.share);
    }
    precise float change = law.dt_area * ((w - e) + (south - north));
    Column out_of =
        Column(s.own.bed, depth_salted(s.own.deep, change, salt), s.own.slopes, vec2(e, north));
    s.south = s.north, s.south_share = s.share;
    s.own = s.last, s.west = f.west, s.east = s.last_east, s.north = f.north, s.share = f.share;
    s.last = c, s.level = f.level, s.last_east = f.east;
    return out_of;
}

// ---- All of it ----------------------------------------------------------------------------------

void main()
{
    uvec3 t = thread_here();
    thread = gl_LocalInvocationID.x;
    uint p = min(t.z, 15u), group = (t.x - thread) / uint(ACROSS), plane_row = law.plane[2u * p + 1u].x;
    uvec4 plane = law.plane[2u * p];
    int west = int(group) * KEPT;
    origin = plane.x, pitch = plane.y, wide = int(plane.z), high = int(plane.w);
    x = west - MORE + int(thread), first = int(t.y * law.band.x);
    last = min(first + int(law.band.x), high), within = x >= 0 && x < wide;
    bool leads = t.x - thread + t.y + t.z == 0u;
    if (begin_status(leads)) return;
    if (west >= wide || first >= high) return;
    to_west = max(thread, 1u) - 1u, to_east = min(thread + 1u, uint(ACROSS - 1));
    if (thread == 0u) short_step = -3;
    int row = first - MORE;
    Column next = column_at(row); // the way to it is long
    uint block = uint(west) >> law.shift, end = uint(min(west + KEPT, wide) - 1) >> law.shift;
    uvec4 rows = take_blocks(plane_row);
    if (group == 0u) tell_awake(plane_row, rows.xy);
    find_works(rows.xy, rows.zw, block, (2u << (end - block)) - 1u);
    if (works == 0u) return;

    bool mine = within && x >= west && x < west + KEPT;
    uint bit = mine ? 1u << ((uint(x) >> law.shift) - block) : 0u;
    Most most = Most(0.0, 0.0), between = most;
    Known s0 = none_known();
    Column c0, out_of;
#ifdef TWICE
    Known s1 = none_known();
    Column c1 = s1.own;
#endif
    int steps = last - first + 5 * STAGES - 1;
    for (int k = 0; k < steps; k++, row++) {
        uint turn = uint(k & 1);
        c0 = next;
        publish(turn, 0u, s0, c0);
#ifdef TWICE
        publish(turn, 1u, s1, c1);
#endif
        next = column_at(row + 1);
        barrier();
        Found f0 = flows_of(turn, 0u, s0, c0, row);
        float want = last_wants(s0, f0);
#ifdef TWICE
        Found f1 = flows_of(turn, 1u, s1, c1, row - 3);
        float want1 = last_wants(s1, f1);
#else
        float want1 = 0.0;
#endif
        bool plain = k > short_step + 2;
        if (max(want, want1) > 0.0) { // rare
            f0.share = share_for(s0.last.deep, want);
#ifdef TWICE
            f1.share = share_for(s1.last.deep, want1);
#endif
            short_step = k, plain = false;
        }
        int y = row - 2;
        out_of = finished(turn, 0u, s0, f0, c0, law.salts.x, plain);
#ifdef TWICE
        Column then = out_of;
        if (mine && y >= first && y < last) note(between, then.deep);
        out_of = finished(turn, 1u, s1, f1, c1, law.salts.y, plain);
        c1 = then, y -= 3;
#endif
        if (mine && y >= first && y < last) {
            put_column(y, out_of, bit);
            note(most, out_of.deep);
        }
    }
    tell_found(most, between);
    tell_wet(plane_row, block);
}
