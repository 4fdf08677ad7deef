// Half a cycle of a level in a plane at once: relaxed, left in the other array, and what is left to do
// asked of the next level.
layout(local_size_x = 256) in;
#include "pull"
#define TALL 4
#define HALO 5
#include "band"

shared uint most;

float left_at(Level l, int j, int x, bool top)
{
    uint at = place_of(l, ivec3(x, lowest_row() + j, 0));
    int i = place_in(j, x);
    if (x >= l.n.x || !(levels[at + 3u * l.slots] > 0.0)) return 0.0;
    precise float t = pulled(l, at, j, x) + pull_along(l, at, own[i - 1], own[i + 1]);
    precise float r = t - levels[at + 2u * l.slots] * own[i];
    return top && !(own[i] > 0.0) ? larger(r, 0.0) : r;
}

// As restrict_cell(), of what stands here.
void restrict_here(Level f, Level l, int row, int x, bool top)
{
    precise float sum = 0.0;
    float greatest = 0.0;
    int a = (lowest_row() + HALO) / 2 + row;
    if (a >= l.n.y) return;
    for (int k = 0; k < 2 && 2 * a + k < f.n.y; k++) {
        int j = HALO + 2 * row + k;
        float low = left_at(f, j, 2 * x, top), high = left_at(f, j, 2 * x + 1, top);
        sum = sum + (low + high);
        greatest = max(greatest, max(abs(low), abs(high)));
    }
    uint at = place_of(l, ivec3(x, a, 0));
    levels[at] = 0.0;
    levels[at + l.slots] = sum;
    if (top && greatest > 0.0) atomicMax(most, floatBitsToUint(greatest));
}

void main()
{
    Level f = level_at(law.level), l = level_at(law.level + 1u);
    int t = int(gl_LocalInvocationIndex), first_row = lowest_row();
    bool top = law.level == 0u;
    if (top ? cycle_skipped() : rise_skipped()) return;
    begin_band(f);
    if (t == 0) most = 0u;
    for (int k = t; k < ROWS * f.n.x; k += ALL) {
        int j = k / f.n.x, x = k - j * f.n.x, a = first_row + j;
        own[place_in(j, x)] = a >= 0 && a < f.n.y ? levels[place_of(f, ivec3(x, a, 0))] : 0.0;
    }
    barrier();
    for (int k = 0; k < 4; k++) relax_band(f, k & 1, top);
    for (int k = t; k < TALL * f.n.x; k += ALL) {
        int j = HALO + k / f.n.x, x = k % f.n.x, a = first_row + j;
        if (a < f.n.y) levels[place_of(f, ivec3(x, a, 0)) + twin_of(f)] = own[place_in(j, x)];
    }
    for (int k = t; k < TALL / 2 * l.n.x; k += ALL)
        restrict_here(f, l, k / l.n.x, k % l.n.x, top);
    barrier();
    if (t == 0 && most > 0u) atomicMax(status[cycle_at(LEFT)], most);
}
