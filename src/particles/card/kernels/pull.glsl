// A level of the multigrid, and what its cells feel (pressure_simd.c).
struct Level {
    ivec3 n;
    uint pitch, layer, origin, base, slots, row;
};

Level level_at(uint i)
{
    uvec4 a = law.levels[3u * i], b = law.levels[3u * i + 1u];
    return Level(ivec3(a.xyz), a.w, b.x, b.y, b.z, b.w, law.levels[3u * i + 2u].x);
}

uint place_of(Level l, ivec3 c)
{
    return uint(int(l.base + l.origin) + c.x + c.y * int(l.pitch) + c.z * int(l.layer));
}

bool within_level(Level l, ivec3 c)
{
    return all(lessThan(c, l.n));
}

// b + Σ joint p of the neighbours across the row. `at`: the place of p.
float pull_across(Level l, uint at)
{
    uint jy = at + 5u * l.slots;
    precise float t = levels[at + l.slots] + (levels[jy] * levels[at - l.pitch] +
                                              levels[jy + l.pitch] * levels[at + l.pitch]);
#ifdef SPACE
    uint jz = jy + l.slots;
    t = t + (levels[jz] * levels[at - l.layer] + levels[jz + l.layer] * levels[at + l.layer]);
#endif
    return t;
}

// The same along it, between the pressures beside.
float pull_along(Level l, uint at, float low, float high)
{
    uint jx = at + 4u * l.slots;
    precise float t = levels[jx] * low + levels[jx + 1u] * high;
    return t;
}

// A cell relaxed. `top`: pressure does not fall under 0.
float relaxed(Level l, uint at, float across, float own, float low, float high, bool top)
{
    precise float t = across + pull_along(l, at, low, high);
    precise float v = own + law.omega * (t * levels[at + 3u * l.slots] - own);
    return top ? larger(v, 0.0) : v;
}

// What is left to do in a cell. All that it takes is asked for at once, also where it is not wanted.
float left_in(Level l, uint at, bool top)
{
    float p = levels[at], inverse = levels[at + 3u * l.slots], diag = levels[at + 2u * l.slots];
    precise float t = pull_across(l, at) + pull_along(l, at, levels[at - 1u], levels[at + 1u]);
    precise float r = t - diag * p;
    float left = top && !(p > 0.0) ? larger(r, 0.0) : r;
    return inverse > 0.0 ? left : 0.0;
}

// What is left on a finer level, summed up for a cell of a larger one, whose pressure begins at 0.
// Returns the greatest. What is beyond the finer level is read within it.
float restrict_cell(Level l, Level f, ivec3 c, bool top)
{
    precise float sum = 0.0;
    float most = 0.0;
    for (int r = 0; r < rounds(AXES == 3 ? 4 : 2); r++) {
        ivec3 small = ivec3(2 * c.x, 2 * c.y + (r & 1), 2 * c.z + (r >> 1));
        uint at = place_of(f, min(small, f.n - 1));
        float a = left_in(f, at, top), b = left_in(f, at + 1u, top);
        if (!within_level(f, small)) continue;
        sum = sum + (a + b);
        most = max(most, max(abs(a), abs(b)));
    }
    uint at = place_of(l, c);
    levels[at] = 0.0;
    levels[at + l.slots] = sum;
    return most;
}

// A small cell's pressure with `part` of that of the large cells around it, from place `from` on.
float corrected_to(Level f, Level l, ivec3 c, uint from, float own, float part, bool top)
{
    float p = levels[from];
    bvec3 odd = notEqual(c & 1, ivec3(0));
    float jx = levels[from + 4u * l.slots + (odd.x ? 1u : 0u)];
    float px = levels[odd.x ? from + 1u : from - 1u];
    float jy = levels[from + 5u * l.slots + (odd.y ? l.pitch : 0u)];
    float py = levels[odd.y ? from + l.pitch : from - l.pitch];
#ifdef SPACE
    float jz = levels[from + 6u * l.slots + (odd.z ? l.layer : 0u)];
    float pz = levels[odd.z ? from + l.layer : from - l.layer];
#endif
    precise float base = p + (jy > 0.0 ? 0.25 * (py - p) : 0.0);
#ifdef SPACE
    base = base + (jz > 0.0 ? 0.25 * (pz - p) : 0.0);
#endif
    precise float each = base + (jx > 0.0 ? 0.25 * (px - p) : 0.0);
    precise float v = own + part * each;
    return top ? larger(v, 0.0) : v;
}

bool whole_level = false; // of the finest level cells without pressure count too, in this cycle

// Adds `part` of the pressure of large cells to a small one that counts.
void correct_cell(Level f, Level l, ivec3 c, float part, bool top)
{
    uint at = place_of(f, c), from = place_of(l, c / 2);
    float own = levels[at], inverse = levels[at + 3u * f.slots];
    float v = corrected_to(f, l, c, from, own, part, top);
    levels[at] = (top && !whole_level ? own : inverse) > 0.0 ? v : 0.0;
}

// ---- Larger cells -------------------------------------------------------------------------------

// Whether a small cell counts: of the finest level those whose pressure is not 0, or all liquid.
bool counts_at(Level f, uint at, bool top)
{
    return levels[top && !whole_level ? at : at + 3u * f.slots] > 0.0;
}

uint next_of(Level l, int c)
{
    return c == 0 ? 1u : c == 1 ? l.pitch : l.layer;
}

