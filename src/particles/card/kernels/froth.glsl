// How much of the liquid around each cell is foam (fill_froth in ../../drawn.c), as bytes, four a word.
layout(local_size_x = 256) in;

// The kernel of the density along an axis; what falls beyond walls is mirrored back.
float weight_along(float x, int c, int n)
{
    vec3 d = vec3(x - float(c) - 0.5, x + float(c) + 0.5, 2.0 * float(n) - x - float(c) - 0.5);
    vec3 w = max(0.5 - 0.25 * abs(d), 0.0);
    return w.x + w.y + w.z;
}

float froth_at(uint at)
{
    ivec3 n = law.cells.xyz;
    if (at >= uint(n.x) * uint(n.y) * uint(n.z)) return 0.0;
    uint line = at / uint(n.x);
    ivec3 c = ivec3(at - line * uint(n.x), line % uint(n.y), line / uint(n.y));
    float whole = fields[slot_of(c)], sum = 0.0;
    if (!(whole > 0.0)) return 0.0;
    ivec3 from = max(c - 2, ivec3(0)), to = min(c + 2, n - 1);
    uint low = uint(from.x) / uint(BIN), high = uint(to.x) / uint(BIN);
    for (int b = from.z; b <= to.z; b++)
        for (int a = from.y; a <= to.y; a++) {
            uint row = (uint(b) * uint(n.y) + uint(a)) * law.wide;
            uint last = first_at(row + high + 1u);
            for (uint i = first_at(row + low); i < last; i++) {
                float air = air_of(i);
                if (air <= 0.004) continue;
                vec3 p = particles[SIZE * i].xyz;
                float w = air * weight_along(p.x, c.x, n.x) * weight_along(p.y, c.y, n.y);
                if (AXES == 3) w *= weight_along(p.z, c.z, n.z);
                sum += w;
            }
        }
    return min(sum / whole, 1.0);
}

void main()
{
    uint nx = uint(law.cells.x), all = nx * uint(law.cells.y) * uint(law.cells.z);
    uint at = thread_here().x + thread_here().y * gl_NumWorkGroups.x * 256u;
    if (4u * at >= all) return;
    uint word = 0u;
    for (uint k = 0u; k < 4u; k++) word |= uint(froth_at(4u * at + k) * 255.0 + 0.5) << (8u * k);
    shown[law.froth_at + at] = word;
}
