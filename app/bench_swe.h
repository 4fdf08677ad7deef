// The rows of `rivulet bench swe`: the solvers of columns on the same single-layer scenes.
#ifndef APP_BENCH_SWE_H
#define APP_BENCH_SWE_H

#include <stdbool.h>

typedef struct rv_swe_bench {
    bool json;
    int repeat; // everything so often; the least figure is kept
} rv_swe_bench;

// Runs and prints them all, with one thread. false: something could not be made; it was said why.
bool rv_bench_swe(const rv_swe_bench *settings);

#endif
