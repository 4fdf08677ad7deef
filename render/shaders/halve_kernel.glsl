// The next smaller level of the map of light through liquid: means of four texels.
#include frame
#include part
uniform highp sampler2D wet_light;
uniform int level; // that is read
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;

void main()
{
    ivec2 at = own_pixel();
    if (outside(at)) return;
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 4; k++) sum += texelFetch(wet_light, 2 * at + ivec2(k & 1, k >> 1), level);
    imageStore(to, at, 0.25 * sum);
}
