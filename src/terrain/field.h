// The field's own data, shared by the files of src/terrain that fill it and read it.
#ifndef RV_TERRAIN_FIELD_H
#define RV_TERRAIN_FIELD_H

#include "terrain/terrain.h"

#define RV_BRICK_SHIFT 3
#define RV_BRICK (1 << RV_BRICK_SHIFT)
#define RV_BRICK_MASK (RV_BRICK - 1)
#define RV_BRICK_SAMPLES (RV_BRICK * RV_BRICK * RV_BRICK)

typedef struct rv_brick {
    float *samples; // 8×8×8, x fastest; NULL: far from the surface, and then:
    float middle;   // a bound of the distance in its middle, with its sign
    float least; // and of its size anywhere in the brick; < 0 while being built: samples are wanted
} rv_brick;

// The bricks with the same y, one row of them: what is built, and without `keep` held, at a time.
typedef struct rv_band {
    float *samples;
    size_t sampled; // bricks
} rv_band;

struct rv_terrain {
    rv_grid grid;
    double x_first, y_first; // m, sample (0, 0), half a cell outside the grid
    double per_dx, per_dz;   // 1/m
    double margin;           // m, no surface is so near to a brick without samples
    int bx, by, bz;          // bricks
    size_t step_x, step_y;   // bricks from one to the next; along z it is 1
    rv_brick *brick;
    size_t bricks; // in memory: all, or while building without `keep` one band
    rv_band *band; // [by]
    rv_allocator allocator;
};

// Sample (i, j, k) counted from the ring outside the grid: cell (x, y) is sample (x + 1, y + 1).
static inline rv_vec3 rv_field_point(const rv_grid *g, int i, int j, int k)
{
    // from the middle outward, so that mirrored cells have exactly mirrored places
    double x = g->x0 + 0.5 * g->nx * g->dx, y = g->y0 + 0.5 * g->ny * g->dx;
    return (rv_vec3){x + (i - 0.5 - 0.5 * g->nx) * g->dx, y + (j - 0.5 - 0.5 * g->ny) * g->dx,
                     g->bottom + k * g->dz};
}

static inline const rv_brick *rv_field_brick(const rv_terrain *t, int i, int j, int k)
{
    return t->brick + (size_t)(j >> RV_BRICK_SHIFT) * t->step_y +
           (size_t)(i >> RV_BRICK_SHIFT) * t->step_x + (size_t)(k >> RV_BRICK_SHIFT);
}

static inline size_t rv_brick_index(int i, int j, int k)
{
    return (size_t)(((k & RV_BRICK_MASK) << RV_BRICK_SHIFT | (j & RV_BRICK_MASK))
                        << RV_BRICK_SHIFT |
                    (i & RV_BRICK_MASK));
}

// The columns of a cell, from below: {min, base, max} each.
typedef struct rv_stack {
    int count;
    int dropped; // above the 16th
    float column[RV_LAYERS_MAX][3];
} rv_stack;

// Casts one cell's ray through its bricks, bz of them from below; i and j are sample indices.
void rv_stack_cast(const rv_grid *grid, const rv_brick *bricks, int i, int j, rv_stack *out);

#endif
