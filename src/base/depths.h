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

#endif
