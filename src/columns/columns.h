// The engine of all solvers of columns: what moves liquid through pipes between columns, in layers,
// over edges, under ceilings and through borders. Its laws (laws/) say what flows through one pipe;
// solver `pipes` and solver `swe` are this engine with other settings (columns.c).
//
// State: depths, fluxes, with law `flow` velocities, heads, flags. All else is derived from the
// columns or lives only during a substep.
//
// Pipes between columns of the same plane are regular: their flux stands at the slot of their low
// end, so a row of pipes is a row of floats. Pipes between planes, and pipes through an open or
// level border, are odd: they stand in a list, and the few columns that have one are summed by
// hand, side by side in a fixed order, so that a turned scene gives turned bits.
#ifndef RV_COLUMNS_COLUMNS_H
#define RV_COLUMNS_COLUMNS_H

#include "base/lock.h"
#include "base/memory.h"
#include "columns/rows.h"
#include "solvers/solver.h"
#include "terrain/levels.h"

#define RV_NO_SLOT UINT32_MAX

// Sides of a column, in pairs of opposite ones; the last four are for diagonal pipes.
typedef enum rv_side {
    RV_WEST,
    RV_EAST,
    RV_SOUTH,
    RV_NORTH,
    RV_SOUTH_WEST,
    RV_NORTH_EAST,
    RV_SOUTH_EAST,
    RV_NORTH_WEST,
    RV_SIDES
} rv_side;

// Where a pipe goes from its low end.
typedef enum rv_way { RV_WAY_X, RV_WAY_Y, RV_WAY_NE, RV_WAY_NW, RV_WAYS } rv_way;

// A pipe that is not regular. a is the low end along its way, except at a border, where a is the
// column.
typedef struct rv_odd_pipe {
    uint32_t a, b; // slots; b is RV_NO_SLOT at a border
    uint8_t way;
    uint8_t side;             // of a, at a border
    uint8_t plane_a, plane_b; // plane_b is plane_a at a border
    uint16_t x, y;            // cell of a
    uint16_t slope;           // as a regular pipe's
    int16_t rise;             // the same
    uint16_t gaps;            // see joints.h
    float opening;            // m, from the higher base to the lower ceiling
    float beyond;             // m, base on the far side of a border
} rv_odd_pipe;

// A column with odd pipes: entries [first, first + count) of odd_of, ordered by side.
typedef struct rv_odd_column {
    uint32_t slot;
    uint32_t first;
    uint16_t count;
    uint8_t block;    // of its row
    uint8_t at_level; // beside a border that holds a level
    uint32_t row;
} rv_odd_column;

typedef struct rv_odd_entry {
    uint32_t pipe;
    uint8_t side; // of the column
    int8_t sign;  // +1: positive flux leaves the column
} rv_odd_entry;

// Two blocks of two rows that an odd pipe joins: liquid in one wakes the other.
typedef struct rv_block_link {
    uint32_t row_a, row_b;
    uint8_t block_a, block_b;
    uint16_t used; // while those that are gone are looked for; else 0
} rv_block_link;

// One row of one plane.
typedef struct rv_pipe_row {
    uint32_t first; // slot of its first column
    uint16_t plane;
    unsigned count : 17;           // columns; as a bit field it counts as an int
    uint32_t odd_first, odd_count; // its odd columns
    int32_t below, above;          // neighbouring rows of the plane, -1 at the ends
    int32_t y;                     // of the grid
    uint8_t kind;                  // rv_flow_kind that its pipes want
    uint8_t ceilings;              // some of its columns have one
    float highest;                 // m, of its beds
    float lowest;                  // m, the least height under a ceiling
} rv_pipe_row;

// A column that cannot take all of its inflow.
typedef struct rv_cut_column {
    uint32_t slot;
    float share; // new share of inflow
    float safe;  // share that fits whatever leaves
    bool own;    // of a row that is this rank's
} rv_cut_column;

typedef struct rv_passage_work rv_passage_work; // passages.c
typedef struct rv_pipes_edit rv_pipes_edit;     // edit.c
typedef struct rv_bands rv_bands;               // bands.c
typedef struct rv_tension rv_tension;           // tension.c
typedef struct rv_card rv_card;                 // card/card.h
typedef struct rv_far rv_far;                   // far.c

