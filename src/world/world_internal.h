// What the files of the world share. Nobody else includes this.
#ifndef RV_WORLD_WORLD_INTERNAL_H
#define RV_WORLD_WORLD_INTERNAL_H

#include "base/memory.h"
#include "bodies/bodies.h"
#include "dew/dew.h"
#include "solvers/solver.h"
#include "spray/spray.h"
#include "terrain/terrain.h"

#include <stdatomic.h>

// Where a source's liquid lands: the columns under its disk, then the columns beside them that take
// what does not fit under a ceiling. Found once, so that a step searches nothing.
typedef struct rv_feed {
    size_t *slots;
    int disk;  // the first `disk` slots
    int all;   // disk and beside it
    int room;  // length of the array
    int *rank; // with a cut: whose each of them is; a slot is RV_ELSEWHERE where it is not here
    int rank_room;
} rv_feed;

#define RV_ELSEWHERE SIZE_MAX

// The number that the host knows a source, drain, emitter or press by, and whether it is another
// than the definition says. First in each of them, so that live.c can keep them alike.
typedef struct rv_name {
    int number;
    bool changed;
} rv_name;

// An array of them, in the order of their numbers.
typedef struct rv_roster {
    void *items;
    int room;    // length of the array
    int next;    // number of the one that is added next
    void *first; // [born] the definitions that the world was made with
    int born;
} rv_roster;

typedef enum rv_list { RV_SOURCES, RV_DRAINS, RV_EMITTERS, RV_PRESSES, RV_LISTS } rv_list;

typedef struct rv_source {
    rv_name name;
    rv_source_def def;
    rv_feed feed;
    double owed;      // m³ lost to rounding so far, given with the next share
    int64_t unplaced; // times it found no column with room
} rv_source;

typedef struct rv_drain {
    rv_name name;
    rv_drain_def def;
    size_t *slots;
    int count, room;
    int *rank; // as rv_feed has them
    int rank_room;
    double scale; // fixed-point units in a metre, a power of two: see rv_world_begin_giving
    double owed;  // m³
} rv_drain;

typedef struct rv_emitter {
    rv_name name;
    rv_emitter_def def;
} rv_emitter;

typedef struct rv_press {
    rv_name name;
    rv_press_def def;
    bool acts; // in this step
} rv_press;

// What all presses together do to a column.
typedef struct rv_pressed {
    size_t slot;
    float head;     // m
    double wind[2]; // m²/s², shear over density along x and y
} rv_pressed;

typedef struct rv_press_work {
    rv_pressed *column; // those that are pressed, by slot
    int count, room;
    float *head;     // [slots] m; 0 but in these columns
    float *sum;      // [slots] the same with what bodies add
    size_t slots;    // length of both
    rv_rect cells;   // around the columns
    double weight;   // Pa/m, that the heads were taken with
    double density;  // kg/m³
    bool stale;      // columns and heads must be found again
    bool any, blows; // something presses; some of it is wind
} rv_press_work;

// What goes into one column in a step, of what came down in the last.
typedef struct rv_landing {
    size_t slot;
    int first;           // the first droplet of it
    double volume;       // m³
    double push[2];      // m⁴/s, volume times velocity
    double down;         // m⁴/s, the same downward
    double fast;         // m⁵/s², volume times the square of that speed
    double left;         // m³, of what it was to have taken so far
    double left_push[2]; // the same of the push
} rv_landing;

typedef struct rv_landing_work {
    rv_landing *at; // by slot
    int count, room;
    double *map[3]; // [slots] downward momentum, the same times speed, and room to work
    float *head;    // [slots] m; 0 but in `cells`
    float *sum;     // [slots] the same with what presses and bodies add
    size_t slots;
    rv_rect cells;
    bool presses; // some of it
} rv_landing_work;

// The cells along the borders: their columns, cell by cell, lowest first. A corner cell is there
// once, with both its borders, so that two inflows into it are one sum.
typedef struct rv_inflow {
    size_t *slots;
    int *first;           // [cells + 1] into slots
    unsigned char *sides; // [cells] bits: 1 west, 2 east, 4 south, 8 north
    int cells, count, room;
    int *rank;    // [cells] with a cut: whose they are
    double scale; // as a drain's
    double owed;  // m³
} rv_inflow;

// An event with its own copies of what it points to.
typedef struct rv_event {
    rv_event_def def;
    rv_solid_def *tool;
    rv_vec3 *path;
} rv_event;

