// The rows of `rivulet bench card`: plain grids stepped on the graphics card.
#ifndef APP_BENCH_CARD_H
#define APP_BENCH_CARD_H

#include <stdbool.h>

typedef struct rv_card_bench {
    bool json;
    int repeat; // everything so often; the least figure is kept
    int most;   // cells of the largest grid, each way
} rv_card_bench;

// Runs and prints them all. false: something could not be made; it was said why.
bool rv_bench_card(const rv_card_bench *settings);

#endif
