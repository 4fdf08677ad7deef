// Vertices get their numbers: first those of columns inside, which are made here, then the others,
// of which it is noted what they are.
layout(local_size_x = 16, local_size_y = 16) in;

#include "sums"
#include "here"
#include "vertex"

void note(uint vertex, uint node, uint what)
{
    fresh[2u * (vertex - counted.inside)] = node, fresh[2u * (vertex - counted.inside) + 1u] = what;
}

// What a node has besides a vertex of its own column.
void number_others(uint node, uint vertex)
{
    uint mask = nodes[AT_ENDS * law.nodes + node];
    if (is_extra(node)) {
        nodes[AT_VERTEX * law.nodes + node] = vertex;
        if ((mask & OWN_VERTEX) != 0u) note(vertex++, node, IS_EXTRA);
        nodes[AT_FIRST * law.nodes + node] = vertex;
        uint number = curtain_vertices(node);
        for (uint k = 0u; k < number; k++) note(vertex + k, node, IS_TOP + k);
        return;
    }
    nodes[AT_FIRST * law.nodes + node] = vertex;
    for (uint d = 0u; d < 8u; d++)
        if ((mask >> d & 1u) != 0u) note(vertex++, node, d);
}

void main()
{
    take_counts();
    if (!counted.fits) return;
    uint node = node_here(), inside = 0u, others = 0u;
    bool column = node != NONE && !is_extra(node);
    if (node != NONE) {
        inside = column && is_inside(node) ? 1u : 0u;
        others = uint(bitCount(nodes[AT_ENDS * law.nodes + node]));
        if (!column) others += curtain_vertices(node);
    }
    uint before = sum_before(inside | others << 16);
    if (node == NONE) return;
    uint vertex = sums_at(group_here(), 0u) + (before & 0xffffu);
    number_others(node, counted.inside + sums_at(group_here(), 1u) + (before >> 16));
    if (inside == 0u) return;
    nodes[AT_VERTEX * law.nodes + node] = vertex;
    fresh[2u * law.fresh + vertex] = node;
    ivec2 cell = cell_of(node);
    put(vertex, vec3(cell_x(cell.x), cell_y(cell.y), z_of(node)), flow_of(node), depth[node],
        -1.0);
}
