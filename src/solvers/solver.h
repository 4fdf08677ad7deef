// What every solver offers the world. A solver owns the state of the liquid on a column set.
//
// Adding one: a folder beside this file, a table of these functions, one line in registry.c.
#ifndef RV_SOLVERS_SOLVER_H
#define RV_SOLVERS_SOLVER_H

#include "terrain/terrain.h"

#include "rivulet/body.h"
#include "rivulet/pane.h"
#include "rivulet/particles.h"

typedef struct rv_solver rv_solver; // each solver's own struct

// Serves snapshot, hash and upload: arrays that are the whole state. What is not by slot must not
// depend on how the columns are laid out.
typedef struct rv_state_field {
    const char *name;
    void *data;
    size_t count;
    size_t item;  // bytes of one
    bool by_slot; // only the slots of columns that exist count
} rv_state_field;

// What a solver is made from; all of it lives longer than the solver.
typedef struct rv_solver_setup {
    const rv_column_set *columns;
    const rv_terrain *terrain; // NULL: there is none, or it is not kept
    const rv_params *params;   // copied
    rv_pool *pool;
    const rv_allocator *allocator;   // copied
    const rv_map *affinity;          // copied; NULL: none
    const rv_splat_backend *backend; // NULL: the CPU
} rv_solver_setup;

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

#define RV_STATE_FIELDS_MAX 16

// Liquid that ran over an edge in the last substep.
typedef struct rv_fall {
    size_t from, to; // slots
    int x, y;        // cell of `to`
    int dx, dy;      // the way there, in cells
    double volume;   // m³
} rv_fall;

typedef void rv_on_fall(void *user, const rv_fall *fall);

typedef struct rv_solver_stats {
    int substeps, iterations, passages;
    int64_t flooded, wet;
    double deepest, fastest, volume;
    int64_t clipped, unsolved, not_finite; // since creation
    double border_in, border_out;          // m³ since creation
    double held, airborne;                 // m³, besides `volume`: in no column, and in the air
    double kinetic, potential;             // J, see rv_stats
} rv_solver_stats;

// What a solver keeps of the liquid in columns, by slot.
typedef struct rv_liquid {
    const float *depth;             // m
    const float *flux_x, *flux_y;   // m³/s
    const float *speed_x, *speed_y; // m/s, between columns; NULL: the flux is all there is
    const float *head; // m, of the pressure in full columns: above the ceiling there, less
                       // elsewhere; NULL: the solver has none
} rv_liquid;

typedef struct rv_solver_info {
    int64_t pipes, odd;
    size_t bytes;
    const char *instructions;
} rv_solver_info;

// Functions marked with a star may be NULL: the solver does not have it.
typedef struct rv_solver_api {
    const char *name;
    // What of the parameters and the terrain does not suit this solver, each a line with its key.
    bool (*check)(const rv_params *params, rv_messages *messages); // *
    rv_result (*create)(const rv_solver_setup *setup, rv_solver **out);
    void (*destroy)(rv_solver *solver);
    void (*set_params)(rv_solver *solver, const rv_params *params);
    // The kinds of the borders are those of `params` now; set_params follows, or nothing when no
    // other parameter changed. On failure nothing was changed. NULL: they are nothing that memory
    // is needed for, and set_params takes them.
    rv_result (*set_borders)(rv_solver *solver, const rv_params *params); // *
    // How many equal substeps a step of dt needs with the liquid as it is.
    int (*substeps)(rv_solver *solver, double dt);
    void (*substep)(rv_solver *solver, double dt);
    // Adds depth (m, may be negative) to a column, cut to 0 … ceiling; returns what was added.
    // Cheap: it brings what is derived from the depth up to date for that column.
    double (*add)(rv_solver *solver, size_t slot, double depth);
    // Head that bodies add to columns (m, by slot; docs/bodies.md), looked at in every substep
    // until the next call; NULL: none. `cells`: outside this rectangle it is 0 everywhere.
    void (*press)(rv_solver *solver, const float *head, rv_rect cells);
    // Gives the liquid of a column a horizontal impulse over its density (m⁴/s: volume times
    // velocity). Returns false, and changes nothing, where there is no pipe to take it.
    bool (*push)(rv_solver *solver, size_t slot, double x, double y);
    // Kinetic energy over density (m⁵/s²) of what flows together in a column and makes it rise;
    // then keeps only `share` of that flow, and all of what flows through. After the last call
    // changed() must follow.
    double (*calm)(rv_solver *solver, size_t slot, double share);
    // Calls `each` for every pipe between layers through which liquid ran in the last substep into
    // a column whose level is `drop` (m) or more under the bed it came from. It may add() to that
    // column. NULL: the solver has no layers.
    void (*falls)(rv_solver *solver, double drop, rv_on_fall *each, void *user);
    // After the state's arrays were written to: brings all derived data up to date.
    void (*changed)(rv_solver *solver);
    void (*stats)(const rv_solver *solver, rv_solver_stats *out);
    void (*info)(const rv_solver *solver, rv_solver_info *out);
    int (*fields)(rv_solver *solver, rv_state_field *out); // at most RV_STATE_FIELDS_MAX
    // These cells' columns were replaced in the column set, which had slots for all of them. Takes
    // the new depths; flow goes on where its columns do. On failure nothing was changed, and the
    // caller puts the columns back.
    rv_result (*edited)(rv_solver *solver, const rv_cell_change *changes, int count);
    // The same columns stand in other slots now; `old` is how they stood.
    rv_result (*relaid)(rv_solver *solver, const rv_column_set *old);
    void (*view)(const rv_solver *solver, rv_liquid *out);
    // Mean velocity of the liquid in a column along x and y, m/s; 0 where it does not flow. The
    // greatest of all columns is `fastest` of the statistics (of particles: of all particles).
    void (*velocity)(const rv_solver *solver, size_t slot, float out[2]);
    // ---- Particles -----
    // Fields of a snapshot whose number is not fixed have these counts, in the order of fields():
    // makes room for them, so that fields() gives it, or RV_BAD_DATA.
    rv_result (*resize)(rv_solver *solver, const uint64_t *counts, int fields); // *
    rv_result (*particles)(rv_solver *solver, rv_particles *out);               // *
    rv_result (*density)(rv_solver *solver, rv_density *out);                   // *
    void (*pane)(const rv_solver *solver, rv_pane *out);                        // *
    // What an emitter gives from `time` to `time + dt` (s); returns the volume (m³). `number` tells
    // emitters apart for what is random.
    double (*emit)(rv_solver *solver, const rv_emitter_def *emitter, int number, double time,
                   double dt); // *
    // What add() gives from now on moves with this velocity (m/s).
    void (*launch)(rv_solver *solver, rv_vec3 velocity); // *
    // Takes particles out of a box, at most `volume` (m³); returns what was taken.
    double (*take)(rv_solver *solver, rv_vec3 from, rv_vec3 to, double volume); // *
    // The bodies as they are now, until the next call: liquid stays out of them and moves with
    // them; after each substep they have what it gave them. A solver with this is not asked to
    // press, push or calm.
    void (*carry)(rv_solver *solver, rv_solver_body *bodies, int count); // *
    rv_result (*trouble)(const rv_solver *solver); // *: what a backend reported, RV_OK: nothing
    void (*stir)(rv_solver *solver, const rv_solver_rod *rod);           // *: in the next step
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
    rv_messages_add(messages, "gravity: lies level, but liquid in columns needs some of it downward");
    return false;
}

const rv_solver_api *rv_solver_find(rv_solver_kind kind);

#endif
