// Shares of inflow, where columns cannot take all of it: of those that are not full (../../scales.c), and
// of full ones (../../passages/limit.c). One group. What the processor takes one after the other is
// taken in turns here, all that may be at once; the shares are the same.
layout(local_size_x = 256) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
READS(AT_NEW_FLUX, NewFlux, float, new_flux);
layout(std430, binding = AT_SCALES) restrict coherent buffer Scales { float scales[]; };
CHANGES(AT_STATUS, Status, uint, status);
#ifdef ODD
READS(AT_ODD, Odd, uint, odd);
READS(AT_ODD_COLUMNS, OddColumns, uint, odd_columns);
READS(AT_ODD_FLOW, OddFlow, float, odd_flow);
#endif
#if defined(TENSE) || defined(PRESSED)
READS(AT_PRESS, Press, float, press);
#endif
#include "halted"
#include "full"
#include "full_pipes"
#include "full_own"

#define ROUNDS_DOWN 48u // as in scales.c
#define ROUNDS_UP 32u
#define ROUNDS_BLOCKED 60u // as in limit.c
#define ROUNDS_GENTLE 20u
#define DEPTH_SHARE 0.999999
#define THREADS 256u

// What a round tells the group. A loop has three of them in turn, so that the next round's is 0 before
// anybody sets it, and nobody looks at this one's when it is made 0 again: a barrier a round does.
shared uint unfit[3], grown[3], settles[3], waiting[3], blocked[3], over;
shared uint settled[THREADS];

// What flows through a column as shares are, as changes of its depth, m.
struct Through {
    float comes, leaves, asked;
};

float flux_at(uint place)
{
#ifdef ODD
    if ((place & ODD_PLACE) != 0u) return odd_flow[RAW_AT + (place & ~ODD_PLACE)];
#endif
    return new_flux[place];
}

float sum_sides(vec4 a, vec4 b)
{
    precise float sum = ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
    return sum;
}

// What a pipe brings, takes away and would bring, as changes of depth, by side.
struct Sides {
    vec4 in_a, in_b, out_a, out_b, ask_a, ask_b;
};

void add_side(inout vec4 a, inout vec4 b, uint side, float value)
{
    for (int k = 0; k < 4; k++) {
        precise float low = a[k] + value, high = b[k] + value;
        if (side == uint(k)) a[k] = low;
        if (side == uint(k) + 4u) b[k] = high;
    }
}

// `f`: outward. `whole`: into it does not count, and out of it counts whole.
void add_pipe(inout Sides s, uint side, float f, vec2 own, vec2 other, bool whole)
{
    if (f > 0.0 && !whole) {
        precise float leaves = f * smaller(own.x, other.y);
        add_side(s.out_a, s.out_b, side, leaves);
    } else if (f < 0.0) {
        precise float comes = 0.0 - f * smaller(whole ? 1.0 : other.x, own.y);
        add_side(s.in_a, s.in_b, side, comes);
        add_side(s.ask_a, s.ask_b, side, -f);
    }
}

// What a column gives and takes.
vec2 shares_of(uint slot)
{
    return vec2(scales[slot], scales[law.slots + slot]);
}

