// Odd pipes scaled by what their ends can give and take (../../seams.c).
layout(local_size_x = 64) in;
READS(AT_STATUS, Status, uint, status);
#define AFTER_SCALES
#include "halted"
READS(AT_SCALES, Scales, float, scales);
READS(AT_ODD, Odd, uint, odd);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#define NO_SLOT 0xffffffffu

void main()
{
    if (is_halted()) return;
    uint k = thread_here().x;
    if (k >= law.pipes) return;
    uint a = odd[8u * k], b = odd[8u * k + 1u];
    float f = odd_flow[k], takes = 1.0, gives = 1.0;
    uint told = 4u * law.pipes + law.columns + law.count * law.pipes + k; // for what borders pass
    odd_flow[told] = 0.0;
    if (f == 0.0) return; // also: its scales may be old
    bool border = b == NO_SLOT;
    if (f > 0.0) {
        gives = scales[a];
#ifdef PARTED
        if (!border) takes = scales[law.slots + b];
#endif
    } else {
        if (!border) gives = scales[b];
#ifdef PARTED
        takes = scales[law.slots + a];
#endif
    }
    precise float left = f * smaller(gives, takes);
    odd_flow[k] = left, odd_flow[told] = left;
#ifdef FLOW
    precise float u = odd_flow[law.pipes + k] * takes;
    odd_flow[law.pipes + k] = u;
#endif
}
