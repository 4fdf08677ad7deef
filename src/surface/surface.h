// The liquid's surface from columns (docs/surface.md, pipes paper §4). The public face is
// rivulet/surface.h; the world hands over what is below.
//
// A node is a place that the surface passes over at the middle of a cell: a column (its number is
// its slot), or an extra node beyond a wall or an edge (slots + its own number). Two nodes of
// neighbouring cells may be linked; a node has at most one link to each of the eight cells around
// it, because the ranges (min, max) of a cell's columns do not overlap. Most nodes are even: wet,
// and linked to eight wet columns of their own plane. Those are worked on by the row (rows.h); the
// others have a record each.
//
// Work is shared out by bands: a few rows of cells, over all planes. What reads and writes nodes of
// other rows than its own is done first for every second band, then for the others; so the result
// does not depend on who does what when.
#ifndef RV_SURFACE_SURFACE_H
#define RV_SURFACE_SURFACE_H

#include "rivulet/surface.h"
#include "surface/flanks.h"
#include "surface/heights.h"
#include "surface/lists.h"
#include "surface/meniscus.h"
#include "surface/rows.h"
#include "terrain/levels.h"

#include <string.h>

// What falls: m/s²; how fast tension draws a rim in, times the root of what is behind it, m^1.5/s;
// and how far thick liquid holds itself back, m.
typedef struct rv_fall_law {
    float gravity, rims, held;
} rv_fall_law;

// What a height-field solver offers.
typedef struct rv_surface_input {
    const rv_column_set *columns;
    const float *depth, *flux_x, *flux_y; // by slot; fluxes in m³/s, to the east and the north
    const rv_heights *heights;
    const float *over;   // m, of the heights, by slot
    double film, opaque; // m
    bool edge, curtain, meniscus;
    // As the pipes paper compares with (Figs. 9 and 21): no, dry columns are drawn on their beds,
    // and layers each have a surface of their own.
    bool boundary, links;
    bool bends;                      // the columns' surface itself bends at solids
    bool average;                    // on a card: depths are means; here they are so already
    double meniscus_length, contact; // m, rad
    // By slot, rad: the contact angle of solids that have their own, -1 elsewhere. NULL: none has.
    const float *angle;
    rv_fall_law fall;
    float rim; // 0 … 1: how far fronts end as wedges, with an angle that cells can hold; 0: steps
    // Edges that drip: by slot their number + 1, and by number whether a sheet falls there. NULL:
    // there are none, and curtains hang under all edges.
    const int32_t *drip;
    const uint8_t *sheet;
    const rv_flank *flank; // by number, of the solid's side; NULL: not known
    size_t drips;          // edges
    int brim;              // columns of the widest gap along them that films hold over
    double least;          // m, that the heights were made for
    int64_t
        changes; // of the terrain: with the same number all of the above that follow from it are
    rv_pool *pool;
} rv_surface_input;

#define RV_NO_NODE UINT32_MAX

// Directions to the cells around, counter-clockwise from the east; opposite: + 4.
enum { RV_E, RV_NE, RV_N, RV_NW, RV_W, RV_SW, RV_S, RV_SE, RV_DIRECTIONS };

// What a node that is not even has besides its height.
typedef struct rv_node_record {
    uint32_t link[RV_DIRECTIONS]; // RV_NO_NODE
    uint32_t node;
    int16_t x, y;   // cell
    float depth;    // m
    float inside;   // > 0: drawn; between nodes the surface ends where this is 0
    uint32_t below; // of a lip: the column it hangs over
    float apron;    // m, of a lip: no lower does its curtain hang; else it reaches what is below
    uint32_t top;   // of a lip: first of its curtain's vertices, from its lip down
    uint8_t wet;    // directions of links to wet columns
    uint8_t want;   // directions in which it needs an extra node, if no other has one there
    uint8_t lip;    // those of them in which it is a lip
    uint8_t shared; // of a lip: directions of edges to other lips that a triangle has on its left
    uint8_t begins; // of a lip: direction + 1 to the lip where the curtain from it ends; 0: none
    uint8_t ends;   // to the one where the curtain that ends at it begins
    uint8_t falls;  // of a lip: rv_fall_kind
} rv_node_record;

// How liquid falls from a lip: not, or alone, between lips that it clings to; as a body; and where
// that ends at its side.
typedef enum rv_fall_kind { RV_FALL_NONE, RV_FALL_INNER, RV_FALL_SIDE } rv_fall_kind;

