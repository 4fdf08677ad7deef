// What inflow borders give after a substep, and what drains take (../exchange.c; pour_in and take in
// ../../../world/sources.c), after `later`. Sums are of whole units, so that they come out the same in any
// order. Where it is not plain nothing is done, and the processor does both: LATER. One group.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
layout(std430, binding = AT_DEPTH) restrict coherent buffer Depth { float depth[]; };
#ifdef TWIN
CHANGES(AT_NEW_DEPTH, NewDepth, float, new_depth);
#endif
READS(AT_SPEED, Speed, float, speed);
CHANGES(AT_BITS, Bits, uint, bits);
CHANGES(AT_STATUS, Status, uint, status);
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

#define THREADS 256u
// Places in the list; rv_card_trade_place in ../card.h. Doubles have two words.
#define DRAINS list[law.list_at]
#define CELLS list[law.list_at + 1u]
#define AREA_AT (law.list_at + 2u)
#define FRESH_AT (law.list_at + 4u)
#define OWED_AT (law.list_at + 6u)
#define TIME_AT (law.list_at + 8u)
#define SWALLOWED_AT (law.list_at + 10u)
#define SCALE_AT (law.list_at + 12u)
#define DRAIN_VOLUME_AT (law.list_at + 16u)
#define DRAIN_OWED_AT (law.list_at + 32u)
#define DRAIN_SCALE_AT (law.list_at + 48u)
#define DRAIN_SPAN_AT (law.list_at + 64u)     // first column, how many
#define LOG_AT (law.list_at + 80u)            // by substep: poured and left; by drain taken, owed
#define LOG_WORDS 34u
#define CELL_AT (law.list_at + 2256u)         // first column, how many, rate
#define WAS_AT (law.list_at + 18640u)         // column that gets it, its depth before
#define COLUMN_AT (law.list_at + 26832u)      // slot, pitch, where the bit of its block stands
#define NOWHERE 0xffffffffu

shared uint trouble, open;
shared int part_low[3], part_middle[3], part_high[3]; // of sums, three in turn
shared uint most_there, pace_there, full_there;

double double_at(uint at)
{
    return packDouble2x32(uvec2(list[at], list[at + 1u]));
}

void put_double(uint at, double value)
{
    uvec2 words = unpackDouble2x32(value);
    list[at] = words.x, list[at + 1u] = words.y;
}

void meet()
{
    memoryBarrierBuffer();
    barrier();
}

// ---- Sums ---------------------------------------------------------------------------------------

// The whole part of a number that is not under 0, of at most 2^62.
uvec2 whole_of(double value)
{
    uvec2 size = unpackDouble2x32(value), m = mantissa_of(size);
    int by = int(size.y >> 20) - 1075;
    if (by >= 0) return left64(m, uint(min(by, 10)));
    if (by <= -53) return uvec2(0u);
    uint n = uint(-by);
    if (n >= 32u) return uvec2(m.y >> (n - 32u), 0u);
    return uvec2((m.x >> n) | (m.y << (32u - n)), m.y >> n);
}

// Once by each thread: its parts are words that hold those of so many threads, and no more.
void add_units(uint which, uvec2 units)
{
    if ((units.x | units.y) == 0u) return;
    atomicAdd(part_low[which], int(units.x & 0x3fffffu));
    atomicAdd(part_middle[which], int((units.x >> 22) | ((units.y & 0xfffu) << 10)));
    atomicAdd(part_high[which], int(units.y >> 12));
}

void clear_units(uint which)
{
    part_low[which] = 0, part_middle[which] = 0, part_high[which] = 0;
}

double units_of(uint which)
{
    uvec2 low = uvec2(uint(part_low[which]), 0u), middle = uvec2(uint(part_middle[which]), 0u);
    uvec2 all = add64(add64(low, left64(middle, 22u)), uvec2(0u, uint(part_high[which]) << 12));
    precise double sum = double(all.y) * 4294967296.0lf + double(all.x);
    return sum;
}

// ---- Columns ------------------------------------------------------------------------------------

struct Traded {
    uint slot, pitch, word, bit;
    float base, top;
};

Traded column_at(uint c)
{
    uint at = COLUMN_AT + 4u * c, i = list[at];
    return Traded(i, list[at + 1u], list[at + 2u], list[at + 3u], beds[i], beds[law.slots + i]);
}

// A depth that may be smaller than what cards take for a number.
bool is_more(float own)
{
    uint u = floatBitsToUint(own);
    return u != 0u && u < 0x80000000u;
}

float depth_with(float before, double more, float cap)
{
    precise double sum = packDouble2x32(d_of(before)) + more;
    float after = d_rounded(unpackDouble2x32(sum));
    if (!is_more(after)) after = 0.0;
    return after > cap ? (before > cap ? before : cap) : after;
}

