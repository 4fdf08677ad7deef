// A drop on a solid: a cap, cut off by its foot, that hangs down on steep sides and has a tail where it runs. Its edge is
// not quite round. Through it the solid is seen, on the side away from the lamp brighter by the light that it gathers.
#include frame
#include light
#include layer
#include ball
in vec3 where;
flat in vec4 base;
flat in vec4 top;
flat in vec4 drawn;
flat in vec2 odd;
flat in float faint;
out vec4 colour;

// Of the drop's own frame, in radii: along its way, across it, away from the solid.
vec3 own_frame(vec3 v)
{
    return vec3(dot(v, drawn.xyz), dot(v, cross(top.xyz, drawn.xyz)), dot(v, top.xyz));
}

vec3 out_of_frame(vec3 v)
{
    return v.x * drawn.xyz + v.y * cross(top.xyz, drawn.xyz) + v.z * top.xyz;
}

// How far the edge of the foot is in a direction, over its mean.
float edge(vec2 d)
{
    if (odd.y < 0.0) return 1.0;
    float a = atan(d.y, d.x), c = odd.y * 40.0;
    return 1.0 + 0.05 * sin(2.0 * a + c) + 0.035 * sin(3.0 * a + 2.3 * c) + 0.02 * sin(5.0 * a + 1.7 * c);
}

struct Hit {
    vec3 at, normal; // in the drop's frame
    float past;      // how far the ray passes its middle, over the radius of the ball
};

// Where a ray meets the ball that the cap is cut from: one half before its middle, one drawn out behind it.
Hit half_hit(vec3 o, vec3 d, float behind, float wide)
{
    bool whole = odd.y < 0.0;
    float high = max(top.w, 0.02), ball = whole ? 1.0 : 0.5 * (1.0 + high * high) / high;
    vec3 s = vec3(1.0 / (wide * behind), 1.0 / wide, 1.0);
    o.x -= odd.x * o.z, d.x -= odd.x * d.z; // as it hangs
    o = o * s - vec3(0.0, 0.0, whole ? 0.0 : high - ball), d *= s;
    float a = dot(d, d), b = dot(o, d) / a;
    vec3 nearest_point = o - b * d;
    float past = length(nearest_point) / ball;
    float t = -b - ball * sqrt(max(1.0 - past * past, 0.0) / a);
    vec3 q = past < 1.0 ? o + t * d : nearest_point / past;
    vec3 g = q * s;
    Hit h;
    h.normal = normalize(vec3(g.x, g.y, g.z - odd.x * g.x));
    h.at = (q + vec3(0.0, 0.0, whole ? 0.0 : high - ball)) / s;
    h.at.x += odd.x * h.at.z;
    h.past = past;
    return h;
}

Hit hit(vec3 o, vec3 d)
{
    float tail = 1.0 + drawn.w;
    Hit h = half_hit(o, d, 1.0, 1.0);
    float wide = edge(h.at.xy);
    h = half_hit(o, d, 1.0, wide);
    if (h.at.x - odd.x * h.at.z < 0.0 && tail > 1.01) h = half_hit(o, d, tail, wide);
    return h;
}

// What is seen of the solid under a point of the cap, in light that the drop gathers, and what the liquid throws back.
vec3 body(Hit h, vec3 ray, vec3 p, vec3 normal, float seen)
{
    vec3 inside = refract(ray, normal, 1.0 / fade.w), in_frame = own_frame(inside);
    float way = in_frame.z < -0.05 ? h.at.z / -in_frame.z : 2.0;
    vec3 end = p + inside * min(way, 2.5) * base.w, through, thrown;
    vec4 there = to_picture * vec4(end, 1.0);
    vec2 uv = clamp(0.5 + 0.5 * there.xy / there.w, 0.0, 1.0);
    vec4 liquid = textureLod(nearest, uv, 0.0);
    vec3 solid = unkeep(liquid.a > 0.5 ? liquid.rgb : textureLod(scene, uv, 0.0).rgb);
    layer(min(way, 2.5) * base.w, through, thrown);
    // Light that comes in at the side of the lamp, or of the sky where there is none, meets on the other side; more of
    // it, the steeper the cap.
    vec3 lamp = own_frame(normalize(mix(vec3(0.0, 0.0, 1.0), key.xyz, seen)));
    vec2 foot = h.at.xy + own_frame(inside).xy * min(way, 2.5), from = lamp.xy / max(length(lamp.xy), 1e-3);
    float side = dot(foot, -from) * smoothstep(0.05, 0.4, length(lamp.xy)), high = clamp(2.0 * top.w, 0.0, 1.0);
    float gathered = 0.92 + high * (mix(0.35, 0.6, seen) * smoothstep(0.3, 0.95, side) - 0.12 * smoothstep(0.0, 0.8, -side));
    vec3 light = sky_light(normal) + key_light.rgb * max(dot(normal, key.xyz), 0.0) * seen;
    return solid * gathered * through * through + 0.6 * thrown * light;
}

