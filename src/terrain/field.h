// The field's own data, shared by field.c and cast.c.
#ifndef RV_TERRAIN_FIELD_H
#define RV_TERRAIN_FIELD_H

#include "terrain/terrain.h"

#define RV_BRICK 8

typedef struct rv_brick {
    float *samples; // 8×8×8, x fastest; NULL: all of it is as far as its middle says
    float middle;
} rv_brick;

struct rv_terrain {
    rv_grid grid;
    rv_solid_def *solids;
    int count;
    int bx, by, bz; // bricks
    rv_brick *brick;
    double steepness, jump;
    rv_allocator allocator;
};

// Sample (i, j, k); i and j count from the ring at -1.
static inline float rv_field_sample(const rv_terrain *t, int i, int j, int k)
{
    int x = i + 1, y = j + 1;
    size_t index = ((size_t)(y / RV_BRICK) * (size_t)t->bx + (size_t)(x / RV_BRICK)) * (size_t)t->bz +
                   (size_t)(k / RV_BRICK);
    const rv_brick *b = &t->brick[index];
    if (!b->samples) return b->middle;
    return b->samples[(k % RV_BRICK * RV_BRICK + y % RV_BRICK) * RV_BRICK + x % RV_BRICK];
}

#endif
