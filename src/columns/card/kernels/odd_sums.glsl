// Sums over a column that has odd pipes, side by side in a fixed order (../../seams.c). Needs
// new_flux, odd_columns, odd_flow; with SCALED fluxes are those that are left, and odd_scaled.

struct Sums {
    float leaves, comes, gain;
};

uint odd_word(uint k, uint word)
{
    return odd_columns[law.slots + 4u * k + word];
}

uint entry_word(uint e, uint word)
{
    return odd_columns[law.slots + 4u * law.columns + 2u * e + word];
}

#ifdef SETTLED
#define ODD_AT 0u
#else
#define ODD_AT RAW_AT
#endif
#if defined(SCALED) && !defined(SETTLED)
#define ODD_FLUX(k) scaled_odd(k).flux
#else
#define ODD_FLUX(k) odd_flow[ODD_AT + (k)]
#endif

// Whether an odd pipe of odd column k carries something.
bool is_live(uint k)
{
    uint first = odd_word(k, 1u), end = first + odd_word(k, 2u);
    for (uint e = first; e < end; e++)
        if (odd_flow[ODD_AT + entry_word(e, 0u)] != 0.0) return true;
    return false;
}

#ifdef SCALED
#define FLUX_OF(way, a, b) left_in(way, a, b)
#define FLUX_BACK(way, low, i) left_in(way, low, i)
#else
#define FLUX_OF(way, a, b) new_flux[(way) * law.slots + (a)]
#define FLUX_BACK(way, low, i) new_flux[(way) * law.slots + (low)]
#endif

float sum_sides(float v[8])
{
#ifdef EIGHT
    precise float sum = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
#else
    precise float sum = (v[0] + v[1]) + (v[2] + v[3]);
#endif
    return sum;
}

Sums sums_of(uint k, Place at)
{
    uint i = at.slot, low = i - at.pitch, high = i + at.pitch;
    float net[8], leaves[8], comes[8];
    net[0] = -FLUX_BACK(0u, i - 1u, i), net[1] = FLUX_OF(0u, i, i + 1u);
    net[2] = -FLUX_BACK(1u, low, i), net[3] = FLUX_OF(1u, i, high);
    for (int side = 4; side < 8; side++) net[side] = 0.0;
#ifdef EIGHT
    net[4] = -FLUX_BACK(2u, low - 1u, i), net[5] = FLUX_OF(2u, i, high + 1u);
    net[6] = -FLUX_BACK(3u, low + 1u, i), net[7] = FLUX_OF(3u, i, high - 1u);
#endif
    for (int side = 0; side < 8; side++)
        leaves[side] = larger(net[side], 0.0), comes[side] = larger(-net[side], 0.0);
    uint first = odd_word(k, 1u), end = first + odd_word(k, 2u);
    for (uint e = first; e < end; e++) {
        uint how = entry_word(e, 1u), side = how & 15u;
        float size = ODD_FLUX(entry_word(e, 0u)), f = how >= 256u ? size : -size;
        precise float a = leaves[side] + larger(f, 0.0), b = comes[side] + larger(-f, 0.0);
        precise float c = net[side] + f;
        leaves[side] = a, comes[side] = b, net[side] = c;
    }
#ifdef EIGHT
    float gain = -sum_sides(net);
#else
    precise float gain = (-net[0] - net[1]) + (-net[2] - net[3]);
#endif
    return Sums(sum_sides(leaves), sum_sides(comes), gain);
}
