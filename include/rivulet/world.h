// rivulet/world.h: a world: terrain, liquid, sources; stepped, queried, saved.
//
//     rv_world_def def = rv_default_world_def();
//     def.solids = solids, def.solid_count = 2;
//     rv_world *world;
//     rv_messages messages = {0};
//     if (rv_world_create(&def, &world, &messages) != RV_OK) puts(messages.text);
//     rv_world_step(world, 0.01);
//
// Functions never abort the host. A NULL world is an error result, not a crash. One world may be
// used by one thread at a time; several worlds may run side by side. Const functions may run
// concurrently while nobody steps it; who must ask while it steps takes a frame (frame.h).
#ifndef RIVULET_WORLD_H
#define RIVULET_WORLD_H

#include "body.h"
#include "device.h"
#include "old_names.h"
#include "pane.h"
#include "particles.h"
#include "press.h"
#include "ranks.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv_world rv_world;

typedef struct rv_world_def {
    rv_params params;
    const rv_solid_def *solids;
    int solid_count;
    const rv_fill_def *fills;
    int fill_count;
    const rv_source_def *sources;
    int source_count;
    const rv_drain_def *drains;
    int drain_count;
    const rv_event_def *events;
    int event_count;
    const rv_body_def *bodies;
    int body_count;
    const rv_emitter_def *emitters; // particles: over columns droplets; on a pane only drops
    int emitter_count;
    // Where liquid is drawn, 1, or repelled, 0; copied. Solver glass: stretched over the pane, NULL: glass.* says. Solvers
    // pipes and swe: over the grid, seen from above, NULL: one half everywhere, which leaves angles as they are.
    const rv_map *affinity;
    const rv_splat_backend *backend; // solver splat; borrowed for the life of the world. NULL: the CPU
    // Solvers pipes and swe: where their columns live, see device.h; borrowed for the life of the world. NULL: the CPU
    const rv_device *device;
    // Solvers pipes and swe: processes that share the grid, see ranks.h; borrowed for the life of the world. NULL: this
    // one has all of it
    const rv_ranks *ranks;
    // Instead of solids: the bed's height per cell, row-major from (low x, low y), grid.nx ×
    // grid.ny, in metres. One layer, no distance field. NULL: use the solids.
    const float *heights;
    rv_allocator allocator;
    rv_logger logger;
    rv_pool *pool; // borrowed for the life of the world; NULL: one thread
    // Called now and then during long preparation with a share done in 0..1; may be NULL.
    void (*progress)(double share, void *user);
    void *progress_user;
} rv_world_def;

RV_API rv_world_def rv_default_world_def(void);

// Whether this machine has memory for a grid of that size; a line tells how much it would take. Also asked by
// rv_world_create: this is for who has something to make before it, as heights are.
RV_API bool rv_world_fits(const rv_world_def *def, rv_messages *messages);
// Checks everything, reports every problem found, and makes the world or nothing.
RV_API rv_result rv_world_create(const rv_world_def *def, rv_world **out, rv_messages *messages);
RV_API void rv_world_destroy(rv_world *world);
// From now on the world says what it has to say there; {0}: nowhere.
RV_API void rv_world_set_logger(rv_world *world, rv_logger logger);

// Advances by dt seconds, in as many equal substeps as stability needs.
RV_API rv_result rv_world_step(rv_world *world, double dt);

// Asked after each frame of rv_world_run, with the seconds done and those to do; false: stop here.
typedef bool rv_watch(double done, double all, void *user);
// Advances by `seconds` (0 or more) in frames of time.step, as the command does; where they are no whole number of
// those, in equal frames a little shorter. `watch` may be NULL. RV_OK also when it was stopped.
RV_API rv_result rv_world_run(rv_world *world, double seconds, rv_watch *watch, void *user);

