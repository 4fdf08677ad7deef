// The particles' update (paper 002 §1.5): u = r u' + (1 − r)(u + u' − u before), x by two steps of Runge and Kutta through
// u', clamped to the domain.
#include splat_numbers
uniform usampler2D places, motions;
uniform sampler2D after, change, solids;
layout(location = 0) out uvec4 place;
layout(location = 1) out uvec4 motion;

// Between the eight (four) cells around a place.
vec4 between(sampler2D field, vec3 at)
{
    vec3 top = vec3(cells.xyz - 1);
    at = clamp(at - 0.5, vec3(0.0), top);
    vec3 low = min(floor(at), max(top - 1.0, 0.0)), share = at - low;
    ivec3 cell = ivec3(low), next = min(cell + 1, cells.xyz - 1);
    ivec2 t = texel(cell);
    ivec2 side = next.xy - cell.xy;
    vec4 a = texelFetch(field, t, 0), b = texelFetch(field, t + ivec2(side.x, 0), 0);
    vec4 c = texelFetch(field, t + ivec2(0, side.y), 0), d = texelFetch(field, t + side, 0);
    vec4 near = mix(mix(a, b, share.x), mix(c, d, share.x), share.y);
#if SOLID
    t = texel(ivec3(cell.xy, next.z));
    a = texelFetch(field, t, 0), b = texelFetch(field, t + ivec2(side.x, 0), 0);
    c = texelFetch(field, t + ivec2(0, side.y), 0), d = texelFetch(field, t + side, 0);
    near = mix(near, mix(mix(a, b, share.x), mix(c, d, share.x), share.y), share.z);
#endif
    return near;
}

vec3 inside(vec3 at)
{
    return clamp(at, vec3(0.5), vec3(cells.xyz) - 0.5);
}

void main()
{
    ivec2 texel = ivec2(gl_FragCoord.xy);
    vec3 x = uintBitsToFloat(texelFetch(places, texel, 0).xyz);
    vec3 u = uintBitsToFloat(texelFetch(motions, texel, 0).xyz);
    vec3 now = between(after, x).xyz;
    vec3 changed = between(change, x).xyz;
    u = mix(u + changed, now, liquid.y);
    vec3 half_way = inside(x + 0.5 * time.y * now);
    x = inside(x + time.y * between(after, half_way).xyz);
#if !SOLID
    x.z = u.z = 0.0;
#endif
    place = uvec4(floatBitsToUint(x), 0u);
    motion = uvec4(floatBitsToUint(u), 0u);
}
