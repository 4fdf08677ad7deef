// Half a cycle of a level in a plane at once, as `sink` and `rise` do it call by call: a group has TALL
// rows, and HALO more to each side, of which one is wrong after each time that it relaxes them. Here
// threads own blocks of two by two cells, and all that does not change stands in registers. Pressures
// stand in `p`. ALL: threads of the group; ROOM: cells of a row.
#define TALL 4
#define HALO 6 // one more than it takes, so that blocks are large cells of the next level
#define ROWS (TALL + 2 * HALO)
#define WIDE (ROOM + 2)
#define BLOCKS ((ROWS * ROOM / 4 + ALL - 1) / ALL)

struct Block {
    int j, x;                  // its first row of those here, and cell; under 0: there is none
    ivec2 begins;              // of its rows: the first cell with pressure
    vec4 asks, inverse, diag;  // of its cells: the first row's, the second one's
    vec3 along_low, along_high; // joints along its rows
    vec3 up_low, up_high;       // joints along its columns
};

Block block[BLOCKS];
int lowest; // the first of the rows

uint twin_of(Level l)
{
    return 6u * l.slots; // from a pressure to that in the other array
}

int place_in(int j, int x)
{
    return j * WIDE + x + 1;
}

bool row_there(Level l, int j)
{
    return lowest + j >= 0 && lowest + j < l.n.y;
}

// What a level has in some array of its own, 0 beyond it.
float level_value(Level l, uint array, int j, int x)
{
    bool there = row_there(l, j) && x < l.n.x;
    return there ? levels[place_of(l, ivec3(x, lowest + j, 0)) + array * l.slots] : 0.0;
}

// A joint; the one after the last row or cell is 0, and stands there.
float joint_value(Level l, uint array, int j, int x)
{
    int a = lowest + j;
    if (a < 0 || a > l.n.y || x > l.n.x) return 0.0;
    return levels[place_of(l, ivec3(x, a, 0)) + array * l.slots];
}

int begins_at(Level l, int j)
{
    uint low = row_there(l, j) ? rows[l.row + uint(lowest + j)] : TOO_FAR;
    return low == TOO_FAR ? int(TOO_FAR) : int(low & ~1u);
}

vec4 four_of(Level l, uint array, int j, int x)
{
    return vec4(level_value(l, array, j, x), level_value(l, array, j, x + 1),
                level_value(l, array, j + 1, x), level_value(l, array, j + 1, x + 1));
}

Block block_at(Level l, int k)
{
    int half_x = (l.n.x + 1) / 2, q = k / half_x, j = 2 * q, x = 2 * (k - q * half_x);
    Block o;
    o.j = q < ROWS / 2 ? j : -1, o.x = x;
    if (o.j < 0) return o;
    o.begins = ivec2(begins_at(l, j), begins_at(l, j + 1));
    o.asks = four_of(l, 1u, j, x), o.diag = four_of(l, 2u, j, x), o.inverse = four_of(l, 3u, j, x);
    o.along_low = vec3(joint_value(l, 4u, j, x), joint_value(l, 4u, j, x + 1),
                       joint_value(l, 4u, j, x + 2));
    o.along_high = vec3(joint_value(l, 4u, j + 1, x), joint_value(l, 4u, j + 1, x + 1),
                        joint_value(l, 4u, j + 1, x + 2));
    o.up_low = vec3(joint_value(l, 5u, j, x), joint_value(l, 5u, j + 1, x),
                    joint_value(l, 5u, j + 2, x));
    o.up_high = vec3(joint_value(l, 5u, j, x + 1), joint_value(l, 5u, j + 1, x + 1),
                     joint_value(l, 5u, j + 2, x + 1));
    return o;
}

// What is beside the rows is 0.
void begin_strip(Level l, int number)
{
    int t = int(gl_LocalInvocationIndex);
    lowest = TALL * number - HALO;
    for (int m = 0; m < BLOCKS; m++) block[m] = block_at(l, t + m * ALL);
    if (t < ROWS) p[place_in(t, -1)] = p[place_in(t, l.n.x)] = 0.0;
}

