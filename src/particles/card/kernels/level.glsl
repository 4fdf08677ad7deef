// Form height: the level, and the mean velocity of the particles (level_pass in narrow.c).
layout(local_size_x = 32, local_size_y = 4) in;

void main()
{
    ivec3 c = ivec3(thread_here());
    if (halted() || !inside(c)) return;
    uint at = slot_of(c), slots = law.grid.w;
    float w = fields[at], per = w > law.tiny ? quotient_of(1.0, w) : 0.0;
    precise float fall = law.along * float(c.x) + law.beside * float(c.y);
    precise float level = law.move * (solid[slots + at] + law.deep * w - fall);
    precise float u = fields[slots + at] * per, v = fields[2u * slots + at] * per;
    cells[at] = vec4(level, 0.0, u, v);
    if (w > 0.0) atomicMax(status[RECORDS + 8u * law.record + DONE_DENSEST], floatBitsToUint(w));
}
