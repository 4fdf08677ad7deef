// The shape of liquid in a pixel: where it is and how it faces, how much of it the view goes through, how much of the pixel
// it is. What light does there is in liquid_light.glsl, drawn with it (liquid_pixel.glsl), computed later from what is kept
// of it (liquid_shape_pixel.glsl, liquid_kernel.glsl), or computed with it (NUMBERED, liquid_numbered.glsl).
uniform mediump sampler3D noise;
#ifdef NUMBERED
#include liquid_numbered
#else
centroid in vec3 p;
centroid in vec3 n;
centroid in vec4 liquid;
centroid in float rough;
centroid in vec4 bend;
centroid in vec3 shore;
#endif

// Near a solid the surface is bent: by the tilt at the contact, and linearly less away from it. A contact normal
// that looks away from the eye is turned until it does not, so that no outline is black. `turned`: by how much.
vec3 bent(vec3 d, vec3 to_eye, inout float turned)
{
    float near = bend.x;
    if (near <= 0.0 || abs(bend.w) < 1e-3) return d;
    // Between two contacts the direction is short, and nothing is bent in the middle.
    float sure = min(length(bend.yz), 1.0);
    vec3 toward = vec3(bend.yz / max(sure, 1e-3), 0.0);
    vec3 level = normalize(toward - d * dot(d, toward) + 1e-5);
    vec3 contact = d * cos(sure * bend.w) - level * sin(sure * bend.w);
    float away = dot(contact, to_eye);
    if (away < 0.0 && meniscus.w < 0.5) {
        contact = normalize(contact - to_eye * away);
        turned = max(turned, -near * away);
    }
    // A rim that bulges turns evenly along its own way: in plan most of it right at its end.
    near = mix(near, 0.63662 * asin(min(near, 1.0)), smoothstep(0.7, 1.3, -bend.w));
    return normalize(mix(d, contact, near));
}

// Noise that is drawn out downward, as fine as pixels can show.
vec3 in_noise(vec3 at)
{
    return vec3(at.xy * 0.018, at.z * 0.0018);
}

// `finer`: steps of the noise's own fineness, beyond that of in_noise.
vec4 noise_at(vec3 q, float finer)
{
#ifdef NUMBERED
    return textureLod(noise, q, strand_level + finer);
#else
    return texture(noise, q);
#endif
}

// What falls is never quite flat: it has strands that stand in it from its edge down, more the farther it has fallen, and
// thin liquid more than thick. They belong to the place, so that they do not flicker. `thicker`: times as thick there.
vec3 stranded(vec3 d, float straight, out float thicker)
{
    vec3 q = in_noise(p);
    vec4 a = noise_at(q, 0.0), b = noise_at(2.6 * q.yxz + 0.37, log2(2.6));
    vec3 slope = vec3(a.yz - 0.5 + 0.5 * (b.zy - 0.5), 0.0);
    float much = meniscus.y * smoothstep(0.5, 8.0, liquid.z) * smoothstep(1.0, 3.0, straight) * (1.0 - smoothstep(0.1, 0.5, abs(d.z)));
    thicker = 1.0 + much * clamp(2.4 * (a.x - 0.5) + 1.6 * (b.x - 0.5), -0.6, 0.8);
    return normalize(d + 0.9 * much * (slope - d * dot(d, slope)));
}

// How much liquid the view goes through, and how deep it is under the surface.
void ways(vec3 d, vec3 ray, vec3 inside, float solid, out float way, out float deep)
{
    float straight = max(solid - dot(p - eye.xyz, forward.xyz), 0.0) / dot(ray, forward.xyz);
    deep = liquid.x;
    if (liquid.w > 2.5) { // round: as far as it is thick
        way = min(deep / max(-dot(inside, d), 0.5), straight);
    } else if (liquid.w > 1.5) { // the cut at a side: as far as the block goes
        // Light comes in through the cuts too: what is behind more liquid than is above it is no darker than that.
        vec2 ends = (mix(vec2(0.0), block.xy, step(0.0, ray.xy)) - p.xy) / (ray.xy + vec2(1e-5) * (step(0.0, ray.xy) - 0.5));
        // And what lies right behind the cut has its light through the liquid above: no bright seam along the bed.
        float far = max(min(straight, min(ends.x, ends.y)), 0.0) + 0.3 * liquid.x, most = 1.1 * liquid.x;
        way = most * (1.0 - exp(-far / most));
        deep = 0.5 * min(way, liquid.x);
    } else if (liquid.w > 0.5) { // a curtain: as far as it is thick
        way = min(deep / max(abs(dot(d, inside)), 0.35), straight + deep);
    } else {
        // What clings to a steep bed lies along it: as thick as its column is deep, less its slope.
        float up = n.z / length(n), steep = 1.0 - smoothstep(0.35, 0.75, up), level = deep / max(-inside.z, 0.3);
        deep *= mix(1.0, clamp(up, 0.1, 1.0), steep);
        way = min(mix(level, deep / max(-dot(inside, d), 0.5), steep), 1.25 * straight + 0.05);
    }
}

vec3 bed; // the solid that is seen behind it, where nothing bends light

