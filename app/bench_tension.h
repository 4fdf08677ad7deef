// The rows of `rivulet bench tension`: scenes with surface tension beside the same without.
#ifndef APP_BENCH_TENSION_H
#define APP_BENCH_TENSION_H

#include <stdbool.h>

typedef struct rv_tension_bench {
    bool json;
    int threads, repeat; // everything so often; the least figure is kept
    double time;         // s; NAN: the scenes' own
} rv_tension_bench;

// Runs and prints them all. false: something could not be made; it was said why.
bool rv_bench_tension(const rv_tension_bench *settings);

#endif
