// What marching cubes holds while it walks a lattice; shared by its two files.
#ifndef RV_TERRAIN_MARCHING_PARTS_H
#define RV_TERRAIN_MARCHING_PARTS_H

#include "terrain/marching.h"
#include "terrain/sharp.h"

// How good a vertex's normal is: as the samples have it, and they agree; of the solid itself; as
// the samples have it, and they do not agree.
#define RV_MARCH_SMOOTH 0
#define RV_MARCH_EXACT 1
#define RV_MARCH_DOUBTFUL 2
#define RV_MARCH_CREASE 3 // the vertex is on an edge of the solid

// What is known of a vertex besides; `at` where the kind is exact: where it should be.
typedef struct rv_march_known {
    float at[3];
    uint8_t kind;
    bool crease; // it happens to be on an edge of the solid
} rv_march_known;

#define RV_MARCH_NONE UINT32_MAX // no vertex

#define SLICES 4 // the two of the cells, and one on either side for the gradient

typedef struct rv_marcher {
    const rv_lattice *l;
    rv_march_table table;
    int first[3], end[3]; // samples there are, margins included
    size_t pitch;         // samples from a row to the next
    size_t flat;          // samples of a slice, with margins
    size_t cells;         // and without
    float *samples;       // [SLICES], slice k at k mod SLICES
    int loaded;           // slices before this one have been
    // Signs of slices k and k + 1, rows -1 … n[1], sample i of a row at bit i + 1: free ones all
    // around.
    size_t words, rows;
    uint64_t *solid[2];
    // Vertices of the crossed edges along x and y that start at each sample, of the samples
    // themselves on a cut (0, 1, 2) in two slices, and of the edges upward.
    uint32_t *vertex[2][3], *upward;
    uint32_t *indices_block;
    rv_mesh *out;
    rv_march_known *known; // of vertices, where edges are looked for
    size_t known_room;
    rv_sharp_lines bends;
    size_t vertex_room, triangle_room;
    rv_result result;
} rv_marcher;

uint32_t rv_march_vertex(rv_marcher *m, const float normal[3], rv_march_known known);
bool rv_march_room(rv_marcher *m, size_t triangles); // for so many more
// The triangles of one loop of a cell, with vertices on edges of the solid where it has some.
// False: it has none, or there was no memory (m->result).
bool rv_march_sharp(rv_marcher *m, const int cell[3], const uint32_t *loop, const uint8_t *edge,
                    int count);

#endif
