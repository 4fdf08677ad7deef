// Going over the state of a world row by row, for hash and snapshots.
#ifndef RV_WORLD_STATE_ROWS_H
#define RV_WORLD_STATE_ROWS_H

#include "world/world_internal.h"

#include <string.h>

// The next run of existing columns of a row, from slot *a on; false: there is none before `end`.
static inline bool rv_next_run_of(const rv_column_set *set, size_t *a, size_t *b, size_t end)
{
    while (*a < end && !rv_column_exists(set, *a)) ++*a;
    for (*b = *a; *b < end && rv_column_exists(set, *b);) ++*b;
    return *b > *a;
}

// The columns of a row in an array by slot, without gaps; returns how many bytes they are.
static inline size_t rv_pack_row(const rv_column_set *set, const rv_plane *plane, int y,
                                 const rv_state_field *field, unsigned char *to)
{
    const unsigned char *bytes = field->data;
    unsigned char *start = to;
    size_t a = rv_slot(plane, plane->x0, y), end = a + (size_t)plane->nx, b;
    for (; rv_next_run_of(set, &a, &b, end); a = b) {
        memcpy(to, bytes + a * field->item, (b - a) * field->item);
        to += (b - a) * field->item;
    }
    return (size_t)(to - start);
}

// The rows of a plane that are this rank's own.
static inline rv_rows rv_own_rows(const rv_column_set *set, const rv_plane *p)
{
    return rv_rows_both(rv_grid_own(&set->grid), (rv_rows){p->y0, p->y0 + p->ny});
}

// The items of a field that is not by slot which are this rank's to tell: [*from, *to). false: it
// is not by rows, and all are.
bool rv_own_items(const rv_world *world, const rv_state_field *field, size_t *from, size_t *to);

#endif
