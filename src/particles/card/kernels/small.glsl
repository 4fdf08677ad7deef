// The levels that one group can do alone, from law.coarse on: made anew (LEVELS), or one cycle of
// them, with what is decided about the next cycle (rv_narrow_solve in pressure.c).
layout(local_size_x = 256) in;
#include "pull"
#define ALL 256
#include "alone"

void main()
{
#ifdef MAKES
    if (cycle_skipped() || status[cycle_at(RELEVEL)] == 0u) return;
    make_levels();
#else
    bool idle = rise_skipped();
    if (halted()) return;
    if (gl_LocalInvocationIndex == 0u) decide(law.cycle);
    if (idle) return;
    solve();
#endif
}
