// How much of the lamp the ground of a wide world sees; red.
#include frame
#include lamp
uniform highp sampler2D heights;
in vec2 place;
out vec4 colour;

float height_at(vec2 at)
{
    return texelFetch(heights, clamp(ivec2(floor(at)), ivec2(0), ivec2(block.xy) - 1), 0).r;
}

void main()
{
    vec2 at = place * block.xy;
    float wide = max(range.w * range.z, 1.0); // a texel of the lamp's map
    float east = height_at(at + vec2(wide, 0.0)) - height_at(at - vec2(wide, 0.0));
    float north = height_at(at + vec2(0.0, wide)) - height_at(at - vec2(0.0, wide));
    vec3 n = normalize(vec3(-east, -north, 2.0 * wide));
    colour = vec4(lamp_seen(vec3(at, height_at(at)), n, 72));
}
