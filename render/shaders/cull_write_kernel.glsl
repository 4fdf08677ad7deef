// The chosen triangles, in the order they had.
#include frame
#include cull

void main()
{
    uint group = own_group(), own = gl_LocalInvocationIndex, t = 256u * group + own;
    if (t >= own_triangles()) return;
    uint first = uint(groups) + 8u * group, word = words[first + own / 32u], bit = own % 32u;
    if ((word >> bit & 1u) == 0u) return;
    uint at = words[group] + uint(bitCount(word & ((1u << bit) - 1u)));
    for (uint k = 0u; k < own / 32u; k++) at += uint(bitCount(words[first + k]));
    for (uint k = 0u; k < 3u; k++) chosen[3u * at + k] = corners[3u * t + k];
}
