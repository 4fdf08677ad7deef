// Which triangles are seen: in the picture, that have a sample within them and no solid before all of them; or in the
// map of the lamp's light. What is drawn of the rest would be nothing.
#include frame
#include cull
#include gather_bend
uniform highp sampler2D scene_depth;
uniform vec4 grid;   // low corner, cells in a metre
uniform int room;    // vertices of an array
uniform int way_of;  // 0 the picture, 1 the lamp's map, 2 that with bent rays
uniform int ends;    // there are contacts
uniform vec4 window; // of the picture that is drawn: low corner and high corner that count, pixels
uniform vec2 size;   // of all of it
uniform int samples;
uniform vec2 sample_at[16]; // within a pixel
shared uint bits[8];
shared uint count;

struct Corner {
    vec3 at; // pixels, depth
    bool sure;
};

Corner corner_of(uint v)
{
    Corner c;
    uint n = uint(room);
    vec3 at = (vec3(mesh[3u * v], mesh[3u * v + 1u], mesh[3u * v + 2u]) - grid.xyz) * grid.w;
    float depth = mesh[6u * n + v], fallen = mesh[15u * n + v];
    if (way_of > 0) {
        float way = max(depth, 0.0) * grid.w;
        vec3 normal = vec3(mesh[3u * (n + v)], mesh[3u * (n + v) + 1u], mesh[3u * (n + v) + 2u]);
        if (way_of == 2) at = bent_end(at, normal, fallen, way);
        c.at = (to_shadow * vec4(at, 1.0)).xyz * vec3(size, 1.0), c.sure = true;
        return c;
    }
    // as liquid_vertex.glsl has it, but for what is carried on at its end, what is no sheet, and what is steep, whose
    // depth is another: these are always drawn
    vec4 there = to_picture * vec4(at + 0.07 * normalize(eye.xyz - at), 1.0);
    bool end = depth <= 0.0 || (ends > 0 && mesh[10u * n + 4u * v] <= 0.0);
    c.sure = !end && fallen == -1.0 && mesh[3u * (n + v) + 2u] > 0.76 && there.w > range.x;
    c.at = (0.5 + 0.5 * there.xyz / there.w) * vec3(size, 1.0);
    return c;
}

// Twice the area to the left of an edge.
float beside(vec2 a, vec2 b, vec2 p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

const float NEAR = 1.0 / 64.0; // pixels: drivers draw corners at multiples of 1/256

// Whether a triangle of a few pixels has a sample within.
bool holds_sample(vec2 a, vec2 b, vec2 c, vec2 low, vec2 high)
{
    float area = beside(a, b, c), side = area < 0.0 ? -1.0 : 1.0;
    vec3 reach = NEAR * vec3(length(b - a), length(c - b), length(a - c));
    ivec2 from = ivec2(floor(low)), to = ivec2(floor(high));
    for (int y = from.y; y <= to.y; y++)
        for (int x = from.x; x <= to.x; x++)
            for (int k = 0; k < samples; k++) {
                vec2 p = vec2(x, y) + sample_at[k];
                vec3 in_by = side * vec3(beside(a, b, p), beside(b, c, p), beside(c, a, p));
                if (all(greaterThanEqual(in_by, -reach))) return true;
            }
    return false;
}

// Whether solids are before all of it, in all pixels that it may touch.
bool is_hidden(vec3 a, vec3 b, vec3 c, vec2 low, vec2 high)
{
    float area = beside(a.xy, b.xy, c.xy);
    if (abs(area) < 1e-3) return false;
    // how depth changes across a pixel, which the driver's offset goes by
    vec2 slope = vec2((b.z - a.z) * (c.y - a.y) - (c.z - a.z) * (b.y - a.y), (c.z - a.z) * (b.x - a.x) - (b.z - a.z) * (c.x - a.x)) / area;
    float z = min(a.z, min(b.z, c.z)) - 1.6 * max(abs(slope.x), abs(slope.y)) - 1e-6;
    ivec2 from = max(ivec2(floor(low)) - 1, ivec2(0)), to = min(ivec2(floor(high)) + 1, ivec2(size) - 1);
    for (int y = from.y; y <= to.y; y++)
        for (int x = from.x; x <= to.x; x++)
            if (z <= texelFetch(scene_depth, ivec2(x, y), 0).r) return false;
    return true;
}

bool is_seen(uint t)
{
    Corner a = corner_of(corners[3u * t]), b = corner_of(corners[3u * t + 1u]), c = corner_of(corners[3u * t + 2u]);
    if (!a.sure || !b.sure || !c.sure) return true;
    vec2 low = min(a.at.xy, min(b.at.xy, c.at.xy)) - NEAR, high = max(a.at.xy, max(b.at.xy, c.at.xy)) + NEAR;
    if (any(lessThan(high, window.xy)) || any(greaterThan(low, window.zw))) return false;
    if (any(greaterThan(high - low, vec2(2.0)))) return true;
    return holds_sample(a.at.xy, b.at.xy, c.at.xy, low, high) && (way_of > 0 || !is_hidden(a.at, b.at, c.at, low, high));
}

void main()
{
    uint group = own_group(), own = gl_LocalInvocationIndex, t = 256u * group + own;
    if (own < 8u) bits[own] = 0u;
    if (own == 8u) count = 0u;
    barrier();
    if (t < own_triangles() && is_seen(t)) {
        atomicOr(bits[own / 32u], 1u << (own % 32u));
        atomicAdd(count, 1u);
    }
    barrier();
    if (group >= uint(groups)) return;
    if (own < 8u) words[uint(groups) + 8u * group + own] = bits[own];
    if (own == 8u) words[group] = count;
}
