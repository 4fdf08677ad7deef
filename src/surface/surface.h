// The liquid's surface from columns (SPEC §4, 003 §4). The public face is rivulet/surface.h; the
// world hands over what is below.
//
// A node is a place that the surface passes over at the middle of a cell: a column (its slot), or
// an extra node beyond a wall or an edge (slots + its number). Two nodes of neighbouring cells may
// be linked; a node has at most one link to each of the eight cells around it, because the ranges
// (min, max) of a cell's columns do not overlap.
#ifndef RV_SURFACE_SURFACE_H
#define RV_SURFACE_SURFACE_H

#include "rivulet/surface.h"
#include "surface/heights.h"
#include "terrain/columns.h"

// What a height-field solver offers.
typedef struct rv_surface_input {
    const rv_column_set *columns;
    const float *depth, *flux_x, *flux_y; // by slot; fluxes in m³/s, to the east and the north
    const float *over;                    // m, minimum heights by slot
    double film, opaque;                  // m
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
    RV_NODE_WALL, // extra, in a wall that liquid stands against
    RV_NODE_LIP   // extra, beyond an edge that liquid falls over
} rv_node_kind;

typedef struct rv_node_data {
    uint32_t link[RV_DIRECTIONS]; // active numbers of the linked nodes, RV_NO_NODE
    uint32_t slot; // of the column; of an extra node the column of its cell below it, RV_NO_NODE
    int16_t x, y;  // cell
    uint8_t kind;
    float z;             // m, where the surface is drawn
    float floor;         // m, least height it may be drawn at
    float bed;           // m
    float depth;         // m
    float inside;        // > 0: the surface is drawn over it; it ends where this is 0 between nodes
    uint32_t vertex;     // RV_NO_NODE: none yet
    uint32_t bottom;     // of the curtain under a lip
    uint32_t on_edge[4]; // vertices where the surface ends on the way to E, NE, N, NW
} rv_node_data;

typedef struct rv_surface_work {
    rv_allocator allocator;
    uint32_t *active; // by slot: its number among the nodes, RV_NO_NODE
    size_t slots;
    uint8_t *wet_cell; // by cell: some column of it is wet
    size_t cells;
    rv_node_data *node; // columns in the order of their slots, then extra nodes
    uint32_t count, columns, room;
    // the mesh
    float *positions, *normals, *opacity, *depth, *velocity;
    uint32_t vertices, position_room, normal_room, opacity_room, depth_room, velocity_room;
    uint32_t *indices;
    uint32_t triangles, index_room;
    rv_surface_stats stats;
} rv_surface_work;

// links.c: finds the nodes and their links. false: no memory.
bool rv_surface_find(rv_surface_work *w, const rv_surface_input *in);
// shape.c: heights, and where the surface ends.
void rv_surface_shape(rv_surface_work *w, const rv_surface_input *in);
// triangles.c
bool rv_surface_triangulate(rv_surface_work *w, const rv_surface_input *in);

rv_result rv_surface_build(rv_surface_work *w, const rv_surface_input *in);
void rv_surface_work_free(rv_surface_work *w);
size_t rv_surface_work_bytes(const rv_surface_work *w);
// Grows an array to hold `need` items, keeping `used`.
bool rv_surface_grow(const rv_surface_work *w, void **array, uint32_t *room, uint32_t used,
                     uint64_t need, size_t size);

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

static inline bool rv_is_extra(const rv_node_data *n)
{
    return n->kind == RV_NODE_WALL || n->kind == RV_NODE_LIP;
}

#endif
