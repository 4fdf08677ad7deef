// The columns of a world as a file for other programs: NumPy's .npz, or .csv.
#ifndef IO_STATE_FILE_H
#define IO_STATE_FILE_H

#include "rivulet/world.h"

#define RV_STATE_EXTENSIONS "npz|csv"

// One entry per column that exists: x, y (cell), layer (from 0, the lowest), min, base, max, depth,
// level (m), u, v (m/s). An .npz also has the scalars time, dx, x0, y0 and volume.
bool rv_state_write(const char *path, const rv_world *world, rv_messages *messages);

#endif
