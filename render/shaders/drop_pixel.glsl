// A droplet of the liquid: it mirrors the room, and shows what is behind it upside down, as a ball of glass does.
#include frame
#include light
#include layer
uniform sampler2D scene;
uniform sampler2D nearest;
uniform highp sampler2D front_depth;
in vec2 place;
flat in vec4 drop;
flat in float faint;
flat in vec3 across;
flat in vec3 upward;
flat in vec3 toward;
out vec4 colour;

// What comes along a direction: from below the scene, as far as the picture has it, from above the room.
vec3 seen_along(vec3 from, vec3 d)
{
    vec4 there = to_picture * vec4(from + d * 0.12 * forward.w, 1.0);
    vec2 uv = clamp(0.5 + 0.5 * there.xy / there.w, 0.0, 1.0);
    vec4 liquid = textureLod(nearest, uv, 0.0);
    vec3 below = unkeep(liquid.a > 0.5 ? liquid.rgb : textureLod(scene, uv, 0.0).rgb);
    return mix(below, mirrored(d, 0.05), smoothstep(-0.1, 0.25, d.z));
}

void main()
{
    float r2 = dot(place, place), pixel = max(fwidth(place.x), 1e-4);
    float cover = clamp((1.0 - sqrt(r2)) / pixel + 0.5, 0.0, 1.0) * faint;
    if (cover <= 0.0 || gl_FragCoord.z > texelFetch(front_depth, ivec2(gl_FragCoord.xy), 0).r) discard;
    r2 = min(r2, 0.98);
    vec3 d = across * place.x + upward * place.y + toward * sqrt(1.0 - r2);
    d = normalize(d);
    vec3 at = drop.xyz + d * drop.w, ray = normalize(at - eye.xyz);
    float cosine = clamp(-dot(d, ray), 0.0, 1.0);
    vec3 inside = refract(ray, d, 1.0 / fade.w);
    float way = -2.0 * dot(inside, d) * drop.w;
    vec3 end = at + inside * way, other = (end - drop.xyz) / drop.w, leaving = refract(inside, -other, fade.w);
    if (dot(leaving, leaving) < 0.5) leaving = inside;
    vec3 through, thrown;
    layer(way, through, thrown);
    vec3 light = sky_light(d) + key_light.rgb * max(dot(d, key.xyz), 0.0);
    float f = back.w + (1.0 - back.w) * pow(1.0 - cosine, 5.0);
    vec3 c = mix(seen_along(end, leaving) * through * through + 0.5 * thrown * light, mirrored(reflect(ray, d), 0.03), f);
    colour = vec4(keep(c) * cover, cover);
}
