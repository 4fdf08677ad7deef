// Ranks that are threads of one process, for tests of worlds whose rows are shared out.
#ifndef TESTS_THREAD_RANKS_H
#define TESTS_THREAD_RANKS_H

#include "rivulet/ranks.h"

#include <pthread.h>

#define RANKS_MOST 16

typedef struct thread_ranks {
    int count;
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct letter *box[RANKS_MOST][RANKS_MOST]; // from, to: first come first
    const void *given[RANKS_MOST];              // by rank, while they meet
    double values[RANKS_MOST][128];
} thread_ranks;

typedef struct thread_rank {
    thread_ranks *all;
    rv_ranks table;
    void *user;
    rv_rank_part awaited[RANKS_MOST]; // between the halves of a swap
    int awaits;
} thread_rank;

// Runs task(rank) on as many threads, each with a table of its own; returns when all are done.
void thread_ranks_run(int count, void (*task)(thread_rank *rank), void *user);

#endif
