// Times the parts of a frame with the driver's queries.
#include "render/timers.h"

#include "render/driver.h"

#include <string.h>

enum { WANTED = 2 * RV_TIMED_FRAMES }; // frames that are timed after somebody asked

void rv_timers_make(rv_timers *t)
{
    memset(t, 0, sizeof *t);
    for (int n = 0; n < RV_PASSES; n++) t->ms[n] = -1;
    t->can = rv_driver_times(), t->map_ms = t->near_ms = t->whole_ms = -1;
    t->wanted = WANTED;
    if (t->can) glGenQueries(RV_TIMED_FRAMES * RV_PASSES, &t->query[0][0]);
}

void rv_timers_free(rv_timers *t)
{
    if (t->can) glDeleteQueries(RV_TIMED_FRAMES * RV_PASSES, &t->query[0][0]);
    memset(t, 0, sizeof *t);
}

// Takes the answers of a frame if all of them are there. Those that a driver says are of no use, or
// that are longer than any frame (Mesa's software driver gives such for its first), are left out.
static bool collect(rv_timers *t, int frame)
{
    GLuint there = 0;
    double ms[RV_PASSES], most = 0;
    for (int n = 0; n < RV_PASSES; n++) {
        if (!(t->begun[frame] >> n & 1)) continue;
        glGetQueryObjectuiv(t->query[frame][n], GL_QUERY_RESULT_AVAILABLE, &there);
        if (!there) return false;
    }
    for (int n = 0; n < RV_PASSES; n++) {
        ms[n] = t->begun[frame] >> n & 1 ? 1e-6 * (double)rv_driver_time(t->query[frame][n]) : 0;
        most = ms[n] > most ? ms[n] : most;
    }
    if (rv_driver_was_disturbed() || most >= 60e3) return true;
    double whole = -ms[RV_PASS_GATHER] - ms[RV_PASS_NEAR];
    for (int n = 0; n < RV_PASSES; n++) whole += ms[n];
    if (t->whole[frame])
        t->whole_ms = whole;
    else
        memcpy(t->ms, ms, sizeof ms);
    if (t->begun[frame] >> RV_PASS_GATHER & 1) t->map_ms = ms[RV_PASS_GATHER];
    if (t->begun[frame] >> RV_PASS_NEAR & 1) t->near_ms = ms[RV_PASS_NEAR];
    return true;
}

// From the oldest to the newest, so that the newest known stays.
static void collect_all(rv_timers *t)
{
    for (int n = 1; n <= RV_TIMED_FRAMES; n++) {
        int frame = (t->now + n) % RV_TIMED_FRAMES;
        if (t->asked[frame] && collect(t, frame)) t->asked[frame] = false;
    }
}

void rv_timers_want(rv_timers *t)
{
    if (t->can) collect_all(t);
    t->wanted = WANTED;
}

void rv_timers_begin(rv_timers *t)
{
    if (!t->can || t->wanted == 0) return;
    t->wanted--;
    collect_all(t);
    t->now = (t->now + 1) % RV_TIMED_FRAMES;
    if (t->running) glEndQuery(GL_TIME_ELAPSED_EXT); // of a frame that was given up
    t->running = false;
    if (t->asked[t->now]) return;
    t->begun[t->now] = 0;
    t->odd = !t->odd, t->whole[t->now] = t->odd;
}

void rv_timers_part(rv_timers *t, rv_pass pass)
{
    if (!t->can || t->wanted == 0 || t->asked[t->now]) return;
    // of a whole frame all that comes after its map of light is one
    if (t->whole[t->now] && t->begun[t->now] && pass > RV_PASS_SOLIDS) return;
    if (t->running) glEndQuery(GL_TIME_ELAPSED_EXT);
    glBeginQuery(GL_TIME_ELAPSED_EXT, t->query[t->now][pass]);
    t->begun[t->now] |= 1u << pass;
    t->running = true;
}

void rv_timers_end(rv_timers *t)
{
    if (!t->can || !t->running) return;
    glEndQuery(GL_TIME_ELAPSED_EXT);
    t->running = false;
    t->asked[t->now] = true;
}
