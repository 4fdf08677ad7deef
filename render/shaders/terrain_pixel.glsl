// The solid: what it is made of, lit by the room and the lamp.
#include frame
#include light
#include materials
in vec3 p;
in vec3 n;
in vec4 low;
in vec4 high;
out vec4 colour;

// SOLID_n is the function of material n, where the tile has any of it. Its share goes from 0 to 1 between vertices; the
// seam is drawn sharp, a pixel wide.
#define TAKE(share, of) s = mixed(s, of(q), clamp((share - 0.5) / max(1.4 * fwidth(share), 0.02) + 0.5, 0.0, 1.0))

Solid solid_here(vec3 q)
{
    Solid s = FIRST(q);
#ifdef SOLID_0
    TAKE(low.x, SOLID_0);
#endif
#ifdef SOLID_1
    TAKE(low.y, SOLID_1);
#endif
#ifdef SOLID_2
    TAKE(low.z, SOLID_2);
#endif
#ifdef SOLID_3
    TAKE(low.w, SOLID_3);
#endif
#ifdef SOLID_4
    TAKE(high.x, SOLID_4);
#endif
#ifdef SOLID_5
    TAKE(high.y, SOLID_5);
#endif
    return s;
}

float power5(float x)
{
    float x2 = x * x;
    return x2 * x2 * x;
}

// Brushed metal spreads what it mirrors across its brush marks, which run along x.
vec3 brushed(vec3 ray, vec3 d, float rough, float seen)
{
    vec3 across = normalize(cross(d, vec3(1.0, 0.0, 0.0)) + 1e-4);
    vec3 sum = vec3(0.0);
    for (int k = -2; k <= 2; k++) {
        vec3 m = normalize(d + across * (0.17 * float(k)));
        sum += mirrored(reflect(ray, m), rough * 0.75) * (k == 0 ? 0.3 : abs(k) == 1 ? 0.22 : 0.13);
    }
    return without_lamp(sum, seen);
}

vec3 shade(Solid s, vec3 d, vec3 flat_normal, float open, float seen)
{
    vec3 ray = normalize(p - eye.xyz);
    float facing = max(-dot(d, ray), 0.02), toward = dot(d, key.xyz);
    // Light that goes in comes out beside it, redder.
    vec3 wrap = s.soft * vec3(0.55, 0.26, 0.14);
    vec3 lamp = max((vec3(toward) + wrap) / (1.0 + wrap), vec3(0.0)) * key_light.rgb;
    float hidden = min(seen, smoothstep(-0.15, 0.25, dot(flat_normal, key.xyz) + 0.15 * s.soft));
    // Corners lose less of the colours that bounce in them.
    vec3 corner = mix(vec3(open), vec3(1.0), 0.45 * s.colour * (1.0 - open));
    vec3 light = sky_light(d) * corner * open / max(open, 0.05) + lamp * hidden;
    vec3 f = s.straight + (max(vec3(1.0 - s.rough), s.straight) - s.straight) * power5(1.0 - facing);
    vec3 r = reflect(ray, d);
    vec3 shine = s.along > 0.5 ? brushed(ray, d, s.rough, hidden) : without_lamp(mirrored(r, s.rough), hidden);
    // What is mirrored is hidden in corners too, the more the smoother the corner's walls would show.
    float clear = clamp(pow(open + facing, 1.0 + 3.0 * (1.0 - s.rough)) - 1.0 + open, 0.0, 1.0);
    shine *= mix(clear, 1.0, 0.15) * smoothstep(-0.6, 0.1, dot(r, flat_normal));
    return s.colour * light * (1.0 - f) + shine * f;
}

void main()
{
    vec3 q = p / forward.w;
    vec3 edge = vec3(min(p.xy, block.xy - p.xy), p.z - block.z);
    // A face in the side's plane that looks outward; what was pushed onto the side may also look in.
    vec3 face = cross(dFdx(p), dFdy(p)), outward = vec3(sign(p.xy - 0.5 * block.xy) * step(edge.xy, vec2(2e-3)), 0.0);
    bool side = dot(face, outward) > 0.5 * length(face);
    vec3 d = normalize(n);
    float open = high.z * (0.35 + 0.65 * high.z);
    if (side) {
        d = normalize(outward);
        // The floor takes light from the foot of the block.
        open = 0.55 + 0.45 * smoothstep(0.0, 0.10, (p.z - block.z) / forward.w);
    }
    Solid s = solid_here(q);
    if (side) s = side_of(q);
    float seen = high.w;
    vec3 bumpy = normalize(d - (s.slope - d * dot(s.slope, d)));
    vec3 c = shade(s, bumpy, d, open, seen);
    c = mix(c, vec3(0.1 + 0.45 * dot(c, vec3(0.3, 0.55, 0.15))), mode.w);
    colour = vec4(keep(c), seen);
}
