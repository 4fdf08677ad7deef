// What the files of `rivulet-mpi run` share.
#ifndef MPI_RUN_H
#define MPI_RUN_H

#include "app/meshes.h"
#include "app/run_options.h"
#include "io/atomic_file.h"
#include "rivulet_mpi/bands.h"

// The world of all ranks, on rank 0.
typedef struct rv_band_whole {
    bool made;
    int x, y, nx, ny; // with --window: its cells
    int *body;        // and by body its number there; -1: it is outside
    int bodies;
    rv_world *world;
    unsigned char *bytes;
    size_t used, room;
} rv_band_whole;

typedef struct rv_band_run {
    const rv_run_options *options;
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
    int lost;                // snapshots and pictures on the way that could not be written
    rv_band_whole whole;     // run_show.c
    bool shows;              // something on the way
    rv_film_clock clock;     // of it, on all ranks
    rv_moment moment;        // of rank 0
    rv_film film;
    rv_meshes meshes;
    int signal; // that asked for an end, or 0
} rv_band_run;

// A rank that cannot go on ends all of them: the others wait for it.
void rv_band_give_up(const rv_band_run *run, const char *why);

// run_files.c; all ranks call them.
bool rv_band_save(rv_band_run *run, rv_messages *messages);
bool rv_band_resume(rv_band_run *run);
void rv_band_traffic(const rv_band_run *run, const rv_stats *stats); // the table by ranks

// run_show.c, the same: before the first frame, after each, and at the end.
bool rv_band_show_begin(rv_band_run *run);
bool rv_band_show_frame(rv_band_run *run);
bool rv_band_show_end(rv_band_run *run);
void rv_band_show_free(rv_band_run *run);

#endif
