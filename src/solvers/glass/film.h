// Trails: one row of loose cells in a substep, compiled once per instruction set (film_simd.c).
//
//     h' = h + dt (D ∇²h - e |∇h|),  then what is thicker than a film drains to it
//
// Smoothing as diffusion (m²/s) and erosion as a speed of the edges (m/s) are what the 3×3 mean and
// the shift of edge cells of paper 001 §5.2 come to, but do not depend on the grid or the step.
#ifndef RV_GLASS_FILM_H
#define RV_GLASS_FILM_H

#include "base/simd.h"

#include <stdint.h>

typedef enum rv_cell_kind {
    RV_CELL_DRY,
    RV_CELL_REST,  // of a drop at rest
    RV_CELL_LOOSE, // of a trail
    RV_CELL_HEAD   // of the head of a drop that runs or settles; loose, too
} rv_cell_kind;

typedef struct rv_film_law {
    float smooth; // dt D/dx²
    float erode;  // dt e/dx
    float film;   // m
    float kept;   // share of what is thicker that stays
} rv_film_law;

typedef struct rv_film_row {
    const float *height;  // m, of the row's first cell; those around it exist
    const uint16_t *kind; // rv_cell_kind
    float *next;          // out: heights of loose cells
    long pitch;           // cells from a row to the next
} rv_film_row;

typedef struct rv_film_rows {
    const char *name;
    void (*film)(const rv_film_law *law, rv_film_row row, int count);
} rv_film_rows;

const rv_film_rows *rv_film_rows_best(void);
const rv_film_rows *rv_film_rows_named(const char *name); // NULL when this machine lacks it

#endif
