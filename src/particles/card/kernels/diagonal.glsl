// The diagonal of a level that was made.
layout(local_size_x = 32, local_size_y = 4) in;
#include "pull"

void main()
{
    Level l = level_at(law.level);
    ivec3 c = ivec3(thread_here());
    if (cycle_skipped() || status[cycle_at(RELEVEL)] == 0u || !within_level(l, c)) return;
    finish_cell(l, c);
}
