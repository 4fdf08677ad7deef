// The particles' update (splat paper §1.5): u = r u' + (1 − r)(u + u' − u before), x by two steps of Runge and Kutta through
// u', clamped to the domain.
#include splat_numbers
uniform usampler2D places, motions;
uniform sampler2D after, change, solids;
layout(location = 0) out uvec4 place;
layout(location = 1) out uvec4 motion;

vec3 mixed(sampler2D field, ivec2 at, vec3 share)
{
    vec3 a = texelFetch(field, at, 0).xyz, b = texelFetch(field, at + ivec2(1, 0), 0).xyz;
    vec3 c = texelFetch(field, at + ivec2(0, 1), 0).xyz, d = texelFetch(field, at + ivec2(1, 1), 0).xyz;
    a += share.x * (b - a);
    c += share.x * (d - c);
    return a + share.y * (c - a);
}

// Between the eight (four) cells around a place.
vec3 between(sampler2D field, vec3 at)
{
    vec3 low = floor(at - 0.5), share = at - 0.5 - low;
    ivec3 cell = ivec3(low);
#if SOLID
    vec3 below = mixed(field, texel(cell), share), above = mixed(field, texel(cell + ivec3(0, 0, 1)), share);
    return below + share.z * (above - below);
#else
    return mixed(field, texel(ivec3(cell.xy, 0)), share);
#endif
}

// Distance to solids, cells.
float away(ivec3 cell)
{
    return texelFetch(solids, texel(cell), 0).w;
}

// A particle too near to a solid is moved out along the distance's slope, and does not move in.
void push_out(inout vec3 x, inout vec3 u)
{
    if (away(ivec3(x)) > 1.5) return;
    for (int k = 0; k < 2; k++) {
        vec3 low = floor(x - 0.5), f = x - 0.5 - low;
        ivec3 c = ivec3(low);
#if SOLID
        vec4 a = vec4(away(c), away(c + ivec3(1, 0, 0)), away(c + ivec3(0, 1, 0)), away(c + ivec3(1, 1, 0)));
        vec4 b = vec4(away(c + ivec3(0, 0, 1)), away(c + ivec3(1, 0, 1)), away(c + ivec3(0, 1, 1)), away(c + ivec3(1, 1, 1)));
        vec4 m = mix(a, b, f.z), rise = b - a;
#else
        c.z = 0;
        vec4 m = vec4(away(c), away(c + ivec3(1, 0, 0)), away(c + ivec3(0, 1, 0)), away(c + ivec3(1, 1, 0)));
#endif
        vec2 row = mix(m.xz, m.yw, f.x);
        float d = mix(row.x, row.y, f.y);
        if (d >= CLEAR) return;
        vec3 n = vec3(mix(m.y - m.x, m.w - m.z, f.y), row.y - row.x, 0.0);
#if SOLID
        vec2 tilt = mix(rise.xz, rise.yw, f.x);
        n.z = mix(tilt.x, tilt.y, f.y);
#endif
        float steep = length(n);
        if (steep < 1e-6) return;
        n /= steep;
        vec3 v = texelFetch(solids, texel(ivec3(x)), 0).xyz;
        u -= n * min(dot(u - v, n), 0.0);
        x = clamp(x + n * (CLEAR - d), vec3(INSET), vec3(cells.xyz) - INSET);
#if !SOLID
        x.z = u.z = 0.0;
#endif
    }
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    place = texelFetch(places, at, 0);
    motion = texelFetch(motions, at, 0);
    if (at.y * parts.x + at.x >= parts.y || place.w != 0u) return;
    vec3 x = uintBitsToFloat(place.xyz), u = uintBitsToFloat(motion.xyz), size = vec3(cells.xyz);
    vec3 now = between(after, x);
    u = time.w * now + (1.0 - time.w) * (u + between(change, x));
    vec3 half_way = clamp(x + 0.5 * time.z * now, vec3(0.0), size);
    vec3 next = x + time.z * between(after, half_way);
    vec3 low = vec3(INSET), high = size - INSET;
    for (int c = 0; c < 2 + SOLID; c++) {
        if (is_open(c, 0)) low[c] = -2.0;
        if (is_open(c, 1)) high[c] = size[c] + 2.0;
    }
    next = clamp(next, low, high);
    if (law.z == 0) {
        u = mix(u, max(u, 0.0), lessThanEqual(next, low));
        u = mix(u, min(u, 0.0), greaterThanEqual(next, high));
    }
#if !SOLID
    next.z = u.z = 0.0;
#endif
    // Over an open border a particle leaves: it stays where it is, and is nothing any more.
    bool gone = any(lessThan(next, vec3(0.0))) || any(greaterThanEqual(next.xy, size.xy));
#if SOLID
    gone = gone || next.z >= size.z;
#endif
    if (gone) {
        place = uvec4(floatBitsToUint(next), 1u);
        motion = uvec4(0u);
        return;
    }
    if (more.y != 0) push_out(next, u);
    bool good = !any(isnan(u)) && !any(isinf(u)) && !any(isnan(next)) && !any(isinf(next));
    place.xyz = floatBitsToUint(good ? next : x);
    motion.xyz = floatBitsToUint(good ? u : vec3(0.0));
}
