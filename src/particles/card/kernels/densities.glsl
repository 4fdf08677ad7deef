// Weights, shares and densities of cells and of those beside them (narrow_simd.c).

// The weight of the cell beside c along axis k: beyond walls the same, over open borders none.
float weight_of(ivec3 c, int k, int step)
{
    int i = c[k] + step;
    if ((i < 0 && open_low(k)) || (i >= law.cells[k] && open_high(k))) return 0.0;
    c[k] = clamp(i, 0, law.cells[k] - 1);
    return fields[slot_of(c)];
}

// Shares beyond walls stand there.
float share_of(ivec3 c)
{
#ifdef SOLID
    return share[slot_of(c)];
#else
    return 1.0;
#endif
}

// Share of a face that is open to liquid, 0 where a cell beside it counts as solid.
float face_share(float a, float b)
{
    float least = a < b ? a : b;
    precise float mean = 0.5 * (a + b);
    return least > 0.03 ? mean : 0.0;
}

float density_of(float weight, float free, float other)
{
    precise float whole = weight * law.per_rest;
#ifdef SOLID
    return free > 0.03 ? over_of(whole, free) : other;
#else
    return whole;
#endif
}

ivec3 unit_of(int c)
{
    return ivec3(c == 0 ? 1 : 0, c == 1 ? 1 : 0, c == 2 ? 1 : 0);
}
