// The narrow form of solver `splat`: particles weigh on the cells beside them only, the sums are
// smoothed once, and the pressure that keeps them apart is solved for. narrow.c has the formulas.
//
// Here: loops over particles and rows of the grid, compiled once per instruction set
// (narrow_simd.c, move_simd.c). All forms give the same bits.
#ifndef RV_SPLAT_NARROW_H
#define RV_SPLAT_NARROW_H

#include "particles/rows.h"

#define RV_NARROW_SUM 4        // floats of a cell's sums: weight, then weight times velocity
#define RV_NARROW_LEVELS 12    // of the multigrid, at most
#define RV_NARROW_SLABS 64     // at most
#define RV_NARROW_BEYOND 16    // cells after the end of a row that loops may look at
#define RV_NARROW_LEAST 0.05f  // density from which on a cell may have pressure
#define RV_NARROW_CLOSED 0.03f // share of liquid in a cell under which it counts as solid
#define RV_NARROW_GAP 0.4f     // how much thinner than at rest liquid closes up slowly only
#define RV_NARROW_EASE 0.03f   // share of what density is off that pressure makes good in a substep
#define RV_NARROW_EVEN 1.0f    // cells that a substep moves liquid for a step of 1 in its density
#define RV_NARROW_SHARP 2.9f   // q (1 - q) times that: how steeply density falls at a sharp surface
#define RV_NARROW_BLUNT 8.0f   // and by how much less it must, that liquid contracts as it wants
#define RV_NARROW_PLAY 0.01f   // how much denser than at rest liquid may be
#define RV_NARROW_DENSE 0.25f  // most that density counts as too high
// What cells without pressure count for on the next level, whose cells have their middles further
// away from them: between 0.65 and 0.8 it takes the fewest cycles on dams in a plane and in space.
#define RV_NARROW_EDGE 0.75f
// Foam: see foamed() in move_simd.c.
#define RV_SPLAT_AIR 7         // in space: which float of a particle it is
#define RV_NARROW_FOAMS 40.0   // 1/s, what comes of (1 m/s)² with splat.foam 1
#define RV_NARROW_STRUCK 0.01f // m²/s², less than that makes none
#define RV_NARROW_UNDER 1.05f  // density from which on liquid is under the surface
#define RV_NARROW_NEAR 4.0f    // and how fast it counts more, the thinner it is
#define RV_NARROW_TORN 0.25f   // density up to which liquid is torn apart
#define RV_NARROW_SPRAY 0.2f   // what its own speed counts for there, beside that against others

// One level of the grid. slot(x, a, b) = origin + x + a pitch + b layer; there is at least one slot
// beyond every side.
typedef struct rv_narrow_level {
    int n[3], axes;
    size_t pitch, layer, origin, slots;
    float *p, *b;    // pressure times dt/dx, m/s; what its differences must make, m/s
    float *diag;     // Σ of the conductances around a cell
    float *inverse;  // 1/diag, 0 in cells without pressure
    float *joint[3]; // conductance of a cell's low face, 0 where not both sides have pressure
    int *low, *high; // by row: the cells that may have pressure
} rv_narrow_level;

// Planes [at[i], at[i + 1]) of a level are worked on together. How many there are follows from the
// threads, and nothing from how many there are.
typedef struct rv_narrow_slabs {
    int count, at[RV_NARROW_SLABS + 1];
    int first, last; // planes that have cells with pressure
} rv_narrow_slabs;

// What the rows of the finest level know besides.
typedef struct rv_narrow_fields {
    const float *weight; // Σw, smoothed
    float *motion[3];    // Σw u, smoothed
    float *speed[3];     // velocity of a cell's low face before the forces, m/s
    float *light[3];     // 1 over the mass that a pressure there moves, over that at rest
    const float *share;  // share of a kernel that is free of solids
    float *cell;         // as nodes, not smoothed yet
    float *node;         // change of velocity, then velocity after it
} rv_narrow_fields;

typedef struct rv_narrow_law {
    int axes;
    float per_rest; // 1/Σw at rest
    float fall[3];  // dt times gravity, m/s
    float fill;     // dx/dt, m/s
    float move;     // dt/dx, s/m
    float pic;      // share of own motion lost in this substep
    float even;     // m/s, what a step of 1 in density moves liquid by
    float hold;     // of that, what is taken from the change, so that velocities do not get it
    float high[3];  // cells, the other walls of the grid
    uint8_t open[3][2];
    float foam,
        foam_left; // s²/m² of foam that comes in this substep, and share that stays; 0: none
} rv_narrow_law;

