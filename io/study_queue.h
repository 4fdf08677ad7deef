// One queue of a study's runs for several processes. The one that has the list gives runs away and
// is told how they ended; the others have no list and are given runs, by whatever means the host
// has to carry numbers (mpi/study_ranks.c has MPI). Within a process it is the queue of
// rv_study_run.
#ifndef IO_STUDY_QUEUE_H
#define IO_STUDY_QUEUE_H

#include "rivulet_io/study.h"

typedef struct rv_study_queue rv_study_queue;

typedef struct rv_study_sharing {
    bool given; // this process has no list: its runs come by rv_study_queue_give
    // Called in the thread that called rv_study_run_shared, every few milliseconds and whenever a
    // run ended or a thread has nothing to do; the functions below are for it.
    void (*meet)(rv_study_queue *queue, void *user);
    void *user;
} rv_study_sharing;

// As rv_study_run. It returns when no run is left, here or away. Where runs are given, the report
// has only what was made here, and the folder of another study is the business of who has the list.
rv_result rv_study_run_shared(rv_study *study, const rv_study_work *work,
                              const rv_study_sharing *sharing, rv_study_report *out,
                              rv_messages *messages);

// ---- The process with the list ------------------------------------------------------------------

// A run for somebody else to make; 0: none is left now.
int rv_study_queue_take(rv_study_queue *queue);
// It ended. RV_STUDY_TO_DO: it did not, and is somebody else's turn. A run that was not taken is
// none of this queue's.
void rv_study_queue_ended(rv_study_queue *queue, int run, rv_study_state state, const char *why);
// How far the runs are that are away, all together: 2.5 are two and a half.
void rv_study_queue_far(rv_study_queue *queue, double runs);
// Whether a process is at that run.
bool rv_study_queue_held(rv_study_queue *queue, int run);

// ---- Those that are given runs ------------------------------------------------------------------

// Threads with nothing to do.
int rv_study_queue_free(rv_study_queue *queue);
void rv_study_queue_give(rv_study_queue *queue, int run);
// No more will come.
void rv_study_queue_close(rv_study_queue *queue);

// ---- Both ---------------------------------------------------------------------------------------

// Runs end their frame and leave a snapshot, as after `progress` said false.
void rv_study_queue_stop(rv_study_queue *queue);
bool rv_study_queue_stopping(rv_study_queue *queue);

#endif