typedef struct rv_stats {
    double time;          // s, simulated so far
    int64_t steps;        // calls of rv_world_step so far
    double volume;        // m³, liquid now
    double sourced;       // m³, given by sources, borders and rv_world_pour so far
    double drained;       // m³, taken by drains and borders so far
    double held;          // m³, pushed out by changed terrain and without a place in any column until now
    double displaced;     // m³, moved to other columns by changed terrain so far
    int64_t edits;        // changes of the terrain so far
    int64_t wet;          // columns deeper than pipes.film
    double deepest;       // m
    double fastest;       // m/s, greatest mean speed of the liquid in a column; of a particle, of a drop
    int substeps;         // in the last step
    int64_t all_substeps; // since the world was made
    int64_t flooded;      // columns full to their ceiling
    int passages;         // connected groups of flooded columns; with axis: runs between two gates
    int iterations;       // of the pressure of passages in the last step, all substeps together
    int64_t clipped;      // steps that needed more than time.substeps_max
    int64_t unsolved;     // substeps in which the pressure stopped at pipes.iterations
    int64_t unplaced;     // source steps that found no column with room
    int64_t not_finite;   // columns found NaN or infinite and set dry
    int bodies;           // that are in the world
    double airborne;      // m³, in droplets; volume + held + airborne + dew = what was + sourced - drained
    int droplets;         // in the air
    double dew;           // m³, in drops on solids (dew.on), besides `volume`, `held` and `airborne`
    int dew_drops;
    int64_t dew_refused;  // drops so far that found dew.most reached, and did not come
    int64_t refused;      // droplets so far that found spray.droplets reached; their liquid stayed
    double ms;            // wall clock of the last step, milliseconds
    // J, of all liquid, droplets in the air included. Potential: over the bottom of the grid, by the downward part of
    // gravity, and where it has a horizontal part, from the middle of the grid against it; along a pane: from its lower
    // edge. What is held counts in neither.
    double kinetic, potential;
    int64_t on_cpu;       // substeps so far that the processor worked out though the columns live on a card
} rv_stats;

// Functions of a const world change nothing that can be seen, and any number of them may run at the
// same time, as long as nothing else uses the world.

// Measures all of it: goes over all columns, particles and droplets, a millisecond for a million of
// them.
RV_API rv_result rv_world_get_stats(const rv_world *world, rv_stats *out);
// Time and counters alone, at no cost: what is measured (volume, wet, deepest, fastest, flooded,
// airborne, dew, kinetic and potential) is 0.
RV_API rv_result rv_world_get_counters(const rv_world *world, rv_stats *out);

// Sizes that do not change while the terrain does not.
typedef struct rv_world_info {
    int64_t columns;          // columns of liquid that exist
    int64_t pipes;            // joints between them
    int64_t odd;              // pipes between different layers
    int layers;               // most columns in one cell
    int64_t cells_with[17];   // [n]: cells with n columns
    size_t bytes;             // memory of the columns and the solver
    size_t terrain_bytes;     // memory of the distance field
    int64_t changes;          // counts changes of the terrain, restored ones included
    const char *instructions; // "avx512", "avx2", "baseline"
    double made;              // ms, by the clock, when: tells worlds apart that stand at one address
} rv_world_info;

RV_API rv_result rv_world_get_info(const rv_world *world, rv_world_info *out);
// What crossed between processes that share the grid, as this one saw it, and which rows are its own.
RV_API rv_result rv_world_get_traffic(const rv_world *world, rv_rank_traffic *out);

RV_API const rv_params *rv_world_params(const rv_world *world);
// Changes parameters while running: all but those that shape the grid or the terrain or choose the solver and its kind
// of pipes. On failure nothing was changed.
RV_API rv_result rv_world_set_params(rv_world *world, const rv_params *params, rv_messages *messages);
// Times that a source, by its index in the definition, found no column with room since the world was
// made; with those of borders that flow in and of rv_world_pour they make rv_stats.unplaced.
RV_API int64_t rv_world_unplaced(const rv_world *world, int source);
// Adds volume (m³) on the first column below `at`, spread over a disk. Returns what found room.
RV_API double rv_world_pour(rv_world *world, rv_vec3 at, double radius, double volume);