typedef struct rv_engine {
    const rv_column_set *columns;
    const rv_terrain *terrain; // NULL: there is none, or it is not kept
    const rv_map *map;         // of the affinity, while it is made; NULL: there is none
    rv_params params;
    rv_pool *pool;
    rv_allocator allocator;
    rv_loops loops;

    float *memory; // of the arrays by slot
    size_t slots;
    bool eight;   // neighbours, not four
    bool flow;    // law `flow`, not `cell`
    bool carries; // momentum
    bool traced;  // … by tracing velocities back
    bool timed;   // velocities are carried on to the middle of the substep
    bool tense;   // surface tension counts

    // State, by slot.
    float *depth;
    float *flux[RV_WAYS];  // m³/s, of the last substep; diagonals: eight neighbours only
    float *speed[RV_WAYS]; // m/s, law `flow` only
    float *head;           // m: the last pressure head of a full column, else 0
    uint8_t *full;         // 1: flooded (kept, for hysteresis)
    uint32_t *odd_at;      // 1 + the place in odd_column of columns that have odd pipes, else 0
    float *odd_flux, *odd_speed;
    struct {
        uint32_t substeps; // so far
        float rate;        // 1/s, the substeps' last rate, see substeps() in columns.c
        float last;        // s, the last substep, law `flow` only
    } clock;
    // What the last substep told, see `deepest` and `pace`: rows that were touched, or that nothing
    // moves in, may count for more than they are now, and substeps follow from that. As saved.
    struct {
        float deepest, pace;
    } told;
    rv_lock telling; // held while it is made to be saved

    // Pipes.
    uint16_t *slope[RV_WAYS];
    int16_t *rise[2];          // of the bed across pipes along x and y, law `flow` only
    uint16_t *gaps_x, *gaps_y; // eight neighbours only
    rv_odd_pipe *odd;
    uint32_t odd_count, odd_capacity;
    uint32_t odd_flux_capacity, odd_speed_capacity;
    rv_odd_column *odd_column;
    uint32_t odd_column_count, odd_column_capacity;
    rv_odd_entry *odd_of;
    uint32_t odd_of_count, odd_of_capacity;
    rv_block_link *link;
    uint32_t link_count, link_capacity;
    bool links_stale;  // some may be of pipes that are gone
    uint32_t *odd_row; // [ny + 1]: first odd pipe whose low cell is in row y of the grid
    int64_t pipe_count;

    // Rows and which blocks of them are awake.
    rv_pipe_row *row;
    uint32_t row_count;
    uint32_t plane_row[RV_LAYERS_MAX]; // first row of a plane
    int block_width;                   // cells, a power of two
    int block_shift;                   // its logarithm
    uint32_t touched;                  // row that was last touched, a guess for the next
    uint64_t *wet, *awake;             // a bit per block, by row
    uint64_t *was_awake;               // in the substep before
    uint64_t *busy;                    // a bit per strip of its awake blocks, by row, see busy.c
    int strip_shift;                   // logarithm of a strip's width in cells
    bool strips_stale;                 // which are awake may be others than busy.c knows
    uint8_t *row_full;                 // a column of this row is full
    uint8_t *row_cut;     // RV_CUT_…: columns of this row cannot give or take all that is asked
    uint8_t *row_limited; // its shares of inflow may be under 1
    float *row_most;      // m, greatest depth, by row
    float *row_pace;      // m/s, greatest pace, by row; law `flow` only

    // Heads that press from outside; not ours, see solver.h.
    const float *press; // m, by slot; NULL: none
    rv_rect pressed;    // cells where it may not be 0
    const float *heads; // m, during a substep: that, or with surface tension both; NULL: none
    rv_tension *tension;

    // During a substep.
    rv_law law, law_diagonal;
    double share_axial, share_diagonal; // of a push; 1 and 0 with four neighbours
    double dt;                          // s
    double span;                        // s, of the substep that was asked for, if that is divided
    bool clipped;                       // the step has fewer substeps than it needs
    bool parted;                        // columns may not take all of their inflow
    float *out_scale, *in_scale;
    // What is seen of eight neighbours' fluxes along x and y, as if there were four; brought up to
    // date after the last substep of a step.
    float *seen_x, *seen_y;
    int substeps_left;
    float *odd_depth; // new depth, by odd column
    uint32_t odd_depth_capacity;
    float *odd_last_flux, *odd_last_speed; // as they were before the substep; of the bands
    rv_bands *bands;                       // bands.c
    rv_cut_column *cut; // columns that cannot take all of their inflow, see scales.c
    uint32_t cut_count, cut_capacity;
    rv_passage_work *passage;
    rv_pipes_edit *edit;    // room for edits, once there were any
    rv_card *card;          // where the state is, and the arrays here are a copy; NULL: it is here
    rv_result card_trouble; // why there is no card any more
    rv_far *far;            // rows of other processes; NULL: all are here

    bool has_ceilings, has_borders;
    bool lid_near;    // the top of the grid may be in reach
    bool lid_touched; // … of what stands at pipes
    float highest_base;
    double deepest;    // m, after the last substep
    double pace;       // m/s, the same
    double *border[2]; // m³ that went in and out over borders, by row of the grid
    rv_solver_stats totals;
} rv_engine;