bool sleeps(Traded t)
{
#ifdef TENSE
    return (bits[ASLEEP_AT + t.word] & t.bit) != 0u;
#else
    return false;
#endif
}

// rv_pipes_touch in ../../awake.c: it counts once all of it was done.
void touch(Traded t, float own)
{
    uint n = law.slots, i = t.slot;
    atomicMax(most_there, floatBitsToUint(larger(own, 0.0)));
#ifdef FLOW
    float along = larger(abs(speed[i - 1u]), abs(speed[i]));
    float across = larger(abs(speed[n + i - t.pitch]), abs(speed[n + i]));
    atomicMax(pace_there, floatBitsToUint(pace_from(own, along, across)));
#endif
    precise float cap = t.top - t.base, nearly = cap * 0.998;
    if (t.top < law.top && cap > 0.0 && own >= nearly) full_there = 1u;
}

void set_depth(Traded t, float before, float after)
{
    depth[t.slot] = after;
#ifdef TWIN
    new_depth[t.slot] = after;
#endif
    if (after > law.film) atomicOr(bits[law.wet_at + t.word], t.bit);
#ifdef TENSE
    if (floatBitsToUint(after) != floatBitsToUint(before)) press[5u * law.slots + t.slot] = 0.0;
#endif
}

// ---- Inflow borders -----------------------------------------------------------------------------

// The lowest column with room of each cell.
void find_open(uint cells)
{
    for (uint c = gl_LocalInvocationIndex; c < cells; c += THREADS) {
        uint at = CELL_AT + 4u * c, first = list[at], count = list[at + 1u], found = NOWHERE;
        bool gets = double_at(at + 2u) > 0.0lf;
        for (uint k = first; gets && k < first + count && found == NOWHERE; k++) {
            Traded t = column_at(k);
            precise float cap = t.top - t.base;
            if (depth[t.slot] < cap) found = k;
            if (found == k && sleeps(t)) trouble = 1u;
            if (found == k) list[WAS_AT + 2u * c + 1u] = floatBitsToUint(depth[t.slot]);
        }
        list[WAS_AT + 2u * c] = found;
        if (found != NOWHERE) atomicAdd(open, 1u);
    }
}

// Each cell gets its rate times `scale`, or that alone; a column that is full then is the
// processor's.
void pour_round(uint cells, bool even, double scale, uint which)
{
    double units = double_at(SCALE_AT);
    uvec2 sum = uvec2(0u);
    for (uint c = gl_LocalInvocationIndex; c < cells; c += THREADS) {
        uint k = list[WAS_AT + 2u * c];
        if (k == NOWHERE) continue;
        Traded t = column_at(k);
        precise float cap = t.top - t.base;
        precise double more = even ? scale : double_at(CELL_AT + 4u * c + 2u) * scale;
        float before = depth[t.slot], after = depth_with(before, more, cap);
        precise double done = packDouble2x32(d_of(after)) - packDouble2x32(d_of(before));
        precise double all = done * units;
        if (!(after < cap) || done < 0.0lf) trouble = 1u;
        sum = add64(sum, whole_of(all));
        depth[t.slot] = after;
        touch(t, after);
    }
    add_units(which, sum);
    meet();
}

// What is left, m. Where it is trouble all is as it was.
void pour(uint cells)
{
    double area = double_at(AREA_AT), fresh = double_at(FRESH_AT);
    precise double asked = fresh + double_at(OWED_AT) / area, enough = 1e-6lf * asked;
    precise double scale = double_at(TIME_AT) * asked / fresh;
    uint thread = gl_LocalInvocationIndex;
    double left = asked;
    bool more = asked > 0.0lf, rounds = more;
    for (uint round = 0u; round <= 16u && rounds; round++) { // 16 of them after the first
        uint which = round % 3u;
        precise double even = left / double(open);
        if (thread == 0u) clear_units((round + 1u) % 3u);
        pour_round(cells, round > 0u, round > 0u ? even : scale, which);
        precise double given = units_of(which) / double_at(SCALE_AT), rest = left - given;
        left = rest;
        rounds = left > enough && open > 0u;
    }
    if (thread == 0u && !(more && open > 0u && left <= double_at(SWALLOWED_AT))) trouble = 1u;
    meet();
    bool back = trouble != 0u;
    for (uint c = thread; c < cells; c += THREADS) {
        uint k = list[WAS_AT + 2u * c];
        if (k == NOWHERE) continue;
        Traded t = column_at(k);
        float before = uintBitsToFloat(list[WAS_AT + 2u * c + 1u]);
        if (back)
            depth[t.slot] = before;
        else
            set_depth(t, before, depth[t.slot]);
    }
    meet();
    if (thread != 0u || back) return;
    precise double owed = left * area;
    put_double(OWED_AT, owed);
    put_double(LOG_AT + law.count * LOG_WORDS, left);
}

