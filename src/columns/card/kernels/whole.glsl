// A whole substep of the papers' pipes: which blocks work, fluxes, shares and depths, for four
// neighbours, without odd pipes and ceilings. A group works out again what it needs of the pipes
// around it.
#include "tile"
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
READS(AT_PIPES, Pipes, uint, pipes);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef PRESSED
READS(AT_PRESS, Press, float, press);
#endif
#define WAKES
#include "halted"
#include "rows"
#include "tile_rows"
#include "sums"
#define TILED_ROWS
#include "found"
#include "shares"
#include "cell_pipe"

#define PIPES_WIDE 35u
#define PIPES_ALL (PIPES_WIDE * (HIGH + 3u))
shared vec2 flows[PIPES_ALL]; // of the pipes to the east and to the north, from two columns before on

void take_pipes(Place at, uint k)
{
    Place own = moved_to(at, int(at.x) - int(gl_LocalInvocationID.x) + int(k % PIPES_WIDE) - 2,
                         int(tile_y) + int(k / PIPES_WIDE) - 2);
    vec2 found = vec2(0.0);
    if (own.exists && is_awake(own)) {
        uint i = own.slot, n = law.slots, slopes = pipes[i];
        bool top = own.y + 1u == at.ny; // its pipe to the next row is none
        float east = flux[i], north = flux[n + i];
        found.x =
            pipe_flux(i, i + 1u, float(slopes & 0xffffu), 0.0, law.share, law.slant_x, east);
        found.y = top ? north
                      : pipe_flux(i, i + at.pitch, float(slopes >> 16), 0.0, law.share,
                                  law.slant_y, north);
    }
    flows[k] = found;
}

void take_share(Place at, uint k)
{
    Place place = share_place(at, k);
    uint own = (k / WIDE + 1u) * PIPES_WIDE + k % WIDE + 1u;
    float share = 1.0;
    if (place.exists)
        share = share_given(place.slot, flows[own - 1u].x, flows[own].x, flows[own - PIPES_WIDE].y,
                            flows[own].y);
    gives[k] = share;
}

void finish_column(Place at, uint pass)
{
    uint i = at.slot;
    uint k = (gl_LocalInvocationID.y + 8u * pass + 2u) * PIPES_WIDE + gl_LocalInvocationID.x + 2u;
    vec3 left =
        finished(at, pass, flows[k - 1u].x, flows[k].x, flows[k - PIPES_WIDE].y, flows[k].y);
    new_flux[i] = left.x, new_flux[law.slots + i] = left.y, new_depth[i] = left.z;
    note_depth(at, left.z);
    note_most(left.z);
}

// What falls asleep stops: nobody looks at its fluxes.
void stop_column(uint i)
{
    uint n = law.slots;
    new_depth[i] = depth[i];
    flux[i] = 0.0, flux[n + i] = 0.0, new_flux[i] = 0.0, new_flux[n + i] = 0.0;
}

void main()
{
    Place at = place_first();
    if (tell_halted()) return;
    begin_found();
    take_rows(at);
    barrier();
    if (!group_works(at)) return;
    for (uint k = gl_LocalInvocationIndex; k < PIPES_ALL; k += 256u) take_pipes(at, k);
    barrier();
    for (uint k = gl_LocalInvocationIndex; k < SHARES; k += 256u) take_share(at, k);
    barrier();
    for (uint pass = 0u; pass < TIMES; pass++) {
        Place own = place_of_pass(at, pass);
        if (own.exists && is_awake(own))
            finish_column(own, pass);
        else if (own.exists && was_awake(own))
            stop_column(own.slot);
    }
    tell_found();
    tell_wet(at, law.next_at);
}
