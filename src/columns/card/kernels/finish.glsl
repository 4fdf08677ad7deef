// What `scale` and `level` do, at once: for four neighbours, without odd pipes and ceilings. New
// depths go to another buffer, because the groups beside this one look at the old ones.
layout(local_size_x = 32, local_size_y = 8) in;
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
CHANGES(AT_FLUX, Flux, float, flux);
READS(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef FLOW
READS(AT_NEW_SPEED, NewSpeed, float, new_speed);
#endif
#include "blocks"
#include "halted"
#include "sums"
#include "found"
#include "shares"

void take_share(Place at, uint k)
{
    ivec2 p = share_place(at, k);
    float share = 1.0;
    if (is_in_plane(at, p)) {
        uint i = uint(int(at.slot) + (p.x - int(at.x)) + (p.y - int(at.y)) * int(at.pitch));
        uint n = law.slots;
        share = share_given(i, new_flux[i - 1u], new_flux[i], new_flux[n + i - at.pitch],
                            new_flux[n + i]);
    }
    gives[k] = share;
}

#ifdef FLOW
float pace_of(Place at, float own)
{
    uint i = at.slot, n = law.slots;
    float south = at.y > 0u ? new_speed[n + i - at.pitch] : 0.0;
    float u = larger(abs(new_speed[i - 1u]), abs(new_speed[i]));
    return pace_from(own, u, larger(abs(south), abs(new_speed[n + i])));
}
#endif

float finish_column(Place at)
{
    uint i = at.slot, n = law.slots;
    vec3 left = finished(at, new_flux[i - 1u], new_flux[i], new_flux[n + i - at.pitch],
                         new_flux[n + i]);
    flux[i] = left.x, flux[n + i] = left.y;
    return left.z;
}

void main()
{
    Place at = place_here();
    if (is_halted() || !group_works(at)) return;
    uint k = gl_LocalInvocationIndex;
    take_share(at, k);
    if (k + 256u < 340u) take_share(at, k + 256u);
    begin_found();
    if (at.exists && is_awake(at)) {
        float own = finish_column(at);
        new_depth[at.slot] = own;
        note_depth(at, own, law.next_at);
        note_most(own);
#ifdef FLOW
        atomicMax(pace_here, floatBitsToUint(pace_of(at, own)));
#endif
    } else if (at.exists && was_awake(at)) {
        new_depth[at.slot] = depth[at.slot];
    }
    tell_found();
}
