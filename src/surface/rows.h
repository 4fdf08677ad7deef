// Loops of the surface over rows of columns, compiled once per instruction set (rows_simd.c), all
// with the same results.
#ifndef RV_SURFACE_ROWS_H
#define RV_SURFACE_ROWS_H

#include <stdint.h>

// Bits of a column: links within its plane to the east, north-east, north and north-west; wet;
// there at all.
#define RV_BIT_E 1
#define RV_BIT_NE 2
#define RV_BIT_N 4
#define RV_BIT_NW 8
#define RV_BIT_WET 16
#define RV_BIT_THERE 32
#define RV_BITS_LINKS 15

typedef struct rv_surface_rows {
    const char *name;
    // Level, and the height at which the surface is drawn: at least the bed and `over`.
    void (*levels)(const float *base, const float *depth, const float *over, int n, float *level,
                   float *z);
    // n columns of a row; arrays of the row above start at the same x.
    void (*links)(const float *level, const float *min, const float *max, const float *level_above,
                  const float *min_above, const float *max_above, const float *base,
                  const float *depth, float film, int n, int32_t *bits);
    // 1 where a column and the eight around it are wet and all linked to it.
    void (*even)(const int32_t *below, const int32_t *bits, const int32_t *above, int n,
                 uint8_t *out);
} rv_surface_rows;

const rv_surface_rows *rv_surface_rows_best(void);

#endif