// Of a node outside: vertices where the surface ends on the way to the nodes around it.
typedef struct rv_node_ends {
    uint32_t end[RV_DIRECTIONS]; // RV_NO_NODE
} rv_node_ends;

// The part of a plane's row in which something is wet or near it; whole groups of 16 slots.
typedef struct rv_surface_row {
    uint32_t first; // slot of x = x0
    int x0, x1;     // cells, half open; x1 <= x0: nothing
    uint32_t records, uneven;
    uint32_t vertices, vertex_count;
    uint32_t triangles, triangle_count;
    uint32_t slow; // quads to be looked at one by one
} rv_surface_row;

// Rows of cells that are one task, and what they have that is not even.
typedef struct rv_surface_band {
    int y0, y1;
    uint32_t extra, extra_room, extra_count; // extra nodes: first, most, how many
    uint32_t lips, falls;                    // falls: lips that liquid falls from
    // vertices and triangles besides those of rows: first and most in the lists; place in the mesh
    uint32_t fresh, fresh_room, fresh_count, vertices;
    uint32_t loose, loose_room, loose_count, triangles;
    uint32_t edge, curtain;
} rv_surface_band;

// A vertex that is none of a column inside, to be made: of an extra node (`with` RV_NO_NODE), of
// the end between node and the record `with` / 8, which has it in direction `with` % 8, or of a
// curtain, by row from its lip (RV_TOP) down; of a fall first its front, then its back and its rim.
typedef struct rv_fresh_vertex {
    uint32_t node, with;
} rv_fresh_vertex;

#define RV_CURTAIN_ROWS (RV_FLANK_ROWS + 2)
#define RV_CURTAIN_TRIANGLES (2 * (RV_CURTAIN_ROWS - 1)) // between two lips
#define RV_FALL_ROWS 10
enum { RV_FALL_FRONT, RV_FALL_BACK, RV_FALL_RIM, RV_FALL_SIDES };
#define RV_FALL_VERTICES (RV_FALL_SIDES * RV_FALL_ROWS) // of a lip, at most
#define RV_FALL_TRIANGLES (8 * (RV_FALL_ROWS - 1))      // the same, to the next and of its rim
#define RV_FALL_JOINED 3 // row down to which what clings is joined to the front of a fall
#define RV_TOP (RV_NO_NODE - RV_FALL_VERTICES)

// An end on the line along which the surface ends, by vertex after those of rows.
typedef struct rv_line_end {
    bool is;                   // else the vertex is none
    float t, first;            // share of the way between its nodes, on a bed; as it was found
    float x, y, z;             // m: the node inside, on its bed,
    float way_x, way_y, way_z; // and the way from there to the one outside
    float top, rise;           // m: the node inside as it is drawn, and by how much the surface
                               // rises from there, all the way into a wall
    float wall;                // 0 … 1: how far it is in a wall
    float free;                // 0 … 1: how far it may move: not in a wall, nor beyond an edge
} rv_line_end;

// Ends in the order in which they follow each other: those of one line from `place` on, with room
// on both sides for what is beside its first and its last (line.c).
typedef struct rv_line_chain {
    uint32_t place, count;
    bool closed;
} rv_line_chain;

#define RV_LINE_PARTS 20
#define RV_LINE_LINKS 3
#define RV_FAIR_PARTS 21

// Vertices have numbers only when all are counted. Until then those of columns are named by their
// slot, others by their band and their number in it.
#define RV_FRESH 0x80000000u
#define RV_BANDS_MAX 256
#define RV_FRESH_BITS 23

// ---- Islands ------------------------------------------------------------------------------------

// Squares of cells with something wet that touch, over all planes, are an island; those of which
// one stands between two parts of another belong to that. So in a row of squares an island is one
// stretch, and a dry square at least lies between it and the next one: nothing of the surface
// reaches from one to the other, and an island whose liquid did not change keeps what it has.
#define RV_SQUARE 16 // cells

typedef struct rv_surface_span {
    int x0, x1; // squares
    bool other; // its liquid is another than when it was last looked at
} rv_surface_span;

typedef struct rv_surface_island {
    int y0, y1;     // rows of squares
    uint32_t spans; // number of the first, by row
    bool kept;
    uint32_t vertices, vertex_count, triangles, triangle_count; // in the mesh
    int64_t columns, extra, edge, curtain;                      // as rv_surface_stats
} rv_surface_island;