// Liquid that has no place where it was: a depth (m) of one cell, which stood between low and high.
typedef struct rv_pushed {
    int x, y;
    float low, high;
    double depth;
    int next;  // of the same cell, -1
    int group; // those that touch each other
} rv_pushed;

#define RV_EXCHANGE_ROOM 256

// See exchange.c.
typedef struct rv_exchange {
    rv_entry entry[RV_EXCHANGE_ROOM];
    int count;
    double given;  // m, that columns took, all together
    int64_t steps; // … in units, of which `scale` are a metre; 0: not asked for
    double scale;
    double carried; // of a push that the last list's last entry hands on
} rv_exchange;

#define RV_RECENT_EDITS 64

typedef float rv_cell_columns[RV_LAYERS_MAX][3];

// What changing the terrain works with, kept from one change to the next.
// The column of a changed cell that is deep and goes on from an old one, see heave.c.
typedef struct rv_lifted {
    double lift, next; // m, by which its surface rises; the same after a pass
    double depth;      // m
    float base, level; // m
    int layer;         // -1: none
} rv_lifted;

typedef struct rv_edit_work {
    rv_cell_change *change;
    rv_cell_columns *before, *after; // of the changed cells
    int change_count, change_room, before_room, after_room;
    rv_pushed *pushed;
    int pushed_count, pushed_room;
    double *rests; // with a cut: what rounding took, in its order
    int rest_count, rest_room;
    bool foreign; // the cell at hand is another rank's to tell about
    int *first;   // by cell of the area: its change, then its first pushed liquid, -1
    int first_room;
    rv_lifted *lifted; // by change
    int lifted_room;
    size_t *ring; // columns that take what was pushed, ring by ring
    int ring_count, ring_room;
    struct rv_ring_work *over; // the same over ranks (rings.c); NULL: none yet
    uint32_t *seen;            // by slot: the search that last saw it
    size_t seen_room;
    uint32_t search;
    rv_vec3 *way; // part of an event's path
    int way_room;
    rv_stack *stack; // by cell of the area: its columns, cast again
    uint8_t *other;  // and whether they are others than before
    int stack_room, other_room;
    rv_rect recent[RV_RECENT_EDITS]; // cells touched by the last edits, by number modulo the length
    rv_rect stale;                   // cells whose columns do not follow the field yet
} rv_edit_work;

// What a restored world adds to the counters of its solver.
typedef struct rv_counters {
    double time, first, sourced, drained; // s, m³
    int64_t steps, unplaced;
    double border_in, border_out; // m³
    double held, displaced;       // m³
    int32_t held_x, held_y;       // cell around which room is looked for, for what is held
    int64_t edits;
    int64_t clipped, unsolved, not_finite;
} rv_counters;

// The host's allocator, and whether it refused something since this was last asked.
typedef struct rv_purse {
    rv_allocator host;
    bool own; // the host's own, not the default one
    atomic_int refused;
} rv_purse;

// What a call keeps of the world, to go back to when memory runs out.
typedef enum rv_keeping {
    RV_KEEP_NOTHING, // it asks for no memory once it has changed something
    RV_KEEP_STATE,
    RV_KEEP_TERRAIN // and the state
} rv_keeping;

typedef struct rv_undo {
    rv_keeping keeping;
    unsigned char *bytes; // the state, as rv_world_write has it
    size_t room;
    rv_params params;
    rv_vec3 given;
    double given_at;
    int64_t changes, all_substeps;
    int substeps;
    rv_rect stale;
    bool recast; // columns were replaced since
    bool owed;   // there was no memory even to go back: the next call has to
} rv_undo;

// What is asked of a card after substeps, see later.c.
#define RV_GIVING_MOST 16
#define RV_DRAINING_MOST 8
typedef struct rv_later_work {
    bool asks;  // in this step
    bool asked; // and it is not known what came of it
    bool drips; // liquid may run to edges
    bool spray, taken;
    double start, part, step; // s
    rv_giving giving[RV_GIVING_MOST];
    int source[RV_GIVING_MOST], giving_count;
    rv_draining draining[RV_DRAINING_MOST];
    int drain[RV_DRAINING_MOST], draining_count;
    rv_pouring pouring;
    bool pours;
    double *rates; // of the cells of inflow borders
    int rate_room;
    double in; // m³, that came in after a substep of which a part is to be done yet
    rv_brink *brinks;
    int brink_count, brink_room;
    uint8_t *sites; // by edge, rv_site
    int site_room;
    int64_t changes;
    double clear; // m, under the edges of these lists
} rv_later_work;

