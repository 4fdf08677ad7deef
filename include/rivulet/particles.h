// rivulet/particles.h: liquid made of particles: what gives it, what it looks like, and where it is worked out.
//
// Solver `splat` (docs/splat.md) has particles of one size and the density they make on a grid; solver `glass`
// (docs/glass.md) has drops of all sizes on a pane (pane.h).
#ifndef RIVULET_PARTICLES_H
#define RIVULET_PARTICLES_H

#include "params.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- What gives particles ------------------------------------------------------------------------

typedef enum rv_emitter_kind {
    RV_EMITTER_BLOCK, // once, at `start`: all of the box from..to that is free
    RV_EMITTER_DROP,  // once, at `start`: a ball around `at`; on a pane a drop of that volume there
    RV_EMITTER_JET,   // from `start` to `stop`: a round stream out of `at` along `velocity`
    RV_EMITTER_RAIN   // from `start` to `stop`: drops of `radius` at random places of the box, `rate` in all
} rv_emitter_kind;
#define RV_WORDS_EMITTER "block|drop|jet|rain"

#define RV_EMITTER_FIELDS(REAL, WHOLE, FLAG, WORD, VECTOR)                                           \
    WORD(kind, "kind", rv_emitter_kind, RV_EMITTER_JET, RV_WORDS_EMITTER, "what it gives")           \
    VECTOR(from, "from", "m", -1e6, -1e6, 1e6, "low corner of the box, kinds block and rain")        \
    VECTOR(to, "to", "m", 1e6, -1e6, 1e6, "high corner of the box, kinds block and rain")            \
    VECTOR(at, "at", "m", 0, -1e6, 1e6, "middle of the drop, mouth of the jet")                      \
    REAL(radius, "radius", "m", 0.01, 1e-6, 1e6, "radius of the drop, of the jet, of drops of rain") \
    VECTOR(velocity, "velocity", "m/s", 0, -1e3, 1e3, "velocity of what comes out")                  \
    REAL(rate, "rate", "m3/s", 0, 0, 1e6, "volume a second, kind rain")                              \
    REAL(start, "start", "s", 0, 0, 1e9, "when it gives, or begins to")                              \
    REAL(stop, "stop", "s", 1e9, 0, 1e9, "when it ends, kinds jet and rain")

#define RV_DEF_REAL(field, key, unit, def, lo, hi, meaning) double field;
#define RV_DEF_WHOLE(field, key, unit, def, lo, hi, meaning) int field;
#define RV_DEF_FLAG(field, key, def, meaning) bool field;
#define RV_DEF_WORD(field, key, type, def, words, meaning) type field;
#define RV_DEF_VECTOR(field, key, unit, def, lo, hi, meaning) rv_vec3 field;
typedef struct rv_emitter_def {
    RV_EMITTER_FIELDS(RV_DEF_REAL, RV_DEF_WHOLE, RV_DEF_FLAG, RV_DEF_WORD, RV_DEF_VECTOR)
} rv_emitter_def;
#undef RV_DEF_REAL
#undef RV_DEF_WHOLE
#undef RV_DEF_FLAG
#undef RV_DEF_WORD
#undef RV_DEF_VECTOR

RV_API rv_emitter_def rv_default_emitter_def(void);
RV_API const rv_table *rv_emitter_table(void);

// ---- What there is -------------------------------------------------------------------------------

// Borrowed from the world, in no particular order, until its next change.
typedef struct rv_particles {
    int64_t count;
    const float *x, *y, *z; // m; NULL: the same for all, as `at` says (y of form 2d; z of form height and of drops on a pane)
    const float *u, *v, *w; // m/s; NULL: 0
    const float *volume;    // m³; NULL: `each`
    const float *air;       // foam, 0 … 1 (splat.foam); NULL: none
    rv_vec3 at;
    double each; // m³
} rv_particles;

// The density of particles at the middles of cells, 1: as dense as liquid at rest. x fastest, then y, then z.
typedef struct rv_density {
    int nx, ny, nz; // ny is 1 in form 2d, nz is 1 in form height
    double dx;      // m
    rv_vec3 low;    // low corner of the grid, m
    const float *value;
    const float *froth; // how much of the liquid there is foam, 0 … 1; NULL: it was not asked for, or splat.foam is 0
} rv_density;

// The same where the particles live on a card (rivulet/device.h): a buffer of its graphics library, with half floats from
// its beginning on, and from `boxes_at` (bytes) on four bytes for each box of `side` cells a side: 255 in the first where
// some of it, or of the cells beside it, is as dense as was asked for, 255 in the second where some is not.
// In a plane there are no boxes; a cell has two half floats: density, and the mean speed of the particles around, m/s. As a
// height there is foam only, and where there is none nothing.
#define RV_DENSITY_WITHIN 0.12
typedef struct rv_density_card {
    rv_density grid; // without values
    uint32_t values;
    size_t boxes_at;
    int side;
    size_t froth_at;    // bytes, from there on a byte a cell: foam, 0 … 255; 0: splat.foam is 0
    rv_particles alone; // here: particles that no surface shows, where the density is under what was asked for; in a
                        // plane, where nothing hides them, where it is under RV_DENSITY_WITHIN more
} rv_density_card;

// ---- Where it is worked out ----------------------------------------------------------------------

// What a backend of `splat` needs to know once.
typedef struct rv_splat_sizes {
    int form; // rv_splat_form
    int nx, ny, nz;
    double dx;    // m
    rv_vec3 low;  // low corner of the grid, m
    double each;  // m³, volume of a particle
    double rest;  // Σ of kernel weights in liquid at rest
    int64_t most; // particles there may be
} rv_splat_sizes;

// Another place to step the particles of `splat` than the CPU: a table of functions that the host gives (the command's
// is in render/: by drawing). All return RV_OK or why not; then the world's step fails with it. Positions and velocities
// are as in rv_particles: arrays of their own for each component, those that a form lacks are NULL.
typedef struct rv_splat_backend {
    const char *name;
    void *user;
    rv_result (*open)(void *user, const rv_splat_sizes *sizes, const rv_params *params, void **state);
    void (*close)(void *state);
    rv_result (*set_params)(void *state, const rv_params *params);
    // Distance to solids (m, negative inside) at the middles of cells, and the velocity of solids there (three floats
    // a cell; NULL: they stand still).
    rv_result (*set_solids)(void *state, const float *distance, const float *velocity);
    // Form height: how high the bed is over the bottom of the grid (m) at the middles of cells.
    rv_result (*set_bed)(void *state, const float *height);
    // Particles `first` … `first + count` are these; those from there on are gone.
    rv_result (*put)(void *state, int64_t first, int64_t count, const rv_particles *particles);
    // Force by the mouse: liquid within `radius` of `at` is pulled toward `velocity`; radius 0: none. Holds for the next
    // steps.
    rv_result (*set_stir)(void *state, rv_vec3 at, rv_vec3 velocity, double radius);
    rv_result (*step)(void *state, double dt);
    rv_result (*get)(void *state, float *x, float *y, float *z, float *u, float *v, float *w);
    rv_result (*get_density)(void *state, float *value);
    // Greatest speed of a particle (m/s) and density (1: at rest), possibly as of a few steps ago.
    rv_result (*get_extremes)(void *state, double *fastest, double *densest);
    // Over all particles as they are now: the sum of the squares of their speeds (m²/s²) and that of their places, from
    // the low corner of the grid (m). For the energies of statistics; NULL: particles are brought back for them.
    rv_result (*get_totals)(void *state, double *squares, rv_vec3 *places);
} rv_splat_backend;

#ifdef __cplusplus
}
#endif
#endif
