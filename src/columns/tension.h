// Surface tension and wetting: heads that columns get before each substep, see tension.c.
#ifndef RV_COLUMNS_TENSION_H
#define RV_COLUMNS_TENSION_H

#include "columns/columns.h"

typedef struct rv_tension {
    float *head;   // m, by slot: of tension, and what presses from outside
    float *wetted; // state: 1 where the bed counts as wet, else 0
    // What is known of the beds, by slot, see rv_tension_rows; and columns beside walls and edges.
    float *lean, *advance, *recede, *full;
    float *even;    // 1 where heads of deep liquid are smoothed, else 0
    float *calm[2]; // m, heads over the whole while they are smoothed
    uint8_t *end;
    uint8_t *share; // four a slot, west, east, south, north: of a wall's pull, in 1/255
    float *memory;
    size_t count;
    float *rows; // work space of the threads
    size_t row_count;
    int threads;
} rv_tension;

bool rv_tension_is_on(const rv_engine *s);
rv_result rv_tension_make(rv_engine *s);
void rv_tension_free(rv_engine *s);
size_t rv_tension_bytes(const rv_engine *s);
void rv_tension_begin(rv_engine *s); // it was off: no bed counts as wet
void rv_tension_survey(rv_engine *s, rv_rect cells); // after the pipes of these cells are others
void rv_tension_survey_all(rv_engine *s);
void rv_tension_set_law(rv_engine *s);
void rv_tension_heads(rv_engine *s, rv_pool *pool);

// NULL where there is no tension.
static inline const float *rv_tension_even(const rv_engine *s, size_t slot)
{
    return s->tense ? s->tension->even + slot : NULL;
}

#endif