// ---- Sources, drains, emitters, presses ----------------------------------------------------------

// All four are added, changed and removed while a world runs. Each has a number: those of the definition 0, 1, … in
// their order, and one that is added the next; a number is not used again in the life of a world, whatever goes. What is
// changed takes effect in the next step; they act in the order of their numbers. A snapshot holds what was changed, so
// a restored world goes on with it. On failure nothing was changed and messages say why. `messages` may be NULL.
//
// A source or drain that is changed keeps what rounding owes it. A source that no column of the grid lies below is
// refused.
RV_API rv_result rv_world_add_source(rv_world *world, const rv_source_def *def, int *source,
                                     rv_messages *messages);
RV_API rv_result rv_world_set_source(rv_world *world, int source, const rv_source_def *def,
                                     rv_messages *messages);
RV_API rv_result rv_world_remove_source(rv_world *world, int source);
RV_API rv_result rv_world_get_source(const rv_world *world, int source, rv_source_def *out);
RV_API rv_result rv_world_add_drain(rv_world *world, const rv_drain_def *def, int *drain,
                                    rv_messages *messages);
RV_API rv_result rv_world_set_drain(rv_world *world, int drain, const rv_drain_def *def,
                                    rv_messages *messages);
RV_API rv_result rv_world_remove_drain(rv_world *world, int drain);
RV_API rv_result rv_world_get_drain(const rv_world *world, int drain, rv_drain_def *out);
// A block or drop that is added gives at its `start`, or in the next step where that is past. One that is changed gives
// again, or for the first time, at a `start` that is not past.
RV_API rv_result rv_world_add_emitter(rv_world *world, const rv_emitter_def *def, int *emitter,
                                      rv_messages *messages);
RV_API rv_result rv_world_set_emitter(rv_world *world, int emitter, const rv_emitter_def *def,
                                      rv_messages *messages);
RV_API rv_result rv_world_remove_emitter(rv_world *world, int emitter);
RV_API rv_result rv_world_get_emitter(const rv_world *world, int emitter, rv_emitter_def *out);
RV_API rv_result rv_world_add_press(rv_world *world, const rv_press_def *def, int *press,
                                    rv_messages *messages);
RV_API rv_result rv_world_set_press(rv_world *world, int press, const rv_press_def *def,
                                    rv_messages *messages);
RV_API rv_result rv_world_remove_press(rv_world *world, int press);
RV_API rv_result rv_world_get_press(const rv_world *world, int press, rv_press_def *out);

// How many numbers were given so far: those from 0 to one less may be asked for, and are refused when they are gone.
RV_API int rv_world_source_count(const rv_world *world);
RV_API int rv_world_drain_count(const rv_world *world);
RV_API int rv_world_emitter_count(const rv_world *world);
RV_API int rv_world_press_count(const rv_world *world);

// A wax pencil: gives the cells of a disk an affinity for the liquid, 0 … 1 (see rv_world_def.affinity), on all their
// layers. What was painted is part of the state. RV_BAD_ARGUMENT: not with this solver, or a value out of range.
RV_API rv_result rv_world_paint(rv_world *world, rv_vec3 at, double radius, double affinity);

// ---- Changing the terrain ------------------------------------------------------------------------

// What one change did.
typedef struct rv_edit_report {
    int64_t cells;    // cast again
    int64_t changed;  // of these, with other columns than before
    int64_t bricks;   // of the field, sampled again
    double displaced; // m³, moved to other columns
    double held;      // m³, that found no room and waits for some
} rv_edit_report;

// Carves or adds a tool along a path (rv_event_def, kinds carve and add; its times are not looked at). Only
// what it touches is worked on; liquid stays, is pushed aside, or falls into what opens, and none is lost.
// Needs the distance field: terrain from solids, with terrain.keep. `report` and `messages` may be NULL.
RV_API rv_result rv_world_edit(rv_world *world, const rv_event_def *edit, rv_edit_report *report,
                               rv_messages *messages);

