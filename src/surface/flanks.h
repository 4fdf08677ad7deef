// Edges that drip, as the surface sees them: the sides of their solids, and where a film that runs
// over them holds together.
#ifndef RV_SURFACE_FLANKS_H
#define RV_SURFACE_FLANKS_H

#include "terrain/terrain.h"

// Between the top of a solid at an edge and its underside, so far down.
#define RV_FLANK_ROWS 3
#define RV_FLANK_HEIGHTS                                                                           \
    {                                                                                              \
        0.12f, 0.5f, 0.88f                                                                         \
    }
#define RV_BRIM_LEAST 0.04f // cells: a film as deep as that holds together along an edge
#define RV_BRIM_FAR 5       // columns, of the widest gap along an edge that films hold over
#define RV_BRIM_SHARE 0.6f  // of how deep it is on both sides of a gap, that it has there

// Of an edge. Kernels have the same words (card/kernels/flanks.glsl).
typedef struct rv_flank {
    float out[2];               // the way out of the solid, level, a unit vector; 0, 0: not known
    float reach[RV_FLANK_ROWS]; // cells that way from the middle of the column to the solid's side
    uint32_t slot;
    int32_t next[8]; // edges of the same solid in the cells around, from the east on; -1
} rv_flank;

// The side of the solid at its column.
void rv_flank_find(const rv_column_set *set, const rv_terrain *terrain, rv_flank *flank);
// How deep the column of an edge is shown, m, if it is dry and the film runs on over it; else 0.
// `gap`: of how many dry columns, RV_BRIM_FAR at most.
float rv_flank_brim(const rv_flank *flank, size_t edge, const float *depth, float least, int gap);

// The same of all edges. Most of those that are dry are far from every film: only those are asked
// that have one in their square of cells or in one beside it.
typedef struct rv_brims {
    uint32_t *square; // by edge
    uint8_t *wet;     // by edge
    float *brim;      // by edge, m: what rv_flank_brim says; 0 also where it is wet
    size_t room, count;
    uint8_t *film; // by square, with a rim: whether an edge there has a film
    size_t squares;
    int across;
} rv_brims;

// Room for edges and squares of a grid, and in which an edge is. false: no memory.
bool rv_brims_take(rv_brims *b, const rv_allocator *allocator, size_t count, int nx, int ny);
void rv_brims_put(rv_brims *b, size_t edge, int x, int y);
void rv_brims_free(rv_brims *b, const rv_allocator *allocator);
size_t rv_brims_bytes(const rv_brims *b);
// `film`: what is no deeper is dry, m; the others as in rv_flank_brim.
void rv_brims_find(rv_brims *b, const rv_flank *flank, const float *depth, float film, float least,
                   int gap, rv_pool *pool);

#endif
