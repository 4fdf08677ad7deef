// Groups of one call that all run at the same time and meet between passes. Needs status; three words
// of it from law.meet_at on are zeros before the call.
#define MET 0u    // how often groups came to a meeting
#define LEFT 1u   // how many have left
#define MISSED 2u // some were waited for in vain; the processor makes it 0 again

#define PATIENCE 60000u // turns, some 20 ms; drivers that are processors end loops after 65,535

shared bool alone; // others did not come
uint meetings = 0u, group, groups;

// True: all groups came here, and see what all wrote. Who gives up while another sees the last one
// come is missed at the next meeting; HALT says so if there is none.
bool meet_all()
{
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        uint turns = 0u, goal = ++meetings * groups;
        bool here = atomicAdd(status[law.meet_at + MET], 1u) + 1u >= goal;
        while (!here && turns < PATIENCE) here = status[law.meet_at + MET] >= goal, turns++;
        if (!here) status[law.meet_at + MISSED] = 1u, status[law.status_at + HALT] = 3u;
        alone = !here;
    }
    barrier();
    memoryBarrierBuffer();
    return !alone;
}

// The last to leave makes ready for the next call.
void leave_all()
{
    if (gl_LocalInvocationIndex != 0u) return;
    memoryBarrierBuffer();
    if (atomicAdd(status[law.meet_at + LEFT], 1u) + 1u < groups) return;
    if (status[law.meet_at + MISSED] != 0u) status[law.status_at + HALT] = 3u;
    status[law.meet_at + MET] = 0u, status[law.meet_at + LEFT] = 0u;
}
