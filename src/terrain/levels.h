// When columns are linked, and when one is flooded (docs/terrain.md). Both are said here and nowhere else;
// loops over rows have the same comparisons in vectors (surface/rows_simd.c: links, lists_simd.c: wall_rise).
#ifndef RV_TERRAIN_LEVELS_H
#define RV_TERRAIN_LEVELS_H

#include "terrain/columns.h"

// Whether a level (m) is in a column's range: between the underside of its solid and its ceiling. A
// level at the very underside counts: below the grid all is solid, so a dry bed at its bottom is
// one with the solids beside it.
static inline bool rv_level_within(const rv_column_set *set, size_t slot, double level)
{
    return level >= (double)set->min[slot] && level < (double)set->max[slot];
}

// Linked: each one's level lies in the other's range.
static inline bool rv_levels_linked(const rv_column_set *set, size_t a, double level_a, size_t b,
                                    double level_b)
{
    return rv_level_within(set, b, level_a) && rv_level_within(set, a, level_b);
}

// Joined: linked, or one of them is flooded, up to its ceiling, and their voids meet. For queries,
// which go on through passages, where there is no surface.
static inline bool rv_levels_joined(const rv_column_set *set, size_t a, double level_a, size_t b,
                                    double level_b)
{
    float low = set->base[a] > set->base[b] ? set->base[a] : set->base[b];
    float high = set->max[a] < set->max[b] ? set->max[a] : set->max[b];
    bool on_b = rv_level_within(set, b, level_a) || level_a == (double)set->max[b];
    bool on_a = rv_level_within(set, a, level_b) || level_b == (double)set->max[a];
    return on_a && on_b && low < high;
}

// A column is full from this share of its height on; it counts as flooded until it falls under
// RV_FREE_SHARE. The gap keeps columns from changing sides with every ripple.
#define RV_FULL_SHARE 0.999f
#define RV_FREE_SHARE 0.998f

// Whether a column is flooded that was so, or not, before. Under the open sky none is.
static inline bool rv_column_flooded(const rv_column_set *set, size_t slot, float depth, bool was)
{
    if (!(set->max[slot] < (float)set->grid.top) || !rv_column_exists(set, slot)) return false;
    return depth >= (set->max[slot] - set->base[slot]) * (was ? RV_FREE_SHARE : RV_FULL_SHARE);
}

#endif
