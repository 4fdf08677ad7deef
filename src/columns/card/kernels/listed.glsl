// Columns that the processor has to look at, in any order: those that are nearly full under a
// ceiling; LIMITED: those that cannot take all of their inflow. In planes after the last: words that
// it named besides (../words.c).
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_BITS, Bits, uint, bits);
#include "picked"
#include "blocks"
#define FIRST_LISTED 255u // RV_LISTED_FIRST in ../card.h; the others stand after the words
#define LISTED_MOST 16384u

bool is_listed(Place at)
{
    uint i = at.slot;
#ifdef LIMITED
    return is_awake(at) && scales[law.slots + i] < 1.0;
#else
    float ceiling = beds[law.slots + i];
    precise float cap = ceiling - beds[i], nearly = cap * 0.998;
    bool wet = (bits[law.wet_at + block_word(at)] & block_bit(at)) != 0u;
    return wet && ceiling < law.top && cap > 0.0 && depth[i] >= nearly;
#endif
}

void main()
{
    uint head = law.list_at + 2u * law.count;
    if (thread_here().z >= law.planes) {
        uint word = listed_here();
        if (word < law.count) trade(word, head + 1u + FIRST_LISTED + word);
        return;
    }
    Place at = place_here();
    if (!at.exists || !is_listed(at)) return;
    uint k = atomicAdd(list[head], 1u);
    if (k < LISTED_MOST) list[head + 1u + k + (k < FIRST_LISTED ? 0u : law.count)] = at.slot;
}
