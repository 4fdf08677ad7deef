// A pane of glass with water on it, seen from the room behind it, and what is outside.
//
// Outside is far away, so what is seen through a point of the water depends on the direction alone that a ray has after
// it left the water: it goes straight through the flat glass and is bent at the curved surface, toward the thick part of
// the drop. So each drop is a lens that shows the world upside down; it is sharp there because the camera is focused on
// the pane. Where the surface is steeper than 48.6° nothing comes through (total reflection): the dark rim.
#include frame
#include light
#include film
precision highp sampler2D;
uniform sampler2D shape;   // slope times cover, cover, mist
uniform sampler2D heights; // m
uniform sampler2D sharp;   // outside, in focus
uniform sampler2D lens;    // out of focus
uniform sampler2D soft;    // as fogged glass spreads it
uniform sampler2D colours;
uniform sampler2D letters;
// 0: cells across and up, mm of a cell, what to show. 1: half angles of outside as tangents, place of a tool's ring.
// 2: cells in a metre, least height, height from which water is seen (cells), m at the end of colours. 3: light of the room, fog,
// alpha, the ring's radius. 4: light of glints. 5: mean light outside. 6: ends of a wiper's blade, 7: half its width, or 0.
uniform vec4 pane[8];
in vec2 place;
out vec4 colour;

const float WATER = 1.333;

// ---- Looking things up --------------------------------------------------------------------------

// Cubic B-spline: four samples between texels. So smooth that no texel shows. at: in texels.
vec4 smooth_at(sampler2D map, vec2 at, vec2 size, float level)
{
    at -= 0.5;
    vec2 f = fract(at);
    at -= f;
    vec2 f2 = f * f, f3 = f2 * f;
    vec2 w0 = (1.0 - f) * (1.0 - f) * (1.0 - f) / 6.0, w1 = (4.0 - 6.0 * f2 + 3.0 * f3) / 6.0;
    vec2 w3 = f3 / 6.0, w2 = 1.0 - w0 - w1 - w3;
    vec2 g0 = w0 + w1, g1 = w2 + w3;
    vec2 a = (at - 0.5 + w1 / g0) / size, b = (at + 1.5 + w3 / g1) / size;
    return g0.y * (g0.x * textureLod(map, a, level) + g1.x * textureLod(map, vec2(b.x, a.y), level)) +
           g1.y * (g0.x * textureLod(map, vec2(a.x, b.y), level) + g1.x * textureLod(map, b, level));
}

vec4 shape_at(vec2 p, float level)
{
    float shrink = exp2(level);
    return smooth_at(shape, p / shrink, max(pane[0].xy / shrink, vec2(1.0)), level);
}

vec3 out_of_focus(vec2 uv)
{
    vec2 size = vec2(textureSize(lens, 0));
    return smooth_at(lens, uv * size, size, 0.0).rgb;
}

// Where in the picture of outside a direction points; tangents, up is up. Beyond the picture it is mirrored, wider and
// wider: along a pane that is seen from low there is a street, and no noise.
vec2 outside(vec2 t)
{
    vec2 q = t / pane[1].xy;
    vec2 beyond = sign(q) * (1.0 + log(max(abs(q), vec2(1.0))));
    q = mix(q, beyond, vec2(greaterThan(abs(q), vec2(1.0))));
    return vec2(0.5 + 0.5 * q.x, 0.5 - 0.5 * q.y);
}

// The same for directions of a lens, which sees more than the picture has: squeezed toward its edges, so that rays of the
// steepest water that lets any through, bent by 41°, are still in it.
vec2 outside_squeezed(vec2 t)
{
    vec2 q = t / pane[1].xy;
    q *= inversesqrt(1.0 + 0.55 * q * q);
    return vec2(0.5 + 0.49 * q.x, 0.5 - 0.49 * q.y);
}

// ---- Water --------------------------------------------------------------------------------------

// The drop that stands beside another one in a direction, up to some millimetres away: its slope where it is met, and
// how much of it is seen. p is in the first drop, whose own water is left first.
vec3 drop_beside(vec2 p, vec2 way)
{
    float stride = 0.3 / pane[0].z, far = 0.0;
    bool left = false;
    for (int k = 0; k < 12; k++) {
        far += stride, stride *= 1.12;
        vec4 s = textureLod(shape, (p + way * far) / pane[0].xy, 0.0);
        if (s.z < 0.3) left = true;
        if (left && s.z > 0.5) return vec3(s.xy / s.z, 1.0 - smoothstep(0.55, 1.0, float(k) / 12.0));
    }
    return vec3(0.0);
}

