// The solver `glass`: drops and rivulets on a pane (docs/glass.md; the glass paper). What its files
// share.
//
// Drops are particles. Each owns cells of the height map, as the ID map says. A drop at rest keeps
// its cells as they are and costs nothing. The cells of a drop that runs or settles are loose:
// trails, which are smoothed, drained and eroded in every substep (film.c), until its head is drawn
// over them anew (shape.c, draw.c). Heads that touch other drops merge with them (merge.c).
//
// Volumes are whole numbers of RV_QUANTUM, so that sums are exact in any order. The heights of a
// drop's cells sum to its volume: what its trail holds, its head lacks.
#ifndef RV_GLASS_H
#define RV_GLASS_H

#include "base/lock.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "pane/rows.h"
#include "solvers/solver.h"

#include <stdatomic.h>

#define RV_QUANTUM 1e-18    // m³
#define RV_HEIGHT_UNIT 1e-9 // m, in which heights of cells are summed
// What a pane holds at once. Sums of quanta, and of quanta times a speed, have room for that; 200
// litres on a pane are a flood already.
#define RV_PANE_MOST 2e17 // RV_QUANTUM
// m, of a head over its profile, which is under 2 everywhere: sums of heights over a group of cells
// have room for that. Higher ones run over the edge.
#define RV_HEAD_MOST 0.05
#define RV_HEIGHT_MOST 0.13f   // m, of any cell: 16 of them, in RV_HEIGHT_UNIT, are under 2³¹
#define RV_GLASS_TILE 32       // cells
#define RV_GLASS_STEP_MAX 5e-3 // s, the paper's step (§7)
#define RV_WEIGHT 9.81         // m/s², of glass.static: what holds a drop is not gravity
#define RV_SHAPES_MAX 4096     // drawn in one go
#define RV_REPELLING 0.2f      // affinity under which no film stays
#define RV_MIST_BANDS 32       // of rows, one of them in each substep

typedef enum rv_drop_state {
    RV_DROP_RESTS,   // its cells are kept
    RV_DROP_SETTLES, // stands still while its trail draws in
    RV_DROP_RUNS,
    RV_DROP_LEAVES // its head is over the edge, its trail follows
} rv_drop_state;

// Without padding: it is saved and hashed as bytes.
typedef struct rv_drop {
    double x, y;               // m, middle of the head
    double speed;              // m/s
    double way_x, way_y;       // unit, of the motion
    double toward_x, toward_y; // unit, into which the way turns
    double choose;             // m to go until it chooses a way again
    double since;              // s since it left a droplet
    double apart;              // m since then
    double patience;           // what is left of the integral of the rate of droplets
    double radius;             // m, of the contact circle as drawn last
    double last_x, last_y;     // m, where it was drawn last
    int64_t volume;            // RV_QUANTUM
    int64_t drawn;             // RV_HEIGHT_UNIT, of all its cells
    int64_t tail;              // of these, outside its head
    int32_t x0, y0, x1, y1;    // cells of its head, half open
    uint32_t key, draws;       // of its random numbers
    int32_t state;             // rv_drop_state
    int32_t caps;              // at rest
} rv_drop;

// A volume that only grows, for as long as it rains.
typedef struct rv_total {
    int64_t whole; // m³
    int64_t part;  // RV_QUANTUM, less than 1 m³
} rv_total;

// All that changes besides drops and cells, in quanta where it is a volume.
typedef struct rv_glass_clock {
    double time;                    // s
    double rain;                    // drops until the next one falls
    rv_total begun, rained, poured; // at first, since then, by the world
    rv_total over, evaporated;      // so far
    int64_t inside;                 // of all drops
    int64_t keys;                   // given to drops
    int64_t falls;                  // drops that fell, for their random numbers
    int64_t refused;                // drops that found no room
    int64_t band;                   // of rows, whose mist is next
    double misted[RV_MIST_BANDS];   // s, when each was done
} rv_glass_clock;

// A drop that is being drawn.
typedef struct rv_outline {
    rv_profile profile;
    int drop;
    float soft;             // share of what was there that stays under the head
    int32_t x0, y0, x1, y1; // cells around it, not cut at the edges
    rv_rect seen;           // of these, on the pane
    size_t first, wide;     // of its heights in `next`: the first, and those in a row
    double scale;           // out: profile to heights, m
    int64_t spill;          // out: RV_QUANTUM that would stand too high
    int64_t tail;           // out: RV_HEIGHT_UNIT, of the drop's cells outside of it
    bool covers;            // out: it is nowhere lower than what was there
} rv_outline;

