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

// The lattice, for those who look up many places at once. Fewer than 2³¹ points.
typedef struct rv_sampled_lattice {
    const float *d; // x fastest
    int nx, ny, nz;
} rv_sampled_lattice;

// Lowers the 8 × 8 × 8 samples of a brick to the form's distance where that is less. at: the first
// sample's place in the lattice; step: from a sample to the next along x, y and z; reach: eighths
// of the brick whose middle is farther away, m, are left out.
typedef void rv_lower_brick(const rv_sampled_lattice *lattice, const float at[3],
                            const float step[3][3], float reach, float *samples);
rv_lower_brick *rv_lower_brick_best(void);

// From a place in the form's frame to one in its lattice: (place - first) * per_step.
rv_sampled_lattice rv_form_lattice(const rv_form *form, rv_vec3 *first, double *per_step);

#endif
