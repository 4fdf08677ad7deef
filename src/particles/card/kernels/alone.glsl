// The levels that one group can do alone, from law.coarse on: made anew, or one cycle of them. ALL: the
// threads of the group. MAKES: they are only made.
#define LAST_ROUNDS 12

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

#ifndef MAKES
// What changes in a cycle stands in what the group shares: pressure and what is asked of it, level
// after level, with room at both ends for who looks beyond a side: what is there counts 0 times.
#define MOST 2752 // cells, as in ../step.c
#define BESIDE 1024

shared float p[MOST + 2 * BESIDE];
shared float b[MOST];

// Where the cells of a level begin.
int first_of(uint i)
{
    int at = 0;
    for (uint k = law.coarse; k < i; k++) at += cells_of(level_at(k));
    return at;
}

float pulled(Level l, uint at, int k, int first_cell)
{
    int i = BESIDE + first_cell + k, y = l.n.x;
    uint jy = at + 5u * l.slots;
    precise float t =
        b[first_cell + k] + (levels[jy] * p[i - y] + levels[jy + l.pitch] * p[i + y]);
#ifdef SPACE
    uint jz = jy + l.slots;
    int z = l.n.x * l.n.y;
    t = t + (levels[jz] * p[i - z] + levels[jz + l.layer] * p[i + z]);
#endif
    return t;
}

// Rows of one colour, half of their cells at a time: rows here are not longer than 64 cells.
void relax_rows(Level l, int first_cell, int colour)
{
    int half_row = (l.n.x + 1) / 2, all = half_row * l.n.y * l.n.z;
    for (int turn = 0; turn < 2; turn++) {
        for (int k = int(gl_LocalInvocationIndex); k < all; k += ALL) {
            int row = k / half_row;
            ivec3 c = ivec3(2 * (k - row * half_row) + turn, row % l.n.y, row / l.n.y);
            if (((c.y + c.z) & 1) != colour || c.x >= l.n.x) continue;
            uint at = place_of(l, c);
            int own = row * l.n.x + c.x, i = BESIDE + first_cell + own;
            p[i] = relaxed(l, at, pulled(l, at, own, first_cell), p[i], p[i - 1], p[i + 1], false);
        }
        barrier();
    }
}

float left_of(Level l, int first_cell, ivec3 c)
{
    uint at = place_of(l, c);
    if (c.x >= l.n.x || !(levels[at + 3u * l.slots] > 0.0)) return 0.0;
    int own = c.x + l.n.x * (c.y + l.n.y * c.z), i = BESIDE + first_cell + own;
    precise float t = pulled(l, at, own, first_cell) + pull_along(l, at, p[i - 1], p[i + 1]);
    precise float r = t - levels[at + 2u * l.slots] * p[i];
    return r;
}

void sink(uint i)
{
    Level f = level_at(i), l = level_at(i + 1u);
    int fine = first_of(i), large = first_of(i + 1u);
    for (int k = 0; k < 4; k++) relax_rows(f, fine, k & 1);
    for (int n = int(gl_LocalInvocationIndex); n < cells_of(l); n += ALL) {
        ivec3 c = cell_of(l, n);
        precise float sum = 0.0;
        for (int k = 2 * c.z; k < 2 * c.z + 2 && k < f.n.z; k++)
            for (int j = 2 * c.y; j < 2 * c.y + 2 && j < f.n.y; j++) {
                precise float two = left_of(f, fine, ivec3(2 * c.x, j, k)) +
                                    left_of(f, fine, ivec3(2 * c.x + 1, j, k));
                sum = sum + two;
            }
        b[large + n] = sum;
        p[BESIDE + large + n] = 0.0;
    }
    barrier();
}

// As corrected_to(), of what stands here.
float corrected_here(Level f, Level l, ivec3 c, int large, float before)
{
    uint from = place_of(l, c / 2);
    ivec3 h = c / 2;
    int i = BESIDE + large + h.x + l.n.x * (h.y + l.n.y * h.z), y = l.n.x, z = l.n.x * l.n.y;
    float own = p[i];
    bool odd = (c.y & 1) != 0;
    float jy = levels[from + 5u * l.slots + (odd ? l.pitch : 0u)], py = p[odd ? i + y : i - y];
    precise float base = own + (jy > 0.0 ? 0.25 * (py - own) : 0.0);
#ifdef SPACE
    odd = (c.z & 1) != 0;
    float jz = levels[from + 6u * l.slots + (odd ? l.layer : 0u)], pz = p[odd ? i + z : i - z];
    base = base + (jz > 0.0 ? 0.25 * (pz - own) : 0.0);
#endif
    odd = (c.x & 1) != 0;
    float jx = levels[from + 4u * l.slots + (odd ? 1u : 0u)], px = p[odd ? i + 1 : i - 1];
    precise float each = base + (jx > 0.0 ? 0.25 * (px - own) : 0.0);
    precise float v = before + each;
    return v;
}

void rise(uint i)
{
    Level f = level_at(i), l = level_at(i + 1u);
    int fine = first_of(i), large = first_of(i + 1u);
    for (int k = int(gl_LocalInvocationIndex); k < cells_of(f); k += ALL) {
        ivec3 c = cell_of(f, k);
        bool has = levels[place_of(f, c) + 3u * f.slots] > 0.0;
        int own = BESIDE + fine + k;
        p[own] = has ? corrected_here(f, l, c, large, p[own]) : 0.0;
    }
    barrier();
    for (int k = 0; k < 4; k++) relax_rows(f, fine, 1 - (k & 1));
}

// All of it, between what the level below asks and what it gets.
void solve()
{
    Level f = level_at(law.coarse), l = level_at(law.last);
    int t = int(gl_LocalInvocationIndex);
    for (int k = t; k < MOST + 2 * BESIDE; k += ALL) p[k] = 0.0;
    for (int k = t; k < cells_of(f); k += ALL) b[k] = levels[place_of(f, cell_of(f, k)) + f.slots];
    barrier();
    for (uint i = law.coarse; i < law.last; i++) sink(i);
    int first_cell = first_of(law.last);
    for (int k = 0; k < 2 * LAST_ROUNDS; k++) relax_rows(l, first_cell, k & 1);
    for (uint i = law.last; i > law.coarse; i--) rise(i - 1u);
    for (int k = t; k < cells_of(f); k += ALL)
        levels[place_of(f, cell_of(f, k))] = p[BESIDE + k];
}
#endif

void make_levels()
{
    for (uint i = law.coarse; i <= law.last; i++) {
        Level f = level_at(i - 1u), l = level_at(i);
        for (int k = int(gl_LocalInvocationIndex); k < cells_of(l); k += ALL)
            coarsen_cell(l, f, cell_of(l, k), i == 1u);
        meet();
    }
}
