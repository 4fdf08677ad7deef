// One, two or four substeps of the papers' pipes in one call (TWICE, FOURFOLD), for four neighbours,
// without odd pipes and ceilings. A group has ACROSS columns side by side, a thread each, and goes up
// along a band of rows, so that a thread has what is south and north of it at hand. Substep k follows
// three rows behind the one before it. What is around the columns that a group keeps, two for each
// substep, it works out again.
//
// Blocks sleep by what was wet when the call began: whatever is more than a row for each substep away
// from that stays as it is, so that it makes no other bits to work it out or not.
#ifndef ACROSS
#define ACROSS 128
#endif
layout(local_size_x = ACROSS) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
READS(AT_PIPES, Pipes, uint, pipes);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef PRESSED
READS(AT_PRESS, Press, float, press);
#endif
#define WAKES
#include "halted"
#include "rows"
#include "sums"
#include "cell_pipe"

#if defined(FOURFOLD)
#define STAGES 4
#elif defined(TWICE)
#define STAGES 2
#else
#define STAGES 1
#endif
#define MORE (2 * STAGES)
#define KEPT (ACROSS - 2 * MORE)
#define BAND_MOST 64 // rows, as in ../step.c
#define AHEAD 4      // rows that are asked for together: the way to them is long

// ---- What is known of columns -------------------------------------------------------------------

// A column of a row, before a substep or after it.
struct Column {
    float bed, deep;
    uint slopes;
    vec2 flow; // to the east, to the north
};

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
shared uint kept[AHEAD * 5 * ACROSS]; // rows that were asked for, each thread its own
shared uint wet_rows[BAND_MOST], stop_rows[BAND_MOST]; // blocks of the group's rows, a bit each
shared uint works, most_here, between_here, broken_here;

int x, first, last, wide, high; // column; rows of the band, columns and rows of the plane
uint pitch, origin, thread;
bool within; // the column is one of the plane

// ---- Rows ---------------------------------------------------------------------------------------

uint slot_of(int y)
{
    return origin + uint(y) * pitch + uint(x);
}

Column column_at(int y)
{
    Column c = Column(0.0, 0.0, 0u, vec2(0.0));
    if (y >= 0 && y < min(high, last + MORE) && x >= 0 && x <= wide) {
        uint i = slot_of(y);
        c = Column(beds[i], depth[i], pipes[i], vec2(flux[i], flux[law.slots + i]));
    }
    return c;
}

void keep(uint k, Column c)
{
    uint at = k * 5u * uint(ACROSS) + thread, step = uint(ACROSS);
    kept[at] = floatBitsToUint(c.bed), kept[at + step] = floatBitsToUint(c.deep);
    kept[at + 2u * step] = c.slopes;
    kept[at + 3u * step] = floatBitsToUint(c.flow.x), kept[at + 4u * step] = floatBitsToUint(c.flow.y);
}

Column kept_at(uint k)
{
    uint at = k * 5u * uint(ACROSS) + thread, step = uint(ACROSS);
    return Column(uintBitsToFloat(kept[at]), uintBitsToFloat(kept[at + step]), kept[at + 2u * step],
                  vec2(uintBitsToFloat(kept[at + 3u * step]), uintBitsToFloat(kept[at + 4u * step])));
}

// ---- A substep, row by row ----------------------------------------------------------------------

Known none_known()
{
    Column c = Column(0.0, 0.0, 0u, vec2(0.0));
    return Known(c, vec2(0.0), 0.0, c, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0);
}

// What other threads look at: stage k, of the row it comes to.
void publish(uint turn, uint k, Known s, Column c)
{
    uint at = (turn * uint(STAGES) + k) * uint(ACROSS) + thread;
    levels[at] = level_of(c.bed, c.deep), found[at] = vec2(s.last_east, s.share);
}

struct Found {
    vec2 level;        // of this column
    float east, north; // of it, and of the one in the last row
    float west;        // of that one
    float west_share, east_share; // beside the one before that
    float share;
};

// What flows, before it is scaled. `y`: the row of c.
Found flows_of(uint turn, uint k, Known s, Column c, int y)
{
    uint row = (turn * uint(STAGES) + k) * uint(ACROSS);
    uint beside = row + min(thread + 1u, uint(ACROSS - 1)), before = row + max(thread, 1u) - 1u;
    Found f;
    f.level = level_of(c.bed, c.deep);
    vec2 west = found[before];
    f.west = west.x, f.west_share = west.y, f.east_share = found[beside].y;
    uint i = slot_of(y), j = i - pitch;
#ifdef PRESSED
    if (!within || y < 0 || y >= high) i = 0u; // none that is looked at
    if (!within || y < 1 || y > high) j = 0u;
    uint i_east = i + 1u, j_north = y < high ? j + pitch : j;
#else
    uint i_east = 0u, j_north = 0u;
#endif
    float east = pipe_down(i, i_east, f.level, levels[beside], float(c.slopes & 0xffffu), 0.0,
                           law.share, law.slant_x, c.flow.x);
    float north = pipe_down(j, j_north, s.level, f.level, float(s.last.slopes >> 16), 0.0, law.share,
                            law.slant_y, s.last.flow.y);
    f.east = within && y >= 0 && y < high ? east : 0.0;
    // the pipe of the top row is none
    f.north = !within || y < 1 || y > high ? 0.0 : y == high ? s.last.flow.y : north;
    f.share = 1.0;
    return f;
}

