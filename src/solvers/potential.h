// For solvers that give depths to columns and are none of columns themselves.
#ifndef RV_SOLVERS_POTENTIAL_H
#define RV_SOLVERS_POTENTIAL_H

#include "solvers/solver.h"

// Potential energy of liquid in columns, J: over the bottom of the grid, and where gravity has a
// horizontal part, from the middle of the grid against it.
double rv_potential(const rv_column_set *columns, const rv_params *params, const float *depth);

#endif
