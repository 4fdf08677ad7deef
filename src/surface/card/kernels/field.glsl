// The meniscus field of columns, from the distances around (../../meniscus.c).
#ifndef ALONE
layout(local_size_x = 16, local_size_y = 16) in;
#endif

#include "vertex"
#include "contact"

#define WHOLE 0.75

bool is_near(uint slot)
{
    return (rings[law.from * law.slots + slot] & NEAR) != 0u;
}

float distance_at(uint slot)
{
    return uintBitsToFloat(rings[RING_DISTANCE * law.slots + slot]);
}

// What a column has beside it on an axis: how far it is (m, 0: nothing) and its distance.
vec2 look(uint slot, int d)
{
    uint o = linked_to(slot, d), vertex;
    if (o == NONE) return vec2(0.0);
    if (is_inside(o) && !is_extra(o))
        return is_near(o) ? vec2(law.dx, distance_at(o)) : vec2(0.0);
    uint mask = nodes[AT_ENDS * law.nodes + o], back = uint(opposite(d));
    if (is_extra(o)) {
        if ((mask & OWN_VERTEX) == 0u) return vec2(0.0);
        vertex = nodes[AT_VERTEX * law.nodes + o];
    } else {
        if ((mask >> back & 1u) == 0u) return vec2(0.0);
        vertex = nodes[AT_FIRST * law.nodes + o] + uint(bitCount(mask & ((1u << back) - 1u)));
    }
    if (!is_contact(vertex)) return vec2(0.0);
    vec2 c = pair_of(vertex - counted.inside, IS_X);
    vec3 at = place_of(nodes[AT_VERTEX * law.nodes + slot]);
    precise float ahead = (c.x - at.x) * float(STEP_X[d]) + (c.y - at.y) * float(STEP_Y[d]);
    precise float least = 0.01 * law.dx;
    return vec2(larger(ahead, least), 0.0);
}

float slope_of(float here, vec2 back, vec2 on)
{
    precise float down = here - back.y, up = on.y - here;
    float before = back.x > 0.0 ? over_of(down, back.x) : 0.0;
    float after = on.x > 0.0 ? over_of(up, on.x) : 0.0;
    if (!(back.x > 0.0)) return after;
    if (!(on.x > 0.0)) return before;
    precise float both = before * on.x + after * back.x, whole = back.x + on.x;
    return over_of(both, whole);
}

vec2 slope_at(uint s, uint up, float here)
{
    bool even = linked_to(s, EAST) == s + 1u && linked_to(s, WEST) == s - 1u &&
                linked_to(s, NORTH) == s + up && linked_to(s, SOUTH) == s - up;
    if (even && is_near(s + 1u) && is_near(s - 1u) && is_near(s + up) && is_near(s - up)) {
        precise float per = 0.5 * law.per_dx;
        precise float x = per * (distance_at(s + 1u) - distance_at(s - 1u));
        precise float y = per * (distance_at(s + up) - distance_at(s - up));
        return vec2(x, y);
    }
    return vec2(slope_of(here, look(s, WEST), look(s, EAST)),
                slope_of(here, look(s, SOUTH), look(s, NORTH)));
}

void put_field(uint slot, int pitch, uint vertex)
{
    if (!is_near(slot)) {
        set_field(vertex, law.length, vec2(0.0), 0.0);
        return;
    }
    float here = distance_at(slot);
    vec2 slope = slope_at(slot, uint(pitch), here);
    precise float square = slope.x * slope.x + slope.y * slope.y;
    float per = over_of(-1.0, larger(root_of(square), WHOLE));
    precise vec2 to = slope * per;
    set_field(vertex, smaller(here, law.length), to,
              uintBitsToFloat(rings[RING_TILT * law.slots + slot]));
}

#ifndef ALONE
void main()
{
    Place p = place_here();
    take_counts();
    if (!counted.fits || !p.exists || kind_of(p.slot) == KIND_NONE || !is_inside(p.slot)) return;
    put_field(p.slot, p.pitch, nodes[AT_VERTEX * law.nodes + p.slot]);
}
#endif
