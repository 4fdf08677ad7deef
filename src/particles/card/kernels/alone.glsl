// The levels that one group can do alone, from law.coarse on: made anew, or one cycle of them. ALL: the
// threads of the group. MAKES: they are only made. MOST: cells of these levels. KEPT: what relaxing
// reads of them has room in what the group shares.
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
// after level.
#ifndef POOL
#define POOL MOST
#endif
shared float p[POOL];
shared float b[MOST];
#ifdef KEPT
shared float kept[(1 + AXES) * MOST]; // 1 over the diagonal, joints
#endif

// Where the cells of a level begin.
int first_of(uint i)
{
    int at = 0;
    for (uint k = law.coarse; k < i; k++) at += cells_of(level_at(k));
    return at;
}

// Of the cell that stands here at i, and there at `at`.
float inverse_here(Level l, uint at, int i)
{
#ifdef KEPT
    return kept[i];
#else
    return levels[at + 3u * l.slots];
#endif
}

float joint_here(Level l, uint at, int i, int axis)
{
#ifdef KEPT
    return kept[(1 + axis) * MOST + i];
#else
    return levels[at + uint(4 + axis) * l.slots];
#endif
}

// joint p between a cell and the one before or after it along an axis; `there`: it is in the grid.
float pulled_low(Level l, uint at, int i, int axis, int to, bool there)
{
    precise float t = there ? joint_here(l, at, i, axis) * p[i - to] : 0.0;
    return t;
}

float pulled_high(Level l, uint at, int i, int axis, int to, bool there)
{
    if (!there) return 0.0;
    precise float t = joint_here(l, at + next_of(l, axis), i + to, axis) * p[i + to];
    return t;
}

float pulled(Level l, uint at, int i, ivec3 c)
{
    int y = l.n.x;
    precise float t = b[i] + (pulled_low(l, at, i, 1, y, c.y > 0) +
                              pulled_high(l, at, i, 1, y, c.y + 1 < l.n.y));
#ifdef SPACE
    int z = l.n.x * l.n.y;
    t = t + (pulled_low(l, at, i, 2, z, c.z > 0) + pulled_high(l, at, i, 2, z, c.z + 1 < l.n.z));
#endif
    precise float all = t + (pulled_low(l, at, i, 0, 1, c.x > 0) +
                             pulled_high(l, at, i, 0, 1, c.x + 1 < l.n.x));
    return all;
}

// Rows of one colour, half of their cells at a time: rows here are not longer than 64 cells.
void relax_rows(Level l, int first_cell, int colour)
{
    int half_row = (l.n.x + 1) / 2, half_y = (l.n.y + 1) / 2, all = half_row * half_y * l.n.z;
    for (int turn = 0; turn < rounds(2); turn++) {
        for (int k = int(gl_LocalInvocationIndex); k < all; k += ALL) {
            int row = k / half_row, z = row / half_y;
            ivec3 c = ivec3(2 * (k - row * half_row) + turn,
                            2 * (row - z * half_y) + ((z + colour) & 1), z);
            if (c.y >= l.n.y || c.x >= l.n.x) continue;
            uint at = place_of(l, c);
            int i = first_cell + c.x + l.n.x * (c.y + l.n.y * c.z);
            precise float t = pulled(l, at, i, c) * inverse_here(l, at, i);
            precise float v = p[i] + law.omega * (t - p[i]);
            p[i] = v;
        }
        barrier();
    }
}

float left_of(Level l, int first_cell, ivec3 c)
{
    uint at = place_of(l, c);
    int i = first_cell + c.x + l.n.x * (c.y + l.n.y * c.z);
    if (c.x >= l.n.x || !(inverse_here(l, at, i) > 0.0)) return 0.0;
    precise float r = pulled(l, at, i, c) - levels[at + 2u * l.slots] * p[i];
    return r;
}

