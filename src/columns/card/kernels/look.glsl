// What is known of all columns as they are: wet blocks, the greatest depth and pace (rv_pipes_scan
// in ../../awake.c).
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_DEPTH, Depth, float, depth);
READS(AT_SPEED, Speed, float, speed);
READS(AT_BEDS, Beds, float, beds);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#include "blocks"

shared uint most_here, pace_here, broken_here;

#ifdef FLOW
float pace_of(Place at, float own)
{
    uint i = at.slot, n = law.slots;
    float u = larger(abs(speed[i - 1u]), abs(speed[i]));
    float v = larger(abs(speed[n + i - at.pitch]), abs(speed[n + i]));
    precise float square = law.gravity * own;
    precise float pace = root_of(square) + (u + v);
    return own > law.film ? pace : 0.0;
}
#endif

void main()
{
    Place at = place_here();
    bool first = gl_LocalInvocationIndex == 0u;
    if (first) most_here = 0u, pace_here = 0u, broken_here = 0u;
    barrier();
    if (at.exists) {
        float own = depth[at.slot], ceiling = beds[law.slots + at.slot];
        precise float cap = ceiling - beds[at.slot], nearly = cap * 0.998;
        if (!(own - own == 0.0)) broken_here = 1u;
        if (ceiling < law.top && own >= nearly && cap > 0.0) status[law.status_at + FULL] = 1u;
        if (own > law.film) {
            uint word = law.wet_at + block_word(at), bit = block_bit(at);
            if ((bits[word] & bit) == 0u) atomicOr(bits[word], bit);
        }
        atomicMax(most_here, floatBitsToUint(larger(own, 0.0)));
#ifdef FLOW
        atomicMax(pace_here, floatBitsToUint(pace_of(at, own)));
#endif
    }
    barrier();
    if (!first) return;
    uint s = law.status_at;
    if (most_here > status[s + MOST]) atomicMax(status[s + MOST], most_here);
    if (pace_here > status[s + PACE]) atomicMax(status[s + PACE], pace_here);
    if (broken_here != 0u) status[s + NOT_FINITE] = 1u;
}