// rv_pipes_through. Where not `sure`, what goes into a full column does not count and what comes out
// of one counts whole.
Through through(uint i, bool sure)
{
    uint n = law.slots, pitch = law.plane[2u * plane_with(i)].y;
    uvec4 at = beside(i, pitch);
    vec4 f = vec4(-new_flux[at.x], new_flux[i], -new_flux[n + at.z], new_flux[n + i]);
    vec4 gives = BESIDE(scales, 0u, at), takes = BESIDE(scales, n, at);
    uvec4 mark = uvec4(full[MARK_AT + at.x], full[MARK_AT + at.y], full[MARK_AT + at.z], full[MARK_AT + at.w]);
    vec2 own = shares_of(i);
    vec4 none = vec4(0.0);
    Sides s = Sides(none, none, none, none, none, none);
    for (uint k = 0u; k < 4u; k++)
        add_pipe(s, k, f[k], own, vec2(gives[k], takes[k]), !sure && (mark[k] & IS_FULL) != 0u);
#if defined(ODD) || defined(EIGHT)
    FullColumn c = full_column(i);
    for (uint e = 4u; e < c.candidates; e++) {
        FullPipe p = full_pipe(c, e);
        if (!p.there) continue;
        float flow = flux_at(p.place);
        bool beyond = p.other == NO_SLOT;
        vec2 other = beyond ? vec2(1.0) : shares_of(p.other);
        uint side = e; // of diagonals: south-west, north-east, south-east, north-west
#ifdef ODD
        if (e >= 2u * law.ways) side = odd_side(c, e);
#endif
        add_pipe(s, side, p.back ? -flow : flow, own, other, !sure && (p.mark & IS_FULL) != 0u);
    }
#endif
    precise float comes = law.dt_area * sum_sides(s.in_a, s.in_b);
    precise float leaves = law.dt_area * sum_sides(s.out_a, s.out_b);
    precise float asked = law.dt_area * sum_sides(s.ask_a, s.ask_b);
    return Through(comes, leaves, asked);
}

float room_in(uint slot)
{
    precise float cap = beds[law.slots + slot] - beds[slot];
    return to_take(depth[slot], cap);
}

// What of its inflow a column with so much room takes.
float share_with(float room, float asked)
{
    precise float most = DEPTH_SHARE * room;
    return quotient_of(most, asked);
}

void settle()
{
    memoryBarrierBuffer();
    barrier();
}

// ---- Columns that are not full ------------------------------------------------------------------

#define CUT_SLOT(k) full[CUT_AT + (k)]
#define CUT_SHARE(k) full[CUT_AT + CUT_MOST + (k)]
#define CUT_SAFE(k) full[CUT_AT + 2u * CUT_MOST + (k)]

bool is_cut(uint k)
{
    uint i = CUT_SLOT(k);
    return !is_full_slot(i);
}

void apply(uint count)
{
    settle();
    for (uint k = gl_LocalInvocationIndex; k < count; k += THREADS)
        if (is_cut(k)) scales[law.slots + CUT_SLOT(k)] = uintBitsToFloat(CUT_SHARE(k));
    settle();
}

bool cut_down(uint count)
{
    bool done = false;
    for (uint round = 0u; round < ROUNDS_DOWN && !done; round++) {
        uint now = round % 3u;
        if (gl_LocalInvocationIndex == 0u) unfit[(round + 1u) % 3u] = 0u;
        for (uint k = gl_LocalInvocationIndex; k < count; k += THREADS) {
            uint i = CUT_SLOT(k);
            if (!is_cut(k)) continue;
            Through t = through(i, false);
            precise float room = room_in(i) + t.leaves;
            float share = scales[law.slots + i];
            if (t.comes > room) share = smaller(share, share_with(room, t.asked)), unfit[now] = 1u;
            CUT_SHARE(k) = floatBitsToUint(share);
        }
        apply(count); // nothing is other if all fits
        done = unfit[now] == 0u;
    }
    return done;
}

void grow_up(uint count)
{
    bool again = true;
    for (uint round = 0u; round < ROUNDS_UP && again; round++) {
        uint now = round % 3u;
        if (gl_LocalInvocationIndex == 0u) grown[(round + 1u) % 3u] = 0u;
        for (uint k = gl_LocalInvocationIndex; k < count; k += THREADS) {
            uint i = CUT_SLOT(k);
            if (!is_cut(k)) continue;
            Through t = through(i, false);
            precise float room = room_in(i) + t.leaves;
            float before = scales[law.slots + i];
            precise float much = before * 1.0001;
            float share = t.asked > room ? share_with(room, t.asked) : 1.0;
            share = larger(share, before);
            if (share > much) grown[now] = 1u;
            CUT_SHARE(k) = floatBitsToUint(share);
        }
        apply(count);
        again = grown[now] != 0u;
    }
}