// Where a moving solid is, seen from where it was defined: turned about `pivot` (about x, then y, then z),
// then shifted.
typedef struct rv_pose {
    rv_vec3 shift, rotate, pivot;
} rv_pose;

// Puts a moving solid (rv_solid_def.mover) somewhere else. Move events act on top of this.
RV_API rv_result rv_world_move(rv_world *world, int mover, const rv_pose *pose,
                               rv_edit_report *report, rv_messages *messages);

// The surface of the solid as triangles, closed and without cracks: what is drawn and exported.
typedef struct rv_mesh {
    float *positions;  // x, y, z, m
    float *normals;    // unit, out of the solid
    uint8_t *materials; // by vertex, rv_material
    uint8_t *creases;   // by vertex, 1: on an edge or corner of a solid, where the normal is a mean; NULL: none is
    uint32_t *indices; // three per triangle, counter-clockwise seen from outside
    size_t vertex_count, triangle_count;
    rv_allocator allocator;
} rv_mesh;

RV_API rv_result rv_world_terrain_mesh(const rv_world *world, rv_mesh *out, rv_messages *messages);
RV_API void rv_mesh_free(rv_mesh *mesh);

// The same in tiles of RV_TILE × RV_TILE cells over the whole height, for those who follow changes: tile (i, j) begins
// at cell (i, j) · RV_TILE. Neighbouring tiles meet without cracks; each has its own copy of the vertices
// between them.
#define RV_TILE 32
RV_API rv_result rv_world_get_terrain_tiles(const rv_world *world, int *across, int *along);
RV_API rv_result rv_world_terrain_tile(const rv_world *world, int i, int j, rv_mesh *out,
                                       rv_messages *messages);
// The same for pictures from close by: with more vertices where the surface is bent within a cell, which lie on the
// solids themselves as far as these are known. These tiles meet without cracks too, but not with those of the other kind.
RV_API rv_result rv_world_terrain_tile_fine(const rv_world *world, int i, int j, rv_mesh *out,
                                            rv_messages *messages);
// Tiles whose mesh may have changed since rv_world_info.changes was `then`, as a rectangle [i0, i1) × [j0, j1); all
// of them where that is too long ago to be known.
typedef struct rv_tile_range {
    int i0, j0, i1, j1;
} rv_tile_range;
RV_API rv_result rv_world_get_changed_tiles(const rv_world *world, int64_t then,
                                            rv_tile_range *out);

// ---- Bodies --------------------------------------------------------------------------------------

// Those of the definition have the numbers 0, 1, …; a number is not used again in the life of a world. A free body
// that leaves the grid over an open border is gone, as if it had been removed; all other borders are walls to it.
// Bodies need the distance field (terrain.keep), or terrain from heights.
RV_API int rv_world_body_count(const rv_world *world); // numbers given so far
// Either may be NULL. RV_BAD_ARGUMENT: there is no such body (any more).
RV_API rv_result rv_world_get_body(const rv_world *world, int body, rv_body_def *def,
                                   rv_body_state *state);
RV_API rv_result rv_world_add_body(rv_world *world, const rv_body_def *def, int *body,
                                   rv_messages *messages);
RV_API rv_result rv_world_remove_body(rv_world *world, int body);
// Puts a body somewhere and gives it a motion; force, torque, submerged and resting are not looked at. A host with
// its own physics makes bodies `driven`, sets them before each step and reads their forces after it.
RV_API rv_result rv_world_set_body(rv_world *world, int body, const rv_body_state *state);

// ---- Particles and panes -------------------------------------------------------------------------

