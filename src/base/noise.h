// Noise: pseudo-random values on a lattice, smoothly joined.
#ifndef RV_BASE_NOISE_H
#define RV_BASE_NOISE_H

#include "rivulet/base.h"

// -1 … 1, of a place in lattice cells. The same on every machine; 0 where a double holds no
// fraction worth having.
double rv_noise(rv_vec3 at, uint32_t seed);

#endif
