// A droplet of the liquid.
#include frame
#include light
#include layer
#include ball
in vec2 place;
flat in vec4 drop;
flat in float faint;
flat in float reach;
flat in float pixels;
flat in vec3 across;
flat in vec3 upward;
flat in vec3 toward;
flat in float mist;
out vec4 colour;

// A ball of few pixels, or one that is drawn out, shows no picture upside down: it is as bright as the mean of what it
// mirrors and bends from all around, which is more than what is behind it.
vec3 mean_colour(vec3 thick)
{
    vec3 through, thrown;
    layer(drop.w, through, thrown);
    vec3 light = sky_light(vec3(0.0, 0.0, 1.0)) + 0.4 * key_light.rgb;
    vec2 uv = gl_FragCoord.xy * picture.zw;
    vec4 liquid = textureLod(nearest, uv, 0.0);
    vec3 behind = unkeep(liquid.a > 0.5 ? liquid.rgb : textureLod(scene, uv, 0.0).rgb);
    return behind * through * through * 0.55 + 0.5 * thrown * light + 0.32 * through * light * thick;
}

void main()
{
    vec2 from = place - vec2(clamp(place.x, -reach, reach), 0.0);
    float r2 = dot(from, from), pixel = max(fwidth(place.y), max(fwidth(place.x), 1e-4));
    float cover = clamp((1.0 - sqrt(r2)) / pixel + 0.5, 0.0, 1.0) * faint;
    if (cover <= 0.0 || gl_FragCoord.z > nearest_depth()) discard;
    r2 = min(r2, 0.98);
    vec3 d = normalize(across * from.x + upward * from.y + toward * sqrt(1.0 - r2));
    float small = max(1.0 - smoothstep(2.0, 6.0, pixels), smoothstep(0.3, 1.5, reach));
    vec3 c = small < 1.0 ? ball_colour(drop.xyz, drop.w, d) : vec3(0.0);
    // Thinner at the rim, brighter toward the sky.
    if (small > 0.0) c = mix(c, mean_colour(vec3(0.7 + 0.45 * d.z)), small);
    if (mist > 0.0) {
        vec3 light = sky_light(vec3(0.0, 0.0, 1.0)) + 0.5 * key_light.rgb;
        c = mix(c, 0.8 * light, smoothstep(0.05, 0.5, mist));
        cover *= mix(1.0, 0.75 * (1.0 - r2) * (1.0 - r2), smoothstep(0.05, 0.5, mist));
    }
    // Soft where it is small, and at both ends of its way, where it is only for a moment.
    cover *= 1.0 - small * mix(0.3, 0.8, r2);
    cover *= 1.0 - 0.75 * smoothstep(0.0, 1.0, abs(place.x) / (1.0 + reach)) * smoothstep(0.0, 1.0, reach);
    colour = vec4(keep(c) * cover, cover);
}
