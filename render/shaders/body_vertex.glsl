// A body: a sphere, or a box with round edges (render/bodies.c).
#include frame
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 octant;
layout(location = 2) in vec4 middle; // w: radius of the edges
layout(location = 3) in vec4 size;   // half edges; w: which body
layout(location = 4) in vec4 turning;
layout(location = 5) in vec3 open_low;
layout(location = 6) in vec3 open_high;
#ifdef MAP
uniform mat4 to_map;
#else
out vec3 p;
out vec3 n;
out vec3 own; // in the body's own axes
flat out vec4 form;
flat out vec4 axes;
flat out vec3 sky_low;
flat out vec3 sky_high;
#endif

vec3 to_world(vec3 v)
{
    return v + 2.0 * cross(turning.xyz, cross(turning.xyz, v) + turning.w * v);
}

void main()
{
    vec3 place = octant * (size.xyz - middle.w) + normal * middle.w;
    vec3 at = middle.xyz + to_world(place);
#ifdef MAP
    gl_Position = vec4(2.0 * (to_map * vec4(at, 1.0)).xyz - 1.0, 1.0);
    gl_Position.z = clamp(gl_Position.z, -0.9999, 0.9999); // over the grid, but not over the lamp
#else
    p = at;
    n = to_world(normal);
    own = place;
    form = vec4(max(size.x, max(size.y, size.z)), middle.w, size.w, 0.0);
    axes = turning;
    sky_low = open_low;
    sky_high = open_high;
    gl_Position = to_picture * vec4(at, 1.0);
#endif
}
