// The bin of a particle (sort.c), and its count.
uint bin_at(vec3 p)
{
    for (int c = 0; c < AXES; c++)
        if (!(p[c] >= 0.0 && p[c] < law.high[c])) return GONE;
    uint row = uint(p.y);
#ifdef SPACE
    row += uint(law.cells.y) * uint(p.z);
#endif
    return row * law.wide + uint(p.x) / uint(BIN);
}

void count_in(uint i, vec3 p)
{
    uint bin = bin_at(p), place = 0u;
    if (bin != GONE) place = atomicAdd(counts[bin], 1u);
    bin_of[i] = uvec2(bin, place);
}
