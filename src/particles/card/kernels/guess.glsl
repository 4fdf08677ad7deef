// The pressure of liquid at rest, to begin with: what is over a cell presses on it (guess in
// pressure.c). A column a thread.
layout(local_size_x = 32) in;

#define TOGETHER 32 // cells that are asked for at once

void main()
{
    ivec3 n = law.cells.xyz;
    uint x = thread_here().x, o = thread_here().y;
    uint s = step_of(int(law.up)), base = law.levels[1].z, slots = law.grid.w;
    if (halted() || x >= uint(n.x)) return;
    int top = n[int(law.up)];
    uint foot = slot_of(ivec3(x, law.up == 1u ? 0u : o, 0));
    float over = 0.0;
    for (int high = top; high > 0; high -= TOGETHER) {
        float lift[TOGETHER], has[TOGETHER];
        for (int k = 0; k < TOGETHER; k++) {
            uint at = foot + uint(max(high - 1 - k, 0)) * s;
            lift[k] = levels[base + at], has[k] = levels[base + 3u * slots + at];
        }
        for (int k = 0; k < TOGETHER && k < high; k++) {
            precise float p = over + lift[k];
            over = has[k] > 0.0 && p > 0.0 ? p : 0.0;
            uint at = base + foot + uint(high - 1 - k) * s;
            levels[at] = over;
#ifndef SPACE
            levels[at + 6u * slots] = over; // strip.glsl begins there
#endif
        }
    }
}
