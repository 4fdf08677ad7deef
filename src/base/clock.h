// Wall clock, for statistics.
#ifndef RV_BASE_CLOCK_H
#define RV_BASE_CLOCK_H

#include <time.h>

static inline double rv_wall_ms(void)
{
    struct timespec now;
    // Where the build asks for POSIX: in a browser the other clock has milliseconds only.
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

#endif
