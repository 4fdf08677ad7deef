// The nearest liquid that no solid hides, or (PEEL) the nearest behind that: its depth, and its shape for the kernel that
// finds its light.
#include frame
#include liquid_seen
#include liquid_shape
#include liquid_packed
#include liquid_hidden
layout(location = 0) out highp uvec4 first;
layout(location = 1) out highp uvec2 rest_of_it;

void main()
{
    find_shape(); // before anything is thrown away: after it differences between pixels are not known
    if (is_hidden()) discard;
    float far = dot(s.p - eye.xyz, forward.xyz);
    first = uvec4(floatBitsToUint(vec3(far, s.way, s.deep)), packSnorm2x16(folded_out(s.d)));
    rest_of_it = uvec2(packUnorm2x16(vec2(s.share, s.spread)), packed_kind(s));
}
