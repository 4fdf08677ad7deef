// What a larger level says, taken by the one below; of the finest, as much of it as is trusted.
layout(local_size_x = 32, local_size_y = 4) in;
#include "pull"

void main()
{
    Level f = level_at(law.level), l = level_at(law.level + 1u);
    ivec3 c = ivec3(thread_here());
    if (rise_skipped() || !within_level(f, c)) return;
    bool top = law.level == 0u;
    whole_level = cycle_whole();
    correct_cell(f, l, c, top ? status_float(cycle_at(TRUST)) : 1.0, top);
}