typedef struct rv_glass {
    const rv_column_set *columns;
    rv_params params;
    rv_pool *pool;
    rv_allocator allocator;
    const rv_glass_rows *rows;
    int nx, ny;
    size_t pitch, offset, slots;
    double dx, x0, y0; // m, low corner
    float *height;     // m, by slot, as all maps
    int32_t *id;       // drop, -1
    uint16_t *kind;    // rv_cell_kind
    uint16_t *loose;   // a bit for each cell of a group (rv_group): it is loose
    float *mist, *affinity;
    uint8_t *repels; // by group (rv_group): a cell of it repels water
    float *still;    // zeros, by slot: no flux between cells
    float *next;     // heights to come, tile by tile; then heads that are being drawn
    float *trail;    // heights of drops under their new heads, beside `next`
    size_t next_size;
    rv_drop *drops;
    int count, room;
    _Atomic int64_t *sums; // by drop: heights of its loose cells
    float *thin;           // by drop: by how much its trail must become thinner
    int32_t *parent;       // by drop: union–find
    int32_t *moved;        // by drop: its new number
    uint8_t *dead;         // by drop
    int contacts;          // found in this substep
    float *out;            // five arrays of `room` for rv_particles
    bool listed;           // they are of the drops as they are
    rv_lock listing;
    rv_outline *shapes;
    int shape_count;
    int tiles_x, tiles_y, tile_count;
    uint8_t *tile_on;    // by tile
    int32_t *tiles;      // those that are on
    int32_t *tile_loose; // by place in `tiles`: loose cells left
    // For who keeps copies of the maps: by tile, the number of the last change.
    int64_t changes; // so far; a substep is one
    int64_t *height_changes, *mist_changes;
    uint64_t made;         // when and where this pane was made: no other is like it
    double down_x, down_y; // unit: where a drop that just holds is pulled
    double dt;
    int64_t touched, clipped, not_finite;
    int substeps;
    int substeps_left; // of this step
    bool has_rod;
    rv_solver_rod rod;
    rv_glass_clock clock;
} rv_glass;

static inline size_t rv_cell(const rv_glass *s, int x, int y)
{
    return s->offset + (size_t)y * s->pitch + (size_t)x;
}

static inline bool rv_is_loose(const rv_glass *s, size_t cell)
{
    return s->kind[cell] >= RV_CELL_LOOSE;
}

// Bits of loose cells are kept tile by tile, so that a tile's are close together: two groups a row.
static inline size_t rv_group(const rv_glass *s, int x, int y)
{
    size_t i = (size_t)x, j = (size_t)y,
           tile = j / RV_GLASS_TILE * (size_t)s->tiles_x + i / RV_GLASS_TILE;
    return (tile * RV_GLASS_TILE + j % RV_GLASS_TILE) * 2 + i / RV_GLASS_GROUP % 2;
}

static inline size_t rv_tile_of(const rv_glass *s, int x, int y)
{
    return (size_t)(y / RV_GLASS_TILE) * (size_t)s->tiles_x + (size_t)(x / RV_GLASS_TILE);
}

static inline void rv_set_mist(rv_glass *s, int x, int y, float mist)
{
    float *at = s->mist + rv_cell(s, x, y);
    if (*at == mist) return;
    *at = mist;
    s->mist_changes[rv_tile_of(s, x, y)] = s->changes;
}

// The only place where the kind of a cell changes, but for loops over all loose cells.
static inline void rv_set_kind(rv_glass *s, int x, int y, rv_cell_kind kind)
{
    uint16_t bit = (uint16_t)(1u << (unsigned)x % RV_GLASS_GROUP),
             *group = s->loose + rv_group(s, x, y);
    *group = (uint16_t)(kind >= RV_CELL_LOOSE ? *group | bit : *group & ~bit);
    s->kind[rv_cell(s, x, y)] = (uint16_t)kind;
}

static inline void rv_set_dry(rv_glass *s, int x, int y)
{
    size_t cell = rv_cell(s, x, y);
    rv_set_kind(s, x, y, RV_CELL_DRY);
    s->height[cell] = 0.0f, s->id[cell] = -1;
    s->height_changes[rv_tile_of(s, x, y)] = s->changes;
}

// A height of an outline in `next`.
static inline const float *rv_outline_row(const rv_glass *s, const rv_outline *q, int x, int y)
{
    return s->next + q->first + (size_t)(y - q->y0) * q->wide + (size_t)(x - q->x0);
}

