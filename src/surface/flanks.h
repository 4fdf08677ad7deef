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
// By edge how many steps it is along edges to one with a film, 0 there, more than `gap` where there
// is none so near: what is far from all films need not be asked.
void rv_flank_steps(const rv_flank *flank, size_t count, const float *depth, float least, int gap,
                    uint8_t *steps);
// How deep the column of an edge is shown, m, if it is dry and the film runs on over it; else 0.
// `gap`: of how many dry columns, RV_BRIM_FAR at most.
float rv_flank_brim(const rv_flank *flank, size_t edge, const float *depth, float least, int gap);

#endif
