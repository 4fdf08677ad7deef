// The pressure in one call: all cycles of it (rv_narrow_solve in pressure.c), by groups that all run
// at the same time and meet between passes. A pass writes rows of one colour, or a level; every group
// does its share of it. Those that wait in vain for one that the card has not begun, give up: HALT 2.
layout(local_size_x = 512) in;
#include "pull"
#define ALL 512
#include "alone"

#define CHUNK 64
#define MOST_ROWS 64 // that a group works on together
#define PATIENCE 50000u // turns, some 50 ms; drivers that are processors end loops after 65,535

shared bool alone; // others did not come
shared uint most;
uint meetings = 0u;
int group, groups;

// True: all groups came here, and see what all wrote.
bool meet_all()
{
    memoryBarrierBuffer();
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        uint turns = 0u, goal = ++meetings * uint(groups);
        atomicAdd(status[MET], 1u);
        while (atomicAdd(status[MET], 0u) < goal && turns < PATIENCE) turns++;
        if (atomicAdd(status[MET], 0u) < goal) atomicMax(status[HALT], 2u);
        alone = atomicAdd(status[HALT], 0u) != 0u;
    }
    barrier();
    memoryBarrierBuffer();
    return !alone;
}

// ---- Relaxing -----------------------------------------------------------------------------------

// A cell of a row: what it needs besides the pressures beside it in the row.
struct Cell {
    float across, low, high, inverse;
};

Cell cell_at(Level l, uint at)
{
    uint jx = at + 4u * l.slots;
    return Cell(pull_across(l, at), levels[jx], levels[jx + 1u], levels[at + 3u * l.slots]);
}

float relaxed_cell(Cell c, float own, float low, float high, bool top)
{
    precise float along = c.low * low + c.high * high;
    precise float t = c.across + along;
    precise float v = own + law.omega * (t * c.inverse - own);
    return top ? larger(v, 0.0) : v;
}

// Rows of one colour: every second cell of a row, then the others, 64 cells after the other
// (relax.glsl). A thread has two cells; pressures of the rows stand in `p`.
void relax_level(Level l, int colour, bool top)
{
    int halves = (l.n.x + 1) / 2, wide = 2 * halves + 2, half_y = (l.n.y + 1) / 2;
    int together = min(ALL / halves, MOST_ROWS), all = half_y * l.n.z;
    int t = int(gl_LocalInvocationIndex), r = t / halves, x = 2 * (t - r * halves);
    bool seams = l.n.x > CHUNK;
    for (int from = group * together; from < all; from += groups * together) {
        int b = (from + r) / half_y, a = 2 * (from + r - b * half_y) + ((b + colour) & 1);
        bool on = r < together && from + r < all && a < l.n.y;
        uint first_cell = on ? rows[l.row + uint(a + b * l.n.y)] : TOO_FAR;
        on = on && first_cell != TOO_FAR;
        int i = r * wide + x + 1, off = x - int(first_cell & ~1u);
        bool even = on && off >= 0, odd = even && x + 1 < l.n.x;
        bool first_of = off > 0 && (off & (CHUNK - 1)) == 0;
        bool last_of = ((off + 1) & (CHUNK - 1)) == CHUNK - 1;
        uint at = place_of(l, ivec3(x, a, b));
        Cell low, high;
        if (on) {
            p[i] = levels[at], p[i + 1] = x + 1 < l.n.x ? levels[at + 1u] : 0.0;
            if (x == 0) p[i - 1] = 0.0;
            if (x == 2 * halves - 2) p[i + 2] = 0.0;
        }
        if (even) low = cell_at(l, at);
        if (odd) high = cell_at(l, at + 1u);
        barrier();
        if (even && !first_of) p[i] = relaxed_cell(low, p[i], p[i - 1], p[i + 1], top);
        barrier();
        if (seams) {
            if (odd && last_of) p[i + 1] = relaxed_cell(high, p[i + 1], p[i], p[i + 2], top);
            barrier();
            if (even && first_of) p[i] = relaxed_cell(low, p[i], p[i - 1], p[i + 1], top);
            barrier();
        }
        if (odd && !(seams && last_of))
            p[i + 1] = relaxed_cell(high, p[i + 1], p[i], p[i + 2], top);
        if (even) levels[at] = p[i];
        if (odd) levels[at + 1u] = p[i + 1];
        barrier();
    }
}

// ---- Between levels -----------------------------------------------------------------------------