// build.c
rv_result rv_pipes_build(rv_engine *s);
void rv_pipes_release(rv_engine *s);
void rv_pipes_build_slopes(rv_engine *s);
size_t rv_pipes_bytes(const rv_engine *s);

// edit.c
rv_result rv_pipes_edited(rv_engine *s, const rv_cell_change *changes, int count);
rv_result rv_pipes_relaid(rv_engine *s, const rv_column_set *old);
// With a cut: the same columns, and rows besides that this rank keeps now.
rv_result rv_pipes_keep_more(rv_engine *s, const rv_column_set *old);
rv_result rv_pipes_set_borders(rv_engine *s, const rv_params *params);
void rv_pipes_free_edit(rv_engine *s);
size_t rv_pipes_edit_bytes(const rv_engine *s);

// awake.c
void rv_pipes_wake(rv_engine *s);
void rv_pipes_wake_row(rv_engine *s, uint32_t row); // all of it, until the next rv_pipes_wake
void rv_pipes_scan(rv_engine *s); // wet blocks, greatest depth and full rows from the depths
void rv_pipes_scan_row(rv_engine *s, uint32_t row); // the same for the awake blocks of a row
void rv_pipes_note_row(rv_engine *s, uint32_t row, rv_level_result found); // … from its level loop
void rv_pipes_gather(rv_engine *s);                                        // totals from the rows
void rv_pipes_pace_row(rv_engine *s, uint32_t row);
void rv_pipes_look(rv_engine *s, uint32_t row); // both, of all blocks but those that sleep
uint64_t rv_pipes_all_blocks(const rv_engine *s, uint32_t row);
uint32_t rv_pipes_row_of(const rv_engine *s, uint32_t slot);
void rv_pipes_touch(rv_engine *s, uint32_t slot); // after one depth was changed by hand

// busy.c: what of the awake blocks is worked out.
bool rv_busy_make(rv_engine *s);
void rv_busy_free(rv_engine *s);
size_t rv_busy_bytes(const rv_engine *s);
void rv_busy_find(rv_engine *s);   // before a substep, after rv_pipes_wake
void rv_busy_forget(rv_engine *s); // something was changed from outside: all of it, once

// The blocks that some strips are of.
static inline uint64_t rv_busy_blocks(const rv_engine *s, uint64_t strips)
{
    int by = s->block_shift - s->strip_shift;
    uint64_t blocks = 0;
    if (by == 0) return strips;
    for (; strips; strips &= strips - 1) blocks |= 1ull << (__builtin_ctzll(strips) >> by);
    return blocks;
}

// rest.c: wet blocks that sleep; nothing of it without surface tension.
void rv_rest_stir(rv_engine *s, uint32_t row, uint32_t slot); // something was done to a column
void rv_rest_stir_cells(rv_engine *s, rv_rect cells);
void rv_rest_stir_all(rv_engine *s);
void rv_rest_begin(rv_engine *s);    // before the substeps of a step are counted
bool rv_rest_rouse(rv_engine *s);    // before a substep; true: something woke
void rv_rest_count(rv_engine *s);    // after a step
void rv_rest_restored(rv_engine *s); // which blocks sleep, from the counts