// What the column in the last row is asked for more than it has, else 0.
float want_of(Known s, Found f, int y)
{
    float ask = asked_of(f.west, s.last_east, s.north, f.north);
    return within && y >= 1 && y <= high && ask > to_give(s.last.deep) ? ask : 0.0;
}

float share_for(Known s, float want)
{
    return want > 0.0 ? quotient_of(to_give(s.last.deep), want) : 1.0;
}

// The column two rows before, after the substep.
Column finished(inout Known s, Found f, Column c, uint salt)
{
    float w = scaled_by(s.west, f.west_share, s.share), e = scaled_by(s.east, s.share, f.east_share);
    float south = scaled_by(s.south, s.south_share, s.share);
    float north = scaled_by(s.north, s.share, f.share);
    precise float change = law.dt_area * ((w - e) + (south - north));
    Column out_of =
        Column(s.own.bed, depth_salted(s.own.deep, change, salt), s.own.slopes, vec2(e, north));
    s.south = s.north, s.south_share = s.share;
    s.own = s.last, s.west = f.west, s.east = s.last_east, s.north = f.north, s.share = f.share;
    s.last = c, s.level = f.level, s.last_east = f.east;
    return out_of;
}

// ---- Which groups work --------------------------------------------------------------------------

// Blocks of a row, from the group's first on; and these back as a row's.
uint blocks_from(uvec2 row, uint block)
{
    if (block >= 32u) return row.y >> (block - 32u);
    return (row.x >> block) | (block > 0u ? row.y << (32u - block) : 0u);
}

uvec2 blocks_back(uint few, uint block)
{
    if (block >= 32u) return uvec2(0u, few << (block - 32u));
    return uvec2(few << block, block > 0u ? few >> (32u - block) : 0u);
}

// Blocks near what was wet, a row for each substep.
uvec2 wakes_near(uint row, int y)
{
    uvec2 near = uvec2(0u);
    for (int d = -STAGES; d <= STAGES; d++)
        if (y + d >= 0 && y + d < high) near |= stirs_in(law.wet_at, uint(int(row) + d));
    return spread(near) & all_blocks(uint(wide));
}

// Of the thread's row of the band; `blocks`: those of the group, from `block` on. For the calls that
// come after too.
void find_works(uint plane_row, uint block, uint blocks, bool tells)
{
    int y = first + int(thread);
    bool has = y < last;
    uvec2 awake = uvec2(0u), before = uvec2(0u);
    if (has) {
        uint row = plane_row + uint(y), pair = 2u * row;
        before = words_at(law.before_at + pair), awake = wakes_near(row, y);
        if (tells) {
            bits[law.awake_at + pair] = awake.x, bits[law.awake_at + pair + 1u] = awake.y;
            bits[law.clear_at + pair] = 0u, bits[law.clear_at + pair + 1u] = 0u;
        }
    }
    if (thread == 0u) works = 0u, most_here = 0u, between_here = 0u, broken_here = 0u;
    barrier();
    uint own = blocks_from(awake, block) & blocks, past = blocks_from(before, block) & blocks;
    if (thread < uint(BAND_MOST)) wet_rows[thread] = 0u, stop_rows[thread] = past & ~own;
    if ((own | past) != 0u) works = 1u;
    barrier();
}

// Whether this call is left out; the words of the next ones begin with zeros.
bool begin_status(bool leads)
{
    bool halted = is_halted();
    if (leads && thread < 32u) {
        if (halted && thread == 0u) status[law.status_at + HALT] = 1u;
        status[law.status_at + 8u + thread] = 0u;
    }
    return halted;
}

// ---- What came of it ----------------------------------------------------------------------------

void put_column(int y, Column c, uint bit)
{
    uint i = slot_of(y), n = law.slots, k = uint(y - first);
    new_depth[i] = c.deep, new_flux[i] = c.flow.x, new_flux[n + i] = c.flow.y;
    // what falls asleep stops: nobody looks at its fluxes
    if ((stop_rows[k] & bit) != 0u) flux[i] = 0.0, flux[n + i] = 0.0;
    if (c.deep > law.film && (wet_rows[k] & bit) == 0u) atomicOr(wet_rows[k], bit);
}

