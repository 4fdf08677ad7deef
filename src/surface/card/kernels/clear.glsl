// Before extra nodes are found: columns have no links to any, nor to full columns that the sheet
// goes on to, and no ends.
layout(local_size_x = 16, local_size_y = 16) in;

void main()
{
    Place p = place_here();
    if (!p.exists) return;
    nodes[AT_ENDS * law.nodes + p.slot] = 0u;
    uint joins = nodes[AT_JOINS * law.nodes + p.slot] & 255u;
    for (int d = 0; d < 8; d++)
        if ((joins >> d & 1u) != 0u) links[uint(d) * law.nodes + p.slot] = NONE;
    nodes[AT_MASK * law.nodes + p.slot] &= ~joins;
    nodes[AT_JOINED * law.nodes + p.slot] = nodes[AT_JOINS * law.nodes + p.slot] = 0u;
    for (int d = 0; d < 8; d++) {
        uint at = uint(d) * law.nodes + p.slot;
        if (links[at] != NONE && links[at] >= law.slots) links[at] = NONE;
    }
}
