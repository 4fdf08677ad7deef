// Sums over a column that has odd pipes, side by side in a fixed order (../../seams.c). Needs
// new_flux, odd_list, odd_flow; with SCALED fluxes are those that are left, and odd_scaled.

struct Sums {
    float leaves, comes, gain;
    bool live; // an odd pipe carries something
};

#ifdef SETTLED
#define ODD_AT 0u
#else
#define ODD_AT RAW_AT
#endif
#ifdef EIGHT
#define ODD_SIDES 8
#else
#define ODD_SIDES 4
#endif

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
    OddSpan span = span_of(k);
    net[0] = -FLUX_BACK(0u, i - 1u, i), net[1] = FLUX_OF(0u, i, i + 1u);
    net[2] = -FLUX_BACK(1u, low, i), net[3] = FLUX_OF(1u, i, high);
    for (int side = 4; side < 8; side++) net[side] = 0.0;
#ifdef EIGHT
    net[4] = -FLUX_BACK(2u, low - 1u, i), net[5] = FLUX_OF(2u, i, high + 1u);
    net[6] = -FLUX_BACK(3u, low + 1u, i), net[7] = FLUX_OF(3u, i, high - 1u);
#endif
    for (int side = 0; side < 8; side++)
        leaves[side] = larger(net[side], 0.0), comes[side] = larger(-net[side], 0.0);
    bool live = false;
    for (uint e = span.first; e < span.end; e += 4u) {
        OddFour four = four_from(e, span.end);
        vec4 raw = FOUR_OF(odd_flow, ODD_AT + four.pipe), size = raw;
#if defined(SCALED) && !defined(SETTLED)
        size = scaled_four(four.pipe, raw);
#endif
        for (uint j = 0u; j < 4u; j++) {
            if (e + j >= span.end) break;
            float f = four.how[j] >= 256u ? size[j] : -size[j];
            uint own = four.how[j] & 15u;
            live = live || raw[j] != 0.0;
            for (int side = 0; side < ODD_SIDES; side++) { // chosen, not looked up: no way to memory
                precise float a = leaves[side] + larger(f, 0.0);
                precise float b = comes[side] + larger(-f, 0.0), c = net[side] + f;
                if (uint(side) == own) leaves[side] = a, comes[side] = b, net[side] = c;
            }
        }
    }
#ifdef EIGHT
    float gain = -sum_sides(net);
#else
    precise float gain = (-net[0] - net[1]) + (-net[2] - net[3]);
#endif
    return Sums(sum_sides(leaves), sum_sides(comes), gain, live);
}
