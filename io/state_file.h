// The columns of a world, its particles or its drops as a file for other programs: NumPy's .npz, or
// .csv.
#ifndef IO_STATE_FILE_H
#define IO_STATE_FILE_H

#include "rivulet/world.h"

#define RV_STATE_EXTENSIONS "npz|csv"

// Tells before any work whether it can be written there; `option` starts the message.
bool rv_state_write_check(const char *option, const char *path, rv_messages *messages);

// Columns: one entry for each that exists: x, y (cell), layer (from 0, the lowest), min, base, max,
// depth, level (m), u, v (m/s). Particles: x, y, z (m), u, v, w (m/s). Drops on a pane: x, y (m),
// u, v (m/s), volume (m³). An .npz also has scalars: time (s), dx, x0, y0 (m), and volume (m³), of
// drops called `all`; with particles z0, their volume `each` and the map density[z, y, x]; with
// drops rained, over and evaporated (m³) and the maps height[y, x] (m) and mist[y, x].
bool rv_state_write(const char *path, const rv_world *world, rv_messages *messages);

#endif
