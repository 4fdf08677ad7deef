// A bead: two half ellipsoids on each other, the lower one long. A thread: it narrows as it falls faster.
#include frame
#include light
#include layer
#include ball
in vec3 where;
flat in vec4 top;
flat in vec4 form;
flat in float pixel;
out vec4 colour;

// Where the ray meets an ellipsoid around `top` of this height: the point, with its normal; w of the result is how much
// of the pixel it covers.
vec4 meet(vec3 ray, float height, out vec3 normal)
{
    vec3 shrink = 1.0 / vec3(top.w, top.w, max(height, 1e-4));
    vec3 o = (eye.xyz - top.xyz) * shrink, d = ray * shrink;
    float a = dot(d, d), b = dot(o, d) / a;
    vec3 nearest_point = o - b * d; // of the ray, to the middle
    float q = length(nearest_point), cover = clamp((1.0 - q) * min(top.w, height) / pixel + 0.5, 0.0, 1.0);
    float t = -b - sqrt(max(1.0 - q * q, 0.0) / a);
    normal = normalize((o + t * d) * shrink);
    return vec4(eye.xyz + t * ray, cover);
}

vec4 bead(vec3 ray, out vec3 normal)
{
    vec3 other;
    vec4 low = meet(ray, form.x, normal), high = meet(ray, form.y, other);
    if (low.z <= top.z) return low;
    normal = other;
    return high.z >= top.z ? high : vec4(0.0);
}

// Radius of a thread so far below the edge: it gathers from what is wider there, narrows as it falls faster, and spreads
// where it lands. Up the edge's side it runs out into the film that it comes from.
float radius_at(float fallen)
{
    float own = top.w * sqrt(sqrt(form.z / (form.z + max(fallen, 0.0))));
    float gathers = (form.w - top.w) * exp(-max(fallen, 0.0) / (0.7 * form.w));
    float spreads = 0.8 * own * exp(min(fallen - form.x, 0.0) / (0.7 * own + 1e-3));
    float over = clamp(-fallen / form.y, 0.0, 1.0);
    return (own + gathers + spreads) * sqrt(1.0 - over * over);
}

vec4 thread(vec3 ray, out vec3 normal, out float radius)
{
    float fallen = clamp(top.z - where.z, -form.y, form.x + 0.4 * top.w), step_down = max(0.1 * top.w, 1e-3);
    radius = max(radius_at(fallen), 1e-3);
    float slope = (radius_at(fallen + step_down) - radius_at(fallen - step_down)) / (2.0 * step_down);
    float drawn = max(radius, 0.75 * pixel); // what is thinner is drawn so wide, and fainter
    vec3 out_to = normalize(vec3(eye.xy - top.xy, 0.0)), across = vec3(-out_to.y, out_to.x, 0.0);
    float off = dot(where - top.xyz, across) / drawn;
    float cover = clamp((1.0 - abs(off)) * drawn / pixel + 0.5, 0.0, 1.0) * radius / drawn;
    // Where it goes over into the film and into what it lands on there is no line.
    cover *= smoothstep(-0.4, 0.3, (form.x - fallen) / radius) * (1.0 - smoothstep(-0.3, 0.8, -fallen / form.y));
    off = clamp(off, -0.98, 0.98);
    vec3 level = across * off + out_to * sqrt(1.0 - off * off);
    normal = normalize(level + vec3(0.0, 0.0, clamp(slope, -3.0, fallen < 0.5 * form.x ? 0.3 : 3.0)));
    return vec4(vec3(top.xy, where.z) + level * radius, cover);
}

// What is seen in and through a thread: bent to the sides as by a rod of glass, not upside down.
vec3 thread_colour(vec3 at, float radius, vec3 d)
{
    // What is seen is bent by how it leans a little only: the picture has nothing of what is over it.
    vec3 ray = normalize(at - eye.xyz), inside = refract(ray, normalize(vec3(d.xy, 0.2 * d.z)), 1.0 / fade.w);
    vec2 level = normalize(d.xy + 1e-6), along = inside.xy;
    float way = max(-2.0 * dot(along, level) / max(dot(along, along), 0.1), 0.05) * radius;
    vec2 other = level + along * way / radius;
    vec3 leaving = refract(inside, -normalize(vec3(other, 0.0) + 1e-6), fade.w);
    if (dot(leaving, leaving) < 0.5) leaving = inside;
    float cosine = clamp(-dot(d, ray), 0.0, 1.0), f = back.w + (1.0 - back.w) * pow(1.0 - cosine, 5.0);
    vec3 through, thrown;
    layer(way, through, thrown);
    vec3 light = sky_light(d) + key_light.rgb * max(dot(d, key.xyz), 0.0);
    vec3 body = seen_along(at + inside * way, leaving) * through * sqrt(through) + 0.5 * thrown * light;
    return mix(body, mirrored(reflect(ray, d), 0.03), f);
}

void main()
{
    vec3 ray = normalize(where - eye.xyz), normal;
    float radius = top.w;
    bool falls = form.w > 0.0;
    vec4 at = falls ? thread(ray, normal, radius) : bead(ray, normal);
    if (at.w <= 0.0) discard;
    vec4 there = to_picture * vec4(at.xyz, 1.0);
    float depth = 0.5 + 0.5 * there.z / there.w;
    if (depth > nearest_depth()) discard;
    gl_FragDepth = depth;
    vec3 c = falls ? thread_colour(at.xyz, radius, normal) : ball_colour(at.xyz - normal * radius, radius, normal);
    colour = vec4(keep(c) * at.w, at.w);
}
