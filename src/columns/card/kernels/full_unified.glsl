// Passages of all gates of a group, which exchange with their mean level (../../passages/unified.c). One
// group of threads for all groups of columns, whose sums are taken at once, in any order. LAST: after
// fluxes were scaled: what comes in and goes out is cut to the smaller of the two.
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
#define SUMS 1
#include "any_order"

#define THREADS 256u
#define NONE 0xffffffffu
#define JOINTS_MOST 16384u // pipes between members: their places, and two words
#define GATES_MOST 4096u   // there is room for
#define GATES_SUMMED 2047u // of which any_order can add something up
#define JOINT_COUNT PIPES_AT
#define GATE_COUNT (PIPES_AT + 1u)
#define JOINT(word, e) full[PIPES_AT + 2u + (word) * JOINTS_MOST + (e)]
#define GATES_AT (PIPES_AT + 2u + 2u * JOINTS_MOST)
#define GATE(word, e) full[GATES_AT + (word) * GATES_MOST + (e)]
#define GROUPS_AT (GATES_AT + 12u * GATES_MOST)
#define OF_GROUP(word, g) full[GROUPS_AT + (word) * FULL_MOST + (g)]

// Words of a gate: the pipe and its column's place in the list.
#define G_PLACE 0u // with COMES_IN: what is positive goes into the passage
#define G_COLUMN 1u
#define G_OTHER 2u
#define G_OPENING 3u
#define G_FLAGS 4u
#define G_HEAD 5u  // doubles
#define G_PUSH 7u  // share of a push, times that of the opening
#define G_FRESH 9u
#define COMES_IN 0x40000000u
#define DRY 1u
#define SHUT 2u

// Words of a group of columns, by the place of its first.
#define P_TOP 0u  // the highest gate's level, see ordered()
#define P_COUNT 1u
#define P_STATE 2u
#define P_OPEN 3u
#define P_SUMS 4u // greatest exponent, low, high; of two sums
#define GOES_ON 1u
#define AGAIN 2u

shared uint label[FULL_MOST];
shared uint members[FULL_MOST / 32u];
shared uint joins[3], too_many, released, goes_on[3], groups;

bool is_member(uint place)
{
    return (members[place >> 5] & (1u << (place & 31u))) != 0u;
}

// The place of a column with that mark that is a member; NONE: it is none.
uint member_of(uint mark)
{
    uint place = mark >> 2;
    return place != 0u && is_member(place - 1u) ? place - 1u : NONE;
}

double gate_double(uint word, uint e)
{
    return packDouble2x32(uvec2(GATE(word, e), GATE(word + 1u, e)));
}

void put_gate(uint word, uint e, double value)
{
    uvec2 words = unpackDouble2x32(value);
    GATE(word, e) = words.x, GATE(word + 1u, e) = words.y;
}

void meet()
{
    memoryBarrierBuffer();
    barrier();
}

#ifndef LAST
// ---- The lists ----------------------------------------------------------------------------------

void list_gate(FullPipe p, uint k, FullColumn c)
{
    uint e = atomicAdd(full[GATE_COUNT], 1u);
    if (e >= GATES_SUMMED) {
        too_many = 1u;
        return;
    }
    Gate gate = gate_of(p, c);
    precise double push = share_of_push(p.way, p.gaps) * passage_push(double(p.opening));
    GATE(G_PLACE, e) = p.place | (p.back ? COMES_IN : 0u);
    GATE(G_COLUMN, e) = k, GATE(G_OTHER, e) = p.other;
    GATE(G_OPENING, e) = floatBitsToUint(p.opening), GATE(G_FLAGS, e) = gate.dry ? DRY : 0u;
    put_gate(G_HEAD, e, gate.head);
    put_gate(G_PUSH, e, push);
}

void list_joint(FullPipe p, uint k, uint other)
{
    uint e = atomicAdd(full[JOINT_COUNT], 1u);
    if (e >= JOINTS_MOST)
        too_many = 1u;
    else
        JOINT(0u, e) = p.place, JOINT(1u, e) = k | (other << 16);
}

void list_pipes(uint n)
{
    if (gl_LocalInvocationIndex == 0u) full[JOINT_COUNT] = 0u, full[GATE_COUNT] = 0u;
    meet();
    for (uint k = gl_LocalInvocationIndex; k < n; k += THREADS) {
        if (!is_member(k)) continue;
        FullColumn c = full_column(full[LIST_AT + k]);
        for (uint e = 0u; e < c.candidates; e++) {
            FullPipe p = full_pipe(c, e);
            if (!p.there) continue;
            uint other = member_of(p.mark);
            if (other == NONE)
                list_gate(p, k, c);
            else if (!p.back)
                list_joint(p, k, other);
        }
    }
    meet();
}

