// A form made by sampling solids, for moving ones.
#ifndef RV_TERRAIN_SAMPLED_FORM_H
#define RV_TERRAIN_SAMPLED_FORM_H

#include "terrain/parts.h"

#define RV_SAMPLED_MAX 3e7 // lattice points

// The nodes' solid, which lies in the box, at lattice points `step` apart, exact to `around`
// outside the box.
rv_result rv_form_sampled(const rv_node *nodes, int count, rv_box box, double around, double step,
                          rv_pool *pool, const rv_allocator *allocator, rv_form **out);
// Whether that is small enough to be worth it; false for endless boxes.
bool rv_form_sampled_fits(rv_box box, double around, double step);

#endif
