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

// What is left to do in a cell.
float left_in(Level l, uint at, bool top)
{
    float p = levels[at];
    if (!(levels[at + 3u * l.slots] > 0.0)) return 0.0;
    precise float t = pull_across(l, at) + pull_along(l, at, levels[at - 1u], levels[at + 1u]);
    precise float r = t - levels[at + 2u * l.slots] * p;
    return top && !(p > 0.0) ? larger(r, 0.0) : r;
}

// What is left on a finer level, summed up for a cell of a larger one, whose pressure begins at 0.
// Returns the greatest.
float restrict_cell(Level l, Level f, ivec3 c, bool top)
{
    precise float sum = 0.0;
    float most = 0.0;
    for (int k = 2 * c.z; k < 2 * c.z + 2 && k < f.n.z; k++)
        for (int j = 2 * c.y; j < 2 * c.y + 2 && j < f.n.y; j++) {
            uint at = place_of(f, ivec3(2 * c.x, j, k));
            float a = left_in(f, at, top), b = left_in(f, at + 1u, top);
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
    bool odd = (c.y & 1) != 0;
    float jy = levels[from + 5u * l.slots + (odd ? l.pitch : 0u)];
    float py = levels[odd ? from + l.pitch : from - l.pitch];
    precise float base = p + (jy > 0.0 ? 0.25 * (py - p) : 0.0);
#ifdef SPACE
    odd = (c.z & 1) != 0;
    float jz = levels[from + 6u * l.slots + (odd ? l.layer : 0u)];
    float pz = levels[odd ? from + l.layer : from - l.layer];
    base = base + (jz > 0.0 ? 0.25 * (pz - p) : 0.0);
#endif
    odd = (c.x & 1) != 0;
    float jx = levels[from + 4u * l.slots + (odd ? 1u : 0u)];
    float px = levels[odd ? from + 1u : from - 1u];
    precise float each = base + (jx > 0.0 ? 0.25 * (px - p) : 0.0);
    precise float v = own + part * each;
    return top ? larger(v, 0.0) : v;
}

bool whole_level = false; // of the finest level cells without pressure count too, in this cycle

// Adds `part` of the pressure of large cells to a small one that counts.
void correct_cell(Level f, Level l, ivec3 c, float part, bool top)
{
    uint at = place_of(f, c), from = place_of(l, c / 2);
    float own = levels[at], has = top && !whole_level ? own : levels[at + 3u * f.slots];
    levels[at] = has > 0.0 ? corrected_to(f, l, c, from, own, part, top) : 0.0;
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

// Σ of the conductances between a small cell and those beside it that count.
float joined_to(Level f, uint at, bool top)
{
    precise float sum = 0.0;
    for (int c = 0; c < AXES; c++) {
        uint s = next_of(f, c), joint = at + uint(4 + c) * f.slots;
        float low = counts_at(f, at - s, top) ? levels[joint] : 0.0;
        float high = counts_at(f, at + s, top) ? levels[joint + s] : 0.0;
        sum = sum + (low + high);
    }
    return sum;
}

float rest_of(Level f, uint at, bool top)
{
    if (!counts_at(f, at, top)) return 0.0;
    precise float left = law.edge * (levels[at + 2u * f.slots] - joined_to(f, at, top));
    return left > 0.0 ? left : 0.0;
}

// Half the conductance of a small cell's low face along axis c, if both sides count.
float half_joint(Level f, uint at, int c, bool top)
{
    bool both = counts_at(f, at, top) && counts_at(f, at - next_of(f, c), top);
    precise float half_of = 0.5 * levels[at + uint(4 + c) * f.slots];
    return both ? half_of : 0.0;
}

// The conductance of a large cell's low face along axis `axis`: that of the small faces in it.
float joint_of(Level f, ivec3 c, int axis, bool top)
{
    precise float sum = 0.0;
    for (int k = 2 * c.z; k < 2 * c.z + 2 && k < f.n.z; k++)
        for (int j = 2 * c.y; j < 2 * c.y + 2 && j < f.n.y; j++) {
            if ((axis == 1 && (j & 1) != 0) || (axis == 2 && (k & 1) != 0)) continue;
            uint at = place_of(f, ivec3(2 * c.x, j, k));
            precise float some = half_joint(f, at, axis, top);
            if (axis > 0) some = some + half_joint(f, at + 1u, axis, top);
            sum = sum + some;
        }
    return sum;
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

// A large cell from the small ones in it: joints, the diagonal with the conductance to cells without
// pressure, and 1 over it. Faces between it and the next ones are worked out by both.
void coarsen_cell(Level l, Level f, ivec3 c, bool top)
{
    precise float diag = 0.0;
    uint at = place_of(l, c);
    bool has = false;
    for (int k = 2 * c.z; k < 2 * c.z + 2 && k < f.n.z; k++)
        for (int j = 2 * c.y; j < 2 * c.y + 2 && j < f.n.y; j++) {
            uint from = place_of(f, ivec3(2 * c.x, j, k));
            precise float rest = rest_of(f, from, top) + rest_of(f, from + 1u, top);
            diag = diag + rest;
            has = has || counts_at(f, from, top) || counts_at(f, from + 1u, top);
        }
    for (int k = 0; k < AXES; k++) {
        ivec3 next = c;
        next[k]++;
        float low = joint_of(f, c, k, top);
        float high = next[k] < l.n[k] ? joint_of(f, next, k, top) : 0.0;
        levels[at + uint(4 + k) * l.slots] = low;
        diag = diag + (low + high);
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
