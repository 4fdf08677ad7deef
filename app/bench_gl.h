// What particles cost that are stepped by drawing. Used by app/bench.c only.
#ifndef APP_BENCH_GL_H
#define APP_BENCH_GL_H

#include <stdbool.h>

typedef struct rv_gl_bench {
    bool json;
    bool half;         // half-float grids
    int width, height; // of pictures
    int repeat;
} rv_gl_bench;

// The scenes of the splat paper beside ten times its frames a second, and a million particles in
// space beside 60 a second; each with and without its picture. false: a scene or the driver failed,
// which was told.
bool rv_bench_gl(const rv_gl_bench *settings);

#endif
