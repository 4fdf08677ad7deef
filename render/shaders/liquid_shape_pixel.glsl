// The nearest liquid that no solid hides, or (PEEL) the nearest behind that: its depth, and its shape for the kernel that
// finds its light. Solids' depths are looked up as in front_pixel.glsl.
#include frame
#include liquid_seen
#include liquid_shape
#include liquid_packed
#ifdef PEEL
uniform highp sampler2D front_depth;
#endif
layout(location = 0) out highp uvec4 first;
layout(location = 1) out highp uvec2 rest_of_it;

void main()
{
    find_shape(); // before anything is thrown away: after it differences between pixels are not known
    ivec2 at = ivec2(gl_FragCoord.xy);
    if (gl_FragCoord.z > texelFetch(scene_depth, at, 0).r) discard;
#ifdef PEEL
    // Of curtains only the nearest is seen: what stands behind several of them counts more.
    if (liquid.w > 0.5 && liquid.w < 1.5) discard;
    if (gl_FragCoord.z <= texelFetch(front_depth, at, 0).r + 2e-6) discard;
#endif
    float far = dot(s.p - eye.xyz, forward.xyz);
    first = uvec4(floatBitsToUint(vec3(far, s.way, s.deep)), packSnorm2x16(folded_out(s.d)));
    rest_of_it = uvec2(packUnorm2x16(vec2(s.share, s.spread)), packed_kind(s));
}
