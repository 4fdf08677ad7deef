// The picture of solids in the light that liquid leaves: darker where it takes the lamp's away, brighter where waves and
// round rims gather it.
#include frame
#include light
#include layer
#ifdef BODIES
#include bodies
#endif
uniform sampler2D scene;
uniform highp sampler2D scene_depth;
uniform highp sampler2D front_depth;
uniform sampler2D wet_light;
uniform highp sampler2D wet_depth;

vec2 ring(int n, float count)
{
    float a = 2.39996323 * float(n);
    return sqrt((float(n) + 0.5) / count) * vec2(cos(a), sin(a));
}

// How far above a place liquid is, along the lamp's light and in the mean of what is around; cells, negative: none is.
float liquid_above(vec3 at, float widest)
{
    float sum = 0.0, count = 0.0;
    for (int k = 0; k < 8; k++) {
        vec2 there = at.xy + widest * ring(k, 8.0);
        float z = textureLod(wet_depth, there, 0.0).r;
        // Also where light is let fall beside what took it.
        bool falls = z >= 1.0 && textureLod(wet_light, there, 0.0).r > 0.0;
        if (z < at.z + 0.5 / key_light.w || falls) sum += falls ? 0.0 : max(at.z - z, 0.0), count += 1.0;
    }
    return count > 0.0 ? sum / count * key_light.w : -1.0;
}

bool is_covered(ivec2 pixel)
{
    pixel = clamp(pixel, ivec2(0), ivec2(picture.xy) - 1);
    return texelFetch(front_depth, pixel, 0).r < texelFetch(scene_depth, pixel, 0).r;
}

// A pixel's colour c in that light; z its depth, p the place that it shows, n the normal there.
vec4 in_wet_light(ivec2 pixel, vec4 c, float z, vec3 p, vec3 n)
{
    vec3 at = (to_shadow * vec4(p, 1.0)).xyz;
    float gap = z < 1.0 && c.a > 0.0 ? liquid_above(at, 0.02) : -1.0;
    if (gap < 0.0) return c;
    // The lamp is wide, and blurs what it throws; a third of it, or no pattern of waves would be left.
    float wide = clamp(0.33 * key.w * gap / range.w, 0.75 / wet.y, 0.04);
    float level = max(log2(0.35 * wide * wet.y), 0.0); // as wide as samples are apart
    vec3 sum = vec3(0.0);
    for (int k = 0; k < 12; k++) {
        vec2 there = at.xy + wide * ring(k, 12.0);
        float liquid = textureLod(wet_depth, there, 0.0).r;
        vec4 light = textureLod(wet_light, there, level);
        // What is let fall beside the liquid goes down to its bed: not on a rim that stands over it.
        float ends = light.a / max(light.r, 1e-4), met = smoothstep(-1.5, -0.5, (at.z - ends) * key_light.w);
        if (liquid >= 1.0) light.rg *= met;
        // Liquid behind it takes nothing from it.
        if (liquid >= 1.0 || liquid < at.z + 0.5 / key_light.w) sum += light.rgb / 12.0;
    }
    // Where liquid lies over it, the liquid's own colours have what light loses on its way (liquid_pixel). Not at its edge:
    // there some samples of a pixel show the solid.
    bool covered = is_covered(pixel);
    for (int k = 0; k < 4 && covered; k++) covered = is_covered(pixel + (k < 2 ? ivec2(2 * k - 1, 0) : ivec2(0, 2 * k - 5)));
    vec3 through = vec3(1.0), unused;
    if (!covered && sum.r > 0.0) layer(sum.g / sum.r, through, unused);
    vec3 left = vec3(1.0 - min(sum.b, 1.0)) + through * sum.r;
    float seen = c.a;
#ifdef BODIES
    seen *= past_bodies(p, n);
#endif
    vec3 lamp = key_light.rgb * max(dot(n, key.xyz), 0.0) * seen;
    vec3 share = lamp / (lamp + sky_light(n) + 1e-3);
    return vec4(keep(unkeep(c.rgb) * (1.0 + share * (left - 1.0))), c.a);
}

// What a pixel shows, from its depth.
vec3 place_at(vec2 at, float z)
{
    float far = range.x * range.y / (range.y - z * (range.y - range.x));
    vec2 side = 2.0 * at - 1.0;
    return eye.xyz + far * (forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz);
}
