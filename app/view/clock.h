// Real time: how much to simulate for a frame that is shown, and how fast it really goes.
#ifndef APP_VIEW_CLOCK_H
#define APP_VIEW_CLOCK_H

#include <stdbool.h>

typedef struct rv_clock {
    bool paused;
    int singles;  // steps asked for one by one
    double fixed; // s, of wall clock that each frame counts for; 0: what it took
    double last;  // s, when the last frame began; < 0: it does not count
    double debt;  // s, simulated time that is due
    // Over the last half second or so.
    double window_began, window_simulated;
    int window_frames;
    double factor; // simulated seconds in a real one
    double rate;   // frames shown a second
} rv_clock;

// What is due: `steps` of `dt` simulated seconds.
typedef struct rv_clock_plan {
    double elapsed; // s, since the last frame, as it counts
    int steps;
    double dt;
} rv_clock_plan;

rv_clock rv_clock_start(double now);
// A frame begins. speed: simulated seconds in a real one that are wanted; step: time.step.
rv_clock_plan rv_clock_begin(rv_clock *clock, double now, double speed, double step);
// It is over: so much was simulated. What could not be done in time is forgotten, so that a slow
// machine falls behind instead of falling further and further into debt.
void rv_clock_end(rv_clock *clock, double now, double simulated, bool in_time);
// The time until now shall not be caught up with: something else took long, or nothing was drawn.
void rv_clock_forget(rv_clock *clock);

#endif
