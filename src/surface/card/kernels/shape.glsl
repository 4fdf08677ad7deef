// How far inside a node is (../../shape.c, which says why).
#define BLURRED 0.52
#define FARTHEST 0.75
#define DRY_LEAST 0.33
#define STEEP 1.2

struct Node {
    uint node, wet;
    uint link[8];
    float depth;
};

float dryness(float own)
{
    if (law.film <= 0.0) return own > 0.0 ? 0.0 : 1.0;
    precise float more = own - law.film, whole = 3.0 * law.film;
    precise float dry = 1.0 - clamp01(over_of(more, whole));
    return dry;
}

// ---- What clings to steep beds ------------------------------------------------------------------

uint behind(uint slot, int direction)
{
    uint back = uint(int(slot) - step_of(direction, pitch_of(slot)));
    return max_at(back) > base_at(back) ? back : NONE;
}

float goes_on(uint node, uint above, int direction)
{
    if (is_extra(node) || is_extra(above)) return 0.0;
    uint back = behind(node, direction);
    if (back == NONE) return 0.0;
    precise float rise = base_at(above) - base_at(node), fall = base_at(node) - base_at(back);
    if (!(rise > 0.0)) return 0.0;
    precise float thrice = 3.0 * fall;
    precise float on = over_of(thrice, rise) - 1.0;
    return clamp01(on);
}

float clings(uint node, uint above, int direction)
{
    float on = goes_on(node, above, direction);
    if (!(on > 0.0)) return 0.0;
    uint back = behind(node, direction);
    precise float fall = base_at(node) - base_at(back);
    precise float deeper = depth[node] - larger(depth[back], 0.0);
    precise float twice = 2.0 * (fall + deeper);
    precise float part = over_of(twice, fall) - 0.5;
    precise float all = on * clamp01(part);
    return all;
}

float clings_steeply(uint node, uint above, int direction)
{
    precise float up = base_at(above) - base_at(node);
    precise float rise = up * law.per_dx * ((direction & 1) != 0 ? 0.70710678 : 1.0);
    precise float steep = 2.0 * rise - 1.4;
    if (!(steep > 0.0)) return 0.0;
    precise float all = clamp01(steep) * clings(node, above, direction);
    return all;
}

float depth_around(Node n, float bed, inout float least)
{
    precise float sum = 0.0, weight = 0.0;
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        float own = depth[n.link[d]];
        precise float over = level_at(n.link[d]) - bed;
        if (over < own && !is_extra(n.node))
            over = mixed(over, own, clings_steeply(n.link[d], n.node, opposite(d)));
        sum += own * (over < own ? over : own), weight += own;
        least = own < least ? own : least;
    }
    return weight > 0.0 ? over_of(sum, weight) : n.depth;
}

float inside_wet(Node n, float bed, bool beside_dry)
{
    float least = n.depth;
    precise float lack = depth_around(n, bed, least) - n.depth;
    if (!(lack > 0.0)) return n.depth;
    precise float inside = n.depth - (beside_dry ? 1.0 : dryness(least)) * lack;
    return inside;
}

float inside_wedge(float own, float at[8])
{
    precise float sides = (at[0] + at[4]) + (at[2] + at[6]);
    precise float corner = (at[1] + at[5]) + (at[3] + at[7]);
    precise float mean = (4.0 * own + 2.0 * sides + corner) * 0.0625;
    precise float diagonal = at[1] - at[5], other = at[7] - at[3];
    precise float x = 2.0 * (at[0] - at[4]) + (diagonal + other);
    precise float y = 2.0 * (at[2] - at[6]) + (diagonal - other);
    precise float square = x * x + y * y;
    precise float slope = root_of(square) * 0.125;
    precise float most = FARTHEST * law.dx, bound = (BLURRED + FARTHEST) * slope;
    if (!(mean < bound)) return most;
    precise float inside = (over_of(mean, slope) - BLURRED) * law.dx;
    return larger(inside, -most);
}

void depths_around(Node n, out float at[8])
{
    precise float level = base_at(n.node) + n.depth;
    for (int d = 0; d < 8; d++) {
        uint o = n.link[d];
        precise float own = n.depth;
        if (o < law.slots) {
            precise float rise = (base_at(o) - level) * law.per_dx - 1.0;
            float wall = clamp01(rise), deep = depth[o];
            own += (1.0 - wall) * ((deep > 0.0 ? deep : 0.0) - n.depth);
        }
        at[d] = own;
    }
}

float even_bed(Node n, bool wet)
{
    precise float rise = 0.0, weight = 0.0;
    float bed = base_at(n.node);
    for (int d = 0; d < 8; d++) {
        uint o = n.link[d];
        if (o >= law.slots) continue;
        precise float dry = dryness(depth[o]);
        precise float part = wet ? dry : 1.0 - dry;
        precise float up = (wet ? base_at(o) - bed : bed - base_at(o)) * law.per_dx;
        precise float slanted = 0.70710678 * up;
        rise += part * ((d & 1) != 0 ? slanted : up), weight += part;
    }
    if (!(weight > 0.0)) return 1.0;
    precise float even = 2.5 * (STEEP - over_of(rise, weight));
    return clamp01(even);
}

float more_than_film(float own)
{
    precise float more = 4.0 * own * law.per_dx - 1.0;
    return clamp01(more);
}

