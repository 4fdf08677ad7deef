// A level in a plane from the one below it: as coarsen_cell() has it, but a thread has a row of a large
// cell, two small ones, and asks for all that it needs of them at once; then sums are made in their
// order, in what the group shares, and when all groups have done so the diagonals. In space, where there
// are more cells than threads, that is the slower way.
#define LARGE_AT_ONCE (ALL / 2)

// What a small cell's neighbours along an axis say: whether they count, conductances.
struct Beside {
    bool low, high;
    float joint_low, joint_high;
};

Beside beside_at(Level f, uint at, int axis, bool top)
{
    uint s = next_of(f, axis), joint = at + uint(4 + axis) * f.slots;
    return Beside(counts_at(f, at - s, top), counts_at(f, at + s, top), levels[joint],
                  levels[joint + s]);
}

// A small cell: what is left of its diagonal, and half the conductances of its low faces.
vec3 small_part(float diag, bool counts, Beside along, Beside up)
{
    precise float sum = 0.0;
    sum = sum + ((along.low ? along.joint_low : 0.0) + (along.high ? along.joint_high : 0.0));
    sum = sum + ((up.low ? up.joint_low : 0.0) + (up.high ? up.joint_high : 0.0));
    precise float left = law.edge * (diag - sum);
    precise vec2 half_of = 0.5 * vec2(along.joint_low, up.joint_low);
    return vec3(counts && left > 0.0 ? left : 0.0, counts && along.low ? half_of.x : 0.0,
                counts && up.low ? half_of.y : 0.0);
}

// A row of a large cell: sums of its two cells, along the row the low face of the first; and whether one
// counts.
vec4 row_part(Level f, ivec3 c, bool top)
{
    uint at = place_of(f, c), d = at + 2u * f.slots;
    bvec2 counts = bvec2(counts_at(f, at, top), counts_at(f, at + 1u, top));
    vec2 diag = vec2(levels[d], levels[d + 1u]);
    Beside beside[4];
    for (int k = 0; k < 4; k++) beside[k] = beside_at(f, at + uint(k & 1), k >> 1, top);
    vec3 a = small_part(diag.x, counts.x, beside[0], beside[2]);
    vec3 b = small_part(diag.y, counts.y, beside[1], beside[3]);
    precise vec3 both = a + b;
    return vec4(both.x, a.y, both.z, any(counts) ? 1.0 : 0.0);
}

vec4 part_in(int i)
{
    return vec4(p[i], p[ALL + i], p[2 * ALL + i], p[3 * ALL + i]);
}

// A large cell from its two rows, which stand in `p` from `from` on. Of the faces along its columns only
// those of the first row are its own.
void sum_rows(Level l, Level f, ivec3 c, int from)
{
    vec4 low = part_in(from), high = part_in(from + 1);
    precise vec2 sum = vec2(0.0);
    sum = sum + low.xy;
    sum = sum + high.xy;
    uint at = place_of(l, c);
    levels[at] = 0.0;
    levels[at + 2u * l.slots] = sum.x;
    levels[at + 3u * l.slots] = max(low.w, high.w);
    levels[at + 4u * l.slots] = sum.y;
    levels[at + 5u * l.slots] = low.z;
    if (c.x == 0) begin_row(l, f, c);
}

// The first round: `first_cell` of those that the group does, `step` from one lot to the next.
void make_sums(Level l, Level f, int first_cell, int step, bool top)
{
    int t = int(gl_LocalInvocationIndex), all = cells_of(l);
    for (int from = first_cell; from < all; from += step) {
        int k = from + t / 2;
        ivec3 c = cell_of(l, k), row = ivec3(2 * c.x, 2 * c.y + (t & 1), 0);
        vec4 part = vec4(0.0);
        if (k < all && row.y < f.n.y) part = row_part(f, row, top);
        for (int n = 0; n < 4; n++) p[n * ALL + t] = part[n];
        barrier();
        if (t < LARGE_AT_ONCE && from + t < all) sum_rows(l, f, cell_of(l, from + t), 2 * t);
        barrier();
    }
}

// The second: joints of all cells must be there.
void make_diagonals(Level l, int first_cell, int step)
{
    for (int k = first_cell + int(gl_LocalInvocationIndex); k < cells_of(l); k += step) {
        uint at = place_of(l, cell_of(l, k)), jx = at + 4u * l.slots, jy = at + 5u * l.slots;
        precise float diag = levels[at + 2u * l.slots];
        float has = levels[at + 3u * l.slots];
        vec4 joint = vec4(levels[jx], levels[jx + 1u], levels[jy], levels[jy + l.pitch]);
        diag = diag + (joint.x + joint.y);
        diag = diag + (joint.z + joint.w);
        levels[at + 2u * l.slots] = diag;
        levels[at + 3u * l.slots] = has > 0.0 && diag > 0.0 ? quotient_of(1.0, diag) : 0.0;
    }
}
