// Which blocks of a row work in this substep (../../awake.c): those in which something stirs, those
// beside them, and those that odd pipes join to them. Eight threads a row, which share its links;
// ODD: and one an odd column.
layout(local_size_x = 64) in;
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#include "rows"
#define WAKES
#include "halted"

#ifdef ODD
shared uint found_low[8], found_high[8]; // of the rows of the group

// Blocks of a row that links wake: three words each, their block and the one at the other end, and
// that one's row; and those beside a border that holds a level. `part`: every eighth of them.
uvec2 linked_in(uint row, uint part)
{
    uint links = law.slots + 4u * law.columns + 2u * law.entries;
    uint first = odd_columns[links + row], end = odd_columns[links + row + 1u];
    uvec2 found = uvec2(0u), own = stirs_in(law.wet_at, row);
    for (uint k = first + part; k < end; k += 8u) {
        uint at = links + law.rows + 1u + 2u * k, what = odd_columns[at];
        uvec2 here = one_block(what & 255u), there = one_block((what >> 8) & 255u);
        uvec2 both = (own & here) | (stirs_in(law.wet_at, odd_columns[at + 1u]) & there);
        if ((both.x | both.y | (what >> 16)) != 0u) found |= here;
    }
    return found;
}

#ifdef TENSE
// What falls asleep though it is wet may have had a little flow.
void stop_odd(uint k)
{
    uint where = odd_columns[law.slots + 4u * k + 3u], block = where >> 24;
    uint word = 2u * (where & 0xffffffu) + (block >> 5), bit = 1u << (block & 31u);
    if ((bits[ASLEEP_AT + word] & bits[law.before_at + word] & bit) == 0u) return;
    uint first = odd_columns[law.slots + 4u * k + 1u];
    uint end = first + odd_columns[law.slots + 4u * k + 2u];
    for (uint e = first; e < end; e++) {
        uint pipe = odd_columns[law.slots + 4u * law.columns + 2u * e];
        odd_flow[pipe] = 0.0, odd_flow[law.pipes + pipe] = 0.0;
        odd_flow[LAST_AT + pipe] = 0.0, odd_flow[LAST_AT + law.pipes + pipe] = 0.0;
    }
}
#endif
#endif

void main()
{
    uint thread = thread_here().x, row = thread / 8u, part = thread % 8u;
    bool halted = is_halted();
    if (thread < 8u) status[law.status_at + thread] = thread == HALT && halted ? 1u : 0u;
    if (halted) return;
#ifdef ODD
#ifdef TENSE
    if (thread < law.columns) stop_odd(thread);
#endif
    uint own = gl_LocalInvocationID.x / 8u;
    if (part == 0u) found_low[own] = 0u, found_high[own] = 0u;
    barrier();
    uvec2 linked = row < law.rows ? linked_in(row, part) : uvec2(0u);
    if (linked.x != 0u) atomicOr(found_low[own], linked.x);
    if (linked.y != 0u) atomicOr(found_high[own], linked.y);
    barrier();
#endif
    if (row >= law.rows || part != 0u) return;
    uint p = plane_of(row);
    uvec4 plane = law.plane[2u * p];
    uint y = row - law.plane[2u * p + 1u].x;
    uvec2 near = stirs_in(law.wet_at, row);
    if (y > 0u) near |= stirs_in(law.wet_at, row - 1u);
    if (y + 1u < plane.w) near |= stirs_in(law.wet_at, row + 1u);
    uvec2 awake = spread(near) & all_blocks(plane.z);
#ifdef ODD
    awake |= uvec2(found_low[own], found_high[own]);
#endif
    uvec2 kept = words_at(law.wet_at + 2u * row) & asleep_in(row);
    bits[law.awake_at + 2u * row] = awake.x, bits[law.awake_at + 2u * row + 1u] = awake.y;
    bits[law.next_at + 2u * row] = kept.x, bits[law.next_at + 2u * row + 1u] = kept.y;
    bits[law.clear_at + 2u * row] = 0u, bits[law.clear_at + 2u * row + 1u] = 0u;
}
