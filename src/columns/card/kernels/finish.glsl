// What `scale` and `level` do, at once: for four neighbours, without odd pipes and ceilings. New
// depths go to another buffer, because the groups beside this one look at the old ones.
#include "tile"
READS(AT_DEPTH, Depth, float, depth);
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
CHANGES(AT_FLUX, Flux, float, flux);
READS(AT_NEW_FLUX, NewFlux, float, new_flux);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
READS(AT_NEW_SPEED, NewSpeed, float, new_speed);
#include "halted"
#include "rows"
#include "tile_rows"
#include "sums"
#define TILED_ROWS
#include "found"
#include "shares"

void take_share(Place at, uint x, uint y)
{
    Place place = share_place(at, x, y);
    float share = 1.0;
    if (place.exists) {
        uint i = place.slot, n = law.slots;
        share = share_given(depth[i], new_flux[i - 1u], new_flux[i], new_flux[n + i - at.pitch],
                            new_flux[n + i]);
    }
    gives[y * WIDE + x] = share;
}

float pace_of(Place at, float own)
{
    uint i = at.slot, n = law.slots;
    float south = at.y > 0u ? new_speed[n + i - at.pitch] : 0.0;
    float u = larger(abs(new_speed[i - 1u]), abs(new_speed[i]));
    return pace_from(own, u, larger(abs(south), abs(new_speed[n + i])));
}

void finish_column(Place at)
{
    uint i = at.slot, n = law.slots;
    vec3 left = finished(depth[i], new_flux[i - 1u], new_flux[i], new_flux[n + i - at.pitch],
                         new_flux[n + i]);
    flux[i] = left.x, flux[n + i] = left.y, new_depth[i] = left.z;
    note_depth(at, left.z);
    note_most(left.z);
    note_pace(pace_of(at, left.z));
}

void main()
{
    Place at = place_first();
    if (is_halted()) return;
    begin_found();
    take_rows(at);
    barrier();
    if (!group_works(at)) return;
    EACH_PLACE(take_share, at, WIDE, HIGH + 2u)
    barrier();
    if (at.exists && is_awake(at))
        finish_column(at);
    else if (at.exists && was_awake(at))
        new_depth[at.slot] = depth[at.slot];
    tell_found();
    tell_wet(at, law.next_at);
}
