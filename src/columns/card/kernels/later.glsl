// What the world does to columns after a substep: liquid that falls from edges is taken, for what
// hangs there in beads (../../../world/drips.c); then what sources give (../../../world/sources.c).
// Where that is not plain the processor has to do it, and no substep comes before: LATER. Both are
// done whole or not at all. One group.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
layout(std430, binding = AT_DEPTH) restrict coherent buffer Depth { float depth[]; };
#ifdef TWIN
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
#endif
READS(AT_SPEED, Speed, float, speed);
READS(AT_FLUX, Flux, float, flux);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#ifdef TENSE
CHANGES(AT_PRESS, Press, float, press);
#endif
CHANGES(AT_LIST, List, uint, list);
#define AFTER_SCALES
#include "halted"
#include "blocks"
#include "found"
#include "doubles"
#ifdef PASSAGES
#define FREES
#include "full"
#endif

// Places in the list; rv_card_later_place in ../card.h.
#define HEAD_AT law.list_at // how many give, how many columns are fallen into, area, drop, substep, falls, anew
#define VOLUME_AT (HEAD_AT + 10u)
#define OWED_AT (VOLUME_AT + 32u)
#define SWALLOWED_AT (OWED_AT + 32u)
#define SPAN_AT (SWALLOWED_AT + 32u)  // their first column, and how many
#define COLUMN_AT (SPAN_AT + 32u)     // slot, pitch, where the bit of its block stands
#define UNDER_AT (COLUMN_AT + 4096u)  // the same of what is fallen into; first pipe, how many, what is left
#define FALL_AT (UNDER_AT + 57344u)   // place of a flux, slot it falls from, underside there, group
#define SITE_AT (FALL_AT + 32768u)    // what hangs at the edge
#define LOG_AT (SITE_AT + 8192u)      // what was left, by substep
#define FELL_COUNT_AT (LOG_AT + 2048u)
#define FELL_AT (FELL_COUNT_AT + 1u)  // number and substep, flux, depth before and after
#define FELL_MOST 8192u
#define ODD_PIPE 0x40000000u
#define TURNED_PIPE 0x80000000u
#define SITE_NONE 0u
#define SITE_SHEET 2u // it falls on

shared float was[1024], now[1024];
shared uvec2 lefts[16], shares[16];
shared uint first_of[16], all_fed; // columns of sources
shared int lowest[16], highest[16]; // exponents of depths, by source
shared int sum_low[16], sum_high[16];
shared uint trouble, fallen, logged;
shared uint falls_into[256]; // a bit for each column that is fallen into

uvec2 pair_at(uint at)
{
    return uvec2(list[at], list[at + 1u]);
}

void put_pair(uint at, uvec2 a)
{
    list[at] = a.x, list[at + 1u] = a.y;
}

// ---- Falls ---------------------------------------------------------------------------------------

float flow_of(uint pipe)
{
    uint place = pipe & 0x3fffffffu;
#ifdef ODD
    bool odd = (pipe & ODD_PIPE) != 0u;
    float regular = flux[odd ? 0u : place], other = odd_flow[odd ? place : 0u]; // no branch to wait at
    float flow = odd ? other : regular;
#else
    float flow = flux[place];
#endif
    return (pipe & TURNED_PIPE) != 0u ? -flow : flow;
}

// Nearly, as far as a float goes.
float near_of(uvec2 a)
{
    uint size = ((a.y & 0x7fffffffu) - (896u << 20)) << 3 | a.x >> 29;
    return a.y < (897u << 20) ? 0.0 : uintBitsToFloat(size); // what is small is none: a height, m
}

// Whether `high` is so far over the level of a column that liquid falls. Floats tell it but for what
// is very near: then it is worked out as the processor does.
bool is_over(float high, float base, float own)
{
    uvec2 drop = pair_at(HEAD_AT + 4u);
    float over = (high - (base + own)) - near_of(drop);
    float off = 1e-6 * (abs(high) + abs(base) + abs(own) + near_of(drop)) + 1e-30;
    if (abs(over) > off && drop.y < D_SIGN) return over > 0.0;
    uvec2 sum = d_of(own);
    for (uint k = 0u; k < D_TWO; k++) sum = d_sum(d_of(k == 0u ? base : high), k == 0u ? sum : d_less(sum));
    return d_is_most(drop, sum);
}