// columns.c
rv_result rv_pipes_create(const rv_solver_setup *setup, rv_engine **out);
void rv_pipes_destroy(rv_engine *s);
void rv_pipes_set_params(rv_engine *s, const rv_params *params);
int rv_pipes_substeps(rv_engine *s, double dt);
void rv_pipes_substep(rv_engine *s, double dt);
void rv_pipes_parts(rv_engine *s, double dt);   // … of a step that goes on
void rv_pipes_advance(rv_engine *s, double dt); // … that need not be divided
void rv_pipes_info(const rv_engine *s, rv_solver_info *out);
int rv_pipes_fields(rv_engine *s, rv_state_field *out);
size_t rv_pipes_row_first(const rv_engine *s, const char *field, int y);
bool rv_pipes_state_good(const rv_engine *s, const rv_saved_field *saved, int count);
void rv_pipes_view(const rv_engine *s, rv_liquid *out);
void rv_pipes_settle(rv_engine *s); // what follows from the parameters and stays
void rv_pipes_set_law(rv_engine *s, double dt);
bool rv_pipes_lid_near(const rv_engine *s);
bool rv_pipes_lid_touched(const rv_engine *s);
void rv_pipes_changed(rv_engine *s); // depths or flow were changed by hand
void rv_pipes_press(rv_engine *s, const float *head, rv_rect cells);

// exchange.c
double rv_pipes_add(rv_engine *s, size_t slot, double depth); // m; returns what was added
void rv_pipes_fill(rv_engine *s, rv_fill_row *more, const void *user);
void rv_pipes_exchange(rv_engine *s, rv_entry *entries, int count);
void rv_pipes_stir(rv_engine *s, const rv_solver_rod *rod);
void rv_pipes_stir_cells(rv_engine *s, const rv_solver_rod *rod); // without looking at all again
rv_rect rv_pipes_rod_cells(const rv_engine *s, const rv_solver_rod *rod); // that it may reach

// bands.c: how rows are shared out among threads.
rv_result rv_bands_make(rv_engine *s);
bool rv_bands_reserve(rv_engine *s, uint64_t odd); // room for so many odd pipes
void rv_bands_free(rv_engine *s);
void rv_bands_forget(rv_engine *s); // arrays or rows are others now
size_t rv_bands_bytes(const rv_engine *s);

// sweep.c
void rv_pipes_sweep(rv_engine *s);
void rv_pipes_count_borders(rv_engine *s); // what went through them in a substep
float rv_pipes_level_beyond(const rv_engine *s, const rv_odd_pipe *p); // of a border pipe, m

// far.c: rows that are shared out among processes; nothing of it where all are here.
rv_result rv_far_make(rv_engine *s);
void rv_far_free(rv_engine *s);
size_t rv_far_bytes(const rv_engine *s);
void rv_far_stale(rv_engine *s);   // the liquid was changed
void rv_far_swept(rv_engine *s);   // … by a substep
void rv_far_mended(rv_engine *s);  // … on this rank alone
void rv_far_refresh(rv_engine *s); // takes rows from their owners
// The same in two halves, within a substep: own rows that others keep are sent as soon as they are
// worked out, and those of others taken at its end.
void rv_far_send(rv_engine *s);
void rv_far_arrive(rv_engine *s);
// Of own rows, those that no other rank keeps; false: they are too few, here or elsewhere.
bool rv_far_inner(const rv_engine *s, rv_rows *rows);
void rv_far_shares(rv_engine *s);   // the same of shares of inflow
void rv_far_affinity(rv_engine *s); // … of how cells wet, which nothing but painting changes
rv_result rv_far_fit(rv_engine *s); // after pipes came or went: messages may be longer
bool rv_far_rouse(rv_engine *s);    // … of what sleeps: it is awake where the owner woke it
void rv_far_agree(rv_engine *s);    // on how deep and how fast the liquid is
void rv_far_begin(rv_engine *s);    // both, before a substep
bool rv_far_any(const rv_engine *s, bool own);    // whether it is so on any rank
bool rv_far_owns(const rv_engine *s, uint32_t r); // a row is this rank's to tell about

