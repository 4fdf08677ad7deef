// Liquid in the lamp's light: its surface as the lamp sees it, or (BENT) moved by as much as its bent rays miss, at the bed,
// those of a level surface. That all of them are bent alike only moves the whole picture, but at the sides of the grid it
// would leave a dark strip and a bright one.
#include frame
#ifdef BENT
#include gather_bend
#endif
#ifdef WIDE
#include wide_liquid
#else
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 2) in float depth;
layout(location = 6) in float fallen; // of a curtain; -1 the surface, -2 a cut
layout(location = 8) in vec4 grid;    // low corner, cells in a metre
#endif
out vec3 start; // where the light goes in, in the map
out float way;  // through the liquid, cells
out vec2 bed;   // how deep it is, cells, and where light that goes straight on ends: the depth in the map

void main()
{
#ifdef WIDE
    take_vertex();
#endif
    vec3 at = (place - grid.xyz) * grid.w, end = at;
    start = (to_shadow * vec4(at, 1.0)).xyz;
    way = max(depth, 0.0) * grid.w;
    bed = vec2(way, start.z + way / max(key.z, 0.2) / key_light.w);
#ifdef BENT
    end = bent_end(at, normal, fallen, way);
#endif
    // A cut at a side of the grid is no surface: nothing of it is drawn.
    if (fallen < -1.5) end = vec3(-1e6);
    gl_Position = vec4(2.0 * (to_shadow * vec4(end, 1.0)).xyz - 1.0, 1.0);
#ifdef BENT
    gl_Position.z = 0.0;
#endif
}
