// Beads that hang at edges, and the threads that fall from them, on the graphics card.
#ifndef RENDER_BEADS_H
#define RENDER_BEADS_H

#include "render/extent.h"

#include <epoxy/gl.h>

// A vertical round thing, lengths in cells. Half an ellipsoid under `at` and a flatter one over it,
// or where `wide` is more than 0 a thread that falls from there.
typedef struct rv_bead_piece {
    float at[3], radius;
    float down, up; // how far it goes down and up
    float head;     // of a thread, see rv_bead
    float wide;     // of a thread: half width where it leaves the edge; 0: a bead
} rv_bead_piece;

typedef struct rv_beads {
    GLuint array, instances;
    rv_bead_piece *piece;
    rv_bead *bead;
    int count, piece_room, bead_room;
    size_t uploaded; // bytes, by the last update
} rv_beads;

// Takes over those that hang now.
rv_result rv_beads_update(rv_beads *beads, const rv_world *world, const rv_extent *extent);
void rv_beads_free(rv_beads *beads);
void rv_beads_draw(const rv_beads *beads);

#endif
