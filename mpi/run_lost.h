// A rank that dies while others wait for it.
#ifndef MPI_RUN_LOST_H
#define MPI_RUN_LOST_H

#include <stdint.h>

// From now on a line is printed where the job is ended and this rank still waits for another: who
// is gone, where the run was, and which snapshot is whole. All ranks call it, after
// rv_signals_catch.
void rv_lost_watch(int rank, int ranks);
// How far the run is; and that a snapshot of this time is whole at `path`.
void rv_lost_note(int64_t frames, double time);
void rv_lost_saved(const char *path, double time);
void rv_lost_end(void);

#endif