// What a ray of direction d brings that meets water of a slope; `change` is how much that changes from pixel to pixel,
// `bent` how much on a millimetre: flat water is a window and no lens, and outside is as out of focus as through glass.
vec3 water(vec3 d, vec2 p_at, vec2 slope, float change, float bent)
{
    vec3 n = normalize(vec3(slope, 1.0));
    vec3 w = refract(d, vec3(0.0, 0.0, 1.0), 1.0 / WATER);
    float c = -dot(w, n), k = 1.0 - WATER * WATER * (1.0 - c * c), e = sqrt(max(k, 0.0));
    // Fresnel's equations, from water to air.
    float s = (WATER * c - e) / (WATER * c + e), p = (c - WATER * e) / (c + WATER * e);
    float mirror = k > 0.0 ? clamp(0.5 * (s * s + p * p), 0.0, 1.0) : 1.0;
    vec3 o = WATER * w + (WATER * c - e) * n;
    vec2 uv = outside_squeezed(o.xy / max(-o.z, 0.02));
    // A third of a change of slope is a change of direction; at the rim more is squeezed into a pixel.
    float texels = change * (WATER - 1.0) * 0.5 * float(textureSize(sharp, 0).y) / pane[1].y;
    float level = log2(texels * (1.0 + 0.25 / (0.15 + e)));
    vec2 size = vec2(textureSize(sharp, 0));
    // From so near that texels would be seen the picture is smooth between them.
    vec3 through = level < -0.5 ? smooth_at(sharp, uv * size, size, 0.0).rgb : textureLod(sharp, uv, max(level, 0.0)).rgb;
    through = mix(textureLod(lens, uv, 0.0).rgb, through, smoothstep(0.008, 0.06, bent));
    // What is mirrored inside comes from the room, or, at the rim and after more turns than are followed here, from
    // anywhere outside.
    vec3 r = w + 2.0 * c * n, back = vec3(0.0);
    if (mirror > 0.03) {
        vec3 room_light = min(textureLod(room, vec3(r.z, r.x, r.y), 3.0).rgb, vec3(3.0)) * pane[3].x;
        vec3 around = textureLod(soft, outside_squeezed(-1.3 * r.xy), 0.0).rgb;
        // That light goes through the drop and leaves it sideways, low over the glass: where another drop stands there,
        // it is seen in the rim, with what it shows itself.
        float sideways = length(r.xy);
        vec3 other = p_at.x >= 0.0 && sideways > 0.2 ? drop_beside(p_at, r.xy / sideways) : vec3(0.0);
        vec3 shows = textureLod(sharp, outside_squeezed(0.7 * other.xy - 0.5 * r.xy), 5.0).rgb;
        room_light = mix(room_light, 0.55 * shows, other.z);
        // Steeper than that and light runs around in the rim until it finds a way out: its outermost line is light.
        back = room_light + around * mix(0.06, 0.45, smoothstep(0.50, 0.22, n.z));
    }
    // The outer face mirrors lamps of the street that stand beside the pane: a small bright spot and its faint
    // counterpart.
    vec3 half_way = normalize(vec3(0.36, -0.48, 0.80)), opposite = normalize(vec3(-0.40, 0.44, 0.80));
    float spot = smoothstep(0.9930, 0.9985, dot(n, half_way)), faint = smoothstep(0.985, 0.999, dot(n, opposite));
    vec3 glint = (spot * 1.0 + faint * 0.15) * pane[4].rgb;
    return mix(through, back, mirror) + glint;
}

// ---- Mist ---------------------------------------------------------------------------------------

vec4 chance(ivec2 cell, int layer)
{
    uvec3 v = uvec3(cell + 4096, layer) * uvec3(1664525u, 22695477u, 1013904223u);
    v += 1013904223u;
    v.x += v.y * v.z, v.y += v.z * v.x, v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z, v.y += v.z * v.x, v.z += v.x * v.y;
    return vec4(vec3(v >> 8u) / 16777216.0, float((v.x ^ v.y) & 1023u) / 1024.0);
}

