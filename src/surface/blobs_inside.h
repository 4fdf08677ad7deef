// What the files of blobs.h share: bricks of samples, and loops over them.
#ifndef RV_SURFACE_BLOBS_INSIDE_H
#define RV_SURFACE_BLOBS_INSIDE_H

#include "surface/blobs.h"

#define RV_BLOB_SIDE 8
#define RV_BLOB_SLICE (RV_BLOB_SIDE * RV_BLOB_SIDE)
#define RV_BLOB_SAMPLES (RV_BLOB_SIDE * RV_BLOB_SLICE)
#define RV_BLOB_REACH 2.5                                   // spacings, R
#define RV_BLOB_STEP 0.75                                   // spacings, of the lattice
#define RV_BLOB_FAR ((float)(RV_BLOB_REACH / RV_BLOB_STEP)) // samples: φ where no droplet reaches
#define RV_BLOB_PIECE 256                                   // vertices: one task

// What is summed up at a sample: w, and w times each of these.
enum { RV_BLOB_W, RV_BLOB_X, RV_BLOB_Y, RV_BLOB_Z, RV_BLOB_R, RV_BLOB_U, RV_BLOB_V, RV_BLOB_VZ };
#define RV_BLOB_SUMS 8

// A droplet that reaches into a brick.
typedef struct rv_blob_grain {
    float at[3];             // samples from the brick's first
    float radius;            // samples
    float velocity[3];       // m/s
    int32_t low[3], high[3]; // samples of the brick that it may reach
} rv_blob_grain;

typedef struct rv_blob_brick {
    int at[3];        // in bricks
    int32_t next[27]; // the bricks around it + 1; 13: itself
    int first, count; // of its droplets in the list
    float sum[RV_BLOB_SUMS][RV_BLOB_SAMPLES];
    float phi[RV_BLOB_SAMPLES];
    uint8_t under[RV_BLOB_SIDE][RV_BLOB_SIDE]; // bits of a row: φ < 0. By z, by y
    // Which samples are inside, and of those one beyond: a row is nine bits. By z, by y.
    uint16_t inside[RV_BLOB_SIDE + 1][RV_BLOB_SIDE + 1];
    int vertices, quads;             // that it makes
    int first_vertex, first_quad;    // where they go
    int32_t vertex[RV_BLOB_SAMPLES]; // of the cell above that sample + 1, 0
} rv_blob_brick;

// Compiled once per instruction set (blobs_simd.c), all with the same results.
typedef struct rv_blob_loops {
    // Adds what a droplet has to the samples of a brick.
    void (*add)(rv_blob_brick *brick, const rv_blob_grain *grain);
    // φ in samples, of the sums; and where it is under 0.
    void (*phi)(rv_blob_brick *brick);
    // Moves what vertices have, four numbers each, by a share of the way to the mean of those
    // beside them, from a vertex to before another.
    void (*even)(const rv_blob_work *work, const float *from, float *to, float share, size_t first,
                 size_t last);
} rv_blob_loops;

const rv_blob_loops *rv_blob_loops_best(void);

static inline size_t rv_blob_sample(int x, int y, int z)
{
    return (size_t)((z * RV_BLOB_SIDE + y) * RV_BLOB_SIDE + x);
}

// The mesh of bricks whose φ and neighbours are known (blobs_mesh.c).
rv_result rv_blobs_mesh(rv_blob_work *work, const rv_blob_input *in);

#endif
