// The liquid's mesh made finer where the eye is near: what is sent to the card instead of the mesh
// itself when a cell is many pixels large. Triangles that the picture shows are divided in four,
// once or several times, and their corners moved as Loop's scheme has it, so that waves and drops
// are round between columns, and the line where liquid ends is a curve.
#ifndef RENDER_FINER_H
#define RENDER_FINER_H

#include "render/eye.h"

// Floats of a vertex, in this order: place, normal, depth, velocity, contact, roughness, drop, and
// how thick the liquid around it is, m: at an end as what ends there.
enum { RV_FINER_FLOATS = 17 };

// How often triangles are divided at most, and into how many all of them: 25 MB of corners.
enum { RV_FINER_LEVELS = 3, RV_FINER_MOST = 1 << 21 };

typedef struct rv_finer_how {
    int levels;                   // how often; 0: cells are small in the picture
    float share[RV_FINER_LEVELS]; // of what moves vertices, by level: from 0 to 1 while the eye
                                  // comes nearer, so that nothing jumps
    size_t most;                  // triangles; RV_FINER_MOST
    bool mirror;                  // nothing is seen through the liquid
} rv_finer_how;

typedef struct rv_finer_edge {
    uint32_t a, b;      // a < b
    uint32_t across[2]; // third corners of its triangles; UINT32_MAX: it has no second one
    uint32_t middle;    // the vertex in it
} rv_finer_edge;

typedef struct rv_finer {
    // what it is made from
    float *vertices; // RV_FINER_FLOATS each
    uint32_t *indices;
    size_t vertex_count, triangle_count, vertex_room, index_room;
    bool contact, roughness, drop; // which arrays the mesh had
    // what it is made of
    float *fine;  // as `vertices`
    float *thick; // by vertex, 0 … 1: how far it may be moved
    float *loose; // the same of an end, along its bed
    uint32_t *corners, *other;
    bool films; // they know how thick the liquid around them is
    size_t fine_count, corner_count, fine_room, thick_room, loose_room, corner_room, other_room;
    float *part; // array by array, as rv_surface_mesh has them
    size_t part_room;
    // by vertex: what is around it
    float *sum;
    uint32_t *beside;
    uint8_t *count, *rims;
    size_t sum_room, beside_room, count_room, rims_room;
    rv_finer_edge *edges;
    uint32_t *table, *edge_of; // by key; by corner of a triangle
    size_t edge_count, edge_room, table_room, edge_of_room;
} rv_finer;

// Keeps a copy of a mesh. false: no memory.
bool rv_finer_keep(rv_finer *finer, const rv_surface_mesh *mesh);
// How much finer a picture wants it.
rv_finer_how rv_finer_how_of(const rv_eye *eye, bool mirror);
// The mesh that was kept, with what the eye sees divided; valid until the next call. With 0 levels
// it is as it was. false: no memory.
bool rv_finer_make(rv_finer *finer, const rv_extent *extent, const rv_eye *eye,
                   const rv_finer_how *how, rv_surface_mesh *out);
// By vertex of that: how thick the liquid around it is, m; NULL where nothing was divided.
const float *rv_finer_films(const rv_finer *finer);
void rv_finer_free(rv_finer *finer);

#endif
