// The solid: what it is made of, lit by the room and the lamp.
#include frame
#include light
#include materials
#include shading
#ifdef BODIES
#include bodies
#endif
in vec3 p;
centroid in vec3 n;
centroid in vec4 low;
centroid in vec4 high;
out vec4 colour;

// SOLID_n is the function of material n, where the tile has any of it. Its share goes from 0 to 1 between vertices; the
// seam is drawn sharp, a pixel wide.
#define TAKE(share, of) s = mixed(s, of(q), clamp((share - 0.5) / max(1.4 * fwidth(share), 0.02) + 0.5, 0.0, 1.0))

Solid solid_here(vec3 q)
{
    Solid s = FIRST(q);
    // On edges of solids vertices weigh little: shares are of all that there are.
    float all = max(dot(low, vec4(1.0)) + high.x + high.y, 1e-3);
    vec4 some = low / all;
    vec2 more = high.xy / all;
#ifdef SOLID_0
    TAKE(some.x, SOLID_0);
#endif
#ifdef SOLID_1
    TAKE(some.y, SOLID_1);
#endif
#ifdef SOLID_2
    TAKE(some.z, SOLID_2);
#endif
#ifdef SOLID_3
    TAKE(some.w, SOLID_3);
#endif
#ifdef SOLID_4
    TAKE(more.x, SOLID_4);
#endif
#ifdef SOLID_5
    TAKE(more.y, SOLID_5);
#endif
    return s;
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
    // What the grid's top cuts is flat: between the outline's normals, which look sideways, and those inside it would be
    // a saw.
    bool lid = p.z > material.z - 0.01 && face.z > 0.999 * length(face);
    if (lid) d = vec3(0.0, 0.0, 1.0), open = 1.0;
    faces = d;
    Solid s = solid_here(q);
    if (side) s = side_of(q);
    float seen = high.w;
#ifdef BODIES
    seen *= past_bodies(p, d);
    open *= beside_bodies(p, d);
#endif
    vec3 bumpy = normalize(d - (s.slope - d * dot(s.slope, d)));
    vec3 c = shade(s, p, bumpy, d, marks_of(), open, seen);
    c = mix(c, vec3(0.1 + 0.45 * dot(c, vec3(0.3, 0.55, 0.15))), mode.w);
    colour = vec4(keep(c), high.w); // of bodies' shadows liquid has its own
}
