// Odd pipes scaled by what their ends can give and take; one thread a pipe.
layout(local_size_x = 64) in;
READS(AT_STATUS, Status, uint, status);
#define AFTER_SCALES
#include "halted"
READS(AT_SCALES, Scales, float, scales);
READS(AT_ODD, Odd, uint, odd);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#include "odd_scaled"

void main()
{
    uint k = thread_here().x;
    if (!is_halted() && k < law.pipes) finish_odd(k);
}
