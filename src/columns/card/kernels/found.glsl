// What is known of columns after a pass over them: wet blocks, the greatest depth, the greatest
// pace. Needs bits, status.
shared uint most_here, pace_here, broken_here;
#ifdef TILED_ROWS
shared uint wet_here; // rows of the group, a bit each
#endif

#ifdef FLOW
#ifdef TENSE
#include "calming"

// rv_flow_pace_tense in ../../laws/flow.h.
float pace_from(float own, float u, float v)
{
    float stiff = law.thin > own ? law.stiff_thin : law.stiff;
    float a = calm_share(own, law.calm_0), b = calm_share(own, law.calm_1);
    float c = calm_share(own, law.calm_2), d = calm_share(own, law.calm_3);
    precise float left = (1.0 - 0.736 * a) - (0.152 * b + (0.049 * c + 0.022 * d));
    precise float weight = (1.0 - 0.666 * a) - (0.135 * b + (0.057 * c + 0.031 * d));
    precise float square = 4.0 * (law.gravity * own * (weight + stiff * left));
    precise float inside = own * own;
    precise float drag = law.drag_pace * inverse_of(larger(inside, 1e-20));
    precise float under = drag * drag + 4.0 * square;
    precise float sum = drag + root_of(under);
    precise float pace = square * inverse_of(larger(sum, 1e-20)) + (u + v);
    return own > law.film ? pace : 0.0;
}
#else
float pace_from(float own, float u, float v)
{
    precise float square = law.gravity * own;
    precise float pace = root_of(square) + (u + v);
    return own > law.film ? pace : 0.0;
}
#endif
#endif

// A barrier must follow.
void begin_found()
{
    if (gl_LocalInvocationIndex != 0u) return;
    most_here = 0u, pace_here = 0u, broken_here = 0u;
#ifdef TILED_ROWS
    wet_here = 0u;
#endif
}

#ifdef TILED_ROWS
void note_depth(Place at, float own)
{
    uint bit = 1u << (at.y - tile_y);
    if (!(own - own == 0.0)) broken_here = 1u;
    if (own > law.film && (wet_here & bit) == 0u) atomicOr(wet_here, bit);
}

// The group's columns are all of one block. The bits of wet blocks stand at `wet`.
void tell_wet(Place at, uint wet)
{
    uint k = gl_LocalInvocationIndex, block = at.x >> law.shift;
    if (k >= HIGH || (wet_here & (1u << k)) == 0u) return;
    uint word = wet + 2u * (at.row - at.y + tile_y + k) + (block >> 5), bit = 1u << (block & 31u);
    atomicOr(bits[word], bit);
}
#else
// The bits of wet blocks stand at `wet`.
void note_depth(Place at, float own, uint wet)
{
    if (!(own - own == 0.0)) broken_here = 1u;
    if (own > law.film) {
        uint word = wet + block_word(at), bit = block_bit(at);
        if ((bits[word] & bit) == 0u) atomicOr(bits[word], bit);
    }
}
#endif

// The first few raise it; most see that it is high enough, and need not wait for each other.
void note_most(float own)
{
    uint here = floatBitsToUint(larger(own, 0.0));
    if (here > most_here) atomicMax(most_here, here);
}

void note_pace(float pace)
{
    uint here = floatBitsToUint(pace);
    if (here > pace_here) atomicMax(pace_here, here);
}

#if defined(FULL_COUNTS)
void note_full(Place at, float own)
{
    float ceiling = beds[law.slots + at.slot];
    precise float cap = ceiling - beds[at.slot], nearly = cap * 0.998;
    if (ceiling < law.top && own >= nearly && cap > 0.0) status[law.status_at + FULL] = 1u;
}
#endif

void tell_found()
{
    barrier();
    uint s = law.status_at;
    if (gl_LocalInvocationIndex != 0u) return;
#ifdef TILED_ROWS
    atomicMax(status[s + MOST], most_here);
    if (pace_here > 0u) atomicMax(status[s + PACE], pace_here);
#else
    if (most_here > status[s + MOST]) atomicMax(status[s + MOST], most_here);
    if (pace_here > status[s + PACE]) atomicMax(status[s + PACE], pace_here);
#endif
    if (broken_here != 0u) status[s + NOT_FINITE] = 1u;
}