// calm.c, falls.c
// Kinetic energy over density (m⁵/s²) of what flows together in a column and makes it rise; then
// keeps only `share` of that flow, and all of what flows through.
double rv_pipes_calm(rv_engine *s, size_t slot, double share);
void rv_pipes_falls(rv_engine *s, double drop, rv_on_fall *each, void *user);
// The fall through an odd pipe along it or back, but for its volume.
rv_fall rv_pipes_fall_of(const rv_engine *s, uint32_t pipe, bool back);

// measure.c
void rv_pipes_measure(const rv_engine *s, rv_solver_stats *out);
void rv_pipes_counters(const rv_engine *s, rv_solver_stats *out); // of these the counters alone
void rv_pipes_velocity(const rv_engine *s, size_t slot, float out[2]);

// push.c
// Gives the liquid of a column a horizontal impulse over its density (m⁴/s: volume times velocity).
// Returns false, and changes nothing, where there is no pipe to take it.
bool rv_pipes_push(rv_engine *s, size_t slot, double x, double y);
bool rv_pipes_can_push(rv_engine *s, size_t slot, double x, double y); // whether it would
void rv_pipes_dilute(rv_engine *s, size_t slot, double more);          // m, that came at rest
bool rv_pipes_is_pressed(const rv_engine *s, uint32_t row); // something presses on its pipes
void rv_pipes_see(rv_engine *s);

// What flows through a column as the scales stand, as changes of depth.
typedef struct rv_through {
    float in, out; // scaled
    float asked;   // inflow before scaling
} rv_through;

// scales.c
// `sure`: what flows into full columns counts too.
rv_through rv_pipes_through(const rv_engine *s, uint32_t slot, bool sure);
rv_growth rv_pipes_grows(rv_engine *s); // takes memory for the shares of a step
void rv_pipes_relax_scales(rv_engine *s);
void rv_pipes_relax_listed(rv_engine *s, const uint32_t *slots, uint32_t count); // of these columns

// passages.c: the places in a substep where full passages have a say.
void rv_passages_forget(rv_engine *s);       // pipes are others now
void rv_passages_none(rv_engine *s);         // others than this work them out
void rv_passages_prepare(rv_engine *s);      // finds them, solves for their heads
bool rv_passages_active(const rv_engine *s); // there are any
void rv_passages_fluxes(rv_engine *s);
void rv_passages_scales(rv_engine *s);
void rv_passages_finish(rv_engine *s);
void rv_passages_levels(rv_engine *s);
bool rv_still_full(const rv_engine *s, uint32_t slot);
void rv_passages_free(rv_engine *s);
size_t rv_passages_bytes(const rv_engine *s);

// Plane of a column's slot.
static inline const rv_plane *rv_plane_of(const rv_column_set *c, uint32_t slot)
{
    int p = c->planes - 1;
    while (p > 0 && slot < c->plane[p].offset) p--;
    return &c->plane[p];
}

// Slots from a pipe's low end to its high end.
static inline ptrdiff_t rv_way_step(rv_way way, ptrdiff_t pitch)
{
    const ptrdiff_t steps[] = {1, pitch, pitch + 1, pitch - 1};
    return steps[way];
}

// The side of one of its ends on which a pipe is.
static inline rv_side rv_side_of(rv_way way, bool is_low)
{
    static const rv_side low[] = {RV_EAST, RV_NORTH, RV_NORTH_EAST, RV_NORTH_WEST};
    static const rv_side high[] = {RV_WEST, RV_SOUTH, RV_SOUTH_WEST, RV_SOUTH_EAST};
    return is_low ? low[way] : high[way];
}

static inline const uint16_t *rv_gaps_of(const rv_engine *s, rv_way way)
{
    return way == RV_WAY_X ? s->gaps_x : way == RV_WAY_Y ? s->gaps_y : NULL;
}

static inline int rv_ways(const rv_engine *s)
{
    return s->eight ? RV_WAYS : 2;
}

// Fluxes around a row of columns.
static inline rv_eight rv_pipes_eight_at(const rv_engine *s, size_t i, size_t pitch)
{
    float *const *f = s->flux;
    return (rv_eight){f[RV_WAY_X] + i,  f[RV_WAY_Y] + i - pitch,
                      f[RV_WAY_Y] + i,  f[RV_WAY_NE] + i - pitch - 1,
                      f[RV_WAY_NE] + i, f[RV_WAY_NW] + i - pitch + 1,
                      f[RV_WAY_NW] + i};
}

