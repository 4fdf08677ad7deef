// The bodies' rows of `rivulet bench`: one ball in a tank, and two hundred balls and boxes.
#ifndef APP_BENCH_BODIES_H
#define APP_BENCH_BODIES_H

#include <stdbool.h>

typedef struct rv_bodies_bench {
    bool json;
    int threads; // everything is timed with one thread and with this many
    int repeat;  // everything so often; the least figure is kept
} rv_bodies_bench;

// Runs and prints them all. false: something could not be made; it was said why.
bool rv_bench_bodies(const rv_bodies_bench *settings);

#endif
