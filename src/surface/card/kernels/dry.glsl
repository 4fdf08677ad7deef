// How far outside dry columns are, when all that are wet are done (../../shape.c).
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"
#include "node"

#define STEEPEST 2.0

float beyond_rim(Node n, float high, float inside)
{
    precise float sum = 0.0;
    float number = 0.0, own[8], low[8], z[8];
    uint kinds[8];
    for (int d = 0; d < 8; d++) { // asked for at once
        uint o = n.link[d] < law.slots ? n.link[d] : n.node;
        kinds[d] = kind_of(o), own[d] = values[law.nodes + o], low[d] = floor_at(o), z[d] = z_of(o);
    }
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        if (kinds[d] == KIND_EVEN) own[d] = inside_even(n.link[d]);
        if (!(own[d] > 0.0)) continue;
        precise float whole = own[d] - inside, up = high - low[d];
        precise float way = (d & 1) != 0 ? 1.41421356 * law.dx : law.dx;
        float t = larger(over_of(own[d], whole), 0.1);
        precise float rise = over_of(up, way) - 1.0, over = z[d] - (low[d] + t * up);
        float falls = quotient_of(larger(over, 0.0), t);
        precise float most = STEEPEST * way, share = 1.0 - clamp01(rise);
        sum += z[d] - share * smaller(falls, most), number += 1.0;
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
    float high = floor_at(p.slot), inside = values[law.nodes + p.slot], theirs[8];
    n.node = p.slot, n.wet = wet_links(p.slot), n.depth = values[2u * law.nodes + p.slot];
    for (int d = 0; d < 8; d++) n.link[d] = links[uint(d) * law.nodes + p.slot];
    gather(n);
    for (int d = 0; d < 8; d++)
        theirs[d] = values[law.nodes + (n.link[d] < law.slots ? n.link[d] : n.node)];
    precise float sum = 0.0, weight = 0.0;
    for (int d = 0; d < 8; d++) {
        if ((n.wet >> d & 1u) == 0u) continue;
        float own = n.deep[d];
        sum += own * (own - theirs[d]), weight += own;
    }
    float lack = weight > 0.0 ? over_of(sum, weight) : 0.0;
    inside = end_wedge(n, base_at(p.slot), false, -larger(-inside, lack));
    values[law.nodes + p.slot] = inside;
    if ((law.has & HAS_BENDS) != 0u) values[p.slot] = beyond_rim(n, high, inside);
}
