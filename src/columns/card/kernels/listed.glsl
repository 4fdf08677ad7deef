// Columns that the processor has to look at, in any order: those that are nearly full under a
// ceiling; LIMITED: those that cannot take all of their inflow.
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_SCALES, Scales, float, scales);
READS(AT_BITS, Bits, uint, bits);
CHANGES(AT_LIST, List, uint, list); // how many, and then these
#define LISTED_AT law.list_at       // RV_LISTED_AT in ../card.h
#include "blocks"

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
    Place at = place_here();
    if (!at.exists || !is_listed(at)) return;
    uint k = atomicAdd(list[LISTED_AT], 1u);
    if (k < law.count) list[LISTED_AT + 1u + k] = at.slot;
}
