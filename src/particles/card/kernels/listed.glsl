// Passes over the rows of a level, each group over those that are its own and have pressure: they are
// found once, when the level is made. ALL: threads of the group; LARGE: levels that all groups do.
#define LISTED 64 // rows of one colour of a level that are kept in mind, at most
#define MOST_ROWS 40 // that a group works on together

shared uint own_row[LARGE * LISTED]; // by level and colour, two a word: which of those it may have
shared int own_rows[2 * LARGE]; // how many; over LISTED: all, in their order

// The n-th row of a colour that a group may have: its number among those of the colour.
int nth_row(int n)
{
    return group + groups * n;
}

ivec2 row_at(Level l, int colour, int q)
{
    int half_y = (l.n.y + 1) / 2, b = q / half_y;
    return ivec2(2 * (q - b * half_y) + ((b + colour) & 1), b);
}

uint begins_at(Level l, ivec2 row)
{
    return row.x < l.n.y && row.y < l.n.z ? rows[l.row + uint(row.x + row.y * l.n.y)] : TOO_FAR;
}

// Those of a level; it must be made, and all must have met.
void list_rows(uint i)
{
    Level l = level_at(i);
    int all = (l.n.y + 1) / 2 * l.n.z, each = (all + groups - 1) / groups;
    if (gl_LocalInvocationIndex < 2u) own_rows[2 * int(i) + int(gl_LocalInvocationIndex)] = 0;
    if (gl_LocalInvocationIndex < uint(LISTED))
        own_row[int(i) * LISTED + int(gl_LocalInvocationIndex)] = 0u;
    barrier();
    for (int k = int(gl_LocalInvocationIndex); k < 2 * each; k += ALL) {
        int colour = k & 1, n = k >> 1, q = nth_row(n), list = 2 * int(i) + colour;
        if (q >= all || begins_at(l, row_at(l, colour, q)) == TOO_FAR) continue;
        int to = atomicAdd(own_rows[list], n < 65536 ? 1 : LISTED + 1);
        if (to < LISTED) atomicOr(own_row[(list * LISTED + to) >> 1], uint(n) << (16 * (to & 1)));
    }
    barrier();
}

// How many rows of a colour a group looks at, and which one is the n-th; x under 0: none.
int row_count(Level l, uint i, int colour)
{
    int listed = own_rows[2 * int(i) + colour], all = (l.n.y + 1) / 2 * l.n.z;
    return listed <= LISTED ? listed : (all - group + groups - 1) / groups;
}

ivec2 own_row_at(Level l, uint i, int colour, int n)
{
    int list = 2 * int(i) + colour;
    if (n >= row_count(l, i, colour)) return ivec2(-1);
    if (own_rows[list] <= LISTED)
        n = int(own_row[(list * LISTED + n) >> 1] >> (16 * (n & 1)) & 0xffffu);
    ivec2 row = row_at(l, colour, nth_row(n));
    return row.x < l.n.y ? row : ivec2(-1);
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
void relax_level(uint level, int colour)
{
    Level l = level_at(level);
    bool top = level == 0u, seams = l.n.x > CHUNK;
    int halves = (l.n.x + 1) / 2, wide = 2 * halves + 2, together = min(ALL / halves, MOST_ROWS);
    int t = int(gl_LocalInvocationIndex), r = t / halves, x = 2 * (t - r * halves);
    int all = row_count(l, level, colour);
    for (int from = 0; from < all; from += together) {
        ivec2 row = r < together ? own_row_at(l, level, colour, from + r) : ivec2(-1);
        bool on = row.x >= 0;
        uint at = on ? place_of(l, ivec3(x, row)) : 0u;
        uint first_cell = on ? begins_at(l, row) : TOO_FAR;
        Cell low, high;
        int i = r * wide + x + 1;
        if (on) {
            p[i] = levels[at], p[i + 1] = x + 1 < l.n.x ? levels[at + 1u] : 0.0;
            if (x == 0) p[i - 1] = 0.0;
            if (x == 2 * halves - 2) p[i + 2] = 0.0;
            low = cell_at(l, at);
            if (x + 1 < l.n.x) high = cell_at(l, at + 1u);
        }
        on = on && first_cell != TOO_FAR;
        int off = x - int(first_cell & ~1u);
        bool even = on && off >= 0, odd = even && x + 1 < l.n.x;
        bool first_of = off > 0 && (off & (CHUNK - 1)) == 0;
        bool last_of = ((off + 1) & (CHUNK - 1)) == CHUNK - 1;
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

// A cell of the rows of a level that a group has, x under 0: none; k from 0 up to so many.
int own_cells(Level l, uint i)
{
    return (row_count(l, i, 0) + row_count(l, i, 1)) * l.n.x;
}

ivec3 own_cell(Level l, uint i, int k)
{
    int n = k / l.n.x, some = row_count(l, i, 0);
    return ivec3(k - n * l.n.x, n < some ? own_row_at(l, i, 0, n) : own_row_at(l, i, 1, n - some));
}

// Only rows with pressure ask for anything, and a small level is shared out cell by cell.
void restrict_level(uint i, uint left_word)
{
    Level f = level_at(i), l = level_at(i + 1u);
    int t = int(gl_LocalInvocationIndex);
    bool small = i + 1u == law.coarse;
    if (t == 0) most = 0u;
    barrier();
    int first_k = small ? group * ALL + t : t, end = small ? cells_of(l) : own_cells(l, i + 1u);
    for (int k = first_k; k < end; k += small ? groups * ALL : ALL) {
        ivec3 c = small ? cell_of(l, k) : own_cell(l, i + 1u, k);
        float left = c.y >= 0 ? restrict_cell(l, f, c, i == 0u) : 0.0;
        if (i == 0u && left > 0.0) atomicMax(most, floatBitsToUint(left));
    }
    barrier();
    if (i == 0u && t == 0 && most > 0u) atomicMax(status[left_word], most);
}

void correct_level(uint i, float part)
{
    Level f = level_at(i), l = level_at(i + 1u);
    for (int k = int(gl_LocalInvocationIndex); k < own_cells(f, i); k += ALL) {
        ivec3 c = own_cell(f, i, k);
        if (c.y >= 0) correct_cell(f, l, c, part, i == 0u);
    }
}
