// Real time. Steps are time.step long; in slow motion they are shorter in proportion, so that the
// picture moves in every frame.
#include "app/view/clock.h"

#include <math.h>

#define ELAPSED_MAX 0.1 // s, a frame that took longer counts for this
#define WINDOW 0.5      // s, over which speeds are measured
#define STEPS_MAX 1000  // in one frame, however fast time shall run

rv_clock rv_clock_start(double now)
{
    return (rv_clock){.last = -1, .window_began = now};
}

void rv_clock_forget(rv_clock *c)
{
    c->last = -1;
    c->debt = 0;
}

rv_clock_plan rv_clock_begin(rv_clock *c, double now, double speed, double step)
{
    double elapsed = c->last >= 0 ? now - c->last : 0;
    elapsed = elapsed < ELAPSED_MAX ? elapsed : ELAPSED_MAX;
    if (c->fixed > 0) elapsed = c->fixed;
    c->last = now;
    rv_clock_plan plan = {.elapsed = elapsed, .dt = step};
    if (c->paused) {
        plan.steps = c->singles;
        c->singles = 0, c->debt = 0;
        return plan;
    }
    c->singles = 0;
    plan.dt = speed < 1 ? step * speed : step;
    c->debt += elapsed * speed;
    double due = floor(c->debt / plan.dt + 1e-9);
    plan.steps = due < STEPS_MAX ? (int)due : STEPS_MAX;
    c->debt -= due * plan.dt;
    if (c->debt < 0) c->debt = 0;
    return plan;
}

void rv_clock_end(rv_clock *c, double now, double simulated, bool in_time)
{
    if (!in_time) c->debt = 0;
    c->window_simulated += simulated;
    c->window_frames++;
    double passed = now - c->window_began;
    if (passed < WINDOW) return;
    c->factor = c->window_simulated / passed;
    c->rate = c->window_frames / passed;
    c->window_began = now, c->window_simulated = 0, c->window_frames = 0;
}
