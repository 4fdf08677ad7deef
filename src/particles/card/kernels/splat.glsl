// Weight and motion of the particles around a cell (splat_one, splat_round in narrow_simd.c), in the
// order in which the processor adds them: every second slab before the others, then by place.
layout(local_size_x = 32, local_size_y = 4) in;

#ifdef HEIGHT
// The weight of a particle at x for cell c along an axis; `near`: it has one.
float weight_at(float x, int c, out bool near)
{
    int i = int(x);
    precise float f = x - float(i) - 0.5;
    precise float low = 0.5 - f, high = 0.5 + f;
    precise float w0 = 0.5 * low * low, w1 = 0.75 - f * f, w2 = 0.5 * high * high;
    near = abs(c - i) <= 1;
    return c < i ? w0 : c > i ? w2 : w1;
}
#else
float weight_at(float x, int c, out bool near)
{
    precise float y = x + 0.5;
    int i = int(y);
    precise float f = y - float(i);
    precise float low = 1.0 - f;
    near = c == i || c == i - 1;
    return c == i ? f : low;
}
#endif

void add(uint i, ivec3 c, inout vec4 sum)
{
    vec4 p = particles[SIZE * i];
    bool near[3] = bool[3](true, true, true);
    float x = weight_at(p.x, c.x, near[0]), y = weight_at(p.y, c.y, near[1]);
#ifdef SPACE
    float z = weight_at(p.z, c.z, near[2]);
#endif
    if (!(near[0] && near[1] && near[2])) return;
    precise float w = x * y;
#ifdef SPACE
    precise float deep = z * w;
    vec4 what = vec4(1.0, particles[SIZE * i + 1u].xyz);
    precise vec4 more = sum + deep * what;
#else
    vec4 what = vec4(1.0, p.zw, 0.0);
    precise vec4 more = sum + w * what;
#endif
    sum = more;
}

void main()
{
    ivec3 c = ivec3(thread_here()) - ivec3(1, 1, AXES - 2);
    ivec3 n = law.cells.xyz;
    if (halted() || c.x > n.x || c.y > n.y || (AXES == 3 && c.z > n.z)) return;
    vec4 sum = vec4(0.0);
    uint low = uint(clamp(c.x - 1, 0, n.x - 1)) / uint(BIN);
    uint high = uint(clamp(c.x + 1, 0, n.x - 1)) / uint(BIN);
    int b0 = AXES == 3 ? max(c.z - 1, 0) : 0, b1 = AXES == 3 ? min(c.z + 1, n.z - 1) : 0;
    int a0 = max(c.y - 1, 0), a1 = min(c.y + 1, n.y - 1);
    bool seam = rows[a0] != rows[a1];
    for (uint colour = 0u; colour < 2u; colour++) {
        if (!seam && rows[a0] != colour) continue;
        for (int b = b0; b <= b1; b++)
            for (int a = a0; a <= a1; a++) {
                if (rows[a] != colour) continue;
                uint row = (uint(b) * uint(n.y) + uint(a)) * law.wide;
                uint from = first_at(row + low), to = first_at(row + high + 1u);
                for (uint i = from; i < to; i++) add(i, c, sum);
            }
    }
    sums[slot_of(c)] = sum;
}