static inline double rv_drop_volume(const rv_drop *d)
{
    return (double)d->volume * RV_QUANTUM;
}

static inline int64_t rv_height_units(float height)
{
    return (int64_t)(height * (float)(1.0 / RV_HEIGHT_UNIT) + 0.5f);
}

// Volume of the units of height over a cell.
static inline double rv_units_volume(const rv_glass *s, int64_t units)
{
    return (double)units * RV_HEIGHT_UNIT * s->dx * s->dx;
}

// Gravity in the pane's own frame: x across, y up along it, z out of it. Tilting turns the pane
// about x: flat at 0, upright at a quarter turn.
static inline rv_vec3 rv_glass_gravity(const rv_params *p, double sine, double cosine)
{
    rv_vec3 g = p->gravity;
    return (rv_vec3){g.x, g.y * cosine + g.z * sine, g.z * cosine - g.y * sine};
}

static inline double rv_drop_chance(const rv_glass *s, rv_drop *d)
{
    return rv_chance(s->params.seed, d->key, d->draws++);
}

// affinity.c
void rv_glass_make_affinity(rv_glass *s, const rv_map *map);
double rv_glass_affinity_at(const rv_glass *s, double x, double y);
// Cosine of the contact angle, and the friction that holds drops over that where the affinity is
// one half.
double rv_glass_contact(const rv_glass *s, double affinity);
double rv_glass_hold(double affinity);
// Radius of the contact circle of a cap, of a volume (m³) that `caps` of them share.
double rv_cap_radius(double volume, double caps, double cosine);

static inline double rv_total_volume(rv_total total) // m³
{
    return (double)total.whole + (double)total.part * RV_QUANTUM;
}

static inline void rv_total_add(rv_total *total, int64_t quanta)
{
    const int64_t one = 1000000000000000000; // m³
    total->part += quanta;
    while (total->part >= one) total->part -= one, total->whole++;
    while (total->part < 0) total->part += one, total->whole--; // what was poured may be taken
}

// Water that comes to the pane, or leaves it (quanta below 0 the other way).
static inline void rv_glass_came(rv_glass *s, rv_total *total, int64_t quanta)
{
    rv_total_add(total, quanta);
    s->clock.inside += quanta;
}

static inline void rv_glass_went(rv_glass *s, rv_total *total, int64_t quanta)
{
    rv_total_add(total, quanta);
    s->clock.inside -= quanta;
}

// As many whole quanta of what comes (RV_QUANTUM) as there is room for.
static inline int64_t rv_glass_room(const rv_glass *s, double quanta)
{
    int64_t room = (int64_t)RV_PANE_MOST - s->clock.inside;
    if (!(quanta >= 1.0) || room <= 0) return 0;
    return quanta < (double)room ? (int64_t)quanta : room;
}

// rain.c
int rv_glass_add_drop(rv_glass *s, double x, double y, int64_t volume); // its number, -1: no room
void rv_glass_rain(rv_glass *s, double dt);
void rv_glass_begin_rain(rv_glass *s);
void rv_glass_evaporate(rv_glass *s, double dt);

// motion.c
void rv_glass_aim(rv_glass *s);
void rv_glass_move(rv_glass *s, double dt);

// film.c
void rv_glass_wake_tiles(rv_glass *s, int x0, int y0, int x1, int y1); // cells, half open
void rv_glass_loosen(rv_glass *s, int drop);                           // a drop at rest
// Tells that heights of these cells (half open) may have changed.
void rv_glass_mark(rv_glass *s, int x0, int y0, int x1, int y1);
void rv_glass_film(rv_glass *s, double dt);
// Gives cells their drop's new number (`moved`).
void rv_glass_renumber(rv_glass *s);

// shape.c
rv_outline rv_glass_shape(const rv_glass *s, int drop);
void rv_glass_profile(rv_glass *s, rv_outline *q);

// draw.c
void rv_glass_draw(rv_glass *s);

// merge.c
void rv_glass_touch(rv_glass *s, int a, int b);
void rv_glass_merge(rv_glass *s);
// Takes dead drops out of the list.
void rv_glass_bury(rv_glass *s);

// tools.c
void rv_glass_tools(rv_glass *s, double dt);
// Angle of the wiper (rad, from +x toward +y) at a time (s).
double rv_glass_wiper_angle(const rv_params *params, double time);

// mist.c
void rv_glass_mist(rv_glass *s);

#endif
