// Final links of columns, what they meet where they have none (../../links.c), and how far inside
// they are.
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"

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
bool is_at_wall(uint slot, int pitch)
{
    float bed = base_at(slot);
    for (int d = 0; d < 8; d += 2) {
        precise float rise = base_at(uint(int(slot) + step_of(d, pitch))) - bed;
        if (abs(rise) > law.dx) return true;
    }
    return false;
}

// Directions in which it is linked to a column.
uint columns_around(Node n)
{
    uint mask = 0u;
    for (int d = 0; d < 8; d++)
        if (n.link[d] < law.slots) mask |= 1u << d;
    return mask;
}

void main()
{
    Place p = place_here();
    if (!p.exists) return;
    uint s = p.slot, found = nodes[s], kind = found & 255u, want = 0u, lips = 0u;
    Node n;
    float own = depth[s];
    n.node = s, n.wet = found >> 16 & 255u, n.depth = own > 0.0 ? own : 0.0;
    for (int d = 0; d < 8; d++) n.link[d] = uint(int(s) + step_of(d, p.pitch));
    if (kind == KIND_EVEN) {
        if ((law.has & HAS_BENDS) != 0u && is_at_wall(s, p.pitch))
            values[s] = wall_height(p, n, 255u);
        store(n, 0u, 0u, 1.0);
        return;
    }
    uint linked = found >> 8 & 255u, held = law.planes > 1u ? found >> 24 : 0u;
    for (int d = 0; d < 8; d++) {
        bool is = kind != KIND_NONE && (linked >> d & 1u) != 0u;
        // of two dry columns that are linked one may be no node
        if (is && kind == KIND_DRY && (n.wet >> d & 1u) == 0u)
            is = kind_of(n.link[d]) != KIND_NONE;
        if (!is) n.link[d] = NONE;
    }
    if (kind == KIND_NONE) {
        n.wet = 0u;
        store(n, 0u, 0u, -1.0);
        return;
    }
    uint missing = ~linked & 255u;
    if (kind == KIND_DRY) missing = law.planes > 1u ? missing & ~held : 0u;
    float level = level_at(s);
    for (int d = 0; d < 8; d++) {
        if ((missing >> d & 1u) == 0u) continue;
        uint other = (held >> d & 1u) != 0u ? uint(int(s) + step_of(d, p.pitch)) : NONE;
        link_across(p, kind, level, d, other, n, want, lips);
    }
    bool beside_dry = false;
    for (int d = 0; d < 8; d++)
        if (n.link[d] != NONE && (n.wet >> d & 1u) == 0u) beside_dry = true;
    float bed = base_at(s), inside, least = 0.0;
    if (kind == KIND_WET) {
        inside = end_wedge(n, true, inside_wet(n, bed, beside_dry));
        if ((law.has & HAS_BENDS) != 0u) {
            inside = inside_wall(n, bed, inside);
            values[s] = wall_height(p, n, columns_around(n));
        }
    } else {
        values[s] = dry_height(n);
        inside = -abs(depth_around(n, bed, least));
    }
    store(n, want, lips, inside);
}
