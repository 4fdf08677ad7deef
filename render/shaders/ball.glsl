// What is seen in and through something round and clear: it mirrors the room, and shows what is behind it upside down,
// as a ball of glass does.
uniform sampler2D scene;
uniform sampler2D nearest;
uniform highp sampler2D front_depth;
uniform highp sampler2D scene_depth;

// Depth of what is nearest in this pixel, liquid or solid.
float nearest_depth()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    return min(texelFetch(front_depth, at, 0).r, texelFetch(scene_depth, at, 0).r);
}

// What comes along a direction: from below the scene, as far as the picture has it, from above the room.
vec3 seen_along(vec3 from, vec3 d)
{
    vec4 there = to_picture * vec4(from + d * 0.12 * forward.w, 1.0);
    vec2 uv = clamp(0.5 + 0.5 * there.xy / there.w, 0.0, 1.0);
    vec4 liquid = textureLod(nearest, uv, 0.0);
    vec3 below = unkeep(liquid.a > 0.5 ? liquid.rgb : textureLod(scene, uv, 0.0).rgb);
    return mix(below, mirrored(d, 0.05), smoothstep(-0.1, 0.25, d.z));
}

// The colour at a point of a ball, whose normal there is d.
vec3 ball_colour(vec3 middle, float radius, vec3 d)
{
    vec3 at = middle + d * radius, ray = normalize(at - eye.xyz);
    float cosine = clamp(-dot(d, ray), 0.0, 1.0);
    vec3 inside = refract(ray, d, 1.0 / fade.w);
    float way = -2.0 * dot(inside, d) * radius;
    vec3 end = at + inside * way, other = (end - middle) / radius, leaving = refract(inside, -other, fade.w);
    if (dot(leaving, leaving) < 0.5) leaving = inside;
    vec3 through, thrown;
    layer(way, through, thrown);
    vec3 light = sky_light(d) + key_light.rgb * max(dot(d, key.xyz), 0.0);
    float f = back.w + (1.0 - back.w) * pow(1.0 - cosine, 5.0);
    return mix(seen_along(end, leaving) * through * through + 0.5 * thrown * light, mirrored(reflect(ray, d), 0.03), f);
}
