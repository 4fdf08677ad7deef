// The terrain as the lamp sees it.
#include frame
layout(location = 0) in vec3 at;
uniform mat4 to_map;

void main()
{
    gl_Position = vec4(2.0 * (to_map * vec4(at, 1.0)).xyz - 1.0, 1.0);
}
