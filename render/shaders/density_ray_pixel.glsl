// Liquid of particles, drawn.
#include density_rays
in vec2 place;
out vec4 colour;

void main()
{
    float depth;
    if (!seen_at(ivec2(gl_FragCoord.xy), colour, depth)) discard;
    gl_FragDepth = depth;
}
