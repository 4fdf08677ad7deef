// Of each square: which rows have something wet, over all planes, and whether the liquid is another
// than when it was last looked at; and remembers it. The list are all squares; rings are what is
// remembered: depth and fluxes.
layout(local_size_x = 16, local_size_y = 16) in;

shared uint rows, changed;

bool other(uint slot)
{
    uint n = law.slots;
    uint a = floatBitsToUint(depth[slot]), b = floatBitsToUint(flux[slot]);
    uint c = floatBitsToUint(flux[n + slot]);
    bool differs = rings[slot] != a || rings[n + slot] != b || rings[2u * n + slot] != c;
    rings[slot] = a, rings[n + slot] = b, rings[2u * n + slot] = c;
    return differs;
}

void main()
{
    Place p = place_here();
    if (gl_LocalInvocationIndex == 0u) rows = 0u, changed = 0u;
    barrier();
    uint slot = 0u;
    for (uint l = 0u; l < law.planes; l++) {
        if (!slot_in(l, p.x, p.y, slot)) continue;
        int pitch = int(law.plane[2u * l].y);
        bool differs = other(slot);
        // what comes in over the plane's border stands one column before it
        if (p.x == int(law.plane[2u * l + 1u].x)) differs = other(slot - 1u) || differs;
        if (p.y == int(law.plane[2u * l + 1u].y)) differs = other(slot - uint(pitch)) || differs;
        if (differs) atomicOr(changed, 1u);
        if (depth[slot] > law.film) atomicOr(rows, 1u << gl_LocalInvocationID.y);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) status[law.to + square_here()] = rows | changed << 16;
}