// The lowest place of all that hang together.
void find_groups(uint n, uint joints)
{
    uint thread = gl_LocalInvocationIndex;
    for (uint k = thread; k < n; k += THREADS) label[k] = k;
    if (thread < 3u) joins[thread] = 0u;
    barrier();
    bool again = true;
    for (uint round = 0u; again; round++) {
        if (thread == 0u) joins[(round + 1u) % 3u] = 0u;
        for (uint e = thread; e < joints; e += THREADS) {
            uint a = JOINT(1u, e) & 0xffffu, b = JOINT(1u, e) >> 16, low = min(label[a], label[b]);
            if (label[a] == low && label[b] == low) continue;
            atomicMin(label[a], low);
            atomicMin(label[b], low);
            joins[round % 3u] = 1u;
        }
        barrier();
        for (uint k = thread; k < n; k += THREADS) atomicMin(label[k], label[label[k]]);
        barrier();
        again = joins[round % 3u] != 0u;
    }
}

// Floats in the order of whole numbers.
uint ordered(float a)
{
    uint u = floatBitsToUint(a);
    return (u & 0x80000000u) != 0u ? ~u : u | 0x80000000u;
}

#define NO_LEVEL -3e38

// gate_level in passages.c.
float level_of_gate(uint e)
{
    uint g = GATE(G_OTHER, e);
    if (g == NO_SLOT) return float(gate_double(G_HEAD, e));
    precise float level = beds[g] + depth[g];
    precise float total = level + outside_press(g);
    return depth[g] > law.film ? total : NO_LEVEL;
}

// release_unheld: liquid whose ceiling is above every gate's level drains as it will.
void release(uint n, uint gates)
{
    for (uint k = gl_LocalInvocationIndex; k < n; k += THREADS) OF_GROUP(P_TOP, k) = ordered(NO_LEVEL);
    meet();
    for (uint e = gl_LocalInvocationIndex; e < gates; e += THREADS)
        atomicMax(OF_GROUP(P_TOP, label[GATE(G_COLUMN, e)]), ordered(level_of_gate(e)));
    meet();
    for (uint k = gl_LocalInvocationIndex; k < n; k += THREADS) {
        float ceiling = beds[law.slots + full[LIST_AT + k]];
        if (ordered(ceiling) <= OF_GROUP(P_TOP, label[k])) continue;
        atomicAnd(members[k >> 5], ~(1u << (k & 31u)));
        released = 1u;
    }
    barrier();
}

// false: they are too many.
bool survey(uint n)
{
    list_pipes(n);
    bool fits = too_many == 0u;
    if (fits) find_groups(n, full[JOINT_COUNT]);
    return fits;
}
#endif

// ---- Sums by group ------------------------------------------------------------------------------
// As any_order has them, in memory that is not shared.

#define SUM_TOP(g, which) OF_GROUP(P_SUMS + 3u * (which), g)
#define SUM_LOW(g, which) OF_GROUP(P_SUMS + 3u * (which) + 1u, g)
#define SUM_HIGH(g, which) OF_GROUP(P_SUMS + 3u * (which) + 2u, g)

void clear_sums(uint n)
{
    for (uint k = gl_LocalInvocationIndex; k < n; k += THREADS)
        for (uint which = 0u; which < 2u; which++)
            SUM_TOP(k, which) = 0u, SUM_LOW(k, which) = 0u, SUM_HIGH(k, which) = 0u;
    meet();
}

void note_of(uint g, uint which, double value)
{
    atomicMax(SUM_TOP(g, which), exponent_of(value));
}

void add_of(uint g, uint which, double value)
{
    double rounder = rounder_of(OF_GROUP(P_COUNT, g), SUM_TOP(g, which));
    ivec2 steps = steps_of(value, rounder);
    if (rounder == 0.0lf || steps == ivec2(0)) return;
    atomicAdd(SUM_LOW(g, which), uint(steps.x));
    atomicAdd(SUM_HIGH(g, which), uint(steps.y));
}

double sum_of_group(uint g, uint which)
{
    return sum_of_steps(ivec2(int(SUM_LOW(g, which)), int(SUM_HIGH(g, which))),
                        rounder_exponent(OF_GROUP(P_COUNT, g), SUM_TOP(g, which)));
}