// The shadow that the cap throws on the solid around it, 0 … 1.
float shade_of(vec3 o, vec3 d)
{
    vec3 lamp = own_frame(key.xyz);
    if (odd.y < 0.0 || d.z > -0.02 || lamp.z < 0.05) return 0.0;
    vec2 at = o.xy - d.xy * o.z / d.z;
    float far = min(top.w / lamp.z, 1.2);
    vec2 off = -lamp.xy * far * 0.55;
    float r = length(at - off) / (edge(at) * 1.02);
    return (1.0 - smoothstep(0.55, 1.15, r)) * clamp(2.0 * top.w, 0.0, 1.0);
}

void main()
{
    vec3 ray = normalize(where - eye.xyz), o = own_frame(eye.xyz - base.xyz) / base.w, d = own_frame(ray) / base.w;
    Hit h = hit(o, d);
    float whole = odd.y < 0.0 ? 1.0 : 0.0;
    float cover = clamp((1.0 - h.past) / max(fwidth(h.past), 1e-4) + 0.5, 0.0, 1.0);
    if (whole < 0.5) cover *= clamp(h.at.z / max(fwidth(h.at.z), 1e-4) + 0.5, 0.0, 1.0);
    vec3 p = base.xyz + out_of_frame(h.at) * base.w, normal = out_of_frame(h.normal);
    if (dot(normal, ray) > -0.02) normal = normalize(normal - ray * (dot(normal, ray) + 0.02));
    // Before anything is discarded: after it, what changes between pixels is not defined.
    float spread = clamp(0.03 + 0.6 * length(fwidth(normal)), 0.0, 0.6);
    if (cover <= 0.0) p = where;
    // A little before the solid, whose triangles are not quite where the drop's foot is.
    vec4 there = to_picture * vec4(p - ray * (0.12 + 0.15 * base.w), 1.0);
    float depth = 0.5 + 0.5 * there.z / there.w;
    // Films and curtains of columns lie along the solid too: only what is well before the drop hides it.
    vec4 before = to_picture * vec4(p - ray * (1.5 + base.w), 1.0);
    if (0.5 + 0.5 * before.z / before.w > nearest_depth()) discard;
    gl_FragDepth = depth;
    vec2 uv = gl_FragCoord.xy * picture.zw;
    float seen = texture(scene, uv).a, shaded = (1.0 - cover) * 0.35 * seen * faint * shade_of(o, d);
    if (cover <= 0.0 && shaded <= 0.003) discard;
    vec3 c = body(h, ray, p, normal, seen);
    float f = back.w + (1.0 - back.w) * pow(1.0 - clamp(-dot(normal, ray), 0.0, 1.0), 5.0);
    c = mix(c, without_lamp(mirrored(reflect(ray, normal), spread), seen), f);
    // The lamp in it, or the brightest of the sky where there is none: what tells a drop from a dent.
    vec3 lamp = normalize(mix(vec3(0.0, -0.3, 0.95), key.xyz, seen)), half_way = normalize(lamp - ray);
    float sharp = mix(400.0, 60.0, clamp(2.0 * spread, 0.0, 1.0));
    float glint = pow(clamp(dot(normal, half_way), 0.0, 1.0), sharp);
    c += glint * mix(0.5 * sky_light(normal), 0.9 * key_light.rgb, seen);
    float alpha = cover * faint;
    colour = vec4(keep(c) * alpha, alpha + (1.0 - alpha) * shaded);
}
