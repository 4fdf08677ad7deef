// The grid pass (splat paper §1.4): u' = u − dt ∇P + dt g; nothing flows into walls. One cell beyond a wall velocities are
// those before it, mirrored, for particles that are nearer to it than the middle of a cell.
#include splat_numbers
uniform sampler2D sums, pressures, solids;
layout(location = 0) out vec4 after;  // velocity, m/s
layout(location = 1) out vec4 change; // of the velocity

float pressure(ivec3 cell, float own)
{
    ivec2 at = texel(clamp(cell, ivec3(0), cells.xyz - 1));
    if (more.y != 0 && texelFetch(solids, at, 0).w <= -1.0) return own;
    return texelFetch(pressures, at, 0).x;
}

float away(ivec3 cell)
{
    return texelFetch(solids, texel(clamp(cell, ivec3(0), cells.xyz - 1)), 0).w;
}

// Seen from a solid that is near, the velocity does not point into it; deep in it, it is the solid's.
vec3 out_of_solids(ivec3 cell, vec3 v)
{
    vec4 solid = texelFetch(solids, texel(cell), 0);
    if (solid.w >= 0.5) return v;
    if (solid.w <= -1.0) return solid.xyz;
    vec3 n = vec3(0.0);
    n.x = away(cell + ivec3(1, 0, 0)) - away(cell - ivec3(1, 0, 0));
    n.y = away(cell + ivec3(0, 1, 0)) - away(cell - ivec3(0, 1, 0));
#if SOLID
    n.z = away(cell + ivec3(0, 0, 1)) - away(cell - ivec3(0, 0, 1));
#endif
    n /= max(length(n), 1e-6);
    return v - n * min(dot(v - solid.xyz, n), 0.0);
}

// Moved along with a rod.
vec3 stirred(vec3 at, vec3 v)
{
    vec3 off = at - stir.xyz;
#if !SOLID
    off.z = 0.0;
#endif
    float left = 1.0 - dot(off, off) / (stir.w * stir.w);
    if (left <= 0.0) return v;
    float follow = min(1.0, 4.0 * stirring.w * length(stirring.xyz) / (stir.w * metre.x));
    return v + left * follow * (stirring.xyz - v);
}

void main()
{
    ivec3 here = cell_of(ivec2(gl_FragCoord.xy)), cell = clamp(here, ivec3(0), cells.xyz - 1), off = abs(here - cell);
    after = change = vec4(0.0);
    if (max(off.x, max(off.y, off.z)) > 1) return;
    ivec2 at = texel(cell);
    vec4 sum = texelFetch(sums, at, 0);
    if (sum.w <= TINY) return;
    vec3 u = sum.xyz / sum.w, v = u;
    float own = texelFetch(pressures, at, 0).x;
    for (int axis = 0; axis < 2 + SOLID; axis++) {
        ivec3 side = ivec3(axis == 0, axis == 1, axis == 2);
        v[axis] -= time.x * (pressure(cell + side, own) - pressure(cell - side, own));
        v[axis] -= fall[axis];
        bool low = cell[axis] == 0 && !is_open(axis, 0), high = cell[axis] == cells[axis] - 1 && !is_open(axis, 1);
        if (low && (law.z != 0 || v[axis] < 0.0)) v[axis] = 0.0;
        if (high && (law.z != 0 || v[axis] > 0.0)) v[axis] = 0.0;
    }
    if (stir.w > 0.0) v = stirred(vec3(cell) + 0.5, v);
    if (more.y != 0) v = out_of_solids(cell, v);
    vec3 turned = vec3(1.0);
    for (int axis = 0; axis < 2 + SOLID; axis++)
        if (off[axis] != 0 && !is_open(axis, here[axis] < 0 ? 0 : 1)) turned[axis] = -1.0;
    after = vec4(v * turned, 0.0);
    change = vec4((v - u) * turned, 0.0);
}
