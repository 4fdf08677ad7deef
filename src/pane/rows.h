// The two loops over cells that cost most, each over a run of one row, compiled once per
// instruction set (rows_simd.c) and chosen when a solver is made. Runs are of whole groups of
// RV_GLASS_GROUP cells.
#ifndef RV_GLASS_ROWS_H
#define RV_GLASS_ROWS_H

#include "base/simd.h"

#include <stdint.h>

#define RV_GLASS_GROUP 16 // cells; rows of cells begin at a multiple of it (terrain/columns.h)
#define RV_CAPS_MAX 5     // of a drop at rest (glass paper §5.3)

typedef enum rv_cell_kind {
    RV_CELL_DRY,
    RV_CELL_REST,  // of a drop at rest
    RV_CELL_LOOSE, // of a trail
    RV_CELL_HEAD   // of the head of a drop that runs or settles; loose, too
} rv_cell_kind;

// Trails in a substep:
//     h' = h + dt (D ∇²h - e |∇h|),  then what is thicker than a film drains to it
// Smoothing as diffusion (m²/s) and erosion as a speed of the edges (m/s) are what the 3×3 mean and
// the shift of edge cells of glass paper §5.2 come to, but do not depend on the grid or the step.
typedef struct rv_film_law {
    float smooth; // dt D/dx²
    float erode;  // dt e/dx
    float film;   // m
    float kept;   // share of what is thicker that stays
} rv_film_law;

typedef struct rv_film_row {
    const float *height;  // m, of the run's first cell; those around it exist
    const uint16_t *kind; // rv_cell_kind
    float *next;          // out: heights of loose cells; those of others stay
    long pitch;           // cells from a row to the next
} rv_film_row;

// What a drop looks like from above: caps, or a round head with a rear that is drawn out.
typedef struct rv_profile {
    float x[RV_CAPS_MAX], y[RV_CAPS_MAX]; // m, of caps from the drop's middle
    float size[RV_CAPS_MAX];              // of caps, over `radius`
    int caps;
    int runs;           // one that runs has a rear, and no caps
    float radius;       // m, of the largest cap
    float sine, cosine; // of the contact angle
    float way_x, way_y; // unit: of the motion, or down
    float stretch;      // length of the rear over the radius, from 1
    float sag;          // slope of the profile along the way
    float most;         // over the radius: a puddle is no higher; 0: not limited
} rv_profile;

// What became of a group of cells.
typedef struct rv_written {
    int32_t loose; // cells left; -1: they are of several drops, and nothing was done
    int32_t units; // RV_HEIGHT_UNIT, of these
} rv_written;

typedef struct rv_glass_rows {
    const char *name;
    void (*film)(const rv_film_law *law, rv_film_row row, int count);
    // Writes new heights of the loose cells of a group, times `thin`, if all belong to `drop`;
    // those under the cutoff are dry.
    rv_written (*write)(const float *next, int32_t drop, float thin, float cutoff, float *height,
                        uint16_t *kind, int32_t *id);
    // The profile over the radius at places from the drop's middle (m), dx apart; 0 outside.
    // Negative: in the rear, which is drawn but does not touch other drops.
    void (*profile)(const rv_profile *q, float x, float y, float dx, float *out, int count);
} rv_glass_rows;

const rv_glass_rows *rv_glass_rows_best(void);
const rv_glass_rows *rv_glass_rows_named(const char *name); // NULL when this machine lacks it

#endif
