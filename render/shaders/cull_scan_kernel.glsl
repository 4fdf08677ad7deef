// Where each group's triangles begin among the chosen; and the draws. One group.
#include frame
#include cull
#define SCANNED(n) words[n]
#include scan

void main()
{
    uint chosen = scan(uint(groups));
    if (gl_LocalInvocationIndex > 0u) return;
    draw[0] = 3u * chosen;
    draw_sides[0] = sum[0] - 3u * own_triangles();
    draw[1] = draw_sides[1] = 1u;
    draw[2] = draw[3] = draw[4] = draw_sides[3] = draw_sides[4] = 0u;
    draw_sides[2] = 3u * own_triangles();
}
