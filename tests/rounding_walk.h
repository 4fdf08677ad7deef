// How far rounding may have carried the volume of columns.
//
// Depths are rounded up or down by chance, without bias, so what a column gains or loses by it is a
// walk, and what all of them do is one of shorter steps the more columns share the liquid. Where a
// dozen columns hold all of it, a few thousand substeps go further than a millionth.
#ifndef RV_TESTS_ROUNDING_WALK_H
#define RV_TESTS_ROUNDING_WALK_H

#include "rivulet/world.h"

#include <math.h>

#define ROUNDING 4.9e-8 // of a depth, root mean square, when a change is rounded
#define SIGMAS 4        // that a walk may be from where it began

typedef struct rounding_walk {
    double steps;     // of a walk of all the volume at once
    int64_t substeps; // of the world, when it was last looked at
    double held;      // Σ V² / (Σ V)² of the columns then
} rounding_walk;

// The share of the volume that may be off by now; to be asked now and then.
static inline double rounding_most(rounding_walk *walk, const rv_world *world, int64_t substeps)
{
    rv_columns c;
    double sum = 0, squares = 0;
    int64_t since = substeps - walk->substeps;
    walk->substeps = substeps;
    if (rv_world_get_columns(world, &c) != RV_OK) return 0;
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        sum += (double)c.depth[i], squares += (double)c.depth[i] * (double)c.depth[i];
    }
    double before = walk->held;
    walk->held = sum > 0 ? squares / (sum * sum) : 0;
    if (since > 0) walk->steps += (double)since * fmax(before, walk->held);
    return SIGMAS * ROUNDING * sqrt(walk->steps);
}

#endif