// Liquid runs through pipe k toward a column that may be fallen into.
void note_fall(uint k)
{
    uint group = list[FALL_AT + 4u * k + 3u];
    atomicAdd(fallen, 1u);
    atomicOr(falls_into[group >> 5], 1u << (group & 31u));
}

// Eight pipes are asked for at once: the way to them is long.
void find_falls(uint count)
{
    for (uint k = gl_LocalInvocationIndex; k < count; k += 2048u) {
        uvec4 which = min(uvec4(k, k + 256u, k + 512u, k + 768u), uvec4(count - 1u));
        uvec4 at = FALL_AT + 4u * which, far = FALL_AT + 4u * min(which + 1024u, uvec4(count - 1u));
        uvec4 pipe = uvec4(list[at.x], list[at.y], list[at.z], list[at.w]);
        uvec4 next = uvec4(list[far.x], list[far.y], list[far.z], list[far.w]);
        vec4 flow =
            vec4(flow_of(pipe.x), flow_of(pipe.y), flow_of(pipe.z), flow_of(pipe.w));
        vec4 after =
            vec4(flow_of(next.x), flow_of(next.y), flow_of(next.z), flow_of(next.w));
        for (uint j = 0u; j < 4u; j++) {
            if (k + 256u * j < count && flow[j] > 0.0) note_fall(k + 256u * j);
            if (k + 256u * j + 1024u < count && after[j] > 0.0) note_fall(k + 256u * j + 1024u);
        }
    }
}

// They count once it is known that all can be taken.
void log_fall(uint k, float flow, float before, float after)
{
    uint at = atomicAdd(logged, 1u);
    if (at >= FELL_MOST) return;
    at = FELL_AT + 4u * at;
    list[at] = k | (law.count << 16), list[at + 1u] = floatBitsToUint(flow);
    list[at + 2u] = floatBitsToUint(before), list[at + 3u] = floatBitsToUint(after);
}

// What is left in a column when what fell into it is taken, pipe by pipe; all of them are found by
// the depth before the first.
float left_under(uint group)
{
    uint at = UNDER_AT + 7u * group, i = list[at];
    uint word = list[at + 2u], bit = list[at + 3u], first = list[at + 4u], count = list[at + 5u];
    float base = beds[i], first_depth = depth[i], own = first_depth;
    precise float cap = beds[law.slots + i] - base;
#ifdef TENSE
    if ((bits[ASLEEP_AT + word] & bit) != 0u) trouble = 1u;
#endif
    if (first_depth > cap) trouble = 1u;
    for (uint k = first; k < first + count; k++) {
        uint f = FALL_AT + 4u * k;
        float flow = flow_of(list[f]), before = own, from = beds[list[f + 1u]];
        float underside = uintBitsToFloat(list[f + 2u]);
        uint site = list[SITE_AT + k];
        bool falls = flow > 0.0;
        for (uint which = 0u; which < D_TWO && falls; which++)
            falls = is_over(which == 0u ? from : underside, base, which == 0u ? first_depth : own);
        if (!falls) continue;
        if (site == SITE_NONE) trouble = 1u;
        if (site != SITE_SHEET) {
            uvec2 volume = d_product(pair_at(HEAD_AT + 6u), d_of(flow));
            uvec2 less = d_quotient(volume, pair_at(HEAD_AT + 2u));
            own = larger(d_rounded(d_difference(d_of(own), less)), 0.0);
        }
        log_fall(k, flow, before, own);
    }
    return own;
}

void leave_under(uint group, float own)
{
    uint at = UNDER_AT + 7u * group, i = list[at], pitch = list[at + 1u], n = law.slots;
    if (own == depth[i]) return;
    depth[i] = own;
#ifdef TWIN
    new_depth[i] = own;
#endif
#ifdef FLOW
    float along = larger(abs(speed[i - 1u]), abs(speed[i]));
    note_pace(pace_from(own, along, larger(abs(speed[n + i - pitch]), abs(speed[n + i]))));
#endif
#ifdef TENSE
    press[5u * n + i] = 0.0;
#endif
#ifdef PASSAGES
    precise float least = (beds[n + i] - beds[i]) * 0.998;
    if (own < least) free_slot(i);
#endif
}

bool is_fallen_into(uint group)
{
    return (falls_into[group >> 5] & (1u << (group & 31u))) != 0u;
}

