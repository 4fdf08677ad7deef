// rivulet_mpi/bands.h: processes of an MPI job that share one grid, each with a band of its rows.
//
//     rv_mpi_bands *bands;
//     if (rv_mpi_bands_create(MPI_COMM_WORLD, &bands) != RV_OK) …
//     def.ranks = rv_mpi_bands_table(bands); // def: rv_world_def, the same on all ranks
//     … create, step, save …                 // all ranks call the same (rivulet/ranks.h)
//     rv_world_destroy(world), rv_mpi_bands_destroy(bands);
//
// All functions of the world are then called from the thread that MPI was initialised on.
#ifndef RIVULET_MPI_BANDS_H
#define RIVULET_MPI_BANDS_H

#include <rivulet/world.h>

#include <mpi.h>

typedef struct rv_mpi_bands rv_mpi_bands;

// All ranks of the communicator call it; it is copied, so that messages of others do not meet.
RV_API rv_result rv_mpi_bands_create(MPI_Comm ranks, rv_mpi_bands **out);
RV_API void rv_mpi_bands_destroy(rv_mpi_bands *bands);
// For rv_world_def.ranks; valid as long as `bands`.
RV_API const rv_ranks *rv_mpi_bands_table(const rv_mpi_bands *bands);

#endif
