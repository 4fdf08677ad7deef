// What vertices.c and ends.c share: vertices that are made one by one.
#ifndef RV_SURFACE_MESHER_H
#define RV_SURFACE_MESHER_H

#include "surface/surface.h"

// Makes the vertex of a column inside that is dry, or has links the loops over rows do not know of.
void rv_surface_put_odd(const rv_surface_pass *p, const rv_node_record *n);
// Makes the vertex with this number, when those of columns inside are there.
void rv_surface_put_fresh(const rv_surface_pass *p, rv_fresh_vertex what, uint32_t number);

#endif
