// From light to the target's bytes: exposure, a film's curve, sRGB. What lies over the solids is asked for by over_at.
#include light
#include film
uniform sampler2D scene;
uniform sampler2D letters;

// Solids, and over them the liquid, which covers only part of a pixel at its edges. There the solids' own colour is a
// mean of both sides of the edge; that of the side without liquid is found beside it.
vec3 together(ivec2 at)
{
    vec4 over = over_at(at);
    vec3 solid = texelFetch(scene, at, 0).rgb;
    if (over.a > 0.99) return over.rgb;
    if (over.a < 0.01) return solid;
    ivec2 best = at, last = ivec2(picture.xy) - 1;
    float least = over.a;
    for (int k = 0; k < 4; k++) {
        ivec2 beside = clamp(at + ivec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0), ivec2(0), last);
        float a = over_at(beside).a;
        if (a < least) least = a, best = beside;
    }
    if (least < 0.1) solid = texelFetch(scene, best, 0).rgb;
    return over.rgb + (1.0 - over.a) * solid;
}

vec4 finished(ivec2 pixel)
{
    vec3 c = to_screen(unkeep(together(pixel)) * turn.w * 1.05);
    vec2 middle = vec2(pixel) + 0.5, at = vec2(middle.x - legend.x, legend.y + legend.w - middle.y);
    if (legend.z > 0.0 && all(greaterThan(at, vec2(0.0))) && all(lessThan(at, legend.zw))) {
        vec3 paper = texelFetch(letters, ivec2(at), 0).rgb;
        c = mix(c, paper, 0.88);
    }
    // Less than a step of grain, the same in every frame, so that the backdrop shows no bands.
    return vec4(c + (grain(middle) - 0.5) / 255.0, 1.0);
}
