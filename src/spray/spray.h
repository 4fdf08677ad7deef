// Droplets: liquid in the air, with the volume it took from a column and gives to another.
//
// The pool is one list in a fixed order. What several threads do is done for each droplet alone,
// and chance is a function of the place and the step, so results do not depend on threads.
#ifndef RV_SPRAY_SPRAY_H
#define RV_SPRAY_SPRAY_H

#include "base/memory.h"
#include "base/numbers.h"
#include "rivulet/particles.h"
#include "terrain/columns.h"

#include <math.h>

#define RV_NOWHERE SIZE_MAX // no column

// What became of a droplet in a flight.
typedef enum rv_flown { RV_FLOWN_ON, RV_FLOWN_DOWN, RV_FLOWN_OUT } rv_flown;

// A column that throws: what it gives and how.
typedef struct rv_crest {
    size_t slot;
    int x, y;
    double depth; // m, that leaves it
    double rise;  // m/s
    double level; // m
    double u, v;  // m/s, of the liquid in it
} rv_crest;

// How a droplet hangs at an edge that drips (edges.c): not at all; as a bead that lets drops go; as
// one that runs off in a thread; as one beside which liquid falls in a sheet. One that lands came
// down in the last step, and goes into its columns in the next (world/landing.c).
typedef enum rv_hang {
    RV_HANG_NOT,
    RV_HANG_BEAD,
    RV_HANG_THREAD,
    RV_HANG_SHEET,
    RV_HANG_LANDS = RV_DROPLET_LANDS
} rv_hang;

// Whether one hangs at an edge that drips.
static inline bool rv_hangs_at_edge(uint8_t form)
{
    return form != RV_HANG_NOT && form != RV_HANG_LANDS;
}

typedef struct rv_spray_cell {
    int32_t x, y;
} rv_spray_cell;

// Two neighbours of a plane with a drop between them. Positive flux of the pipe at slot `low` runs
// along +x or +y.
typedef struct rv_cliff {
    size_t low, from, to; // slots; from the higher bed to the lower
    int x, y;             // cell of `to`
    int dx, dy;           // the way there
} rv_cliff;

#define RV_EDGE_SIDES 8

// A column whose solid hangs over a void beside it.
typedef struct rv_edge {
    size_t slot;
    int x, y;                    // cell
    int32_t next[RV_EDGE_SIDES]; // edges of the same solid in the cells around, -1
    double half;                 // m, half of how wide all that hangs together with it is
} rv_edge;

// Edges that drip. All of it follows from the terrain and from the droplets that hang.
typedef struct rv_edges {
    rv_edge *edge;
    size_t *slot;   // by edge, of it
    int32_t *site;  // by edge: the droplet that hangs nearest to it + 1; 0: none within reach
    double *far;    // by edge: m along edges to where that hangs
    int32_t *queue; // of the search
    uint8_t *waits; // by edge: in the queue
    uint8_t *sheet; // by edge: liquid falls from it in a sheet
    uint8_t *wet;   // by edge: all the way to its site is wet
    int count, room;
    int32_t *of; // by slot: its edge + 1, else 0
    size_t of_room;
    double clear; // m, that must be free under an edge
    int64_t changes;
    bool made;
} rv_edges;

typedef struct rv_spray {
    rv_allocator allocator;
    // State, by droplet.
    rv_vec3 *at, *velocity; // m, m/s
    double *volume;         // m³
    double *goal;           // m³ at which one that hangs at an edge lets go; 0: it flies
    // State of those that hang at an edge that drips.
    uint8_t *form;       // rv_hang
    double *flow;        // m³/s that comes to it, smoothed
    rv_spray_cell *root; // cell of the edge
    // State of those in a stream: how far from its axis, m. It narrows as it falls faster.
    rv_vec3 *off;
    // Derived.
    double *late;   // s of this step that were over when it was made; 0 between steps
    double *radius; // m
    double *came;   // m³ that came to one that hangs, in this step
    // Of the last flight: what became of each, and the column it came down on.
    uint8_t *flown;
    size_t *down;
    rv_crest *crest; // of this step
    int count, room;
    double owed;    // m³, left over by the rounding of depths; goes with the next that lands
    double push[2]; // m⁴/s, volume times velocity that found no pipe; goes with the next that lands
    int64_t refused; // droplets that found the pool full
    // By slot: the droplet that hangs over this column + 1, else 0; empty between uses.
    int32_t *hangs;
    size_t hangs_room;
    // Of the terrain: edges within layers, for which drop (m) and after how many changes.
    rv_cliff *cliff;
    size_t *cliff_slot; // two each: `low` and `to`
    size_t cliff_count, cliff_room;
    double cliff_drop;
    bool cliff_all; // else only those of edges that drip
    int64_t cliff_changes;
    rv_edges edges;
} rv_spray;

// What droplets fly through.
typedef struct rv_air {
    const rv_column_set *columns;
    const float *depth; // m, by slot
    const float *lift;  // m, by slot: how much higher bodies lift the surface; NULL: there are none
    rv_vec3 pull;       // m/s², gravity
    double drag;        // density of air over that of the liquid, times the drag coefficient
    double clear;       // m, no bed and no liquid is higher
    bool wall[4];       // west, east, south, north; others let droplets out
} rv_air;

