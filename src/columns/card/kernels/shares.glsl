// What columns can give of what they are asked for, of a group's columns and those around, so that
// fluxes can be scaled at once: for four neighbours, without odd pipes and ceilings. Needs depth.
#define WIDE 34u
shared float gives[340];

// Place of this thread's column there, moved by some columns and rows.
uint share_at(int dx, int dy)
{
    return (gl_LocalInvocationID.y + 1u) * WIDE + gl_LocalInvocationID.x + 1u +
           uint(dy * int(WIDE) + dx);
}

// `west` … `north`: what flows there before it is scaled.
float share_given(uint i, float west, float east, float south, float north)
{
    precise float ask = law.dt_area * outflow(west, east, south, north);
    return share_of(to_give(depth[i]), ask);
}

float scaled(float f, uint a, uint b)
{
    precise float result = f * (f > 0.0 ? gives[a] : gives[b]);
    return result;
}

// The place of share k: the group's columns and one more to each side.
ivec2 share_place(Place at, uint k)
{
    return ivec2(int(at.x) - int(gl_LocalInvocationID.x) + int(k % WIDE) - 1,
                 int(at.y) - int(gl_LocalInvocationID.y) + int(k / WIDE) - 1);
}

bool is_in_plane(Place at, ivec2 p)
{
    return p.x >= 0 && p.x < int(at.nx) && p.y >= 0 && p.y < int(at.ny);
}

// What is left of what flows through this thread's column, to the east and to the north, and its
// new depth. `west` … `north`: what flows before it is scaled.
vec3 finished(Place at, float west, float east, float south, float north)
{
    uint own = share_at(0, 0);
    float w = scaled(west, share_at(-1, 0), own), e = scaled(east, own, share_at(1, 0));
    float s = scaled(south, share_at(0, -1), own), n = scaled(north, own, share_at(0, 1));
    precise float change = law.dt_area * ((w - e) + (s - n));
    return vec3(e, n, depth_after(depth[at.slot], change));
}
