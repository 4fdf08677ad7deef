// Extra nodes of neighbouring cells are linked when they belong to the same shore (../../extras.c):
// first each says whom it would be linked to, then (AGREED) those are that say so of each other.
// And their heights (../../shape.c).
layout(local_size_x = 64) in;

#include "beside"

void ask(uint node, uint at)
{
    for (int d = 0; d < 8; d++) {
        uint member = links[uint(d) * law.nodes + node];
        if (member == NONE || member >= law.slots) continue;
        int here = opposite(d);
        for (int k = 0; k < AROUND[here]; k++) {
            uint other = links[uint(BESIDE[4 * here + k]) * law.nodes + member];
            if (other == NONE || other < law.slots || other == node) continue;
            uint to = uint(opposite(TOWARD[4 * here + k]));
            if (links[to * law.nodes + node] != NONE) continue;
            if (extra[at + EXTRA_ASKED + to] == NONE) extra[at + EXTRA_ASKED + to] = other;
        }
    }
}

void agree(uint node, uint at)
{
    for (uint to = 0u; to < 8u; to++) {
        uint other = extra[at + EXTRA_ASKED + to];
        if (other == NONE) continue;
        if (extra_word(other, EXTRA_ASKED + ((to + 4u) & 7u)) == node)
            links[to * law.nodes + node] = other;
    }
    precise float z = 0.0, deep = 0.0;
    float number = 0.0;
    uint wet = wet_links(node);
    for (uint d = 0u; d < 8u; d++) {
        if ((wet >> d & 1u) == 0u) continue;
        uint o = links[d * law.nodes + node];
        z += z_of(o), deep += depth[o], number += 1.0;
    }
    float part = number > 0.0 ? quotient_of(1.0, number) : 0.0;
    precise float mean = z * part, mean_depth = deep * part;
    values[node] = mean;
    values[law.nodes + node] = (law.has & HAS_BENDS) != 0u ? law.dx : mean_depth;
    values[2u * law.nodes + node] = mean_depth;
}

void main()
{
    uint i = thread_x();
    if (i >= status[STATUS_EXTRAS] || i >= law.extras) return;
#ifdef AGREED
    agree(law.slots + i, i * EXTRA_WORDS);
#else
    ask(law.slots + i, i * EXTRA_WORDS);
#endif
}
