// Surface tension and wetting: heads that columns get before each substep, see tension.c.
#ifndef RV_COLUMNS_TENSION_H
#define RV_COLUMNS_TENSION_H

#include "columns/columns.h"

// What beds and walls were last surveyed with.
typedef struct rv_surveyed {
    double length2;                      // m², ℓ²
    double advancing, receding, contact; // rad, the liquid's
    double uneven;
    int seed;
} rv_surveyed;

typedef struct rv_end rv_end; // ends.c

struct rv_tension {
    float *head;   // m, by slot: of tension, and what presses from outside
    float *wetted; // state: 1 where the bed counts as wet, else 0
    // What sleeps, see rest.c.
    uint8_t *rest;                     // state: frames that a column has been at rest
    uint64_t *rested, *asleep, *slept; // a bit per block, by row: which rested for long enough, and
                                       // which sleep, now and when that was last looked at
    bool sleeping;                     // some do
    // What is known of the beds, by slot, see rv_tension_rows; and columns beside walls and edges.
    float *lean, *advance, *recede, *full;
    float *even;      // 1 where heads of deep liquid are smoothed, else 0
    float *calm[2];   // m, heads over the whole while they are smoothed
    uint8_t *end;     // RV_END…, or 0
    uint32_t *end_at; // from 1 on, where an end stands in …
    rv_end *ends;
    uint32_t end_count, end_capacity;
    int16_t *pull; // four a slot, west, east, south, north: of a wall there, as RV_PULL_ONE
    // Where liquid wets what, see wetting.c.
    uint8_t *affinity; // state: by cell, row by row, 127 is one half
    rv_rows cells;     // the rows that it has
    uint8_t *set;      // RV_SETS a slot: which angles the bed has, and walls on its sides; NULL: no
                       // solid has its own
    double least, most; // rad, of all beds' advancing angles
    rv_surveyed surveyed;
    float *memory;
    size_t count;
    float *rows; // work space of the threads
    size_t row_count;
    float per_half; // 1/m, 2/dx
    int tasks;      // that there is work space for
};

// What rv_tension.end has of a column that is looked at by itself; slanted: its bed is as steep as
// steps are, along some way.
enum { RV_END = 1, RV_END_SLANTED };

#define RV_SETS 5
#define RV_LEAST_ANGLE 0.01 // rad; something for the cost of wetting to be spread over

bool rv_tension_is_on(const rv_engine *s);
rv_result rv_tension_make(rv_engine *s, const rv_map *affinity); // NULL: one half everywhere
void rv_tension_free(rv_engine *s);
size_t rv_tension_bytes(const rv_engine *s);
void rv_tension_begin(rv_engine *s); // it was off: no bed counts as wet
// Loops write whole vectors: what stands beyond a row's last column is no head, and on a card 0.
void rv_tension_clear_beyond(rv_engine *s, uint32_t row);
void rv_tension_heads(rv_engine *s, rv_pool *pool);
rv_tension_law rv_tension_law_of(const rv_engine *s);

// survey.c
void rv_tension_survey(rv_engine *s, rv_rect cells); // after the pipes of these cells are others
void rv_tension_survey_all(rv_engine *s);
void rv_tension_adjust(rv_engine *s, rv_rect cells); // the same, where no solid is another
void rv_tension_new_params(rv_engine *s);            // surveys again what reads those that changed
void rv_tension_set_law(rv_engine *s, double dt);
double rv_tension_length2(const rv_engine *s);            // m², ℓ²
double rv_tension_full(const rv_engine *s, double angle); // m, h*
bool rv_tension_is_step(const rv_engine *s, uint32_t a, uint32_t b);
// Whether a column's ceiling is lower than another's and the solid over it reaches up to the grid's
// top: where liquid in the other stands higher, that solid is a wall for its surface.
bool rv_tension_is_roof(const rv_engine *s, uint32_t slot, uint32_t other);
// The column joined to one on a side: of the same plane, else the one with the nearest bed;
// RV_NO_SLOT: none.
uint32_t rv_tension_beside(const rv_engine *s, uint32_t slot, rv_side side);

// ends.c
void rv_ends_link(rv_engine *s, rv_rect cells); // after the pipes of these cells are others
void rv_ends_free(rv_engine *s);
// What a card is told of an end: kinds of its sides, the columns there, those in the corners by way
// of either side and of both, and how walls pull.
void rv_ends_words(const rv_engine *s, uint32_t slot, uint32_t out[19]);
size_t rv_ends_bytes(const rv_engine *s);
// Takes up an end; false: nothing is in it or beside it, so its head is 0.
bool rv_ends_add(rv_engine *s, rv_end_batch *b, uint32_t slot);
void rv_ends_finish(rv_engine *s, const rv_tension_law *law, rv_end_batch *b); // sets the heads

// deep.c
void rv_tension_calm(rv_engine *s, rv_pool *pool, int tasks); // smooths the heads of deep liquid
void rv_tension_set_calm(rv_engine *s, double dt);
double rv_tension_calm_from(const rv_engine *s, int pass); // m, of depths

// The rows of one of several tasks: [*first, *end).
static inline void rv_tension_share(const rv_engine *s, int index, int tasks, uint32_t *first,
                                    uint32_t *end)
{
    uint64_t rows = s->row_count;
    *first = (uint32_t)(rows * (uint32_t)index / (uint32_t)tasks);
    *end = (uint32_t)(rows * ((uint32_t)index + 1) / (uint32_t)tasks);
}

// The part of a row within some cells: x from *from to *to; false: none.
static inline bool rv_row_within(const rv_engine *s, uint32_t r, rv_rect cells, int *from, int *to)
{
    const rv_pipe_row *row = &s->row[r];
    const rv_plane *plane = &s->columns->plane[row->plane];
    int end = plane->x0 + plane->nx;
    *from = cells.x0 > plane->x0 ? cells.x0 : plane->x0;
    *to = cells.x1 < end ? cells.x1 : end;
    return row->y >= cells.y0 && row->y < cells.y1 && *from < *to;
}

// NULL where there is no tension.
static inline const float *rv_tension_even(const rv_engine *s, size_t slot)
{
    return s->tense ? s->tension->even + slot : NULL;
}

// rest.c: the bounds on a pipe's flux, m³/s, as shares of its depths.
typedef struct rv_rest_bounds {
    float slow;       // m²/s, dx rest
    float drive;      // 1/s, dx DRIVE/(3ν)
    float thin;       // m, h*
    double residue;   // m, what is left where liquid drew back
    uint8_t patience; // frames of rest before a column has rested
} rv_rest_bounds;

rv_rest_bounds rv_rest_bounds_of(const rv_engine *s);

// wetting.c
rv_result rv_wetting_make(rv_engine *s, const rv_map *affinity);
void rv_wetting_free(rv_engine *s);
size_t rv_wetting_bytes(const rv_engine *s);
void rv_wetting_ask(rv_engine *s, uint32_t slot, int x, int y); // whose surfaces are there
rv_angles rv_wetting_bed(const rv_engine *s, uint32_t slot, int x, int y);
double rv_wetting_wall(const rv_engine *s, uint32_t slot, int x, int y, int side); // cosine
void rv_wetting_range(rv_engine *s);
// Gives the cells of a disk (m) an affinity; false: there is no tension that could heed it.
bool rv_wetting_paint(rv_engine *s, double x, double y, double radius, double affinity);
void rv_wetting_changed(rv_engine *s, rv_rect cells); // solids there may be others
void rv_wetting_restored(rv_engine *s);
const uint8_t *rv_wetting_affinity(const rv_engine *s); // of the cells; NULL: nothing heeds it

#endif
