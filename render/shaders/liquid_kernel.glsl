// The colours of liquid by compute, from the shapes that were drawn.
#include frame
#include liquid_seen
#include liquid_light
#include liquid_packed
#include part
uniform highp usampler2D shape_first;
uniform highp usampler2D shape_rest;
uniform highp sampler2D front_depth; // of these shapes; 1 where there is none
layout(rgba16f, binding = 0) writeonly uniform highp image2D to;
#ifndef SECOND
layout(r32ui, binding = 1) writeonly uniform highp uimage2D wet_tiles; // a texel for each group: liquid is in it
shared uint wet_here;
#endif

void main()
{
    ivec2 pixel = own_pixel();
    bool inside_part = !outside(pixel);
    vec4 colour = vec4(0.0);
    uvec4 first = texelFetch(shape_first, pixel, 0);
    uvec2 rest_of_it = texelFetch(shape_rest, pixel, 0).xy;
    vec2 uv = (vec2(pixel) + 0.5) * picture.zw, side = 2.0 * uv - 1.0;
    vec2 shared_out = unpackUnorm2x16(rest_of_it.x);
    s.p = eye.xyz + uintBitsToFloat(first.x) * (forward.xyz + side.x * right.w * right.xyz + side.y * up.w * up.xyz);
    s.d = folded_in(unpackSnorm2x16(first.w)), s.way = uintBitsToFloat(first.y), s.deep = uintBitsToFloat(first.z);
    s.share = shared_out.x, s.spread = shared_out.y;
    unpack_kind(rest_of_it.y);
    bool there = inside_part && texelFetch(front_depth, pixel, 0).r < 1.0;
#ifdef SECOND
    there = there && s.kind < 2.5; // of streams only the nearest is seen
#endif
    if (there) colour = liquid_colour(uv);
    if (inside_part) imageStore(to, pixel, colour);
#ifndef SECOND
    if (gl_LocalInvocationIndex == 0u) wet_here = 0u;
    barrier();
    if (there) atomicOr(wet_here, 1u);
    barrier();
    if (gl_LocalInvocationIndex == 0u) imageStore(wet_tiles, pixel / 8, uvec4(wet_here, 0u, 0u, 0u));
#endif
}
