// A plain solver of columns, to compare the engine with: columns in a list, pipes found by looking
// at every pair, and each column and pipe by itself, in ordinary C. No planes of rows, blocks,
// bands, vectors or threads, and nothing of src/columns: it is given the columns of a terrain and
// the parameters, and works out the rest from what docs/pipes-inside.md and docs/swe.md say. It
// adds and multiplies in the engine's order, so both must agree to the last bit.
//
// It knows no passages (pipes.passages: none), and the length of a substep is given to it.
#ifndef RV_TESTS_PLAIN_COLUMNS_H
#define RV_TESTS_PLAIN_COLUMNS_H

#include "terrain/columns.h"

// Where a pipe goes from its low end: east, north, north-east, north-west.
typedef enum plain_way { ALONG_X, ALONG_Y, ALONG_NE, ALONG_NW } plain_way;

// Sides of a column in pairs of opposite ones.
typedef enum plain_side { W, E, S, N, SW, NE, SE, NW, SIDES } plain_side;

typedef struct plain_pipe {
    int a, b;        // columns, low and high end; b < 0 beyond a border, where a is inside
    plain_side side; // of a
    plain_way way;
    bool regular;   // both ends are the same columns of their cells, counted from below
    float slope;    // cos² of the bed's steepest slope here, in 1/65535
    float rise;     // of the bed across it, in 1/8192 cells a cell
    float opening;  // m, from the higher base to the lower ceiling
    float beyond;   // m, the bed behind a border
    int gaps;       // missing diagonals beside it
    float flux;     // m³/s, positive toward high
    float speed;    // m/s
    float old_flux; // … before the substep
    float old_speed;
} plain_pipe;

enum { PLAIN_MOST = 40 }; // pipes of a column

typedef struct plain_column {
    int x, y, plane;             // its cell, and which of its columns from below
    float base, max;             // m
    float depth;                 // m
    float out, in;               // shares of outflow and inflow that there is liquid and room for
    int pipe[PLAIN_MOST], pipes; // regular ones first, then by the other's plane
    bool has_odd, was_live;      // pipes that are not regular; some of them flowed
} plain_column;

typedef struct plain {
    rv_params params;
    int nx, ny, planes;
    plain_column *column;
    plain_pipe *pipe;
    int columns, pipes; // the pipes through borders stand last
    int inner_pipes;    // those that do not
    int *at;            // [planes][ny][nx]: column, or -1
    const float *press; // m, head from outside, by column; NULL: none
    uint32_t substeps;  // so far
    double last;        // s, the last one
    // what follows from the parameters
    bool flow;       // the velocity is the state (pipes.area: wet, and swe), not the flux
    bool eight;      // neighbours
    bool carries;    // momentum
    bool traced;     // … by tracing velocities back
    bool timed;      // velocities are carried on to the middle of a substep
    bool has_slopes; // the bed's slope is corrected for
} plain;

// Pipes and their slopes; dry. To be freed.
plain make_plain(const rv_column_set *set, const rv_params *params);
void free_plain(plain *p);
// `clipped`: the step has fewer substeps than it needs, and where it is deep it pushes less.
void plain_step(plain *p, double dt, bool clipped);

int plain_at(const plain *p, int plane, int x, int y); // -1: no column
// plain_pipes.c: finds the pipes of all columns.
void plain_find_pipes(plain *p);

#endif
