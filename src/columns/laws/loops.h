// The two laws over runs of pipes in one row, compiled once per instruction set (cell_simd.c,
// flow_simd.c) and chosen when a solver is made. Pointers are to the run's first column; the
// neighbours at -1 and +count exist. A run is rounded up to whole vectors: the slots past a row's
// end belong to it, have no pipe and stay empty (terrain/columns.h).
#ifndef RV_COLUMNS_LAWS_LOOPS_H
#define RV_COLUMNS_LAWS_LOOPS_H

#include "columns/laws/law.h"

// Columns at one end of a run of pipes.
typedef struct rv_ends {
    const float *base, *max, *depth; // max is not read where there is no ceiling
    const float *behind;             // depths one column further from the pipes
    const float *press;              // m, heads from outside; NULL: none
    // flow, full: velocities around the columns, along the pipes and across
    const float *low, *high, *low_side, *high_side;
} rv_ends;

// ---- Law `cell` ---------------------------------------------------------------------------------

// Fluxes of one family of pipes, from columns `a` to columns `b`. `plain`: nothing but levels
// counts. `gaps`: how many there are beside each; NULL: none. `slant`: m, see rv_law.
typedef struct rv_cell_loops {
    void (*flux[2])(const rv_law *law, rv_ends a, rv_ends b, const uint16_t *slope, // [plain]
                    const uint16_t *gaps, float slant, float *flux, int count);
} rv_cell_loops;

// ---- Law `flow` ---------------------------------------------------------------------------------

// What flows past a run of pipes, see rv_flow_past: each velocity stands half way to the pipes
// before, after and beside; fluxes are added in pairs.
typedef struct rv_past {
    const float *own;                        // m/s
    const float *low, *high, *south, *north; // m/s; NULL: nothing is carried
    const float *q_low, *q_own, *q_high;  // m³/s; along: low + own comes in, own + high goes out
    const float *q_south[2], *q_north[2]; // across
} rv_past;

// Depths beside a run of pipes, of their two ends, for the slope across; and the bed's.
typedef struct rv_across {
    const float *south_a, *south_b, *north_a, *north_b;
    const int16_t *rise;
} rv_across;

typedef enum rv_flow_kind {
    RV_FLOW_LEVEL,  // an even bed, and nothing special
    RV_FLOW_TILTED, // any gentle bed
    RV_FLOW_HARD,   // anything
    RV_FLOW_KINDS
} rv_flow_kind;

typedef struct rv_flow_loops {
    // Velocities half way between two pipes, see rv_flow_between; q in pairs.
    void (*between)(const rv_law *law, const float *low2, const float *low, const float *own,
                    const float *high, const float *q_a, const float *q_b, float *out, int count);
    void (*velocity[RV_FLOW_KINDS])(const rv_law *law, rv_ends a, rv_ends b, rv_past past,
                                    rv_across across, const uint16_t *slope, const uint16_t *gaps,
                                    float slant, float *out, int count);
    void (*flux[2][2])(const rv_law *law, rv_ends a, rv_ends b, const float *u, float *flux,
                       int count); // [hard][full]
    // The greatest pace (m/s) of the columns, whose velocities along x go from u[-1] on.
    float (*pace)(const rv_law *law, const float *depth, const float *u, const float *low_v,
                  const float *high_v, int count);
} rv_flow_loops;

#endif
