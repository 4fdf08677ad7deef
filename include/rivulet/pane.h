// rivulet/pane.h: a pane of glass with drops on it: what solver `glass` shows (docs/glass.md).
//
// The pane's own frame: x across, y up along the pane, z out of it; the grid is the pane, cell by cell. Drops are
// particles: rv_world_get_particles.
#ifndef RIVULET_PANE_H
#define RIVULET_PANE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A map of one value a pixel, 0 … 1, rows from the top; stretched over the whole pane.
typedef struct rv_map {
    int width, height;
    const float *value;
} rv_map;

// Borrowed from the world until its next change. Row y of a map begins at y · pitch, y = 0 at the lower edge.
typedef struct rv_pane {
    int nx, ny, pitch;
    double dx;              // m
    const float *height;    // m, of the water over the glass
    const float *mist;      // 0 … 1: share of the glass that micro-droplets cover
    const float *affinity;  // 0 … 1: 0 repels water, 1 draws it
    const int32_t *drop;    // index among the particles of the drop that covers the cell; -1: none
    int64_t touched;        // cells worked on in the last step
    double rained;          // m³ so far
    double over;            // m³, over the edges so far
    double evaporated;      // m³ so far
    double shown;           // m³ in the height map; the drops hold rv_stats.volume
    // Where the maps changed, for who keeps copies of them: tiles of `tile` cells each way, rows of (nx + tile - 1)/tile
    // of them, each with the number of its last change. A copy that was made when there had been `changes` changes is
    // that of now wherever a tile has no higher number. Affinity never changes. NULL: not known, all may have changed.
    int tile;
    int64_t changes;        // so far
    const int64_t *height_changes, *mist_changes; // by tile
    uint64_t made;          // tells panes apart: numbers of one say nothing about another
} rv_pane;

#ifdef __cplusplus
}
#endif
#endif
