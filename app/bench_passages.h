// The rows of `rivulet bench passages-long`: flooded passages of some thousand columns, by each way
// of solving them.
#ifndef APP_BENCH_PASSAGES_H
#define APP_BENCH_PASSAGES_H

#include <stdbool.h>

typedef struct rv_passages_bench {
    bool json;
    int repeat; // everything so often; the least figure is kept
} rv_passages_bench;

// Runs and prints them all, with one thread. false: something could not be made; it was said why.
bool rv_bench_passages(const rv_passages_bench *settings);

#endif
