// The column of a plane at a cell, for tests that walk over all of them.
#ifndef RV_TESTS_COLUMN_AT_H
#define RV_TESTS_COLUMN_AT_H

#include "rivulet/rivulet.h"

// How far planes reach beyond their columns is their own affair: there is none.
static inline bool column_at(const rv_columns *c, int plane, int x, int y, size_t *slot)
{
    if (plane >= c->planes || !rv_plane_has(&c->plane[plane], x, y)) return false;
    *slot = rv_slot(&c->plane[plane], x, y);
    return c->max[*slot] > c->base[*slot];
}

#endif
