// Passages that are straight runs of full columns between two gates (../../passages/axis.c). One group: a
// thread a column finds what it is joined to along both axes, then the first of each run follows it.
// LAST: after fluxes were scaled.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
READS(AT_SCALES, Scales, float, scales);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
CHANGES(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#ifdef TENSE
READS(AT_BITS, Bits, uint, bits);
#endif
#if defined(TENSE) || defined(PRESSED)
READS(AT_PRESS, Press, float, press);
#endif
#define SHARED_FULL
#include "halted"
#include "full"
#include "full_pipes"
#include "full_flux"
#include "full_papers"

#define THREADS 256u
// Words of a column along an axis: pipes toward low and high, what is there, how wide they are; how many
// pipes a run has that begins here, its gates and its flux.
#define AT_AXIS(word, axis, k) full[PIPES_AT + ((word) * 2u + (axis)) * FULL_MOST + (k)]
#define TO_LOW 0u // place of the pipe, what is there: the place of a full column in the list, or …
#define TO_HIGH 3u
#define PIPE 0u
#define WHERE 1u // … with IS_GATE a slot; NOWHERE: there is neither
#define WIDE 2u
#define RUN_COUNT 6u
#define RUN_GATES 7u
#define RUN_FLUX 9u // a double
#define IS_GATE 0x80000000u
#define NOWHERE 0xffffffffu

shared uint runs;

#ifndef LAST
struct Joint {
    uint other, place; // slot, NO_SLOT: there is none
    float opening;
};

// The widest pipe on one side of a column to a full column, or to one that is not.
Joint widest(FullColumn c, uint side, bool to_full)
{
    FullPipe p = straight_pipe(c, side);
    Joint best = Joint(NO_SLOT, 0u, 0.0);
    if (p.there && ((p.mark & IS_FULL) != 0u) == to_full) best = Joint(p.other, p.place, p.opening);
#ifdef ODD
    for (uint e = 2u * law.ways; e < c.candidates; e++) {
        if (odd_side(c, e) != side) continue;
        p = full_pipe(c, e);
        if (p.other == NO_SLOT || ((p.mark & IS_FULL) != 0u) != to_full) continue;
        if (p.opening > best.opening) best = Joint(p.other, p.place, p.opening);
    }
#endif
    return best;
}

// The pipe to the next full column, if each is the other's.
Joint next_full(FullColumn c, uint side)
{
    Joint next = widest(c, side, true);
#ifdef ODD
    if (next.other == NO_SLOT || (odd_columns[c.slot] | odd_columns[next.other]) == 0u) return next;
    if (widest(full_column(next.other), side ^ 1u, true).other != c.slot) next = Joint(NO_SLOT, 0u, 0.0);
#endif
    return next;
}

void join(uint k, FullColumn c, uint side)
{
    uint axis = side / 2u, to = (side & 1u) == 0u ? TO_LOW : TO_HIGH, where = NOWHERE;
    Joint next = next_full(c, side);
    if (next.other != NO_SLOT) {
        where = place_of_slot(next.other) - 1u;
    } else {
        next = widest(c, side, false);
        if (next.other != NO_SLOT) where = next.other | IS_GATE;
    }
    AT_AXIS(to + PIPE, axis, k) = next.place, AT_AXIS(to + WHERE, axis, k) = where;
    AT_AXIS(to + WIDE, axis, k) = floatBitsToUint(next.opening);
}

bool is_gate(uint where)
{
    return where != NOWHERE && (where & IS_GATE) != 0u;
}

float head_at(uint gate, uint beside)
{
    precise float level = beds[gate] + depth[gate];
    return larger(level, larger(beds[gate], beds[beside]));
}

float total_of(uint gate)
{
    precise float level = beds[gate] + depth[gate];
    precise float total = level + outside_press(gate);
    return total;
}

// What flowed in the pipes of a run, from both ends inward.
double sum_both_ways(uint axis, uint first, uint last, uint count)
{
    double sum = 0.0lf;
    uint low = first, high = last; // columns after the one pipe and before the other
    double a = old_flux(AT_AXIS(TO_LOW + PIPE, axis, low));
    double b = old_flux(AT_AXIS(TO_HIGH + PIPE, axis, high));
    for (uint i = 0u; 2u * i < count; i++) {
        precise double both = a + b, more = sum + (2u * i + 1u == count ? a : both);
        sum = more;
        if (2u * (i + 1u) >= count) break;
        a = old_flux(AT_AXIS(TO_HIGH + PIPE, axis, low));
        b = old_flux(AT_AXIS(TO_LOW + PIPE, axis, high));
        low = AT_AXIS(TO_HIGH + WHERE, axis, low), high = AT_AXIS(TO_LOW + WHERE, axis, high);
    }
    return sum;
}

double run_flux(uint axis, uint first, uint last, uint count, float opening, uint gate_a, uint gate_b)
{
    uint low = full[LIST_AT + first], high = full[LIST_AT + last];
    float head_a = head_at(gate_a, low), head_b = head_at(gate_b, high);
    precise float press_both = outside_press(gate_a) - outside_press(gate_b);
    precise float drop = (head_a - head_b) + press_both;
    precise double old = sum_both_ways(axis, first, last, count) / double(count);
    precise double pushed = double(law.kept) * old + passage_push(double(opening)) * double(drop);
    float deep = depth[pushed > 0.0lf ? gate_a : gate_b];
    precise double flow = pushed * passage_drag(double(opening), double(deep));
    return deep > law.film ? flow : 0.0lf;
}

// Follows full columns from the k-th to the high side: a run if a gate stands at both ends, and if one
// of them holds it up.
void follow(uint axis, uint k)
{
    uint gate_a = AT_AXIS(TO_LOW + WHERE, axis, k), count = 2u, last = k;
    AT_AXIS(RUN_COUNT, axis, k) = 0u;
    if (!is_gate(gate_a)) return;
    float opening = uintBitsToFloat(AT_AXIS(TO_LOW + WIDE, axis, k));
    float ceiling = beds[law.slots + full[LIST_AT + k]];
    uint where = AT_AXIS(TO_HIGH + WHERE, axis, k);
    while (where != NOWHERE && !is_gate(where)) {
        opening = smaller(opening, uintBitsToFloat(AT_AXIS(TO_HIGH + WIDE, axis, last)));
        last = where, count++;
        ceiling = larger(ceiling, beds[law.slots + full[LIST_AT + last]]);
        where = AT_AXIS(TO_HIGH + WHERE, axis, last);
    }
    if (where == NOWHERE) return;
    opening = smaller(opening, uintBitsToFloat(AT_AXIS(TO_HIGH + WIDE, axis, last)));
    uint gate_b = where & ~IS_GATE;
    gate_a &= ~IS_GATE;
    if (!(ceiling <= larger(total_of(gate_a), total_of(gate_b)))) return;
    double flow = run_flux(axis, k, last, count, opening, gate_a, gate_b);
    uvec2 words = unpackDouble2x32(flow);
    AT_AXIS(RUN_COUNT, axis, k) = count;
    AT_AXIS(RUN_GATES, axis, k) = gate_a, AT_AXIS(RUN_GATES + 1u, axis, k) = gate_b;
    AT_AXIS(RUN_FLUX, axis, k) = words.x, AT_AXIS(RUN_FLUX + 1u, axis, k) = words.y;
    atomicAdd(runs, 1u);
}
#endif

// All pipes of the run that begins with the k-th column, if one does, have one flux.
void set_run(uint axis, uint k)
{
    uint count = AT_AXIS(RUN_COUNT, axis, k);
    if (count == 0u) return;
    precise double flow =
        packDouble2x32(uvec2(AT_AXIS(RUN_FLUX, axis, k), AT_AXIS(RUN_FLUX + 1u, axis, k)));
#ifdef LAST
    uint a = AT_AXIS(RUN_GATES, axis, k), b = AT_AXIS(RUN_GATES + 1u, axis, k);
    bool forth = flow > 0.0lf;
    float share = smaller(scales[forth ? a : b], scales[law.slots + (forth ? b : a)]);
    precise double cut = flow * double(share);
    flow = cut;
#endif
    uint place = AT_AXIS(TO_LOW + PIPE, axis, k);
    for (uint i = 0u; i < count; i++) {
#ifdef LAST
        put_last_flux(place, float(flow));
#else
        put_flux(place, float(flow));
#endif
        if (i > 0u) k = AT_AXIS(TO_HIGH + WHERE, axis, k);
        if (i + 1u < count) place = AT_AXIS(TO_HIGH + PIPE, axis, k);
    }
}

void main()
{
    uint thread = gl_LocalInvocationIndex;
#ifdef LAST
    uint n = full[LISTED];
    if (is_halted()) return;
#else
    uint n = full[LISTING];
    bool halted = is_halted();
    if (thread == 0u) runs = 0u;
    barrier();
    if (halted) return;
    if (n > FULL_MOST) {
        if (thread == 0u) status[law.status_at + HALT] = LEAVE_OUT;
        return;
    }
    if (thread == 0u) full[LISTED] = n, full[FLOWS] = 0u;
    for (uint k = thread; k < n; k += THREADS) {
        FullColumn c = full_column(full[LIST_AT + k]);
        for (uint side = 0u; side < 4u; side++) join(k, c, side);
    }
    memoryBarrierBuffer();
    barrier();
    for (uint k = thread; k < 2u * n; k += THREADS) {
        uint axis = k & 1u, own = k >> 1, low = AT_AXIS(TO_LOW + WHERE, axis, own);
        AT_AXIS(RUN_COUNT, axis, own) = 0u;
        if (low == NOWHERE || is_gate(low)) follow(axis, own);
    }
    memoryBarrierBuffer();
    barrier();
    if (thread == 0u) full[GROUPS] = runs;
#endif
    for (uint k = thread; k < 2u * n; k += THREADS) set_run(k & 1u, k >> 1);
}
