// How far outside dry columns are, when all that are wet are done (../../shape.c).
layout(local_size_x = 16, local_size_y = 16) in;

#include "shape"

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
    values[law.nodes + p.slot] = end_wedge(n, false, -larger(-inside, lack));
}
