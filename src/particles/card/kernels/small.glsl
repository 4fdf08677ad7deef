// The levels that one group can do alone, from law.coarse on: made anew (LEVELS), or one cycle of
// them, with what is decided about the next cycle (rv_narrow_solve in pressure.c).
layout(local_size_x = 256) in;
#include "pull"

#define LAST_ROUNDS 12
#define ALL 256

void meet()
{
    memoryBarrierBuffer();
    barrier();
}

int cells_of(Level l)
{
    return l.n.x * l.n.y * l.n.z;
}

ivec3 cell_of(Level l, int i)
{
    int row = i / l.n.x;
    return ivec3(i - row * l.n.x, row % l.n.y, row / l.n.y);
}

// Rows of one colour, half of their cells at a time: rows here are not longer than 64 cells.
void relax_rows(Level l, int colour)
{
    int half_row = (l.n.x + 1) / 2, all = half_row * l.n.y * l.n.z;
    bool top = l.row == law.levels[2].x;
    for (int turn = 0; turn < 2; turn++) {
        for (int i = int(gl_LocalInvocationIndex); i < all; i += ALL) {
            int row = i / half_row;
            ivec3 c = ivec3(2 * (i - row * half_row) + turn, row % l.n.y, row / l.n.y);
            if (((c.y + c.z) & 1) != colour || c.x >= l.n.x) continue;
            uint at = place_of(l, c);
            levels[at] = relaxed(l, at, pull_across(l, at), levels[at], levels[at - 1u],
                                 levels[at + 1u], top);
        }
        meet();
    }
}

void sink(uint i)
{
    Level f = level_at(i), l = level_at(i + 1u);
    for (int k = 0; k < 4; k++) relax_rows(f, k & 1);
    for (int k = int(gl_LocalInvocationIndex); k < cells_of(l); k += ALL)
        restrict_cell(l, f, cell_of(l, k), false);
    meet();
}

void rise(uint i)
{
    Level f = level_at(i), l = level_at(i + 1u);
    for (int k = int(gl_LocalInvocationIndex); k < cells_of(f); k += ALL)
        correct_cell(f, l, cell_of(f, k), 1.0, false);
    meet();
    for (int k = 0; k < 4; k++) relax_rows(f, 1 - (k & 1));
}

void make_levels()
{
    for (uint i = law.coarse; i <= law.last; i++) {
        Level f = level_at(i - 1u), l = level_at(i);
        for (int k = int(gl_LocalInvocationIndex); k < cells_of(l); k += ALL)
            coarsen_cell(l, f, cell_of(l, k), i == 1u);
        meet();
    }
}

// Of the next cycle: whether it is to be done, whether levels are to be made anew, and how much of
// the larger levels counts.
void decide()
{
    uint own = CYCLES + 8u * law.cycle, next = own + 8u;
    float left = status_float(own + LEFT), before = status_float(own + BEFORE_LEFT);
    precise float trust = status_float(own + TRUST);
    precise float slow = law.slow * status_float(own + LAST_LEFT);
    if (law.cycle > 1u && left > slow) trust = trust * law.doubt;
    bool over = status[own + SKIPPED] != 0u || left < law.done || left < law.enough;
    // of the cycle that follows
    precise float much = law.slow * before;
    bool anew = law.cycle + 1u < 2u || left > much;
    if (!over || status[own + SKIPPED] == 0u)
        status[RECORDS + 8u * law.record + DONE_CYCLES] = law.cycle + 1u;
    status[next + SKIPPED] = over ? 1u : 0u;
    status[next + RELEVEL] = anew ? 1u : 0u;
    status[next + TRUST] = floatBitsToUint(trust);
    status[next + LAST_LEFT] = floatBitsToUint(left);
    status[next + BEFORE_LEFT] = anew ? WITHOUT_END : floatBitsToUint(left);
}

void main()
{
#ifdef MAKES
    if (cycle_skipped() || status[cycle_at(RELEVEL)] == 0u) return;
    make_levels();
#else
    bool idle = rise_skipped();
    if (halted()) return;
    if (gl_LocalInvocationIndex == 0u) decide();
    if (idle) return;
    for (uint i = law.coarse; i < law.last; i++) sink(i);
    Level l = level_at(law.last);
    for (int k = 0; k < 2 * LAST_ROUNDS; k++) relax_rows(l, k & 1);
    for (uint i = law.last; i > law.coarse; i--) rise(i - 1u);
#endif
}