typedef struct rv_surface_islands {
    rv_surface_island *island;
    rv_surface_span *span;
    uint32_t *of; // by square: its island, RV_NO_NODE
    uint32_t count, span_count;
} rv_surface_islands;

typedef struct rv_surface_squares {
    int across, along;
    uint8_t *wet;    // by square
    uint32_t *group; // by square: one that it belongs together with; itself: the first of all
    int *last;       // by group: its last square in the row
    rv_surface_islands now, before; // of this update, and of the last one that changed something
    float *depth, *flux_x, *flux_y; // by slot: what the islands were made from
    uint8_t *sheet;                 // the same, of rv_surface_input
    uint32_t sheet_room;
    rv_surface_input made; // with what settings
    bool there;            // the mesh is of `before`
} rv_surface_squares;

// Arrays of a mesh.
typedef struct rv_surface_store {
    float *positions, *normals, *opacity, *depth, *velocity, *roughness, *drop, *contact;
    uint32_t *indices;
    uint32_t position_room, normal_room, opacity_room, depth_room, velocity_room, roughness_room;
    uint32_t drop_room, contact_room, index_room;
} rv_surface_store;

typedef struct rv_surface_work {
    rv_allocator allocator;
    const rv_surface_rows *loops;
    const rv_surface_lists *lists;
    rv_pool *pool;
    size_t slots;
    int planes, nx, ny;
    int *wet_from, *wet_to; // by row of cells: first wet cell and after the last
    uint16_t *wet_planes;   // by cell, with a rim: bit l: the column of plane l is wet
    size_t wet_pitch;
    float *cell_x, *cell_y;             // m, middles of cells
    rv_surface_row *row;                // by row of cells, by plane
    rv_surface_band band[RV_BANDS_MAX]; // the one after the last has the curtains
    int bands;
    // by node
    float *z;         // m, where the surface is drawn
    uint8_t *kind;    // rv_node_kind
    uint8_t *inside;  // 1: drawn
    uint32_t *vertex; // of nodes inside
    uint32_t *record; // of nodes that are not even
    size_t nodes_room, z_room, kind_room, inside_room, vertex_room, record_room;
    // by slot, within the rows
    float *level;
    uint8_t *bits;
    uint8_t *linked, *wet; // directions of links within the plane, and of those to wet ones
    uint8_t *held;         // of several planes
    uint8_t *odd;          // 1: a node with links to another plane or to extra nodes
    uint8_t *quad;         // RV_QUAD_*
    float *normal_x, *normal_y, *normal_z; // unit normals of wet nodes, and the same smoothed
    float *soft_x, *soft_y, *soft_z;
    float *rough;            // 0 … 1
    rv_node_record *records; // columns in the order of their rows, then extra nodes by band
    rv_node_ends *ends;
    uint32_t columns, extras, room, ends_room; // extras: numbers set aside for them
    rv_fresh_vertex *fresh;
    uint32_t *loose; // three names of vertices a triangle
    rv_line_end *line;
    float *laid;          // RV_LINE_PARTS numbers a place, while the line is made smooth
    uint32_t *laid_end;   // by place: its end; RV_NO_NODE
    uint32_t *line_links; // RV_LINE_LINKS numbers an end: those beside it, and its place
    rv_line_chain *chain;
    float *fair; // RV_FAIR_PARTS numbers a record, while it is made fair
    uint32_t fresh_room, loose_room, line_room, laid_room, fair_room;
    uint32_t laid_end_room, line_links_room, chain_room;
    // the mesh, and the one before it
    float *positions, *normals, *opacity, *depth, *velocity, *roughness, *drop, *contact;
    uint32_t *indices;
    uint32_t position_room, normal_room, opacity_room, depth_room, velocity_room, roughness_room;
    uint32_t drop_room, contact_room, index_room;
    uint32_t vertices, triangles; // of the islands that are done
    rv_surface_store old;
    rv_surface_squares squares;
    bool changed; // by the last update
    uint32_t changed_vertices[2], changed_triangles[2];
    rv_meniscus meniscus;
    rv_surface_stats stats;
} rv_surface_work;

