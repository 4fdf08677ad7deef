// What columns can give of what they are asked for, of a group's columns and those around, so that
// fluxes can be scaled at once: for four neighbours, without odd pipes and ceilings. Needs tile, sums.
#define WIDE 34u
#define SHARES (WIDE * (HIGH + 2u))
shared float gives[SHARES];

// Place of this thread's column there, moved by some columns and rows.
uint share_at(int dx, int dy)
{
    return (gl_LocalInvocationID.y + 1u) * WIDE + gl_LocalInvocationID.x + 1u +
           uint(dy * int(WIDE) + dx);
}

float scaled(float f, uint a, uint b)
{
    return scaled_by(f, gives[a], gives[b]);
}

// The column of the share at (x, y): the group's columns and one more to each side.
Place share_place(Place at, uint x, uint y)
{
    return moved_to(at, int(at.x - gl_LocalInvocationID.x + x) - 1, int(tile_y + y) - 1);
}

// What is left of what flows through this thread's column, `deep` before, to the east and to the
// north, and its new depth. `west` … `north`: what flows before it is scaled.
vec3 finished(float deep, float west, float east, float south, float north)
{
    uint own = share_at(0, 0);
    float w = scaled(west, share_at(-1, 0), own), e = scaled(east, own, share_at(1, 0));
    float s = scaled(south, share_at(0, -1), own);
    float n = scaled(north, own, share_at(0, 1));
    precise float change = law.dt_area * ((w - e) + (s - n));
    return vec3(e, n, depth_after(deep, change));
}
