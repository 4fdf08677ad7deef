// How long the graphics card takes for the parts of a frame, where the driver can tell.
#ifndef RENDER_TIMERS_H
#define RENDER_TIMERS_H

#include <epoxy/gl.h>
#include <stdbool.h>

enum { RV_TIMED_SHADOW, RV_TIMED_TERRAIN, RV_TIMED_LIQUID, RV_TIMED_FINISH, RV_TIMED_PARTS };
enum { RV_TIMED_FRAMES = 4 };

// Answers come some frames later; a ring of queries lets the card go on meanwhile.
typedef struct rv_timers {
    bool can;
    GLuint query[RV_TIMED_FRAMES][RV_TIMED_PARTS];
    bool asked[RV_TIMED_FRAMES];
    int now;
    bool running;
    double ms[RV_TIMED_PARTS]; // of the last frame that is known; -1: none
} rv_timers;

void rv_timers_make(rv_timers *timers);
void rv_timers_free(rv_timers *timers);
// Around a frame; and before each part of it, in order.
void rv_timers_begin(rv_timers *timers);
void rv_timers_part(rv_timers *timers, int part);
void rv_timers_end(rv_timers *timers);

#endif
