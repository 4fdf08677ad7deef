// After the depths of a substep with passages (rv_passages_levels in ../../passages/): which columns are
// still full; the velocities of their pipes, none at full columns and what they carry at those that
// are full no more; and the pace of columns beside such pipes, which `level` left to this. One group.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_FLUX, Flux, float, flux);
layout(std430, binding = AT_SPEED) restrict coherent buffer Speed { float speed[]; };
READS(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#if defined(TENSE) || defined(PRESSED)
CHANGES(AT_PRESS, Press, float, press);
#endif
#include "blocks"
#include "halted"
#include "found"
#include "full"
#include "full_pipes"

#define THREADS 256u

// Of a listed one: the flag may be the new one already, and then says the same.
bool is_still(uint mark, float base, float top, float deep)
{
    precise float cap = top - base, least = cap * 0.998;
    return (mark & IS_FULL) != 0u && top < law.top && deep >= least;
}

// Flag and head, for the processor too.
void end_column(uint k, uint i)
{
    uint mark = full[MARK_AT + i], head = full[HEADS_AT + i];
    bool is = is_still(mark, beds[i], beds[law.slots + i], depth[i]);
    mark &= ~IS_FULL, head = is ? head : 0u;
    uint flag = is ? IS_FULL : 0u, at = TOLD_LIST + 3u * k;
    full[MARK_AT + i] = mark | flag, full[HEADS_AT + i] = head;
    full[at] = i, full[at + 1u] = flag, full[at + 2u] = head;
#ifdef TENSE
    press[6u * law.slots + i] = is ? 1.0 : 0.0;
#endif
}

#ifdef FLOW
float over(float carried, float area)
{
    uint sign = floatBitsToUint(carried) & 0x80000000u;
    return uintBitsToFloat(floatBitsToUint(quotient_of(abs(carried), area)) | sign);
}

// Of a pipe that two listed columns share the one that it leaves does it. `full_here`: the column is.
void end_pipe(FullPipe p, FullColumn c, bool full_here)
{
    bool listed = (p.mark >> 2) != 0u, border = p.other == NO_SLOT;
    if (listed && p.back) return;
    float top = border ? c.own_top : beds[law.slots + p.other];
    bool held = full_here || (listed && is_still(p.mark, p.base, top, p.deep));
    uint at = p.place & ~ODD_PLACE;
    float base = border ? c.own_base : p.base;
    precise float area = law.width * opening_between(c.own_top, top, c.own_base, base);
#ifdef ODD
    if ((p.place & ODD_PLACE) != 0u) {
        float u = held ? 0.0 : over(odd_flow[at], area);
        odd_flow[law.pipes + at] = u, odd_flow[LAST_AT + law.pipes + at] = u;
        return;
    }
#endif
    float carried = flux[at];
    speed[at] = held ? 0.0 : over(carried, area);
}

// Of a column that `level` has left out, if it works.
void end_pace(uint i)
{
    uint p = plane_with(i), ahead = i - law.plane[2u * p].x, pitch = law.plane[2u * p].y, n = law.slots;
    uint row = law.plane[2u * p + 1u].x + ahead / pitch, x = ahead % pitch;
    uint word = 2u * row + (x >> law.shift >> 5), bit = 1u << ((x >> law.shift) & 31u);
    if (!(beds[n + i] > beds[i]) || (bits[law.awake_at + word] & bit) == 0u) return;
#ifdef TENSE
    if ((bits[ASLEEP_AT + word] & bit) != 0u) return;
#endif
    float along = larger(abs(speed[i - 1u]), abs(speed[i]));
    note_pace(pace_from(depth[i], along, larger(abs(speed[n + i - pitch]), abs(speed[n + i]))));
}
#endif

void main()
{
    uint thread = gl_LocalInvocationIndex, n = full[LISTED];
    bool halted = is_halted();
    begin_found();
    barrier();
    if (halted) return;
    for (uint k = thread; k < n; k += THREADS) end_column(k, full[LIST_AT + k]);
    if (thread == 0u) full[TOLD] = n, full[CUTTING] = 0u; // for the next substep
#ifdef FLOW
    for (uint k = thread; k < n; k += THREADS) {
        FullColumn c = full_column(full[LIST_AT + k]);
        bool own = is_still(full[MARK_AT + c.slot], c.own_base, c.own_top, depth[c.slot]);
        for (uint e = 0u; e < c.candidates; e++) {
            FullPipe p = full_pipe(c, e);
            if (p.there) end_pipe(p, c, own);
        }
    }
    memoryBarrierBuffer();
    barrier();
    for (uint k = thread; k < n; k += THREADS) {
        uint i = full[LIST_AT + k], pitch = law.plane[2u * plane_with(i)].y;
        end_pace(i);
        end_pace(i - 1u), end_pace(i + 1u);
        end_pace(i - pitch), end_pace(i + pitch);
    }
#endif
    tell_found();
}
