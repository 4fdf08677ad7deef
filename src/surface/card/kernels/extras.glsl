// Extra nodes (../../extras.c): a thread a cell. Which columns around a cell an extra node in it
// serves depends on that cell alone, and is found as the processor finds it, one after the other.
// Without EMIT they are only counted.
layout(local_size_x = 16, local_size_y = 16) in;

#include "sums"
#include "beside"
#include "turns"

struct Found {
    uint link[8]; // columns, by direction from the extra node
};

uint joined[8]; // by direction from the cell: planes whose columns have an extra node here

void join(inout Found e, uint slot, int direction)
{
    e.link[opposite(direction)] = slot;
    joined[opposite(direction)] |= 1u << plane_of(slot);
}

// From a column, in a direction in which the extra node is: as spread_extra, with a stack.
void spread(inout Found e, uint from, int direction)
{
    uint at[9];
    int toward[9], next[9], top = 0;
    at[0] = from, toward[0] = direction, next[0] = 0;
    while (top >= 0) {
        int d = toward[top], k = next[top];
        if (k >= AROUND[d] || top >= 8) {
            top--;
            continue;
        }
        next[top] = k + 1;
        int to = TOWARD[4 * d + k];
        uint node = links[uint(BESIDE[4 * d + k]) * law.nodes + at[top]];
        if (node == NONE || node >= law.slots || kind_of(node) != KIND_WET) continue;
        uint there = links[uint(to) * law.nodes + node];
        if (there != NONE && there < law.slots) continue;
        if ((joined[opposite(to)] >> plane_of(node) & 1u) != 0u) continue;
        if (e.link[opposite(to)] != NONE) continue;
        join(e, node, to);
        top++;
        at[top] = node, toward[top] = to, next[top] = 0;
    }
}

// The column under a level.
uint column_below(int x, int y, float h)
{
    for (uint l = 0u; l < law.planes; l++) {
        uint slot;
        if (!slot_in(l, x, y, slot) || !(max_at(slot) > base_at(slot))) break;
        if (h < max_at(slot)) return slot;
    }
    return NONE;
}

void settle(Found e, uint node, int x, int y)
{
    uint first = NONE, at = (node - law.slots) * EXTRA_WORDS, mask = 0u;
    int direction = 0;
    for (int d = 0; d < 8; d++) {
        uint n = e.link[d];
        links[uint(d) * law.nodes + node] = n;
        extra[at + EXTRA_ASKED + uint(d)] = NONE;
        if (n == NONE) continue;
        mask |= 1u << d;
        links[uint(opposite(d)) * law.nodes + n] = node;
        if ((wanted(n) >> opposite(d) & 1u) == 0u || n >= first) continue;
        first = n, direction = opposite(d);
    }
    bool lip = (nodes[AT_MASK * law.nodes + first] >> 16 >> direction & 1u) != 0u;
    nodes[node] = lip ? KIND_LIP : KIND_WALL;
    nodes[AT_MASK * law.nodes + node] = mask;
    nodes[AT_ENDS * law.nodes + node] = 0u;
    extra[at + EXTRA_CELL] = uint(x) | uint(y) << 16;
    extra[at + EXTRA_BELOW] = lip ? column_below(x, y, level_at(first)) : NONE;
    extra[at + EXTRA_APRON] = 0xff800000u; // none
    extra[at + EXTRA_SHARED] = extra[at + EXTRA_BEGINS] = extra[at + EXTRA_ENDS] = 0u;
    extra[at + EXTRA_FALLS] = FALL_NONE;
    if (!lip || (law.has & HAS_DRIPS) == 0u) return;
    uint drip = given[law.drip_at + first];
    if (drip > 0u && given[law.sheet_at + drip - 1u] == 0u)
        extra[at + EXTRA_APRON] = floatBitsToUint(min_at(first));
}

// The extra nodes of a cell, in the order in which the processor goes over the columns around it.
// Returns how many; from `number` on they are stored, if that is wanted.
uint find(int x, int y, uint number, bool stored)
{
    uint count = 0u;
    for (int d = 0; d < 8; d++) joined[d] = 0u;
    ask_around(x, y);
    for (uint now = 0u; now < 2u; now++) {
        for (int j = -1; j <= 1; j++) {
            if (turn[j + 1] != now) continue;
            for (uint l = 0u; l < law.planes; l++) {
                for (int i = -1; i <= 1; i++) {
                    uint slot;
                    if ((i == 0 && j == 0) || !is_asking(l, i, j)) continue;
                    int d = direction_to(-i, -j);
                    slot_in(l, x + i, y + j, slot);
                    if (links[uint(d) * law.nodes + slot] < law.slots) continue; // a full column
                    if ((joined[opposite(d)] >> l & 1u) != 0u) continue;
                    Found e;
                    for (int k = 0; k < 8; k++) e.link[k] = NONE;
                    join(e, slot, d);
                    spread(e, slot, d);
                    if (stored && number + count < law.extras)
                        settle(e, law.slots + number + count, x, y);
                    count++;
                }
            }
        }
    }
    return count;
}

void main()
{
    Place p = place_here();
    if (!bring_wants(p)) {
#ifndef EMIT
        if (gl_LocalInvocationIndex == 0u) put_sum(group_x(), 0u, 0u);
#endif
        return;
    }
    bool any = p.x < int(law.nx) && p.y < int(law.ny) && is_wanted();
    uint number = any ? find(p.x, p.y, 0u, false) : 0u;
#ifdef EMIT
    uint before = sum_before(number) + sums_at(group_x(), 0u);
    if (any) find(p.x, p.y, before, true);
#else
    uint all = sum_of_group(number);
    if (gl_LocalInvocationIndex == 0u) put_sum(group_x(), 0u, all);
#endif
}
