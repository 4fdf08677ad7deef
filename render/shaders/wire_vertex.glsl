// The edges of triangles, in cells or in metres.
#include frame
#ifdef WIDE
#include wide_liquid
#else
layout(location = 0) in vec3 place;
layout(location = 8) in vec4 grid; // low corner, cells in a unit
#endif
uniform vec4 ink;
#ifdef WIDE
uniform int wet_too; // the liquid, and not the ground
#endif
out vec4 paint;

void main()
{
#ifdef WIDE
    take_vertex();
    if (wet_too == 0) place = mix(ground_at(own_column()), ground_at(next_column()), moved(ground_at(own_column())));
#endif
    paint = ink;
    gl_Position = to_picture * vec4((place - grid.xyz) * grid.w, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w;
}