// Shares that are safe are kept where the new ones will stand while all that enters is tried first.
void relax(uint count)
{
    for (uint k = gl_LocalInvocationIndex; k < count; k += THREADS) {
        uint i = CUT_SLOT(k);
        CUT_SAFE(k) = floatBitsToUint(scales[law.slots + i]);
        CUT_SHARE(k) = floatBitsToUint(1.0);
    }
    apply(count);
    if (!cut_down(count)) {
        for (uint k = gl_LocalInvocationIndex; k < count; k += THREADS) CUT_SHARE(k) = CUT_SAFE(k);
        apply(count);
        grow_up(count);
    }
}

// ---- Full columns -------------------------------------------------------------------------------

float member_share(uint slot, bool gentle)
{
    Through t = through(slot, true);
    precise float room = room_in(slot) + (gentle ? t.leaves : 0.0);
    float share = scales[law.slots + slot];
    return t.comes <= room ? share : smaller(share, share_with(room, t.asked));
}

// All that it gives to are settled.
bool is_ready(uint count)
{
    for (uint e = 0u; e < count; e++) {
        uint place = OWN(PLACE, e), link = link_of(e);
        float f = flux_at(place & ~COMES_IN);
        bool leaves = (place & COMES_IN) != 0u ? f < 0.0 : f > 0.0;
        if (leaves && link != 0u && settled[link - 1u] == 0u) return false;
    }
    return true;
}

// Those that stand in a circle, or give to one.
void cut_rest(uint slot, bool mine)
{
    bool again = true;
    for (uint round = 0u; round < ROUNDS_BLOCKED && again; round++) {
        uint now = round % 3u;
        float share = 1.0;
        if (gl_LocalInvocationIndex == 0u) blocked[(round + 1u) % 3u] = 0u;
        if (mine) {
            share = member_share(slot, round < ROUNDS_GENTLE);
            if (share < scales[law.slots + slot]) blocked[now] = 1u;
        }
        settle();
        again = blocked[now] != 0u;
        if (again && mine) scales[law.slots + slot] = share;
        settle();
    }
}

// Each after all that it gives to.
void settle_all(uint slot, bool mine)
{
    uint k = gl_LocalInvocationIndex, count = mine ? OWN_COUNT : 0u;
    bool waits = mine, again = true, circle = false;
    settled[k] = mine ? 0u : 1u;
    settle();
    for (uint round = 0u; again; round++) {
        uint now = round % 3u, next = (round + 1u) % 3u;
        bool ready = waits && is_ready(count);
        if (k == 0u) settles[next] = 0u, waiting[next] = 0u;
        settle();
        if (ready) {
            scales[law.slots + slot] = member_share(slot, true);
            settled[k] = 1u, settles[now] = 1u, waits = false;
        }
        if (waits) waiting[now] = 1u;
        settle();
        again = settles[now] != 0u && waiting[now] != 0u;
        circle = waiting[now] != 0u;
    }
    if (circle) cut_rest(slot, waits);
}

void limit(uint n)
{
    uint k = gl_LocalInvocationIndex, slot = full[LIST_AT + min(k, n - 1u)];
    bool mine = k < n && is_full_slot(slot);
    if (mine) scales[law.slots + slot] = 1.0;
    settle();
    if (mine && member_share(slot, true) < 1.0) over = 1u;
    settle();
    if (over != 0u) settle_all(slot, mine);
}

void main()
{
    uint k = gl_LocalInvocationIndex, count = full[CUTTING], n = full[LISTED], flows = full[FLOWS];
    bool halted = status[law.status_at + HALT] != 0u;
    if (k < 3u) unfit[k] = 0u, grown[k] = 0u, settles[k] = 0u, waiting[k] = 0u, blocked[k] = 0u;
    if (k == 0u) over = 0u;
    barrier();
    if (halted) return;
    if (k == 0u) full[LISTING] = 0u; // for the next substep
    if (count > CUT_MOST) {
        if (k == 0u) status[law.status_at + HALT] = LEAVE_OUT;
        return;
    }
    if (count > 0u) relax(count);
    if (n > 0u && flows != 0u) limit(n);
    if (k == 0u) status[law.status_at + CUT_IN] = 0u;
}
