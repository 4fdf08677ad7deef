// What a solver offers the world. A solver owns the state of the liquid on a column set.
//
// All offer the core table, rv_solver_api. What only some have stands in tables of its own: columns
// that bodies press on, particles, particles in bulk, a pane, ground that changes. A pointer to
// such a table is NULL where there is nothing of the kind; within a table nothing is NULL. What
// else tells solvers apart are traits, so that the world names none of them.
//
// Functions of a const solver change nothing that can be seen and may run at the same time; what
// they show may be made by the first that asks, under a lock.
//
// Adding one: a folder in src/, tables of these functions, one line in registry.c.
#ifndef RV_SOLVERS_SOLVER_H
#define RV_SOLVERS_SOLVER_H

#include "terrain/terrain.h"

#include "rivulet/body.h"
#include "rivulet/device.h"
#include "rivulet/pane.h"
#include "rivulet/particles.h"
#include "rivulet/world.h"

#include <string.h>

typedef struct rv_solver rv_solver; // each solver's own struct

// Serves snapshot, hash and upload: arrays that are the whole state. What is not by slot must not
// depend on how the columns are laid out. A name that begins with ~ is of something that is known
// of the state and no part of it: it is saved, and not in the hash.
typedef struct rv_state_field {
    const char *name;
    void *data;
    size_t count;
    size_t item;  // bytes of one
    bool by_slot; // only the slots of columns that exist count
} rv_state_field;

// The items of one field in a snapshot, anywhere in memory.
typedef struct rv_saved_field {
    const char *name;
    const unsigned char *from;
    uint64_t count;
} rv_saved_field;

// Whether all of these floats are numbers between two others.
static inline bool rv_saved_within(const rv_saved_field *field, double low, double high)
{
    for (uint64_t i = 0; i < field->count; i++) {
        float value;
        memcpy(&value, field->from + i * sizeof value, sizeof value);
        if (!((double)value >= low && (double)value <= high)) return false;
    }
    return true;
}

// Whether all of these bytes are at most so much.
static inline bool rv_saved_below(const rv_saved_field *field, unsigned most)
{
    for (uint64_t i = 0; i < field->count; i++)
        if (field->from[i] > most) return false;
    return true;
}

// What a solver is made from; all of it lives longer than the solver.
typedef struct rv_solver_setup {
    const rv_column_set *columns;
    const rv_terrain *terrain; // NULL: there is none, or it is not kept
    const rv_params *params;   // copied
    rv_pool *pool;
    const rv_allocator *allocator; // copied
    const void *kept;              // what keep() made; NULL: nothing
    const rv_device *device;       // where the state is to live, solvers of columns; NULL: the CPU
    rv_messages *messages;         // why that cannot be
} rv_solver_setup;

// How bodies and the liquid act on each other.
typedef enum rv_solver_bodies {
    RV_BODIES_NONE,  // it has none
    RV_BODIES_PRESS, // they press on columns: press() of rv_columns_api, and pushes
    RV_BODIES_INSIDE // they are among its particles: carry() of rv_bulk_api
} rv_solver_bodies;

// What a solver is like with given parameters.
typedef struct rv_solver_traits {
    rv_solver_bodies bodies;
    const char *no_bodies; // why, where there are none
    bool has_layers;       // liquid stands in every column of a cell, not only in the topmost
    bool has_spray;        // columns throw droplets: they take entries of kind throw
    bool has_tension;      // surface tension acts on its columns, so that edges may drip
    bool has_density;      // its surface is that of a density, not that of columns
    bool counts_vary;      // how many of some fields there are is not fixed: resize()
    bool in_plane;         // liquid and bodies are in a vertical plane
    bool on_pane;     // the ground is flat and has its own frame: nothing stands on it, and what
                      // is poured are drops
    bool gets_buried; // what is within solid that came over it is taken out first
} rv_solver_traits;

// ---- What is given and taken --------------------------------------------------------------------

typedef enum rv_entry_kind {
    RV_ENTRY_ADD,  // adds depth to a column, cut to 0 … ceiling
    RV_ENTRY_PUSH, // gives the liquid of a column a horizontal impulse; columns only
    RV_ENTRY_THROW // takes liquid out of a column that rises, as droplets; trait has_spray only
} rv_entry_kind;

