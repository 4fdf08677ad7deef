// How much of the lamp each vertex of the terrain sees; written to a buffer, nothing is drawn.
#include frame
#include lamp
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
flat out float seen;

void main()
{
    seen = lamp_seen(at, normalize(normal), 72);
    gl_Position = vec4(0.0);
}
