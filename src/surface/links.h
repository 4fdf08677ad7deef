// What links.c and extras.c share: nodes being found.
#ifndef RV_SURFACE_LINKS_H
#define RV_SURFACE_LINKS_H

#include "surface/surface.h"

#include <math.h>

// The column under the level of a node in a direction in which it has no link.
uint32_t rv_column_below(const rv_surface_pass *p, const rv_node_record *n, int direction);

static inline rv_node_record *rv_begin_record(rv_surface_work *w, uint32_t index, uint32_t node,
                                              int x, int y)
{
    rv_node_record *n = &w->records[index];
    n->node = node, n->x = (int16_t)x, n->y = (int16_t)y, n->below = n->top = RV_NO_NODE;
    n->want = n->lip = n->shared = n->begins = n->ends = n->falls = 0;
    n->apron = -INFINITY;
    w->record[node] = index;
    return n;
}

#endif
