// The density as it is drawn, with what is thin closed (mend in ../../drawn.c). A cell looks for the
// particles around it itself; most cells are full or have none near.
layout(local_size_x = 32, local_size_y = 4) in;

#define REACH 2.5
#define AROUND 2
#define RADIUS 1.1
#define ENOUGH 0.9
#define SLOPE 0.3
#define DEEP 0.8

void add(uint i, ivec3 c, inout vec4 sum)
{
    vec3 p = particles[SIZE * i].xyz, d = p - vec3(c) - 0.5;
#ifndef SPACE
    p.z = d.z = 0.0;
#endif
    if (any(greaterThan(abs(ivec3(p) - c), ivec3(AROUND)))) return;
    float q = 1.0 - dot(d, d) / (REACH * REACH);
    if (q <= 0.0 || fields[slot_of(ivec3(p))] * law.per_rest >= DEEP) return;
    sum += q * q * q * vec4(1.0, d);
}

float mended(ivec3 c, float dense)
{
    ivec3 n = law.cells.xyz, from = max(c - AROUND, ivec3(0)), to = min(c + AROUND, n - 1);
    uint low = uint(from.x) / uint(BIN), high = uint(to.x) / uint(BIN);
    vec4 sum = vec4(0.0);
    for (int b = from.z; b <= to.z; b++)
        for (int a = from.y; a <= to.y; a++) {
            uint row = (uint(b) * uint(n.y) + uint(a)) * law.wide;
            uint last = first_at(row + high + 1u);
            for (uint i = first_at(row + low); i < last; i++) add(i, c, sum);
        }
    if (sum.x <= 0.05) return dense;
    float r = RADIUS * min(sum.x / ENOUGH, 1.0);
    return max(dense, law.seen + SLOPE * (r - length(sum.yzw) / sum.x));
}

void main()
{
    ivec3 c = ivec3(thread_here());
    if (!inside(c)) return;
    uint slot = slot_of(c);
    float dense = fields[slot] * law.per_rest;
    if (dense < law.seen + SLOPE * RADIUS) dense = mended(c, dense);
#ifdef SPACE
    dense = min(dense, law.seen + SLOPE); // `soften` is to leave the surface where it is
#endif
    sums[slot].x = dense;
}
