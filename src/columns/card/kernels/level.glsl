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
#ifdef CEILINGS
#define FULL_COUNTS
#endif
#include "found"

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
    return pace_from(own, u, v);
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
    begin_found();
    if (at.exists && is_awake(at)) {
        float own = new_depth(at);
        note_depth(at, own, law.next_at);
        note_most(own);
#ifdef CEILINGS
        note_full(at, own);
#endif
#ifdef FLOW
        atomicMax(pace_here, floatBitsToUint(pace_of(at, own)));
#endif
    }
    tell_found();
}
