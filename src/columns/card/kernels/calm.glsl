// Heads of deep liquid, levels included, smoothed twice (../../deep.c); where they are four times,
// FIRST: from the heads themselves, LAST: to where heads are looked for, less what damps short waves.
// A column works out what those beside it come to in the first of the two passes, too: a call of its
// own for each would take longer.
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

#define BETWEEN_AT (3u * law.slots) // what stands between the first two passes and the others

float pass_from(uint pass)
{
    return pass == 0u ? law.calm_0 : pass == 1u ? law.calm_1 : pass == 2u ? law.calm_2 : law.calm_3;
}

float share_in(uint i, uint pass)
{
    return calm_share(depth[i], pass_from(pass));
}

// Of a column, before these passes.
float whole_of(uint i)
{
#ifdef FIRST
    precise float whole = (beds[i] + depth[i]) + press[law.heads_at + i];
    return whole;
#else
    return press[BETWEEN_AT + i];
#endif
}

uint pitch_of(uint slot)
{
    uint l = law.planes - 1u;
    while (l > 0u && slot < law.plane[2u * l].x) l--;
    return law.plane[2u * l].y;
}

#ifdef ODD
// Entries of a column's odd pipes.
struct OddSpan {
    uint first, end;
};

OddSpan span_at(uint i)
{
    uint k = odd_columns[i];
    if (k == 0u) return OddSpan(0u, 0u);
    uint first = odd_columns[law.slots + 4u * (k - 1u) + 1u];
    return OddSpan(first, first + odd_columns[law.slots + 4u * (k - 1u) + 2u]);
}

// The column at the other end of an entry's pipe, and on which side; NO_SLOT: there is none.
uint far_of(uint e, uint slot, out uint side)
{
    uint at = law.slots + 4u * law.columns + 2u * e, pipe = odd_columns[at];
    uint a = odd[8u * pipe], b = odd[8u * pipe + 1u];
    side = odd_columns[at + 1u] & 15u;
    return b == NO_SLOT ? NO_SLOT : a == slot ? b : a;
}

float sum_of(float sides[8])
{
    precise float all = ((sides[0] + sides[1]) + (sides[2] + sides[3])) +
                        ((sides[4] + sides[5]) + (sides[6] + sides[7]));
    return all;
}

const float NO_SIDES[8] = float[8](0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
#endif

// What a column that is as high as `whole` gives.
float gain_of(float whole, float own, float least)
{
    precise float gain = least * (whole - own);
    return gain;
}

float gain_before(float own, float share, uint other, uint slope, uint pass)
{
    if (slope == 0u) return 0.0;
    return gain_of(whole_of(other), own, smaller(share, share_in(other, pass)));
}

// What a column comes to in the first pass.
float once(uint i, uint pitch, uint pass)
{
    uint low = i - pitch, high = i + pitch;
    float own = whole_of(i), share = share_in(i, pass);
    if (!(share > 0.0)) return own; // nothing of its neighbours counts
    precise float sum = (gain_before(own, share, i - 1u, pipes[i - 1u] & 0xffffu, pass) +
                         gain_before(own, share, i + 1u, pipes[i] & 0xffffu, pass)) +
                        (gain_before(own, share, low, pipes[low] >> 16, pass) +
                         gain_before(own, share, high, pipes[i] >> 16, pass));
    precise float after = own + 0.09375 * sum;
#ifdef ODD
    OddSpan span = span_at(i);
    if (span.end > span.first) {
        float sides[8] = NO_SIDES;
        for (uint e = span.first; e < span.end; e++) {
            uint side, other = far_of(e, i, side);
            if (other == NO_SLOT) continue;
            precise float more = sides[side] + gain_of(whole_of(other), own,
                                                       smaller(share, share_in(other, pass)));
            sides[side] = more;
        }
        after = after + 0.09375 * sum_of(sides);
    }
#endif
    return after;
}

float gain_after(float own, float share, uint other, uint pitch, uint slope, uint pass)
{
    float least = slope == 0u ? 0.0 : smaller(share, share_in(other, pass));
    return least > 0.0 ? gain_of(once(other, pitch, pass - 1u), own, least) : 0.0;
}

// And in the second.
float twice(uint i, uint pitch, uint pass)
{
    uint low = i - pitch, high = i + pitch;
    float own = once(i, pitch, pass - 1u), share = share_in(i, pass);
    if (!(share > 0.0)) return own;
    uint others[4] = uint[4](i - 1u, i + 1u, low, high);
    uint slopes[4] = uint[4](pipes[i - 1u] & 0xffffu, pipes[i] & 0xffffu, pipes[low] >> 16,
                             pipes[i] >> 16);
    float gains[4];
    for (int k = 0; k < 4; k++) // in a loop, so that a compiler has its text but once
        gains[k] = gain_after(own, share, others[k], pitch, slopes[k], pass);
    precise float sum = (gains[0] + gains[1]) + (gains[2] + gains[3]);
    precise float after = own + 0.09375 * sum;
#ifdef ODD
    OddSpan span = span_at(i);
    if (span.end > span.first) {
        float sides[8] = NO_SIDES;
        for (uint e = span.first; e < span.end; e++) {
            uint side, other = far_of(e, i, side);
            if (other == NO_SLOT) continue;
            precise float more =
                sides[side] + gain_after(own, share, other, pitch_of(other), 1u, pass);
            sides[side] = more;
        }
        after = after + 0.09375 * sum_of(sides);
    }
#endif
    return after;
}

void main()
{
    Place at = place_here();
    if (is_halted()) return;
    if (!at.exists || !is_awake(at)) return;
    uint i = at.slot, n = law.slots;
#ifdef FIRST
    float after = twice(i, at.pitch, 1u);
#else
    float after = twice(i, at.pitch, 3u);
#endif
#ifdef LAST
    float deep = share_in(i, 0u);
    precise float head = press[law.heads_at + i];
    if (deep > 0.0) { // else it keeps its head
        precise float spread = (speed[i] - speed[i - 1u]) + (speed[n + i] - speed[n + i - at.pitch]);
        precise float damps = deep * spread * law.damp;
        head = (after - (beds[i] + depth[i])) - damps;
    }
    press[n + i] = head;
#else
    press[BETWEEN_AT + i] = after;
#endif
}
