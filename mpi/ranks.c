// Ranks that act as one: the first speaks, the others do as it does.
#include "mpi/ranks.h"

int rv_mpi_rank(MPI_Comm ranks)
{
    int rank = 0;
    MPI_Comm_rank(ranks, &rank);
    return rank;
}

int rv_mpi_size(MPI_Comm ranks)
{
    int size = 1;
    MPI_Comm_size(ranks, &size);
    return size;
}

int rv_mpi_of_first(MPI_Comm ranks, int value)
{
    MPI_Bcast(&value, 1, MPI_INT, 0, ranks);
    return value;
}

int rv_mpi_greatest(MPI_Comm ranks, int value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, ranks);
    return value;
}