// One thing that the world does to a column. Sources, bodies and spray fill a list of them, and the
// solver takes them in order, each on what the ones before left.
typedef struct rv_entry {
    rv_entry_kind kind;
    bool still; // add: it comes at rest, and what moves in the column keeps its momentum, not its
                // speed; columns only
    bool hands_on; // push: where there is no pipe to take it, its amount goes with the next entry
    bool asks;     // push: what would be done is told, and nothing done
    size_t slot;
    double amount;  // add: m, may be negative. push: times (x, y). throw: m³, at most
    double x, y;    // push: impulse over density for an amount of 1, m⁴/s (volume times velocity)
    double seconds; // push: how long it lasted, so that the bed may take some; 0: it takes none
    double least;   // throw: m³; less is not worth it
    double energy; // throw: m²/s², kinetic energy over mass that droplets take along from the flow
                   // together in the column, which makes it rise; what flows through stays
    double share; // throw: of that flow's energy, at most
    double done;  // out. add: m that was added. throw: m³ that was taken. push: what of the amount
                  // found no pipe
} rv_entry;

// A body among particles.
typedef struct rv_solver_body {
    rv_body_shape shape;
    double radius;              // m, of a sphere
    rv_vec3 half;               // m, half the edges of a box
    rv_vec3 at, velocity, spin; // m, m/s, rad/s
    double axes[3][3];          // unit: the body's own x, y, z in the world
    double mass;                // kg, in a plane of its slice; 0: what moves it is not the liquid
    rv_vec3 impulse, twist;     // N s, N m s: out, what the liquid gave it in the last substep
    double submerged;           // m³: out
} rv_solver_body;

// A rod in the liquid; see rv_world_stir.
typedef struct rv_solver_rod {
    rv_vec3 from, to; // m
    double radius;    // m
    double seconds;   // from `from` to `to`
} rv_solver_rod;

// One cell whose columns were replaced.
typedef struct rv_cell_change {
    int x, y;
    int before, after;        // columns
    int8_t to[RV_LAYERS_MAX]; // by old plane: the new plane of the column that goes on from it, -1:
                              // none
    float depth[RV_LAYERS_MAX]; // m, by new plane
} rv_cell_change;

#define RV_STATE_FIELDS_MAX 20

// Liquid that ran over an edge in the last substep.
typedef struct rv_fall {
    size_t from, to; // slots
    int x, y;        // cell of `to`
    int dx, dy;      // the way there, in cells
    double volume;   // m³
} rv_fall;

typedef void rv_on_fall(void *user, const rv_fall *fall);

typedef struct rv_solver_stats {
    // Counters.
    int substeps, iterations, passages;
    int64_t clipped, unsolved, not_finite; // since creation
    double border_in, border_out;          // m³ since creation
    double held;                           // m³, besides `volume`, in no column
    int64_t on_cpu; // substeps of a card that the processor worked out, since creation
    // Measures.
    int64_t flooded, wet;
    double deepest, fastest, volume;
    double airborne;           // m³, besides `volume`, in the air
    double kinetic, potential; // J, see rv_stats
} rv_solver_stats;

// What a solver keeps of the liquid in columns, by slot.
typedef struct rv_liquid {
    const float *depth;             // m
    const float *flux_x, *flux_y;   // m³/s
    const float *speed_x, *speed_y; // m/s, between columns; NULL: the flux is all there is
    const float *head;   // m, of the pressure in full columns: above the ceiling there, less
                         // elsewhere; NULL: the solver has none
    const uint8_t *full; // 1: flooded, up to its ceiling; NULL: no column ever is
    double film;         // m, depth up to which it does not flow
    bool eight;          // pipes to eight neighbours, as strong as the liquid is deep
    bool waves;          // faster where it is deeper: a crest outruns what is before it
} rv_liquid;

typedef struct rv_solver_info {
    int64_t pipes, odd;
    size_t bytes;
    const char *instructions;
} rv_solver_info;

// Whether a substep may ask for memory.
typedef enum rv_growth {
    RV_GROWS_NOT,
    RV_GROWS,
    RV_GROWS_ELSEWHERE // the state is not here: to look at it takes longer than a step
} rv_growth;

// Columns that are on a card, as floats by slot: depths; fluxes to the east, then to the north.
// Which of them are flooded is known here: as in rv_liquid.
typedef struct rv_card_liquid {
    const rv_device *device;
    rv_device_buffer *depth, *flux;
    const uint8_t *full;
    uint64_t version; // another when it may have changed
} rv_card_liquid;

// Who wants to ask something of a card along with what a step waits for anyway. `ask` is called
// once, when all of a step is on its way, with the liquid as it will be unless something comes in
// between; `drop` when it was, or never will be.
typedef struct rv_card_watcher {
    void (*ask)(const rv_card_liquid *liquid, void *user);
    void (*drop)(void *user);
    void *user;
} rv_card_watcher;