// false: they are the processor's. What is left is remembered until it is known that all of them can
// be done.
bool take_falls()
{
    uint thread = gl_LocalInvocationIndex, under = list[HEAD_AT + 1u];
    for (uint group = thread; group < under; group += 256u)
        if (is_fallen_into(group))
            list[UNDER_AT + 7u * group + 6u] = floatBitsToUint(left_under(group));
    barrier();
    bool all = trouble == 0u && logged <= FELL_MOST;
    barrier();
    if (!all) return false;
    for (uint group = thread; group < under; group += 256u)
        if (is_fallen_into(group))
            leave_under(group, uintBitsToFloat(list[UNDER_AT + 7u * group + 6u]));
    if (thread == 0u) list[FELL_COUNT_AT] = logged;
    memoryBarrierBuffer();
    barrier();
    return true;
}

// ---- Sources ------------------------------------------------------------------------------------

// A column that a source gives to: what is known of it before anything was taken or given.
struct Fed {
    uint slot, word, bit;
    float base, ceiling, pace_u, pace_v;
};

// Threads ask before they know whether they have one: then the list has nothing there, or what was.
Fed fed_at(uint c)
{
    uint at = COLUMN_AT + 4u * c, n = law.slots;
    uint i = clamp(list[at], 1u, n - 1u), pitch = min(list[at + 1u], n);
    Fed fed = Fed(i, list[at + 2u], list[at + 3u], beds[i], beds[n + i], 0.0, 0.0);
#ifdef FLOW
    fed.pace_u = larger(abs(speed[i - 1u]), abs(speed[i]));
    fed.pace_v = larger(abs(speed[n + i - pitch]), abs(speed[n + i]));
#endif
    return fed;
}

// The source of a column.
uint feed_of(uint c, uint feeds)
{
    uint f = 0u;
    while (f + 1u < feeds && c >= first_of[f + 1u]) f++;
    return f;
}

// What a source is to give in all, m, and a column's share of it.
void ask_of(uint f, uint feeds)
{
    uint count = list[SPAN_AT + 2u * f + 1u];
    uvec2 area = pair_at(HEAD_AT + 2u), by = d_of(float(count));
    uvec2 asked = d_sum(pair_at(VOLUME_AT + 2u * f), pair_at(OWED_AT + 2u * f)), share = asked;
    for (uint k = 0u; k < D_TWO; k++) {
        share = d_quotient(share, k == 0u ? area : by);
        if (k == 0u) asked = share;
    }
    first_of[f] = list[SPAN_AT + 2u * f], lefts[f] = asked, shares[f] = share;
    if (f + 1u == feeds) all_fed = first_of[f] + count;
}

// New depth of column c; where it is not a plain one, that is found here and nothing is done.
void try_column(uint c, Fed fed, uvec2 share)
{
    float before = depth[fed.slot];
    precise float cap = fed.ceiling - fed.base;
    float after = d_rounded(d_sum(d_of(before), share));
    was[c] = before, now[c] = after;
    bool plain = before >= 0.0 && before < cap && after > 0.0 && after < cap;
#ifdef TENSE
    if ((bits[ASLEEP_AT + fed.word] & fed.bit) != 0u) plain = false;
#endif
    if (!plain) trouble = 1u;
}

// Depths whose exponents are near each other are whole numbers of the same small unit, of at most 40
// bits: then sums of doubles come out whole in any order, and are worked out so.
#define NEAR 16

bool is_near(uint f)
{
    return highest[f] - lowest[f] <= NEAR;
}

void note_exponent(uint f, float a)
{
    int e = int((floatBitsToUint(a) >> 23) & 255u);
    if (e == 0) return;
    atomicMin(lowest[f], e);
    atomicMax(highest[f], e);
}

uvec2 whole_of(float a, int low)
{
    uint bits = floatBitsToUint(a), e = (bits >> 23) & 255u;
    return e == 0u ? uvec2(0u) : left64(uvec2((bits & 0x7fffffu) | 0x800000u, 0u), uint(int(e) - low));
}

void add_column(uint f, uint c)
{
    uvec2 more = sub64(whole_of(now[c], lowest[f]), whole_of(was[c], lowest[f]));
    atomicAdd(sum_low[f], int(more.x & 0xfffffu));
    atomicAdd(sum_high[f], int((more.x >> 20) | (more.y << 12)));
}

