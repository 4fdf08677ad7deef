// Small worlds that many tests start from, and what most of them do with a world: make it, step it,
// look at it, save it. Everything here fails the test that calls it when something goes wrong.
#ifndef RV_TESTS_SMALL_WORLDS_H
#define RV_TESTS_SMALL_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

// ---- Worlds -------------------------------------------------------------------------------------

// A definition and room for what it points to; all of it at its defaults unless a world says
// otherwise. A test changes what it is about, then makes the world of `def`. Not to be copied: def
// points into it.
typedef struct small_world {
    rv_solid_def solid[4];
    rv_fill_def fill[2];
    rv_body_def body[8];
    rv_source_def source;
    rv_drain_def drain;
    rv_emitter_def emitter;
    rv_event_def event[3];
    rv_world_def def;
} small_world;

// Most are compared with what is true without surface tension, so it is off unless a world says
// otherwise.

// Nothing but a grid, as grid_def.
void small_grid(small_world *s, rv_solver_kind solver, int nx, int ny, double dx);
// A level floor at 0.1 m under cells of 1 cm, the grid's top at 0.6 m; no liquid.
void small_floor(small_world *s, int nx, int ny);
// The same with 40 × 40 cells and droplets, which no air slows down, and edges that do not drip.
void small_spray(small_world *s);
// … and a table over the floor, with a source over it.
void small_table(small_world *s);
// … and, without the table, liquid: a block of water 14 cells wide and 20 deep in the middle of a
// shallow pool falls apart, and what runs back from the walls springs up.
void small_collapse(small_world *s);
// A tray of 60 × 40 cells of 1 cm, or of 60 in a plane, and a block of water in its middle, 6 cm
// deep, that moves with (0.4, -0.1, 0) m/s. Nothing slows it down.
void small_tray(small_world *s, rv_solver_kind solver, rv_splat_form form);
// A slab over a basin of 22 × 20 cells of 1 mm, half filled, that a source floods; a drain, and the
// northern border is open. Surface tension acts.
void small_basin(small_world *s);
// Two tanks of 20 × 8 cells of 1 cm, levels 10 cm apart, and a passage that is full between them.
// Nothing slows it down.
void small_tanks(small_world *s, rv_solver_kind solver);
// 40 × 120 cells of 1 mm in up to three layers, one of them tilted, half filled; a level is held in
// the east, the south is open. Surface tension acts.
void small_layers(small_world *s, rv_solver_kind solver);

// Definitions that point to nothing: a grid of nx × ny cells of dx, m, with a level floor; a cube
// of n³ cells, 1 m wide, for particles, or a square in a plane.
rv_world_def grid_def(rv_solver_kind solver, int nx, int ny, double dx);
rv_world_def cube_def(rv_splat_form form, int n);
// A box from x1 to x2 and z1 to z2, m, 1 m wide along y.
rv_solid_def box_between(rv_operation op, double x1, double x2, double z1, double z2);
// A block of particles, corners in m.
rv_emitter_def block_between(rv_vec3 from, rv_vec3 to);

// ---- What tests do with them --------------------------------------------------------------------

rv_world *make(const rv_world_def *def);
// The definition is refused with this text and nothing else.
void expect_refused(const rv_world_def *def, const char *text);
void run(rv_world *world, int steps, double dt);
rv_stats stats_of(const rv_world *world);
// All liquid, in the air or not, less what came in and more what went out, m³: what was there at
// first.
double balance(const rv_world *world);
// A snapshot, to be freed.
unsigned char *save(const rv_world *world, size_t *size);
// Makes the checksum of a snapshot right again.
void reseal(unsigned char *snapshot, size_t size);
// measured is exact to a share of it.
void near(double measured, double exact, double tolerance);

#endif
