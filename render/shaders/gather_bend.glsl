// Where the lamp's light that meets liquid ends, at the bed, compared with a level surface's; `way`, through the liquid, is
// how deep it is before. Curtains and cuts bend nothing.
vec3 bent_end(vec3 at, vec3 normal, float fallen, inout float way)
{
    if (fallen >= 0.0 || fallen <= -1.5) return at;
    vec3 d = normalize(normal);
    // Light that only grazes the surface is carried as if it met it at 6 degrees.
    float toward = dot(d, key.xyz);
    if (toward < 0.1) d = normalize(d + key.xyz * (0.1 - toward));
    float index = 1.0 / max(fade.w, 1.0);
    vec3 inside = refract(-key.xyz, d, index), level = refract(-key.xyz, vec3(0.0, 0.0, 1.0), index);
    at.xy += way * (inside.xy / max(-inside.z, 0.3) - level.xy / max(-level.z, 0.3));
    way /= max(-inside.z, 0.3);
    return at;
}
