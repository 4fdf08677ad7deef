// What particles and drops cost. Used by app/bench.c only.
#ifndef APP_BENCH_PARTICLES_H
#define APP_BENCH_PARTICLES_H

#include "rivulet/device.h"
#include "rivulet_gl/target.h"

#include <stdbool.h>

typedef struct rv_particles_bench {
    bool json;
    int threads, repeat;
    const rv_device *device; // particles: where they are stepped; NULL: here
    rv_target *target;       // and where each step is drawn; NULL: nowhere
} rv_particles_bench;

// The scenes of the splat paper beside its frames a second and their targets. false: a scene
// failed, which was told.
bool rv_bench_particles(const rv_particles_bench *settings);
// Panes with drops beside the glass paper and their targets.
bool rv_bench_glass(const rv_particles_bench *settings);

#endif
