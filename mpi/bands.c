// The table of rivulet/ranks.h over MPI. Rows go as messages between pairs of ranks, all of them
// under way at once; what is agreed on goes by MPI's collective calls. Errors are returned, not
// fatal, so that a lost rank can be told of.
#include "rivulet_mpi/bands.h"

#include <limits.h>
#include <stdlib.h>

struct rv_mpi_bands {
    MPI_Comm ranks;
    rv_ranks table;
    MPI_Request *requests; // [2 count]
    int under_way;         // of them
    int *counts, *places;  // [count]
};

#define TAG 24

static bool start(void *user, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins)
{
    rv_mpi_bands *b = user;
    bool good = true;
    int n = 0;
    for (int i = 0; i < ins; i++)
        good = good && in[i].bytes <= INT_MAX &&
               MPI_Irecv(in[i].data, (int)in[i].bytes, MPI_BYTE, in[i].rank, TAG, b->ranks,
                         &b->requests[n++]) == MPI_SUCCESS;
    for (int i = 0; i < outs; i++)
        good = good && out[i].bytes <= INT_MAX &&
               MPI_Isend(out[i].data, (int)out[i].bytes, MPI_BYTE, out[i].rank, TAG, b->ranks,
                         &b->requests[n++]) == MPI_SUCCESS;
    b->under_way = n;
    return good;
}

static void nudge(void *user)
{
    rv_mpi_bands *b = user;
    int done;
    MPI_Testall(b->under_way, b->requests, &done, MPI_STATUSES_IGNORE);
}

static bool finish(void *user)
{
    rv_mpi_bands *b = user;
    int n = b->under_way;
    b->under_way = 0;
    return MPI_Waitall(n, b->requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS;
}

static bool swap(void *user, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins)
{
    return start(user, out, outs, in, ins) && finish(user);
}

static bool gather(void *user, const void *own, void *all, const size_t *bytes)
{
    rv_mpi_bands *b = user;
    size_t at = 0;
    for (int k = 0; k < b->table.count; at += bytes[k], k++) {
        if (bytes[k] > INT_MAX || at > INT_MAX) return false;
        b->counts[k] = (int)bytes[k], b->places[k] = (int)at;
    }
    return MPI_Allgatherv(own, b->counts[b->table.rank], MPI_BYTE, all, b->counts, b->places,
                          MPI_BYTE, b->ranks) == MPI_SUCCESS;
}

static bool greatest(void *user, double *values, int count)
{
    rv_mpi_bands *b = user;
    return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, b->ranks) == MPI_SUCCESS;
}

rv_result rv_mpi_bands_create(MPI_Comm ranks, rv_mpi_bands **out)
{
    if (!out) return RV_BAD_ARGUMENT;
    *out = NULL;
    rv_mpi_bands *b = calloc(1, sizeof *b);
    if (!b) return RV_OUT_OF_MEMORY;
    if (MPI_Comm_dup(ranks, &b->ranks) != MPI_SUCCESS) {
        free(b);
        return RV_RANK_LOST;
    }
    MPI_Comm_set_errhandler(b->ranks, MPI_ERRORS_RETURN);
    b->table = (rv_ranks){.user = b,
                          .swap = swap,
                          .gather = gather,
                          .greatest = greatest,
                          .start = start,
                          .finish = finish,
                          .nudge = nudge};
    MPI_Comm_rank(b->ranks, &b->table.rank);
    MPI_Comm_size(b->ranks, &b->table.count);
    size_t n = (size_t)b->table.count;
    b->requests = malloc(2 * n * sizeof(MPI_Request));
    b->counts = calloc(n, sizeof *b->counts), b->places = calloc(n, sizeof *b->places);
    if (!b->requests || !b->counts || !b->places) {
        rv_mpi_bands_destroy(b);
        return RV_OUT_OF_MEMORY;
    }
    *out = b;
    return RV_OK;
}

void rv_mpi_bands_destroy(rv_mpi_bands *b)
{
    if (!b) return;
    MPI_Comm_free(&b->ranks);
    free(b->requests), free(b->counts), free(b->places);
    free(b);
}

const rv_ranks *rv_mpi_bands_table(const rv_mpi_bands *b)
{
    return b ? &b->table : NULL;
}
