// What the files of solver `splat` share. Nobody else includes this.
#ifndef RV_SPLAT_SPLAT_H
#define RV_SPLAT_SPLAT_H

#include "base/lock.h"
#include "base/memory.h"
#include "particles/narrow.h"
#include "particles/rows.h"
#include "solvers/solver.h"

#define RV_SPLAT_SLABS 64
#define RV_SPLAT_BODIES 64 // those beyond are not seen

// Cells of a row that may hold something: [low, high), with the margin beyond the walls.
typedef struct rv_splat_span {
    int low, high;
} rv_splat_span;

// A cell near a solid, where velocity must not point into it.
typedef struct rv_splat_near {
    uint32_t slot;
    int body;        // -1: the terrain
    float normal[3]; // unit, out of the solid
    float inside;    // 1: within the solid by more than a cell, where nothing flows
} rv_splat_near;

// Cells [low, high).
typedef struct rv_splat_box {
    int low[3], high[3];
} rv_splat_box;

// Particles as the API gives them: place, velocity, foam.
enum { RV_SPLAT_SHOWN = 7 };
typedef struct rv_splat_shown {
    float *value[RV_SPLAT_SHOWN];
    int64_t room;
    bool fresh;
} rv_splat_shown;

// The density as it is drawn, for a surface at a level. Whoever was given one keeps it until the
// particles change, so there are several; where more levels are asked for, the one that was asked
// for longest ago makes room.
#define RV_SPLAT_DRAWN 4
typedef struct rv_splat_drawn {
    float *value; // by cell; NULL: not made yet
    float level;
    bool fresh;     // of the particles as they are, while the density is
    uint64_t asked; // when, by drawn_asked
} rv_splat_drawn;

// State besides particles and columns. Without padding: it is saved as bytes.
typedef struct rv_splat_clock {
    float rate; // 1/s, substeps a second as they were last needed
    float densest;
    float fastest; // m/s
    uint32_t substeps;
    double owed; // m³, not particles yet and owed to no column
    double due;  // m³, to be taken with the next particles
} rv_splat_clock;

typedef struct rv_grain_card rv_grain_card;

