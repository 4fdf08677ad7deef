// Form height: the level, and the mean velocity of the particles (level_pass in narrow.c); and the sum
// of the weights over columns, as whole numbers (columns.c), in two words: 65,536 of the first are one
// of the second.
layout(local_size_x = 32, local_size_y = 4) in;

shared uint all_parts;

// Of a cell's weight.
uint parts_of(uint at, float w)
{
    precise float parts = w * 4096.0 + 0.5;
    return w > 0.0 && share[at] > 0.0 ? uint(parts) : 0u;
}

void level_at(ivec3 c, uint at, float w)
{
    uint slots = law.grid.w;
    float per = w > law.tiny ? quotient_of(1.0, w) : 0.0;
    precise float fall = law.along * float(c.x) + law.beside * float(c.y);
    precise float level = law.move * (solid[slots + at] + law.deep * w - fall);
    precise float u = fields[slots + at] * per, v = fields[2u * slots + at] * per;
    cells[at] = vec4(level, 0.0, u, v);
    if (w > 0.0) atomicMax(status[RECORDS + 8u * law.record + DONE_DENSEST], floatBitsToUint(w));
}

void main()
{
    ivec3 c = ivec3(thread_here());
    bool on = inside(c) && !halted();
    if (gl_LocalInvocationIndex == 0u) all_parts = 0u;
    barrier();
    if (on) {
        uint at = slot_of(c);
        float w = fields[at];
        level_at(c, at, w);
        uint parts = parts_of(at, w);
        if (parts > 0u) atomicAdd(all_parts, parts);
    }
    barrier();
    if (gl_LocalInvocationIndex != 0u || all_parts == 0u) return;
    uint sum = RECORDS + 8u * law.record + DONE_PARTS;
    atomicAdd(status[sum], all_parts & 0xffffu);
    atomicAdd(status[sum + 1u], all_parts >> 16);
}
