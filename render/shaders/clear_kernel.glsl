// Nothing, into a part of a texture: where far more computes than draws, that is faster than clearing it.
#include frame
#include part
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;

void main()
{
    ivec2 at = own_pixel();
    if (!outside(at)) imageStore(to, at, vec4(0.0));
}