uint group_of(uint e)
{
#ifdef LAST
    return GATE(G_COLUMN, e);
#else
    return label[GATE(G_COLUMN, e)];
#endif
}

// +1 where positive flux goes into the passage.
double inward(uint e)
{
    return (GATE(G_PLACE, e) & COMES_IN) != 0u ? 1.0lf : -1.0lf;
}

bool is_shut(uint e)
{
    return (GATE(G_FLAGS, e) & SHUT) != 0u;
}

#ifndef LAST
// ---- What drives the gates ----------------------------------------------------------------------

double drive(uint e, double mean)
{
    double opening = double(uintBitsToFloat(GATE(G_OPENING, e))), way = inward(e);
    uint place = GATE(G_PLACE, e) & ~COMES_IN, other = GATE(G_OTHER, e);
    precise double into = double(law.kept) * way * old_flux(place) +
                          gate_double(G_PUSH, e) * (gate_double(G_HEAD, e) - mean);
    double deep = opening;
    if (into > 0.0lf && other != NO_SLOT) deep = double(depth[other]);
    precise double fresh = way * into * passage_drag(opening, deep);
    return fresh;
}

bool goes(uint e)
{
    return (OF_GROUP(P_STATE, group_of(e)) & GOES_ON) != 0u;
}

void begin_groups(uint n, uint gates)
{
    uint thread = gl_LocalInvocationIndex;
    for (uint k = thread; k < n; k += THREADS) OF_GROUP(P_COUNT, k) = 0u, OF_GROUP(P_STATE, k) = GOES_ON;
    meet();
    for (uint e = thread; e < gates; e += THREADS) atomicAdd(OF_GROUP(P_COUNT, group_of(e)), 1u);
    for (uint k = thread; k < n; k += THREADS)
        if (is_member(k) && label[k] == k) atomicAdd(groups, 1u);
    meet();
}

// A group with fewer than two gates that are open has none.
void count_open(uint n, uint gates)
{
    uint thread = gl_LocalInvocationIndex;
    for (uint k = thread; k < n; k += THREADS) OF_GROUP(P_OPEN, k) = 0u;
    clear_sums(n);
    for (uint e = thread; e < gates; e += THREADS)
        if (!is_shut(e)) atomicAdd(OF_GROUP(P_OPEN, group_of(e)), 1u);
    meet();
    for (uint e = thread; e < gates; e += THREADS)
        if (goes(e) && OF_GROUP(P_OPEN, group_of(e)) < 2u) GATE(G_FLAGS, e) |= SHUT;
    for (uint e = thread; e < gates; e += THREADS)
        if (!is_shut(e)) note_of(group_of(e), 0u, gate_double(G_HEAD, e));
    meet();
    for (uint k = thread; k < n; k += THREADS)
        if (OF_GROUP(P_OPEN, k) < 2u) OF_GROUP(P_STATE, k) = 0u;
    for (uint e = thread; e < gates; e += THREADS)
        if (!is_shut(e)) add_of(group_of(e), 0u, gate_double(G_HEAD, e));
    meet();
}

// drive_group, of all groups that go on. Whether some do after that.
bool drive_round(uint n, uint gates, uint round)
{
    uint thread = gl_LocalInvocationIndex;
    count_open(n, gates);
    for (uint e = thread; e < gates; e += THREADS) {
        if (!goes(e) || is_shut(e)) continue;
        uint g = group_of(e);
        precise double mean = sum_of_group(g, 0u) / double(OF_GROUP(P_OPEN, g));
        double fresh = drive(e, mean);
        put_gate(G_FRESH, e, fresh);
        note_of(g, 1u, fresh);
    }
    if (thread == 0u) goes_on[(round + 1u) % 3u] = 0u;
    meet();
    for (uint e = thread; e < gates; e += THREADS)
        if (goes(e) && !is_shut(e)) add_of(group_of(e), 1u, inward(e) * gate_double(G_FRESH, e));
    meet();
    for (uint e = thread; e < gates; e += THREADS) {
        if (!goes(e) || is_shut(e)) continue;
        uint g = group_of(e);
        double way = inward(e);
        precise double excess = sum_of_group(g, 1u) / double(OF_GROUP(P_OPEN, g));
        precise double fresh = gate_double(G_FRESH, e) - way * excess;
        put_gate(G_FRESH, e, fresh);
        if ((GATE(G_FLAGS, e) & DRY) == 0u || way * fresh <= 0.0lf) continue;
        GATE(G_FLAGS, e) |= SHUT;
        atomicOr(OF_GROUP(P_STATE, g), AGAIN);
        goes_on[round % 3u] = 1u;
    }
    meet();
    for (uint k = thread; k < n; k += THREADS)
        OF_GROUP(P_STATE, k) = (OF_GROUP(P_STATE, k) & AGAIN) != 0u ? GOES_ON : 0u;
    meet();
    return goes_on[round % 3u] != 0u;
}

