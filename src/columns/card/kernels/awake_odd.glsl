// Blocks that odd pipes join wake each other, and those beside a border that holds a level stay
// awake (../../awake.c). One thread an odd column.
layout(local_size_x = 64) in;
READS(AT_STATUS, Status, uint, status);
#include "halted"
CHANGES(AT_BITS, Bits, uint, bits);
#ifdef TENSE
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
#define NO_SLOT 0xffffffffu

// Word and bit of an odd column's block.
uvec2 block_of(uint k)
{
    uint where = odd_columns[law.slots + 4u * k + 3u], block = where >> 24;
    return uvec2(2u * (where & 0xffffffu) + (block >> 5), 1u << (block & 31u));
}

void wake(uvec2 b)
{
    uint word = law.awake_at + b.x;
    if ((bits[word] & b.y) == 0u) atomicOr(bits[word], b.y);
}

#ifdef TENSE
// What falls asleep though it is wet may have had a little flow.
void stop_odd(uvec2 own, uint first, uint end)
{
    bool asleep = (bits[ASLEEP_AT + own.x] & own.y) != 0u;
    bool was_awake = (bits[law.before_at + own.x] & own.y) != 0u;
    for (uint e = first; asleep && was_awake && e < end; e++) {
        uint pipe = odd_columns[law.slots + 4u * law.columns + 2u * e];
        odd_flow[pipe] = 0.0, odd_flow[law.pipes + pipe] = 0.0;
    }
}
#endif

void main()
{
    if (is_halted()) return;
    uint k = thread_here().x;
    if (k >= law.columns) return;
    uint first = odd_columns[law.slots + 4u * k + 1u], count = odd_columns[law.slots + 4u * k + 2u];
    uvec2 own = block_of(k);
    bool wet = (bits[law.wet_at + own.x] & own.y) != 0u;
#ifdef TENSE
    wet = wet && (bits[ASLEEP_AT + own.x] & own.y) == 0u;
    stop_odd(own, first, first + count);
#endif
    for (uint e = first; e < first + count; e++) {
        uint pipe = odd_columns[law.slots + 4u * law.columns + 2u * e];
        uint a = odd[8u * pipe], b = odd[8u * pipe + 1u];
        if (b == NO_SLOT) {
            if (odd[8u * pipe + 7u] == BORDER_LEVEL) wake(own);
            continue;
        }
        uvec2 far_a = block_of(odd_columns[a] - 1u), far_b = block_of(odd_columns[b] - 1u);
        if (wet) wake(far_a), wake(far_b);
    }
}
