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
READS(AT_NEW_SPEED, NewSpeed, float, new_speed);
#if defined(PARTED) && !defined(SETTLED)
#define STOPS_HERE
CHANGES(AT_SPEED, Speed, float, speed); // those that are left; others look at the new ones
#endif
#endif
#ifdef CEILINGS
READS(AT_BEDS, Beds, float, beds);
#endif
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#ifdef PASSAGES
#include "full"

// Whether its velocities are to be set once its depth is known, so that its pace is found then.
bool is_left(Place at)
{
    uint i = at.slot;
    uvec4 beside = uvec4(i - 1u, i + 1u, i - at.pitch, i + at.pitch);
    uint marks = full[MARK_AT + i] | full[MARK_AT + beside.x] | full[MARK_AT + beside.y] |
                 full[MARK_AT + beside.z] | full[MARK_AT + beside.w];
    return (marks >> 2) != 0u;
}
#endif
#define AFTER_SCALES
#include "blocks"
#include "halted"
#include "sums"
#ifdef CEILINGS
#define FULL_COUNTS
#endif
#include "found"

#include "scaled"

// What is left in the pipe of a way from slot a to slot b. SETTLED: passages had their say.
float left_in(uint way, uint a, uint b)
{
#ifdef SETTLED
    return flux[way * law.slots + a];
#else
    return scaled(new_flux[way * law.slots + a], a, b);
#endif
}

#ifdef ODD
#include "odd_list"
#include "odd_scaled"
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

#ifdef STOPS_HERE
void stop_pipes(Place at)
{
    uint i = at.slot, n = law.slots, high = i + at.pitch;
    bool top = at.y + 1u == at.ny;
    speed[i] = stopped(new_speed[i], i, i + 1u);
    speed[n + i] = top ? new_speed[n + i] : stopped(new_speed[n + i], i, high);
#ifdef EIGHT
    float ne = new_speed[2u * n + i], nw = new_speed[3u * n + i];
    speed[2u * n + i] = top ? ne : stopped(ne, i, high + 1u);
    speed[3u * n + i] = top ? nw : stopped(nw, i, high - 1u);
#endif
}
#endif

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
#ifdef ODD
    uint odd_at = odd_columns[i];
#endif
    float west = left_in(0u, i - 1u, i), east = left_in(0u, i, i + 1u);
    float south = left_in(1u, low, i), north = left_in(1u, i, high);
    precise float gain = (west - east) + (south - north);
#ifndef SETTLED
    flux[i] = east, flux[n + i] = north;
#endif
#ifdef EIGHT
    float sw = left_in(2u, low - 1u, i), ne = left_in(2u, i, high + 1u);
    float se = left_in(3u, low + 1u, i), nw = left_in(3u, i, high - 1u);
    gain = gain + ((sw - ne) + (se - nw));
#ifndef SETTLED
    flux[2u * n + i] = ne, flux[3u * n + i] = nw;
#endif
#endif
#ifdef ODD
    if (odd_at != 0u) {
        Sums sums = sums_of(odd_at - 1u, at);
        if (sums.live) gain = sums.gain;
    }
#endif
    precise float change = law.dt_area * gain;
    float fresh = depth_after(depth[i], change);
#ifdef KEEPS // of unified passages: what goes in at one gate comes out at others
    uint mark = full[MARK_AT + i];
    if ((mark >> 2) != 0u && (mark & IS_MEMBER) != 0u) fresh = depth[i];
#endif
    depth[i] = fresh;
    return fresh;
}

void main()
{
    Place at = place_here();
    if (is_halted()) return;
#if defined(ODD) && !defined(SETTLED)
    if (thread_here().z >= law.planes) { // in higher planes: odd pipes
        uint k = listed_here();
        if (k < law.pipes) finish_odd(k);
        return;
    }
#endif
    begin_found();
    barrier();
    if (at.exists && is_awake(at)) {
        float own = new_depth(at);
        note_depth(at, own, law.next_at);
        note_most(own);
#ifdef CEILINGS
        note_full(at, own);
#endif
#ifdef FLOW
#ifdef PASSAGES
        if (!is_left(at))
#endif
            note_pace(pace_of(at, own));
#ifdef STOPS_HERE
        stop_pipes(at);
#endif
#endif
    }
    tell_found();
}