// One update, as its tasks see it.
struct rv_surface_pass {
    rv_surface_work *w;
    const rv_surface_input *in;
    const rv_surface_island *island; // in work
    float dx, per_dx, per_opaque, film;
    const float *nx, *ny, *nz; // by slot: normals as they are drawn, when they are smoothed
    float least;               // of smoothing in work
    int choppy[RV_BANDS_MAX];  // and what it found, by band
    int first;                 // band of task 0
    int step;                  // from a task's band to the next
};

// islands.c: finds the islands, and which of them may be kept; and memory for that.
void rv_surface_find_islands(rv_surface_pass *p);
void rv_surface_list_islands(rv_surface_squares *s); // of the squares that are wet
bool rv_surface_take_squares(rv_surface_work *w);
void rv_surface_free_squares(rv_surface_work *w);
size_t rv_surface_squares_bytes(const rv_surface_work *w);
// Remembers what the islands that are not kept are made from. false: no memory.
bool rv_surface_remember(rv_surface_pass *p);
// links.c: finds the columns of an island that are nodes, and their links. false: no memory.
bool rv_surface_find(rv_surface_pass *p);
// Forgets them, so that nothing is left for the next island to see.
void rv_surface_forget(rv_surface_pass *p);
// extras.c: adds the extra nodes.
bool rv_surface_extend(rv_surface_pass *p);
// shape.c: height of a column that is not even, and whether it is inside, by its links to columns;
// heights of columns of a row at walls; how far outside a dry one is, when all that are wet
// are done; the same of an extra node; what heights ask of the columns in a row of cells; and how
// far inside even columns of a row are, where the surface ends beside them.
void rv_surface_shape_column(const rv_surface_pass *p, rv_node_record *n, bool beside_dry);
void rv_surface_even_walls(const rv_surface_pass *p, const rv_surface_row *row, int plane, int y);
void rv_surface_shape_dry(const rv_surface_pass *p, rv_node_record *n);
void rv_surface_shape_extra(const rv_surface_pass *p, rv_node_record *n);
void rv_surface_raise_steps(const rv_surface_pass *p, int y);
void rv_surface_even_insides(const rv_surface_pass *p, const rv_surface_row *row, int plane);
void rv_surface_settle(rv_surface_work *w, const rv_node_record *n); // whether a node is drawn
// fair.c: makes how far inside columns are a distance, and evens it out; then of any node, m.
// false: no memory.
bool rv_surface_make_fair(rv_surface_pass *p);
float rv_surface_inside_of(const rv_surface_pass *p, uint32_t node);
// How far the bed that rises from a column to one above it in a direction goes on as it came up
// from behind, 0 … 1, and is no wall that stands there; and how far liquid clings to such a bed.
float rv_surface_goes_on(const rv_surface_pass *p, uint32_t node, uint32_t above, int direction);
float rv_surface_clings(const rv_surface_pass *p, uint32_t node, uint32_t above, int direction);
// triangles.c: lists the triangles that are not of whole rows.
bool rv_surface_triangulate(rv_surface_pass *p);
// normals.c: slopes of a node by its links; then, in this order, normals of the wet nodes of a
// band, the same smoothed, when all bands have theirs, and smoothed on where they are choppy.
void rv_surface_slopes(const rv_surface_pass *p, const rv_node_record *n, float *x, float *y);
void rv_surface_find_normals(const rv_surface_pass *p, const rv_surface_band *band);
void rv_surface_begin_normals(rv_surface_pass *p);
void rv_surface_smooth_rows(rv_surface_pass *p, const rv_surface_band *band);
void rv_surface_smooth_on(rv_surface_pass *p);
// vertices.c: makes the mesh.
bool rv_surface_fill(rv_surface_pass *p);
// m³ between the surface and the bed, where it is drawn.
double rv_surface_volume(const rv_surface_work *w);

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in);
void rv_surface_work_free(rv_surface_work *w);
size_t rv_surface_work_bytes(const rv_surface_work *w);
// Grows an array to hold `need` items; what it held is lost.
bool rv_surface_grow(const rv_surface_work *w, void **array, uint32_t *room, uint64_t need,
                     size_t size);
bool rv_surface_grow_nodes(rv_surface_work *w, size_t need);
bool rv_surface_grow_records(rv_surface_work *w, uint64_t need, uint32_t keep);
// Room in the mesh; what is done of it stays.
bool rv_surface_reserve(rv_surface_work *w, uint64_t vertices, uint64_t triangles);
// Shares out rows of cells among bands; of how many rows each is.
int rv_surface_band_rows(int rows);
void rv_surface_cut_bands(rv_surface_work *w, int y0, int y1);
// Runs a task for every band: all at once, or first every second one.
void rv_surface_each_band(rv_surface_pass *p, rv_task *task);
void rv_surface_each_second_band(rv_surface_pass *p, rv_task *task);
rv_row_view rv_view_of(const rv_surface_pass *p, const rv_surface_row *row, int plane);

