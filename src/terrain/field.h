// The field's own data, shared by the files of src/terrain that fill it and read it.
#ifndef RV_TERRAIN_FIELD_H
#define RV_TERRAIN_FIELD_H

#include "terrain/looks.h"
#include "terrain/parts.h"
#include "terrain/terrain.h"

#define RV_BRICK_SHIFT 3
#define RV_BRICK (1 << RV_BRICK_SHIFT)
#define RV_BRICK_MASK (RV_BRICK - 1)
#define RV_BRICK_SAMPLES (RV_BRICK * RV_BRICK * RV_BRICK)

typedef struct rv_brick {
    float *samples; // 8×8×8, x fastest; NULL: far from the surface, and then:
    float middle;   // a bound of the distance in its middle, with its sign
    float least; // and of its size anywhere in the brick; < 0 while being built: samples are wanted
} rv_brick;

// The bricks with the same y, one row of them: what is built, and without `keep` held, at a time.
typedef struct rv_field_band {
    float *samples;
    size_t sampled; // bricks
} rv_field_band;

// A moving solid: one part that carries its pose, a sampled form or, of solids without end, the
// group of them.
typedef struct rv_mover {
    rv_part *parts; // the first is that one
    rv_form *form;  // its own; NULL: a group
    int part_count;
    rv_node *nodes;
    int node_count;
    rv_box own; // around it, as it was defined
    rv_box now; // around it, as it is
    // Its solids, in their own frame, where they have more than one look; else the one they have.
    rv_looks looks, angle_looks;
    uint8_t look, angle_look;
    rv_looks solids; // as they are, in their own frame, whatever they look like (exact.c)
} rv_mover;

// Contact angles of the solids (angles.c).
typedef struct rv_angle_table {
    rv_angles *set; // those that differ; the first are the liquid's. NULL: no solid says any
    int count;
    rv_looks looks; // of the solids that stay
} rv_angle_table;

// What an edit works with, kept from one to the next.
typedef struct rv_edit_scratch {
    rv_part *parts;
    int part_room;
    rv_node *nodes; // the tool's, then room for what culling leaves of them, twice
    int node_room;
    uint32_t *bricks; // the ones to do
    int brick_room;
} rv_edit_scratch;

// Blocks of samples for bricks that came to the surface after the field was built.
typedef struct rv_sample_block {
    struct rv_sample_block *next;
    float *samples; // RV_BLOCK_BRICKS bricks
} rv_sample_block;
#define RV_BLOCK_BRICKS 64

#define RV_NOT_BORN (-2.0f)

struct rv_terrain {
    rv_grid grid;
    double x_first, y_first; // m, sample (0, 0), half a cell outside the grid
    double per_dx, per_dz;   // 1/m
    double margin;           // m, no surface is so near to a brick without samples
    bool rough;              // a solid has noise: the field may grow faster than the distance
    int bx, by, bz;          // bricks
    size_t step_x, step_y;   // bricks from one to the next; along z it is 1
    rv_brick *brick;
    size_t bricks;       // in memory: all, or while building without `keep` one band
    rv_field_band *band; // [by]
    // What changed since it was built; all NULL or empty until something does.
    rv_brick *still; // [bricks] without the moving solids; NULL: there are none, `brick` is it
    rv_brick *born;  // [bricks] as built, of those that were edited; least RV_NOT_BORN: was not
    rv_mover *mover; // [mover_count]
    int mover_count;
    rv_box touched; // around all places where the surface changed, for bounds of distances
    rv_sample_block *block;
    float *spare; // samples to use again: the first float's place holds the next one's address
    int64_t spares;
    rv_edit_scratch edit;
    rv_solid_def *tool; // [tool_count] what edits set down (tools.c)
    int tool_count, tool_room;
    rv_looks looks;      // of the solids that stay; then:
    uint8_t *brick_look; // [bricks] the one look that can be seen within a brick's margin
    rv_looks solids;     // the same, as they are (exact.c)
    rv_angle_table angles;
    uint8_t **stamp; // [bricks] of what edits did, by sample look + 1, 0: nothing; NULL: none did
    rv_allocator allocator;
};

// An eighth of a brick: its samples' places and where they stand in the brick.
typedef struct rv_eighth {
    rv_ball ball;
    rv_vec3 point[RV_BATCH];
    uint16_t index[RV_BATCH];
} rv_eighth;
void rv_eighth_of(const rv_grid *grid, int i, int j, int k, int part, rv_eighth *out);

// Samples for bricks that need some (edit.c).
void rv_put_spare(rv_terrain *t, float *samples);
float *rv_take_spare(rv_terrain *t); // of those that were ensured
bool rv_ensure_spares(rv_terrain *t, int64_t count);
rv_brick *rv_still_bricks(rv_terrain *t);                // what edits act on
bool rv_remember_birth(rv_terrain *t);                   // takes the memory for rv_terrain.born
bool rv_never_edited(const rv_terrain *t, size_t brick); // needs rv_terrain.born

