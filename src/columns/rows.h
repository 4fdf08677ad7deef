// Loops over a run of columns in one row that both laws share, compiled once per instruction set
// (rows_simd.c) and chosen when a solver is made. Pointers are to the run's first column; the
// neighbours at -1 and +count exist.
#ifndef RV_COLUMNS_ROWS_H
#define RV_COLUMNS_ROWS_H

#include "columns/laws/loops.h"

#include <stdint.h>

// Fluxes around a row of columns with eight neighbours: x[-1] is the pipe at the low side, the rest
// are those that come in from low y and those that go out to high y. With four the diagonals are
// not looked at.
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

typedef struct rv_row_loops {
    const char *name;
    int lanes; // columns that it works on at once
    // Shares of outflow, and of inflow where a ceiling may be in reach. Return RV_CUT_OUT if a
    // share of outflow is under 1, RV_CUT_IN if one of inflow is, or both. [eight neighbours]
    int (*scale_out[2])(const rv_law *law, const float *depth, rv_eight flux, float *out_scale,
                        int count);
    int (*scale[2])(const rv_law *law, const float *depth, const float *base, const float *max,
                    rv_eight flux, float *out_scale, float *in_scale, int count);
    // Fluxes scaled by the smaller of the source's and the target's share.
    void (*finish_out)(float *flux, const float *out_a, const float *out_b, int count);
    void (*finish)(float *flux, const float *out_a, const float *in_a, const float *out_b,
                   const float *in_b, int count);
    // Velocities scaled by the target's share: what finds no room is stopped.
    void (*stop)(float *speed, const float *in_a, const float *in_b, int count);
    rv_level_result (*level[2])(const rv_law *law, float *depth, rv_eight flux, int count,
                                int block); // [eight neighbours]
    // Fluxes along x and y as they are seen: half of what flows through a diagonal pipe goes by way
    // of each of the two cells beside it. flux_y[i] is flux.high_y.
    void (*see)(rv_eight flux, float *seen_x, float *seen_y, int count);
    // Strips of 1 << shift columns, a bit each, in which one holds anything.
    uint64_t (*holding)(const float *depth, int count, int shift);
    int32_t (*greatest)(const float *values, int count); // bits of the greatest non-negative value
    // 1 if a column of the run has a ceiling below `top` and less than `share` of its height free.
    int (*any_full)(const float *base, const float *max, const float *depth, float top, float share,
                    int count);
} rv_row_loops;

// All loops of one instruction set.
typedef struct rv_loops {
    const rv_row_loops *rows;
    const rv_cell_loops *cell;
    const rv_flow_loops *flow;
    const rv_tension_loops *tension;
} rv_loops;

rv_loops rv_loops_best(void);
rv_loops rv_loops_named(const char *name); // rows is NULL when this machine lacks it

#endif
