// Half a cycle of a level in a plane at once.
layout(local_size_x = 256) in;
#include "pull"
#define ALL 256
#include "band"

void main()
{
    bool top = law.level == 0u;
    if (top ? cycle_skipped() : rise_skipped()) return;
    lowest = lowest_of(int(thread_here().x) / ALL);
    sink_band(level_at(law.level), level_at(law.level + 1u), top, cycle_at(LEFT));
}
