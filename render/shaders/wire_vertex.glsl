// The edges of triangles.
#include frame
layout(location = 0) in vec3 at;
uniform vec4 ink;
out vec4 paint;

void main()
{
    paint = ink;
    gl_Position = to_picture * vec4(at, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w;
}
