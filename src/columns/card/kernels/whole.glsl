// A whole substep of the papers' pipes: fluxes, shares and depths, for four neighbours, without odd
// pipes and ceilings. A group works out again what it needs of the pipes around it.
layout(local_size_x = 32, local_size_y = 8) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef PRESSED
READS(AT_PRESS, Press, float, press);
#endif
#include "blocks"
#include "halted"
#include "sums"
#include "found"
#include "shares"
#include "cell_pipe"

#define PIPES_WIDE 35u
#define PIPES_ALL 385u
shared vec2 flows[385]; // of the pipes to the east and to the north, from two columns before on

Place moved_to(Place at, int x, int y)
{
    Place other = at;
    other.slot = uint(int(at.slot) + (x - int(at.x)) + (y - int(at.y)) * int(at.pitch));
    other.x = uint(x), other.y = uint(y), other.row = uint(int(at.row) + y - int(at.y));
    return other;
}

void take_pipes(Place at, uint k)
{
    int x = int(at.x) - int(gl_LocalInvocationID.x) + int(k % PIPES_WIDE) - 2;
    int y = int(at.y) - int(gl_LocalInvocationID.y) + int(k / PIPES_WIDE) - 2;
    vec2 found = vec2(0.0);
    if (x >= 0 && x < int(at.nx) && y >= 0 && y < int(at.ny) && is_awake(moved_to(at, x, y))) {
        uint i = moved_to(at, x, y).slot, n = law.slots, slopes = pipes[i];
        bool top = y + 1 == int(at.ny); // its pipe to the next row is none
        found.x = pipe_flux(i, i + 1u, float(slopes & 0xffffu), 0.0, law.share, law.slant_x,
                            flux[i]);
        found.y = top ? flux[n + i]
                      : pipe_flux(i, i + at.pitch, float(slopes >> 16), 0.0, law.share,
                                  law.slant_y, flux[n + i]);
    }
    flows[k] = found;
}

// The column with share k, of those of the group and around.
void take_share(Place at, uint k)
{
    int x = int(at.x) - int(gl_LocalInvocationID.x) + int(k % WIDE) - 1;
    int y = int(at.y) - int(gl_LocalInvocationID.y) + int(k / WIDE) - 1;
    uint own = (k / WIDE + 1u) * PIPES_WIDE + k % WIDE + 1u;
    float share = 1.0;
    if (x >= 0 && x < int(at.nx) && y >= 0 && y < int(at.ny))
        share = share_given(moved_to(at, x, y).slot, flows[own - 1u].x, flows[own].x,
                            flows[own - PIPES_WIDE].y, flows[own].y);
    gives[k] = share;
}

float finish_column(Place at)
{
    uint i = at.slot, own = share_at(0, 0);
    uint k = (gl_LocalInvocationID.y + 2u) * PIPES_WIDE + gl_LocalInvocationID.x + 2u;
    float west = scaled(flows[k - 1u].x, share_at(-1, 0), own);
    float east = scaled(flows[k].x, own, share_at(1, 0));
    float south = scaled(flows[k - PIPES_WIDE].y, share_at(0, -1), own);
    float north = scaled(flows[k].y, own, share_at(0, 1));
    new_flux[i] = east, new_flux[law.slots + i] = north;
    precise float change = law.dt_area * ((west - east) + (south - north));
    return depth_after(depth[i], change);
}

void main()
{
    Place at = place_here();
    if (is_halted() || !group_works(at)) return;
    uint k = gl_LocalInvocationIndex;
    take_pipes(at, k);
    if (k + 256u < PIPES_ALL) take_pipes(at, k + 256u);
    barrier();
    take_share(at, k);
    if (k + 256u < 340u) take_share(at, k + 256u);
    begin_found();
    if (at.exists && is_awake(at)) {
        float own = finish_column(at);
        new_depth[at.slot] = own;
        note_depth(at, own, law.next_at);
        note_most(own);
    } else if (at.exists && was_awake(at)) {
        new_depth[at.slot] = depth[at.slot];
        new_flux[at.slot] = 0.0, new_flux[law.slots + at.slot] = 0.0;
    }
    tell_found();
}
