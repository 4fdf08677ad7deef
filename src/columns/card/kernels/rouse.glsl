// Whether what stirs after a substep is so near to what sleeps that it must wake (../../rest.c):
// then the processor has to look before the next one. A thread a row, and one an odd column.
layout(local_size_x = 64) in;
CHANGES(AT_STATUS, Status, uint, status);
#define AFTER_SCALES
#include "halted"
READS(AT_BITS, Bits, uint, bits);
#include "rows"
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
#define NO_SLOT 0xffffffffu
#endif

// What stirs in a row and up to `far` rows beside it, spread as far.
uvec2 near_row(uint row, uint far)
{
    uint p = plane_of(row), first = law.plane[2u * p + 1u].x, end = first + law.plane[2u * p].w;
    uvec2 near = stirs_in(law.next_at, row);
    for (uint k = 1u; k <= far; k++) {
        if (row >= first + k) near |= stirs_in(law.next_at, row - k);
        if (row + k < end) near |= stirs_in(law.next_at, row + k);
    }
    for (uint k = 0u; k < far; k++) near = spread(near);
    return near;
}

bool any_in(uvec2 a, uvec2 b)
{
    uvec2 both = a & b;
    return (both.x | both.y) != 0u;
}

bool sleeps_around(uint row, uint block)
{
    uint p = plane_of(row), first = law.plane[2u * p + 1u].x, end = first + law.plane[2u * p].w;
    uvec2 around = spread(one_block(block));
    if (any_in(asleep_in(row), around)) return true;
    if (row > first && any_in(asleep_in(row - 1u), around)) return true;
    return row + 1u < end && any_in(asleep_in(row + 1u), around);
}

#ifdef ODD
// Row and block of an odd column.
uvec2 place_of(uint k)
{
    uint where = odd_columns[law.slots + 4u * k + 3u];
    return uvec2(where & 0xffffffu, where >> 24);
}

bool odd_rouses(uint k)
{
    uint first = odd_columns[law.slots + 4u * k + 1u], count = odd_columns[law.slots + 4u * k + 2u];
    uvec2 own = place_of(k);
    if (!any_in(near_row(own.x, 1u), one_block(own.y))) return false;
    for (uint e = first; e < first + count; e++) {
        uint pipe = odd_columns[law.slots + 4u * law.columns + 2u * e];
        uint a = odd[8u * pipe], b = odd[8u * pipe + 1u];
        if (b == NO_SLOT) continue;
        uint far = odd_columns[a] - 1u == k ? odd_columns[b] - 1u : odd_columns[a] - 1u;
        uvec2 other = place_of(far);
        if (sleeps_around(other.x, other.y)) return true;
    }
    return false;
}
#endif

void main()
{
    if (is_halted()) return;
    uint k = thread_here().x;
    bool found = false;
    if (k < law.rows && (asleep_in(k).x | asleep_in(k).y) != 0u)
        found = any_in(near_row(k, 2u), asleep_in(k));
#ifdef ODD
    if (k < law.columns) found = found || odd_rouses(k);
#endif
    if (found) status[law.status_at + ROUSED] = 1u;
}
