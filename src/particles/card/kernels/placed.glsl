// Puts what bodies make of cells where it belongs: slot, distance and share of each (../bodies.c).
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here();
    if (i >= law.most) return;
    uint slot = shown[3u * i];
    solid[slot] = uintBitsToFloat(shown[3u * i + 1u]);
    share[slot] = uintBitsToFloat(shown[3u * i + 2u]);
}
