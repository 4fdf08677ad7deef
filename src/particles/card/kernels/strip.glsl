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
    int j, i;                  // its first row of those here; where its first cell stands in `p`
    int turns;                 // by row four bits: in which part its cells are relaxed
    ivec2 at;                  // its first cell and row, of the level
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

// All that a block needs is asked for before any of it is looked at: what is beyond the level is read
// within it, and then counts as 0.
float level_value(Level l, uint array, int j, int x)
{
    ivec3 c = ivec3(min(x, l.n.x - 1), clamp(lowest + j, 0, l.n.y - 1), 0);
    float v = levels[place_of(l, c) + array * l.slots];
    return row_there(l, j) && x < l.n.x ? v : 0.0;
}

// A joint; the one after the last row or cell is 0, and stands there.
float joint_value(Level l, uint array, int j, int x)
{
    int a = lowest + j;
    ivec3 c = ivec3(min(x, l.n.x), clamp(a, 0, l.n.y), 0);
    float v = levels[place_of(l, c) + array * l.slots];
    return a >= 0 && a <= l.n.y && x <= l.n.x ? v : 0.0;
}

int begins_at(Level l, int j)
{
    uint low = rows[l.row + uint(clamp(lowest + j, 0, l.n.y - 1))];
    return !row_there(l, j) || low == TOO_FAR ? int(TOO_FAR) : int(low & ~1u);
}

vec4 four_of(Level l, uint array, int j, int x)
{
    return vec4(level_value(l, array, j, x), level_value(l, array, j, x + 1),
                level_value(l, array, j + 1, x), level_value(l, array, j + 1, x + 1));
}

// Every second cell of the rows of one colour, then the others, 64 cells after the other: parts 0 and 3,
// where a row is longer those at seams of 64 cells apart, parts 1 and 2 (relax.glsl). The outermost rows
// have nothing beyond them here, and are not relaxed. A bit for each part that a row of a block has.
int turns_of(Level l, int x, int begins, bool inner)
{
    int off = x - begins;
    if (off < 0 || !inner) return 0;
    bool both = x + 1 < l.n.x;
    if (l.n.x <= CHUNK) return both ? 9 : 1;
    bool first_of = off > 0 && (off & (CHUNK - 1)) == 0;
    bool last_of = ((off + 1) & (CHUNK - 1)) == CHUNK - 1;
    return (first_of ? 4 : 1) | (both ? last_of ? 2 : 8 : 0);
}

