// Terrain: solids → sampled signed distance field → columns. SPEC §3, paper 003 §3.1.
#ifndef RV_TERRAIN_TERRAIN_H
#define RV_TERRAIN_TERRAIN_H

#include "base/grid.h"
#include "rivulet/scene.h"
#include "terrain/columns.h"

typedef struct rv_terrain rv_terrain;

// Adds a line for every problem of the solids ("solids[3].radius: …"). true when there is none.
bool rv_solids_check(const rv_solid_def *solids, int count, rv_messages *messages);

// Exact combined distance of the solids at a point, not sampled.
double rv_solids_distance(const rv_solid_def *solids, int count, rv_vec3 p);

// Samples the field where it matters (bricks near the surface), casts the columns. The ground below
// grid.bottom is solid. With keep == false only the columns remain and *out is NULL.
rv_result rv_terrain_build(const rv_solid_def *solids, int count, const rv_grid *grid, bool keep,
                           rv_pool *pool, const rv_allocator *allocator,
                           void (*progress)(double, void *), void *progress_user, rv_terrain **out,
                           rv_column_set *columns);
void rv_terrain_free(rv_terrain *terrain);
size_t rv_terrain_bytes(const rv_terrain *terrain);

// Distance from the sampled field, trilinear; a bound of the right sign away from the surface.
float rv_terrain_distance(const rv_terrain *terrain, rv_vec3 p);
// Unit gradient of the field.
rv_vec3 rv_terrain_normal(const rv_terrain *terrain, rv_vec3 p);
// First point along the ray inside the grid where the field becomes negative; INFINITY when none.
double rv_terrain_cast(const rv_terrain *terrain, rv_vec3 from, rv_vec3 unit_direction);

#endif
