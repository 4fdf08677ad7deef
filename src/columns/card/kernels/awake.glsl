// Which blocks of a row work in this substep (../../awake.c): those in which something stirs, and
// those beside them. One thread a row. What falls asleep stops; ODD: later, in `asleep`.
layout(local_size_x = 64) in;
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#include "rows"
#ifndef ODD
#include "stops"
#endif
#define WAKES
#include "halted"

void main()
{
    uint row = thread_here().x;
    bool halted = is_halted();
    if (row < 8u) status[law.status_at + row] = row == HALT && halted ? 1u : 0u;
    if (halted || row >= law.rows) return;
    uint p = plane_of(row);
    uvec4 plane = law.plane[2u * p];
    uint y = row - law.plane[2u * p + 1u].x;
    uvec2 near = stirs_in(law.wet_at, row);
    if (y > 0u) near |= stirs_in(law.wet_at, row - 1u);
    if (y + 1u < plane.w) near |= stirs_in(law.wet_at, row + 1u);
    uvec2 awake = spread(near) & all_blocks(plane.z);
    uvec2 kept = words_at(law.wet_at + 2u * row) & asleep_in(row);
    bits[law.awake_at + 2u * row] = awake.x, bits[law.awake_at + 2u * row + 1u] = awake.y;
    bits[law.next_at + 2u * row] = kept.x, bits[law.next_at + 2u * row + 1u] = kept.y;
    bits[law.clear_at + 2u * row] = 0u, bits[law.clear_at + 2u * row + 1u] = 0u;
#ifndef ODD
    stop_blocks(row, words_at(law.before_at + 2u * row) & ~awake);
#endif
}