// How far the edge of water at a place of the pane is from where it would be on glass that is the same everywhere, mm.
// Waves of some millimetres in many directions: smooth, so that no drop has corners.
vec2 wander(vec2 mm)
{
    vec2 sum = vec2(0.0), along = vec2(0.83, 0.56);
    float k = 1.31, most = 0.075;
    for (int n = 0; n < 4; n++) {
        float phase = k * dot(mm, along) + 2.1 * float(n);
        sum += most * vec2(sin(phase), cos(1.17 * phase + 0.9));
        along = vec2(-0.666 * along.x - 0.746 * along.y, 0.746 * along.x - 0.666 * along.y);
        k *= 1.37, most *= 0.68;
    }
    return sum;
}

// Small droplets of one size, at most one in each square of a lattice that is turned, so that none of its rows are seen.
// Their slope, cover, and the change of slope from pixel to pixel.
vec4 droplets(vec2 mm, float side, int layer, float share, float pixel)
{
    float a = 0.7 + 1.9 * float(layer);
    mat2 turned_by = mat2(cos(a), sin(a), -sin(a), cos(a));
    vec2 p = turned_by * mm / side;
    vec2 cell = floor(p);
    vec4 luck = chance(ivec2(cell), layer);
    float radius = mix(0.16, 0.46, luck.z * luck.z) * smoothstep(0.0, 0.35, share - 0.9 * luck.w);
    vec2 to = p - cell - mix(vec2(radius), vec2(1.0 - radius), luck.xy);
    // Not quite round.
    float bent = 1.0 + 0.16 * sin(2.0 * atan(to.y, to.x) + 40.0 * luck.w) * luck.y;
    float d = length(to) * bent, soft_edge = pixel / side;
    float cover = clamp((radius - d) / soft_edge + 0.5, 0.0, 1.0) * step(1e-3, radius);
    // Too small to be seen singly they fade into the veil.
    cover *= smoothstep(0.5, 1.6, radius * side / pixel);
    vec2 slope = -to / max(radius, 1e-3) * 0.95;
    return vec4(slope * turned_by, cover, 0.95 * soft_edge / max(radius, 1e-3));
}

// ---- Together -----------------------------------------------------------------------------------

float inside_pane(vec2 p)
{
    vec2 q = min(p, pane[0].xy - p);
    return clamp(min(q.x, q.y) + 0.5, 0.0, 1.0);
}

// Glass that no drop covers: outside out of focus, veiled and beaded by mist. a: what of it is not glass alone.
vec4 glass(vec3 d, vec2 p, float mist, float pixel)
{
    vec2 t = d.xy / -d.z;
    vec3 clear = out_of_focus(outside(t)), veil = textureLod(soft, outside(t), 0.0).rgb;
    float fog = pane[3].y, m = mist * smoothstep(0.0, 0.15, fog);
    float veiled = fog * smoothstep(0.0, 0.8, mist);
    // Fog spreads light of all that is outside, and takes its colour.
    vec4 c = vec4(mix(clear, veil * 0.92 + pane[5].rgb * 0.35, 0.85 * veiled), 0.85 * veiled);
    vec2 mm = p * pane[0].z;
    float size = pixel * pane[0].z;
    vec4 best = vec4(0.0);
    if (m > 0.01) {
        for (int k = 0; k < 3; k++) {
            vec4 one = droplets(mm, k == 0 ? 0.34 : k == 1 ? 0.62 : 1.15, k, (k == 2 ? 0.45 : 1.0) * m, size);
            if (one.z > best.z) best = one;
        }
    }
    if (best.z > 0.0) c = mix(c, vec4(water(d, vec2(-1.0), best.xy, best.w, 1.0), 1.0), best.z * 0.85);
    return c;
}

vec3 in_colours(vec2 p)
{
    float h = texelFetch(heights, ivec2(clamp(p, vec2(0.0), pane[0].xy - 1.0)), 0).r;
    vec3 c = texture(colours, vec2(clamp(h / pane[2].w, 0.0, 1.0), 0.5)).rgb;
    return h > 0.0 ? c : vec3(0.10);
}

vec3 with_legend(vec3 c)
{
    vec2 at = vec2(gl_FragCoord.x - legend.x, legend.y + legend.w - gl_FragCoord.y);
    bool on = legend.z > 0.0 && all(greaterThan(at, vec2(0.0))) && all(lessThan(at, legend.zw));
    return on ? mix(c, texelFetch(letters, ivec2(at), 0).rgb, 0.88) : c;
}