void restrict_level(uint i, uint left_word)
{
    Level f = level_at(i), l = level_at(i + 1u);
    if (gl_LocalInvocationIndex == 0u) most = 0u;
    barrier();
    for (int k = group * ALL + int(gl_LocalInvocationIndex); k < cells_of(l); k += groups * ALL) {
        float left = restrict_cell(l, f, cell_of(l, k), i == 0u);
        if (i == 0u && left > 0.0) atomicMax(most, floatBitsToUint(left));
    }
    barrier();
    if (i == 0u && gl_LocalInvocationIndex == 0u && most > 0u) atomicMax(status[left_word], most);
}

void correct_level(uint i, float part)
{
    Level f = level_at(i), l = level_at(i + 1u);
    for (int k = group * ALL + int(gl_LocalInvocationIndex); k < cells_of(f); k += groups * ALL)
        correct_cell(f, l, cell_of(f, k), part, i == 0u);
}

// Those that one group does alone are made when it comes to them, but the first, which follows from
// the pressures as they are now.
bool make_large_levels()
{
    if (law.coarse == 1u) {
        if (group == 0) make_levels();
        return meet_all();
    }
    for (uint i = 1u; i < law.coarse; i++) {
        Level f = level_at(i - 1u), l = level_at(i);
        for (int k = group * ALL + int(gl_LocalInvocationIndex); k < cells_of(l); k += groups * ALL)
            coarsen_cell(l, f, cell_of(l, k), i == 1u);
        if (!meet_all()) return false;
    }
    return true;
}

// ---- Cycles -------------------------------------------------------------------------------------

bool sink_level(uint i, uint left_word)
{
    Level l = level_at(i);
    for (int k = 0; k < 4; k++) {
        relax_level(l, k & 1, i == 0u);
        if (!meet_all()) return false;
    }
    restrict_level(i, left_word);
    return meet_all();
}

bool rise_level(uint i, float part)
{
    Level l = level_at(i);
    correct_level(i, part);
    if (!meet_all()) return false;
    for (int k = 0; k < 4; k++) {
        relax_level(l, 1 - (k & 1), i == 0u);
        if (!meet_all()) return false;
    }
    return true;
}

bool rise_all(float trust, bool anew, uint left_word)
{
    for (uint i = 1u; i < law.coarse; i++)
        if (!sink_level(i, left_word)) return false;
    if (group == 0 && anew && law.coarse > 1u) make_levels();
    if (group == 0) solve();
    if (!meet_all()) return false;
    for (uint i = law.coarse; i > 0u; i--)
        if (!rise_level(i - 1u, i == 1u ? trust : 1.0)) return false;
    return true;
}

bool begin_level()
{
    for (int k = 0; k < 2; k++) {
        relax_level(level_at(0u), k, true);
        if (!meet_all()) return false;
    }
    return true;
}

#ifdef SINGLE
// One cycle: among bodies the processor says what the next one is.
void solve_all()
{
    bool anew = status[cycle_at(RELEVEL)] != 0u;
    if (law.cycle == 0u && !begin_level()) return;
    if (anew && !make_large_levels()) return;
    if (sink_level(0u, cycle_at(LEFT))) rise_all(status_float(cycle_at(TRUST)), anew, 0u);
}
#else
void solve_all()
{
    float endless = uintBitsToFloat(WITHOUT_END);
    float before = endless, left = endless, last = endless;
    precise float trust = 1.0;
    uint cycle = 0u;
    if (!begin_level()) return;
    for (; cycle < MOST_CYCLES; cycle++) {
        precise float much = law.slow * before;
        bool anew = cycle < 2u || left > much;
        if (anew && !make_large_levels()) return;
        before = anew ? endless : left;
        uint word = CYCLES + 8u * cycle + LEFT;
        if (!sink_level(0u, word)) return;
        left = uintBitsToFloat(atomicAdd(status[word], 0u));
        if (left < law.done || !rise_all(trust, anew, word)) break;
        precise float slow = law.slow * last;
        if (cycle > 1u && left > slow) trust = trust * law.doubt;
        last = left;
        if (left < law.enough) break;
    }
    if (group == 0 && gl_LocalInvocationIndex == 0u)
        status[RECORDS + 8u * law.record + DONE_CYCLES] = min(cycle + 1u, MOST_CYCLES);
}
#endif

void main()
{
    group = int(thread_here().x) / ALL, groups = int(gl_NumWorkGroups.x);
    if (!halted()) solve_all();
}
