// Scaled fluxes and new depths, and what is known of them: wet blocks, the greatest depth, the
// greatest pace. PARTED: what finds no room is stopped (../../sweep.c).
layout(local_size_x = 64, local_size_y = 4) in;
CHANGES(AT_DEPTH, Depth, float, depth);
CHANGES(AT_FLUX, Flux, float, flux);
READS(AT_NEW_FLUX, NewFlux, float, new_flux);
READS(AT_SCALES, Scales, float, scales);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef FLOW
CHANGES(AT_NEW_SPEED, NewSpeed, float, new_speed);
#endif
#ifdef CEILINGS
READS(AT_BEDS, Beds, float, beds);
#endif
#ifdef ODD
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
READS(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#define AFTER_SCALES
#include "blocks"
#include "halted"
#include "sums"

shared uint most_here, pace_here, broken_here;

// Of the pipe from slot a to slot b.
float scaled(float f, uint a, uint b)
{
#ifdef PARTED
    float forth = smaller(scales[a], scales[law.slots + b]);
    float back = smaller(scales[b], scales[law.slots + a]);
#else
    float forth = scales[a], back = scales[b];
#endif
    precise float result = f * (f > 0.0 ? forth : back);
    return result;
}
#ifdef ODD
#define SCALED
#include "odd_sums"
#endif

#ifdef FLOW
// Velocities that find no room are stopped.
float stopped(float u, uint a, uint b)
{
#ifdef PARTED
    precise float result = u * (u > 0.0 ? scales[law.slots + b] : scales[law.slots + a]);
    return result;
#else
    return u;
#endif
}

float pace_of(Place at, float own)
{
    uint i = at.slot, n = law.slots;
    float west = new_speed[i - 1u], east = new_speed[i];
    float south = at.y > 0u ? new_speed[n + i - at.pitch] : 0.0, north = new_speed[n + i];
#ifdef PARTED
    west = stopped(west, i - 1u, i), east = stopped(east, i, i + 1u);
    south = stopped(south, i - at.pitch, i), north = stopped(north, i, i + at.pitch);
#endif
    float u = larger(abs(west), abs(east)), v = larger(abs(south), abs(north));
    precise float square = law.gravity * own;
    precise float pace = root_of(square) + (u + v);
    return own > law.film ? pace : 0.0;
}
#endif

float new_depth(Place at)
{
    uint i = at.slot, n = law.slots, low = i - at.pitch, high = i + at.pitch;
    float west = scaled(new_flux[i - 1u], i - 1u, i), east = scaled(new_flux[i], i, i + 1u);
    float south = scaled(new_flux[n + low], low, i), north = scaled(new_flux[n + i], i, high);
    flux[i] = east, flux[n + i] = north;
    precise float gain = (west - east) + (south - north);
#ifdef EIGHT
    float sw = scaled(new_flux[2u * n + low - 1u], low - 1u, i);
    float ne = scaled(new_flux[2u * n + i], i, high + 1u);
    float se = scaled(new_flux[3u * n + low + 1u], low + 1u, i);
    float nw = scaled(new_flux[3u * n + i], i, high - 1u);
    flux[2u * n + i] = ne, flux[3u * n + i] = nw;
    gain = gain + ((sw - ne) + (se - nw));
#endif
#ifdef ODD
    uint odd = odd_columns[i];
    if (odd != 0u && odd_flow[4u * law.pipes + odd - 1u] != 0.0) gain = sums_of(odd - 1u, at).gain;
#endif
    precise float change = law.dt_area * gain;
    float fresh = depth_after(depth[i], change);
    depth[i] = fresh;
    return fresh;
}

void main()
{
    Place at = place_here();
    if (is_halted()) return;
    bool first = gl_LocalInvocationIndex == 0u;
    if (first) most_here = 0u, pace_here = 0u, broken_here = 0u;
    barrier();
    if (at.exists && is_awake(at)) {
        float own = new_depth(at);
        if (!(own - own == 0.0)) broken_here = 1u;
#ifdef CEILINGS
        float ceiling = beds[law.slots + at.slot];
        precise float cap = ceiling - beds[at.slot], nearly = cap * 0.998;
        if (ceiling < law.top && own >= nearly && cap > 0.0) status[law.status_at + FULL] = 1u;
#endif
        if (own > law.film) {
            uint word = law.next_at + block_word(at), bit = block_bit(at);
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
