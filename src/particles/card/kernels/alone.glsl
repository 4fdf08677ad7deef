// The levels that one group can do alone, from law.coarse on: made anew, or one cycle of them. ALL: the
// threads of the group. MAKES: they are only made. MOST: cells of these levels. KEPT: what relaxing
// reads of them has room in what the group shares.
#define LAST_ROUNDS 4

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
// after level. What does not is brought there once, where it has room.
bool remade = true; // levels, since that was done
#ifndef POOL
#define POOL MOST
#endif
#define SITES ((WIDEST + ALL - 1) / ALL) // cells that a thread relaxes at once; WIDEST: of all at most
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

// A cell as relaxing needs it: what it does not have beyond the grid counts 0 times.
struct Site {
    int i; // where it stands here; under 0: there is none
    float inverse, asks;
    vec3 low, high; // joints along the axes
};

Site site_at(Level l, int i, ivec3 c)
{
    Site o;
    o.i = i;
    uint at = place_of(l, c);
    int y = l.n.x, z = l.n.x * l.n.y;
    o.inverse = inverse_here(l, at, i), o.asks = b[i];
    o.low = o.high = vec3(0.0);
    if (c.x > 0) o.low.x = joint_here(l, at, i, 0);
    if (c.x + 1 < l.n.x) o.high.x = joint_here(l, at + 1u, i + 1, 0);
    if (c.y > 0) o.low.y = joint_here(l, at, i, 1);
    if (c.y + 1 < l.n.y) o.high.y = joint_here(l, at + l.pitch, i + y, 1);
#ifdef SPACE
    if (c.z > 0) o.low.z = joint_here(l, at, i, 2);
    if (c.z + 1 < l.n.z) o.high.z = joint_here(l, at + l.layer, i + z, 2);
#endif
    return o;
}

// What stands before and after a cell, within what there is: a joint of 0 hides what is no neighbour.
float pulled(Level l, Site o)
{
    int y = l.n.x, z = l.n.x * l.n.y;
    precise float t = o.asks + (o.low.y * p[max(o.i - y, 0)] + o.high.y * p[min(o.i + y, MOST - 1)]);
#ifdef SPACE
    t = t + (o.low.z * p[max(o.i - z, 0)] + o.high.z * p[min(o.i + z, MOST - 1)]);
#endif
    precise float all = t + (o.low.x * p[max(o.i - 1, 0)] + o.high.x * p[min(o.i + 1, MOST - 1)]);
    return all;
}

// The k-th of the cells that are relaxed at the same time, in turn `turn`: every second cell of the rows
// of one colour.
Site site_of(Level l, int first_cell, int turn, int k)
{
    ivec3 halves = ivec3((l.n.xy + 1) / 2, l.n.z);
    int row = k / halves.x, z = row / halves.y;
    ivec3 c = ivec3(2 * (k - row * halves.x) + (turn & 1),
                    2 * (row - z * halves.y) + ((z + (turn >> 1)) & 1), z);
    Site none;
    none.i = -1;
    bool there = all(lessThan(c, l.n));
    return there ? site_at(l, first_cell + c.x + l.n.x * (c.y + l.n.y * c.z), c) : none;
}

// Rows of one colour after those of the other, half of their cells at a time (rows here are not longer
// than 64 cells); so many times. A thread has the same cells all the while, some for each turn.
void relax_rows(Level l, int first_cell, int colour, int times)
{
    Site own[4 * SITES];
    int t = int(gl_LocalInvocationIndex);
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < SITES; m++)
            own[k * SITES + m] = site_of(l, first_cell, (k + 2 * colour) & 3, t + m * ALL);
    for (int round = 0; round < rounds(times / 2); round++)
        for (int k = 0; k < 4; k++) {
            for (int m = 0; m < SITES; m++) {
                Site o = own[k * SITES + m];
                if (o.i < 0) continue;
                float before = p[o.i];
                precise float v = before + law.omega * (pulled(l, o) * o.inverse - before);
                p[o.i] = v;
            }
            barrier();
        }
}

// Of a row of two cells what is left, of each; those that are not there are read within the level.
vec2 left_of(Level l, int first_cell, ivec3 c)
{
    vec2 left;
    for (int x = 0; x < rounds(2); x++) {
        ivec3 here = min(c + ivec3(x, 0, 0), l.n - 1);
        int i = first_cell + here.x + l.n.x * (here.y + l.n.y * here.z);
        float diag = levels[place_of(l, here) + 2u * l.slots];
        Site o = site_at(l, i, here);
        precise float r = pulled(l, o) - diag * p[i];
        left[x] = c.x + x < l.n.x && o.inverse > 0.0 ? r : 0.0;
    }
    return left;
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
            precise vec2 left = left_of(f, fine, from);
            sum = sum + (left.x + left.y);
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
    int t = int(gl_LocalInvocationIndex), deep = int(law.last - law.coarse);
    for (int k = t; k < MOST; k += ALL) p[k] = 0.0;
    for (int k = t; k < cells_of(f); k += ALL) b[k] = levels[place_of(f, cell_of(f, k)) + f.slots];
    for (uint i = law.coarse; i <= law.last && remade; i++) keep_level(i);
    remade = false;
    barrier();
    for (int k = 0; k <= 2 * deep; k++) {
        uint i = law.coarse + uint(k <= deep ? k : 2 * deep - k);
        if (k > deep) rise(i);
        relax_rows(level_at(i), first_of(i), k > deep ? 1 : 0, k == deep ? 2 * LAST_ROUNDS : 4);
        if (k < deep) sink(i);
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
