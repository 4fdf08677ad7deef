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
