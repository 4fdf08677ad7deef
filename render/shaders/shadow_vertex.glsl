// The terrain as the lamp sees it.
#include frame
#ifdef WIDE
#include wide
#else
layout(location = 0) in vec3 at;
#endif
uniform mat4 to_map;

void main()
{
#ifdef WIDE
    vec3 at = ground_at(own_column());
    if (corner.z > 1.5) at.z = block.z;
#endif
    gl_Position = vec4(2.0 * (to_map * vec4(at, 1.0)).xyz - 1.0, 1.0);
}
