// How many vertices and triangles each group has, and what the picture must know of all of it.
layout(local_size_x = 16, local_size_y = 16) in;

#include "sums"
#include "here"
#include "vertex"

shared uint low, high, deep, fast;

uint fresh_of(uint node)
{
    uint mask = nodes[AT_ENDS * law.nodes + node];
    uint number = uint(bitCount(mask));
    if (is_extra(node)) number += curtain_vertices(node);
    return number;
}

void measure(uint node)
{
    if (is_extra(node)) {
        uint below = extra_word(node, EXTRA_BELOW);
        if (below != NONE) atomicMin(low, ordered(base_at(below)));
        return;
    }
    atomicMin(low, ordered(base_at(node)));
    atomicMax(high, ordered(larger(z_of(node), floor_at(node))));
    if (!is_wet(node) || !is_inside(node)) return;
    atomicMax(deep, ordered(depth[node]));
    atomicMax(fast, ordered(square_of(normals[2u * law.slots + node].xyz)));
}

void main()
{
    uint node = node_here(), inside = 0u, others = 0u, triangles = 0u;
    uint n = gl_LocalInvocationIndex;
    if (n == 0u) low = 0xffffffffu, high = deep = fast = 0u;
    barrier();
    if (node != NONE) {
        inside = !is_extra(node) && is_inside(node) ? 1u : 0u;
        others = fresh_of(node), triangles = nodes[AT_TRIANGLES * law.nodes + node];
        measure(node);
    }
    uint all = sum_of_group(inside | others << 16), all_triangles = sum_of_group(triangles);
    if (n != 0u || (group_x() >= law.groups && gl_WorkGroupID.z > 0u)) return;
    put_sum(group_here(), 0u, all & 0xffffu);
    put_sum(group_here(), 1u, all >> 16);
    put_sum(group_here(), 2u, all_triangles);
    atomicMin(status[STATUS_LOW], low);
    atomicMax(status[STATUS_HIGH], high);
    atomicMax(status[STATUS_DEEP], deep);
    atomicMax(status[STATUS_FAST], fast);
}