// The particles of solver splat, the drops of solver glass; RV_BAD_ARGUMENT with other solvers.
RV_API rv_result rv_world_get_particles(const rv_world *world, rv_particles *out);
// The density they make, solver splat.
RV_API rv_result rv_world_get_density(const rv_world *world, rv_density *out);
// The same for who draws a surface where it is `level` (docs/rendering-inside.md): films and threads that are stretched to
// less than a particle a cell have no holes. Good until the world's next change, or until it was asked for with four
// other levels, by whomever.
RV_API rv_result rv_world_get_drawn_density(const rv_world *world, double level, rv_density *out);
// The same where it is, on a card, for who draws it with that card's library: in space and in a plane. RV_BAD_ARGUMENT:
// it is not there. Good until the world's next step; `level` is the density that counts as liquid.
RV_API rv_result rv_world_get_density_card(rv_world *world, double level, rv_density_card *out);
// Where particles are stepped elsewhere than on the CPU (rv_world_def.backend), brings back what is
// asked for next, on the thread that the backend belongs to; without, the first function that shows
// it does this, and then no other thread may ask at the same time. On the CPU only the lists are
// made. With other solvers there is nothing to fetch: RV_OK.
typedef enum rv_fetch {
    RV_FETCH_TOTALS = 1,    // for rv_world_get_stats
    RV_FETCH_PARTICLES = 2, // for rv_world_get_particles, surfaces, hash and snapshot
    RV_FETCH_DENSITY = 4,   // for rv_world_get_density and surfaces
    RV_FETCH_ALL = 7
} rv_fetch;
RV_API rv_result rv_world_fetch(rv_world *world, unsigned what);
// The pane of solver glass.
RV_API rv_result rv_world_get_pane(const rv_world *world, rv_pane *out);

// Moves a rod of the radius from one point to another in dt seconds, and the liquid near it with it: splat and pipes take
// on its velocity, on a pane it is a finger that pushes water aside. What it does happens in the next step.
RV_API rv_result rv_world_stir(rv_world *world, rv_vec3 from, rv_vec3 to, double radius, double dt);

// ---- Spray ---------------------------------------------------------------------------------------

// Droplets in the air (spray.on), in no particular order. They belong to the world and hold until its next change.
#define RV_DROPLET_LANDS 4
typedef struct rv_droplets {
    int count;
    const rv_vec3 *at;       // m, middle
    const rv_vec3 *velocity; // m/s
    const double *radius;    // m
    // 0: it flies. RV_DROPLET_LANDS: it came down, and goes into the liquid in the next step. Else it hangs at an edge,
    // and rv_world_get_beads tells what it looks like.
    const uint8_t *hangs;
} rv_droplets;

RV_API rv_result rv_world_get_droplets(const rv_world *world, rv_droplets *out);
// Throws a droplet, which counts as sourced. Returns its volume, 0 where it cannot be: outside the grid, in a solid,
// without spray.on, with spray.droplets in the air already, or larger than a thousand grids.
RV_API double rv_world_throw(rv_world *world, rv_vec3 at, rv_vec3 velocity, double volume);

// What hangs at an edge that drips: half a drop under it, and where more comes than drops can carry, a thread that falls
// from it. At z under its top the thread's radius is thread (head / (head + z))^(1/4).
typedef struct rv_bead {
    rv_vec3 at;            // m, on the underside of the edge
    double radius, height; // m, half of its width, and how far it hangs down
    double flow;           // m³/s, that comes to it
    double thread;         // m, radius of the thread at its top; 0: it drips
    double head;           // m
    double foot;           // m, height of what the thread falls on
} rv_bead;

// Fills `out` with at most `room` of them; returns how many there are.
RV_API int rv_world_get_beads(const rv_world *world, rv_bead *out, int room);

// ---- Dew -----------------------------------------------------------------------------------------

// A drop on a solid (dew.on): a cap on a round foot, or a ball that falls.
typedef struct rv_dew_cap {
    rv_vec3 at;       // m, middle of the foot, on the solid; of a ball, its middle
    rv_vec3 normal;   // of the solid there
    rv_vec3 velocity; // m/s, along the solid; 0: it sticks
    double volume;    // m³
    double radius;    // m, of the foot; of the ball
    double height;    // m
    bool falls;       // it is a ball in the air
} rv_dew_cap;

