// Drops on solids as triangles, after those of the liquid's surface.
#ifndef IO_MESH_DEW_H
#define IO_MESH_DEW_H

#include "io/mesh_write.h"
#include "rivulet/world.h"

// The arrays of a mesh with drops.
typedef struct rv_dew_export {
    float *positions, *normals, *opacity, *depth, *velocity;
    uint32_t *indices;
} rv_dew_export;

// Adds the world's drops to the description of its liquid, which then borrows from `own`; without
// drops nothing changes. Each is closed: a cap with its foot, or a ball. false: no memory, and the
// mesh is as it was. Free `own` in any case, once the mesh was used.
bool rv_export_add_dew(rv_mesh_export *mesh, const rv_world *world, rv_dew_export *own);
// All liquid of a world: its surface, borrowed, with the liquid's colour and the world's time, and
// its drops. As above.
bool rv_export_all_liquid(const rv_surface_mesh *surface, const rv_world *world,
                          rv_mesh_export *out, rv_dew_export *own);
void rv_dew_export_free(rv_dew_export *own);

#endif
