// rivulet/ranks.h: processes that share one grid, each with a band of its rows.
//
// A host hands the core a table of functions, as it hands it an allocator; the core knows no library
// of messages. `rivulet_mpi` has such a table over MPI (rivulet_mpi/ranks_mpi.h).
//
//     def.ranks = rv_ranks_mpi_table(ranks); // def: rv_world_def
//
// Every rank makes the world from the same definition and then calls the same functions with the
// same arguments in the same order: creating, stepping, statistics, hash, saving and restoring are
// done together. What a rank can see of columns are those of its own rows and some beside them. The
// state is that of one process, bit for bit (docs/scale.md).
#ifndef RIVULET_RANKS_H
#define RIVULET_RANKS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes for another rank, or from it.
typedef struct rv_rank_part {
    int rank;
    void *data;
    size_t bytes;
} rv_rank_part;

// All functions return false where a rank is lost; then nothing more is asked, and the world's steps
// return RV_RANK_LOST.
typedef struct rv_ranks {
    void *user;
    int rank, count; // this one, and how many there are
    // Sends all of `out` and takes all of `in`; at most one of each for another rank.
    bool (*swap)(void *user, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins);
    // What each rank has, one behind the other in the order of ranks, to all of them. bytes[count]:
    // of each.
    bool (*gather)(void *user, const void *own, void *all, const size_t *bytes);
    // The greatest of each number over all ranks, to all of them; none is NaN.
    bool (*greatest)(void *user, double *values, int count);
    // `swap` in two halves, so that work can be done in between: `start` sets it going and returns,
    // `finish` waits until all has come and gone. Only one is under way at a time; `greatest` and
    // `gather` may come in between, and the data stay where they are. Both NULL: `swap` is called
    // where `finish` would be.
    bool (*start)(void *user, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins);
    bool (*finish)(void *user);
    // Called now and then between the two, for those who get on only when they are called; may be
    // NULL.
    void (*nudge)(void *user);
} rv_ranks;

// What crossed so far, as this rank saw it, for docs/scale.md's model.
typedef struct rv_rank_traffic {
    int64_t swaps, messages, bytes; // exchanges of rows; messages and bytes that this rank sent in them
    int64_t agreements;             // calls of `greatest` and `gather`
    int64_t gathered;               // bytes that this rank gave to `gather`
    double waiting;                 // s, in all of these functions
    int64_t beside;                 // of the exchanges, those that went on beside computation
    int first, end;                 // own rows: [first, end)
    int low, high;                  // rows that are kept here
} rv_rank_traffic;

#ifdef __cplusplus
}
#endif
#endif
