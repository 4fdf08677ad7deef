// What the world does to columns after a substep: what sources give (../../../world/sources.c), all
// of it or nothing; and whether liquid falls from an edge where it would hang in beads, which is the
// processor's. LATER: it has to do all of it, and no substep comes before. One group; 32 threads a
// source.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
CHANGES(AT_DEPTH, Depth, float, depth);
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

// Places in the list; rv_card_later_place in ../card.h.
#define HEAD_AT 262145u // how many give, how many are watched, the area of a column, m²
#define VOLUME_AT (HEAD_AT + 4u)
#define OWED_AT (VOLUME_AT + 32u)
#define SWALLOWED_AT (OWED_AT + 32u)
#define SPAN_AT (SWALLOWED_AT + 32u)  // their first column, and how many
#define COLUMN_AT (SPAN_AT + 32u)     // slot, pitch, where the bit of its block stands
#define WATCH_AT (COLUMN_AT + 4096u)  // place of a flux, slot below, how deep that may be
#define LOG_AT (WATCH_AT + 24576u)    // what was left, by substep
#define ODD_PIPE 0x40000000u
#define TURNED_PIPE 0x80000000u

shared float was[1024], now[1024];
shared uvec2 lefts[16];
shared uint trouble;

uvec2 pair_at(uint at)
{
    return uvec2(list[at], list[at + 1u]);
}

void put_pair(uint at, uvec2 a)
{
    list[at] = a.x, list[at + 1u] = a.y;
}

bool falls_from(uint k)
{
    uint at = WATCH_AT + 3u * k, pipe = list[at], below = list[at + 1u];
    float most = uintBitsToFloat(list[at + 2u]);
    uint place = pipe & 0x3fffffffu;
#ifdef ODD
    float flow = (pipe & ODD_PIPE) != 0u ? odd_flow[place] : flux[place];
#else
    float flow = flux[place];
#endif
    if ((pipe & TURNED_PIPE) != 0u) flow = -flow;
    return flow > 0.0 && depth[below] <= most;
}

uint column_at(uint c, uint word)
{
    return list[COLUMN_AT + 4u * c + word];
}

// New depth of column c; where it is not a plain one, that is found here and nothing is done.
void try_column(uint c, uvec2 share)
{
    uint i = column_at(c, 0u), word = column_at(c, 2u), bit = column_at(c, 3u);
    float before = depth[i], ceiling = beds[law.slots + i];
    precise float cap = ceiling - beds[i], nearly = cap * 0.998;
    float after = d_rounded(d_sum(d_of(before), share));
    was[c] = before, now[c] = after;
    bool plain = before >= 0.0 && before < cap && after > 0.0 && after < cap;
    if (ceiling < law.top && after >= nearly) plain = false;
#ifdef TENSE
    if ((bits[ASLEEP_AT + word] & bit) != 0u) plain = false;
#endif
    if (!plain) trouble = 1u;
}

uvec2 asked_of(uint f)
{
    return d_quotient(d_sum(pair_at(VOLUME_AT + 2u * f), pair_at(OWED_AT + 2u * f)),
                      pair_at(HEAD_AT + 2u));
}

// In the order of the columns, as the processor adds.
void sum_up(uint f, uvec2 asked, uint first, uint count)
{
    uvec2 given = uvec2(0u);
    for (uint c = first; c < first + count; c++)
        given = d_sum(given, d_difference(d_of(now[c]), d_of(was[c])));
    lefts[f] = d_difference(asked, given);
    if (!d_is_more(asked) || !d_is_most(lefts[f], pair_at(SWALLOWED_AT + 2u * f))) trouble = 1u;
}

void give_column(uint c)
{
    uint i = column_at(c, 0u), pitch = column_at(c, 1u), n = law.slots;
    float after = now[c];
    depth[i] = after;
#ifdef TWIN
    new_depth[i] = after;
#endif
    if (after > law.film) atomicOr(bits[law.wet_at + column_at(c, 2u)], column_at(c, 3u));
    note_most(after);
#ifdef FLOW
    float along = larger(abs(speed[i - 1u]), abs(speed[i]));
    note_pace(pace_from(after, along, larger(abs(speed[n + i - pitch]), abs(speed[n + i]))));
#endif
#ifdef TENSE
    if (after != was[c]) press[5u * n + i] = 0.0;
#endif
}

void main()
{
    uint thread = gl_LocalInvocationIndex, lane = thread / 32u, own = thread % 32u;
    uint feeds = list[HEAD_AT], watched = list[HEAD_AT + 1u];
    bool halted = is_halted();
    begin_found();
    if (thread == 0u) trouble = 0u;
    barrier();
    for (uint k = thread; k < watched; k += 256u)
        if (falls_from(k)) trouble = 1u;
    for (uint f = lane; f < feeds; f += 8u) {
        uint first = list[SPAN_AT + 2u * f], count = list[SPAN_AT + 2u * f + 1u];
        uvec2 asked = asked_of(f), share = d_quotient(asked, d_of(float(count)));
        for (uint c = first + own; c < first + count; c += 32u) try_column(c, share);
        lefts[f] = asked;
    }
    barrier();
    if (own == 0u)
        for (uint f = lane; f < feeds; f += 8u)
            sum_up(f, lefts[f], list[SPAN_AT + 2u * f], list[SPAN_AT + 2u * f + 1u]);
    barrier();
    if (halted) return;
    if (trouble != 0u) {
        if (thread == 0u) status[law.status_at + LATER] = 1u;
        return;
    }
    for (uint f = lane; f < feeds; f += 8u) {
        uint first = list[SPAN_AT + 2u * f], count = list[SPAN_AT + 2u * f + 1u];
        for (uint c = first + own; c < first + count; c += 32u) give_column(c);
        if (own != 0u) continue;
        put_pair(OWED_AT + 2u * f, d_product(lefts[f], pair_at(HEAD_AT + 2u)));
        put_pair(LOG_AT + 2u * (law.count * feeds + f), lefts[f]);
    }
    tell_found();
}
