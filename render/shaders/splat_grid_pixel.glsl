// The grid pass (paper 002 §1.4): u' = u − dt ∇P + dt g, P = k (ρ/ρ0)^γ; the velocity into a wall is 0.
#include splat_numbers
uniform sampler2D sums, solids;
layout(location = 0) out vec4 after;  // velocity, m/s; density
layout(location = 1) out vec4 change; // of the velocity

float pressure(ivec3 cell)
{
    cell = clamp(cell, ivec3(0), cells.xyz - 1);
    float density = texelFetch(sums, texel(cell), 0).w * kernel.w;
    return force.w * pow(density, liquid.x);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec3 cell = cell_of(at);
    vec4 sum = texelFetch(sums, at, 0);
    if (sum.w <= 0.0) {
        after = change = vec4(0.0);
        return;
    }
    vec3 u = sum.xyz / sum.w, slope = vec3(0.0);
    slope.x = pressure(cell + ivec3(1, 0, 0)) - pressure(cell - ivec3(1, 0, 0));
    slope.y = pressure(cell + ivec3(0, 1, 0)) - pressure(cell - ivec3(0, 1, 0));
#if SOLID
    slope.z = pressure(cell + ivec3(0, 0, 1)) - pressure(cell - ivec3(0, 0, 1));
#endif
    vec3 now = u + time.x * (force.xyz - 0.5 * time.z * slope);
    now = mix(now, max(now, 0.0), equal(cell, ivec3(0)));
    now = mix(now, min(now, 0.0), equal(cell, cells.xyz - 1));
    after = vec4(now, sum.w * kernel.w);
    change = vec4(now - u, 0.0);
}