// ---- The tables ---------------------------------------------------------------------------------

// What one source gives after a substep: equal shares to its columns.
typedef struct rv_giving {
    const size_t *slots; // of all sources: no two are the same
    int count;
    double volume, owed; // m³; `owed` counts in the first call after settle()
    double swallowed;    // m, that rounding may have taken; where more is left, it is to be redone
} rv_giving;

// What one drain takes after a substep: a share of all its columns.
typedef struct rv_draining {
    const size_t *slots;
    int count;
    double volume, owed; // m³, as those of rv_giving
    double scale;        // units in a metre of sums
} rv_draining;

// What inflow borders give after a substep: to the lowest column with room of each cell.
typedef struct rv_pouring {
    const size_t *slots;
    const int *first;   // [cells + 1] into slots
    const double *rate; // [cells] m/s
    int cells;
    double fresh, owed;      // m over all cells, m³
    double dt;               // s, that `fresh` is for
    double scale, swallowed; // as above
} rv_pouring;

// What came of it in a substep.
typedef struct rv_later_told {
    const double *left;  // m, by source
    double poured_left;  // m
    const double *taken; // m, by drain
    const double *owed;  // m³, by drain
} rv_later_told;

// How much of what was asked for after a substep was done.
typedef enum rv_later_done {
    RV_DONE_NOTHING,
    RV_DONE_FELL, // what fell was taken, and told
    RV_DONE_GAVE, // sources gave, and that was told
    RV_DONE_ALL
} rv_later_done;

// A pipe between neighbours of a layer over an edge: its flux at slot `low`, along x or y.
typedef struct rv_brink {
    size_t low;
    rv_fall fall; // but for its volume
} rv_brink;

// What hangs at an edge where liquid falls.
typedef enum rv_site {
    RV_SITE_NONE, // nothing yet: then it is to be redone
    RV_SITE_BEAD, // takes it
    RV_SITE_SHEET // lets it fall on
} rv_site;

typedef struct rv_fallen {
    rv_fall fall;
    double done; // m, that were added to the column below: 0 or less
} rv_fallen;

// What the world does after a substep, for a card that does it without waiting: liquid that falls
// by `clear` (m) or more from edges is taken from where it fell, then sources give, then inflow
// borders, and drains take, in their order. Where that is not plain it is redone.
typedef struct rv_later {
    const rv_giving *giving;
    int giving_count;
    const rv_pouring *pouring; // NULL: no border has an inflow
    const rv_draining *draining;
    int draining_count;
    double area; // m², of a cell
    const rv_brink *brinks;
    int brink_count;
    const int *edges; // by slot, 1 + the edge where liquid hangs in beads, 0: it does not; NULL:
                      // nowhere
    const uint8_t *sites; // by edge, rv_site
    double clear;
    uint64_t changes; // another one: columns, edges or sources are others
    int number;       // of the substep
    // In the order of the substeps, from settle() or any function that looks at the liquid.
    // What fell, in any order; then what came of the rest, as far as it was done.
    void (*fell)(void *user, int number, rv_fallen *falls, int count);
    void (*told)(void *user, int number, const rv_later_told *told, rv_later_done done);
    void (*redo)(void *user, int number, rv_later_done done); // the rest
    void *user;
} rv_later;

// Depths (m) to be added to columns of plane `plane`, `count` from cell (x, y) on, which have
// `depth`; what is not over 0 is left alone. Called by several threads at once.
typedef void rv_fill_row(const void *user, int plane, int x, int y, int count, const float *depth,
                         double *more);

