// The particles between two corners, in any order: their numbers and places. `shown`: how many; the
// corners, cells.
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here();
    if (i >= status[COUNT]) return;
    vec3 p = particles[SIZE * i].xyz;
    for (uint c = 0u; c < uint(AXES); c++)
        if (!(p[c] >= uintBitsToFloat(shown[1u + c]) && p[c] <= uintBitsToFloat(shown[4u + c]))) return;
    uint at = 8u + uint(1 + AXES) * atomicAdd(shown[0], 1u);
    shown[at] = i;
    for (uint c = 0u; c < uint(AXES); c++) shown[at + 1u + c] = floatBitsToUint(p[c]);
}
