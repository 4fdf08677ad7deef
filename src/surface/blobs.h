// The surface of droplets that fly: close together they are one liquid, a jet or a thread; alone
// each is a ball.
#ifndef RV_SURFACE_BLOBS_H
#define RV_SURFACE_BLOBS_H

#include "base/memory.h"
#include "rivulet/surface.h"
#include "terrain/columns.h"

typedef struct rv_blob_input {
    const rv_vec3 *at, *velocity; // m, m/s
    const double *radius;         // m
    const uint8_t *hangs;         // as in rv_droplets: only those that fly are taken
    int count;
    double largest;               // m; droplets with a larger radius are left out
    double spacing;               // m, of the droplets of a stream
    const rv_column_set *columns; // that they land on; NULL: none
    const float *depth;           // m, of these, by slot
    rv_pool *pool;
} rv_blob_input;

#define RV_BLOB_DROP (-3.0f) // `drop` of what is no curtain but round

struct rv_blob_brick;
struct rv_blob_grain;

// Kept between updates, so that warm ones ask for no memory.
typedef struct rv_blob_work {
    rv_allocator allocator;
    struct rv_blob_brick *brick; // those that droplets reach
    int brick_count, brick_room;
    int32_t *table;              // by hash of their place: brick + 1, 0
    int table_room;              // a power of two, or 0
    struct rv_blob_grain *grain; // droplets, once for each brick that they reach
    int32_t *owner, *sorted;     // the brick of each; grains by brick
    int grains, grain_room[3];
    float *positions, *normals, *velocity; // x, y, z by vertex
    float *depth;                          // m
    float *smooth[4]; // places, with nothing, and normals, with depths, being smoothed: two of both
    float *part;      // of the way to their neighbours' mean that vertices go, 0 … 1
    int32_t *beside;  // neighbours of vertices, one for each corner
    int32_t *first_of; // [vertices + 1] where those of a vertex begin
    int vertices, vertex_room[10], corner_room;
    uint32_t *indices;
    int triangles, triangle_room;
} rv_blob_work;

rv_result rv_blobs_build(rv_blob_work *work, const rv_blob_input *in);
void rv_blobs_free(rv_blob_work *work);
size_t rv_blobs_bytes(const rv_blob_work *work);

#endif