typedef struct rv_splat {
    const rv_column_set *columns;
    const rv_terrain *terrain;
    rv_params params;
    rv_pool *pool;
    rv_allocator allocator;
    const rv_splat_rows *rows;
    const rv_splat_backend *backend; // NULL: the CPU
    void *remote;                    // its state
    int64_t sent;                    // particles that it has
    bool away;                       // its particles are newer than those here
    struct {                         // of those that are away
        bool known;
        double squares, place[3]; // see rv_splat_fetch_totals
    } told;
    rv_result trouble;
    rv_grain_card *card;   // where the particles live; NULL: here. particles/card/
    bool card_failed;      // it did, in the last step
    rv_messages card_said; // and why

    // ---- the grid -----------------------------------------------------------------------------
    rv_splat_grid grid;
    rv_splat_law law;
    rv_splat_fields f;
    double low[3];                   // m, low corner along the grid's axes
    double dx, each, rest, height;   // m, m³, Σw, m (of the grid)
    int axis_of[3];                  // x, y, z of the world: axis of the grid, -1: none
    rv_splat_span *span, *span_next; // by padded row
    rv_splat_span *span_last;        // narrow form: those of the last substep
    size_t span_count;
    float *row_most;                           // by padded row: greatest density
    double *row_sum;                           // by row: of weights, for columns
    uint32_t *column_of;                       // form 2d, by slot: the column a cell is in
    float *share, *extra, *open, *bed, *solid; // own arrays behind f
    float *bed_height;                         // form height: over the grid's bottom, m, by cell
    uint8_t *solid_row;                        // by padded row: solids are near
    float *still;                              // distance to what does not move, cells
    bool any_still, any_solid;                 // the terrain's; with bodies
    size_t *sky; // form height: slot of each cell's highest column, SIZE_MAX: none
    rv_splat_near *near;
    size_t near_count, near_still, near_room;
    rv_splat_box boxes[RV_SPLAT_BODIES]; // of the bodies that are on the grid
    int box_count;
    rv_solver_body *body;
    int body_count;
    double dt; // s, of the running substep
    rv_solver_rod rod;
    bool stirring;

    // ---- the narrow form ----------------------------------------------------------------------
    const rv_narrow_rows *narrow; // NULL: the wide one
    const rv_pressure_rows *pressing;
    rv_narrow_law narrow_law;
    rv_narrow_fields nf;
    rv_narrow_level level[RV_NARROW_LEVELS];
    rv_narrow_slabs slabs_of[RV_NARROW_LEVELS];
    int levels, cycles;             // cycles: of the last pressure
    double led[RV_SPLAT_BODIES][3]; // m/s, velocities of bodies at the end of the substep
    float *sum, *cell;              // sums and nodes before they are smoothed
    float *speed[3], *light[3];     // by face, as in rv_narrow_fields
    float *joint[3], *coarse;       // of the finest level; of all others
    float *pressed;                 // by cell: the pressure that was found last, m²/s²
    rv_splat_span *span_pressed;    // by row of cells: beyond these it is 0
    bool whole_level;               // of the finest level cells without pressure count too
    int *level_row;                 // by row of each level: its first cell, and where it ends
    size_t coarse_floats, level_rows;

    // ---- particles ----------------------------------------------------------------------------
    float *particle, *other; // [room][2 A], the second for sorting
    float *air, *other_air;  // [room] foam, where particles have no room for it; the second for
    float *air_room;         // sorting; and where the two of them stand
    int64_t air_saved;       // how many are about to be restored; -1: none are
    uint32_t *bin;           // [room]
    bool binned;             // where they are now; else the sort looks
    uint32_t *first;         // [bins + 1]: where the particles of a bin begin
    uint32_t *counts;        // [parts][bins], for sorting
    size_t bins;
    int parts;
    int64_t count, room;
    int64_t sorted; // the first so many are in the order of their bins
    int64_t known;  // new ones keep away from the first so many
    int slab[RV_SPLAT_SLABS + 1], slabs;
    rv_splat_moved *moved; // by chunk of particles
    int64_t moved_room;

    // ---- columns ------------------------------------------------------------------------------
    float *columns_all;                    // the arrays that follow, one after the other
    float *depth, *flux_x, *flux_y, *owed; // by slot; owed: m, not particles yet
    bool given;                            // liquid came or went since the last substep
    float launch[3];                       // m/s, of particles that columns are owed

    // ---- what is asked ------------------------------------------------------------------------
    rv_splat_shown shown;
    float *density; // by cell
    float *froth;   // mean foam of the particles around
    bool density_fresh, froth_fresh;
    rv_splat_drawn drawn[RV_SPLAT_DRAWN]; // where there is a density, with what is thin closed
    uint64_t drawn_asked;                 // how often
    rv_lock showing;                      // held while a reader makes one of these
    rv_solver_stats totals;
    rv_splat_clock clock;
    int substeps_left;
} rv_splat;

static inline int rv_splat_size(const rv_splat *s)
{
    return s->grid.axes == 3 ? 4 : 2;
}

static inline float *rv_splat_particle(const rv_splat *s, int64_t i)
{
    return s->particle + (size_t)i * 2 * (size_t)rv_splat_size(s);
}

static inline size_t rv_splat_slot(const rv_splat_grid *g, int x, int a, int b)
{
    return g->origin + (size_t)((ptrdiff_t)x + a * (ptrdiff_t)g->pitch + b * (ptrdiff_t)g->layer);
}

// Rows with the padding: row (a, b), a and b from -pad on.
static inline size_t rv_splat_row(const rv_splat_grid *g, int a, int b)
{
    size_t rows = (size_t)(g->n[1] + 2 * g->pad);
    return (size_t)(a + g->pad) + rows * (size_t)(g->axes == 3 ? b + g->pad : 0);
}

static inline size_t rv_splat_row_count(const rv_splat_grid *g)
{
    size_t layers = g->axes == 3 ? (size_t)(g->n[2] + 2 * g->pad) : 1;
    return (size_t)(g->n[1] + 2 * g->pad) * layers;
}

