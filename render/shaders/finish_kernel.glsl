// The finished picture by compute, from all samples of what lies over the solids.
#include frame
uniform mediump sampler2DMS over;
uniform highp usampler2D tiles; // of 8 x 8 pixels: liquid is in them
uniform int tiled;              // only where it is, and a pixel around, samples are of this picture
uniform highp usampler2D spots; // and where drops are
uniform int spotted;            // if there are some

uint over_tile(ivec2 tile)
{
    uint wet_one = texelFetch(tiles, tile, 0).r;
    return spotted > 0 ? wet_one | texelFetch(spots, tile, 0).r : wet_one;
}

bool wet_around(ivec2 pixel)
{
    ivec2 low = max(pixel - 1, ivec2(0)) / 8, high = min(pixel + 1, ivec2(picture.xy) - 1) / 8;
    return (over_tile(low) | over_tile(high) | over_tile(ivec2(low.x, high.y)) | over_tile(ivec2(high.x, low.y))) > 0u;
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