struct rv_world {
    rv_purse purse;
    rv_allocator allocator; // the purse
    rv_undo undo;
    rv_logger logger;
    rv_pool *pool;
    rv_params params;
    rv_terrain *terrain; // NULL: from heights, or not kept
    rv_column_set columns;
    const rv_solver_api *api;
    rv_solver_traits traits; // of the solver with the parameters that cannot change
    void *kept;              // the solver's own, of the definition
    const rv_device *device; // of the definition
    rv_cut *cut;             // rows are shared out among processes; NULL: all are here
    rv_solver *solver;
    rv_exchange exchange;
    rv_roster roster[RV_LISTS];
    rv_source *sources; // the arrays of the rosters by their types
    rv_drain *drains;
    rv_emitter *emitters;
    rv_press *presses;
    int source_count, drain_count, emitter_count, press_count;
    rv_press_work press;
    rv_landing_work landing;
    size_t *looked; // room for columns that are looked at on a card
    int looked_room;
    struct rv_share *share; // frames for other threads; NULL: none
    rv_inflow inflow;
    rv_feed poured;   // reused by rv_world_pour
    bool stale_feeds; // sources, drains and inflow must find their columns again
    rv_event *events;
    int event_count;
    rv_vec3 given;               // m/s², gravity as the definition or rv_world_set_params gave it
    double given_at;             // s, when; gravity events that were over by then are past
    rv_pose pose[RV_MOVERS_MAX]; // given by rv_world_move, events aside
    rv_edit_work edit;
    rv_bodies bodies;
    rv_solver_body *carried; // the bodies as a solver of particles sees them
    int carried_count, carried_room;
    double each;       // m³, volume of a particle; 0: there are none
    rv_solver_rod rod; // given to a solver that stirs in the next step
    bool stirred;
    rv_spray spray;
    rv_dew dew;
    rv_motion stands[RV_MOVERS_MAX]; // where moving solids are now
    rv_later_work later;
    rv_fall *falls; // of a substep, at edges that drip
    int fall_count, fall_room;
    int64_t changes; // of the terrain, restores included; not part of the state
    uint64_t born;   // fingerprint of the columns as they were made
    double made;     // ms, by the clock
    rv_counters counters;
    int substeps;
    int64_t all_substeps;
    double ms;
};

// Tells the host's logger what is not an error but not as asked for either. Lines start with the
// key they are about, as problems do.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void rv_world_warn(const rv_world *world, const char *format, ...);

// likeness.c: the parameters that a world and its snapshots have in common, as numbers.
#define RV_LIKENESS 14
void rv_world_likeness(const rv_params *params, double out[RV_LIKENESS]);
bool rv_world_likeness_good(const double saved[RV_LIKENESS]); // numbers that can be parameters
// Which of them differ, and both values; false: none does.
bool rv_world_unlike(const rv_params *params, const double saved[RV_LIKENESS], char *out,
                     size_t size);

// x and y of a cell's centre, written so that a mirrored cell has exactly the mirrored place.
static inline double rv_cell_x(const rv_world *world, int x)
{
    return rv_middle_x(&world->params, x);
}

static inline double rv_cell_y(const rv_world *world, int y)
{
    return rv_middle_y(&world->params, y);
}

// Slot of the column of plane l in a cell; false when there is none.
static inline bool rv_column_at(const rv_column_set *set, int l, int x, int y, size_t *slot)
{
    const rv_plane *plane = &set->plane[l];
    if (!rv_plane_has(plane, x, y)) return false;
    *slot = rv_slot(plane, x, y);
    return rv_column_exists(set, *slot);
}

// world.c: on the columns and terrain as they are.
rv_result rv_world_make_solver(rv_world *world, rv_solver **out, rv_messages *messages);

// undo.c: a call that changes the world begins, keeping what it may have to go back to, and ends,
// where the world goes back if memory was refused; its result is RV_OUT_OF_MEMORY then.
void rv_world_open_purse(rv_world *world, const rv_allocator *host);
bool rv_world_was_refused(const rv_world *world); // since the last call began
// What a step from `time` to `time + dt` has to keep: most that runs in it has lists that grow.
rv_keeping rv_world_keeping(rv_world *world, double time, double dt);
rv_keeping rv_world_keeping_of_edit(rv_world *world);
rv_result rv_world_begin(rv_world *world, rv_keeping keeping);
rv_result rv_world_end(rv_world *world, rv_result result);
void rv_undo_free(rv_world *world);

