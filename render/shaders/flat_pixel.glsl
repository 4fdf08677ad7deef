// A cut through liquid of particles in a vertical plane: the liquid as a slab of coloured glass with a rounded rim, solids as
// thick pieces of their material, both before a wall that they shade. OF is the function of the material.
#include frame
#include light
#include layer
#include materials
#ifdef FOAM
#include foam
#endif
uniform highp sampler2D cells; // density, light from above, how full around, speed
uniform highp sampler2D walls; // distance to solids, to bodies; cells
uniform sampler2D colours;
uniform vec4 grid;             // cells along x and z, density of the surface
in vec2 place;
out vec4 colour;

// Smooth between cells, also in its slope: four looks of the card's own filter make a cubic one.
vec4 smooth_at(highp sampler2D map, vec2 p)
{
    vec2 size = grid.xy, c = floor(p - 0.5) + 0.5, f = p - c;
    vec2 f2 = f * f, f3 = f2 * f;
    vec2 w0 = (1.0 - f) * (1.0 - f) * (1.0 - f) / 6.0, w1 = (4.0 - 6.0 * f2 + 3.0 * f3) / 6.0, w3 = f3 / 6.0;
    vec2 w2 = 1.0 - w0 - w1 - w3;
    vec2 g0 = w0 + w1, g1 = w2 + w3;
    vec2 a = (c - 1.0 + w1 / g0) / size, b = (c + 1.0 + w3 / g1) / size;
    return g0.y * (g0.x * textureLod(map, a, 0.0) + g1.x * textureLod(map, vec2(b.x, a.y), 0.0)) +
           g1.y * (g0.x * textureLod(map, vec2(a.x, b.y), 0.0) + g1.x * textureLod(map, b, 0.0));
}

// Distance to the tank: a trough around the grid, open above. Negative inside its wall.
float tank(vec2 p, float thick)
{
    vec2 q = vec2(abs(p.x - 0.5 * grid.x) - 0.5 * grid.x, -p.y);
    float inner = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0); // to what it holds
    float wall = abs(inner - 0.5 * thick) - 0.5 * thick;
    return max(wall, p.y - grid.y);
}

// What is solid: the nearest of terrain, bodies and the tank; y: 1 for a body.
vec2 solid_at(vec2 p, float thick)
{
    vec2 d = smooth_at(walls, p).xy;
    vec2 q = abs(p - 0.5 * grid.xy) - 0.5 * grid.xy;
    float off = max(max(q.x, q.y), 0.0); // beyond the grid the terrain goes on nowhere
    float s = off > 0.0 ? 1e3 : d.x;
    s = min(s, tank(p, thick));
    return off <= 0.0 && d.y < s ? vec2(d.y, 1.0) : vec2(s, 0.0);
}

float dense(vec2 p)
{
    vec2 q = clamp(p, vec2(0.0), grid.xy);
    float far = length(p - q);
    return far > 0.0 ? -grid.z : smooth_at(cells, p).r - grid.z;
}

vec3 lamp_dir()
{
    return normalize(vec3(-0.45, -0.55, 0.70)); // left, toward the eye, up
}

// A piece of solid with a rounded rim, d from its edge (negative inside).
vec3 piece(vec2 p, float d, vec2 slope, float rim, float light, bool body)
{
    float inside = clamp(-d / rim, 0.0, 1.0), tilt = 1.0 - inside;
    vec3 n = normalize(vec3(slope.x * tilt * 1.3, -1.0, slope.y * tilt * 1.3));
    Solid s = OF(vec3(p.x, 0.3 * forward.w, p.y) / forward.w);
    if (body) s.colour = vec3(0.58, 0.16, 0.09), s.rough = 0.3, s.straight = vec3(0.04), s.slope *= 0.2;
    n = normalize(n - (s.slope - n * dot(s.slope, n)) * 0.6);
    vec3 to_eye = vec3(0.0, -1.0, 0.0), l = lamp_dir(), h = normalize(l + to_eye);
    float diffuse = max(dot(n, l), 0.0), edge = pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
    float gloss = mix(200.0, 8.0, s.rough), spec = pow(max(dot(n, h), 0.0), gloss) * mix(1.2, 0.06, s.rough);
    vec3 c = s.colour * (0.30 + 1.05 * diffuse) * mix(0.55, 1.0, light);
    return c + spec * max(s.straight * 8.0, vec3(0.25)) * light + 0.10 * edge * light;
}

// The wall behind all, in the shadow of what stands before it.
vec3 wall_at(vec2 p, float thick)
{
    vec2 side = 2.0 * place - 1.0;
    vec3 c = mix(vec3(0.30, 0.31, 0.325), vec3(0.145, 0.158, 0.182), smoothstep(-0.1, 1.05, place.y));
    c *= 1.0 - 0.16 * dot(side, side);
    vec2 off = p + vec2(-0.016, 0.024) * forward.w;
    float far = min(solid_at(off, thick).x, 1e2);
    vec2 q = clamp(off, vec2(0.5), grid.xy - 0.5);
    float thickness = off == q ? textureLod(cells, off / grid.xy, 0.0).b : 0.0;
    float near = 0.45 * (1.0 - smoothstep(-0.006, 0.022, far / forward.w));
    return c * (1.0 - max(near, 0.30 * smoothstep(0.02, 0.7, thickness)));
}