void set_fluxes(uint joints, uint gates)
{
    for (uint e = gl_LocalInvocationIndex; e < joints; e += THREADS) put_flux(JOINT(0u, e), 0.0);
    for (uint e = gl_LocalInvocationIndex; e < gates; e += THREADS) {
        double fresh = is_shut(e) ? 0.0lf : gate_double(G_FRESH, e);
        put_gate(G_FRESH, e, fresh);
        put_flux(GATE(G_PLACE, e) & ~COMES_IN, float(fresh));
        GATE(G_COLUMN, e) = label[GATE(G_COLUMN, e)]; // that is all that is looked for later
    }
}

void tell(uint n)
{
    for (uint k = gl_LocalInvocationIndex; k < n; k += THREADS)
        full[MARK_AT + full[LIST_AT + k]] = ((k + 1u) << 2) | IS_FULL | (is_member(k) ? IS_MEMBER : 0u);
    if (gl_LocalInvocationIndex == 0u) full[GROUPS] = groups;
}

void main()
{
    uint thread = gl_LocalInvocationIndex, n = full[LISTING];
    bool halted = is_halted(), fits = n <= FULL_MOST;
    if (thread == 0u) too_many = 0u, released = 0u, groups = 0u;
    if (thread < 3u) goes_on[thread] = 0u;
    if (thread < FULL_MOST / 32u) members[thread] = 0xffffffffu;
    barrier();
    if (halted) return;
    if (thread == 0u) full[LISTED] = n, full[FLOWS] = 0u;
    if (fits) fits = survey(n);
    if (fits) {
        release(n, full[GATE_COUNT]);
        if (released != 0u) fits = survey(n);
    }
    if (fits) {
        uint gates = full[GATE_COUNT];
        bool again = true;
        begin_groups(n, gates);
        for (uint round = 0u; again; round++) again = drive_round(n, gates, round);
        set_fluxes(full[JOINT_COUNT], gates);
        tell(n);
    } else if (thread == 0u) {
        status[law.status_at + HALT] = LEAVE_OUT;
    }
}
#else
// ---- What comes in goes out ---------------------------------------------------------------------

// Each gate gives and takes what it can.
void scale_gates(uint gates)
{
    for (uint e = gl_LocalInvocationIndex; e < gates; e += THREADS) {
        uint other = GATE(G_OTHER, e), g = GATE(G_COLUMN, e);
        double fresh = gate_double(G_FRESH, e), way = inward(e);
        if (other != NO_SLOT) {
            bool gives = way * fresh > 0.0lf;
            precise double left = fresh * double(scales[gives ? other : law.slots + other]);
            fresh = left;
            put_gate(G_FRESH, e, fresh);
        }
        note_of(g, way * fresh > 0.0lf ? 0u : 1u, fresh);
    }
    meet();
    for (uint e = gl_LocalInvocationIndex; e < gates; e += THREADS) {
        double into = inward(e) * gate_double(G_FRESH, e);
        add_of(GATE(G_COLUMN, e), into > 0.0lf ? 0u : 1u, abs(into));
    }
    meet();
}

void main()
{
    uint n = full[LISTED], joints = full[JOINT_COUNT], gates = full[GATE_COUNT];
    if (is_halted()) return;
    clear_sums(n);
    scale_gates(gates);
    for (uint e = gl_LocalInvocationIndex; e < joints; e += THREADS) put_last_flux(JOINT(0u, e), 0.0);
    for (uint e = gl_LocalInvocationIndex; e < gates; e += THREADS) {
        uint g = GATE(G_COLUMN, e);
        double comes = sum_of_group(g, 0u), leaves = sum_of_group(g, 1u), way = inward(e);
        precise double share_in = leaves / comes, share_out = comes / leaves;
        if (!(comes > leaves)) share_in = 1.0lf;
        if (!(leaves > comes)) share_out = 1.0lf;
        double into = way * gate_double(G_FRESH, e);
        precise double cut = into * (into > 0.0lf ? share_in : share_out);
        put_last_flux(GATE(G_PLACE, e) & ~COMES_IN, float(way * cut));
    }
}
#endif
