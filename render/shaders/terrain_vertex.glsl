#include frame
#ifdef WIDE
#include wide
uniform sampler2D open_map, lamp_map;
#else
layout(location = 0) in vec3 at;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 share_low;
layout(location = 3) in vec4 share_high;
layout(location = 4) in float lamp;
#endif
out vec3 p; // not within the triangle alone: what it changes by from pixel to pixel is asked
centroid out vec3 n;
centroid out vec4 low;
centroid out vec4 high;

void main()
{
#ifdef WIDE
    int cells = int(patch_at.z);
    ivec2 own = own_column(), next = next_column();
    vec3 bed = ground_at(own);
    float share = moved(bed);
    vec3 at = bed, normal = ground_normal(own, cells);
    if (share > 0.0) {
        at = mix(bed, ground_at(next), share);
        normal = mix(normal, ground_normal(next, 2 * cells), share);
    }
    vec4 share_low = vec4(0.0), share_high = vec4(0.0);
    vec2 place = at.xy / block.xy;
    share_high.z = textureLod(open_map, place, 0.0).r;
    float lamp = textureLod(lamp_map, place, 0.0).r;
    if (corner.z > 1.5) at.z = block.z; // the foot of a wall
#endif
    p = at;
    n = normal;
    low = share_low;
    high = vec4(share_high.xyz, lamp);
    gl_Position = to_picture * vec4(at, 1.0);
}