// Liquid in columns that are joined by pipes.
typedef struct rv_columns_api {
    // Head that bodies add to columns (m, by slot; docs/bodies.md), looked at in every substep
    // until the next call; NULL: none. `cells`: outside this rectangle it is 0 everywhere.
    void (*press)(rv_solver *solver, const float *head, rv_rect cells);
    // Calls `each` for every pipe between layers through which liquid ran in the last substep into
    // a column whose level is `drop` (m) or more under the bed it came from. It may add to that
    // column.
    void (*falls)(rv_solver *solver, double drop, rv_on_fall *each, void *user);
    // The kinds of the borders are those of `params` now; set_params follows, or nothing when no
    // other parameter changed. On failure nothing was changed.
    rv_result (*set_borders)(rv_solver *solver, const rv_params *params);
    // Gives the cells of a disk (m) an affinity for the liquid, 0 … 1; false: with these parameters
    // there is nothing that could heed it.
    bool (*paint)(rv_solver *solver, double x, double y, double radius, double affinity);
    // Other solids than before may be at the surface in these cells, with their angles.
    void (*rewet)(rv_solver *solver, rv_rect cells);
    // The affinity of each cell, row by row, 0 … 254; NULL: there is none.
    const uint8_t *(*affinity)(const rv_solver *solver);
    // view(), of which only these columns need be up to date.
    void (*view_of)(rv_solver *solver, const size_t *slots, int count, rv_liquid *out);
    void (*view_depths)(rv_solver *solver, rv_liquid *out); // view(), of which only depths need be
    // The first item of a row of the grid, or of those after the last, in a state field that is not
    // by slot but by rows; SIZE_MAX: it is neither, and the same on all ranks.
    size_t (*row_first)(const rv_solver *solver, const char *field, int y);
    // Before columns are looked at within a step: rows of other ranks are as their owners have
    // them.
    void (*ready)(rv_solver *solver);
    // Ranks have come to keep more rows, and the columns are laid out for them; `old` is how they
    // stood. The liquid there is taken from its owners; nothing else is another.
    rv_result (*keep_more)(rv_solver *solver, const rv_column_set *old);
    // A card that failed since the last time this was asked; the solver goes on without it.
    rv_result (*trouble)(rv_solver *solver);
    // The columns where they are on a card, as they are now, until the next call of any function;
    // false: they are not.
    bool (*on_card)(rv_solver *solver, rv_card_liquid *out);
    void (*watch)(rv_solver *solver, rv_card_watcher watcher); // in place of any before
    // Adds what it is told to all columns, as far as there is room. changed() must follow.
    void (*fill)(rv_solver *solver, rv_fill_row *more, const void *user);
    // After a substep; false: the world has to do it now.
    bool (*later)(rv_solver *solver, const rv_later *what);
    void (*settle)(rv_solver *solver); // what came of all of it is told then
} rv_columns_api;

// Particles: of bulk liquid, or drops on a pane.
typedef struct rv_particles_api {
    rv_result (*list)(const rv_solver *solver, rv_particles *out);
    // What an emitter gives from `time` to `time + dt` (s); returns the volume (m³). `number` tells
    // emitters apart for what is random.
    double (*emit)(rv_solver *solver, const rv_emitter_def *emitter, int number, double time,
                   double dt);
    // Fields of a snapshot whose number is not fixed have these counts, in the order of fields():
    // makes room for them, so that fields() gives it, or RV_BAD_DATA.
    rv_result (*resize)(rv_solver *solver, const uint64_t *counts, int fields);
} rv_particles_api;

// Particles in bulk: of one size, with the density they make.
typedef struct rv_bulk_api {
    rv_result (*density)(const rv_solver *solver, rv_density *out);
    // The same for who draws a surface where it is `level`.
    rv_result (*drawn)(const rv_solver *solver, double level, rv_density *out);
    // The density where it is on a card; false: it is not.
    bool (*on_card)(rv_solver *solver, double level, rv_density_card *out);
    // The columns that follow from them, as in rv_columns_api; false: they are not there.
    bool (*columns_on_card)(rv_solver *solver, rv_card_liquid *out);
    // Brings what is elsewhere up to date here (RV_FETCH_…), so that all that reads it only reads.
    rv_result (*fetch)(rv_solver *solver, unsigned what);
    // What is added to columns from now on moves with this velocity (m/s).
    void (*launch)(rv_solver *solver, rv_vec3 velocity);
    // Takes particles out of a box, at most `volume` (m³); returns what was taken.
    double (*take)(rv_solver *solver, rv_vec3 from, rv_vec3 to, double volume);
    // The bodies as they are now, until the next call: liquid stays out of them and moves with
    // them; after each substep they have what it gave them.
    void (*carry)(rv_solver *solver, rv_solver_body *bodies, int count);
    double (*each)(const rv_solver *solver);       // m³, volume of a particle
    rv_result (*trouble)(const rv_solver *solver); // that stepping elsewhere had so far
} rv_bulk_api;

// A pane of glass.
typedef struct rv_pane_api {
    void (*show)(const rv_solver *solver, rv_pane *out);
} rv_pane_api;

// Ground that may change under the liquid.
typedef struct rv_ground_api {
    // These cells' columns were replaced in the column set, which had slots for all of them. Takes
    // the new depths; flow goes on where its columns do. On failure nothing was changed, and the
    // caller puts the columns back.
    rv_result (*edited)(rv_solver *solver, const rv_cell_change *changes, int count);
    // The same columns stand in other slots now; `old` is how they stood.
    rv_result (*relaid)(rv_solver *solver, const rv_column_set *old);
    // What is known of the terrain changed within the box, after `edited`, or without it where no
    // column did. For those who look at its distances; NULL: columns are all there is to see.
    void (*reshaped)(rv_solver *solver, const rv_box *box);
} rv_ground_api;

