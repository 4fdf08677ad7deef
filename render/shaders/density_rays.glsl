// Liquid of particles, by a ray for each pixel through their density (splat paper §1.7): bent where it enters and leaves, darkened by
// the way between, mirroring the room. A second pass takes over what the first has drawn, and casts four rays instead of one
// where neighbours differ. Drawn and computed alike (density_ray_pixel, density_ray_kernel). Functions are called from few places: drivers put each call's text in its place, and compile
// for long.
#include frame
#include light
#include layer
#include density
#ifdef FOAM
#include froth
#endif
uniform highp sampler2DShadow shadow;
uniform sampler2D scene;
uniform sampler2D colours;
uniform highp sampler2D scene_depth;
uniform sampler2D nearest; // of the first pass
uniform highp sampler2D front_depth;
uniform bool second_pass;

// Distance along the camera's axis of a depth.
float ahead(float z)
{
    return range.x * range.y / (range.y - z * (range.y - range.x));
}

// Share of the lamp that terrain leaves, in a few samples.
float lamp_at(vec3 p)
{
    vec3 at = (to_shadow * vec4(p + key.xyz * 1.5, 1.0)).xyz;
    float seen = 0.0;
    for (int k = 0; k < 8; k++) {
        float a = 2.39996323 * float(k);
        vec2 off = sqrt((float(k) + 0.5) / 8.0) * vec2(cos(a), sin(a)) * 2.5 * range.z;
        seen += textureLod(shadow, vec3(at.xy + off, min(at.z, 1.0)), 0.0);
    }
    return seen / 8.0;
}

// What the picture of solids shows of a place; alpha: how sure it is that it shows that one.
vec4 pictured(vec3 p)
{
    vec4 there = to_picture * vec4(p, 1.0);
    vec2 uv = 0.5 + 0.5 * there.xy / max(there.w, 1e-3);
    vec2 rim = smoothstep(vec2(0.0), vec2(0.03), min(uv, 1.0 - uv));
    uv = clamp(uv, 0.0, 1.0);
    float by = there.w - ahead(textureLod(scene_depth, uv, 0.0).r);
    float sure = there.w > 0.0 ? rim.x * rim.y * (1.0 - smoothstep(0.02, 0.05, by / forward.w)) : 0.0;
    return vec4(unkeep(textureLod(scene, uv, 0.0).rgb), sure);
}

// What comes along a ray that has left the liquid: terrain, the floor, or the room.
vec3 beyond(vec3 from, vec3 d, vec3 straight)
{
    float reach = d.z < -1e-3 ? (block.z - from.z) / d.z : 1e9, t = 0.0;
    vec2 span = within(from, d, grid_low.xyz, grid_low.xyz + grid_size.xyz);
    float end = min(span.y, reach);
    for (int k = 0; k < 24 && t < end; k++) {
        float far = from_solid(from + d * t);
        if (far < 0.1) break;
        t += max(far, 0.4);
    }
    bool met = t < end;
    vec3 at = from + d * (met ? t : min(reach, 0.8 * forward.w));
    vec4 seen = pictured(at);
    // The room itself stands far behind: what the picture has there is its backdrop.
    vec3 other = met ? straight : d.z > 0.0 ? mirrored(d, 0.1) : mix(straight, mirrored(d, 0.1), 0.3);
    if (!met && d.z > 0.25) seen.a *= 1.0 - smoothstep(0.25, 0.6, d.z);
    return mix(other, seen.rgb, seen.a);
}

float mirror_share(float cosine)
{
    return back.w + (1.0 - back.w) * pow(1.0 - clamp(cosine, 0.0, 1.0), 5.0);
}

// The side of the grid that a place lies on.
vec3 side_at(vec3 p)
{
    vec3 q = (p - grid_low.xyz) / grid_size.xyz * 2.0 - 1.0, a = abs(q) * grid_size.xyz;
    vec3 off = grid_size.xyz - a;
    if (off.x <= off.y && off.x <= off.z) return vec3(sign(q.x), 0.0, 0.0);
    if (off.y <= off.z) return vec3(0.0, sign(q.y), 0.0);
    return vec3(0.0, 0.0, sign(q.z));
}

// In colours: how deep the liquid is.
vec3 depth_colour(vec3 p, vec3 n)
{
    float deep = liquid_along(p, vec3(0.0, 0.0, -1.0), 0.5);
    vec3 c = textureLod(colours, vec2((deep - mode.y) / max(mode.z - mode.y, 1e-9), 0.5), 0.0).rgb;
    c = pow(c, vec3(2.2)) * 0.92;
    c = c / pow(max(1.0 - pow(c, vec3(1.7)), vec3(0.05)), vec3(1.0 / 1.7)) / max(turn.w, 1e-3);
    return c * (0.8 + 0.2 * abs(n.z));
}