// As fminf and fmaxf, which are calls into the mathematics library: of two that are equal, zeros of
// both signs too, the second; `b` is a number.
static inline float rv_lesser_f(float a, float b)
{
    return a < b ? a : b;
}

static inline float rv_greater_f(float a, float b)
{
    return a > b ? a : b;
}

static inline bool rv_same_fall(const rv_surface_input *a, const rv_surface_input *b)
{
    return a->fall.gravity == b->fall.gravity && a->fall.rims == b->fall.rims &&
           a->fall.held == b->fall.held;
}

static inline rv_surface_band *rv_band_of(const rv_surface_pass *p, int task)
{
    return &p->w->band[p->first + task * p->step];
}

static inline rv_surface_row *rv_row_of(const rv_surface_work *w, int y, int plane)
{
    return &w->row[(size_t)y * (size_t)w->planes + (size_t)plane];
}

static inline size_t rv_wet_cell(const rv_surface_work *w, int x, int y)
{
    return (size_t)(y + 1) * w->wet_pitch + (size_t)(x + 16);
}

static inline int rv_step_x(int direction)
{
    static const int8_t step[RV_DIRECTIONS] = {1, 1, 0, -1, -1, -1, 0, 1};
    return step[direction];
}

static inline int rv_step_y(int direction)
{
    static const int8_t step[RV_DIRECTIONS] = {0, 1, 1, 1, 0, -1, -1, -1};
    return step[direction];
}

static inline int rv_opposite(int direction)
{
    return (direction + 4) % RV_DIRECTIONS;
}

static inline const rv_plane *rv_surface_plane(const rv_column_set *c, uint32_t slot)
{
    int l = c->planes - 1;
    while (l > 0 && slot < c->plane[l].offset) l--;
    return &c->plane[l];
}

static inline bool rv_is_wet_node(uint8_t kind)
{
    return kind & 1;
}

static inline bool rv_has_record(const rv_surface_work *w, uint32_t node)
{
    return w->kind[node] > RV_NODE_EVEN;
}

// How far inside a column is, m, until there are normals: even ones have it where these will be.
static inline float rv_surface_inside_found(const rv_surface_work *w, uint32_t slot)
{
    return rv_has_record(w, slot) ? w->records[w->record[slot]].inside : w->soft_y[slot];
}

// Whether nodes may have links that the loops over rows do not know of.
static inline bool rv_has_odd(const rv_surface_work *w)
{
    return w->planes > 1 || w->extras > 0;
}

// The node linked in a direction.
static inline uint32_t rv_linked(const rv_surface_work *w, const rv_column_set *c, uint32_t node,
                                 int direction)
{
    if (node == RV_NO_NODE) return RV_NO_NODE;
    if (rv_has_record(w, node)) return w->records[w->record[node]].link[direction];
    if (w->kind[node] == RV_NODE_NONE) return RV_NO_NODE;
    ptrdiff_t step =
        rv_step_x(direction) + (ptrdiff_t)rv_step_y(direction) * rv_surface_plane(c, node)->pitch;
    return (uint32_t)((ptrdiff_t)node + step);
}

// How far a surface whose normal has this z is no pool's but of what runs down a slope, 0 … 1 from
// 40 degrees to 60: however steep its bed is, that is no wall, and it ends on the bed.
static inline float rv_runs_down(float normal_z)
{
    float share = 4.0f * (0.76f - normal_z);
    return share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
}

// Place of the next byte, of n (a multiple of 8), that has one of the bits in `mask`; n: none.
static inline int rv_next_byte(const uint8_t *bytes, int n, uint8_t mask, int from)
{
    uint64_t skip = ~UINT64_C(0) << 8 * (from & 7);
    for (from &= ~7; from < n; from += 8, skip = ~UINT64_C(0)) {
        uint64_t word;
        memcpy(&word, bytes + from, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word &= skip & mask * UINT64_C(0x0101010101010101);
        if (word) return from + __builtin_ctzll(word) / 8;
    }
    return n;
}

#endif
