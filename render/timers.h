// How long the graphics card takes for the parts of a frame, where the driver can tell.
#ifndef RENDER_TIMERS_H
#define RENDER_TIMERS_H

#include "rivulet_gl/renderer.h"

#include <epoxy/gl.h>
#include <stdbool.h>

enum { RV_TIMED_FRAMES = 4 };

// Answers come some frames later; a ring of queries lets the card go on meanwhile. Every second
// frame is timed as a whole: between passes that are timed the card waits for some microseconds.
typedef struct rv_timers {
    bool can;
    GLuint query[RV_TIMED_FRAMES][RV_PASSES];
    bool asked[RV_TIMED_FRAMES], whole[RV_TIMED_FRAMES];
    unsigned begun[RV_TIMED_FRAMES]; // passes that the frame had, a bit each
    int now;
    bool running, odd;
    int wanted;           // frames more that are timed
    double ms[RV_PASSES]; // of the last frame that is known; -1: none
    double whole_ms;      // of the last that was timed as a whole, without the next two; -1: none
    double map_ms;        // of the map of light when it was last made; -1: not known
    double near_ms;       // of what was made finer from close by, the last time; the same
} rv_timers;

void rv_timers_make(rv_timers *timers);
void rv_timers_free(rv_timers *timers);
// Somebody asks for times: takes those that are there, and the next frames are timed. Queries cost
// the processor more than most of what they time, so frames that nobody asks about have none.
void rv_timers_want(rv_timers *timers);
// Around a frame; and before each of its passes, each once.
void rv_timers_begin(rv_timers *timers);
void rv_timers_part(rv_timers *timers, rv_pass pass);
void rv_timers_end(rv_timers *timers);

#endif
