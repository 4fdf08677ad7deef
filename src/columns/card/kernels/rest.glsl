// After a step: counts the frames that columns have been at rest (rv_rest_count in ../../rest.c).
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_FLUX, Flux, float, flux);
READS(AT_BITS, Bits, uint, bits);
CHANGES(AT_PRESS, Press, float, press);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
READS(AT_ODD_FLOW, OddFlow, float, odd_flow);
#define NO_SLOT 0xffffffffu
#endif
#include "blocks"
READS(AT_STATUS, Status, uint, status);
#define AFTER_SCALES
#include "halted"

bool moves(float flow, float depth_a, float depth_b)
{
    float deep = larger(depth_a, depth_b), least = larger(deep, law.thin), driven = law.rest_slow;
    if (flow == 0.0) return false;
    if (deep > law.rest_residue) {
        precise float drives = law.rest_drive * deep * deep;
        driven = drives;
    }
    precise float most = least * smaller(law.rest_slow, driven);
    return abs(flow) > most;
}

// The pipe of a way whose low end is `low`.
bool pipe_moves(uint way, uint low, uint high)
{
    return moves(flux[way * law.slots + low], depth[low], depth[high]);
}

bool regular_moves(Place at)
{
    uint i = at.slot, low = i - at.pitch, high = i + at.pitch;
    bool found = pipe_moves(0u, i - 1u, i) || pipe_moves(0u, i, i + 1u) ||
                 pipe_moves(1u, low, i) || pipe_moves(1u, i, high);
#ifdef EIGHT
    found = found || pipe_moves(2u, low - 1u, i) || pipe_moves(2u, i, high + 1u) ||
            pipe_moves(3u, low + 1u, i) || pipe_moves(3u, i, high - 1u);
#endif
    return found;
}

#ifdef ODD
bool odd_moves(uint k)
{
    uint first = odd_columns[law.slots + 4u * k + 1u];
    uint end = first + odd_columns[law.slots + 4u * k + 2u];
    for (uint e = first; e < end; e++) {
        uint pipe = odd_columns[law.slots + 4u * law.columns + 2u * e];
        uint a = odd[8u * pipe], b = odd[8u * pipe + 1u];
        float here = depth[a], there = here;
        if (b == NO_SLOT && here > law.rest_residue) return true;
        if (b != NO_SLOT) there = depth[b];
        if (moves(odd_flow[pipe], here, there)) return true;
    }
    return false;
}
#endif

void main()
{
    Place at = place_here();
    if (is_halted() || !at.exists) return;
    uint i = at.slot, n = law.slots;
    float frames = press[5u * n + i], ceiling = beds[n + i];
    precise float cap = ceiling - beds[i], nearly = cap * 0.998, one_more = frames + 1.0;
    if (is_awake(at)) frames = frames < law.patience ? one_more : law.patience;
    bool full = ceiling < law.top && cap > 0.0 && depth[i] >= nearly;
    if (full && depth[i] > law.film) frames = 0.0; // heads are solved for
    if (regular_moves(at)) frames = 0.0;
#ifdef ODD
    uint odd_at = odd_columns[i];
    if (odd_at != 0u && odd_moves(odd_at - 1u)) frames = 0.0;
#endif
    press[5u * n + i] = frames;
}
