// The levels that one group can do alone, from law.coarse on: made anew (LEVELS), or one cycle of
// them, with what is decided about the next cycle (rv_narrow_solve in pressure.c).
layout(local_size_x = 256) in;
#include "pull"
#define ALL 256
#include "alone"

// Of the next cycle: whether it is to be done, whether levels are to be made anew, and how much of
// the larger levels counts.
void decide()
{
    uint own = CYCLES + 8u * law.cycle, next = own + 8u;
    float left = status_float(own + LEFT), before = status_float(own + BEFORE_LEFT);
    precise float trust = status_float(own + TRUST);
    precise float slow = law.slow * status_float(own + LAST_LEFT);
    if (law.cycle > 1u && left > slow) trust = trust * law.doubt;
    float last = status_float(own + LAST_LEFT);
    precise float square = left * left, ahead = law.ahead * last;
    bool fast = law.cycle > 0u && !(left > slow) && left < law.most_ahead && square < ahead;
    bool over = status[own + SKIPPED] != 0u || left < law.done || left < law.enough || fast;
    // of the cycle that follows
    precise float much = law.slow * before, waits = law.stuck * last;
    bool tried = status[own + TRIED] != 0u, all_liquid = !tried && left > waits;
    bool anew = all_liquid || cycle_whole() || left > much;
    if (!over || status[own + SKIPPED] == 0u)
        status[RECORDS + 8u * law.record + DONE_CYCLES] = law.cycle + 1u;
    status[next + SKIPPED] = over ? 1u : 0u;
    status[next + RELEVEL] = all_liquid ? 2u : anew ? 1u : 0u;
    status[next + TRIED] = tried || all_liquid ? 1u : 0u;
    status[next + TRUST] = floatBitsToUint(trust);
    status[next + LAST_LEFT] = floatBitsToUint(left);
    status[next + BEFORE_LEFT] = anew ? WITHOUT_END : floatBitsToUint(left);
}

void main()
{
#ifdef MAKES
    if (cycle_skipped() || status[cycle_at(RELEVEL)] == 0u) return;
    whole_level = cycle_whole();
    make_levels();
#else
    bool idle = rise_skipped();
    if (halted()) return;
    if (gl_LocalInvocationIndex == 0u) decide();
    if (idle) return;
    solve();
#endif
}
