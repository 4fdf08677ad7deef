// A progress bar on a terminal; nothing at all in a pipe.
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>

typedef struct rv_progress {
    bool shown;     // stderr is a terminal and nobody asked for quiet
    double started; // s, of rv_seconds()
    double drawn;   // when the bar was last drawn
    bool dirty;     // there is a bar on the line
} rv_progress;

// Seconds of a clock that only goes forward.
double rv_seconds(void);

rv_progress rv_progress_start(bool quiet);
// Draws at most ten times a second. share in 0..1; `text` stands after the bar, before the time
// left.
void rv_progress_show(rv_progress *progress, double share, const char *text);
// Takes the bar off the line.
void rv_progress_clear(rv_progress *progress);

#endif
