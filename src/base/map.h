// Maps of one value a pixel (rv_map): own copies of them, and what they say between pixels.
#ifndef RV_BASE_MAP_H
#define RV_BASE_MAP_H

#include "base/memory.h"

#include "rivulet/pane.h"

// NULL: not enough memory.
rv_map *rv_map_copy(const rv_map *map, const rv_allocator *allocator);
void rv_map_free(rv_map *map, const rv_allocator *allocator);
bool rv_map_is_good(const rv_map *map);
// Of a map that is stretched over a square of sides 1; its rows run from the top.
double rv_map_at(const rv_map *map, double across, double up);

#endif
