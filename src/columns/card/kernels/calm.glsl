// Heads of deep liquid, levels included, smoothed once (../../deep.c). FIRST: from the heads
// themselves; LAST: back to heads, less what damps short waves.
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_SPEED, Speed, float, speed);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
CHANGES(AT_PRESS, Press, float, press);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
#define NO_SLOT 0xffffffffu
#endif
#include "blocks"
#include "halted"
#include "calming"

float pass_from()
{
    return law.calm_pass == 0u   ? law.calm_0
           : law.calm_pass == 1u ? law.calm_1
           : law.calm_pass == 2u ? law.calm_2
                                 : law.calm_3;
}

// Of a column, before this pass.
float whole_of(uint i)
{
#ifdef FIRST
    precise float whole = (beds[i] + depth[i]) + press[law.slots + i];
    return whole;
#else
    return press[(2u + (law.calm_pass & 1u)) * law.slots + i];
#endif
}

float toward(float own, float share, uint other, uint slope)
{
    if (slope == 0u) return 0.0;
    float least = smaller(share, calm_share(depth[other], pass_from()));
    precise float gain = least * (whole_of(other) - own);
    return gain;
}

#ifdef ODD
// What odd pipes between deep columns add.
float odd_gain(uint k, uint slot, float own, float share)
{
    float sides[8] = float[8](0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    uint first = odd_columns[law.slots + 4u * k + 1u];
    uint end = first + odd_columns[law.slots + 4u * k + 2u];
    for (uint e = first; e < end; e++) {
        uint at = law.slots + 4u * law.columns + 2u * e, pipe = odd_columns[at];
        uint a = odd[8u * pipe], b = odd[8u * pipe + 1u], other = a == slot ? b : a;
        if (b == NO_SLOT) continue;
        uint side = odd_columns[at + 1u] & 15u;
        float least = smaller(share, calm_share(depth[other], pass_from()));
        precise float sum = sides[side] + least * (whole_of(other) - own);
        sides[side] = sum;
    }
    precise float all = ((sides[0] + sides[1]) + (sides[2] + sides[3])) +
                        ((sides[4] + sides[5]) + (sides[6] + sides[7]));
    return all;
}
#endif

void main()
{
    Place at = place_here();
    if (is_halted()) return;
    if (!at.exists || !is_awake(at)) return;
    uint i = at.slot, n = law.slots, low = i - at.pitch, high = i + at.pitch;
    float own = whole_of(i), share = calm_share(depth[i], pass_from());
    precise float after = own;
    if (share > 0.0) { // else nothing of its neighbours counts
        precise float sum = (toward(own, share, i - 1u, pipes[i - 1u] & 0xffffu) +
                             toward(own, share, i + 1u, pipes[i] & 0xffffu)) +
                            (toward(own, share, low, pipes[low] >> 16) +
                             toward(own, share, high, pipes[i] >> 16));
        after = own + 0.09375 * sum;
#ifdef ODD
        uint odd_at = odd_columns[i];
        if (odd_at != 0u) after = after + 0.09375 * odd_gain(odd_at - 1u, i, own, share);
#endif
    }
#ifdef LAST
    float deep = calm_share(depth[i], law.calm_0);
    if (!(deep > 0.0)) return; // it keeps its head
    precise float spread = (speed[i] - speed[i - 1u]) + (speed[n + i] - speed[n + low]);
    precise float damps = deep * spread * law.damp;
    precise float head = (after - (beds[i] + depth[i])) - damps;
    press[n + i] = head;
#else
    press[(2u + 1u - (law.calm_pass & 1u)) * n + i] = after;
#endif
}
