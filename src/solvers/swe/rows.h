// Loops over a run of cells in one row, compiled once per instruction set (rows_simd.c) and chosen
// when a solver is made. Pointers are to the run's first cell; what a loop reads beside it exists.
// A run is rounded up to whole vectors: the slots past a row's end are walls.
#ifndef RV_SWE_ROWS_H
#define RV_SWE_ROWS_H

#include "solvers/swe/physics.h"

#include <stdint.h>

// Cells at one end of a run of faces.
typedef struct rv_swe_cells {
    const float *bed, *depth;
    const float *press; // m, heads from outside; NULL: none
} rv_swe_cells;

// Arrays of one row and of the rows beside it, along an axis and across it.
typedef struct rv_swe_around {
    const float *low2, *low, *own, *high, *high2;
} rv_swe_around;

// The fluxes through the four ends of the faces' own cells, each the sum of two.
typedef struct rv_swe_ends {
    const float *low, *own, *high; // along: low + own comes in, own + high goes out
    const float *in_a, *in_b;      // across
    const float *out_a, *out_b;
} rv_swe_ends;

// tilt NULL: all are 0.
typedef void rv_swe_velocity_row(const rv_swe_law *law, rv_swe_cells a, rv_swe_cells b,
                                 rv_swe_around along, rv_swe_around across, rv_swe_ends ends,
                                 const uint16_t *tilt, float *out, int count);

// Velocities around the cells at one end: of their faces along and across.
typedef struct rv_swe_spread {
    const float *low, *high, *low_side, *high_side;
} rv_swe_spread;

typedef struct rv_swe_sweep {
    const float *depth, *behind, *bed;
    rv_swe_spread spread;
} rv_swe_sweep;

// What is known of a run after new depths.
typedef struct rv_swe_found {
    int first, end; // wet blocks of RV_SWE_BLOCK cells, from the run's first cell; end 0: none
    float most;     // m
    float pace;     // m/s
    int not_finite;
} rv_swe_found;

#define RV_SWE_BLOCK 16 // cells

typedef struct rv_swe_rows {
    const char *name;
    rv_swe_velocity_row *velocity[2][2]; // [bare][limited]
    // From cells `a` to cells `b` with velocities `u`; a.spread.low and b.spread.high are those one
    // face before and after.
    void (*flux)(const rv_swe_law *law, rv_swe_sweep a, rv_swe_sweep b, const float *u, float *flux,
                 int count);
    // Shares of outflow, and of inflow where the lid may be in reach. They return RV_CUT_…
    int (*scale_out)(const rv_swe_law *law, const float *depth, const float *flux_x,
                     const float *low_y, const float *high_y, float *out, int count);
    int (*scale)(const rv_swe_law *law, const float *depth, const float *bed, float top,
                 const float *flux_x, const float *low_y, const float *high_y, float *out,
                 float *in, int count);
    void (*finish)(float *flux, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count);
    rv_swe_found (*level)(const rv_swe_law *law, float *depth, const float *flux_x,
                          const float *low_y, const float *high_y, rv_swe_spread u, int count);
    // The same without a change of the depths.
    rv_swe_found (*survey)(const rv_swe_law *law, float *depth, rv_swe_spread u, int count);
} rv_swe_rows;

const rv_swe_rows *rv_swe_rows_best(void);
const rv_swe_rows *rv_swe_rows_named(const char *name); // NULL when this machine lacks it

#endif
