// Lists the full columns of a substep, in any order (list_full in ../../passages/passages.c).
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
#include "blocks"
#include "halted"
#include "full"

// rv_column_flooded in ../../../terrain/levels.h.
bool is_flooded(uint i, bool was)
{
    float ceiling = beds[law.slots + i];
    precise float cap = ceiling - beds[i], least = cap * (was ? 0.998 : 0.999);
    return ceiling < law.top && cap > 0.0 && depth[i] >= least;
}

void main()
{
    Place at = place_here();
    if (!at.exists) return;
    uint i = at.slot, mark = full[MARK_AT + i], fresh = mark & IS_FULL;
    bool wet = (bits[law.wet_at + block_word(at)] & block_bit(at)) != 0u;
    if (is_halted()) return;
    if (wet) fresh = is_flooded(i, fresh != 0u) ? IS_FULL : 0u;
    if (wet && fresh != 0u) {
        uint k = atomicAdd(full[LISTING], 1u);
        if (k < FULL_MOST) full[LIST_AT + k] = i;
        fresh = mark_of(k, true);
    }
    if (fresh != mark) full[MARK_AT + i] = fresh;
}
