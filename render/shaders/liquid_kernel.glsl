// The colours of liquid by compute, from the shapes that were drawn, or (NUMBERED) from the triangles that are seen.
#include frame
#include liquid_seen
#ifdef NUMBERED
#include liquid_shape
#else
#include liquid_packed
uniform highp usampler2D shape_first;
uniform highp usampler2D shape_rest;
#endif
#include liquid_light
#include part
uniform highp sampler2D front_depth; // of what is seen; 1 where there is none
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;
#ifndef SECOND
layout(r32ui, binding = 1) writeonly uniform highp uimage2D wet_tiles; // a texel for each group: liquid is in it
shared uint wet_here;
#endif

// Where something so far ahead is in a pixel.
vec3 place_ahead(ivec2 pixel, float far)
{
    vec2 side = 2.0 * (vec2(pixel) + 0.5) * picture.zw - 1.0;
    return eye.xyz + far * (forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz);
}

#ifdef NUMBERED
// As drawing has it: differences to those beside it within a square of two by two.
void find_shape(ivec2 pixel)
{
    ivec2 beside[2] = ivec2[2](ivec2(pixel.x ^ 1, pixel.y), ivec2(pixel.x, pixel.y ^ 1));
    take_corners(pixel);
    vec3 shares = shares_in(pixel), off = shares - shares_at(pixel), d_width = vec3(0.0);
    vec2 p_width = vec2(0.0);
    float deep_width = 0.0, shore_width = 0.0, texels = 1e-3;
    mix_corners(shares);
    vec3 own_p = p;
    float own_shore = shore.x + shore.y;
    if (abs(liquid.w - 1.0) < 0.5) // a curtain
        for (int k = 0; k < 2; k++) {
            mix_corners(shares_at(beside[k]) + off);
            texels = max(texels, length(in_noise(p - own_p)) * float(textureSize(noise, 0).x));
        }
    strand_level = log2(texels);
    mix_corners(shares);
    find_face(pixel);
    Shape own = s;
    vec3 own_bed = bed, bed_side[2];
    for (int k = 0; k < 2; k++) {
        mix_corners(shares_at(beside[k]) + off);
        find_face(beside[k]);
        d_width += abs(s.d - own.d), deep_width += abs(s.deep - own.deep);
        shore_width += abs(shore.x + shore.y - own_shore), p_width += abs(p.xy - own_p.xy);
        bed_side[k] = bed - own_bed;
    }
    s = own, bed = own_bed;
    mix_corners(shares);
    find_ends(d_width, deep_width, shore_width, p_width, cross(bed_side[0], bed_side[1]));
    s.p = place_ahead(pixel, dot(own_p - eye.xyz, forward.xyz));
    s.kind = floor(s.kind + 0.5), s.near = clamp(s.near, 0.0, 1.0), s.turned = clamp(s.turned, 0.0, 1.0);
}
#else
void find_shape(ivec2 pixel)
{
    uvec4 first = texelFetch(shape_first, pixel, 0);
    uvec2 rest_of_it = texelFetch(shape_rest, pixel, 0).xy;
    vec2 shared_out = unpackUnorm2x16(rest_of_it.x);
    s.p = place_ahead(pixel, uintBitsToFloat(first.x));
    s.d = folded_in(unpackSnorm2x16(first.w)), s.way = uintBitsToFloat(first.y), s.deep = uintBitsToFloat(first.z);
    s.share = shared_out.x, s.spread = shared_out.y;
    unpack_kind(rest_of_it.y);
}
#endif

void main()
{
    ivec2 pixel = own_pixel();
    bool inside_part = !outside(pixel);
    vec4 colour = vec4(0.0);
    bool there = inside_part && texelFetch(front_depth, pixel, 0).r < 1.0;
    if (there) find_shape(pixel);
#ifdef SECOND
    there = there && s.kind < 2.5; // of streams only the nearest is seen
#endif
    if (there) colour = liquid_colour((vec2(pixel) + 0.5) * picture.zw);
    if (inside_part) imageStore(to, pixel, colour);
#ifndef SECOND
    if (gl_LocalInvocationIndex == 0u) wet_here = 0u;
    barrier();
    if (there) atomicOr(wet_here, 1u);
    barrier();
    if (gl_LocalInvocationIndex == 0u) imageStore(wet_tiles, pixel / 8, uvec4(wet_here, 0u, 0u, 0u));
#endif
}
