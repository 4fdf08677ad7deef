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
// concurrently.
#ifndef RIVULET_WORLD_H
#define RIVULET_WORLD_H

#include "body.h"
#include "pane.h"
#include "particles.h"
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
    const rv_emitter_def *emitters; // solver splat; of kind drop also solver glass
    int emitter_count;
    // Where liquid is drawn, 1, or repelled, 0; copied. Solver glass: stretched over the pane, NULL: glass.* says. Solvers
    // pipes and swe: over the grid, seen from above, NULL: one half everywhere, which leaves angles as they are.
    const rv_map *affinity;
    const rv_splat_backend *backend; // solver splat; borrowed for the life of the world. NULL: the CPU
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

rv_world_def rv_default_world_def(void);

// Checks everything, reports every problem found, and makes the world or nothing.
rv_result rv_world_create(const rv_world_def *def, rv_world **out, rv_messages *messages);
void rv_world_destroy(rv_world *world);

// Advances by dt seconds, in as many equal substeps as stability needs.
rv_result rv_world_step(rv_world *world, double dt);

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
    double airborne;      // m³, in droplets; volume + held + airborne = what was + sourced - drained
    int droplets;         // in the air
    int64_t refused;      // droplets so far that found spray.droplets reached; their liquid stayed
    double ms;            // wall clock of the last step, milliseconds
    // J, of all liquid, droplets in the air included. Potential: over the bottom of the grid, by the downward part of
    // gravity, and where it has a horizontal part, from the middle of the grid against it; along a pane: from its lower
    // edge. What is held counts in neither.
    double kinetic, potential;
} rv_stats;

rv_result rv_world_stats(const rv_world *world, rv_stats *out);

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
} rv_world_info;

rv_result rv_world_get_info(const rv_world *world, rv_world_info *out);

const rv_params *rv_world_params(const rv_world *world);
// Changes parameters while running: all but those that shape the grid or the terrain or choose the solver and its kind
// of pipes. On failure nothing was changed.
rv_result rv_world_set_params(rv_world *world, const rv_params *params, rv_messages *messages);
// Changes a source or drain while running, by its index in the definition.
rv_result rv_world_set_source(rv_world *world, int index, const rv_source_def *source);
rv_result rv_world_set_drain(rv_world *world, int index, const rv_drain_def *drain);
// Adds volume (m³) on the first column below `at`, spread over a disk. Returns what found room.
double rv_world_pour(rv_world *world, rv_vec3 at, double radius, double volume);

// A wax pencil: gives the cells of a disk an affinity for the liquid, 0 … 1 (see rv_world_def.affinity), on all their
// layers. What was painted is part of the state. RV_BAD_ARGUMENT: not with this solver, or a value out of range.
rv_result rv_world_paint(rv_world *world, rv_vec3 at, double radius, double affinity);

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
rv_result rv_world_edit(rv_world *world, const rv_event_def *edit, rv_edit_report *report,
                        rv_messages *messages);

// Where a moving solid is, seen from where it was defined: turned about `pivot` (about x, then y, then z),
// then shifted.
typedef struct rv_pose {
    rv_vec3 shift, rotate, pivot;
} rv_pose;

// Puts a moving solid (rv_solid_def.mover) somewhere else. Move events act on top of this.
rv_result rv_world_move(rv_world *world, int mover, const rv_pose *pose, rv_edit_report *report,
                        rv_messages *messages);

// The surface of the solid as triangles, closed and without cracks: what is drawn and exported.
typedef struct rv_mesh {
    float *positions;  // x, y, z, m
    float *normals;    // unit, out of the solid
    uint8_t *materials; // by vertex, rv_material
    uint32_t *indices; // three per triangle, counter-clockwise seen from outside
    size_t vertex_count, triangle_count;
    rv_allocator allocator;
} rv_mesh;

rv_result rv_world_terrain_mesh(const rv_world *world, rv_mesh *out, rv_messages *messages);
void rv_mesh_free(rv_mesh *mesh);

// The same in tiles of RV_TILE × RV_TILE cells over the whole height, for those who follow changes: tile (i, j) begins
// at cell (i, j) · RV_TILE. Neighbouring tiles meet without cracks; each has its own copy of the vertices
// between them.
#define RV_TILE 32
rv_result rv_world_terrain_tiles(const rv_world *world, int *across, int *along);
rv_result rv_world_terrain_tile(const rv_world *world, int i, int j, rv_mesh *out,
                                rv_messages *messages);