// Where the particles of a plane or a height foam: Σw by slot, and foam by particle.
typedef struct rv_narrow_foaming {
    const float *weight;
    float *air;
} rv_narrow_foaming;

typedef struct rv_narrow_rows {
    // Adds weight and motion of particles to the sums of the cells around them.
    void (*splat)(const rv_splat_grid *grid, const float *particle, int count, float *sum);
    // Smooths a row along all axes; `size` floats a cell. Stores to `out`, or the sums to fields.
    void (*blur_sums)(const rv_splat_grid *grid, const float *sum, size_t at, int count,
                      float *weight, float *const motion[3]);
    void (*blur_nodes)(const rv_splat_grid *grid, const float *cell, size_t at, int count,
                       float *node);
    // Low faces of `count` cells along axis c: velocity and lightness.
    void (*faces)(const rv_narrow_law *law, const rv_narrow_fields *f, int c, ptrdiff_t step,
                  size_t at, int count, bool solid);
    // Which cells have pressure, marked by 1 in `p`, and what is asked of it. Returns the greatest
    // density.
    float (*ask)(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                 size_t at, int count, bool solid);
    // Velocities from pressures, as cells, and what evens out density.
    void (*apply)(const rv_narrow_law *law, const rv_narrow_fields *f, const float *p,
                  const rv_splat_grid *grid, size_t at, int count, bool solid);
    // `foaming`: of particles whose foam stands apart; NULL: they have none.
    void (*move)(const rv_narrow_law *law, const rv_splat_grid *grid, const float *node,
                 const rv_narrow_foaming *foaming, float *particle, int count, rv_splat_moved *out);
    // The same in form height, where particles slide down the level.
    void (*flow)(const rv_narrow_law *law, const rv_splat_grid *grid, const float *node,
                 const rv_narrow_foaming *foaming, float *particle, int count, rv_splat_moved *out);
} rv_narrow_rows;

// The loops of the pressure, over `count` cells of a row from slot `at` on (pressure_simd.c). Up to
// RV_NARROW_BEYOND cells after them are looked at too, and must have no pressure and 0 in
// `inverse`.
typedef struct rv_pressure_rows {
    // Conductances of the finest level, and 1 over their sum, once it is known which cells have
    // pressure.
    void (*join)(const rv_narrow_fields *f, const rv_narrow_level *l, size_t at, int count,
                 bool solid);
    // One row relaxed. `floor`: pressure does not fall under 0.
    void (*relax)(const rv_narrow_level *l, size_t at, int count, float omega, bool floor);
    // What is left to do in a row, added up by two cells to `sum`; returns the greatest.
    float (*leave)(const rv_narrow_level *l, size_t at, int count, bool floor, float *sum);
    // Adds what a row knows to the row of a level with cells twice as large, from slot `to` on: the
    // joints of those faces that are between large cells, the conductance to cells without
    // pressure, and a mark that there is pressure. `pressed`: those cells count whose pressure is
    // not 0 now. odd_y, odd_z: the low faces there are inside a large cell.
    void (*coarsen)(const rv_narrow_level *fine, bool pressed, size_t at, int count, bool odd_y,
                    bool odd_z, const rv_narrow_level *large, size_t to);
    // Adds `part` of the pressure of large cells, from slot `from` on, to the small ones that
    // count. `floor`, `pressed`, odd_y, odd_z: as above.
    void (*correct)(const rv_narrow_level *fine, bool floor, bool pressed, float part, size_t at,
                    int count, const rv_narrow_level *large, size_t from, bool odd_y, bool odd_z);
    // What coarsen() left in a row of the larger level becomes its diagonal and 1 over it.
    void (*diagonal)(const rv_narrow_level *l, size_t at, int count);
} rv_pressure_rows;

const rv_pressure_rows *rv_pressure_rows_best(void);
const rv_pressure_rows *rv_pressure_rows_named(const char *name);

const rv_narrow_rows *rv_narrow_rows_best(void);
const rv_narrow_rows *rv_narrow_rows_named(const char *name); // NULL when this machine lacks it

#endif