void put_block(Level l, Block o, vec4 v)
{
    int i = place_in(o.j, o.x);
    p[i] = v.x, p[i + WIDE] = v.z;
    if (o.x + 1 < l.n.x) p[i + 1] = v.y, p[i + WIDE + 1] = v.w;
}

// Σ joint p around a cell, and what is asked of it. `up`, `along`: its low and high joints.
float pull_in(int i, float asks, vec2 up, vec2 along)
{
    precise float t = asks + (up.x * p[i - WIDE] + up.y * p[i + WIDE]);
    precise float all = t + (along.x * p[i - 1] + along.y * p[i + 1]);
    return all;
}

// A cell of a block: of its row `high`, the second one of the row `odd`.
float pull_cell(Block o, bool high, bool odd)
{
    int i = place_in(o.j + (high ? 1 : 0), o.x + (odd ? 1 : 0));
    vec3 up = odd ? o.up_high : o.up_low, along = high ? o.along_high : o.along_low;
    vec2 asks = high ? o.asks.zw : o.asks.xy;
    return pull_in(i, odd ? asks.y : asks.x, high ? up.yz : up.xy, odd ? along.yz : along.xy);
}

void relax_cell(Block o, bool high, bool odd, bool top)
{
    int i = place_in(o.j + (high ? 1 : 0), o.x + (odd ? 1 : 0));
    vec2 per = high ? o.inverse.zw : o.inverse.xy;
    precise float t = pull_cell(o, high, odd) * (odd ? per.y : per.x);
    precise float v = p[i] + law.omega * (t - p[i]);
    p[i] = top ? larger(v, 0.0) : v;
}

// Every second cell of the rows of one colour, then the others, 64 cells after the other (relax.glsl).
void relax_strip(Level l, bool high, bool top)
{
    for (int part = 0; part < rounds(4); part++) {
        bool seam = part == 1 || part == 2, odd = (part & 1) != 0;
        if (seam && l.n.x <= CHUNK) continue;
        for (int m = 0; m < BLOCKS; m++) {
            Block o = block[m];
            if (o.j < 0) continue;
            int off = o.x - (high ? o.begins.y : o.begins.x), at = odd ? off + 1 : off;
            bool edge = odd ? (at & (CHUNK - 1)) == CHUNK - 1 : off > 0 && (at & (CHUNK - 1)) == 0;
            bool on = off >= 0 && (!odd || o.x + 1 < l.n.x) && edge == seam;
            if (l.n.x <= CHUNK) on = off >= 0 && (!odd || o.x + 1 < l.n.x);
            // the outermost rows have nothing beyond them here
            on = on && (high ? o.j + 1 < ROWS - 1 : o.j > 0);
            if (on) relax_cell(o, high, odd, top);
        }
        barrier();
    }
}

bool is_own(Block o)
{
    return o.j >= HALO && o.j < HALO + TALL;
}

// The own rows, left in an array.
void leave_strip(Level l, uint array)
{
    for (int m = 0; m < BLOCKS; m++) {
        Block o = block[m];
        if (!is_own(o)) continue;
        for (int r = 0; r < 2; r++) {
            if (!row_there(l, o.j + r)) continue;
            uint at = place_of(l, ivec3(o.x, lowest + o.j + r, 0)) + array;
            int i = place_in(o.j + r, o.x);
            levels[at] = p[i];
            if (o.x + 1 < l.n.x) levels[at + 1u] = p[i + 1];
        }
    }
}

float left_cell(Block o, bool high, bool odd, bool top)
{
    int i = place_in(o.j + (high ? 1 : 0), o.x + (odd ? 1 : 0));
    vec2 per = high ? o.inverse.zw : o.inverse.xy, diag = high ? o.diag.zw : o.diag.xy;
    if (!((odd ? per.y : per.x) > 0.0)) return 0.0;
    precise float r = pull_cell(o, high, odd) - (odd ? diag.y : diag.x) * p[i];
    return top && !(p[i] > 0.0) ? larger(r, 0.0) : r;
}

