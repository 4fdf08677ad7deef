// Where each group's triangles begin among those that are divided, how often that is, and the draw. One group.
layout(local_size_x = 256) in;
#include finer
#define SCANNED(n) work[WORK_WORDS + (n)]
#include scan

void main()
{
    uint chosen = scan(law.groups);
    if (gl_LocalInvocationIndex > 0u) return;
    uint levels = law.levels, other = law.triangles - chosen;
    while (levels > 0u && chosen << 2u * levels > law.most) levels--;
    uint own = (chosen << 2u * levels) + other;
    work[WORK_CHOSEN] = chosen, work[WORK_LEVELS] = levels, work[WORK_OTHER] = other, work[WORK_OWN] = own;
    work[WORK_EDGES] = work[WORK_HANGING] = work[WORK_SIDE] = 0u;
    uint call = WORK_CALLS + 12u;
    work[call] = (max(own, law.triangles) + 255u) / 256u, work[call + 1u] = work[call + 2u] = 1u;
    work[WORK_DRAW] = 3u * own, work[WORK_DRAW + 1u] = 1u;
    work[WORK_DRAW + 2u] = work[WORK_DRAW + 3u] = work[WORK_DRAW + 4u] = 0u;
}
