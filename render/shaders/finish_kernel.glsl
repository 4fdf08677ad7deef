// The finished picture by compute, from all samples of what lies over the solids.
#include frame
uniform mediump sampler2DMS over;
uniform highp usampler2D tiles; // of 8 x 8 pixels: liquid is in them
uniform int tiled;              // only where it is, and a pixel around, samples are of this picture
uniform highp usampler2D spots; // and where drops are
uniform int spotted;            // if there are some

// The tiles that a pixel and those around it are in.
ivec4 tiles_around(ivec2 pixel)
{
    return ivec4(max(pixel - 1, ivec2(0)), min(pixel + 1, ivec2(picture.xy) - 1)) / 8;
}

bool wet_around(ivec4 t)
{
    uint one = texelFetch(tiles, t.xy, 0).r | texelFetch(tiles, t.zw, 0).r;
    return (one | texelFetch(tiles, t.xw, 0).r | texelFetch(tiles, t.zy, 0).r) > 0u;
}

bool drops_around(ivec4 t)
{
    if (spotted == 0) return false;
    uint one = texelFetch(spots, t.xy, 0).r | texelFetch(spots, t.zw, 0).r;
    return (one | texelFetch(spots, t.xw, 0).r | texelFetch(spots, t.zy, 0).r) > 0u;
}

#ifdef CODED
uniform mediump sampler2DMS codes; // of cover_pixel.glsl
uniform sampler2D nearest;         // the liquid's colours
uniform int code_of_frame;

vec4 beside_at(ivec2 pixel, int k)
{
    ivec2 by = ivec2(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0);
    return texelFetch(nearest, clamp(pixel + by, ivec2(0), ivec2(picture.xy) - 1), 0);
}

// The colour of a sample, if it is not the pixel's own.
vec4 coded(ivec2 pixel, int code)
{
    if (code == 0) return vec4(0.0);
    if (code < 6) return vec4(beside_at(pixel, code - 2).rgb, 1.0);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 4; k++) {
        vec4 other = beside_at(pixel, k);
        if (other.a > 0.5) sum += vec4(other.rgb, 1.0);
    }
    return vec4(sum.rgb / max(sum.a, 1.0), 1.0);
}

// Liquid by its codes, and over it drops, which are blended.
vec4 over_at(ivec2 pixel)
{
    ivec4 t = tiles_around(pixel);
    bool wet = wet_around(t), drops = drops_around(t);
    int code[SAMPLES], plain = 0, others = 0;
    if (!wet && !drops) return vec4(0.0);
    for (int k = 0; k < SAMPLES; k++) {
        int word = int(texelFetch(codes, pixel, k).r * 255.0 + 0.5);
        code[k] = wet && word >> 3 == code_of_frame ? word & 7 : 0;
        plain += code[k] == 1 ? 1 : 0, others += code[k] > 1 ? 1 : 0;
    }
    vec4 own = vec4(texelFetch(nearest, pixel, 0).rgb, 1.0), sum = float(plain) * own;
    // Samples that differ are few. (As a count of rounds, which all drivers skip; some run both sides of an if.)
    int rounds = drops || others > 0 ? SAMPLES : 0;
    if (rounds > 0) sum = vec4(0.0);
    for (int k = 0; k < rounds; k++) {
        vec4 c = code[k] == 1 ? own : coded(pixel, code[k]);
        vec4 drop = drops ? texelFetch(over, pixel, k) : vec4(0.0);
        sum += drop + (1.0 - drop.a) * c;
    }
    return sum / float(SAMPLES);
}
#else
vec4 over_at(ivec2 pixel)
{
    ivec4 t = tiles_around(pixel);
    if (tiled > 0 && !wet_around(t) && !drops_around(t)) return vec4(0.0);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < SAMPLES; k++) sum += texelFetch(over, pixel, k);
    return sum / float(SAMPLES);
}
#endif

#include finish
#include part
layout(rgba8, binding = 0) writeonly uniform highp image2D done;

void main()
{
    ivec2 pixel = own_pixel();
    if (!outside(pixel)) imageStore(done, pixel, finished(pixel));
}
