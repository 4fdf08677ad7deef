// The other half.
layout(local_size_x = 256) in;
#include "pull"
#define ALL 256
#include "band"

void main()
{
    bool top = law.level == 0u, over = rise_skipped();
    if (cycle_skipped() || (over && !top)) return;
    lowest = lowest_of(int(thread_here().x) / ALL);
    float part = top ? status_float(cycle_at(TRUST)) : 1.0;
    if (over)
        keep_band(level_at(0u));
    else
        rise_band(level_at(law.level), level_at(law.level + 1u), part, top);
}
