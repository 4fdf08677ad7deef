// `rivulet-mpi study`: many worlds from one scene, the runs made by all ranks of an MPI job.
//
// A run is made inside its rank, not by starting the plain command there: many MPI libraries do not
// let a rank start other processes, a stop must reach the run at its frame, and a rank that dies
// must take its locks with it.
#include "app/study.h"
#include "mpi/program.h"
#include "mpi/ranks.h"
#include "rivulet_mpi/study.h"

#include <stdio.h>

static rv_result run_on_ranks(rv_study *study, const rv_study_work *work, rv_study_report *report,
                              rv_messages *messages, void *user)
{
    int *lost = user;
    rv_result result = rv_mpi_study_run(MPI_COMM_WORLD, study, work, report, lost, messages);
    if (*lost > 0 && rv_mpi_rank(MPI_COMM_WORLD) == 0)
        fprintf(stderr, "%d rank%s went away; others make what was left, now or the next time\n",
                *lost, *lost == 1 ? "" : "s");
    return result;
}

// Rank 0 reads first, so that what is wrong is said once; then the others, whose disks may differ.
static int begin(rv_study_session *s, int rank, int argc, char **argv)
{
    int status = rank == 0 ? rv_study_begin(s, argc, argv) : -1;
    status = rv_mpi_of_first(MPI_COMM_WORLD, status);
    if (status >= 0) return status;
    if (rank > 0) status = rv_study_begin(s, argc, argv);
    return rv_mpi_greatest(MPI_COMM_WORLD, status);
}

int rv_mpi_app_study(int argc, char **argv)
{
    int lost = 0, rank = rv_mpi_rank(MPI_COMM_WORLD);
    rv_study_session s = {
        .program = RV_MPI_PROGRAM,
        .jobs = "runs at the same time in each rank; default: 1",
        .about = "Makes many worlds from one scene: grids and random draws of parameters, each run "
                 "in a\n"
                 "folder of its own, and a table of the results with plots (docs/study.md has the "
                 "format).\n"
                 "Start it with mpirun, on machines that share the folder: rank 0 hands the next "
                 "run to\n"
                 "whichever rank is free. What is finished is not made again, whoever made it.",
        .run = run_on_ranks,
        .run_user = &lost};
    int status = begin(&s, rank, argc, argv);
    if (status < 0) status = rank == 0 ? rv_study_go(&s) : rv_study_help_out(&s);
    rv_study_end(&s);
    if (lost > 0) { // those that are left cannot end together
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    return status;
}
