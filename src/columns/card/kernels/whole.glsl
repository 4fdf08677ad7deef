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
    if (is_in_plane(at, ivec2(x, y)) && is_awake(moved_to(at, x, y))) {
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
    ivec2 p = share_place(at, k);
    uint own = (k / WIDE + 1u) * PIPES_WIDE + k % WIDE + 1u;
    float share = 1.0;
    if (is_in_plane(at, p))
        share = share_given(moved_to(at, p.x, p.y).slot, flows[own - 1u].x, flows[own].x,
                            flows[own - PIPES_WIDE].y, flows[own].y);
    gives[k] = share;
}

float finish_column(Place at)
{
    uint i = at.slot;
    uint k = (gl_LocalInvocationID.y + 2u) * PIPES_WIDE + gl_LocalInvocationID.x + 2u;
    vec3 left =
        finished(at, flows[k - 1u].x, flows[k].x, flows[k - PIPES_WIDE].y, flows[k].y);
    new_flux[i] = left.x, new_flux[law.slots + i] = left.y;
    return left.z;
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