// A block's is a large cell's. Returns the greatest.
float restrict_block(Level f, Level l, Block o, bool top)
{
    float a = left_cell(o, false, false, top), b = left_cell(o, false, true, top);
    float c = left_cell(o, true, false, top), d = left_cell(o, true, true, top);
    precise float sum = 0.0;
    sum = sum + (a + b);
    if (row_there(f, o.j + 1)) sum = sum + (c + d);
    uint at = place_of(l, ivec3(o.x / 2, (lowest + o.j) / 2, 0));
    levels[at] = 0.0;
    levels[at + l.slots] = sum;
    return max(max(abs(a), abs(b)), max(abs(c), abs(d)));
}

// ---- Half a cycle -------------------------------------------------------------------------------

// What the large cell says that is a block, as corrected_to() has it.
vec4 corrected_block(Level l, Block o, vec4 own, float part, bool top)
{
    uint from = place_of(l, ivec3(o.x / 2, (lowest + o.j) / 2, 0));
    uint jx = from + 4u * l.slots, jy = from + 5u * l.slots;
    float large = levels[from];
    vec4 joint = vec4(levels[jx], levels[jx + 1u], levels[jy], levels[jy + l.pitch]);
    vec4 next = vec4(levels[from - 1u], levels[from + 1u], levels[from - l.pitch],
                     levels[from + l.pitch]);
    precise vec4 to = 0.25 * (next - vec4(large));
    to = vec4(joint.x > 0.0 ? to.x : 0.0, joint.y > 0.0 ? to.y : 0.0, joint.z > 0.0 ? to.z : 0.0,
              joint.w > 0.0 ? to.w : 0.0);
    precise float low = large + to.z, high = large + to.w;
    precise vec4 each = vec4(low + to.x, low + to.y, high + to.x, high + to.y);
    precise vec4 v = own + part * each;
    vec4 has = top && !whole_level ? own : o.inverse;
    for (int k = 0; k < 4; k++) {
        float value = top ? larger(v[k], 0.0) : v[k];
        v[k] = has[k] > 0.0 ? value : 0.0;
    }
    return v;
}

#define BEGIN 0
#define SINK 1
#define RISE 2

// BEGIN: before the first cycle, from the other array into the first. SINK: relaxed, left in the other
// array, and what is left to do asked of the next level. RISE: what that says taken, relaxed, and left
// where the cycle began.
void pass_strip(int what, uint i, int number, float part, uint left_word)
{
    Level f = level_at(i), l = level_at(i + 1u);
    bool top = i == 0u;
    begin_strip(f, number);
    for (int m = 0; m < BLOCKS; m++) {
        Block o = block[m];
        if (o.j < 0) continue;
        vec4 own = four_of(f, what == SINK ? 0u : 6u, o.j, o.x);
        // a block begins in the grid with its first row, or is beyond it
        if (what == RISE && row_there(f, o.j)) own = corrected_block(l, o, own, part, top);
        put_block(f, o, own);
    }
    if (gl_LocalInvocationIndex == 0u) most = 0u;
    barrier();
    for (int k = 0; k < 4; k++)
        relax_strip(f, ((k & 1) != 0) != (what == RISE), top);
    leave_strip(f, what == SINK ? twin_of(f) : 0u);
    for (int m = 0; m < BLOCKS && what == SINK; m++) {
        if (!is_own(block[m]) || !row_there(f, block[m].j)) continue;
        float greatest = restrict_block(f, l, block[m], top);
        if (top && greatest > 0.0) atomicMax(most, floatBitsToUint(greatest));
    }
    barrier();
    if (top && gl_LocalInvocationIndex == 0u && most > 0u) atomicMax(status[left_word], most);
}

// Little enough is left: as it is.
void keep_rows(int number)
{
    Level l = level_at(0u);
    for (int k = int(gl_LocalInvocationIndex); k < TALL * l.n.x; k += ALL) {
        int row = k / l.n.x, a = TALL * number + row;
        uint at = place_of(l, ivec3(k - row * l.n.x, a, 0));
        if (a < l.n.y) levels[at] = levels[at + twin_of(l)];
    }
}
