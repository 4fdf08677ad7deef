// A grid whose rows are shared out among processes (rivulet/ranks.h, docs/scale.md). Each rank owns
// a band of rows, whose state is its own to tell, and keeps rows beside them, which it works out
// too and takes from their owners before each substep. Rows and cells have the numbers of the whole
// grid everywhere.
#ifndef RV_BASE_CUT_H
#define RV_BASE_CUT_H

#include "rivulet/ranks.h"

// Rows kept on each side of the own ones. What a column has after a substep depends on columns up
// to RV_GHOSTS (6) rows away, with surface tension on heads up to 6 rows further; what is known of
// beds and walls there on 5 rows more, since a row that is not kept looks like a wall.
#define RV_CUT_REACH 24

typedef struct rv_rows {
    int from, to; // half open
} rv_rows;

typedef struct rv_cut {
    const rv_ranks *ranks;
    rv_allocator allocator;
    int ny;
    rv_rows own, kept;
    rv_rows shared; // that every rank keeps; empty: none
    int bodies;     // rows that a body may reach from its middle, kept besides
    bool lost;      // a rank is gone: nothing that follows is right
    struct {        // under way, see rv_cut_start
        const rv_rank_part *out, *in;
        int outs, ins;
    } swap;
    rv_rank_traffic traffic;
    size_t *sizes;      // [ranks] of what was last collected
    size_t *places;     // [ranks]
    unsigned char *all; // what was
    size_t all_room;
    unsigned char *scratch[3]; // see rv_cut_room
    size_t scratch_room[3];
} rv_cut;

// Without memory NULL. `shared` and `bodies` may be set afterwards, and rv_cut_set be called.
rv_cut *rv_cut_make(const rv_ranks *ranks, int ny, const rv_allocator *allocator);
void rv_cut_free(rv_cut *cut);
rv_rows rv_cut_own_of(const rv_cut *cut, int rank);
rv_rows rv_cut_kept_of(const rv_cut *cut, int rank);
int rv_cut_owner(const rv_cut *cut, int y);
// Sets own and kept from ranks, ny, shared and bodies.
void rv_cut_set(rv_cut *cut);

// The functions of the table, counted. Once a rank is lost they leave things as they are.
void rv_cut_swap(rv_cut *cut, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins);
// A swap that goes on while something else is done; the lists must stay until it is finished.
void rv_cut_start(rv_cut *cut, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins);
void rv_cut_nudge(rv_cut *cut); // lets it get on
void rv_cut_finish(rv_cut *cut);
void rv_cut_greatest(rv_cut *cut, double *values, int count);
// What all ranks have, one behind the other, until the next call; cut->sizes says how much of each.
// `alike`: every rank gives as much. NULL: a rank is lost, maybe this one, without
// memory.
const void *rv_cut_collect(rv_cut *cut, const void *own, size_t bytes, bool alike);

// Each item of a list that all ranks have alike is as the rank rank[i] has it.
void rv_cut_agree(rv_cut *cut, const int *rank, int count, void *items, size_t item);
// Memory to work with, until the next call with the same k, 0 or 1. NULL: there is none, and the
// rank counts as lost: the others go on.
void *rv_cut_room(rv_cut *cut, int k, size_t bytes);

// Sums of whole numbers over all ranks.
void rv_cut_sum(rv_cut *cut, int64_t *values, int count);
bool rv_cut_any(rv_cut *cut, bool own);
// The data of one rank to another, or to all; the rest do nothing, or get it.
void rv_cut_pass(rv_cut *cut, int from, int to, void *data, size_t bytes);
void rv_cut_spread(rv_cut *cut, int from, void *data, size_t bytes);

static inline rv_rows rv_rows_both(rv_rows a, rv_rows b)
{
    rv_rows r = {a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
    if (r.to < r.from) r.to = r.from;
    return r;
}

static inline bool rv_rows_have(rv_rows r, int y)
{
    return y >= r.from && y < r.to;
}

#endif
