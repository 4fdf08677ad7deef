// Cells smoothed, and their mirror images beyond walls (blur_nodes in narrow_simd.c, reflect in
// narrow.c).
layout(local_size_x = 32, local_size_y = 4) in;
#include "smooth"
#include "walls"

void main()
{
    ivec3 c = ivec3(thread_here()) - ivec3(1, 1, AXES - 2);
    if (stopped() || c.x > law.cells.x || c.y > law.cells.y || (AXES == 3 && c.z > law.cells.z))
        return;
    vec4 sign = vec4(1.0);
    uint from = SIZE * slot_of(before_wall(c, sign)), to = SIZE * slot_of(c);
    for (uint j = 0u; j < SIZE; j++) nodes[to + j] = sign * smoothed(from + j);
}
