// Solids in the shadow of liquid of particles, by compute.
#include density_shade
#include part
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;

void main()
{
    ivec2 pixel = own_pixel();
    if (!outside(pixel)) imageStore(to, pixel, shaded_at(pixel));
}
