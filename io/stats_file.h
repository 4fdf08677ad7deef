// Statistics as a table: one row per frame, CSV.
#ifndef IO_STATS_FILE_H
#define IO_STATS_FILE_H

#include "io/atomic_file.h"
#include "rivulet/world.h"

// The header: names with commas between them, and a line end.
const char *rv_stats_names(void);
// Starts the file and writes its header.
bool rv_stats_open(rv_atomic_file *file, const char *path, rv_messages *messages);
// One row. Times in milliseconds; 0 for what was not done in this frame. Finish with
// rv_atomic_commit.
void rv_stats_row(rv_atomic_file *file, const rv_stats *stats, double ms_surface,
                  double ms_rendering);

#endif
