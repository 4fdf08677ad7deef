// rivulet_mpi/study.h: a study (rivulet_io/study.h) over the ranks of an MPI job. Rank 0 has the
// queue and hands out a run whenever a rank has nothing to do, itself among them; each run is made
// inside its rank's process. What is finished is on the disk that all ranks share, as with
// rv_study_run.
#ifndef RIVULET_MPI_STUDY_H
#define RIVULET_MPI_STUDY_H

#include <mpi.h>
#include <rivulet_io/study.h>

#ifdef __cplusplus
extern "C" {
#endif

// All ranks call it, each with the same study and the same folder; MPI_THREAD_FUNNELED is enough,
// and the calling thread is the one that speaks to MPI. `work` NULL: the default. `jobs` are those
// of each rank, 0: one. `progress`, `ended`, the report and the table are rank 0's, of all runs;
// where `progress` says false on rank 0, all stop. Where it does so on another rank, that one
// leaves, and its runs are somebody else's.
//
// *lost, which may be NULL: ranks that went away without a word. Their runs were made by others.
// But no two ranks can agree on anything any more: MPI_Finalize would wait for ever, so when all is
// written end with MPI_Abort. Most starters of MPI jobs end all ranks before it comes to that.
RV_API rv_result rv_mpi_study_run(MPI_Comm ranks, rv_study *study, const rv_study_work *work,
                                  rv_study_report *out, int *lost, rv_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
