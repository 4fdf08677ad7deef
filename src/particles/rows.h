// Loops over particles and over rows of the grid, compiled once per instruction set (rows_simd.c,
// bins_simd.c) and chosen when a solver is made. All forms give the same bits.
//
// A particle is 2 A floats: place (cells from the low corner of the grid), then velocity (m/s); A
// is 2 for forms 2d and height, 4 for form 3d, whose fourth floats are 0 but for foam. A node of
// the grid is as long: velocity before the forces, then after them.
#ifndef RV_SPLAT_ROWS_H
#define RV_SPLAT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_SPLAT_BIN 8   // cells of a row in one bin of the sort
#define RV_SPLAT_REACH 7 // cells, at most: see rv_splat_law
// Slots kept before and after a row, at least. Its first cell is the fourth of a line of the cache,
// so that the sums of every second bin are one whole line.
#define RV_SPLAT_MARGIN 16
#define RV_SPLAT_SHIFT 4
#define RV_SPLAT_TINY 1e-6f  // less weight than this is none
#define RV_SPLAT_INSET 0.01f // cells, how near to a wall of the grid a particle may be
#define RV_SPLAT_CLEAR 0.1f  // cells, how near to a solid
#define RV_SPLAT_FAR 8.0f    // cells, distance of what is away from all solids
#define RV_SPLAT_LIFT 1.25f  // density that a solid beside it may lift thinner liquid to
#define RV_SPLAT_DENSE 0.9f  // density from which compressing motion is damped
#define RV_SPLAT_NEAR 1.5f   // cells; from a cell's middle, beyond this nothing in it is in a solid
#define RV_SPLAT_GONE UINT32_MAX // bin of a particle that is taken out

// The numbers of one substep.
typedef struct rv_splat_law {
    int axes;            // 2 or 3
    int up;              // the vertical axis, -1: none (form height)
    int reach;           // cells beside a particle's own that it can weigh on
    int gamma;           // exponent of the pressure
    bool mirror, smooth; // splat.mirror, splat.smooth
    bool plain;          // the paper's walls: nothing moves along their normal
    float per_radius2;   // 1/radius², 1/cells²
    float per_rest;      // 1/Σw at rest
    float stiff, slack;  // k, and what it is below the density at rest, m²/s²
    float depth;         // form height: g times depth at density 1, m²/s²
    float calm;          // viscosity of compressing motion over 2 dx, m/s
    float push;          // dt/(2 dx), s/m
    float fall[3];       // what gravity takes from a velocity in a substep, m/s
    float move;          // dt/dx, s/m
    float pic;           // share of own motion lost in this substep
    float high[3];       // cells, the other walls of the grid
    uint8_t open[3][2];  // walls that are open: low, high
} rv_splat_law;

// The grid in memory: slot(x, a, b) = origin + x + a pitch + b layer. Beyond the walls there are
// `pad` rows and layers.
typedef struct rv_splat_grid {
    int n[3]; // cells; n[2] is 1 in planes
    int axes, up, pad;
    size_t pitch, layer, origin, slots;
} rv_splat_grid;

// What a row of cells has besides its own arrays: where the neighbours along an axis stand, in
// slots, 0 where a wall of the grid is there.
typedef struct rv_splat_beside {
    ptrdiff_t low[3], high[3];
} rv_splat_beside;

typedef struct rv_splat_fields {
    float *weight;    // Σw
    float *motion[3]; // Σw u, then u, m/s
    float *dense;     // density, 1 at rest
    float *smooth[2]; // the same, smoothed
    float *pressure;  // m²/s²
    float *node;
    const float *share; // what density is multiplied with near solids
    const float *extra; // and what is added to it (the paper's obstacles)
    const float *open;  // 1, or 0 where solids have no pressure of their own
    const float *bed;   // form height: gravity times height, m²/s²
    const float *solid; // distance to solids, cells
} rv_splat_fields;

typedef struct rv_splat_moved {
    float fastest;      // m²/s², greatest square of a component of velocity
    int64_t not_finite; // put back to where they were
} rv_splat_moved;

typedef struct rv_splat_rows {
    const char *name;
    // Adds w and w u of the particles of one bin to the grid.
    void (*splat)(const rv_splat_law *law, const rv_splat_grid *grid, const float *particle,
                  int count, float *weight, float *const motion[3]);
    // From sums to velocity and density in `count` cells from slot `at`; `solid`: share, extra and
    // open are looked at. Returns the greatest density.
    float (*mean)(const rv_splat_law *law, const rv_splat_fields *f, size_t at, int count,
                  bool solid);
    // out = in smoothed along one axis.
    void (*smooth)(const rv_splat_fields *f, const float *in, float *out, ptrdiff_t low,
                   ptrdiff_t high, size_t at, int count, bool solid);
    // Pressure from the density `in`.
    void (*press)(const rv_splat_law *law, const rv_splat_fields *f, const float *in,
                  const rv_splat_beside *beside, size_t at, int count, bool solid);
    // Nodes from velocities and pressure.
    void (*force)(const rv_splat_law *law, const rv_splat_fields *f, const rv_splat_beside *beside,
                  size_t at, int count, bool solid);
    // Moves particles through the nodes; what they did is added to `out`.
    void (*move)(const rv_splat_law *law, const rv_splat_grid *grid, const float *node,
                 float *particle, int count, rv_splat_moved *out);
    // Bins of particles, RV_SPLAT_GONE for those that are not on the grid; and the numbers of those
    // whose cell has a solid near, into `list`, which has room for all. Returns how many.
    void (*bins)(const rv_splat_grid *grid, const float *particle, int count, uint32_t *bin);
    int (*near)(const rv_splat_grid *grid, const float *solid, const float *particle, int count,
                uint32_t *list);
} rv_splat_rows;

const rv_splat_rows *rv_splat_rows_best(void);
const rv_splat_rows *rv_splat_rows_named(const char *name); // NULL when this machine lacks it

#endif