// Fills `out` with at most `room` of them; returns how many there are.
RV_API int rv_world_get_dew(const rv_world *world, rv_dew_cap *out, int room);
// Raindrops on their way down (dew.rain), as balls that fall: where they would have to be now to land when they do. They
// are no part of the state and have come to nothing yet; for pictures. At most `room`; returns how many.
RV_API int rv_world_get_rain(const rv_world *world, rv_dew_cap *out, int room);
// Puts a drop on the solid nearest to `at`, which counts as sourced. Returns its volume, 0 where it cannot be: more than
// two cells from any solid, without dew.on, or with dew.most drops there already.
RV_API double rv_world_bedew(rv_world *world, rv_vec3 at, double volume);

// ---- Queries -----------------------------------------------------------------------------------

typedef struct rv_sample {
    bool inside; // false: outside the grid, or no column at or below z
    bool wet;
    int layer;      // 0 is the lowest
    double base;    // m, height of the bed
    double level;   // m, height of the free surface (the bed where dry)
    double depth;   // m
    double ceiling; // m, underside of what is above
    double head;    // m, level, or the pressure head in a flooded passage
    double u, v;    // m/s along x and y, mean over the depth
    rv_vec3 normal; // of the surface, unit, upward
} rv_sample;

// The liquid at (x, y) in the layer at or below z, for n points. Levels are interpolated between
// the columns of that layer, so they are continuous.
RV_API void rv_world_sample(const rv_world *world, const rv_vec3 *points, int n, rv_sample *out);

typedef struct rv_ray {
    rv_vec3 from, toward; // toward need not be unit
} rv_ray;

typedef struct rv_hit {
    bool liquid, terrain;                     // what was met within the grid
    double liquid_distance, terrain_distance; // m along the ray, INFINITY when not met
    rv_vec3 liquid_point, terrain_point;
    rv_vec3 liquid_normal, terrain_normal; // unit
    double liquid_depth;                   // m, vertical, where the surface was met
} rv_hit;

// Where n rays first meet the liquid's surface and the terrain.
RV_API void rv_world_cast(const rv_world *world, const rv_ray *rays, int n, rv_hit *out);

// Signed distance to the solid, negative inside, from the sampled field (from heights:
// approximate).
RV_API void rv_world_distance(const rv_world *world, const rv_vec3 *points, int n, float *out);

// ---- The columns themselves, read only ----------------------------------------------------------

// Columns are kept in planes: plane l holds the l-th column from below of each cell that has one. A
// plane covers a rectangle of cells; slot(x, y) = offset + (y - y0) * pitch + (x - x0). All arrays
// are indexed by slot. The ring around a plane's rectangle exists in memory and holds the borders.
typedef struct rv_plane {
    int x0, y0, nx, ny; // rectangle of cells
    int pitch;          // slots from a row to the next
    size_t offset;      // slot of (x0, y0)
} rv_plane;

typedef struct rv_columns {
    int nx, ny;         // cells
    double dx;          // m
    double x0, y0;      // m, low corner of the grid
    double bottom, top; // m
    int planes;
    const rv_plane *plane;
    size_t slots;       // length of the arrays
    const float *min;   // m, underside of the solid that the column owns
    const float *base;  // m, its top: the bed
    const float *max;   // m, underside of the next solid above. max <= base: no column in this slot
    const float *depth; // m
    const float *flux_x; // m³/s, to the column of the same plane at x+1
    const float *flux_y; // m³/s, to the column of the same plane at y+1
    // m/s, the same; NULL where the solver keeps fluxes only. The liquid's momentum is ½ (a + b) dx²
    // of it times the density, a and b the depths of the two columns.
    const float *speed_x, *speed_y;
    // By cell, nx × ny, row by row: how much the cell draws liquid, 0 … 254, 127 is one half; NULL: the solver has none.
    const uint8_t *affinity;
    // By slot, 1: flooded, up to its ceiling, as the solver has it; such a column has no surface, though it may lack a
    // thousandth of its height. NULL: none ever is.
    const uint8_t *full;
} rv_columns;

