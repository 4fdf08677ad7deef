// Ranks that act as one: the first speaks, the others do as it does.
#ifndef MPI_RANKS_H
#define MPI_RANKS_H

#include <mpi.h>

int rv_mpi_rank(MPI_Comm ranks);
int rv_mpi_size(MPI_Comm ranks);
// What rank 0 has; all ranks call it.
int rv_mpi_of_first(MPI_Comm ranks, int value);
// The greatest that a rank has; all ranks call it.
int rv_mpi_greatest(MPI_Comm ranks, int value);

#endif
