// The particles that lie where there is less than law.seen, in any order: number, place, velocity, foam.
// `shown`: how many; from law.boxes_at on, law.most at most.
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here();
    if (i >= status[COUNT]) return;
    vec4 own[2] = vec4[2](particles[SIZE * i], particles[SIZE * i + SIZE - 1u]);
    ivec3 c = clamp(ivec3(own[0].xyz), ivec3(0), law.cells.xyz - 1);
#ifdef SPACE
    float dense = fields[slot_of(c)] * law.per_rest;
    vec3 p = own[0].xyz;
    vec4 u = own[1];
#else
    c.z = 0;
    float dense = sums[slot_of(c)].x; // as `mend` has made it
    vec3 p = vec3(own[0].xy, 0.0);
    vec4 u = vec4(own[0].zw, 0.0, law.foam > 0.0 ? air_of(i) : 0.0);
#endif
    if (dense >= law.seen) return;
    uint k = atomicAdd(shown[0], 1u), at = law.boxes_at + 8u * k;
    if (k >= law.most) return;
    shown[at] = i;
    for (uint a = 0u; a < 3u; a++) {
        shown[at + 1u + a] = floatBitsToUint(p[a]);
        shown[at + 4u + a] = floatBitsToUint(u[a]);
    }
    shown[at + 7u] = floatBitsToUint(u.w);
}
