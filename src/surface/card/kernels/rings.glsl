// Distances to contacts spread over links in rings (../../meniscus.c). BEGIN: nothing is near, and
// columns linked to other planes are marked; FIRST: columns in one triangle with a contact; else a
// ring, from one half to the other.
#ifndef ALONE
layout(local_size_x = 16, local_size_y = 16) in;
#endif

#include "contact"

uint near_of(uint slot)
{
    return rings[law.from * law.slots + slot];
}

// Whether the surface may have a triangle with the way from a node in a direction; `o`: its links.
// What memory has is asked for at once, here and below.
bool has_sheet(uint o[8], int d)
{
    const int direction[9] = int[9](5, 6, 7, 4, 0, 0, 3, 2, 1);
    int most = (d & 1) != 0 ? 1 : 2;
    bool is = false;
    for (int k = -2; k <= 2; k++) {
        int t = (d + k) & 7;
        int x = STEP_X[t] - STEP_X[d], y = STEP_Y[t] - STEP_Y[d];
        uint there = links[uint(direction[clamp(3 * (y + 1) + x + 1, 0, 8)]) * law.nodes + o[d]];
        if (k != 0 && abs(k) <= most && o[t] != NONE && there == o[t]) is = true;
    }
    return is;
}

uint nearest_around(uint slot, vec2 at, float least)
{
    bool uneven = kind_of(slot) != KIND_EVEN;
    uint best = NONE, o[8], theirs[8];
    float square = uintBitsToFloat(0x7f800000u), other[8];
    for (int d = 0; d < 8; d++) o[d] = links[uint(d) * law.nodes + slot];
    for (int d = 0; d < 8; d++) {
        uint there = o[d] < law.slots ? o[d] : slot, nearest = rings[RING_NEAREST * law.slots + there];
        bool is = o[d] < law.slots && (near_of(there) & NEAR) != 0u;
        theirs[d] = is ? nearest : NONE;
    }
    if ((near_of(slot) & SEED) != 0u) {
        best = rings[RING_NEAREST * law.slots + slot];
        square = square_to(best, at);
    }
    for (int d = 0; d < 8; d++) other[d] = square_to(theirs[d] != NONE ? theirs[d] : 0u, at);
    for (int d = 0; d < 8; d++) {
        if (theirs[d] == NONE || theirs[d] == best) continue;
        if (other[d] > square || other[d] < least) continue;
        if (other[d] == square && best != NONE && key_of(theirs[d]) > key_of(best)) continue;
        if (uneven && !has_sheet(o, d)) continue;
        square = other[d], best = theirs[d];
    }
    return best;
}

bool waits(uint slot, int pitch)
{
    if (!is_inside(slot)) return false;
    if ((near_of(slot) & (SEED | ACROSS)) != 0u) return true;
    uint any = 0u;
    for (int d = 0; d < 8; d++)
        any |= near_of(uint(int(slot) + step_of(d, pitch)));
    return (any & NEAR) != 0u;
}

bool keep(uint slot, uint contact, vec2 at, vec2 ring)
{
    Reading r = measure(contact, at, ring.y);
    if (!(r.distance < ring.x)) return false;
    rings[RING_DISTANCE * law.slots + slot] = floatBitsToUint(r.distance);
    rings[RING_TILT * law.slots + slot] = floatBitsToUint(r.tilt);
    rings[RING_NEAREST * law.slots + slot] = r.nearest;
    return true;
}

// A column that a contact is near to in a triangle: whether it is. `ring`: how far it may be, and the
// square of how far at least.
bool keep_first(uint slot, vec2 at, vec2 ring)
{
    uint contact = with_key(rings[RING_NEAREST * law.slots + slot]);
    rings[RING_NEAREST * law.slots + slot] = contact;
    return keep(slot, contact, at, ring);
}

// A column that is not near yet: whether it is now.
bool keep_next(uint slot, int pitch, vec2 at, vec2 ring)
{
    if (!waits(slot, pitch)) return false;
    uint best = nearest_around(slot, at, ring.y);
    return best != NONE && keep(slot, best, at, ring);
}

#ifndef ALONE
void main()
{
    Place p = place_here();
#ifndef BEGIN
    take_counts();
    if (!counted.fits) return;
#endif
    if (!p.exists) return;
#if defined(BEGIN)
    bool across = false;
    for (int d = 0; d < 8 && law.planes > 1u; d++) {
        uint o = links[uint(d) * law.nodes + p.slot];
        if (o < law.slots && o != uint(int(p.slot) + step_of(d, p.pitch))) across = true;
    }
    bool counts = kind_of(p.slot) != KIND_NONE && is_inside(p.slot);
    rings[p.slot] = rings[law.slots + p.slot] = across && counts ? ACROSS : 0u;
    rings[RING_NEAREST * law.slots + p.slot] = NONE;
    rings[RING_GUESS * law.slots + p.slot] = 0x7f800000u;
#else
    uint near = near_of(p.slot);
    vec2 at = vec2(cell_x(p.x), cell_y(p.y)), ring = vec2(law.ring, law.least);
#ifdef FIRST
    if ((near & NEAR) != 0u && !keep_first(p.slot, at, ring)) rings[p.slot] = SEED;
#else
    if (kind_of(p.slot) != KIND_NONE && (near & NEAR) == 0u &&
        keep_next(p.slot, p.pitch, at, ring))
        near = NEAR;
    rings[law.to * law.slots + p.slot] = near;
#endif
#endif
}
#endif
