// The two laws over runs of pipes in one row, compiled once per instruction set (cell_simd.c,
// flow_simd.c) and chosen when a solver is made. Pointers are to the run's first column; the
// neighbours at -1 and +count exist. A run is rounded up to whole vectors: the slots past a row's
// end belong to it, have no pipe and stay empty (terrain/columns.h).
#ifndef RV_COLUMNS_LAWS_LOOPS_H
#define RV_COLUMNS_LAWS_LOOPS_H

#include "columns/laws/law.h"

#include <stddef.h>

// Columns at one end of a run of pipes.
typedef struct rv_ends {
    const float *base, *max, *depth; // max is not read where there is no ceiling
    const float *behind;             // depths one column further from the pipes
    const float *press;              // m, heads from outside; NULL: none
    const float *spread;             // flow: m/s, outflow of the columns' velocities
    const float *lean;               // flow: m, twice the depth's rise across the pipes
    const float *pull;               // tense: m, twice the rise of level and head across
} rv_ends;

// ---- Law `cell` ---------------------------------------------------------------------------------

typedef struct rv_cell_ends {
    const float *base, *depth;
    const float *press; // m, heads from outside; NULL: none
} rv_cell_ends;

// Fluxes of one family of pipes, from columns `a` to columns `b`. `plain`: nothing but levels
// counts. `gaps`: how many there are beside each; NULL: none. `slant`: m, see rv_law.
typedef struct rv_cell_loops {
    void (*flux[2])(const rv_law *law, const rv_cell_ends *a, const rv_cell_ends *b, // [plain]
                    const uint16_t *slope, const uint16_t *gaps, float slant, float *flux,
                    int count);
} rv_cell_loops;

// ---- Law `flow` ---------------------------------------------------------------------------------

// What flows past a run of pipes, see rv_flow_past: twice the flux, and that times the velocity.
typedef struct rv_past {
    const float *q_low, *q_high, *q_south, *q_north;
    const float *low, *high, *south, *north;
} rv_past;

// A run of pipes.
typedef struct rv_run_pipes {
    const uint16_t *slope;
    const uint16_t *gaps; // NULL: none
    const int16_t *rise;
    float slant;             // m
    const float *u;          // m/s, before the substep
    const float *carried;    // m²/s; NULL: nothing is
    const float *comes;      // m
    const float *low, *high; // timed: m/s, velocities one pipe before and after
} rv_run_pipes;

typedef enum rv_flow_kind {
    RV_FLOW_LEVEL,  // an even bed, and nothing special
    RV_FLOW_TILTED, // any gentle bed
    RV_FLOW_HARD,   // anything but surface tension
    RV_FLOW_TENSE,  // as tilted, with surface tension
    RV_FLOW_TENSE_HARD,
    RV_FLOW_KINDS
} rv_flow_kind;

typedef struct rv_pull_row {
    const float *base, *depth, *head; // m
} rv_pull_row;

typedef struct rv_flow_loops {
    // What flows half way between two pipes, see rv_flow_between: q_a + q_b, and that times the
    // velocity. Along a row, from the pipe before each to itself; velocities from u[-2] on.
    void (*between)(const rv_law *law, const float *u, const float *q_a, const float *q_b,
                    float *flux, float *product, int count);
    // From the row below, where `ahead` is what its velocities are half way to this row, to this
    // row; then `ahead` is that of this row, half way to the next.
    void (*between_rows)(const rv_law *law, const float *low, const float *own, const float *high,
                         const float *q_a, const float *q_b, float *ahead, float *flux,
                         float *product, int count);
    void (*ahead)(const rv_law *law, const float *low, const float *own, const float *high,
                  float *ahead, int count);
    void (*carry)(const rv_law *law, rv_past past, const float *u, float *carried, float *comes,
                  int count);
    // New velocities and fluxes of a run of pipes. [timed]
    void (*through[RV_FLOW_KINDS][2])(const rv_law *law, rv_ends a, rv_ends b, rv_run_pipes pipes,
                                      float *speed, float *flux, int count);
    // Outflow of columns' velocities, and twice the rise of depths along x and y.
    void (*around)(const float *u, const float *low_v, const float *high_v, const float *depth,
                   const float *south, const float *north, float *spread, float *lean_x,
                   float *lean_y, int count);
    // Twice the rise of level and head along x and y with tension, between wet columns: what a dry
    // one has is what it would cost to wet it. `behind` and `ahead`: rows before and after.
    void (*pulls)(const rv_law *law, rv_pull_row own, rv_pull_row behind, rv_pull_row ahead,
                  float *pull_x, float *pull_y, int count);
    // The greatest pace (m/s) of the columns, whose velocities along x go from u[-1] on. [tense]
    float (*pace[2])(const rv_law *law, const float *depth, const float *even, const float *u,
                     const float *low_v, const float *high_v, int count);
} rv_flow_loops;

