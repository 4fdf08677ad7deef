#include frame
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec3 flow;
layout(location = 3) in vec4 contact;
out vec3 p;
out vec4 n;
out vec3 f;
out vec4 c;

void main()
{
    p = at;
    n = normal;
    f = flow;
    c = contact;
    gl_Position = to_picture * vec4(at, 1.0);
}