// exchange.c: what is put in is handed to the solver in that order, at the latest by the next
// rv_world_trade.
void rv_world_put_add(rv_world *world, size_t slot, double depth);        // m, may be negative
void rv_world_put_push(rv_world *world, size_t slot, double x, double y); // m⁴/s
// A part of what drag gives back: `amount` times (x, y), over so many seconds. A column without a
// pipe leaves it to the one that is put in next, until rv_world_end_drag.
void rv_world_put_drag(rv_world *world, size_t slot, double amount, double x, double y,
                       double seconds);
void rv_world_end_drag(rv_world *world);
double rv_world_trade(rv_world *world); // hands it over; what the last entry's outcome is
// The same with one entry more, whose outcome it is: depth that was added (m), liquid that was
// thrown (m³).
double rv_world_add(rv_world *world, size_t slot, double depth);
double rv_world_take_crest(rv_world *world, const rv_entry *entry);
// rv_world_add of liquid that has no speed, which that of the column is shared with.
double rv_world_add_still(rv_world *world, size_t slot, double depth);
// Gives a push at once; whether there was a pipe to take it.
bool rv_world_push(rv_world *world, size_t slot, double x, double y);
// How much was added (m) by all that is put in between. `scale`: in whole units of which there are
// so many in a metre, so that the sum does not depend on their order; 0: as it comes.
void rv_world_begin_giving(rv_world *world, double scale);
double rv_world_end_giving(rv_world *world);

// check.c: every problem of a definition, without making anything.
bool rv_world_check(const rv_world_def *def, rv_messages *messages);
bool rv_world_check_source(const rv_source_def *source, const char *where, rv_messages *messages);
bool rv_world_check_drain(const rv_drain_def *drain, const char *where, rv_messages *messages);
bool rv_world_check_emitter(const rv_emitter_def *emitter, bool on_pane, const char *where,
                            rv_messages *messages);

// live.c: lists of sources, drains, emitters and presses that change while the world runs.
// Fills a list from the definition, without finding columns for it.
rv_result rv_live_make(rv_world *world, rv_list list, const void *defs, int count);
void rv_live_free(rv_world *world);
// For snapshots. `live_good` NULL: these bytes are what live_save wrote, and suit the world.
size_t rv_live_bytes(const rv_world *world);
void rv_live_save(const rv_world *world, unsigned char *to);
const char *rv_live_good(const rv_world *world, const unsigned char *from, size_t bytes);
bool rv_live_room(rv_world *world, const unsigned char *from);
void rv_live_restore(rv_world *world, const unsigned char *from);

// press.c
bool rv_world_check_press(const rv_press_def *press, const char *where, rv_messages *messages);
// Which presses act in the step from `time` to `time + dt`; true: there are some.
bool rv_world_begin_press(rv_world *world, double time, double dt);
// Heads for the next substep, those of bodies (NULL: none) among them.
void rv_world_set_heads(rv_world *world, const rv_bodies *bodies);
// Wind over dt.
void rv_world_blow(rv_world *world, double dt);
void rv_press_free(rv_world *world);

// frame.c
void rv_share_free(rv_world *world);

// sources.c
rv_result rv_feed_find(rv_world *world, rv_feed *feed, rv_vec3 at, double radius);
double rv_feed_give(rv_world *world, const rv_feed *feed, double volume, double *owed);
void rv_feed_free(const rv_world *world, rv_feed *feed);
void rv_cell_of_slot(const rv_column_set *set, size_t slot, int *x, int *y);
rv_result rv_drain_find(rv_world *world, rv_drain *drain);
rv_result rv_inflow_find(rv_world *world);
void rv_inflow_free(const rv_world *world, rv_inflow *in);
// Whether all four borders are of the same kind.
static inline bool rv_same_borders(const rv_params *a, const rv_params *b)
{
    return a->border_west == b->border_west && a->border_east == b->border_east &&
           a->border_south == b->border_south && a->border_north == b->border_north;
}

