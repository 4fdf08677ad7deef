// The pressures of the cells around bodies, after those that `skins` knows; then what the cycle left,
// and whether all must wait.
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here(), slot = i < law.most ? shown[4u * i] & 0x7fffffffu : 0u;
    if (i < law.most) shown[law.boxes_at + i] = floatBitsToUint(levels[law.levels[1].z + slot]);
    if (i > 0u) return;
    shown[law.boxes_at + law.most] = status[CYCLES + 8u * law.cycle + LEFT];
    shown[law.boxes_at + law.most + 1u] = status[HALT];
}