// Whether particles have foam; else all of it is 0.
static inline bool rv_splat_foams(const rv_splat *s)
{
    return s->narrow_law.foam > 0.0f;
}

// It is in the fourth float of their velocity, or stands in an array of its own.
static inline bool rv_splat_air_apart(const rv_splat *s)
{
    return s->narrow && s->grid.axes == 2;
}

static inline float rv_splat_air(const rv_splat *s, int64_t i)
{
    return rv_splat_air_apart(s) ? s->air[i] : rv_splat_particle(s, i)[RV_SPLAT_AIR];
}

// sort.c
rv_result rv_splat_room(rv_splat *s, int64_t count); // room for so many particles
void rv_splat_sort(rv_splat *s);                     // all of them, those that are gone left out
void rv_splat_unsort(rv_splat *s, int64_t count, int64_t sorted); // before the last sort
void rv_splat_slabs(rv_splat *s);

// saved.c: state_good of rv_solver_api
bool rv_splat_state_good(const rv_solver *solver, const rv_saved_field *saved, int count);
int rv_splat_air_field(const rv_splat *s); // which one foam that stands apart is; -1: none

// step.c
void rv_splat_set_law(rv_splat *s, double dt);
double rv_splat_sound(const rv_splat *s); // m/s, at rest
void rv_splat_step(rv_splat *s, double dt);
void rv_splat_move_particles(rv_splat *s);
void rv_splat_splat_slabs(rv_splat *s);
void rv_splat_clear(rv_splat *s);
void rv_splat_gather(rv_splat *s); // particles onto the grid: weight and motion

// drawn.c
void rv_splat_fill_density(rv_splat *s);
void rv_splat_fill_drawn(rv_splat *s, rv_splat_drawn *out); // the same, and how it is drawn

// grid.c
void rv_splat_fold(rv_splat *s); // what fell beyond the walls, back into the grid
void rv_splat_grid_pass(rv_splat *s);
void rv_splat_spans(rv_splat *s);

typedef void rv_splat_row_pass(rv_splat *s, int a, int b, int x, int count);
// All rows that particles reach, between the walls; `padded`: with the rows beyond them.
void rv_splat_over_rows(rv_splat *s, rv_splat_row_pass *each, bool padded);
bool rv_splat_near_solid(const rv_splat *s, int a, int b);
void rv_splat_mirror_nodes(rv_splat *s); // those one cell beyond the walls

// A rod among particles of the narrow form, by the grid's axes: cells, m/s.
typedef struct rv_narrow_rod {
    float from[3], way[3], per_way; // per_way: 1 over the square of its length, 0: it has none
    float speed[3], per_radius;     // 1 over the square of the radius
    float pull;                     // share of the velocity in its middle, in this substep
} rv_narrow_rod;

// narrow.c
rv_narrow_rod rv_narrow_rod_now(const rv_splat *s);
void rv_narrow_set_law(rv_splat *s, double dt);
void rv_narrow_gather(rv_splat *s);
void rv_narrow_step(rv_splat *s, double dt);

// pressure.c
void rv_narrow_lay_out(rv_splat *s, size_t *floats, size_t *rows);
void rv_narrow_place(rv_splat *s);
void rv_narrow_solve(rv_splat *s);
void rv_narrow_keep(rv_splat *s);        // what was found, for the next substep to begin with
void rv_narrow_new_pressed(rv_splat *s); // that came from elsewhere

// When cycles are slow, and when there are enough of them.
typedef struct rv_narrow_limits {
    float enough, done; // what may be left; of that after half a cycle
    float ahead;        // what the next cycle may leave if it goes on so, not to be done
    float most_ahead;   // and what may be left then at most
    float omega, slow, doubt, stuck;
} rv_narrow_limits;

// How the cycles of a pressure go, and what the next of them is to do.
typedef struct rv_narrow_cycles {
    float left, last, before; // after the last cycle, the one before, since levels were made; m/s
    float trust;              // share of what coarser levels say that counts
    bool anew;                // levels are to be made
    bool whole;               // of all cells of liquid, whether they have pressure or not
    bool tried;               // that was done
} rv_narrow_cycles;

