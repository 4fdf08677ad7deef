// Depths in single precision that keep their volume over many substeps, for all solvers of columns.
#ifndef RV_BASE_DEPTHS_H
#define RV_BASE_DEPTHS_H

#include "base/simd.h"

// The salt of a substep: its number, well mixed.
RV_INLINE uint32_t rv_salt(uint32_t n)
{
    n = (n ^ n >> 16) * 0x85ebca6bu;
    n = (n ^ n >> 13) * 0xc2b2ae35u;
    return n ^ n >> 16;
}

// Depth after a change, rounded without bias. Where a deep column loses less than half the spacing
// of floats in every substep, plain rounding drops all of it, while its shallow neighbour gains all
// of it: 10,000 substeps of a creeping drop made 4e-5 of its volume. Here the sum is rounded up or
// down by chance, in proportion; the chance comes from the bits of the numbers themselves and from
// the substep's number, so the same liquid gives the same result, also in a turned scene. What is
// left of a column that gives all it has may come out under 0 where depths have only a few bits
// left, at 1e-43 m; a NaN passes.
RV_INLINE rv_f rv_depth_after(rv_f depth, rv_f change, uint32_t salt)
{
    rv_i mixed =
        rv_i_add(rv_i_xor(rv_i_of(change), rv_i_up7(rv_i_of(depth))), rv_i_set((int32_t)salt));
    mixed = rv_i_mul(mixed, rv_i_set((int32_t)0x9e3779b1));
    rv_f chance = rv_f_from(mixed) * rv_f_set(0x1p-55f);                    // -½ … ½ of 2^-23
    rv_f spacing = rv_f_of(rv_i_and(rv_i_of(depth), rv_i_set(0x7f800000))); // times 2^23
    rv_f sum = rv_f_max(rv_f_set(0.0f), depth + (change + chance * spacing));
    return rv_f_pick(rv_f_above(rv_f_abs(change), rv_f_set(0.0f)), sum, depth);
}

// ---- What a column can give and take ------------------------------------------------------------

// Share of what a column may give or take in one substep. The last millionth stays, so that
// rounding of the four scaled fluxes can never take more than there is, and nothing need be clipped
// (clipping makes volume).
#define RV_DEPTH_SHARE 0.999999f

// What a row tells: some of its columns cannot give, or take, all that is asked.
#define RV_CUT_OUT 1
#define RV_CUT_IN 2

// In one substep, as changes of depth, m. cap: depth at which it is full.
RV_INLINE rv_f rv_to_give(rv_f depth)
{
    return depth * rv_f_set(RV_DEPTH_SHARE);
}

RV_INLINE rv_f rv_to_take(rv_f depth, rv_f cap)
{
    return rv_f_max(cap * rv_f_set(RV_DEPTH_SHARE) - depth, rv_f_set(0.0f));
}

// Share of what is asked that can be had.
RV_INLINE rv_f rv_share(rv_f have, rv_f ask)
{
    return rv_f_pick(rv_f_above(ask, have), have / ask, rv_f_set(1.0f));
}

// The same, stored; whether any is under 1. Most columns have more than they give: the division is
// left out for vectors that need none.
RV_INLINE int rv_store_share(float *share, rv_f have, rv_f ask)
{
    rv_mask cut = rv_f_above(ask, have);
    rv_f one = rv_f_set(1.0f);
    rv_f_store(share, one);
    if (!rv_any(cut)) return 0;
    rv_f_store(share, rv_f_pick(cut, have / ask, one));
    return 1;
}

// Sums of what leaves and enters through two pairs of opposite sides of a column: those along x and
// y, or those along the two diagonals. Signed from low to high.
RV_INLINE rv_f rv_outflow(rv_f low_x, rv_f high_x, rv_f low_y, rv_f high_y)
{
    rv_f zero = rv_f_set(0.0f);
    return (rv_f_max(high_x, zero) - rv_f_min(low_x, zero)) +
           (rv_f_max(high_y, zero) - rv_f_min(low_y, zero));
}

RV_INLINE rv_f rv_inflow(rv_f low_x, rv_f high_x, rv_f low_y, rv_f high_y)
{
    rv_f zero = rv_f_set(0.0f);
    return (rv_f_max(low_x, zero) - rv_f_min(high_x, zero)) +
           (rv_f_max(low_y, zero) - rv_f_min(high_y, zero));
}

#endif