// From when on a column throws, and how much.
typedef struct rv_throw_rule {
    double speed;  // m/s, least rise
    double most;   // m/s, that is believed of a rise
    double height; // m, least height over the mean of its neighbours
    double share;  // of what rises
    double wave;   // 1/m, wave number of crests that are slowed as in deep water; 0: none
    double least;  // m of depth, of the smallest droplet
} rv_throw_rule;

typedef struct rv_spray_flow {
    const float *depth, *flux_x, *flux_y; // m, m³/s, by slot
    const float *lift;                    // as in rv_air
} rv_spray_flow;

// Height of the surface of a column.
static inline double rv_surface_level(const rv_column_set *set, const float *depth,
                                      const float *lift, size_t slot)
{
    double level = (double)set->base[slot] + (double)depth[slot];
    return lift ? fmin(level + (double)lift[slot], (double)set->max[slot]) : level;
}

// spray.c
// Makes room for so many droplets; those that are there stay. false: no memory, nothing changed.
bool rv_spray_make_room(rv_spray *spray, int count);
bool rv_spray_make_slots(rv_spray *spray, size_t slots);
void rv_spray_free(rv_spray *spray);
// Its number, or -1 where there is no room under the limit.
int rv_spray_add(rv_spray *spray, int limit, rv_vec3 at, rv_vec3 velocity, double volume);
void rv_spray_set_volume(rv_spray *spray, int index, double volume);
// Drops those without volume; the others keep their order.
void rv_spray_sweep(rv_spray *spray);
double rv_spray_volume(const rv_spray *spray); // m³, with what is owed

// jets.c
// A particle that an emitter gives.
typedef struct rv_grain {
    rv_vec3 at, velocity, off; // m, m/s; m from the axis of its stream
    double volume;             // m³
    double when;               // s, when it leaves
} rv_grain;
typedef bool rv_on_grain(void *user, const rv_grain *grain); // whether it found a place
// What an emitter gives from `time` to `time + dt` (s), in particles about h (m) apart; returns the
// volume that found a place. `number` tells emitters apart for what is random.
typedef struct rv_emission {
    const rv_emitter_def *emitter;
    const rv_grid *grid;
    uint64_t seed;
    int number;
    double h, time, dt;
} rv_emission;
double rv_spray_emit(const rv_emission *of, rv_on_grain *each, void *user);

// flight.c
// The column in whose void a point lies.
size_t rv_spray_slot_at(const rv_column_set *set, rv_vec3 at);
// Moves all that fly by dt, up to where they come down or leave the grid.
void rv_spray_fly(rv_spray *spray, const rv_air *air, double dt, rv_pool *pool);

// crests.c
// m, of the highest bed or level.
// With a cut of this rank's own rows.
double rv_spray_highest(const rv_column_set *set, const float *depth, const float *lift);
// Lists the columns that throw, in the order of planes and rows, as many as there is room for in
// spray->crest; returns how many were listed, and counts the others as refused.
int rv_spray_find_crests(rv_spray *spray, const rv_column_set *set, const rv_spray_flow *flow,
                         const rv_throw_rule *rule, double dt);

// cliffs.c
// Lists the drops between neighbours of a plane of at least `drop` (m). false: no memory, no list.
bool rv_spray_list_cliffs(rv_spray *spray, const rv_column_set *set, double drop);

// edges.c
// Lists the columns from which liquid falls by at least `clear` (m) under their solid. false: no
// memory, no list.
bool rv_edges_list(rv_edges *edges, const rv_column_set *set, double clear,
                   const rv_allocator *allocator);
void rv_edges_free(rv_edges *edges, const rv_allocator *allocator);
// The edge of a cell whose solid's underside is nearest to z, at most `within` from it; -1: none.
int rv_edges_find(const rv_edges *edges, const rv_column_set *set, rv_spray_cell cell, double z,
                  double within);
void rv_edges_clear(rv_edges *edges); // no site anywhere
// How far beads draw liquid along edges.
typedef struct rv_edge_reach {
    double far;         // m; twice as far where all the way is wet
    double dx, film;    // m; deeper edges are wet
    const float *depth; // m, by slot
} rv_edge_reach;
// Gives the edges within reach to a droplet that hangs at one of them, where no other hangs nearer.
void rv_edges_claim(rv_edges *edges, int edge, int droplet, const rv_edge_reach *reach);
// Gives an edge without a site, which was wetted just now, to that of one beside it. Returns the
// droplet, -1 where none is within reach.
int rv_edges_adopt(rv_edges *edges, int edge, const rv_edge_reach *reach);

// Chance: a number in [0, 1) for a key of two words.
static inline double rv_spray_chance(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15ull ^ (b + 0x632be59bd9b4e019ull) * 0xd1342543de82ef95ull;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    return (double)((h ^ h >> 31) >> 11) * 0x1p-53;
}

static inline double rv_ball_volume(double radius)
{
    return 4.18879020478639098 * radius * radius * radius;
}

static inline double rv_ball_radius(double volume)
{
    return rv_cube_root(volume / 4.18879020478639098);
}

#endif