// A wiper lies on the water: black rubber, its holder with a line of light along it.
vec3 under_wiper(vec3 c, vec2 p, float pixel)
{
    vec2 along = pane[6].zw - pane[6].xy, to = p - pane[6].xy;
    float t = clamp(dot(to, along) / max(dot(along, along), 1e-6), 0.0, 1.0);
    vec2 off = to - t * along;
    float half_wide = pane[7].x * mix(1.0, 0.72, abs(2.0 * t - 1.0)), d = length(off);
    float across = dot(off, normalize(vec2(-along.y, along.x) + 1e-6)) / half_wide;
    vec3 body = vec3(0.004) + pane[5].rgb * (0.05 + 0.25 * exp(-30.0 * (across - 0.35) * (across - 0.35)));
    float cover = clamp((half_wide - d) / (1.5 * pixel) + 0.5, 0.0, 1.0);
    float shade = 0.45 * exp(-max(d - half_wide, 0.0) / (0.8 * pane[7].x));
    return mix(c * (1.0 - shade), body, cover);
}

void main()
{
    vec2 side = 2.0 * place - 1.0;
    vec3 d = normalize(forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz);
    vec3 ahead = d.z < -1e-3 ? d : vec3(d.xy, -1e-3);
    vec2 p = eye.xy - ahead.xy * (eye.z / ahead.z);
    float pixel = max(length(dFdx(p)), length(dFdy(p)));
    float level = max(log2(pixel), 0.0);
    if (pane[0].w == 3.0) {
        colour = vec4(with_legend(in_colours(p)), 1.0);
        return;
    }
    // Mist ends softly: droplets at the edge of a wiped streak are fewer, not cut, and where cells end is not seen.
    vec4 around = shape_at(p, max(level, 0.0) + 2.0);
    // Edges of water are not quite where the rules of drops have them: they hold to spots that it likes.
    vec2 wet_at = around.z > 1e-3 ? p + wander(p * pane[0].z) / pane[0].z : p;
    vec4 s = shape_at(wet_at, level);
    vec2 slope = s.xy / max(s.z, 1e-3);
    // The water's edge: where its cover is a half, smooth over a pixel.
    float cover = clamp((s.z - 0.5) / max(fwidth(s.z), 1e-3) + 0.5, 0.0, 1.0) * inside_pane(p);
    cover *= smoothstep(0.25, 0.5, s.z);
    float mist = clamp(0.2 * s.w + 0.8 * around.w, 0.0, 1.0) * inside_pane(p);
    vec4 base = glass(ahead, p, mist, pixel);
    float change = max(length(dFdx(slope)), length(dFdy(slope)));
    vec3 seen = cover > 0.0 ? water(ahead, wet_at, slope, change, change / (pixel * pane[0].z)) : vec3(0.0);
    // A drop takes light from the glass around its lower edge.
    float dark = 0.0;
    if (cover < 1.0) {
        float under = textureLod(shape, (p + vec2(0.0, 1.2)) / pane[0].xy, max(level, 2.0)).z;
        dark = 0.40 * smoothstep(0.05, 0.8, under) * inside_pane(p);
    }
    vec4 c;
    if (pane[0].w == 2.0) {
        vec3 n = normalize(vec3(-slope, 1.0));
        colour = vec4(mix(vec3(0.5, 0.5, 1.0), 0.5 + 0.5 * n, cover), pane[3].z > 0.0 ? cover : 1.0);
        return;
    }
    if (pane[3].z > 0.0) {
        // Over anything: mist and shadow first, then the drops; times their cover until the end.
        float a = base.a + (1.0 - base.a) * dark;
        vec3 glaze = base.rgb * base.a * (1.0 - dark);
        c = vec4(mix(glaze, seen, cover), mix(a, 1.0, cover));
        c.rgb /= max(c.a, 1e-3);
    } else {
        c = vec4(mix(base.rgb * (1.0 - dark), seen, cover), 1.0);
    }
    if (pane[7].x > 0.0 && pane[3].z == 0.0) c.rgb = under_wiper(c.rgb, p, pixel);
    // A tool's ring.
    float ring = abs(length(p - pane[1].zw) - pane[3].w) / pixel;
    if (pane[3].w > 0.0) c.rgb = mix(c.rgb, vec3(0.9), 0.8 * clamp(1.6 - ring, 0.0, 1.0));
    vec3 shown = to_screen(c.rgb * turn.w * 1.05);
    shown += (grain(gl_FragCoord.xy) - 0.5) / 255.0;
    colour = vec4(shown * step(1e-3, c.a), c.a);
}
