// How far outside dry columns are, when all that are wet are done (../../shape.c).
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"

#define STEEPEST 2.0

float beyond_rim(Node n, float inside)
{
    precise float sum = 0.0;
    float high = floor_at(n.node), number = 0.0;
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        uint o = n.link[d];
        float own = inside_found(o), low = floor_at(o), z = z_of(o);
        if (!(own > 0.0)) continue;
        precise float whole = own - inside, up = high - low;
        precise float way = (d & 1) != 0 ? 1.41421356 * law.dx : law.dx;
        float t = larger(over_of(own, whole), 0.1);
        precise float rise = over_of(up, way) - 1.0, over = z - (low + t * up);
        float falls = quotient_of(larger(over, 0.0), t);
        precise float most = STEEPEST * way, share = 1.0 - clamp01(rise);
        sum += z - share * smaller(falls, most), number += 1.0;
    }
    if (!(number > 0.0)) return z_of(n.node);
    precise float mean = sum * quotient_of(1.0, number);
    return mean;
}

void main()
{
    Place p = place_here();
    if (!p.exists || kind_of(p.slot) != KIND_DRY) return;
    Node n;
    n.node = p.slot, n.wet = wet_links(p.slot), n.depth = values[2u * law.nodes + p.slot];
    precise float sum = 0.0, weight = 0.0;
    for (int d = 0; d < 8; d++) {
        uint o = links[uint(d) * law.nodes + p.slot];
        n.link[d] = o;
        if ((n.wet >> d & 1u) == 0u) continue;
        float own = depth[o];
        sum += own * (own - values[law.nodes + o]), weight += own;
    }
    float lack = weight > 0.0 ? over_of(sum, weight) : 0.0, inside = values[law.nodes + p.slot];
    inside = end_wedge(n, false, -larger(-inside, lack));
    values[law.nodes + p.slot] = inside;
    if ((law.has & HAS_BENDS) != 0u) values[p.slot] = beyond_rim(n, inside);
}
