// Loops over a run of columns in one row, compiled once per instruction set (rows_simd.c) and
// chosen when a solver is made. Pointers are to the run's first column; the neighbours at -1 and
// +count exist.
#ifndef RV_PIPES_ROWS_H
#define RV_PIPES_ROWS_H

#include "columns/physics.h"

#include <stdint.h>

typedef struct rv_row {
    const float *base, *max, *depth; // max is not read where there is no ceiling
    const float *behind;             // depths one column further on
    const float *press;              // m, heads from outside; NULL: none
} rv_row;

// Fluxes from a row of columns to their neighbours at higher x and y. `south` and here.behind are
// the depths at lower y and x.
typedef void rv_flux_row(const rv_pipe_law *law, rv_row here, rv_row east, rv_row north,
                         const float *south, const uint16_t *slope_x, const uint16_t *slope_y,
                         float *flux_x, float *flux_y, int count);

// Fluxes of one family of pipes, from columns `a` to columns `b`, where heads press from outside,
// the viscosity quotient acts, or pipes have shares. `gaps`: how many there are beside each; NULL:
// none.
typedef void rv_flux_tank(const rv_pipe_law *law, rv_row a, rv_row b, const uint16_t *slope,
                          const uint16_t *gaps, float *flux, int count);

// Fluxes around a row of columns with eight neighbours: x[-1] is the pipe at the low side, the rest
// are those that come in from low y and those that go out to high y.
typedef struct rv_eight {
    const float *x, *low_y, *high_y, *low_ne, *high_ne, *low_nw, *high_nw;
} rv_eight;

// What is known of a run after new depths: wet blocks from its first, the greatest depth, and
// whether there is one that is no number.
typedef struct rv_level_result {
    uint64_t wet;
    float most;
    int not_finite;
} rv_level_result;

// Kinds of rows, for the choice of a flux loop.
typedef enum rv_row_kind {
    RV_ROW_GENTLE, // no ceiling, no fall
    RV_ROW_OPEN,   // no ceiling
    RV_ROW_ANY
} rv_row_kind;

typedef struct rv_pipes_rows {
    const char *name;
    rv_flux_row *flux_wet[3]; // by rv_row_kind
    rv_flux_row *flux_cell;
    rv_flux_tank *tank_wet[3], *tank_cell;
    // Shares of outflow, and of inflow where a ceiling may be in reach, from the fluxes along x
    // (flux_x[-1] is the pipe at the low side) and along y. Return RV_CUT_OUT if a share of outflow
    // is under 1, RV_CUT_IN if one of inflow is, or both.
    int (*scale_out)(const rv_pipe_law *law, const float *depth, const float *flux_x,
                     const float *low_y, const float *high_y, float *out_scale, int count);
    int (*scale)(const rv_pipe_law *law, rv_row row, const float *flux_x, const float *low_y,
                 const float *high_y, float *out_scale, float *in_scale, int count);
    // Fluxes scaled by the smaller of the source's and the target's share.
    void (*finish_out)(float *flux, const float *out_a, const float *out_b, int count);
    void (*finish)(float *flux, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count);
    rv_level_result (*level)(const rv_pipe_law *law, float *depth, const float *flux_x,
                             const float *low_y, const float *high_y, int count, int block);
    // The same with eight neighbours.
    int (*scale_out_eight)(const rv_pipe_law *law, const float *depth, rv_eight flux,
                           float *out_scale, int count);
    int (*scale_eight)(const rv_pipe_law *law, rv_row row, rv_eight flux, float *out_scale,
                       float *in_scale, int count);
    rv_level_result (*level_eight)(const rv_pipe_law *law, float *depth, rv_eight flux, int count,
                                   int block);
    // Fluxes along x and y as they are seen: half of what flows through a diagonal pipe goes by way
    // of each of the two cells beside it. flux_y[i] is flux.high_y.
    void (*see)(rv_eight flux, float *seen_x, float *seen_y, int count);
    int32_t (*greatest)(const float *values, int count); // bits of the greatest non-negative value
    // 1 if a column of the run has a ceiling below `top` and less than `share` of its height free.
    int (*any_full)(const float *base, const float *max, const float *depth, float top, float share,
                    int count);
} rv_pipes_rows;

const rv_pipes_rows *rv_pipes_rows_best(void);
const rv_pipes_rows *rv_pipes_rows_named(const char *name); // NULL when this machine lacks it

#endif
