// Liquid in the lamp's light: its surface as the lamp sees it, or (BENT) moved by as much as its bent rays miss, at the bed,
// those of a level surface. That all of them are bent alike only moves the whole picture, but at the sides of the grid it
// would leave a dark strip and a bright one.
#include frame
#ifdef WIDE
#include wide_liquid
#else
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in float depth;
layout(location = 6) in float fallen; // of a curtain; -1 the surface, -2 a cut
layout(location = 7) in vec4 grid;    // low corner, cells in a metre
#endif
out vec3 start; // where the light goes in, in the map
out float way;  // through the liquid, cells

void main()
{
#ifdef WIDE
    take_vertex();
#endif
    vec3 at = (place - grid.xyz) * grid.w, end = at;
    start = (to_shadow * vec4(at, 1.0)).xyz;
    way = max(depth, 0.0) * grid.w;
#ifdef BENT
    vec3 d = normalize(normal);
    if (fallen < 0.0 && fallen > -1.5) {
        // Light that only grazes the surface is carried as if it met it at 6 degrees.
        float toward = dot(d, key.xyz);
        if (toward < 0.1) d = normalize(d + key.xyz * (0.1 - toward));
        float index = 1.0 / max(fade.w, 1.0);
        vec3 inside = refract(-key.xyz, d, index), level = refract(-key.xyz, vec3(0.0, 0.0, 1.0), index);
        end.xy += way * (inside.xy / max(-inside.z, 0.3) - level.xy / max(-level.z, 0.3));
        way /= max(-inside.z, 0.3);
    }
#endif
    // A cut at a side of the grid is no surface: nothing of it is drawn.
    if (fallen < -1.5) end = vec3(-1e6);
    gl_Position = vec4(2.0 * (to_shadow * vec4(end, 1.0)).xyz - 1.0, 1.0);
#ifdef BENT
    gl_Position.z = 0.0;
#endif
}
