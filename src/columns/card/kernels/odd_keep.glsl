// Keeps what odd pipes carried before the substep.
layout(local_size_x = 64) in;
READS(AT_STATUS, Status, uint, status);
#include "halted"
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);

void main()
{
    if (is_halted()) return;
    uint k = thread_here().x, n = law.pipes;
    if (k >= n) return;
    odd_flow[LAST_AT + k] = odd_flow[k], odd_flow[LAST_AT + n + k] = odd_flow[n + k];
}
