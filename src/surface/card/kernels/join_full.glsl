// Links to full columns that the sheet goes on to, as they were found with the extra nodes
// (extras.glsl; ../../extras.c: join_full).
layout(local_size_x = 16, local_size_y = 16) in;

void main()
{
    Place p = place_here();
    if (!p.exists) return;
    uint own = nodes[AT_JOINS * law.nodes + p.slot] >> 16;
    uint planes = nodes[AT_JOINED * law.nodes + p.slot];
    for (int d = 0; d < 8; d++) {
        uint full, here = 1u << d, there = 1u << opposite(d);
        if ((own >> d & 1u) == 0u) continue;
        slot_in(planes >> (4 * d) & 15u, p.x + STEP_X[d], p.y + STEP_Y[d], full);
        links[uint(d) * law.nodes + p.slot] = full;
        links[uint(opposite(d)) * law.nodes + full] = p.slot;
        atomicOr(nodes[AT_MASK * law.nodes + p.slot], here);
        atomicOr(nodes[AT_MASK * law.nodes + full], there);
        atomicOr(nodes[AT_JOINS * law.nodes + p.slot], here);
        atomicOr(nodes[AT_JOINS * law.nodes + full], there);
    }
}
