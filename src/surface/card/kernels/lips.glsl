// The meniscus field of lips: what is near the columns that they belong to; of curtains: nothing
// but what their triangles touch (../../meniscus.c).
#ifndef ALONE
layout(local_size_x = 64) in;
#endif

#include "vertex"
#include "contact"

// `least`: the square of how far it is at least.
void put_lip(uint k, float least)
{
    uint node = fresh[2u * k], what = fresh[2u * k + 1u], vertex = counted.inside + k;
    vec2 at = place_of(vertex).xy;
    Reading best = Reading(word_of(k, IS_LAST), law.length, 0.0);
    if (best.nearest != NONE) best = measure(with_key(best.nearest), at, least);
    uint wet = what == IS_EXTRA ? wet_links(node) : 0u;
    for (int d = 0; d < 8; d++) {
        if ((wet >> d & 1u) == 0u) continue;
        uint o = links[uint(d) * law.nodes + node];
        if ((rings[law.from * law.slots + o] & NEAR) == 0u) continue;
        Reading r = measure(rings[RING_NEAREST * law.slots + o], at, least);
        if (r.distance < best.distance) best = r;
    }
    vec2 to = best.nearest != NONE ? pair_of(best.nearest, IS_TO_X) : vec2(0.0);
    set_field(vertex, smaller(best.distance, law.length), to, best.tilt);
}

#ifndef ALONE
void main()
{
    uint k = thread_x();
    take_counts();
    if (k < counted.fresh && !is_contact(counted.inside + k)) put_lip(k, law.least);
}
#endif
