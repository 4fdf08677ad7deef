// rivulet/old_names.h: names of the first release. What asks is called rv_THING_get_WHAT since; the old names go with the
// next major version.
#ifndef RIVULET_OLD_NAMES_H
#define RIVULET_OLD_NAMES_H

#include "base.h"

#define rv_world_stats(world, out) rv_world_get_stats(world, out)
#define rv_world_columns(world, out) rv_world_get_columns(world, out)
#define rv_world_body(world, body, def, state) rv_world_get_body(world, body, def, state)
#define rv_world_particles(world, out) rv_world_get_particles(world, out)
#define rv_world_density(world, out) rv_world_get_density(world, out)
#define rv_world_pane(world, out) rv_world_get_pane(world, out)
#define rv_world_droplets(world, out) rv_world_get_droplets(world, out)
#define rv_world_terrain_tiles(world, i, j) rv_world_get_terrain_tiles(world, i, j)
#define rv_world_changed_tiles(world, then, out) rv_world_get_changed_tiles(world, then, out)
#define rv_world_column_velocity(world, slot, out) rv_world_get_column_velocity(world, slot, out)
#define rv_surface_get(surface, out) rv_surface_get_mesh(surface, out)

#endif