// Where it ends it goes over into the dry bed: as its depth does, and within two pixels at least of its end, which are
// counted from the end itself. From afar, where a cell is a few pixels or less, they are counted by the depth as well, but
// only near a contact: elsewhere depth differs from pixel to pixel over a step of the bed that is under liquid.
// A film on a steep bed thins out over most of a cell: how its columns stand on that bed would be teeth. Films thinner than
// they are drawn over their beds are none. What clings under an edge thins out where it ends, and is seen to. `on_steep`:
// how much it is a film on a steep bed.
// What stands on its bed like a wall, a heap of tar, ends where it is seen to end: a wall is as wide as a pixel or two, and
// depth and distance to the end differ in it from pixel to pixel by all they are.
float present(float deep, float on_steep, float deep_width, float shore_width, vec2 p_width)
{
    float thin = on_steep * (1.0 - smoothstep(1.5, 4.0, deep / clamp(shore.x, 0.01, 1.0)));
    float film = clamp(0.035 * rest.w, 0.08, 0.16), beside = 1.0 - smoothstep(0.5, 1.0, distance(bed, p));
    float torn = deep / max(mix(film, max(film, 0.3), beside), 2.2 * deep_width);
    float far = shore.x + shore.y, inside = clamp(far, 0.05, 1.0);
    // a triangle that is hardly more than a line says nothing of how fast it comes nearer
    float by_pixel = min(shore_width, 1.5 * length(p_width) / max(n.z / length(n), 0.1));
    float thick = shore.z >= 0.0 ? shore.z : deep / max(inside, 0.3);
    float ends = min(thick / film, min(far / clamp(2.2 * by_pixel, 1e-4, 0.7), shore.x / max(0.9 * thin, 1e-4)));
    float afar = smoothstep(0.25, 0.45, length(p_width)); // cells a pixel
    ends = min(ends, mix(1.0, torn, afar * smoothstep(0.0, 0.5, bend.x)));
    float wall = (1.0 - on_steep) * smoothstep(0.8, 1.6, liquid.x / max(shore.x, 0.02)) * smoothstep(0.3, 1.2, liquid.x);
    ends = mix(ends, 1.0, wall);
    float share = clamp(liquid.w > 1.5 ? 1.0 : liquid.w > 0.5 ? torn : ends, 0.0, 1.0);
    return share * share * (3.0 - 2.0 * share);
}

// How much the liquid is a film on a steep bed: it is steep itself, and so is the solid seen right behind it.
// `bed_way`: across that solid, as long as it likes.
float clings(vec3 bed_way)
{
    float near = 1.0 - smoothstep(1.0, 2.5, distance(bed, p));
    float steep = 1.0 - smoothstep(0.6, 0.9, abs(bed_way.z) / max(length(bed_way), 1e-9));
    return near * steep * (1.0 - smoothstep(0.6, 0.9, n.z / length(n)));
}

// All of it that neighbouring pixels do not matter for.
void find_face(ivec2 pixel)
{
    vec3 ray = normalize(p - eye.xyz), d = normalize(n);
    // Curtains and cuts have two sides; what is round turns away at its outline.
    if (liquid.w > 0.5 && liquid.w < 2.5 && dot(d, ray) > (liquid.w < 1.5 ? 0.5 : 0.0)) d = -d;
    // A pixel that is only there for differences may lie beside the picture.
    float solid = ahead(texelFetch(scene_depth, min(pixel, ivec2(picture.xy) - 1), 0).r);
    float thicker = 1.0;
    if (liquid.w > 0.5 && liquid.w < 1.5) d = stranded(d, solid - dot(p - eye.xyz, forward.xyz), thicker);
    float turned = max(dot(d, ray), 0.0);
    if (turned > 0.0) d = normalize(d - 1.02 * ray * turned);
    d = bent(d, -ray, turned);
    s.p = p, s.d = d, s.kind = liquid.w, s.turned = turned;
    s.near = bend.x * (1.0 - smoothstep(0.0, 0.3, bend.w)); // what climbs a wall has liquid beside it, no bed
    bed = eye.xyz + ray * (solid / dot(ray, forward.xyz));
    ways(d, ray, refract(ray, d, 1.0 / fade.w), solid, s.way, s.deep);
    s.way *= thicker;
}

// And the rest, by how much normal, depth, distance to the end, and place change to the next pixels, and how the bed lies
// between these.
void find_ends(vec3 d_width, float deep_width, float shore_width, vec2 p_width, vec3 bed_way)
{
    // Mirrored light is blurred as much as its direction changes within a pixel.
    // A rim that bulges farther than columns can show is turned by the rest of its angle within a cell or two: what is
    // mirrored there is drawn out, and no picture.
    float bulge = bend.x * smoothstep(0.3, 1.0, abs(bend.w));
    s.spread = clamp(0.02 + rough + 0.4 * bulge + 0.1 * smoothstep(0.0, 0.6, bend.x) + 1.6 * length(d_width), 0.0, 0.55);
    s.share = present(s.deep, liquid.w < 0.5 ? clings(bed_way) : 0.0, deep_width, shore_width, p_width);
}

#ifndef NUMBERED
void find_shape()
{
    find_face(ivec2(gl_FragCoord.xy));
    find_ends(fwidth(s.d), fwidth(s.deep), fwidth(shore.x + shore.y), fwidth(p.xy), cross(dFdx(bed), dFdy(bed)));
}
#endif