// The liquid with its rim; s: distance inside the surface, cells.
vec3 slab(vec2 p, float s, vec2 slope, vec4 cell, vec3 behind)
{
    float rim = 0.011 * forward.w, inside = clamp(s / rim, 0.0, 1.0), tilt = (1.0 - inside) * (1.0 - inside);
    vec3 n = normalize(vec3(slope.x * tilt * 1.6, -1.0, slope.y * tilt * 1.6));
    vec3 to_eye = vec3(0.0, -1.0, 0.0), l = lamp_dir(), h = normalize(l + to_eye);
    vec3 through, thrown;
    float deep = mix(0.35, 1.0, smoothstep(0.1, 0.95, cell.b));
    layer(0.55 * rest.w * deep, through, thrown);
    float light = cell.g;
    // Light loses its warm colours on the way down: turquoise above, deep blue below.
    vec3 down, unused;
    layer(0.5 * rest.w * (1.0 - light), down, unused);
    vec3 own = out_of(thrown * 3.4) * (0.10 + 1.05 * light) * mix(vec3(1.0), down, 0.85);
    vec3 c = behind * through * down + own;
    // What is thin or stirred is bright.
    float thin = 1.0 - smoothstep(0.12, 0.62, cell.b);
    c = mix(c, c * 1.25 + vec3(0.10, 0.115, 0.12) * light, 0.75 * thin);
    // The rim bends the room toward the eye: bright above, dark below.
    float f = back.w + (1.0 - back.w) * pow(1.0 - clamp(dot(n, to_eye), 0.0, 1.0), 4.0);
    float facing = dot(vec2(slope.x, slope.y), normalize(vec2(-0.35, 1.0)));
    c *= 1.0 - 0.30 * tilt * smoothstep(0.2, -1.0, facing);
    c += tilt * tilt * smoothstep(0.15, 1.0, facing) * vec3(0.55, 0.62, 0.66) * (0.25 + 0.75 * light);
    vec3 r = reflect(-to_eye, n);
    c = mix(c, mirrored(r, 0.15), 0.5 * f);
#ifdef FOAM
    // Bubbles stand in the slab at every depth: a haze, and flecks where there are more of them.
    float air = smooth_at(froth, p).r;
    vec4 white = foam_on(air, p, vec3(0.30 + 0.85 * light));
    c = mix(c, white.rgb, max(white.a, 0.6 * (1.0 - exp(-2.5 * air))));
#endif
    return c + pow(max(dot(n, h), 0.0), 90.0) * 0.5 * light * (1.0 - inside);
}

// A number in the colours of the legend.
vec3 mapped(float value)
{
    vec3 c = texture(colours, vec2((value - mode.y) / max(mode.z - mode.y, 1e-9), 0.5)).rgb;
    c = pow(c, vec3(2.2)) * 0.92;
    return c / pow(max(1.0 - pow(c, vec3(1.7)), vec3(0.05)), vec3(1.0 / 1.7)) / max(turn.w, 1e-3);
}

void main()
{
    vec2 side = 2.0 * place - 1.0;
    vec3 axis = forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz;
    float far = (0.5 - eye.y) / axis.y, pixel = 2.0 * far * up.w * picture.w;
    vec2 p = (eye.xyz + axis * far).xz;
    float thick = 0.016 * forward.w, e = max(0.5, 0.5 * pixel);
    vec3 c = wall_at(p, thick);

    vec4 cell = smooth_at(cells, p);
    float light = all(greaterThan(p, vec2(0.0))) && all(lessThan(p, grid.xy)) ? cell.g : 1.0;
    float d = dense(p);
    vec2 g = vec2(dense(p + vec2(e, 0.0)) - dense(p - vec2(e, 0.0)), dense(p + vec2(0.0, e)) - dense(p - vec2(0.0, e))) / (2.0 * e);
    float steep = max(length(g), 0.02), s = d / steep;
    vec2 out_slope = -g / max(length(g), 1e-4) * smoothstep(0.0, 0.05, length(g));
    float cover = clamp(s / pixel + 0.5, 0.0, 1.0);
    if (cover > 0.0) {
        vec3 liquid = mode.x > 0.5 ? mapped(mode.x > 2.5 ? cell.a : cell.r) : slab(p, s, out_slope, cell, c);
        c = mix(c, liquid, cover);
    }

    vec2 solid = solid_at(p, thick);
    float own = clamp(0.5 - solid.x / pixel, 0.0, 1.0);
    // A little shade in the corner between liquid, wall and solid.
    c *= 1.0 - 0.35 * exp(-max(solid.x, 0.0) / (0.006 * forward.w));
    if (own > 0.0) {
        vec2 slope = vec2(solid_at(p + vec2(e, 0.0), thick).x - solid_at(p - vec2(e, 0.0), thick).x,
                          solid_at(p + vec2(0.0, e), thick).x - solid_at(p - vec2(0.0, e), thick).x) / (2.0 * e);
        vec3 hard = piece(p, solid.x, slope, 0.008 * forward.w, light, solid.y > 0.5);
        hard = mix(hard, vec3(0.1 + 0.45 * dot(hard, vec3(0.3, 0.55, 0.15))), mode.w);
        c = mix(c, hard, own);
    }
    colour = vec4(keep(c), 1.0);
}
