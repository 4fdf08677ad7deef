// What kernels share that do several substeps of the papers' pipes at a call: which groups work, and what
// is told of it. Needs MORE, columns and rows around a group's own, TIMES, substeps, and BAND_MOST, rows
// that a group has at most.
//
// Blocks sleep by what was wet when the call began: whatever is more than a row for each substep away
// from that stays as it is, so that it makes no other bits to work it out or not.
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


// A column of a row, before a substep or after it.
struct Column {
    float bed, deep;
    uint slopes;
    vec2 flow; // to the east, to the north
};

shared uint wet_rows[BAND_MOST], stop_rows[BAND_MOST]; // blocks of the group's rows, a bit each
shared uint works, stops, most_here, between_here;

int x, first, last, wide, high; // column; rows of the group, columns and rows of the plane
uint pitch, origin, thread;
bool within; // the column is one of the plane

uint slot_of(int y)
{
    return origin + uint(y) * pitch + uint(x);
}

Column no_column()
{
    return Column(0.0, 0.0, 0u, vec2(0.0));
}

// Where there is no column, or no row above, the slope of a pipe is none: then so is what flows, without
// a look at places.
Column column_at(int y)
{
    Column c = no_column();
    if (y >= 0 && y < min(high, last + MORE) && x >= 0 && x <= wide) {
        uint i = slot_of(y);
        c = Column(beds[i], depth[i], pipes[i], vec2(flux[i], flux[law.slots + i]));
        if (!within) c.slopes = 0u, c.flow = vec2(0.0);
        if (y + 1 == high) c.slopes &= 0xffffu;
    }
    return c;
}

// Slot of a column that heads press on, or of one like any other.
uint pressed_at(int y)
{
#ifdef PRESSED
    return within && y >= 0 && y < high ? slot_of(y) : 0u;
#else
    return 0u;
#endif
}

// What flows to the east and to the north of a column in row y, with levels and depths there.
float flow_east(Column c, vec2 own, vec2 beside, int y)
{
    uint i = pressed_at(y);
    return pipe_down(i, i + 1u, own, beside, whole_number(c.slopes & 0xffffu), 0.0, law.share, law.slant_x,
                     c.flow.x);
}

float flow_north(Column c, vec2 own, vec2 above, int y)
{
    return pipe_down(pressed_at(y), pressed_at(y + 1), own, above, whole_number(c.slopes >> 16), 0.0,
                     law.share, law.slant_y, c.flow.y);
}

// What a column is asked for, if that is more than it has; else 0.
float want_of(float deep, float west, float east, float south, float north)
{
    precise float ask = law.dt_area * ((max(east, 0.0) - min(west, 0.0)) +
                                       (max(north, 0.0) - min(south, 0.0)));
    return ask > to_give(deep) ? ask : 0.0;
}

float share_for(float deep, float want)
{
    return want > 0.0 ? quotient_of(to_give(deep), want) : 1.0;
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
    for (int d = -int(TIMES); d <= int(TIMES); d++)
        if (y + d >= 0 && y + d < high) near |= stirs_in(law.wet_at, uint(int(row) + d));
    return spread(near) & all_blocks(uint(wide));
}

// Blocks of the thread's row of the group: awake, and awake in the call before. Asked for before it is known
// whether this call is left out.
uvec4 take_blocks(uint plane_row)
{
    int y = first + int(thread);
    if (y >= last) return uvec4(0u);
    uint row = plane_row + uint(y);
    return uvec4(wakes_near(row, y), words_at(law.before_at + 2u * row));
}

// For the calls that come after.
void tell_awake(uint plane_row, uvec2 awake)
{
    int y = first + int(thread);
    if (y >= last) return;
    uint pair = 2u * (plane_row + uint(y));
    bits[law.awake_at + pair] = awake.x, bits[law.awake_at + pair + 1u] = awake.y;
    bits[law.clear_at + pair] = 0u, bits[law.clear_at + pair + 1u] = 0u;
}

// `blocks`: those of the group, from `block` on.
void find_works(uvec2 awake, uvec2 before, uint block, uint blocks)
{
    if (thread == 0u) works = 0u, stops = 0u, most_here = 0u, between_here = 0u;
    barrier();
    uint own = blocks_from(awake, block) & blocks, past = blocks_from(before, block) & blocks;
    if (thread < uint(BAND_MOST)) wet_rows[thread] = 0u, stop_rows[thread] = past & ~own;
    if ((own | past) != 0u) works = 1u;
    if ((past & ~own) != 0u) stops = 1u;
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
    if (stops != 0u && (stop_rows[k] & bit) != 0u) flux[i] = 0.0, flux[n + i] = 0.0;
    if (c.deep > law.film && (wet_rows[k] & bit) == 0u) atomicOr(wet_rows[k], bit);
}

void tell_wet(uint plane_row, uint block)
{
    int y = first + int(thread);
    if (thread >= uint(BAND_MOST) || y >= last || wet_rows[thread] == 0u) return;
    uvec2 wet = blocks_back(wet_rows[thread], block);
    uint at = law.next_at + 2u * (plane_row + uint(y));
#ifdef FEW_GROUPS
    if (wet.x != 0u) atomicOr(bits[at], wet.x);
    if (wet.y != 0u) atomicOr(bits[at + 1u], wet.y);
#else
    // most are told already, and groups need not wait for each other
    if ((bits[at] & wet.x) != wet.x) atomicOr(bits[at], wet.x);
    if ((bits[at + 1u] & wet.y) != wet.y) atomicOr(bits[at + 1u], wet.y);
#endif
}

// The greatest depth of columns, and whether all are numbers: then `odd` is 0.
struct Most {
    float deep, odd;
};

void note(inout Most m, float deep)
{
    precise float none = deep - deep;
    m.deep = max(m.deep, deep), m.odd += none;
}

// What it counts as where a substep comes after it.
uint bits_of(Most m)
{
    return m.odd == 0.0 ? floatBitsToUint(m.deep) : 0x7f800000u;
}

void tell_found(Most most, Most between)
{
    uint m = bits_of(most), b = bits_of(between), s = law.status_at;
    if (m > most_here) atomicMax(most_here, m);
    if (b > between_here) atomicMax(between_here, b);
    barrier();
    if (thread != 0u) return;
#ifdef FEW_GROUPS // that need not wait to see whether it is told already
    atomicMax(status[s + MOST], most_here);
    if (between_here > 0u) atomicMax(status[s + BETWEEN], between_here);
#else
    if (most_here > status[s + MOST]) atomicMax(status[s + MOST], most_here);
    if (between_here > status[s + BETWEEN]) atomicMax(status[s + BETWEEN], between_here);
#endif
    if (most_here >= 0x7f800000u) status[s + NOT_FINITE] = 1u;
}