typedef struct rv_solver_api {
    const char *name;
    const rv_columns_api *columns; // NULL, as all of these: it has none
    const rv_particles_api *particles;
    const rv_bulk_api *bulk;
    const rv_pane_api *pane;
    const rv_ground_api *ground;

    rv_solver_traits (*traits)(const rv_params *params);
    // What of the parameters does not suit this solver, each a line with its key; and what of the
    // rest of a definition, NULL while a world lives.
    bool (*check)(const rv_params *params, const rv_world_def *def, rv_messages *messages);
    // Own copies of what only this solver wants of a definition; *kept is NULL where that is
    // nothing. It lives as long as the world; drop() frees it.
    rv_result (*keep)(const rv_world_def *def, void **kept);
    void (*drop)(const rv_allocator *allocator, void *kept);

    rv_result (*create)(const rv_solver_setup *setup, rv_solver **out);
    void (*destroy)(rv_solver *solver);
    void (*set_params)(rv_solver *solver, const rv_params *params);
    // How many equal substeps a step of dt needs with the liquid as it is.
    int (*substeps)(rv_solver *solver, double dt);
    void (*substep)(rv_solver *solver, double dt);
    // Asked before each step. What can be had beforehand is taken now.
    rv_growth (*grows)(rv_solver *solver);
    // Takes the entries in order. Cheap: it brings what is derived from a depth up to date for that
    // column. After the last throw of a step changed() must follow.
    void (*exchange)(rv_solver *solver, rv_entry *entries, int count);
    // After liquid was added or taken: brings all derived data up to date.
    void (*changed)(rv_solver *solver);
    // After the state's arrays were written to: the same, and checks them.
    void (*restored)(rv_solver *solver);
    void (*stir)(rv_solver *solver, const rv_solver_rod *rod); // in the next step

    // The counters alone, from `substeps` to `held`: looks at no column.
    void (*counters)(const rv_solver *solver, rv_solver_stats *out);
    // All of it: goes over all columns and particles.
    void (*measure)(const rv_solver *solver, rv_solver_stats *out);
    void (*info)(const rv_solver *solver, rv_solver_info *out);
    int (*fields)(rv_solver *solver, rv_state_field *out); // at most RV_STATE_FIELDS_MAX
    // Whether a snapshot's fields, which have the names of fields() and counts that fit, can be a
    // state: each value is a number and one that it can be. A checksum is no seal.
    bool (*state_good)(const rv_solver *solver, const rv_saved_field *saved, int count);
    void (*view)(const rv_solver *solver, rv_liquid *out);
    // Mean velocity of the liquid in a column along x and y, m/s; 0 where it does not flow. The
    // greatest of all columns is `fastest` of the statistics (of particles: of all particles).
    void (*velocity)(const rv_solver *solver, size_t slot, float out[2]);
} rv_solver_api;

// Whether liquid can rest on a bed: gravity points down, or there is none.
static inline bool rv_gravity_stands(rv_vec3 g)
{
    return g.z < 0 || (g.x == 0 && g.y == 0);
}

// For solvers whose liquid stands in columns.
static inline bool rv_solver_check_down(const rv_params *params, rv_messages *messages)
{
    if (rv_gravity_stands(params->gravity)) return true;
    rv_messages_add(messages,
                    "gravity: lies level, but liquid in columns needs some of it downward");
    return false;
}

// For solvers that want the map of the affinity of a definition.
rv_result rv_keep_map(const rv_world_def *def, void **kept);
void rv_drop_map(const rv_allocator *allocator, void *kept);

// How many substeps a step of dt wants at a rate (1/s). The rate that is held goes up at once but
// down only when much lower: a number of substeps that changes in time with a wave would feed it,
// as a child pumps a swing.
static inline double rv_substeps_wanted(float *held, double rate, double dt)
{
    if (rate > (double)*held || rate < 0.75 * (double)*held) *held = (float)rate;
    return ceil(dt * (double)*held);
}

// For solvers that want nothing more of a definition.
static inline rv_result rv_keep_nothing(const rv_world_def *def, void **kept)
{
    (void)def;
    *kept = NULL;
    return RV_OK;
}

static inline void rv_drop_nothing(const rv_allocator *allocator, void *kept)
{
    (void)allocator, (void)kept;
}

const rv_solver_api *rv_solver_find(rv_solver_kind kind);

#endif
