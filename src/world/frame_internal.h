// What a frame is: shared by the file that fills it and the one that asks it.
#ifndef RV_WORLD_FRAME_INTERNAL_H
#define RV_WORLD_FRAME_INTERNAL_H

#include "rivulet/frame.h"
#include "terrain/field_copy.h"
#include "world/world_internal.h"

#include <stdatomic.h>

// All that a question needs to know of a column, half a cache line.
typedef struct rv_frame_column {
    float min, base, max; // m
    float depth;          // m
    float shore;          // m, the level that a dry one stands for, see query.c
    float head;           // m, of the pressure; under the ceiling where there is none
    float u, v;           // m/s
} rv_frame_column;

#define RV_FRAME_CHUNK 16

// A solver that only shows: what rays look at.
struct rv_solver {
    float *depth; // [slots] m
};

struct rv_frame {
    atomic_int held;
    rv_world world; // columns and field as they were, and `still` for a solver
    rv_solver still;
    rv_field_copy *field;    // NULL: there is none
    int64_t changes;         // of the terrain, that the columns follow; -1: none yet
    uint32_t *first;         // [cells + 1]: the columns of a cell, from below
    rv_frame_column *column; // [columns]
    uint32_t *slot;          // [columns] of the world
    uint8_t *wet;            // [cells] some column of it is
    size_t cells, columns;   // lengths of these
    uint8_t *damp;           // [chunks] liquid in the world, as it is filled
    uint8_t *used;           // [chunks] what the columns say is of liquid, or of a shore
    size_t chunks;           // RV_FRAME_CHUNK cells of a row each
    rv_body *body;           // [body_count]
    int body_count, body_room;
    rv_frame_info info;
};

typedef struct rv_share {
    int count;
    atomic_int front; // the frame that was published last
    int64_t published, missed;
    rv_frame frame[];
} rv_share;

static inline double rv_frame_level(const rv_frame_column *c)
{
    return (double)c->base + (double)c->depth;
}

// As in query.c; all of it at once, because no part of it can be foretold.
static inline bool rv_frame_are_linked(const rv_frame_column *a, double la,
                                       const rv_frame_column *b, double lb)
{
    float bed = a->base > b->base ? a->base : b->base, roof = a->max < b->max ? a->max : b->max;
    return (la > (double)b->min) & (la <= (double)b->max) & (lb > (double)a->min) &
           (lb <= (double)a->max) & (bed < roof);
}

// The column of a cell that is linked to `own`; of several the one with the nearest level. NULL:
// none.
static inline const rv_frame_column *rv_frame_linked(const rv_frame *f, const rv_frame_column *own,
                                                     double level, size_t cell)
{
    const rv_frame_column *found = NULL, *c = f->column + f->first[cell];
    const rv_frame_column *end = f->column + f->first[cell + 1];
    double best = INFINITY;
    for (; c < end; c++) {
        double other = rv_frame_level(c), apart = fabs(other - level);
        if ((apart < best) & rv_frame_are_linked(own, level, c, other)) best = apart, found = c;
    }
    return found;
}

#endif
