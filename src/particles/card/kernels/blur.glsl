// Smooths the sums by (¼, ½, ¼) along each axis (blur_sums in narrow_simd.c).
layout(local_size_x = 32, local_size_y = 4) in;
#include "smooth"

void main()
{
    ivec3 c = ivec3(thread_here());
    if (halted() || !inside(c)) return;
    uint slot = slot_of(c);
    vec4 v = smoothed(SIZE * slot);
    for (uint k = 0u; k <= uint(AXES); k++) fields[k * law.grid.w + slot] = v[k];
    // rows as the next kernels find them
    if (c.x == 0)
        rows[law.levels[2].x + uint(c.y) + uint(c.z) * uint(law.cells.y)] = TOO_FAR;
}
