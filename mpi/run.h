// What the files of `rivulet-mpi run` share.
#ifndef MPI_RUN_H
#define MPI_RUN_H

#include "app/settings.h"
#include "io/atomic_file.h"
#include "rivulet_mpi/bands.h"

typedef struct rv_band_options {
    const char *scene;
    double time; // < 0: not given
    long steps;  // < 0: not given
    rv_settings sets;
    long threads;
    const char *stats, *save, *resume, *state, *mesh, *terrain, *image;
    double save_every; // 0: only at the end
    bool traffic, quiet;
} rv_band_options;

typedef struct rv_band_run {
    const rv_band_options *options;
    int rank, ranks;
    rv_scene_file scene;
    rv_mpi_bands *bands;
    rv_pool *pool;
    rv_world *world;
    rv_atomic_file stats; // of rank 0
    rv_messages messages;
    double balance, next_save, ms; // as `rivulet run` has them
    int64_t frames;
    rv_rank_traffic traffic; // of the steps
    int lost;                // snapshots on the way that could not be written
    int signal;              // that asked for an end, or 0
} rv_band_run;

// run_files.c; all ranks call them, and rank 0 writes.
bool rv_band_check_outputs(const rv_band_options *options); // prints what is wrong
bool rv_band_save(rv_band_run *run, rv_messages *messages);
bool rv_band_resume(rv_band_run *run);
// What needs the whole world in one place: rank 0 makes one of its own from the state at the end.
bool rv_band_show(rv_band_run *run);
void rv_band_traffic(const rv_band_run *run, const rv_stats *stats); // the table by ranks

#endif