RV_API rv_result rv_world_get_columns(const rv_world *world, rv_columns *out);
// What the host's graphics library calls the buffer in which a card has the depths (rv_world_def.device): floats by slot,
// as rv_columns.depth, until the next step. 0: they are not on a card. By the thread that steps the world.
RV_API uint32_t rv_world_card_depth(const rv_world *world);
// The same without liquid and affinity, whose arrays are NULL: brings nothing from a card.
RV_API rv_result rv_world_get_beds(const rv_world *world, rv_columns *out);

// Mean velocity of the liquid in the column of a slot along x and y, m/s: horizontal, also where the bed slopes. 0 where
// there is none, or only a film that does not flow. The greatest of all columns is rv_stats.fastest.
RV_API void rv_world_get_column_velocity(const rv_world *world, size_t slot, float out[2]);

// The columns that exist as a table, plane by plane and row by row, as a state file has them. Arrays of the host's; NULL
// where one is not wanted.
typedef struct rv_column_table {
    int32_t *x, *y, *layer;                  // cell, and plane
    float *min, *base, *max, *depth, *level; // m
    float *u, *v;                            // m/s
} rv_column_table;

// Fills the first `room` rows. Returns how many columns there are; 0 where the solver has none.
RV_API size_t rv_world_list_columns(const rv_world *world, const rv_column_table *out, size_t room);

static inline size_t rv_slot(const rv_plane *plane, int x, int y)
{
    return plane->offset + (size_t)(y - plane->y0) * (size_t)plane->pitch + (size_t)(x - plane->x0);
}

static inline bool rv_plane_has(const rv_plane *plane, int x, int y)
{
    return x >= plane->x0 && x < plane->x0 + plane->nx && y >= plane->y0 &&
           y < plane->y0 + plane->ny;
}

// ---- State: hash, snapshot ----------------------------------------------------------------------

// The same for the same state, for any number of threads and any instruction set.
RV_API uint64_t rv_world_hash(const rv_world *world);

// A snapshot holds the state, and what was added, changed and removed of sources, drains, emitters,
// presses and terrain. It is restored into a world made from the same definition and goes on bit for
// bit. Parameters are no state: a world that was given others has to be given them again.
RV_API size_t rv_world_snapshot_size(const rv_world *world);
RV_API rv_result rv_world_save(const rv_world *world, void *buffer, size_t size);
// The same bytes in pieces, for files; false: there is no place for them. Where processes share the grid all of them
// call it, and rank 0 alone gets the pieces. So a snapshot need not fit into memory.
typedef bool rv_sink(void *user, const void *bytes, size_t count);
RV_API rv_result rv_world_save_to(const rv_world *world, rv_sink *sink, void *user);
// The same bytes, each piece with its place: where processes share the grid all of them call it, and each gets those of
// its own rows, to write them at once. There is a whole snapshot only where all of them return RV_OK.
typedef bool rv_sink_at(void *user, uint64_t at, const void *bytes, size_t count);
RV_API rv_result rv_world_save_at(const rv_world *world, rv_sink_at *sink, void *user);
// The liquid of the cells from (x, y) on, nx × ny of them, in a small world of so many cells: so that a world which is
// shared out can be looked at in part. All ranks call it, and rank 0 alone has `out`, made of the same solids with the
// same solver on that part of the grid; on others it is NULL.
RV_API rv_result rv_world_get_window(const rv_world *world, int x, int y, int nx, int ny, rv_world *out);
RV_API rv_result rv_world_restore(rv_world *world, const void *buffer, size_t size,
                                  rv_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
