// Liquid of particles by compute: colours, and depths beside them. Nothing is where alpha is 0.
#include density_rays
#include part
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;
layout(r32f, binding = 1) writeonly uniform highp image2D to_depth;

void main()
{
    ivec2 pixel = own_pixel();
    vec4 colour;
    float depth;
    if (outside(pixel)) return;
    bool any = seen_at(pixel, colour, depth);
    imageStore(to, pixel, any ? colour : vec4(0.0));
    imageStore(to_depth, pixel, vec4(any ? depth : 1.0));
}
