// What liquid in columns is like, from its depths and the fluxes between columns: how fast it is,
// and what energy it has. For all solvers that keep fluxes.
#ifndef RV_SOLVERS_STREAM_H
#define RV_SOLVERS_STREAM_H

#include "solvers/solver.h"

// By slot of the columns; a flux stands at the slot of the column on its low side.
typedef struct rv_stream {
    const rv_column_set *columns;
    const rv_params *params;
    const float *depth;           // m
    const float *flux_x, *flux_y; // m³/s
    float film;                   // m; a thinner column does not flow
} rv_stream;

// Mean velocity of a column's liquid along x and y, m/s: of its two faces along each axis the mean
// of flux over cross-section, which is as high as the deeper of the two columns.
void rv_stream_velocity(const rv_stream *stream, size_t slot, float out[2]);

// `fastest`, `kinetic` and `potential` of the statistics.
void rv_stream_measure(const rv_stream *stream, rv_solver_stats *out);

// Potential energy of liquid in columns, J: over the bottom of the grid, and where gravity has a
// horizontal part, from the middle of the grid against it.
double rv_potential(const rv_column_set *columns, const rv_params *params, const float *depth);

#endif
