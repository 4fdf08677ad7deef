// Before extra nodes are found: columns have no links to any, and no ends.
layout(local_size_x = 16, local_size_y = 16) in;

void main()
{
    Place p = place_here();
    if (!p.exists) return;
    nodes[AT_ENDS * law.nodes + p.slot] = 0u;
    for (int d = 0; d < 8; d++) {
        uint at = uint(d) * law.nodes + p.slot;
        if (links[at] != NONE && links[at] >= law.slots) links[at] = NONE;
    }
}
