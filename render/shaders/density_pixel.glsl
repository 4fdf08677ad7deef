// Liquid of particles, by a ray for each pixel through their density (002 §1.7): bent where it enters and leaves, darkened by
// the way between, mirroring the room. EDGES: takes over what was drawn without it, and casts four rays instead of one
// where neighbours differ.
#include frame
#include light
#include layer
#include density
uniform highp sampler2DShadow shadow;
uniform sampler2D scene;
uniform sampler2D colours;
uniform highp sampler2D scene_depth;
#ifdef EDGES
uniform sampler2D nearest;
uniform highp sampler2D front_depth;
#endif
in vec2 place;
out vec4 colour;

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

// Liquid's own light: what it throws back of the lamp and the sky.
vec3 lit(vec3 d, float lamp)
{
    return sky_light(d) + key_light.rgb * max(dot(d, key.xyz), 0.0) * lamp;
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

// Follows the ray on through the surfaces that it meets. `t` is where it enters first.
vec3 through_all(vec3 p, vec3 d, vec3 n, vec3 straight, float jitter)
{
    vec3 sum = vec3(0.0), share = vec3(1.0), high = grid_low.xyz + grid_size.xyz;
    bool inside = false;
    float spread = 0.02;
    for (int k = 0; k < 6; k++) {
        if (!inside) { // at a surface, with n
            float cosine = clamp(-dot(n, d), 0.0, 1.0), f = mirror_share(cosine), lamp = lamp_at(p);
            vec3 r = reflect(d, n);
            sum += share * f * without_lamp(mirrored(normalize(vec3(r.xy, max(r.z, -0.2))), spread), lamp);
            share *= 1.0 - f;
            d = refract(d, n, 1.0 / fade.w);
            inside = true;
            float t = 0.05, end = within(p, d, grid_low.xyz, high).y;
            vec3 from = p;
            int what = follow(from, d, true, true, end, t);
            p = from + d * t;
            vec3 through, thrown, down, unused;
            layer(t, through, thrown);
            sum += share * out_of(thrown * lit(n, lamp));
            share *= through;
            if (what == SOLID) {
                vec4 seen = pictured(p);
                layer(liquid_along(p, normalize(key.xyz + vec3(0.0, 0.0, 1.0)), jitter), down, unused);
                return sum + share * mix(straight, seen.rgb, seen.a) * mix(down, vec3(1.0), 0.25);
            }
            n = what == SURFACE ? outward(p) : side_at(p);
        } else { // at the surface from inside
            vec3 leaving = refract(d, -n, fade.w);
            if (dot(leaving, leaving) < 0.5) { // mirrored whole
                d = reflect(d, -n);
                float t = 0.05, end = within(p, d, grid_low.xyz, high).y;
                vec3 from = p;
                int what = follow(from, d, true, true, end, t);
                p = from + d * t;
                vec3 through, thrown;
                layer(t, through, thrown);
                share *= through;
                if (what == SOLID) {
                    vec4 seen = pictured(p);
                    return sum + share * mix(straight, seen.rgb, seen.a) * 0.8;
                }
                n = what == SURFACE ? outward(p) : side_at(p);
                continue;
            }
            d = leaving;
            inside = false;
            vec2 span = within(p, d, seen_from, seen_to);
            float t = max(span.x, 0.0) + 0.3;
            vec3 from = p;
            if (k > 3 || span.y <= t || follow(from, d, false, true, span.y, t) != SURFACE) break;
            p = from + d * t;
            n = outward(p);
            if (dot(n, d) > 0.0) break;
        }
    }
    return sum + share * beyond(p, d, straight);
}

// A ray through a place of the picture: colour times cover, and the depth where it enters.
vec4 look(vec2 pixel, out float depth)
{
    vec2 uv = pixel * picture.zw, side = 2.0 * uv - 1.0;
    vec3 axis = forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz;
    float longer = length(axis), jitter = grain(pixel);
    vec3 d = axis / longer;
    depth = 1.0;
    vec2 span = within(eye.xyz, d, seen_from, seen_to);
    float t = max(span.x, 0.0), end = min(span.y, ahead(textureLod(scene_depth, uv, 0.0).r) * longer);
    if (t >= end) return vec4(0.0);
    t += 1e-3;
    vec3 p = eye.xyz + d * t, n;
    if (dense(p) > 0.0) { // cut flat by the side of the grid
        n = side_at(p);
    } else {
        t += jitter * 0.5 * grid_size.w;
        if (follow(eye.xyz, d, false, false, end, t) != SURFACE) return vec4(0.0);
        p = eye.xyz + d * t;
        n = outward(p);
    }
    if (dot(n, d) > 0.0) n = normalize(n - 1.02 * d * dot(n, d));
    vec4 there = to_picture * vec4(p, 1.0);
    depth = 0.5 + 0.5 * there.z / there.w;
    if (mode.x > 0.5) { // in colours: how deep the liquid is here
        float deep = liquid_along(p, vec3(0.0, 0.0, -1.0), 0.5);
        vec3 c = textureLod(colours, vec2((deep - mode.y) / max(mode.z - mode.y, 1e-9), 0.5), 0.0).rgb;
        c = pow(c, vec3(2.2)) * 0.92;
        c = c / pow(max(1.0 - pow(c, vec3(1.7)), vec3(0.05)), vec3(1.0 / 1.7)) / max(turn.w, 1e-3);
        return vec4(keep(c * (0.8 + 0.2 * abs(n.z))), 1.0);
    }
    vec3 straight = unkeep(textureLod(scene, uv, 0.0).rgb);
    return vec4(keep(through_all(p, d, n, straight, jitter)), 1.0);
}

#ifdef EDGES
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), last = ivec2(picture.xy) - 1;
    vec4 own = texelFetch(nearest, at, 0), most = own, least = own;
    float depth = texelFetch(front_depth, at, 0).r;
    for (int k = 0; k < 4; k++) {
        ivec2 beside = clamp(at + ivec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0), ivec2(0), last);
        vec4 other = texelFetch(nearest, beside, 0);
        most = max(most, other);
        least = min(least, other);
    }
    vec4 off = most - least;
    if (most.a < 0.5) discard;
    if (max(off.a, max(off.r, max(off.g, off.b))) < 0.07) {
        colour = own;
        gl_FragDepth = depth;
        return;
    }
    vec4 sum = vec4(0.0);
    float nearer = 1.0;
    for (int k = 0; k < 4; k++) {
        float z;
        vec2 corner = vec2(k & 1, k >> 1) * 0.5 - 0.25;
        // a square that is turned meets upright and level edges with four different rows
        corner = mat2(0.894, 0.447, -0.447, 0.894) * corner * 1.1;
        sum += 0.25 * look(gl_FragCoord.xy + corner, z);
        nearer = min(nearer, z);
    }
    if (sum.a < 0.01) discard;
    colour = sum;
    gl_FragDepth = nearer;
}
#else
void main()
{
    float depth;
    colour = look(gl_FragCoord.xy, depth);
    gl_FragDepth = colour.a > 0.5 ? depth : 1.0;
    if (colour.a < 0.5) discard;
}
#endif
