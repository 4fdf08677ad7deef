// The liquid's surface from columns (SPEC §4, 003 §4). The public face is rivulet/surface.h; the
// world hands over what is below.
//
// A node is a place that the surface passes over at the middle of a cell: a column (its number is
// its slot), or an extra node beyond a wall or an edge (slots + its own number). Two nodes of
// neighbouring cells may be linked; a node has at most one link to each of the eight cells around
// it, because the ranges (min, max) of a cell's columns do not overlap. Most nodes are even: wet,
// and linked to eight wet columns of their own plane. Rows of those are worked on by the row; the
// others have a record each.
#ifndef RV_SURFACE_SURFACE_H
#define RV_SURFACE_SURFACE_H

#include "rivulet/surface.h"
#include "surface/heights.h"
#include "surface/rows.h"
#include "terrain/columns.h"

// What a height-field solver offers.
typedef struct rv_surface_input {
    const rv_column_set *columns;
    const float *depth, *flux_x, *flux_y; // by slot; fluxes in m³/s, to the east and the north
    const rv_heights *heights;
    const float *over;   // m, of the heights, by slot
    double film, opaque; // m
    bool edge, curtain;
    rv_pool *pool;
} rv_surface_input;

#define RV_NO_NODE UINT32_MAX

// Directions to the cells around, counter-clockwise from the east; opposite: + 4.
enum { RV_E, RV_NE, RV_N, RV_NW, RV_W, RV_SW, RV_S, RV_SE, RV_DIRECTIONS };

typedef enum rv_node_kind {
    RV_NODE_NONE, // not part of the surface
    RV_NODE_DRY,  // linked to wet ones
    RV_NODE_WET,
    RV_NODE_EVEN, // wet, and so are all eight around it, in the same plane and linked
    RV_NODE_WALL, // extra, in a wall that liquid stands against
    RV_NODE_LIP   // extra, beyond an edge that liquid falls over
} rv_node_kind;

// What a node that is not even has besides its height.
typedef struct rv_node_record {
    uint32_t node;
    uint32_t link[RV_DIRECTIONS]; // RV_NO_NODE
    int16_t x, y;                 // cell
    uint32_t below;               // of a lip: the column it hangs over
    float bed, floor, depth;      // m; floor: the least height it may be drawn at
    float inside;                 // > 0: drawn; between nodes the surface ends where this is 0
    uint32_t
        end[RV_DIRECTIONS]; // of a node outside: vertices where the surface ends on the way to it
    uint32_t bottom;        // vertex of the curtain under a lip
    uint8_t shared;         // of a lip: directions of edges to other lips that a triangle has on
                            // its left
    uint8_t hung;           // of a lip: 1: a curtain begins at it, 2: one ends
} rv_node_record;

// A row of a plane in which something is wet or near it.
typedef struct rv_surface_row {
    uint32_t first; // slot of x = x0
    int16_t plane, y;
    int x0, x1;                   // cells, half open
    uint32_t vertices, triangles; // before it
    uint32_t vertex_count, triangle_count;
    uint32_t uneven; // nodes with records
} rv_surface_row;

typedef struct rv_surface_work {
    rv_allocator allocator;
    const rv_surface_rows *loops;
    size_t slots, cells;
    uint8_t *wet_cell;      // by cell: some column of it is wet
    int *wet_from, *wet_to; // by row of cells: first wet cell and after the last
    uint32_t wet_rows;
    rv_surface_row *row;
    uint32_t rows, row_room;
    // by node
    float *z;         // m, where the surface is drawn
    uint8_t *kind;    // rv_node_kind
    uint8_t *inside;  // 1: drawn
    uint32_t *vertex; // RV_NO_NODE: none yet
    uint32_t *record; // RV_NO_NODE: it is even, or no node
    size_t nodes_room, z_room, kind_room, inside_room, vertex_room, record_room;
    // by slot, within the rows
    float *level;
    int32_t *bits;
    uint8_t *quad;           // rv_quad
    rv_node_record *records; // columns in the order of their rows, then extra nodes
    uint32_t count, columns, room;
    // the mesh
    float *positions, *normals, *opacity, *depth, *velocity;
    uint32_t vertices, position_room, normal_room, opacity_room, depth_room, velocity_room;
    uint32_t *indices;
    uint32_t triangles, index_room;
    rv_surface_stats stats;
} rv_surface_work;

typedef enum rv_quad { RV_QUAD_NONE, RV_QUAD_AD, RV_QUAD_BC, RV_QUAD_SLOW } rv_quad;

// links.c: finds the nodes and their links. false: no memory.
bool rv_surface_find(rv_surface_work *w, const rv_surface_input *in);
// shape.c: heights of the uneven nodes, and where the surface ends.
void rv_surface_shape(rv_surface_work *w, const rv_surface_input *in);
// vertices.c, triangles.c
bool rv_surface_vertices(rv_surface_work *w, const rv_surface_input *in);
bool rv_surface_triangulate(rv_surface_work *w, const rv_surface_input *in);
// m³ between the surface and the bed, where it is drawn.
double rv_surface_volume(const rv_surface_work *w);

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in);
void rv_surface_work_free(rv_surface_work *w);
size_t rv_surface_work_bytes(const rv_surface_work *w);
// Grows an array to hold `need` items, keeping `used`.
bool rv_surface_grow(const rv_surface_work *w, void **array, uint32_t *room, uint32_t used,
                     uint64_t need, size_t size);
bool rv_surface_grow_nodes(rv_surface_work *w, size_t need);
// Room in the mesh for so many vertices and triangles more.
bool rv_surface_reserve(rv_surface_work *w, uint64_t vertices, uint64_t triangles);

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

static inline const rv_plane *rv_surface_plane(const rv_column_set *c, uint32_t slot)
{
    int l = c->planes - 1;
    while (l > 0 && slot < c->plane[l].offset) l--;
    return &c->plane[l];
}

static inline bool rv_is_wet_node(uint8_t kind)
{
    return kind == RV_NODE_WET || kind == RV_NODE_EVEN;
}

// The node linked in a direction.
static inline uint32_t rv_linked(const rv_surface_work *w, const rv_column_set *c, uint32_t node,
                                 int direction)
{
    if (node == RV_NO_NODE) return RV_NO_NODE;
    if (w->record[node] != RV_NO_NODE) return w->records[w->record[node]].link[direction];
    if (w->kind[node] != RV_NODE_EVEN) return RV_NO_NODE;
    ptrdiff_t step =
        rv_step_x(direction) + (ptrdiff_t)rv_step_y(direction) * rv_surface_plane(c, node)->pitch;
    return (uint32_t)((ptrdiff_t)node + step);
}

#endif
