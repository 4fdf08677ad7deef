// The finished picture by compute, from all samples of what lies over the solids.
#include frame
uniform mediump sampler2DMS over;
uniform highp usampler2D tiles; // of 8 x 8 pixels: liquid is in them
uniform int tiled;              // only where it is, and a pixel around, samples are of this picture

bool wet_around(ivec2 pixel)
{
    ivec2 low = max(pixel - 1, ivec2(0)) / 8, high = min(pixel + 1, ivec2(picture.xy) - 1) / 8;
    uint wet_one = texelFetch(tiles, low, 0).r | texelFetch(tiles, high, 0).r;
    return (wet_one | texelFetch(tiles, ivec2(low.x, high.y), 0).r | texelFetch(tiles, ivec2(high.x, low.y), 0).r) > 0u;
}

vec4 over_at(ivec2 pixel)
{
    if (tiled > 0 && !wet_around(pixel)) return vec4(0.0);
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