// ---- Drains -------------------------------------------------------------------------------------

void sum_depths(uint d, uint which)
{
    uint first = list[DRAIN_SPAN_AT + 2u * d], count = list[DRAIN_SPAN_AT + 2u * d + 1u];
    double scale = double_at(DRAIN_SCALE_AT + 2u * d);
    uvec2 sum = uvec2(0u);
    for (uint c = first + gl_LocalInvocationIndex; c < first + count; c += THREADS) {
        precise double units = packDouble2x32(d_of(depth[list[COLUMN_AT + 4u * c]])) * scale;
        sum = add64(sum, whole_of(units));
    }
    add_units(which, sum);
    meet();
}

void take_share(uint d, double share, uint which)
{
    uint first = list[DRAIN_SPAN_AT + 2u * d], count = list[DRAIN_SPAN_AT + 2u * d + 1u];
    double scale = double_at(DRAIN_SCALE_AT + 2u * d);
    uvec2 sum = uvec2(0u);
    for (uint c = first + gl_LocalInvocationIndex; c < first + count; c += THREADS) {
        Traded t = column_at(c);
        float before = depth[t.slot];
        if (!is_more(before)) continue;
        precise float cap = t.top - t.base, least = cap * 0.998;
        double there = packDouble2x32(d_of(before));
        precise double less = -there * share;
        float after = depth_with(before, less, cap);
        precise double units = (there - packDouble2x32(d_of(after))) * scale;
        sum = add64(sum, whole_of(units));
        touch(t, after);
        set_depth(t, before, after);
#ifdef PASSAGES
        if (!(t.top < law.top && after >= least)) free_slot(t.slot);
#endif
    }
    add_units(which, sum);
    meet();
}

void drain(uint d, uint which)
{
    double area = double_at(AREA_AT), scale = double_at(DRAIN_SCALE_AT + 2u * d), owed;
    precise double asked = double_at(DRAIN_VOLUME_AT + 2u * d) + double_at(DRAIN_OWED_AT + 2u * d);
    double taken = 0.0lf;
    owed = asked;
    if (asked > 0.0lf) {
        sum_depths(d, which);
        precise double there = units_of(which) / scale * area;
        owed = 0.0lf;
        if (there > 0.0lf) {
            precise double some = asked / there;
            double share = min(1.0lf, some);
            take_share(d, share, which + 1u);
            precise double took = units_of(which + 1u) / scale, rest = asked - took * area;
            taken = took;
            if (share < 1.0lf) owed = rest;
        }
    }
    meet();
    if (gl_LocalInvocationIndex != 0u) return;
    put_double(DRAIN_OWED_AT + 2u * d, owed);
    uint log = LOG_AT + law.count * LOG_WORDS + 2u + 4u * d;
    put_double(log, taken);
    put_double(log + 2u, owed);
}

bool is_restful(uint drains)
{
    for (uint d = 0u; d < drains; d++) {
        uint first = list[DRAIN_SPAN_AT + 2u * d], count = list[DRAIN_SPAN_AT + 2u * d + 1u];
        for (uint c = first + gl_LocalInvocationIndex; c < first + count; c += THREADS)
            if (sleeps(column_at(c))) trouble = 1u;
    }
    return trouble != 0u;
}

void main()
{
    uint thread = gl_LocalInvocationIndex, cells = CELLS, drains = DRAINS;
    bool halted = is_halted() || status[law.status_at + LATER] != 0u;
    begin_found();
    if (thread < 3u) clear_units(thread);
    if (thread == 0u) trouble = 0u, open = 0u, most_there = 0u, pace_there = 0u, full_there = 0u;
    barrier();
    if (halted) return;
    is_restful(drains);
    find_open(cells);
    meet();
    bool plain = trouble == 0u;
    meet();
    if (plain && cells > 0u) {
        pour(cells);
        plain = trouble == 0u;
    }
    for (uint d = 0u; d < drains && plain; d++) {
        if (thread == 0u) clear_units(0u), clear_units(1u);
        meet();
        drain(d, 0u);
        meet();
    }
    if (thread == 0u && plain) {
        most_here = most_there, pace_here = pace_there;
        if (full_there != 0u) status[law.status_at + FULL] = 1u;
    }
    if (thread == 0u && !plain) status[law.status_at + LATER] = 3u; // sources gave
    tell_found();
}