// Sources, drains and inflow borders over the substep from `time` to `time + dt`; true when liquid
// was taken.
bool rv_world_exchange(rv_world *world, double time, double dt);
// Inflow borders and drains, after sources gave `in` (m³).
bool rv_world_exchange_rest(rv_world *world, double time, double dt, double in);
double rv_source_volume(const rv_source *source, double time,
                        double dt); // m³, of [time, time + dt]
double rv_drain_volume(const rv_drain *drain, double time, double dt);
double rv_world_inflow(const rv_world *world, double dt);      // m over all cells of inflow borders
void rv_inflow_rates(const rv_world *world, double *rate);     // m/s by cell
bool rv_world_flows_in(const rv_world *world);                 // over borders
double rv_world_swallowed(const rv_world *world, int columns); // m, that rounding may take

// later.c: the same on a card, after substeps that are under way. `others`: there are more that do
// something to columns in this step.
void rv_world_begin_later(rv_world *world, double start, double dt, bool spray, bool others);
bool rv_world_ask_later(rv_world *world, int number, double part); // false: it is to be done now
bool rv_world_end_later(rv_world *world);                          // true: liquid was taken
void rv_later_free(rv_world *world);

// Finds the columns of sources, drains and inflow again, where the terrain changed.
void rv_world_refresh_feeds(rv_world *world);
// Gives equal shares of `depth` (m, all columns together) to those slots that have room, again and
// again while some share was cut by a ceiling; after the first `first` slots are full, to all.
// Returns what is left over; *room says whether room is left too. With a cut it is the feed's own.
double rv_world_spread(rv_world *world, const size_t *slots, int first, int all, double depth,
                       bool *room);

// ranks.c: where rows are shared out among processes (docs/scale.md).
// Makes the cut, where the definition asks for one and nothing forbids it. RV_BAD_ARGUMENT: a
// message says why it cannot be.
rv_result rv_world_cut(rv_world *world, const rv_world_def *def, rv_messages *messages);
// After columns were cast: whether other rows must be here than are, or all; then they are cast
// again.
bool rv_world_cut_again(rv_world *world);
// After columns changed while the world runs: whether more rows must be here, and their field then
// is; and the same with columns and liquid. All ranks call them.
rv_result rv_world_share_field(rv_world *world, bool *more);
rv_result rv_world_share_more(rv_world *world);
// Before a step: the rows that droplets fly over and press on are shared.
rv_result rv_world_share_air(rv_world *world, double dt);
// So that bodies which reach so many rows from their middle can be; the terrain must have a field.
rv_result rv_world_reach_further(rv_world *world, int rows);
// Where something went wrong on one rank, all return that.
rv_result rv_world_agree(rv_world *world, rv_result r);
// What a rank says where a call cannot be while rows are shared out; false: it can.
bool rv_world_refuse_cut(const rv_world *world, const char *what, rv_messages *messages);
// Whether the rows that are here do with other parameters.
bool rv_world_stays_cut(const rv_world *world, const rv_params *params, rv_messages *messages);
// Makes lists of slots, each rank's of its own rows and some more, those of all ranks.
rv_result rv_ranks_join(rv_world *world, size_t **slots, int *count, int *room, int **rank,
                        int *rank_room);
double rv_ranks_spread(rv_world *world, const rv_feed *feed, double depth, bool *room);
// Adds a depth, by its place in the list, to those of it that have one; returns how much was added
// (m).
double rv_ranks_give(rv_world *world, const size_t *slots, const int *rank, int count,
                     const double *depth, double scale);

// events.c
rv_result rv_events_copy(rv_world *world, const rv_event_def *events, int count);
void rv_events_free(rv_world *world);
// Changes of the terrain that fall into [time, time + dt).
rv_result rv_world_events(rv_world *world, double time, double dt);
// Whether there are some.
bool rv_world_has_events(const rv_world *world, double time, double dt);
// Gravity in the middle of the step from `time` to `time + dt`, where there are events that turn
// it.
void rv_world_turn_gravity(rv_world *world, double time, double dt);
// Where a moving solid is at a time.
rv_motion rv_world_motion(const rv_world *world, int mover, double time);
bool rv_world_check_edit(const rv_event_def *edit, const char *where, rv_messages *messages);

// edit.c
// Brings the columns of the cells up to date with the field, and their liquid with them.
rv_result rv_world_recast(rv_world *world, rv_rect cells, rv_edit_report *report);
rv_result rv_world_carve(rv_world *world, const rv_event_def *edit, const rv_vec3 *path, int points,
                         rv_edit_report *report);
