// What bodies ask of the liquid around them (ask_skins in ../../bodies.c): taken back, and asked anew.
// Of each cell: its slot, with the top bit set where it follows another of the same slot; 1 + which one
// follows it, 0: none; what is taken, what is given.
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here();
    if (halted() || i >= law.most || (shown[4u * i] & 0x80000000u) != 0u) return;
    uint at = law.levels[1].z + law.grid.w + shown[4u * i];
    precise float asked = levels[at];
    for (uint k = i + 1u; k != 0u; k = shown[4u * k - 3u])
        asked = asked - uintBitsToFloat(shown[4u * k - 2u]);
    for (uint k = i + 1u; k != 0u; k = shown[4u * k - 3u])
        asked = asked + uintBitsToFloat(shown[4u * k - 1u]);
    levels[at] = asked;
}
