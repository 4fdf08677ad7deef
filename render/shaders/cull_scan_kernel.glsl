// Where each group's triangles begin among the chosen; and the draws. One group.
#include frame
#include cull
shared uint part[256];

void main()
{
    uint own = gl_LocalInvocationIndex, each = (uint(groups) + 255u) / 256u, from = own * each;
    uint to = min(from + each, uint(groups)), all = 0u;
    for (uint n = from; n < to; n++) all += words[n];
    part[own] = all;
    barrier();
    for (uint by = 1u; by < 256u; by *= 2u) {
        uint more = own >= by ? part[own - by] : 0u;
        barrier();
        part[own] += more;
        barrier();
    }
    uint at = part[own] - all;
    for (uint n = from; n < to; n++) {
        uint count = words[n];
        words[n] = at;
        at += count;
    }
    if (own != 255u) return;
    draw[0] = 3u * part[255];
    // sum[0]: corners of all that the surface has
    draw_sides[0] = sum[0] - 3u * uint(triangles);
    draw[1] = draw_sides[1] = 1u;
    draw[2] = draw[3] = draw[4] = draw_sides[3] = draw_sides[4] = 0u;
    draw_sides[2] = 3u * uint(triangles);
}