// Gives the liquid that stands on a mover what that's velocity changes by, in a step from `time`
// on.
void rv_world_ride(rv_world *world, int mover, double time, double dt);
rv_result rv_world_place_mover(rv_world *world, int mover, double time, rv_edit_report *report);
void rv_edit_work_free(rv_world *world);
// Brings the columns of the cells up to date with the field, without their liquid.
rv_result rv_world_cast_back(rv_world *world, rv_rect cells);
// Around the cells that changed since `world->changes` was `then`; false: that is too long ago to
// be known.
bool rv_changes_since(const rv_world *world, int64_t then, rv_rect *cells);

// Whether a changed cell is this rank's to tell about.
static inline bool rv_edit_owns(const rv_world *world, int index)
{
    return !world->cut || rv_rows_have(world->cut->own, world->edit.change[index].y);
}

// displace.c
// Divides the liquid of changed cell `index` among its new columns; what does not fit is pushed.
bool rv_divide_liquid(rv_world *world, int index, double *rest);
// Liquid that has to go elsewhere (rv_place_pushed): of a cell, between two heights, m. false: no
// memory.
bool rv_push_liquid(rv_world *world, int x, int y, double low, double high, double depth);
// Evens out what the beds of changed cells lift deep liquid by, after all of it was divided. false:
// no memory.
bool rv_even_lifts(rv_world *world, rv_rect area, double *rest);
// Takes the particles of changed cell `index` that are deep in solid now, as pushed.
bool rv_take_buried(rv_world *world, int index);
// Finds a place for what was pushed (m³ in all).
rv_result rv_place_pushed(rv_world *world, rv_rect area, double *volume);
// Tries again to place what is held.
void rv_place_held(rv_world *world);

// rings.c: the same where processes share the grid.
void rv_rings_free(rv_world *world);
rv_result rv_ring_begin(rv_world *world); // no column is reached yet
// Whether this rank looks from item `item` of a list, which stands in row y; and from a column of
// the ring. Columns that it reaches then are put down with it.
bool rv_ring_looks_from(rv_world *world, int item, int y);
bool rv_ring_owns(const rv_world *world, int index);
rv_result rv_ring_reach(rv_world *world, int plane, int x, int y);
// What all ranks reached joins the ring. `r`: how it went here; where it went wrong, on any of
// them, all return that.
rv_result rv_ring_join(rv_world *world, rv_result r);
double rv_ring_spread(rv_world *world, int from, int count, double depth, bool *room);
// What ranks pushed from `first` on becomes one list, and what rounding took one sum.
rv_result rv_edit_join(rv_world *world, int first, double *rest, rv_result r);
// Adds to what rounding took; false: no memory.
bool rv_note_rest(rv_world *world, double *rest, double term);

// bodies.c
bool rv_world_check_body(const rv_body_def *body, const rv_params *params, const char *where,
                         rv_messages *messages);
// Why the solver of this world has no bodies; NULL: it has.
const char *rv_world_no_bodies(const rv_world *world);
// Rows that a body may look at, from that of its middle.
int rv_body_rows(const rv_body_def *def, double dx);
rv_result rv_world_make_bodies(rv_world *world, const rv_body_def *bodies, int count);
// A step of all bodies: begin; in each substep press, let the liquid flow, move; end. `begin` tells
// whether there is any body; if not, the others need not be called.
bool rv_world_begin_bodies(rv_world *world, double time);
void rv_world_press_bodies(rv_world *world, double dt);
void rv_world_move_bodies(rv_world *world, double dt);
void rv_world_end_bodies(rv_world *world, double dt);
int rv_world_count_bodies(const rv_world *world); // that are in the world
// The depths with what bodies displace, in `scratch` and `raised`, an array by slot; NULL: as they
// are.
const float *rv_world_raise_depths(const rv_world *world, rv_bodies *scratch, float *raised);
// For hash and snapshot.
uint64_t rv_world_hash_bodies(const rv_world *world, uint64_t hash);
size_t rv_world_bodies_bytes(int count);
void rv_world_save_bodies(const rv_world *world, unsigned char *to);
bool rv_world_bodies_good(const unsigned char *from, int count);
// The most rows that one of these reaches from its middle.
int rv_world_bodies_rows(const rv_world *world, const unsigned char *from, int count);
bool rv_world_bodies_room(rv_world *world, int count);
void rv_world_restore_bodies(rv_world *world, const unsigned char *from, int count);

