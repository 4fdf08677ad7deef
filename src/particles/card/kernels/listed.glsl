// Passes over the rows of a level, each group over those that are its own and have pressure: they are
// found once, when the level is made. ALL: threads of the group; LARGE: levels that all groups do.
#define LISTED 64 // rows of one colour of a level that are kept in mind, at most
#define MOST_ROWS 40 // that a group works on together

shared uint own_row[LARGE * LISTED]; // by level and colour, two a word: which of those it may have
shared int own_rows[2 * LARGE]; // how many; over LISTED: all, in their order

// The cells [x, y) of a level that are a group's: as many as others', for a processor of the card has
// long to do with what a large cell asks for.
ivec2 own_part(Level l)
{
    int all = cells_of(l), each = (all + groups - 1) / groups;
    return min(ivec2(group, group + 1) * each, ivec2(all));
}

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

// All of it is asked for at once.
Cell cell_at(Level l, uint at)
{
    uint jx = at + 4u * l.slots, jy = jx + l.slots, jz = jy + l.slots;
    float asks = levels[at + l.slots], inverse = levels[at + 3u * l.slots];
    vec2 along = vec2(levels[jx], levels[jx + 1u]);
    vec4 joint = vec4(levels[jy], levels[jy + l.pitch], levels[jz], levels[jz + l.layer]);
    vec4 beside = vec4(levels[at - l.pitch], levels[at + l.pitch], levels[at - l.layer],
                       levels[at + l.layer]);
    precise float t = asks + (joint.x * beside.x + joint.y * beside.y);
    t = t + (joint.z * beside.z + joint.w * beside.w);
    return Cell(t, along.x, along.y, inverse);
}

float relaxed_cell(Cell c, float own, float low, float high, bool top)
{
    precise float along = c.low * low + c.high * high;
    precise float t = c.across + along;
    precise float v = own + law.omega * (t * c.inverse - own);
    return top ? larger(v, 0.0) : v;
}

// Rows of one colour: every second cell of a row, then the others, 64 cells after the other
// (relax.glsl). A thread has two cells, `own`; those beside them stand in `p`. What stands after a row
// of an odd number of cells has pressure 0, and is read as its last cell.
void relax_level(uint level, int colour)
{
    Level l = level_at(level);
    bool top = level == 0u, seams = l.n.x > CHUNK;
    int halves = (l.n.x + 1) / 2, wide = 2 * halves + 2, together = min(ALL / halves, MOST_ROWS);
    int t = int(gl_LocalInvocationIndex), r = t / halves, x = 2 * (t - r * halves);
    int all = row_count(l, level, colour), i = r * wide + x + 1;
    bool both = x + 1 < l.n.x;
    for (int from = 0; from < all; from += together) {
        ivec2 row = r < together ? own_row_at(l, level, colour, from + r) : ivec2(-1);
        bool on = row.x >= 0;
        uint at = on ? place_of(l, ivec3(x, row)) : 0u, next = at + (both ? 1u : 0u);
        uint begins = TOO_FAR;
        vec2 own = vec2(0.0);
        Cell low, high;
        if (on) {
            begins = rows[l.row + uint(row.x + row.y * l.n.y)];
            own = vec2(levels[at], levels[next]);
            low = cell_at(l, at), high = cell_at(l, next);
            if (!both) own.y = 0.0;
            p[i] = own.x, p[i + 1] = own.y;
            if (x == 0) p[i - 1] = 0.0;
            if (x == 2 * halves - 2) p[i + 2] = 0.0;
        }
        int off = x - int(begins & ~1u);
        bool even = on && begins != TOO_FAR && off >= 0, odd = even && both;
        bool first_of = off > 0 && (off & (CHUNK - 1)) == 0;
        bool last_of = ((off + 1) & (CHUNK - 1)) == CHUNK - 1;
        barrier();
        if (even && !first_of) p[i] = own.x = relaxed_cell(low, own.x, p[i - 1], own.y, top);
        barrier();
        if (seams) {
            if (odd && last_of) p[i + 1] = own.y = relaxed_cell(high, own.y, own.x, p[i + 2], top);
            barrier();
            if (even && first_of) p[i] = own.x = relaxed_cell(low, own.x, p[i - 1], own.y, top);
            barrier();
        }
        if (odd && !(seams && last_of)) own.y = relaxed_cell(high, own.y, own.x, p[i + 2], top);
        if (even) levels[at] = own.x;
        if (odd) levels[next] = own.y;
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
    int colour = n < some ? 0 : 1;
    return ivec3(k - n * l.n.x, own_row_at(l, i, colour, n - colour * some));
}

// Only rows with pressure ask for anything, and a small level is shared out cell by cell.
void restrict_level(uint i, uint left_word)
{
    Level f = level_at(i), l = level_at(i + 1u);
    int t = int(gl_LocalInvocationIndex);
    bool small = i + 1u == law.coarse;
    if (t == 0) most = 0u;
    barrier();
    ivec2 own = small ? own_part(l) : ivec2(0, own_cells(l, i + 1u));
    for (int k = own.x + t; k < own.y; k += ALL) {
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