void tell_wet(uint plane_row, uint block)
{
    int y = first + int(thread);
    if (thread >= uint(BAND_MOST) || y >= last || wet_rows[thread] == 0u) return;
    uvec2 wet = blocks_back(wet_rows[thread], block);
    uint at = law.next_at + 2u * (plane_row + uint(y));
    // most are told already, and groups need not wait for each other
    if ((bits[at] & wet.x) != wet.x) atomicOr(bits[at], wet.x);
    if ((bits[at + 1u] & wet.y) != wet.y) atomicOr(bits[at + 1u], wet.y);
}

void tell_found(float most, float between, bool broken)
{
    uint m = floatBitsToUint(most), b = floatBitsToUint(between), s = law.status_at;
    if (m > most_here) atomicMax(most_here, m);
    if (b > between_here) atomicMax(between_here, b);
    if (broken) broken_here = 1u;
    barrier();
    if (thread != 0u) return;
    if (most_here > status[s + MOST]) atomicMax(status[s + MOST], most_here);
    if (between_here > status[s + BETWEEN]) atomicMax(status[s + BETWEEN], between_here);
    if (broken_here != 0u) status[s + NOT_FINITE] = 1u;
}

float most_of(float most, float deep)
{
    return deep - deep == 0.0 ? larger(deep, most) : uintBitsToFloat(0x7f800000u);
}

// ---- All of it ----------------------------------------------------------------------------------

#if STAGES > 1
#define BETWEEN_TWO(k, c)                                                                          \
    if (mine && first_y - 3 * k >= first && first_y - 3 * k < last) between = most_of(between, c.deep);
#endif

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
    int row = first - MORE;
    Column a = column_at(row), b = column_at(row + 1), c = column_at(row + 2), d = column_at(row + 3);
    uint block = uint(west) >> law.shift, end = uint(min(west + KEPT, wide) - 1) >> law.shift;
    find_works(plane_row, block, (2u << (end - block)) - 1u, group == 0u);
    if (works == 0u) return;

    bool mine = within && x >= west && x < west + KEPT;
    uint bit = mine ? 1u << ((uint(x) >> law.shift) - block) : 0u;
    float most = 0.0, between = 0.0;
    bool broken = false;
    Known s0 = none_known();
    Column c0, out_of;
#if STAGES > 1
    Known s1 = none_known();
    Column c1 = s1.own;
#endif
#if STAGES > 2
    Known s2 = none_known(), s3 = none_known();
    Column c2 = s2.own, c3 = s3.own;
#endif
    int steps = last - first + 5 * STAGES - 1;
    for (int k = 0; k < steps; k++, row++) {
        uint turn = uint(k & 1), part = uint(k & (AHEAD - 1));
        if (part == 0u) {
            keep(0u, a), keep(1u, b), keep(2u, c), keep(3u, d);
            a = column_at(row + 4), b = column_at(row + 5);
            c = column_at(row + 6), d = column_at(row + 7);
        }
        c0 = kept_at(part);
        publish(turn, 0u, s0, c0);
#if STAGES > 1
        publish(turn, 1u, s1, c1);
#endif
#if STAGES > 2
        publish(turn, 2u, s2, c2), publish(turn, 3u, s3, c3);
#endif
        barrier();
        Found f0 = flows_of(turn, 0u, s0, c0, row);
        float want0 = want_of(s0, f0, row), any = want0;
#if STAGES > 1
        Found f1 = flows_of(turn, 1u, s1, c1, row - 3);
        float want1 = want_of(s1, f1, row - 3);
        any = larger(any, want1);
#endif
#if STAGES > 2
        Found f2 = flows_of(turn, 2u, s2, c2, row - 6), f3 = flows_of(turn, 3u, s3, c3, row - 9);
        float want2 = want_of(s2, f2, row - 6), want3 = want_of(s3, f3, row - 9);
        any = larger(larger(any, want2), want3);
#endif
        if (any > 0.0) { // rare
            f0.share = share_for(s0, want0);
#if STAGES > 1
            f1.share = share_for(s1, want1);
#endif
#if STAGES > 2
            f2.share = share_for(s2, want2), f3.share = share_for(s3, want3);
#endif
        }
        int first_y = row - 2;
        out_of = finished(s0, f0, c0, law.salts.x);
#if STAGES > 1
        Column next = finished(s1, f1, c1, law.salts.y);
        c1 = out_of;
        BETWEEN_TWO(0, c1)
        out_of = next;
#endif
#if STAGES > 2
        next = finished(s2, f2, c2, law.salts.z);
        c2 = out_of;
        BETWEEN_TWO(1, c2)
        out_of = finished(s3, f3, c3, law.salts.w);
        c3 = next;
        BETWEEN_TWO(2, c3)
#endif
        int y = first_y - 3 * (STAGES - 1);
        if (mine && y >= first && y < last) {
            put_column(y, out_of, bit);
            broken = broken || !(out_of.deep - out_of.deep == 0.0);
            most = larger(out_of.deep, most);
        }
    }
    tell_found(most, between, broken);
    tell_wet(plane_row, block);
}
