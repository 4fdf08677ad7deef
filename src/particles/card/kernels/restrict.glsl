// What is left on a level, asked of the next one; of the finest, how much that is.
layout(local_size_x = 32, local_size_y = 4) in;
#include "pull"

shared uint most;

void main()
{
    Level f = level_at(law.level), l = level_at(law.level + 1u);
    ivec3 c = ivec3(thread_here());
    bool idle = law.level == 0u ? cycle_skipped() : rise_skipped();
    if (gl_LocalInvocationIndex == 0u) most = 0u;
    barrier();
    if (!idle && within_level(l, c)) {
        float left = restrict_cell(l, f, c, law.level == 0u);
        if (law.level == 0u && left > 0.0) atomicMax(most, floatBitsToUint(left));
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u && most > 0u) atomicMax(status[cycle_at(LEFT)], most);
}
