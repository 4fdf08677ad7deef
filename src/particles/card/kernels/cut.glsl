// A plane as it is drawn: the density, as `mend` has made it, and the mean speed of the particles in a
// cell and those around it, m/s; as half floats, a word a cell, x fastest.
layout(local_size_x = 32, local_size_y = 4) in;

void main()
{
    ivec3 c = ivec3(thread_here()), n = law.cells.xyz;
    if (!inside(c)) return;
    ivec2 from = max(c.xy - 1, ivec2(0)), to = min(c.xy + 1, n.xy - 1);
    float sum = 0.0, count = 0.0;
    for (int a = from.y; a <= to.y; a++) {
        uint row = uint(a) * law.wide, last = first_at(row + uint(to.x) / uint(BIN) + 1u);
        for (uint i = first_at(row + uint(from.x) / uint(BIN)); i < last; i++) {
            vec4 p = particles[i];
            if (abs(int(p.x) - c.x) > 1) continue;
            sum += length(p.zw), count += 1.0;
        }
    }
    float speed = count > 0.0 ? sum / count : 0.0;
    shown[uint(c.x + n.x * c.y)] = packHalf2x16(vec2(sums[slot_of(c)].x, speed));
}