float is_rim(float own, float at[8])
{
    float most = own;
    for (int d = 0; d < 8; d++) most = at[d] > most ? at[d] : most;
    return more_than_film(most);
}

float end_wedge(Node n, bool wet, float inside)
{
    float at[8];
    if (!(law.rim > 0.0)) return inside;
    depths_around(n, at);
    precise float least = -DRY_LEAST * law.dx;
    float wedge = inside_wedge(n.depth, at);
    if (!wet) wedge = smaller(wedge, least);
    precise float part = law.rim * is_rim(n.depth, at);
    precise float all = part * even_bed(n, wet);
    return mixed(inside, wedge, all);
}

float inside_even(uint slot)
{
    float own = depth[slot], at[8];
    if (!(law.rim > 0.0)) return own;
    int pitch = pitch_of(slot);
    for (int d = 0; d < 8; d++) at[d] = depth[uint(int(slot) + step_of(d, pitch))];
    float inside = inside_wedge(own, at);
    precise float least = 0.05 * law.dx, part = law.rim * is_rim(own, at);
    return mixed(own, inside > least ? inside : least, part);
}

float thick_on(float own, float rise)
{
    precise float slope = rise * law.per_dx;
    precise float square = 1.0 + slope * slope;
    return over_of(own, root_of(square));
}

float inside_wall(Node n, float bed, float inside)
{
    float above = 0.0, wall = 0.0, thick = n.depth;
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        precise float up = bed - level_at(n.link[d]), twice = 2.0 * n.depth;
        if (depth[n.link[d]] < twice || !(up > above)) continue;
        precise float rise = up * law.per_dx - 1.0;
        precise float bed_rise = bed - base_at(n.link[d]);
        above = up, wall = clamp01(rise), thick = thick_on(n.depth, bed_rise);
    }
    precise float part = wall * (1.0 - more_than_film(thick));
    return mixed(inside, -above, part);
}

// Heights of wet columns at a wall: a plane through the levels around.
#define AROUND 3
#define LOOSE 0.05

float wall_rise(Place p)
{
    float level = level_at(p.slot), low = 0.0, high = 0.0;
    precise float weight = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
    precise float sh = 0.0, sxh = 0.0, syh = 0.0;
    for (int y = -AROUND; y <= AROUND; y++) {
        for (int x = -AROUND; x <= AROUND; x++) {
            uint o;
            if (!slot_in(p.plane, p.x + x, p.y + y, o) || !(depth[o] > law.film)) continue;
            float other = level_at(o);
            if (!is_linked(p.slot, level, o, other)) continue;
            precise float cells = depth[o] * law.per_dx, h = other - level;
            precise float share =
                float((AROUND + 1 - abs(x)) * (AROUND + 1 - abs(y))) * clamp01(cells);
            precise float wx = share * float(x), wy = share * float(y);
            weight += share, sx += wx, sy += wy;
            sxx += wx * float(x), sxy += wx * float(y), syy += wy * float(y);
            sh += share * h, sxh += wx * h, syh += wy * h;
            low = h < low ? h : low, high = h > high ? h : high;
        }
    }
    if (!(weight > 0.5)) return 0.0;
    float per = quotient_of(1.0, weight);
    precise float x = sx * per, y = sy * per, h = sh * per;
    precise float xx = sxx * per - x * x + LOOSE, yy = syy * per - y * y + LOOSE;
    precise float xy = sxy * per - x * y, xh = sxh * per - x * h, yh = syh * per - y * h;
    precise float both = xx * yy - xy * xy;
    float whole = over_of(1.0, both);
    precise float along_x = (xh * yy - yh * xy) * whole, along_y = (yh * xx - xh * xy) * whole;
    precise float at = h - along_x * x - along_y * y;
    return smaller(larger(at, low), high);
}

// `near`: directions of all that it is linked to.
float wall_height(Place p, Node n, uint near)
{
    float steep = 0.0, z = z_of(n.node);
    for (int d = 0; d < 8; d++) {
        if ((near >> d & 1u) == 0u) continue;
        precise float up = base_at(n.link[d]) - base_at(n.node);
        precise float rise = abs(up) * law.per_dx * ((d & 1) != 0 ? 0.70710678 : 1.0);
        steep = larger(steep, rise);
    }
    precise float over = steep - 1.0;
    if (!(over > 0.0)) return z;
    precise float height = level_at(n.node) + wall_rise(p);
    return larger(mixed(z, height, clamp01(over)), floor_at(n.node));
}

float dry_height(Node n)
{
    precise float level = 0.0;
    float number = 0.0;
    for (int d = 0; d < 8; d++)
        if ((n.wet >> d & 1u) != 0u) level += level_at(n.link[d]), number += 1.0;
    precise float mean = level * (number > 0.0 ? quotient_of(1.0, number) : 0.0);
    return mean;
}

// How far a surface runs down a slope (../../surface.h).
float runs_down(float normal_z)
{
    precise float share = 4.0 * (0.76 - normal_z);
    return clamp01(share);
}

// How far inside a node is, whatever it is: as it is found, and when it is made fair (../../fair.c).
float inside_found(uint node)
{
    return kind_of(node) == KIND_EVEN ? inside_even(node) : values[law.nodes + node];
}

float inside_of(uint node)
{
    if (kind_of(node) != KIND_EVEN) return values[law.nodes + node];
    return (law.has & HAS_BENDS) != 0u ? law.dx : inside_even(node);
}
