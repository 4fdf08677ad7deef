// Loops over a run of columns in one row, compiled once per instruction set (rows_simd.c) and chosen when a
// solver is made. Pointers are to the run's first column; the neighbours at -1 and +count exist.
#ifndef RV_PIPES_ROWS_H
#define RV_PIPES_ROWS_H

#include "solvers/pipes/physics.h"

#include <stdint.h>

// A pipe's conductance: cos²α in steps of 1/65535, 0 where there is no pipe.
#define RV_SLOPE_ONE 65535.0f

typedef struct rv_row {
    const float *base, *max, *depth, *head;
} rv_row;

typedef void rv_flux_row(const rv_pipe_law *law, rv_row here, rv_row east, rv_row north,
                         const uint16_t *slope_x, const uint16_t *slope_y, float *flux_x,
                         float *flux_y, int count);

typedef struct rv_pipes_rows {
    const char *name;
    // Fluxes from a row of columns to their neighbours at higher x and y.
    // `plain`: head is the level and there is no ceiling, so head and max are not read.
    rv_flux_row *flux_wet_plain, *flux_wet, *flux_cell_plain, *flux_cell;
    // Scales from the fluxes along x (flux_x[-1] is the pipe at the low side) and along y.
    void (*scale_plain)(const rv_pipe_law *law, const float *depth, const float *flux_x,
                        const float *low_y, const float *high_y, float *out_scale, int count);
    void (*scale)(const rv_pipe_law *law, rv_row row, const float *flux_x, const float *low_y,
                  const float *high_y, float *out_scale, float *in_scale, int count);
    // Fluxes scaled by the smaller of the source's and the target's share.
    void (*finish_plain)(float *flux, const float *out_a, const float *out_b, int count);
    void (*finish)(float *flux, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count);
    // New depths, and for each `block` columns the bits of the greatest: not finite is greater than all.
    void (*level)(const rv_pipe_law *law, float *depth, const float *flux_x, const float *low_y,
                  const float *high_y, int count, int block, int32_t *most);
    void (*head)(const float *base, const float *depth, float *head, int count);
    int32_t (*greatest)(const float *values, int count); // bits of the greatest non-negative value
    int (*any_cut)(const float *scale, int count); // 1 if a scale is under 1
    // 1 if a column of the run has a ceiling below `top` and less than `share` of its height free.
    int (*any_full)(const float *base, const float *max, const float *depth, float top, float share,
                    int count);
} rv_pipes_rows;

const rv_pipes_rows *rv_pipes_rows_best(void);
const rv_pipes_rows *rv_pipes_rows_named(const char *name); // NULL when this machine lacks it

#endif
