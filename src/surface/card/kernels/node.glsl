// How far inside a node is, from the columns that it is linked to (../../shape.c). What these have is
// asked of memory at once, by gather: one after the other each would be waited for.
#define DRY_LEAST 0.33
#define STEEP 1.2

struct Node {
    uint node, wet;
    uint link[8];
    float depth;
    float base[8], deep[8]; // of what it is linked to, if that is a column
};

void gather(inout Node n)
{
    for (int d = 0; d < 8; d++) {
        uint o = n.link[d] < law.slots ? n.link[d] : n.node;
        n.base[d] = base_at(o), n.deep[d] = depth[o];
    }
}

float level_beside(Node n, int d)
{
    precise float level = n.base[d] + (n.deep[d] > 0.0 ? n.deep[d] : 0.0);
    return level;
}

float dryness(float own)
{
    if (law.film <= 0.0) return own > 0.0 ? 0.0 : 1.0;
    precise float more = own - law.film, whole = 3.0 * law.film;
    precise float dry = 1.0 - clamp01(over_of(more, whole));
    return dry;
}

float depth_around(Node n, float bed, inout float least)
{
    precise float sum = 0.0, weight = 0.0;
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        float own = n.deep[d];
        precise float over = level_beside(n, d) - bed;
        if (over < own)
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

void depths_around(Node n, float bed, out float at[8])
{
    precise float level = bed + n.depth;
    for (int d = 0; d < 8; d++) {
        precise float own = n.depth;
        if (n.link[d] < law.slots) {
            precise float rise = (n.base[d] - level) * law.per_dx - 1.0;
            float wall = clamp01(rise), deep = n.deep[d];
            own += (1.0 - wall) * ((deep > 0.0 ? deep : 0.0) - n.depth);
        }
        at[d] = own;
    }
}

float even_bed(Node n, float bed, bool wet)
{
    precise float rise = 0.0, weight = 0.0;
    for (int d = 0; d < 8; d++) {
        if (n.link[d] >= law.slots) continue;
        precise float dry = dryness(n.deep[d]);
        precise float part = wet ? dry : 1.0 - dry;
        precise float up = (wet ? n.base[d] - bed : bed - n.base[d]) * law.per_dx;
        precise float slanted = 0.70710678 * up;
        rise += part * ((d & 1) != 0 ? slanted : up), weight += part;
    }
    if (!(weight > 0.0)) return 1.0;
    precise float even = 2.5 * (STEEP - over_of(rise, weight));
    return clamp01(even);
}

float end_wedge(Node n, float bed, bool wet, float inside)
{
    float at[8];
    if (!(law.rim > 0.0)) return inside;
    depths_around(n, bed, at);
    precise float least = -DRY_LEAST * law.dx;
    float wedge = inside_wedge(n.depth, at);
    if (!wet) wedge = smaller(wedge, least);
    precise float part = law.rim * is_rim(n.depth, at);
    precise float all = part * even_bed(n, bed, wet);
    return mixed(inside, wedge, all);
}

float inside_wall(Node n, float bed, float inside)
{
    float above = 0.0, wall = 0.0, thick = n.depth;
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        precise float up = bed - level_beside(n, d), twice = 2.0 * n.depth;
        if (n.deep[d] < twice || !(up > above)) continue;
        precise float rise = up * law.per_dx - 1.0;
        precise float bed_rise = bed - n.base[d];
        above = up, wall = clamp01(rise), thick = thick_on(n.depth, bed_rise);
    }
    precise float part = wall * (1.0 - more_than_film(thick));
    return mixed(inside, -above, part);
}

float dry_height(Node n)
{
    precise float level = 0.0;
    float number = 0.0;
    for (int d = 0; d < 8; d++)
        if ((n.wet >> d & 1u) != 0u) level += level_beside(n, d), number += 1.0;
    precise float mean = level * (number > 0.0 ? quotient_of(1.0, number) : 0.0);
    return mean;
}