rv_narrow_limits rv_narrow_limits_of(const rv_splat *s);
rv_narrow_cycles rv_narrow_cycles_begin(void);
void rv_narrow_cycle_next(const rv_narrow_limits *l, rv_narrow_cycles *c, int number);
// What a cycle left; true: there need be no other.
bool rv_narrow_cycle_done(const rv_narrow_limits *l, rv_narrow_cycles *c, int number, float left);

// solids.c
rv_result rv_splat_make_solids(rv_splat *s);
void rv_splat_read_solids(rv_splat *s, rv_rect cells);
void rv_splat_use_solids(rv_splat *s);
void rv_splat_project(rv_splat *s);
void rv_splat_push_out(rv_splat *s, float *p);
float rv_splat_distance(const rv_splat *s, const float *p); // to solids, cells

// bodies.c
void rv_splat_place_bodies(rv_splat *s);
void rv_splat_begin_bodies(rv_splat *s);
void rv_splat_start_leads(rv_splat *s);
double rv_splat_lead(rv_splat *s); // in parts, for who has the pressure elsewhere
double rv_splat_lead_bodies(rv_splat *s);
float rv_splat_skin_asks(const rv_splat *s, const rv_splat_near *n);
void rv_splat_press_bodies(rv_splat *s);

// A body's velocity at a place, m/s, and an impulse (N s) at one, along the grid's axes; the cells
// that may feel it.
void rv_splat_body_velocity(const rv_splat *s, const rv_solver_body *b, rv_vec3 p, float out[3]);
void rv_splat_push_body(const rv_splat *s, rv_solver_body *b, rv_vec3 p, const double push[3]);
rv_splat_box rv_splat_body_box(const rv_splat *s, const rv_solver_body *b);

// floating.c: bodies in form height
void rv_splat_float_bodies(rv_splat *s); // levels must be there, in s->cell
// Nodes must be there; before particles move. `count` of these, in their order.
void rv_splat_answer_bodies(rv_splat *s, float *particle, int64_t count);
rv_splat_box rv_splat_rim_box(const rv_splat *s, const rv_solver_body *b); // cells it may be over

// give.c
double rv_splat_add(rv_splat *s, size_t slot, double depth);
// What is owed becomes particles. `fill`: much came at once, by fills or pouring.
void rv_splat_settle(rv_splat *s, bool fill);
bool rv_splat_settles(const rv_splat *s); // whether there is anything for it to do
double rv_splat_emit(rv_splat *s, const rv_emitter_def *e, int number, double time, double dt);
double rv_splat_take(rv_splat *s, rv_vec3 from, rv_vec3 to, double volume);

// backend.c: the same particles somewhere else
rv_result rv_splat_open_backend(rv_splat *s);
void rv_splat_close_backend(rv_splat *s);
void rv_splat_send_params(rv_splat *s);
void rv_splat_send_solids(rv_splat *s);
void rv_splat_remote_step(rv_splat *s, double dt);
void rv_splat_fetch(rv_splat *s); // brings the particles back
// Σ of squares of speeds, m²/s², and of places along the grid's axes, cells, of particles that are
// away; false: they are here, or must be fetched.
bool rv_splat_fetch_totals(rv_splat *s, double *squares, double place[3]);
void rv_splat_fetch_density(rv_splat *s); // of all particles there are now, new ones included
void rv_splat_fetch_weights(rv_splat *s); // the same, as weights
rv_result rv_splat_shown_now(rv_splat *s, rv_particles *out); // under the lock
void rv_splat_see(rv_splat *s); // columns that are behind, because the particles are on a card

// measure.c
void rv_splat_measure(rv_splat *s, rv_solver_stats *out); // changes nothing that can be seen

// columns.c
#define RV_SPLAT_PARTS 4096.0f // of a weight, as whole numbers
void rv_splat_columns(rv_splat *s);
void rv_splat_columns_scale(const rv_splat *s, double sum, int64_t count, float *deep, float *flow);
void rv_splat_find_sky(rv_splat *s, rv_rect cells);
bool rv_splat_column_of(const rv_splat *s, const float *p, size_t *slot);

#endif
