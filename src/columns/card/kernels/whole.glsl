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

#ifndef TALL
// The group's columns and two more to each side: bed and depth, slopes, fluxes. They are asked for
// before it is known whether the group works: the way to them is long.
#define DATA_WIDE 36u
#define DATA_ALL (DATA_WIDE * (HIGH + 4u))
shared vec2 beds_here[DATA_ALL], fluxes_here[DATA_ALL];
shared uint slopes_here[DATA_ALL];

void take_data(Place at, uint k)
{
    int x = int(at.x - gl_LocalInvocationID.x + k % DATA_WIDE) - 2;
    int y = int(at.y - gl_LocalInvocationID.y + k / DATA_WIDE) - 2;
    bool there = y >= 0 && y < int(at.ny) && x <= int(at.nx) + 1;
    Place own = moved_to(at, there ? x : 0, there ? y : 0);
    uint i = own.slot, n = law.slots;
    vec2 bed = vec2(beds[i], depth[i]), flow = vec2(flux[i], flux[n + i]);
    uint slopes = pipes[i];
    beds_here[k] = there ? bed : vec2(0.0), fluxes_here[k] = flow, slopes_here[k] = slopes;
}
#endif

void take_pipes(Place at, uint x, uint y)
{
    Place own = moved_to(at, int(at.x - gl_LocalInvocationID.x + x) - 2, int(tile_y + y) - 2);
    vec2 found = vec2(0.0);
    if (own.exists && is_awake(own)) {
        uint i = own.slot, n = law.slots, east = i + 1u, north = i + at.pitch;
        bool top = own.y + 1u == at.ny; // its pipe to the next row is none
#ifdef TALL
        uint slopes = pipes[i];
        vec2 before = vec2(flux[i], flux[n + i]), low = vec2(beds[i], depth[i]);
        vec2 high_x = vec2(beds[east], depth[east]), high_y = vec2(beds[north], depth[north]);
#else
        uint data = y * DATA_WIDE + x, slopes = slopes_here[data];
        vec2 before = fluxes_here[data], low = beds_here[data];
        vec2 high_x = beds_here[data + 1u], high_y = beds_here[data + DATA_WIDE];
#endif
        found.x = pipe_between(i, east, low, high_x, float(slopes & 0xffffu), 0.0, law.share,
                               law.slant_x, before.x);
        found.y = top ? before.y
                      : pipe_between(i, north, low, high_y, float(slopes >> 16), 0.0, law.share,
                                     law.slant_y, before.y);
    }
    flows[y * PIPES_WIDE + x] = found;
}

// Of the column with the share at (x, y).
float share_depth(uint i, uint x, uint y)
{
#ifdef TALL
    return depth[i];
#else
    return beds_here[(y + 1u) * DATA_WIDE + x + 1u].y;
#endif
}

void take_share(Place at, uint x, uint y)
{
    Place place = share_place(at, x, y);
    uint own = (y + 1u) * PIPES_WIDE + x + 1u;
    float share = 1.0;
    if (place.exists)
        share = share_given(share_depth(place.slot, x, y), flows[own - 1u].x, flows[own].x, flows[own - PIPES_WIDE].y,
                            flows[own].y);
    gives[y * WIDE + x] = share;
}

void finish_column(Place at, uint pass)
{
    uint i = at.slot;
    uint k = (gl_LocalInvocationID.y + 8u * pass + 2u) * PIPES_WIDE + gl_LocalInvocationID.x + 2u;
    float own =
        share_depth(i, gl_LocalInvocationID.x + 1u, gl_LocalInvocationID.y + 8u * pass + 1u);
    vec3 left =
        finished(own, pass, flows[k - 1u].x, flows[k].x, flows[k - PIPES_WIDE].y, flows[k].y);
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
    begin_found();
#ifndef TALL
    for (uint k = gl_LocalInvocationIndex; k < DATA_ALL; k += 256u) take_data(at, k);
#endif
    if (tell_halted()) return;
    take_rows(at);
    barrier();
    if (!group_works(at)) return;
    EACH_PLACE(take_pipes, at, PIPES_WIDE, HIGH + 3u)
    barrier();
    EACH_PLACE(take_share, at, WIDE, HIGH + 2u)
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
