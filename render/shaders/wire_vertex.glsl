// The edges of triangles, in cells or in metres.
#include frame
layout(location = 0) in vec3 place;
layout(location = 7) in vec4 grid; // low corner, cells in a unit
uniform vec4 ink;
out vec4 paint;

void main()
{
    paint = ink;
    gl_Position = to_picture * vec4((place - grid.xyz) * grid.w, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w;
}