// ---- Surface tension ----------------------------------------------------------------------------

typedef struct rv_tension_law rv_tension_law; // laws/tension.h

// A row of columns.
typedef struct rv_tension_rows {
    const float *base, *depth; // m
    const float *lean;         // cosine of the bed's tilt
    const float *advance;      // m², what wetting costs, ℓ² (1 − cos θ), of dry columns …
    const float *recede;       // … and of wetted ones
    const float *full;         // m, thickness over which that cost is spread, h*
} rv_tension_rows;

// What the curvature is the divergence of, through faces of a row of columns.
typedef struct rv_tension_faces {
    float *bed, *film, *level, *along;
} rv_tension_faces;

// Around a column, by row from south west.
enum {
    RV_AT_SW,
    RV_AT_S,
    RV_AT_SE,
    RV_AT_W,
    RV_AT_MID,
    RV_AT_E,
    RV_AT_NW,
    RV_AT_N,
    RV_AT_NE,
    RV_AROUND
};

#define RV_END_BATCH 64

#define RV_FACE_EDGE 0.0f  // nothing is known of what is beyond
#define RV_FACE_LIMIT 1.0f // the grid ends, as at a mirror
#define RV_FACE_WALL 2.0f  // a solid stands there
#define RV_FACE_OPEN 3.0f  // liquid or bed goes on

#define RV_PULL_ONE 32767.0f

// Columns beside walls and edges that are worked out together, gathered (ends.c). Sides are west,
// east, south, north.
typedef struct rv_end_batch {
    int count;
    float base[RV_AROUND][RV_END_BATCH], depth[RV_AROUND][RV_END_BATCH]; // m
    float thick[RV_AROUND][RV_END_BATCH];                                // m, across the bed
    float face[4][RV_END_BATCH];                                         // RV_FACE_…
    float step[4][RV_END_BATCH]; // 1: a step up, -1: down, 0: none
    float over[4][RV_END_BATCH]; // of a step: how far liquid stands over it, 0 … 1
    float pull[4][RV_END_BATCH]; // of a wall, as RV_PULL_ONE
    float lean[RV_END_BATCH], cost[RV_END_BATCH], full[RV_END_BATCH]; // see rv_tension_rows
    float head[RV_END_BATCH];                                         // m, the result
    uint32_t slot[RV_END_BATCH];
    uint8_t covered[RV_END_BATCH], pressed[RV_END_BATCH]; // its row has ceilings; is pressed on
} rv_end_batch;

typedef struct rv_calm_rows {
    const float *base, *depth, *even;
    const float *u, *v; // m/s, velocities through the pipes to the east and to the north
    const uint16_t *slope_x, *slope_y;
} rv_calm_rows;

typedef struct rv_tension_loops {
    // Of faces between columns x and x + step, from `first` on; left: slots to the column at the
    // left of x. [no column is deep: level is not set]
    void (*faces[2])(const rv_tension_law *law, rv_tension_rows in, ptrdiff_t step, ptrdiff_t left,
                     rv_tension_faces out, int first, int count);
    // Heads (m); brings what is wetted (1, else 0) up to date. along[-1] is the face at the low
    // side. [no column is deep: the level's faces do not count, with the same bits]
    void (*heads[2])(const rv_tension_law *law, rv_tension_rows in, rv_tension_faces along,
                     rv_tension_faces south, rv_tension_faces north, float *wetted, float *head,
                     int count);
    void (*ends)(const rv_tension_law *law, rv_end_batch *batch);
    // Heads over the whole, base and depth included, smoothed once (rv_calm_share) where pipes are;
    // `pitch`: slots to the next row.
    void (*calm)(const rv_law *law, rv_calm_rows in, const float *from, float *to, ptrdiff_t pitch,
                 int pass, int count);
    // Heads of deep columns from those over the whole, less what damps short waves (rv_calm_damps).
    void (*calmed)(const rv_law *law, rv_calm_rows in, const float *whole, float *head,
                   ptrdiff_t pitch, int count);
} rv_tension_loops;

#endif