// What is left on level i, asked of the next one.
void sink(uint i)
{
    Level f = level_at(i), l = level_at(i + 1u);
    int fine = first_of(i), large = first_of(i + 1u);
    for (int n = int(gl_LocalInvocationIndex); n < cells_of(l); n += ALL) {
        ivec3 c = cell_of(l, n);
        precise float sum = 0.0;
        int all = f.n.z > 1 ? 4 : 2; // rows of a large cell
        for (int k = 0; k < rounds(all); k++) {
            ivec3 from = 2 * c + ivec3(0, k & 1, k >> 1);
            if (from.y >= f.n.y || from.z >= f.n.z) continue;
            precise float two = 0.0;
            for (int x = 0; x < rounds(2); x++) {
                float left = left_of(f, fine, from + ivec3(x, 0, 0));
                two = x == 0 ? left : two + left;
            }
            sum = sum + two;
        }
        b[large + n] = sum;
        p[large + n] = 0.0;
    }
    barrier();
}

// A quarter of the way from a large cell to the one before or after it along an axis, if they are
// joined.
float quarter_to(Level l, uint at, int i, int axis, int to, bool odd, bool there)
{
    if (!there) return 0.0;
    float joint = odd ? joint_here(l, at + next_of(l, axis), i + to, axis)
                      : joint_here(l, at, i, axis);
    precise float part = 0.25 * (p[odd ? i + to : i - to] - p[i]);
    return joint > 0.0 ? part : 0.0;
}

// As corrected_to(), of what stands here.
float corrected_here(Level l, ivec3 c, int large, float before)
{
    ivec3 h = c / 2;
    uint from = place_of(l, h);
    int y = l.n.x, i = large + h.x + l.n.x * (h.y + l.n.y * h.z);
    bvec3 odd = notEqual(c & 1, ivec3(0));
    bvec3 there = bvec3(odd.x ? h.x + 1 < l.n.x : h.x > 0, odd.y ? h.y + 1 < l.n.y : h.y > 0,
                        odd.z ? h.z + 1 < l.n.z : h.z > 0);
    precise float base = p[i] + quarter_to(l, from, i, 1, y, odd.y, there.y);
#ifdef SPACE
    base = base + quarter_to(l, from, i, 2, y * l.n.y, odd.z, there.z);
#endif
    precise float each = base + quarter_to(l, from, i, 0, 1, odd.x, there.x);
    precise float v = before + each;
    return v;
}

// What the next level says, taken by level i.
void rise(uint i)
{
    Level f = level_at(i), l = level_at(i + 1u);
    int fine = first_of(i), large = first_of(i + 1u);
    for (int k = int(gl_LocalInvocationIndex); k < cells_of(f); k += ALL) {
        ivec3 c = cell_of(f, k);
        int own = fine + k;
        bool has = inverse_here(f, place_of(f, c), own) > 0.0;
        p[own] = has ? corrected_here(l, c, large, p[own]) : 0.0;
    }
    barrier();
}

void keep_level(uint i)
{
#ifdef KEPT
    Level l = level_at(i);
    int first_cell = first_of(i);
    for (int k = int(gl_LocalInvocationIndex); k < cells_of(l); k += ALL) {
        uint at = place_of(l, cell_of(l, k)) + 3u * l.slots;
        for (int a = 0; a <= AXES; a++)
            kept[a * MOST + first_cell + k] = levels[at + uint(a) * l.slots];
    }
#endif
}

// All of it, between what the level below asks and what it gets: down level by level, each relaxed four
// times; the last; up again. One loop, for compilers put each call's text in its place.
void solve()
{
    Level f = level_at(law.coarse);
    int t = int(gl_LocalInvocationIndex), down = 5 * int(law.last - law.coarse);
    for (int k = t; k < MOST; k += ALL) p[k] = 0.0;
    for (int k = t; k < cells_of(f); k += ALL) b[k] = levels[place_of(f, cell_of(f, k)) + f.slots];
    for (uint i = law.coarse; i <= law.last; i++) keep_level(i);
    barrier();
    for (int k = 0; k < 2 * down + 2 * LAST_ROUNDS; k++) {
        int up = k - down - 2 * LAST_ROUNDS, turn = k < down ? k % 5 : up < 0 ? (k - down) & 1 : up % 5;
        uint i = k < down ? law.coarse + uint(k / 5) : law.last - (up < 0 ? 0u : 1u + uint(up / 5));
        if (k < down && turn == 4)
            sink(i);
        else if (up >= 0 && turn == 0)
            rise(i);
        else
            relax_rows(level_at(i), first_of(i), turn & 1);
    }
    for (int k = t; k < cells_of(f); k += ALL) levels[place_of(f, cell_of(f, k))] = p[k];
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
