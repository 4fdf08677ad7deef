// Form height: beyond walls the mirror images of cells (reflect in narrow.c).
layout(local_size_x = 32, local_size_y = 4) in;
#include "walls"

void main()
{
    ivec3 c = ivec3(thread_here()) - ivec3(1, 1, 0);
    if (halted() || inside(c) || c.x > law.cells.x || c.y > law.cells.y) return;
    vec4 sign = vec4(1.0);
    vec4 own = cells[slot_of(before_wall(c, sign))];
    cells[slot_of(c)] = sign * own;
}
