// The subcommands of rivulet-mpi. Every rank calls them with the same words, argv[0] being the
// subcommand's name, and gets the exit code. Rank 0 prints for all: it reads the options first, and
// the others read them, and so might complain of them, only where rank 0 went on (rv_mpi_of_first
// in mpi/ranks.h).
#ifndef MPI_PROGRAM_H
#define MPI_PROGRAM_H

#define RV_MPI_PROGRAM "rivulet-mpi"

int rv_mpi_app_run(int argc, char **argv);
int rv_mpi_app_study(int argc, char **argv);

#endif
