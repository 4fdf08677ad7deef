// The terrain's rows of `rivulet bench`: fields from meshes, edits, moving solids, triangles.
#ifndef APP_BENCH_TERRAIN_H
#define APP_BENCH_TERRAIN_H

#include <stdbool.h>

typedef struct rv_terrain_bench {
    bool json;
    int threads; // the moving solid is timed with one thread and with this many
    int repeat;  // everything so often; the least figure is kept
} rv_terrain_bench;

// Runs and prints them all. false: something could not be made; it was said why.
bool rv_bench_terrain(const rv_terrain_bench *settings);

#endif
