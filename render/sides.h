// The liquid at the sides of the grid. Its mesh ends at the middles of the outermost cells;
// pictures carry it on to the grid's rectangle, where the block of ground is cut, and close it
// there with upright faces. Flooded columns have no mesh; there the faces follow the columns.
#ifndef RENDER_SIDES_H
#define RENDER_SIDES_H

#include "rivulet/rivulet.h"

#define RV_SIDE_ALONE UINT32_MAX

typedef struct rv_side_vertex {
    uint32_t like; // vertex of the surface that it has everything else from; RV_SIDE_ALONE: none
    bool face;     // of an upright face
    float depth;   // m, of one that is alone
    float position[3], normal[3];
} rv_side_vertex;

// Vertices are numbered after those of the surface.
typedef struct rv_sides {
    rv_side_vertex *vertices;
    uint32_t *indices; // three per triangle, counter-clockwise seen from outside
    size_t vertex_count, triangle_count;
    size_t strip_vertices, strip_triangles; // the first of them, that follow the surface's mesh
    size_t vertex_room, triangle_room;
    uint8_t *rim; // by vertex of the surface, 1: on the outermost cells' middles
    size_t rim_room;
} rv_sides;

// low, high: x and y of a box that all vertices of the surface are in, m.
rv_result rv_sides_make(rv_sides *sides, const rv_surface_mesh *mesh, const rv_columns *columns,
                        const float low[2], const float high[2]);
// The same for a finer mesh of the same liquid, in the grid of `grid`: what followed columns is taken
// over from `first`, which was made for a mesh with so many vertices.
rv_result rv_sides_again(rv_sides *sides, const rv_surface_mesh *mesh, const rv_columns *grid,
                         const float low[2], const float high[2], const rv_sides *first,
                         size_t first_vertices);
void rv_sides_free(rv_sides *sides);

#endif
