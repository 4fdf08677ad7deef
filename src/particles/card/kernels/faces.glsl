// Velocity and lightness of a cell's low faces (faces in narrow_simd.c, faces_pass in narrow.c).
layout(local_size_x = 32, local_size_y = 4) in;
#include "densities"

void main()
{
    ivec3 c = ivec3(thread_here());
    int beyond = 0;
    if (halted()) return;
    for (int k = 0; k < AXES; k++) {
        if (c[k] > law.cells[k]) return;
        if (c[k] == law.cells[k]) beyond++;
    }
    if (beyond > 1 || (AXES == 2 && c.z > 0)) return;
    for (int k = 0; k < AXES; k++) {
        if (beyond == 1 && c[k] != law.cells[k]) continue;
        uint at = slot_of(c), low = at - step_of(k), slots = law.grid.w;
        bool closed = (c[k] == 0 && !open_low(k)) || (c[k] == law.cells[k] && !open_high(k));
        float speed = 0.0, light = 0.0;
        if (!closed) {
            float w = c[k] < law.cells[k] ? fields[at] : 0.0, l = c[k] > 0 ? fields[low] : 0.0;
            uint motion = uint(1 + k) * slots;
            float m = c[k] < law.cells[k] ? fields[motion + at] : 0.0;
            float n = c[k] > 0 ? fields[motion + low] : 0.0;
            precise float sum = w + l, moved = m + n;
            float per = sum > law.two_tiny ? quotient_of(1.0, sum) : 0.0;
            precise float u = moved * per, v = law.twice_rest * per;
            speed = u, light = v;
#ifdef SOLID
            if (k == 0 || c[k] < law.cells[k]) {
                precise float part = v * face_share(share_of(c), share_of(c - unit_of(k)));
                light = part;
            }
#endif
        }
        faces[uint(k) * slots + at] = light;
        faces[uint(AXES + k) * slots + at] = speed;
    }
}
