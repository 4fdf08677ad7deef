// Rows of one colour relaxed: every second cell of a row, then the others, 64 cells after the other
// (relax_of in pressure_simd.c). A group a row.
layout(local_size_x = 64) in;
#include "pull"

#define CHUNK 64

shared float own[ROOM + 2];
shared float across[ROOM];

void relax(Level l, uint row, int i)
{
    own[i + 1] = relaxed(l, row + uint(i), across[i], own[i + 1], own[i], own[i + 2],
                         law.level == 0u);
}

// Before the first cycle, in its first half, in its second.
bool idle_now()
{
    return law.half_way == 0u ? halted() : law.half_way == 1u ? cycle_skipped() : rise_skipped();
}

void main()
{
    Level l = level_at(law.level);
    uvec3 group = thread_here() / gl_WorkGroupSize;
    int b = int(group.y), t = int(gl_LocalInvocationIndex);
    int a = 2 * int(group.x) + ((b + int(law.odd)) & 1);
    if (a >= l.n.y || idle_now()) return;
    uint low = rows[l.row + uint(a + b * l.n.y)];
    if (low == TOO_FAR) return;
    int first_x = int(low & ~1u), count = l.n.x - first_x;
    uint row = place_of(l, ivec3(first_x, a, b));
    for (int i = t; i < count; i += 64) {
        own[i + 1] = levels[row + uint(i)];
        across[i] = pull_across(l, row + uint(i));
    }
    if (t == 0) own[0] = levels[row - 1u], own[count + 1] = 0.0;
    barrier();
    for (int i = 2 * t; i < count; i += 128)
        if (i == 0 || i % CHUNK != 0) relax(l, row, i);
    barrier();
    if (count > CHUNK) {
        for (int i = 2 * t + 1; i < count; i += 128)
            if (i % CHUNK == CHUNK - 1) relax(l, row, i);
        barrier();
        for (int i = 2 * t; i < count; i += 128)
            if (i > 0 && i % CHUNK == 0) relax(l, row, i);
        barrier();
    }
    for (int i = 2 * t + 1; i < count; i += 128)
        if (i % CHUNK != CHUNK - 1 || count <= CHUNK) relax(l, row, i);
    barrier();
    for (int i = t; i < count; i += 64) levels[row + uint(i)] = own[i + 1];
}