// carry.c: bodies among particles.
void rv_world_carry_bodies(rv_world *world);             // before a substep
void rv_world_take_impulses(rv_world *world, double dt); // after it
void rv_world_measure_bodies(rv_world *world);           // after a step: how much is submerged

// Whether bodies are among the solver's particles.
static inline bool rv_carries_bodies(const rv_world *world)
{
    return world->traits.bodies == RV_BODIES_INSIDE;
}

// spray.c
bool rv_world_check_spray(const rv_params *params, rv_messages *messages);
// Room for the pool that the parameters ask for, and at least for `count` droplets.
bool rv_world_spray_room(rv_world *world, const rv_params *params, int count);
// A step of the droplets: begin; after each substep fall; end. `begin` tells whether there is
// anything to do, the others whether liquid was taken or given. `bodies`: there are some.
bool rv_world_begin_spray(rv_world *world);
bool rv_world_fall(rv_world *world, double dt, double past, double step);
bool rv_world_end_spray(rv_world *world, double dt, bool bodies);
// Adds the energies of what is in the air, J, as rv_stats has them.
void rv_world_spray_energy(const rv_world *world, double *kinetic, double *potential);
// What falls go with.
typedef struct rv_falling {
    rv_world *world;
    double dt, past, step; // s, of the substep, of the step before it, and of the whole step
    double spray;          // m, from which on falls are spray
    bool any;
} rv_falling;
#define RV_EDGE_INSIDE 0.02 // cells from an edge to the middle of a drop that hangs there
// Calls `each` for all liquid that ran over an edge by `drop` (m) or more in this substep.
void rv_world_each_fall(rv_world *world, double drop, double dt, rv_on_fall *each, void *user);
void rv_world_on_fall(void *falling, const rv_fall *fall); // lets it fall as spray
// Takes volume (m³) from a column; returns what it gave.
double rv_world_take(rv_world *world, size_t slot, double volume);
// All that fly are moved by a whole step. One that is made by the way starts back on its parabola,
// by a part of the step, so that those of one step are not in one place.
void rv_world_start_back(const rv_world *world, rv_vec3 *at, rv_vec3 *velocity, double time,
                         double floor_);
// For hash and snapshot.
uint64_t rv_world_hash_spray(const rv_world *world, uint64_t hash);
size_t rv_world_spray_bytes(int count);
void rv_world_save_spray(const rv_world *world, unsigned char *to);
bool rv_world_spray_good(const rv_world *world, const unsigned char *from, int count);
void rv_world_restore_spray(rv_world *world, const unsigned char *from, int count);

// dew.c
bool rv_world_check_dew(const rv_world_def *def, rv_messages *messages);
bool rv_world_check_dew_sizes(const rv_params *params, rv_messages *messages); // of raindrops
// Room for the list that the parameters ask for, and at least for `count` drops.
bool rv_world_dew_room(rv_world *world, int count);
void rv_world_make_dew(rv_world *world);  // once the terrain is there
void rv_world_find_feet(rv_world *world); // after angles changed
void rv_world_step_dew(rv_world *world, double dt);
// Drops in cells that were changed go with the solid, fall, or go into columns.
void rv_world_follow_dew(rv_world *world, rv_rect cells);
// Before a moving solid is moved, which drops are on it; and after it, these go with it.
void rv_world_mark_dew(rv_world *world, int mover);
void rv_world_carry_dew(rv_world *world, const rv_motion *from, const rv_motion *to);
// Adds the energies of the drops, J, as rv_stats has them.
void rv_world_dew_energy(const rv_world *world, double *kinetic, double *potential);
// For hash and snapshot.
uint64_t rv_world_hash_dew(const rv_world *world, uint64_t hash);
size_t rv_world_dew_bytes(int count);
void rv_world_save_dew(const rv_world *world, unsigned char *to);
bool rv_world_dew_good(const rv_world *world, const unsigned char *from, int count);
void rv_world_restore_dew(rv_world *world, const unsigned char *from, int count);

