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

vec4 thread(vec3 ray, out vec3 normal, out float radius)
{
    float fallen = clamp(top.z - where.z, 0.0, form.x);
    radius = top.w * sqrt(sqrt(form.z / (form.z + fallen)));
    float drawn = max(radius, 0.75 * pixel); // what is thinner is drawn so wide, and fainter
    vec3 out_to = normalize(vec3(eye.xy - top.xy, 0.0)), across = vec3(-out_to.y, out_to.x, 0.0);
    float off = dot(where - top.xyz, across) / drawn;
    float cover = clamp((1.0 - abs(off)) * drawn / pixel + 0.5, 0.0, 1.0) * radius / drawn;
    off = clamp(off, -0.98, 0.98);
    normal = across * off + out_to * sqrt(1.0 - off * off);
    return vec4(vec3(top.xy, where.z) + normal * radius, cover);
}

void main()
{
    vec3 ray = normalize(where - eye.xyz), normal;
    float radius = top.w;
    vec4 at = form.w > 0.5 ? thread(ray, normal, radius) : bead(ray, normal);
    if (at.w <= 0.0) discard;
    vec4 there = to_picture * vec4(at.xyz, 1.0);
    float depth = 0.5 + 0.5 * there.z / there.w;
    if (depth > nearest_depth()) discard;
    gl_FragDepth = depth;
    colour = vec4(keep(ball_colour(at.xyz - normal * radius, radius, normal)) * at.w, at.w);
}