// A ray through a place of the picture: colour, cover, and the depth where it enters. It is followed on through the
// surfaces that it meets until it ends at a solid or leaves.
vec4 look(vec2 pixel, out float depth)
{
    vec2 uv = pixel * picture.zw, side = 2.0 * uv - 1.0;
    vec3 axis = forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz;
    float longer = length(axis), jitter = grain(pixel), cell = grid_size.w;
    vec3 d = axis / longer, high = grid_low.xyz + grid_size.xyz;
    depth = 1.0;
    vec2 span = within(eye.xyz, d, seen_from, seen_to);
    float begin = max(span.x, 0.0) + 1e-3, end = min(span.y, ahead(textureLod(scene_depth, uv, 0.0).r) * longer) - begin;
    if (end <= 0.0) return vec4(0.0);
    vec3 p = eye.xyz + d * begin, straight = unkeep(textureLod(scene, uv, 0.0).rgb);
    vec3 sum = vec3(0.0), share = vec3(1.0), light = vec3(0.0);
    bool inside = false;
    for (int k = 0; k < 8; k++) {
        float t = k == 0 ? 0.5 * jitter * cell : 0.05 * cell;
        int what = NOTHING;
        bool cut = k == 0 && dense(p) > 0.0; // flat, by the side of the grid
        if (cut && from_solid(p) < -0.1 * cell) return vec4(0.0); // the density reaches into the ground
        if (cut) t = 0.0;
        else what = follow(p, d, inside, k > 0, end, t);
        if (!inside && what != SURFACE && !cut) {
            if (k == 0) return vec4(0.0);
            break;
        }
#ifdef FOAM
        if (inside) {
            float haze = froth_haze(p, d, t);
            sum += share * haze * froth_light(light);
            share *= 1.0 - haze;
        }
#endif
        p += d * t;
        if (inside) {
            vec3 through, thrown;
            layer(t, through, thrown);
            sum += share * out_of(thrown * light);
            share *= through;
            if (what == SOLID) {
                // Beside the sides of the grid the picture has what is behind the solid's own end.
                vec3 off = vec3(cell, cell, 0.0);
                vec4 seen = pictured(clamp(p, grid_low.xyz + off, high - off));
                vec3 down;
                layer(liquid_along(p, normalize(key.xyz + vec3(0.0, 0.0, 1.0)), jitter), down, thrown);
                sum += share * mix(straight, seen.rgb, seen.a) * mix(down, vec3(1.0), 0.25);
                share = vec3(0.0);
                break;
            }
        }
        vec3 n = what == SURFACE ? outward(p) : side_at(p);
        if (k == 0) {
            vec4 there = to_picture * vec4(p, 1.0);
            depth = 0.5 + 0.5 * there.z / there.w;
            if (mode.x > 0.5) return vec4(keep(depth_colour(p, n)), 1.0);
        }
        if (inside) {
            vec3 leaving = refract(d, -n, fade.w);
            inside = dot(leaving, leaving) < 0.5; // then it is mirrored whole
            d = inside ? reflect(d, -n) : leaving;
        } else {
            // What looks away is turned until it does not, so that no outline is black.
            if (dot(n, d) > 0.0) n = normalize(n - 1.02 * d * dot(n, d));
            float f = mirror_share(-dot(n, d)), lamp = lamp_at(p);
            vec3 r = reflect(d, n);
            light = sky_light(n) + key_light.rgb * max(dot(n, key.xyz), 0.0) * lamp;
#ifdef FOAM
            vec4 white = froth_on(p, n, light);
            sum += share * white.a * white.rgb;
            share *= 1.0 - white.a;
#endif
            r.z = max(r.z, -0.2);
            sum += share * f * without_lamp(mirrored(normalize(r), 0.02), lamp);
            share *= 1.0 - f;
            d = refract(d, n, 1.0 / fade.w);
            inside = true;
        }
        if (max(share.r, max(share.g, share.b)) < 0.02) break;
        p += d * (inside ? 0.0 : 0.25 * cell);
        end = within(p, d, inside ? grid_low.xyz : seen_from, inside ? high : seen_to).y;
    }
    return vec4(keep(sum + share * beyond(p, d, straight)), 1.0);
}

// Whether the first pass has an edge here: of the liquid, or within it.
bool at_edge(ivec2 at, vec4 own, out bool any)
{
    ivec2 last = ivec2(picture.xy) - 1;
    vec4 most = own, least = own;
    for (int k = 0; k < 4; k++) {
        ivec2 beside = clamp(at + ivec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0), ivec2(0), last);
        vec4 other = texelFetch(nearest, beside, 0);
        most = max(most, other);
        least = min(least, other);
    }
    vec4 off = most - least;
    any = most.a > 0.5;
    return max(off.a, max(off.r, max(off.g, off.b))) > 0.07;
}

// What is seen at a pixel; false: nothing of the liquid.
bool seen_at(ivec2 at, out vec4 colour, out float depth)
{
    int rays = 1;
    colour = vec4(0.0), depth = 1.0;
    if (second_pass) {
        bool any;
        colour = texelFetch(nearest, at, 0);
        depth = texelFetch(front_depth, at, 0).r;
        bool edge = at_edge(at, colour, any);
        if (!any || !edge) return any;
        rays = 4;
    }
    vec4 sum = vec4(0.0);
    float nearest_depth = 1.0;
    for (int k = 0; k < rays; k++) {
        float z;
        // A square that is turned meets upright and level edges with four different rows.
        vec2 corner = mat2(0.894, 0.447, -0.447, 0.894) * (vec2(k & 1, k >> 1) - 0.5) * 0.55;
        sum += look(vec2(at) + 0.5 + (rays > 1 ? corner : vec2(0.0)), z) / float(rays);
        nearest_depth = min(nearest_depth, z);
    }
    colour = sum, depth = nearest_depth;
    return sum.a >= 0.01;
}
