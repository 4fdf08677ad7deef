// A level from the one below it, where the cycle wants the levels made anew.
layout(local_size_x = 32, local_size_y = 4) in;
#include "pull"

void main()
{
    Level f = level_at(law.level - 1u), l = level_at(law.level);
    ivec3 c = ivec3(thread_here());
    if (cycle_skipped() || status[cycle_at(RELEVEL)] == 0u || !within_level(l, c)) return;
    whole_level = cycle_whole();
    coarsen_cell(l, f, c, law.level == 1u);
}
