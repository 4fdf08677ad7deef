// Which blocks of a row work in this substep (../../awake.c): those in which something stirs, and
// those beside them. One thread a row. What falls asleep stops; ODD: later, in `asleep`.
layout(local_size_x = 64) in;
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#include "rows"
#ifndef ODD
#include "stops"
#endif

// Substeps are asked for before it is known what came of those before them. Where that is more than
// the processor counted on, this one and those after it are left out, and it asks again.
bool is_halted()
{
    uint last = law.last_at;
    if (last == 1u) return false;
    return status[last + HALT] != 0u || status[last + NOT_FINITE] != 0u ||
           status[last + CUT_IN] != 0u || status[last + FULL] != 0u ||
           status[last + ROUSED] != 0u || status[last + PACE] > floatBitsToUint(law.pace_most) ||
           status[last + MOST] > floatBitsToUint(law.deep_most);
}

void main()
{
    uint row = thread_here().x;
    bool halted = is_halted();
    if (row < 8u) status[law.status_at + row] = row == HALT && halted ? 1u : 0u;
    if (halted || row >= law.rows) return;
    uint p = plane_of(row);
    uvec4 plane = law.plane[2u * p];
    uint y = row - law.plane[2u * p + 1u].x, width = 1u << law.shift;
    uint blocks = (plane.z + width - 1u) >> law.shift;
    uvec2 near = stirs_in(law.wet_at, row);
    if (y > 0u) near |= stirs_in(law.wet_at, row - 1u);
    if (y + 1u < plane.w) near |= stirs_in(law.wet_at, row + 1u);
    uvec2 all = uvec2(blocks >= 32u ? 0xffffffffu : (1u << blocks) - 1u,
                      blocks >= 64u   ? 0xffffffffu
                      : blocks > 32u ? (1u << (blocks - 32u)) - 1u
                                      : 0u);
    uint at = 4u * law.rows + 2u * row, last = 6u * law.rows + 2u * row;
    uvec2 awake = spread(near) & all, before = words_at(at);
    uvec2 kept = words_at(law.wet_at + 2u * row) & asleep_in(row);
    bits[at] = awake.x, bits[at + 1u] = awake.y;
    bits[last] = before.x, bits[last + 1u] = before.y;
    bits[law.next_at + 2u * row] = kept.x, bits[law.next_at + 2u * row + 1u] = kept.y;
#ifndef ODD
    stop_blocks(row, before & ~awake);
#endif
}
