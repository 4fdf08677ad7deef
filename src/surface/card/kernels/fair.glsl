// How far inside columns are, made fair (../../fair.c). BEGIN: a distance; then a turn, law.ring the
// share of the way to the mean, law.pass_number which of the two numbers is read; END: what they are.
// ALONE: all of it in one group of so many threads, from the list of uneven columns that `kinds` made,
// if these are ENDS_MOST at most. What is around a column stays with its thread.
#ifdef ALONE
layout(local_size_x = ALONE) in;
#else
layout(local_size_x = 16, local_size_y = 16) in;
#endif

#include "shape"
#include "uneven"

#define TURNS 6
#define THERE 0.6
#define BACK (-0.45)
#define FAR 1.0
#define MOST 0.6
#define DRY 0.2
#define BARELY 0.12
#define LEAST 0.05

// Of a column, as it was found, and while it is made fair, twice.
#define AT_FOUND 3u
#define AT_FAIR 4u

// What a column is linked to: where its number is, or that it is even, or nothing.
#define IS_EVEN 0xfffffffeu

struct Around {
    uint at[8];
    float weight[8], all;
};

#ifdef ALONE
#define EACH (ENDS_MOST / ALONE)

shared float fair[2 * ENDS_MOST];
uint fair_from = 0u;

uint number_at(uint slot)
{
    return uneven_number(slot);
}

float fair_at(uint number)
{
    return fair[fair_from + number];
}
#else
uint number_at(uint slot)
{
    return slot;
}

float fair_at(uint slot)
{
    return values[(AT_FAIR + law.pass_number) * law.nodes + slot];
}
#endif

float cells_to_end(uint slot)
{
    float at[8], own = values[law.nodes + slot];
    uint o[8], kinds[8];
    for (int d = 0; d < 8; d++) o[d] = linked_to(slot, d);
    for (int d = 0; d < 8; d++) {
        o[d] = o[d] == NONE ? slot : o[d];
        kinds[d] = kind_of(o[d]), at[d] = values[law.nodes + o[d]];
    }
    for (int d = 0; d < 8; d++)
        if (kinds[d] == KIND_EVEN) at[d] = inside_even(o[d]);
    precise float diagonal = at[1] - at[5], other = at[7] - at[3];
    precise float x = 2.0 * (at[0] - at[4]) + (diagonal + other);
    precise float y = 2.0 * (at[2] - at[6]) + (diagonal - other);
    precise float square = x * x + y * y;
    precise float slope = root_of(square) * 0.125, bound = FAR * slope;
    float cells = abs(own) < bound ? over_of(abs(own), slope) : FAR;
    return own > 0.0 ? cells : -cells;
}

Around around_of(uint slot)
{
    Around a;
    uint o[8];
    float bed = base_at(slot), beds_there[8];
    for (int d = 0; d < 8; d++) o[d] = linked_to(slot, d);
    for (int d = 0; d < 8; d++) {
        uint there = o[d] == NONE ? slot : o[d], number = number_at(there);
        beds_there[d] = base_at(there);
        a.at[d] = o[d] == NONE ? NONE : kind_of(there) == KIND_EVEN ? IS_EVEN : number;
    }
    precise float all = 0.0;
    for (int d = 0; d < 8; d++) {
        bool corner = (d & 1) != 0;
        precise float rise = o[d] != NONE ? (beds_there[d] - bed) * law.per_dx : 0.0;
        precise float far = 1.0 + (corner ? 0.5 : 1.0) * rise * rise;
        precise float weight = over_of(corner ? 1.0 : 2.0, far);
        a.weight[d] = weight, all += weight;
    }
    a.all = all;
    return a;
}

float mean_around(Around a, float none)
{
    precise float sum = 0.0;
    float there[8];
    for (int d = 0; d < 8; d++)
        there[d] = a.at[d] == NONE ? none : a.at[d] == IS_EVEN ? FAR : fair_at(a.at[d]);
    for (int d = 0; d < 8; d++) sum += a.weight[d] * there[d];
    return over_of(sum, a.all);
}

float evened(Around a, bool dry, float own, float found, float share)
{
    precise float to = own + share * (mean_around(a, dry ? -FAR : own) - own);
    precise float low = found - MOST, high = found + MOST;
    to = smaller(larger(to, low), high);
    if (dry) to = smaller(to, -DRY);
    return smaller(larger(to, -FAR), FAR);
}

void put_inside(uint slot, bool dry, float cells)
{
    if (!dry && cells > -BARELY) cells = larger(cells, LEAST);
    precise float inside = cells * law.dx;
    values[law.nodes + slot] = inside;
}

#ifdef ALONE
void main()
{
    uint count = status[STATUS_UNEVEN], slot[EACH];
    Around a[EACH];
    float own[EACH], found[EACH];
    bool dry[EACH];
    if (count > uint(ENDS_MOST)) return; // that is noticed, and done in many calls
    for (uint k = gl_LocalInvocationIndex; k < count; k += uint(ALONE))
        fair[k] = cells_to_end(uneven_slot(k));
    for (int n = 0; n < EACH; n++) {
        uint k = gl_LocalInvocationIndex + uint(n * ALONE);
        slot[n] = k < count ? uneven_slot(k) : NONE;
        if (k >= count) continue;
        dry[n] = kind_of(slot[n]) == KIND_DRY;
        a[n] = around_of(slot[n]);
        own[n] = found[n] = fair[k];
    }
    barrier();
    for (int turn = 0; turn < TURNS; turn++) {
        for (int n = 0; n < EACH; n++) {
            if (slot[n] == NONE) continue;
            own[n] = evened(a[n], dry[n], own[n], found[n], turn % 2 == 0 ? THERE : BACK);
            fair[uint(ENDS_MOST) - fair_from + gl_LocalInvocationIndex + uint(n * ALONE)] = own[n];
        }
        fair_from = uint(ENDS_MOST) - fair_from;
        barrier();
    }
    for (int n = 0; n < EACH; n++)
        if (slot[n] != NONE) put_inside(slot[n], dry[n], own[n]);
}
#else
void main()
{
    Place p = place_here();
    if (!p.exists || (kind_of(p.slot) != KIND_DRY && kind_of(p.slot) != KIND_WET)) return;
    bool dry = kind_of(p.slot) == KIND_DRY;
#if defined(BEGIN)
    float cells = cells_to_end(p.slot);
    values[AT_FOUND * law.nodes + p.slot] = values[AT_FAIR * law.nodes + p.slot] = cells;
#elif defined(END)
    put_inside(p.slot, dry, values[AT_FAIR * law.nodes + p.slot]);
#else
    float found = values[AT_FOUND * law.nodes + p.slot];
    values[(AT_FAIR + 1u - law.pass_number) * law.nodes + p.slot] =
        evened(around_of(p.slot), dry, fair_at(p.slot), found, law.ring);
#endif
}
#endif