uvec2 sum_of_near(uint f)
{
    uvec2 all = uvec2(uint(sum_high[f]) << 20, uint(sum_high[f] >> 12));
    return d_of_steps(add64(all, uvec2(uint(sum_low[f]), 0u)), lowest[f] - 150);
}

// What is left; where depths are far from each other in the order of the columns, as the processor
// adds.
void sum_up(uint f)
{
    uvec2 asked = lefts[f], given = D_ZERO, change = D_ZERO;
    uint first = first_of[f], sums = 2u * list[SPAN_AT + 2u * f + 1u];
    if (is_near(f)) given = sum_of_near(f), sums = 0u;
    for (uint k = 0u; k <= sums; k++) { // in turns a change, and its sum; at last what is left
        uint c = min(first + k / 2u, 1023u);
        bool last = k == sums, odd = (k & 1u) != 0u;
        uvec2 a = last ? asked : odd ? given : d_of(now[c]);
        uvec2 sum = d_sum(a, last ? d_less(given) : odd ? change : d_less(d_of(was[c])));
        if (last)
            lefts[f] = sum;
        else if (odd)
            given = sum;
        else
            change = sum;
    }
    if (!d_is_more(asked) || !d_is_most(lefts[f], pair_at(SWALLOWED_AT + 2u * f))) trouble = 1u;
}

void give_column(uint c, Fed fed)
{
    float after = now[c];
    depth[fed.slot] = after;
#ifdef TWIN
    new_depth[fed.slot] = after;
#endif
    if (after > law.film) atomicOr(bits[law.wet_at + fed.word], fed.bit);
    precise float nearly = (fed.ceiling - fed.base) * 0.998;
    if (fed.ceiling < law.top && after >= nearly) status[law.status_at + FULL] = 1u;
    note_most(after);
#ifdef FLOW
    note_pace(pace_from(after, fed.pace_u, fed.pace_v));
#endif
#ifdef TENSE
    if (after != was[c]) press[5u * law.slots + fed.slot] = 0.0;
#endif
}

void main()
{
    uint thread = gl_LocalInvocationIndex;
    uint feeds = list[HEAD_AT], pipes_over = list[HEAD_AT + 8u];
    bool halted = is_halted();
    Fed own = fed_at(feeds > 0u ? thread : 0u); // all that may be needed is asked for at once
    begin_found();
    falls_into[thread] = 0u;
    if (thread < 16u) lowest[thread] = 255, highest[thread] = 0, sum_low[thread] = 0, sum_high[thread] = 0;
    if (thread == 0u) {
        trouble = 0u, fallen = 0u, all_fed = 0u;
        logged = list[HEAD_AT + 9u] != 0u ? 0u : list[FELL_COUNT_AT];
        if (!halted) list[FELL_COUNT_AT] = logged, list[HEAD_AT + 9u] = 0u;
    }
    barrier();
    if (thread < feeds) ask_of(thread, feeds);
    find_falls(pipes_over);
    barrier();
    if (halted) return;
    if (fallen > 0u) {
        if (!take_falls()) {
            if (thread == 0u) status[law.status_at + LATER] = 1u;
            return;
        }
    }
    for (uint c = thread; c < all_fed; c += 256u) {
        uint f = feed_of(c, feeds);
        if (c != thread) own = fed_at(c);
        try_column(c, own, shares[f]);
        note_exponent(f, was[c]);
        note_exponent(f, now[c]);
    }
    barrier();
    for (uint c = thread; c < all_fed; c += 256u) {
        uint f = feed_of(c, feeds);
        if (is_near(f)) add_column(f, c);
    }
    barrier();
    if (thread < feeds) sum_up(thread);
    barrier();
    if (trouble == 0u) {
        bool other = all_fed > 256u;
        for (uint c = thread; c < all_fed; c += 256u) {
            if (other) own = fed_at(c);
            give_column(c, own);
        }
        if (thread < feeds) {
            put_pair(OWED_AT + 2u * thread, d_product(lefts[thread], pair_at(HEAD_AT + 2u)));
            put_pair(LOG_AT + 2u * (law.count * feeds + thread), lefts[thread]);
        }
    } else if (thread == 0u) {
        status[law.status_at + LATER] = 2u; // what fell was taken
    }
    tell_found();
}
