// What drawing costs: the frames at the end of a scene's run, drawn without a display.
#ifndef APP_BENCH_DRAW_H
#define APP_BENCH_DRAW_H

#include "rivulet_gl/renderer.h"

#define RV_BENCH_FRAMES 60 // drawn of each run, its last ones
#define RV_BENCH_PARTS 4   // of a frame for the processor: step, surface, update, drawing

typedef struct rv_draw_bench {
    rv_target *target;
    bool lent; // the target is somebody else's
    rv_renderer *renderer;
    rv_renderer_stats sum; // over the frames; ms < 0: the driver has no timers
    double slowest;        // ms of the one that took longest
    double wall;           // ms of all frames until they can be read
    double still, turning; // ms of a whole frame, step included, by the wall clock; 0: not known
    double median;         // of those while the camera stands
    double part[RV_BENCH_PARTS]; // ms of the processor in a whole frame, the camera standing
    int frames;
    bool timed; // the driver has timers
    bool pane;  // what is drawn is one
} rv_draw_bench;

// false: no driver; a message says so.
// `target`: the card's, where columns are on one, so that both see the same memory; else NULL.
bool rv_bench_draw_start(rv_draw_bench *bench, rv_target *target, int width, int height,
                         rv_messages *messages);
bool rv_bench_draw_frame(rv_draw_bench *bench, const rv_world *world, const rv_surface *surface,
                         rv_messages *messages);
// Goes on stepping and drawing as a viewer does, without waiting for any of it but at the end; then
// while the camera turns.
bool rv_bench_draw_whole(rv_draw_bench *bench, rv_world *world, rv_surface *surface,
                         rv_messages *messages);
// Mean ms a frame: of the GPU, or wall clock where it has no timers.
double rv_bench_draw_ms(const rv_draw_bench *bench);
// One line: the driver and the parts.
void rv_bench_draw_print(const rv_draw_bench *bench);
void rv_bench_draw_end(rv_draw_bench *bench);

#endif
