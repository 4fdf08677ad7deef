#include frame
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 share_low;
layout(location = 3) in vec4 share_high;
layout(location = 4) in float lamp;
out vec3 p;
out vec3 n;
out vec4 low;
out vec4 high;

void main()
{
    p = at;
    n = normal;
    low = share_low;
    high = vec4(share_high.xyz, lamp);
    gl_Position = to_picture * vec4(at, 1.0);
}