// How edits look (stamps.c).
typedef struct rv_stamping {
    const rv_node *nodes; // the tool's
    int count;
    bool carve, wanted;
    bool one; // it has one look
    uint8_t look;
    double depth; // m, of the walls
} rv_stamping;
rv_stamping rv_stamping_of(const rv_terrain *t, const rv_node *nodes, int count, bool carve);
bool rv_stamps_begin(rv_terrain *t);
bool rv_stamps_open(rv_terrain *t, size_t brick); // takes the memory for a brick's
// Stamps those samples of an eighth whose bits are set. d: the tool's distances; NULL: all lie in
// it.
void rv_stamp(const rv_stamping *s, const rv_eighth *e, uint64_t which, const double *d,
              uint8_t *stamps);
void rv_stamps_free(rv_terrain *t);
size_t rv_stamps_bytes(const rv_terrain *t);

// Tools of edits (tools.c). Keeps a solid, or a group and the solids in it; false: no memory.
bool rv_tools_keep(rv_terrain *t, const rv_solid_def *tool, const rv_solid_def *solids, bool carve);
void rv_tools_parts(const rv_terrain *t, rv_part *out); // [tool_count], as solids of the list
void rv_tools_free(rv_terrain *t);
size_t rv_tools_bytes(const rv_terrain *t);
bool rv_tools_are_sound(const unsigned char *from, size_t size);

// angles.c: takes those of solids that stay, or of a moving one (NULL: they stay).
bool rv_angles_take(rv_terrain *t, const rv_solid_def *solids, int count, rv_mover *mover);
void rv_angles_free(rv_terrain *t);
size_t rv_angles_bytes(const rv_terrain *t);

// How vertices look (vertex_looks.c). The edge of a vertex: from a sample of the field (k = -1: the
// ground) along an axis, 3: the vertex is the sample. Beside an inner edge of the solid the vertex,
// which samples place, is off the surface; `exact` says where that is, where it is known.
typedef struct rv_vertex_edge {
    int at[3];
    uint8_t axis;
    bool known;
    float share;
    float exact[3];
} rv_vertex_edge;
// Whether what crosses the edge at p is a moving solid: how it looks then, by its angles or by its
// material.
bool rv_terrain_on_mover(const rv_terrain *t, const rv_vertex_edge *edge, rv_vec3 p, bool angles,
                         uint8_t *look);
// The distance of the moving solid nearest to p, and its look; INFINITY: none is near.
double rv_terrain_nearest_mover(const rv_terrain *t, rv_vec3 p, bool angles, uint8_t *look);
bool rv_terrain_vertex_looks(const rv_terrain *t, const rv_mesh *mesh, const rv_vertex_edge *edges,
                             const rv_allocator *allocator, uint8_t *looks);

// Rows of bricks that are here: with a cut, those of the rows that are kept and the samples beside
// them.
static inline rv_rows rv_field_bands_of(const rv_terrain *t, rv_rows kept)
{
    int to = (kept.to + 1) / RV_BRICK + 1;
    return (rv_rows){kept.from / RV_BRICK, to < t->by ? to : t->by};
}

static inline rv_rows rv_field_bands(const rv_terrain *t)
{
    return rv_field_bands_of(t, rv_grid_kept(&t->grid));
}

// The bricks of some of those, one behind the other.
static inline size_t rv_first_brick(const rv_terrain *t)
{
    return (size_t)rv_field_bands(t).from * t->step_y;
}

static inline size_t rv_end_brick(const rv_terrain *t)
{
    return (size_t)rv_field_bands(t).to * t->step_y;
}

// Whose a row of bricks is to tell about: a rank that has all of it.
static inline int rv_band_owner(const rv_terrain *t, int by)
{
    int y = by * RV_BRICK - 1;
    y = y < 0 ? 0 : y;
    return rv_cut_owner(t->grid.cut, y < t->grid.ny ? y : t->grid.ny - 1);
}

// Around a brick with its margin.
rv_box rv_brick_box(const rv_terrain *t, int bx, int by, int bz);

// Sample (i, j, k) counted from the ring outside the grid: cell (x, y) is sample (x + 1, y + 1).
static inline rv_vec3 rv_field_point(const rv_grid *g, int i, int j, int k)
{
    // from the middle outward, so that mirrored cells have exactly mirrored places
    double x = g->x0 + 0.5 * g->nx * g->dx, y = g->y0 + 0.5 * g->ny * g->dx;
    return (rv_vec3){x + (i - 0.5 - 0.5 * g->nx) * g->dx, y + (j - 0.5 - 0.5 * g->ny) * g->dx,
                     g->bottom + k * g->dz};
}

static inline const rv_brick *rv_field_brick(const rv_terrain *t, int i, int j, int k)
{
    return t->brick + (size_t)(j >> RV_BRICK_SHIFT) * t->step_y +
           (size_t)(i >> RV_BRICK_SHIFT) * t->step_x + (size_t)(k >> RV_BRICK_SHIFT);
}

static inline size_t rv_brick_index(int i, int j, int k)
{
    return (size_t)(((k & RV_BRICK_MASK) << RV_BRICK_SHIFT | (j & RV_BRICK_MASK))
                        << RV_BRICK_SHIFT |
                    (i & RV_BRICK_MASK));
}

// Casts one cell's ray through its bricks, bz of them from below; i and j are sample indices.
void rv_stack_cast(const rv_grid *grid, const rv_brick *bricks, int i, int j, rv_stack *out);

#endif