// drips.c
bool rv_world_drips(const rv_world *world);        // whether edges drip
double rv_world_drip_clear(const rv_world *world); // m, that must be free under an edge
// Lists the edges anew where the terrain changed; whether there are any.
bool rv_world_list_edges(rv_world *world, const rv_params *params);
// Finds which bead is nearest to each edge, for a step; false: there are no edges that drip.
bool rv_world_begin_drips(rv_world *world);
// So that a step allocates nothing: as many as there are places to fall from.
void rv_world_make_fall_room(rv_world *world);
bool rv_world_drip(rv_falling *falling); // after a substep
// The same where a card took what fell; `elapsed`: s, of the step. true: it took some.
bool rv_world_dripped(rv_world *world, rv_fallen *falls, int count, double elapsed);
void rv_world_end_drips(rv_world *world, double step); // beads become threads, and threads beads

// landing.c: what came down goes into its columns over the substeps of the next step. `begin` tells
// whether there is any; if not, the others need not be called.
bool rv_world_lands_softly(const rv_world *world); // whether that is so
bool rv_world_begin_landing(rv_world *world, double dt);
void rv_world_land(rv_world *world, int substeps, double dt); // one part of so many
void rv_world_end_landing(rv_world *world);
// With a cut: the rows that what lands in this step presses on, as far as they are here.
rv_rows rv_landing_rows(rv_world *world, double dt);
// Head of what presses in `cells` with that of landing; *cells is widened.
const float *rv_world_add_landing(rv_world *world, const float *head, rv_rect *cells);
void rv_landing_free(rv_world *world);

// strike.c
// Droplets that have flown for dt; `wall`: which sides of the grid keep them, as rv_air has it.
void rv_world_strike_bodies(rv_world *world, double dt, const bool wall[4]);

// particles.c
bool rv_world_check_emitters(const rv_world_def *def, const rv_solver_api *api,
                             rv_messages *messages);
rv_result rv_world_copy_emitters(rv_world *world, const rv_world_def *def);
// What emitters give at time 0, which counts as the first liquid; and from `time` to `time + dt`.
void rv_world_first_particles(rv_world *world);
void rv_world_emit(rv_world *world, double time, double dt);
// A drop on a pane; returns its volume (m³).
double rv_world_place_drop(rv_world *world, rv_vec3 at, double volume);

// snapshot.c
uint64_t rv_world_fingerprint(const rv_world *world);
// For undo.c: the parts of a snapshot that this world wrote itself, without fingerprints and
// checksum, which take longer than all the rest.
size_t rv_world_kept_bytes(const rv_world *world, bool terrain);
void rv_world_write(const rv_world *world, unsigned char *to, bool terrain);
// restore.c: all but the terrain; the columns are those that it was written with.
rv_result rv_world_read(rv_world *world, const unsigned char *from);
rv_result rv_world_read_terrain(rv_world *world, const unsigned char *from);

// fills.c
rv_result rv_world_fill(rv_world *world, const rv_fill_def *fills, int count);

// query.c: the surface of one group of linked columns around a point, shared by samples and rays.
typedef struct rv_patch {
    bool has[4]; // cells (i, j), (i+1, j), (i, j+1), (i+1, j+1)
    size_t slot[4];
    double base[4], level[4]; // m; the level of a dry column is that of the liquid beside it
} rv_patch;

rv_liquid rv_world_view(const rv_world *world);
// … of which only these columns need be up to date.
rv_liquid rv_world_view_of(rv_world *world, const size_t *slots, int count);
rv_liquid rv_world_view_depths(rv_world *world); // of which only depths need be up to date
rv_liquid rv_world_view_cells(rv_world *world, rv_rect cells); // of which only these need be so
// The columns where they are on a card, also those that particles are seen as; false: they are not.
bool rv_world_liquid_on_card(const rv_world *world, rv_card_liquid *out);
// The group of columns around cell corner (i, j) that the column `slot` of cell (x, y) belongs to.
void rv_patch_find(const rv_world *world, const rv_liquid *view, int i, int j, int x, int y,
                   size_t slot, rv_patch *patch);
// Mean of the four values with bilinear weights, absent ones left out.
double rv_patch_mean(const rv_patch *patch, const double value[4], double fx, double fy);
// Upward unit normal of the surface through the four values.
rv_vec3 rv_patch_normal(const rv_patch *patch, const double value[4], double fx, double fy,
                        double dx);

// Whether a place is between the corners of a region. A corner at the end of its range, which is
// the default, is no end: grids may reach further than that.
static inline bool rv_within(double v, double low, double high)
{
    return (v >= low || low <= -1e6) && (v <= high || high >= 1e6);
}

#endif
