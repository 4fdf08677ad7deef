// How much of the sky a point sees: from a coarse picture of where the solid is, made from the
// columns.
#ifndef RENDER_OPENNESS_H
#define RENDER_OPENNESS_H

#include "render/extent.h"

enum { RV_OPENNESS_LEVELS = 7 };

// Share of each box that is solid, 0 … 255; each level has boxes of twice the size of the last.
typedef struct rv_openness_level {
    int nx, ny, nz;
    uint8_t *solid;
} rv_openness_level;

typedef struct rv_openness {
    float side; // cells, of the smallest boxes
    float low;  // cells, height at which they begin
    int levels;
    rv_openness_level level[RV_OPENNESS_LEVELS];
} rv_openness;

rv_result rv_openness_make(rv_openness *openness, const rv_columns *columns,
                           const rv_extent *extent);
void rv_openness_free(rv_openness *openness);
// Share of the sky's light that reaches a point on a surface, 0 … 1.
float rv_openness_at(const rv_openness *openness, vec3 p, vec3 normal);

#endif
