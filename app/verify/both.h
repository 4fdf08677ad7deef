// What the cases share that run for both solvers of columns, `pipes` and `swe`.
#ifndef APP_VERIFY_BOTH_H
#define APP_VERIFY_BOTH_H

#include "verify.h"

#define RV_BOTH 2
// The solver and its name, which stands in each row; k is 0 or 1.
rv_solver_kind rv_both_kind(int k);
const char *rv_both_word(int k);

// A channel along x, `ny` cells wide, whose bed falls by `fall` a metre toward high x, its lowest
// cell at height 0, with `room` metres above the highest; all else as by default. Returns the bed,
// which belongs to the caller; NULL: no memory.
float *rv_channel(rv_world_def *def, int solver, int nx, int ny, double dx, double fall,
                  double room);

// A fill that gives the cells of row x of a channel (every y) a depth.
rv_fill_def rv_channel_fill(const rv_world_def *def, int x, double depth);

// Where the depth along the middle of a channel falls below `edge` for the last time, by a straight
// line between cells: m from the channel's upper end, horizontal. 0 where it is dry.
double rv_channel_front(const rv_world *world, double edge);

// How whole a film is along its way down. Of all triples of neighbours along that way whose outer
// two are deeper than 0.1 mm: `holes`, where the middle one is not; `rough`, the mean of |second
// difference| / depth over the others.
typedef struct rv_wholeness {
    double rough;
    int holes, counted;
} rv_wholeness;
rv_wholeness rv_whole_of(const rv_world *world, bool along_y, int from, int to);

#endif
