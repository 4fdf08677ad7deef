// Bodies: made of what the terrain is made of, in their own axes, so that one sees them roll. OF is the function of the
// material; PAINTED: what has no grain of its own gets a pattern.
#include frame
#include light
#include lamp
#include materials
#include shading
#include bodies
in vec3 p;
in vec3 n;
in vec3 own;
flat in vec4 form; // largest half edge, radius of the edges, which body
flat in vec4 axes;
flat in vec3 sky_low;
flat in vec3 sky_high;
out vec4 colour;

#ifdef PAINTED
vec3 paint_of(float which)
{
    int k = int(mod(which, 6.0));
    if (k == 0) return vec3(0.52, 0.085, 0.055);
    if (k == 1) return vec3(0.055, 0.20, 0.40);
    if (k == 2) return vec3(0.60, 0.34, 0.045);
    if (k == 3) return vec3(0.045, 0.27, 0.19);
    if (k == 4) return vec3(0.50, 0.20, 0.06);
    return vec3(0.20, 0.10, 0.30);
}

// A pattern's share of a place, with an edge a pixel wide: positive `by` is inside.
float inside(float by)
{
    return clamp(by / max(1.4 * fwidth(by), 1e-4) + 0.5, 0.0, 1.0);
}

// A ball's segments, or a box's frame, in colour.
void paint(inout Solid s)
{
    vec3 v = own / form.x;
    float share;
    if (form.y >= form.x) {
#if PAINTED == 1 // six segments and two caps
        float wave = sin(3.0 * atan(v.y, v.x)) * length(v.xy);
        share = inside(wave) * inside(0.86 - abs(v.z));
#else // a band
        share = inside(0.30 - abs(v.z));
#endif
    } else {
        share = PAINTED == 1 ? 1.0 : 0.0;
    }
    vec3 bright = PAINTED == 1 ? vec3(0.62, 0.60, 0.55) : s.colour;
    s.colour = mix(bright, paint_of(form.z), share);
    if (PAINTED == 1) s.rough = 0.32, s.slope *= 0.25;
}
#endif

void main()
{
    vec3 d = normalize(n);
    // Small bodies have finer grain than the terrain, so that there is some to be seen.
    float grow = max(1.0, 0.15 * forward.w / form.x);
    vec3 q = own * (grow / forward.w) + fract(form.z * vec3(0.377, 0.619, 0.231));
    faces = turned_by(vec4(-axes.xyz, axes.w), d);
    Solid s = OF(q);
#ifdef PAINTED
    paint(s);
#endif
    vec3 slope = turned_by(axes, s.slope), marks = turned_by(axes, marks_of());
    vec3 bumpy = normalize(d - (slope - d * dot(slope, d)));
    vec3 share = d * d, side = step(vec3(0.0), d);
    float open = dot(share, mix(sky_low, sky_high, side)) * beside_bodies(p, d);
    float seen = lamp_seen(p, d, 24);
    vec3 c = shade(s, p, bumpy, d, marks, open, seen * past_bodies(p, d));
    c = mix(c, vec3(0.1 + 0.45 * dot(c, vec3(0.3, 0.55, 0.15))), mode.w);
    colour = vec4(keep(c), seen);
}
