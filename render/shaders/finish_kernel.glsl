// The finished picture by compute, from all samples of what lies over the solids.
#include frame
uniform mediump sampler2DMS over;

vec4 over_at(ivec2 pixel)
{
    vec4 sum = vec4(0.0);
    for (int k = 0; k < SAMPLES; k++) sum += texelFetch(over, pixel, k);
    return sum / float(SAMPLES);
}

#include finish
#include part
layout(rgba8, binding = 0) writeonly uniform highp image2D done;

void main()
{
    ivec2 pixel = own_pixel();
    if (!outside(pixel)) imageStore(done, pixel, finished(pixel));
}