// Where the first cell with pressure of a large cell's row is.
void begin_row(Level l, Level f, ivec3 c)
{
    uint low = TOO_FAR;
    for (int k = 2 * c.z; k < 2 * c.z + 2 && k < f.n.z; k++)
        for (int j = 2 * c.y; j < 2 * c.y + 2 && j < f.n.y; j++) {
            uint own = rows[f.row + uint(j + k * f.n.y)];
            if (own != TOO_FAR) low = min(low, (own & ~1u) / 2u);
        }
    rows[l.row + uint(c.y + c.z * l.n.y)] = low;
}

// Two small cells beside each other along x, and the one before or after them: whether they count; and
// conductances between them.
struct Pair {
    vec2 joint;
    bvec2 counts;
};

Pair pair_at(Level f, uint at, uint joint, bool top)
{
    return Pair(vec2(levels[joint], levels[joint + 1u]),
                bvec2(counts_at(f, at, top), counts_at(f, at + 1u, top)));
}

// What counts of `joint`, between cells that count.
vec2 counted(vec2 joint, bvec2 counts)
{
    return vec2(counts.x ? joint.x : 0.0, counts.y ? joint.y : 0.0);
}

// Of the faces between two small cells and those that `beside` is about, half the conductance.
float half_joint(bvec2 counts, Pair beside)
{
    precise vec2 half_of = 0.5 * beside.joint;
    precise float sum = (counts.x && beside.counts.x ? half_of.x : 0.0) +
                        (counts.y && beside.counts.y ? half_of.y : 0.0);
    return sum;
}

// A large cell from the small ones in it: joints, the diagonal with the conductance to cells without
// pressure, and 1 over it. Faces between it and the next ones are worked out by both. A row of two small
// cells asks for all it needs before any of it is looked at; rows beyond the level are read within it.
void coarsen_cell(Level l, Level f, ivec3 c, bool top)
{
    precise float diag = 0.0;
    precise vec3 low = vec3(0.0), high = vec3(0.0); // joints of the large cell
    bool has = false;
    for (int r = 0; r < rounds(AXES == 3 ? 4 : 2); r++) {
        ivec3 small = ivec3(2 * c.x, 2 * c.y + (r & 1), 2 * c.z + (r >> 1));
        uint at = place_of(f, min(small, f.n - 1)), jx = at + 4u * f.slots, jy = jx + f.slots;
        vec2 own_diag = vec2(levels[at + 2u * f.slots], levels[at + 2u * f.slots + 1u]);
        vec3 along = vec3(levels[jx], levels[jx + 1u], levels[jx + 2u]);
        bvec4 row = bvec4(counts_at(f, at - 1u, top), counts_at(f, at, top),
                          counts_at(f, at + 1u, top), counts_at(f, at + 2u, top));
        Pair before = pair_at(f, at - f.pitch, jy, top);
        Pair after = pair_at(f, at + f.pitch, jy + f.pitch, top);
#ifdef SPACE
        uint jz = jy + f.slots;
        Pair under = pair_at(f, at - f.layer, jz, top);
        Pair over = pair_at(f, at + f.layer, jz + f.layer, top);
#endif
        if (!within_level(f, small)) continue;
        bvec2 counts = row.yz;
        precise vec2 sum = vec2(0.0);
        sum = sum + (counted(along.xy, row.xy) + counted(along.yz, row.zw));
        sum = sum + (counted(before.joint, before.counts) + counted(after.joint, after.counts));
#ifdef SPACE
        sum = sum + (counted(under.joint, under.counts) + counted(over.joint, over.counts));
#endif
        precise vec2 left = law.edge * (own_diag - sum);
        precise float rest = (counts.x && left.x > 0.0 ? left.x : 0.0) +
                             (counts.y && left.y > 0.0 ? left.y : 0.0);
        diag = diag + rest;
        has = has || any(counts);
        precise vec2 ends = 0.5 * along.xz;
        low.x = low.x + (row.x && row.y ? ends.x : 0.0);
        if (2 * c.x + 2 < f.n.x) high.x = high.x + (row.z && row.w ? ends.y : 0.0);
        if ((r & 1) == 0) low.y = low.y + half_joint(counts, before);
        else if (small.y + 1 < f.n.y) high.y = high.y + half_joint(counts, after);
#ifdef SPACE
        if ((r >> 1) == 0) low.z = low.z + half_joint(counts, under);
        else if (small.z + 1 < f.n.z) high.z = high.z + half_joint(counts, over);
#endif
    }
    uint at = place_of(l, c);
    for (int k = 0; k < AXES; k++) {
        levels[at + uint(4 + k) * l.slots] = low[k];
        diag = diag + (low[k] + high[k]);
    }
    levels[at] = 0.0;
    levels[at + 2u * l.slots] = diag;
    levels[at + 3u * l.slots] = has && diag > 0.0 ? quotient_of(1.0, diag) : 0.0;
    if (c.x == 0) begin_row(l, f, c);
}

// ---- Which cycles are done ----------------------------------------------------------------------

uint cycle_at(uint word)
{
    return CYCLES + 8u * law.cycle + word;
}

bool cycle_whole()
{
    return status[cycle_at(RELEVEL)] == 2u;
}

bool cycle_skipped()
{
    return halted() || status[cycle_at(SKIPPED)] != 0u;
}

// After half a cycle little enough was left.
bool rise_skipped()
{
    return cycle_skipped() || status_float(cycle_at(LEFT)) < law.done;
}
