// The liquid's surface, its curtains and its cuts at the sides of the grid, in metres as rv_surface_mesh has them.
#include frame
#ifdef WIDE
#include wide_liquid
#else
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in float depth;
layout(location = 3) in vec3 velocity;
layout(location = 4) in vec4 contact;
layout(location = 5) in float roughness;
layout(location = 6) in float fallen;
layout(location = 7) in float film;
layout(location = 8) in vec4 grid;
layout(location = 9) in float angle;
#endif
#include liquid_corner
centroid out vec3 p; // as Corner has them
centroid out vec3 n;
centroid out vec4 liquid;
centroid out float rough;
centroid out vec4 bend;
centroid out vec3 shore;

// Passes after each other compare depths for being equal: the same triangles, by programs that differ.
invariant gl_Position;

void main()
{
#ifdef WIDE
    take_vertex();
#endif
    Corner c = corner_of(place, normal, depth, velocity, contact, roughness, fallen, film, grid, angle);
    p = c.p, n = c.n, liquid = c.liquid, rough = c.rough, bend = c.bend, shore = c.shore;
    gl_Position = c.position;
}
