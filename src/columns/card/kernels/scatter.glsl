// New depths of a list of columns, and with TENSE the frames that they have been at rest; those that
// are more than a film wake their blocks.
layout(local_size_x = 64) in;
CHANGES(AT_DEPTH, Depth, float, depth);
#ifdef TWIN
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
#endif
CHANGES(AT_BITS, Bits, uint, bits);
#ifdef TENSE
CHANGES(AT_PRESS, Press, float, press);
#endif
READS(AT_LIST, List, uint, list); // slot, depth, where the bit of its block stands, rest, STAYS_FULL
#ifdef PASSAGES
#define FREES
#include "full"
#endif
#define STAYS_FULL 256u

void main()
{
    uint k = thread_here().x;
    if (k >= law.count) return;
    uint at = 5u * k, slot = list[at];
    float fresh = uintBitsToFloat(list[at + 1u]);
    depth[slot] = fresh;
#ifdef TWIN
    new_depth[slot] = fresh;
#endif
    if (fresh > law.film) atomicOr(bits[law.wet_at + list[at + 2u]], list[at + 3u]);
    uint what = list[at + 4u];
#ifdef TENSE
    press[5u * law.slots + slot] = float(what & 255u);
#endif
#ifdef PASSAGES
    if ((what & STAYS_FULL) == 0u) free_slot(slot);
#endif
}
