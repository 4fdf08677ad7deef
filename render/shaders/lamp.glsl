// The lamp's light through its shadow map: looked up once for each vertex of the terrain and each spot of the floor, and
// kept until lamp or terrain change. So many samples cost nothing, and half shadows are smooth.
uniform highp sampler2DShadow shadow;
uniform highp sampler2D blocker;

// The n-th of points that fill a disk evenly.
vec2 disk(int n, float count)
{
    float a = 2.39996323 * float(n);
    return sqrt((float(n) + 0.5) / count) * vec2(cos(a), sin(a));
}

// Share of the lamp that is seen. Half shadows are as wide as the lamp seen past what blocks it.
float lamp_seen(vec3 p, vec3 n, int samples)
{
    vec3 at = (to_shadow * vec4(p + n * 1.5 * range.w * range.z, 1.0)).xyz;
    at.z = min(at.z, 1.0);
    float widest = 0.22 * forward.w * key.w / range.w;
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 32; k++) {
        float z = textureLod(blocker, at.xy + widest * disk(k, 32.0), 0.0).r;
        if (z < at.z) sum += z, count += 1.0;
    }
    if (count < 0.5) return 1.0;
    float gap = (at.z - sum / count) * key_light.w / range.w;
    float wide = clamp(key.w * gap, 1.5 * range.z, widest);
    float seen = 0.0;
    for (int k = 0; k < samples; k++)
        seen += textureLod(shadow, vec3(at.xy + wide * disk(k, float(samples)), at.z), 0.0);
    return seen / float(samples);
}
