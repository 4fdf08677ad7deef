// The other half: what the next level says taken, relaxed, and left where the cycle began.
layout(local_size_x = 256) in;
#include "pull"
#define TALL 4
#define HALO 4
#include "band"

// As correct_cell(), of what the first half left.
float corrected(Level f, Level l, ivec3 c, float part, bool top)
{
    uint at = place_of(f, c), from = place_of(l, c / 2);
    float before = levels[at + twin_of(f)], has = top && !whole_level ? before : levels[at + 3u * f.slots];
    if (!(has > 0.0)) return 0.0;
    return corrected_to(f, l, c, from, before, part, top);
}

void main()
{
    Level f = level_at(law.level), l = level_at(law.level + 1u);
    int t = int(gl_LocalInvocationIndex), first_row = lowest_row();
    bool top = law.level == 0u, over = rise_skipped();
    if (cycle_skipped() || (over && !top)) return;
    if (over) { // little enough is left: as it is
        for (int k = t; k < TALL * f.n.x; k += ALL) {
            int a = first_row + HALO + k / f.n.x;
            uint at = place_of(f, ivec3(k % f.n.x, a, 0));
            if (a < f.n.y) levels[at] = levels[at + twin_of(f)];
        }
        return;
    }
    float part = top ? status_float(cycle_at(TRUST)) : 1.0;
    whole_level = cycle_whole();
    begin_band(f);
    for (int k = t; k < ROWS * f.n.x; k += ALL) {
        int j = k / f.n.x, x = k - j * f.n.x, a = first_row + j;
        bool there = a >= 0 && a < f.n.y;
        own[place_in(j, x)] = there ? corrected(f, l, ivec3(x, a, 0), part, top) : 0.0;
    }
    barrier();
    for (int k = 0; k < 4; k++) relax_band(f, 1 - (k & 1), top);
    for (int k = t; k < TALL * f.n.x; k += ALL) {
        int j = HALO + k / f.n.x, x = k % f.n.x, a = first_row + j;
        if (a < f.n.y) levels[place_of(f, ivec3(x, a, 0))] = own[place_in(j, x)];
    }
}
