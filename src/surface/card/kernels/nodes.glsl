// Final links of columns, what they meet where they have none (../../links.c), and how far inside
// they are.
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"
#include "node"
#include "wall"

shared bool at_wall; // some column of the group is

// The column of a cell whose range holds a height.
bool column_at(int x, int y, float h, out uint found, out uint plane)
{
    found = NONE, plane = 0u;
    if (x < 0 || y < 0 || x >= int(law.nx) || y >= int(law.ny)) return false;
    for (uint l = 0u; l < law.planes; l++) {
        uint slot;
        if (!slot_in(l, x, y, slot) || !(max_at(slot) > base_at(slot))) break;
        if (!(h < max_at(slot))) continue;
        found = slot, plane = l;
        return h >= min_at(slot);
    }
    return false;
}

// What a wet column meets in a direction in which it has no link.
uint beyond(Place p, float level, int d, bool found, uint other)
{
    int x = p.x + STEP_X[d], y = p.y + STEP_Y[d];
    float most = max_at(p.slot);
    if (x < 0 || y < 0 || x >= int(law.nx) || y >= int(law.ny)) return KIND_NONE;
    bool full = !(level < most);
    if (!found) return !full && most < law.top ? KIND_WALL : KIND_NONE;
    if (base_at(other) > most) return full ? KIND_NONE : KIND_WALL;
    bool lip = (law.has & HAS_CURTAIN) != 0u && level_at(other) < min_at(p.slot);
    return lip ? KIND_LIP : KIND_NONE;
}

void link_across(Place p, uint kind, float level, int d, uint other, inout Node n, inout uint want,
                 inout uint lips)
{
    bool found = other != NONE;
    if (!found) {
        uint q;
        found = column_at(p.x + STEP_X[d], p.y + STEP_Y[d], level, other, q);
        if (found && q != p.plane && kind_of(other) != KIND_NONE &&
            is_linked(p.slot, level, other, level_at(other))) {
            n.link[d] = other;
            if (is_wet(other)) n.wet |= 1u << d;
            return;
        }
    }
    if (kind != KIND_WET) return;
    uint what = beyond(p, level, d, found, other);
    if (what != KIND_NONE) want |= 1u << d;
    if (what == KIND_LIP) lips |= 1u << d;
}

void store(Node n, uint want, uint lips, float inside)
{
    for (int d = 0; d < 8; d++) links[uint(d) * law.nodes + n.node] = n.link[d];
    nodes[AT_MASK * law.nodes + n.node] = n.wet | want << 8 | lips << 16;
    values[law.nodes + n.node] = inside;
    values[2u * law.nodes + n.node] = n.depth;
    nodes[AT_JOINED * law.nodes + n.node] = nodes[AT_JOINS * law.nodes + n.node] = 0u;
}

// Whether the bed beside an even column rises or falls by more than a cell.
bool is_at_wall(Node n, float bed)
{
    bool is = false;
    for (int d = 0; d < 8; d += 2) {
        precise float rise = n.base[d] - bed;
        is = is || abs(rise) > law.dx;
    }
    return is;
}

// Directions in which it is linked to a column.
uint columns_around(Node n)
{
    uint mask = 0u;
    for (int d = 0; d < 8; d++)
        if (n.link[d] < law.slots) mask |= 1u << d;
    return mask;
}

// Links of a column that is not even, and what it meets where it has none.
void link_all(Place p, uint kind, uint found, inout Node n, inout uint want, inout uint lips)
{
    uint linked = found >> 8 & 255u, held = law.planes > 1u ? found >> 24 : 0u, kinds[8];
    for (int d = 0; d < 8; d++) kinds[d] = kind_of(n.link[d]);
    for (int d = 0; d < 8; d++) {
        bool is = (linked >> d & 1u) != 0u;
        // of two dry columns that are linked one may be no node
        if (kind == KIND_DRY && (n.wet >> d & 1u) == 0u) is = is && kinds[d] != KIND_NONE;
        if (!is) n.link[d] = NONE;
    }
    uint missing = ~linked & 255u;
    if (kind == KIND_DRY) missing = law.planes > 1u ? missing & ~held : 0u;
    float level = level_at(p.slot);
    for (int d = 0; d < 8; d++) {
        if ((missing >> d & 1u) == 0u) continue;
        uint other = (held >> d & 1u) != 0u ? uint(int(p.slot) + step_of(d, p.pitch)) : NONE;
        link_across(p, kind, level, d, other, n, want, lips);
    }
}

// How far inside, and of a dry column its height.
float shape_of(Node n, uint kind, float bed)
{
    bool beside_dry = false;
    float least = 0.0;
    for (int d = 0; d < 8; d++)
        if (n.link[d] != NONE && (n.wet >> d & 1u) == 0u) beside_dry = true;
    if (kind == KIND_DRY) {
        values[n.node] = dry_height(n);
        return -abs(depth_around(n, bed, least));
    }
    float inside = end_wedge(n, bed, true, inside_wet(n, bed, beside_dry));
    return (law.has & HAS_BENDS) != 0u ? inside_wall(n, bed, inside) : inside;
}

void main()
{
    Place p = place_here();
    uint s = p.exists ? p.slot : 0u, found = nodes[s], want = 0u, lips = 0u;
    uint kind = p.exists ? found & 255u : KIND_NONE;
    bool bends = (law.has & HAS_BENDS) != 0u;
    float own = depth[s], bed = base_at(s), inside = -1.0, over = 0.0;
    Node n;
    n.node = s, n.wet = kind != KIND_NONE ? found >> 16 & 255u : 0u;
    n.depth = own > 0.0 ? own : 0.0;
    for (int d = 0; d < 8; d++)
        n.link[d] = kind != KIND_NONE ? uint(int(s) + step_of(d, p.pitch)) : NONE;
    if (gl_LocalInvocationIndex == 0u) at_wall = false;
    barrier();
    if (kind == KIND_EVEN) inside = 1.0;
    else if (kind != KIND_NONE) link_all(p, kind, found, n, want, lips);
    if (bends ? kind != KIND_NONE : kind > KIND_EVEN) gather(n);
    if (kind > KIND_EVEN) inside = shape_of(n, kind, bed);
    if (bends && kind == KIND_EVEN && is_at_wall(n, bed)) over = walls_at(n, bed, 255u);
    if (bends && kind == KIND_WET) over = walls_at(n, bed, columns_around(n));
    if (p.exists) store(n, want, lips, inside);
    if (want != 0u) status[STATUS_WANTS] = 1u;
    if (over > 0.0) at_wall = true;
    barrier();
    if (!at_wall) return;
    bring_near(p);
    if (over > 0.0) values[s] = wall_height(s, over);
}