Block block_at(Level l, int k)
{
    int half_x = (l.n.x + 1) / 2, q = k / half_x, j = 2 * q, x = 2 * (k - q * half_x);
    Block o;
    o.j = q < ROWS / 2 ? j : -1;
    o.turns = 0;
    if (o.j < 0) return o;
    o.i = place_in(j, x), o.at = ivec2(x, lowest + j);
    int low = begins_at(l, j), high = begins_at(l, j + 1);
    o.asks = four_of(l, 1u, j, x), o.diag = four_of(l, 2u, j, x), o.inverse = four_of(l, 3u, j, x);
    o.along_low = vec3(joint_value(l, 4u, j, x), joint_value(l, 4u, j, x + 1),
                       joint_value(l, 4u, j, x + 2));
    o.along_high = vec3(joint_value(l, 4u, j + 1, x), joint_value(l, 4u, j + 1, x + 1),
                        joint_value(l, 4u, j + 1, x + 2));
    o.up_low = vec3(joint_value(l, 5u, j, x), joint_value(l, 5u, j + 1, x),
                    joint_value(l, 5u, j + 2, x));
    o.up_high = vec3(joint_value(l, 5u, j, x + 1), joint_value(l, 5u, j + 1, x + 1),
                     joint_value(l, 5u, j + 2, x + 1));
    o.turns = turns_of(l, x, low, j > 0) | turns_of(l, x, high, j + 1 < ROWS - 1) << 4;
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

void put_block(Level l, Block o, vec4 own)
{
    p[o.i] = own.x, p[o.i + WIDE] = own.z;
    if (o.at.x + 1 < l.n.x) p[o.i + 1] = own.y, p[o.i + WIDE + 1] = own.w;
}

vec4 pressures(Block o)
{
    return vec4(p[o.i], p[o.i + 1], p[o.i + WIDE], p[o.i + WIDE + 1]);
}

// Of a cell of a block, in its row `high` the second one, `odd`, or the first: Σ joint p around it, and
// what is asked of it. Those in the block, `own`, are at hand.
float pull_cell(Block o, vec4 own, bool high, bool odd)
{
    int i = o.i + (high ? WIDE : 0) + (odd ? 1 : 0);
    vec3 up = odd ? o.up_high : o.up_low, along = high ? o.along_high : o.along_low;
    vec2 first_row = own.xy, second = own.zw, here = high ? second : first_row;
    float below = high ? (odd ? first_row.y : first_row.x) : p[i - WIDE];
    float above = high ? p[i + WIDE] : (odd ? second.y : second.x);
    float before = odd ? here.x : p[i - 1], after = odd ? p[i + 1] : here.y;
    vec2 asks = high ? o.asks.zw : o.asks.xy;
    precise float t = (odd ? asks.y : asks.x) +
                      ((high ? up.y : up.x) * below + (high ? up.z : up.y) * above);
    precise float all = t + ((odd ? along.y : along.x) * before + (odd ? along.z : along.y) * after);
    return all;
}

void relax_cell(Block o, inout vec4 own, bool high, bool odd, bool top)
{
    int k = (high ? 2 : 0) + (odd ? 1 : 0);
    precise float t = pull_cell(o, own, high, odd) * o.inverse[k];
    precise float v = own[k] + law.omega * (t - own[k]);
    own[k] = top ? larger(v, 0.0) : v;
    p[o.i + (high ? WIDE : 0) + (odd ? 1 : 0)] = own[k];
}

// One part of the rows of a colour: texts of the four cells, so that no place is looked up.
void relax_part(int part, inout vec4 own[BLOCKS], bool high, bool top)
{
    bool odd = (part & 1) != 0;
    for (int m = 0; m < BLOCKS; m++) {
        if ((block[m].turns >> ((high ? 4 : 0) + part) & 1) == 0) continue;
        if (high && odd)
            relax_cell(block[m], own[m], true, true, top);
        else if (high)
            relax_cell(block[m], own[m], true, false, top);
        else if (odd)
            relax_cell(block[m], own[m], false, true, top);
        else
            relax_cell(block[m], own[m], false, false, top);
    }
    barrier();
}

void relax_strip(Level l, bool high, bool top)
{
    bool seams = l.n.x > CHUNK;
    vec4 own[BLOCKS];
    for (int m = 0; m < BLOCKS; m++) own[m] = block[m].j < 0 ? vec4(0.0) : pressures(block[m]);
    relax_part(0, own, high, top);
    if (seams) {
        relax_part(1, own, high, top);
        relax_part(2, own, high, top);
    }
    relax_part(3, own, high, top);
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
            uint at = place_of(l, ivec3(o.at.x, o.at.y + r, 0)) + array;
            levels[at] = p[o.i + r * WIDE];
            if (o.at.x + 1 < l.n.x) levels[at + 1u] = p[o.i + r * WIDE + 1];
        }
    }
}

float left_cell(Block o, vec4 own, bool high, bool odd, bool top)
{
    int k = (high ? 2 : 0) + (odd ? 1 : 0);
    precise float r = pull_cell(o, own, high, odd) - o.diag[k] * own[k];
    float left = top && !(own[k] > 0.0) ? larger(r, 0.0) : r;
    return o.inverse[k] > 0.0 ? left : 0.0;
}

// A block's is a large cell's. Returns the greatest.
float restrict_block(Level f, Level l, Block o, bool top)
{
    vec4 own = pressures(o);
    float a = left_cell(o, own, false, false, top), b = left_cell(o, own, false, true, top);
    float c = left_cell(o, own, true, false, top), d = left_cell(o, own, true, true, top);
    precise float sum = 0.0;
    sum = sum + (a + b);
    if (row_there(f, o.j + 1)) sum = sum + (c + d);
    uint at = place_of(l, ivec3(o.at / 2, 0));
    levels[at] = 0.0;
    levels[at + l.slots] = sum;
    return max(max(abs(a), abs(b)), max(abs(c), abs(d)));
}

// ---- Half a cycle -------------------------------------------------------------------------------

// What the large cell says that is a block, as corrected_to() has it.
vec4 corrected_block(Level l, Block o, vec4 own, float part, bool top)
{
    uint from = place_of(l, ivec3(o.at / 2, 0));
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
        vec4 own = four_of(f, what == SINK ? 0u : 6u, o.j, o.at.x);
        // a block begins in the grid with its first row, or is beyond it
        if (what == RISE && row_there(f, o.j)) own = corrected_block(l, o, own, part, top);
        put_block(f, o, own);
    }
    if (gl_LocalInvocationIndex == 0u) most = 0u;
    barrier();
    for (int k = 0; k < rounds(4); k++)
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