// Sum over a column's sides, the same in a turned scene.
static inline float rv_sum_sides(const float v[RV_SIDES])
{
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

// Share of the push that a pipe gets.
static inline double rv_pipe_share(const rv_engine *s, rv_way way, int gaps)
{
    if (way >= RV_WAY_NE) return s->share_diagonal;
    return s->share_axial + gaps * (double)s->law.share_gap;
}

// Area of pipes over their length, as a multiple of what they are by themselves.
static inline double rv_pipe_reach(const rv_engine *s)
{
    return s->params.pipes_pipe_area / s->params.pipes_pipe_length;
}

// NULL: the column has no odd pipes.
static inline const rv_odd_column *rv_pipes_odd_column(const rv_engine *s, uint32_t slot)
{
    uint32_t at = s->odd_at[slot];
    return at ? &s->odd_column[at - 1] : NULL;
}

// 004's viscosity quotient V: of a pressure P, in pascal, what this returns is lost as a share:
// V (P/P₀)², with P₀, unless it is given, the weight of liquid four cells deep: then V = 1 halves
// what a ball stirs up, and a quarter of it still shows. From a third on the push that is left
// stays as it is there (rv_pipe_left in laws/cell.h), or falls to none with pipes.quotient_holds.
static inline double rv_quotient_of(const rv_params *p, double pressure)
{
    double unit = p->pipes_quotient_pressure;
    if (unit == 0.0) unit = p->liquid_density * rv_gravity_down(p) * 4.0 * p->grid_dx;
    double share = unit > 0.0 ? pressure / unit : 0.0;
    return p->pipes_quotient * share * share;
}

static inline float rv_cap(const rv_engine *s, uint32_t slot)
{
    return s->columns->max[slot] - s->columns->base[slot];
}

// Height of a column's surface, m.
static inline float rv_level(const rv_engine *s, uint32_t slot)
{
    return s->columns->base[slot] + s->depth[slot];
}

// Head that presses on a column from outside, m.
static inline float rv_press(const rv_engine *s, uint32_t slot)
{
    return s->press ? s->press[slot] : 0.0f;
}

// Head besides the level of a column with a free surface, m: that, and surface tension.
static inline float rv_extra(const rv_engine *s, uint32_t slot)
{
    return s->heads ? s->heads[slot] : 0.0f;
}

// Adds what is known of a run that starts with a strip to what is known of its row.
static inline void rv_pipes_merge(rv_level_result *row, rv_level_result run, int first_strip)
{
    row->wet |= run.wet << first_strip;
    row->most = rv_f_max(run.most, row->most);
    row->not_finite |= run.not_finite;
}

// A run of columns in busy strips of a row, or in some of its blocks:
//     for (rv_run run = rv_first_run(s, r); run.count; run = rv_next_run(s, r, run)) …
typedef struct rv_run {
    uint64_t rest; // strips or blocks after it
    int x, count;  // first column in the row, and how many
    int shift;     // logarithm of the width of a strip or block
} rv_run;

static inline rv_run rv_next_run(const rv_engine *s, uint32_t r, rv_run run)
{
    if (run.rest == 0) return (rv_run){0, 0, 0, run.shift};
    int low = __builtin_ctzll(run.rest);
    uint64_t gap = ~(run.rest >> low);
    int length = gap ? __builtin_ctzll(gap) : 64;
    int end = low + length;
    uint64_t rest = end >= 64 ? 0 : run.rest >> end << end;
    int x = low << run.shift, stop = end << run.shift, all = s->row[r].count;
    return (rv_run){rest, x, (stop < all ? stop : all) - x, run.shift};
}

static inline rv_run rv_first_run_of(const rv_engine *s, uint32_t r, uint64_t blocks)
{
    return rv_next_run(s, r, (rv_run){blocks, 0, 0, s->block_shift});
}

static inline rv_run rv_first_run_in(const rv_engine *s, uint32_t r, uint64_t strips)
{
    return rv_next_run(s, r, (rv_run){strips, 0, 0, s->strip_shift});
}

static inline rv_run rv_first_run(const rv_engine *s, uint32_t r)
{
    return rv_first_run_in(s, r, s->busy[r]);
}

#endif
