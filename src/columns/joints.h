// Finding pipes: which columns are joined and how steep the bed is there (joints.c), and the lists
// of odd pipes and of the columns that have them (odd.c). Used when the pipes are made and when
// cells change.
#ifndef RV_PIPES_JOINTS_H
#define RV_PIPES_JOINTS_H

#include "columns/columns.h"

// With eight neighbours a pipe along x or y has 2/3 of the width dx and one along a diagonal, √2 dx
// long, has √2/6: as shares of the push 2/3 and 1/6. Then 2/3 + 2 · 1/6 = 1, so waves run at √(g H)
// and films flow as with four neighbours, and the shares are those of the nine-point Laplacian,
// whose error is the same in all directions. Beside a wall the diagonals that would cross it are
// missing. A wall is a mirror: what they would carry flows along it, so each such gap gives half a
// diagonal's share to the pipe along the axis. A channel one cell wide has pipes of share 1. The
// papers' area has dx² for all pipes (tank paper §5), shares 1 and 1/√2, and knows nothing of gaps.
//
// A diagonal pipe is there only if one of the two cells beside it has a column that is open to both
// of its ends, so that nothing leaks between walls that meet at a corner.

// Slopes from 60° on are falls, not films: tan 60°.
#define RV_FALL_TANGENT 1.7320508075688767
#define RV_FALL_SLOPE ((float)RV_FALL_TANGENT)

// A growing list of odd pipes, and how many pipes were found besides those through borders.
typedef struct rv_joints {
    rv_odd_pipe *odd;
    uint32_t count, capacity;
    int64_t pipes;
    bool failed; // no memory for some
    bool closed; // nothing can be appended: what would be, has failed
    bool border; // some were through borders
} rv_joints;

typedef struct rv_place {
    int x, y, plane;
} rv_place;

static inline rv_place rv_place_of(const rv_column_set *c, uint32_t slot)
{
    const rv_plane *p = rv_plane_of(c, slot);
    size_t ahead = slot - p->offset;
    return (rv_place){p->x0 + (int)(ahead % (size_t)p->pitch),
                      p->y0 + (int)(ahead / (size_t)p->pitch), (int)(p - c->plane)};
}

// The pipes of cell (x, y) to the east, to the north (and diagonally there) and through borders, in
// an order that depends on the cell alone: slopes of regular ones are written to their slots, odd
// ones appended.
void rv_pipes_join_cell(rv_engine *s, rv_joints *joints, int x, int y);
// Odd pipes that rv_pipes_join_cell would append, at most.
uint32_t rv_pipes_count_odd(const rv_engine *s, int x, int y);
rv_border rv_pipes_border(const rv_engine *s, rv_side side);
bool rv_pipes_lets_through(const rv_engine *s, rv_side side); // a border that has pipes

// The columns of cell (x, y) from below; returns how many.
int rv_pipes_cell(const rv_column_set *c, int x, int y, uint32_t out[RV_LAYERS_MAX]);

// One end of an odd pipe, as its column sees it.
typedef struct rv_pipe_slot {
    uint32_t slot, other, pipe;
    uint8_t side;
    int8_t sign;
} rv_pipe_slot;

// Both ends of odd pipe `index` of the list, or the one at a border; returns how many.
int rv_pipes_ends(const rv_odd_pipe *p, uint32_t index, rv_pipe_slot out[2]);
void rv_pipes_sort_ends(rv_pipe_slot *ends, uint32_t count);
// Appends the column of ends[0 … n-1], which share their slot, to the odd columns, and its entries.
void rv_pipes_append_column(rv_engine *s, const rv_pipe_slot *ends, uint32_t n);
rv_block_link rv_pipes_link(const rv_engine *s, const rv_odd_pipe *p);
// Sorts links and drops repeated ones; returns how many are left.
uint32_t rv_pipes_sort_links(rv_block_link *links, uint32_t count);
void rv_pipes_tidy_links(rv_engine *s); // leaves out those of pipes that are gone
int rv_pipes_compare_links(const void *a, const void *b);
rv_result rv_pipes_list_odd(rv_engine *s);
void rv_pipes_index_rows(rv_engine *s); // fills odd_row

bool rv_pipes_corrects_slopes(const rv_engine *s);

// What a row's columns decide about its loops; needs the pipes.
void rv_pipes_survey_row(rv_engine *s, uint32_t row);
void rv_pipes_set_kind(rv_engine *s, uint32_t row);
void rv_pipes_survey_all(rv_engine *s); // from the rows to the whole

#endif
