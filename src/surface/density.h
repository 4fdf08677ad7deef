// The surface of liquid made of particles: marching cubes over the density that they make (splat
// paper §1.7 draws the same surface with rays). Closed: flat where the liquid touches the sides of
// the grid, along solids where it touches them.
#ifndef RV_SURFACE_DENSITY_H
#define RV_SURFACE_DENSITY_H

#include "rivulet/surface.h"
#include "terrain/terrain.h"

typedef struct rv_density_input {
    rv_density density;
    rv_particles particles;    // for velocities; count 0: none
    const rv_terrain *terrain; // NULL: no solids
    int64_t changes;           // of the terrain
    double level;              // density of the surface, 1: as at rest
} rv_density_input;

// Memory that each update takes anew and that is kept between them, so that warm updates ask the
// host for none.
typedef struct rv_kept_memory {
    rv_allocator host;
    uint8_t *block;
    size_t size, used, wanted; // bytes
} rv_kept_memory;

typedef struct rv_density_work {
    rv_allocator allocator;
    rv_kept_memory kept;
    rv_mesh mesh;
    float *opacity, *depth, *velocity; // by vertex, in kept memory
    float *solid;                      // distance to solids, cells, by cell; NULL: none
    size_t cells;                      // of `solid`
    int64_t changes;                   // of the terrain that it is of
    int n[3];
    double volume; // m³, within the mesh
} rv_density_work;

rv_result rv_density_build(rv_density_work *work, const rv_density_input *in);
void rv_density_work_free(rv_density_work *work);
size_t rv_density_work_bytes(const rv_density_work *work);

#endif