// Tiles whose mesh may have changed since rv_world_info.changes was `then`, as a rectangle [i0, i1) × [j0, j1); all
// of them where that is too long ago to be known.
typedef struct rv_tile_range {
    int i0, j0, i1, j1;
} rv_tile_range;
rv_result rv_world_changed_tiles(const rv_world *world, int64_t then, rv_tile_range *out);

// ---- Bodies --------------------------------------------------------------------------------------

// Those of the definition have the numbers 0, 1, …; a number is not used again in the life of a world. A free body
// that leaves the grid over an open border is gone, as if it had been removed; all other borders are walls to it.
// Bodies need the distance field (terrain.keep), or terrain from heights.
int rv_world_body_count(const rv_world *world); // numbers given so far
// Either may be NULL. RV_BAD_ARGUMENT: there is no such body (any more).
rv_result rv_world_body(const rv_world *world, int body, rv_body_def *def, rv_body_state *state);
rv_result rv_world_add_body(rv_world *world, const rv_body_def *def, int *body,
                            rv_messages *messages);
rv_result rv_world_remove_body(rv_world *world, int body);
// Puts a body somewhere and gives it a motion; force, torque, submerged and resting are not looked at. A host with
// its own physics makes bodies `driven`, sets them before each step and reads their forces after it.
rv_result rv_world_set_body(rv_world *world, int body, const rv_body_state *state);

// ---- Particles and panes -------------------------------------------------------------------------

// The particles of solver splat, the drops of solver glass; RV_BAD_ARGUMENT with other solvers.
rv_result rv_world_particles(const rv_world *world, rv_particles *out);
// The density they make, solver splat.
rv_result rv_world_density(const rv_world *world, rv_density *out);
// The pane of solver glass.
rv_result rv_world_pane(const rv_world *world, rv_pane *out);

// Moves a rod of the radius from one point to another in dt seconds, and the liquid near it with it: splat and pipes take
// on its velocity, on a pane it is a finger that pushes water aside. What it does happens in the next step.
rv_result rv_world_stir(rv_world *world, rv_vec3 from, rv_vec3 to, double radius, double dt);

// ---- Spray ---------------------------------------------------------------------------------------

// Droplets in the air (spray.on), in no particular order. They belong to the world and hold until its next change.
typedef struct rv_droplets {
    int count;
    const rv_vec3 *at;       // m, middle
    const rv_vec3 *velocity; // m/s
    const double *radius;    // m
} rv_droplets;

rv_result rv_world_droplets(const rv_world *world, rv_droplets *out);
// Throws a droplet, which counts as sourced. Returns its volume, 0 where it cannot be: outside the grid, in a solid,
// without spray.on, or with spray.droplets in the air already.
double rv_world_throw(rv_world *world, rv_vec3 at, rv_vec3 velocity, double volume);

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
void rv_world_sample(const rv_world *world, const rv_vec3 *points, int n, rv_sample *out);

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
void rv_world_cast(const rv_world *world, const rv_ray *rays, int n, rv_hit *out);

// Signed distance to the solid, negative inside, from the sampled field (from heights:
// approximate).
void rv_world_distance(const rv_world *world, const rv_vec3 *points, int n, float *out);

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
} rv_columns;

rv_result rv_world_columns(const rv_world *world, rv_columns *out);

// Mean velocity of the liquid in the column of a slot along x and y, m/s: horizontal, also where the bed slopes. 0 where
// there is none, or only a film that does not flow. The greatest of all columns is rv_stats.fastest.
void rv_world_column_velocity(const rv_world *world, size_t slot, float out[2]);

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
uint64_t rv_world_hash(const rv_world *world);

// A snapshot holds all that changes; it is restored into a world made from the same definition and
// goes on bit for bit.
size_t rv_world_snapshot_size(const rv_world *world);
rv_result rv_world_save(const rv_world *world, void *buffer, size_t size);
rv_result rv_world_restore(rv_world *world, const void *buffer, size_t size, rv_messages *messages);

#ifdef __cplusplus
}
#endif
#endif
