// The liquid's triangles on the graphics card, sent anew each frame.
#ifndef RENDER_SHEET_H
#define RENDER_SHEET_H

#include "render/extent.h"
#include "render/sides.h"

#include <epoxy/gl.h>

// As the shaders see it; lengths in cells.
typedef struct rv_sheet_vertex {
    float at[3];
    int16_t normal[3];
    int16_t kind; // 0 the surface, 1 a curtain, 2 the cut at a side of the grid; times 8192, plus
                  // roughness
    float depth;  // of the liquid under it; of a curtain: at the edge that it falls from
    float speed;  // of the liquid; of a curtain: at that edge
    float drop;   // of a curtain: how far it has fallen
    float contact[4]; // distance, direction x and y, tilt (rad), as in rv_surface_mesh
} rv_sheet_vertex;

typedef struct rv_sheet {
    GLuint array, vertices, indices;
    GLuint wire, edges;               // of lines, made when they are wanted
    size_t vertex_bytes, index_bytes; // room on the card
    rv_sides sides;
    rv_sheet_vertex *vertex;
    uint32_t *index;
    uint32_t *hung; // first corners of the mesh's triangles that are curtains'
    vec3 *sum, *normal;
    size_t vertex_count, index_count, vertex_room, index_room, sum_room, normal_room, hung_count,
        hung_room;
    size_t uploaded;        // bytes, by the last call
    int64_t curtains;       // triangles
    vec3 low, high;         // cells, a box around it
    float deepest, fastest; // cells, cells/s
} rv_sheet;

// `contact`: the contact angle, rad.
rv_result rv_sheet_update(rv_sheet *sheet, const rv_surface_mesh *mesh, const rv_columns *columns,
                          const rv_extent *extent, double contact);
void rv_sheet_free(rv_sheet *sheet);
void rv_sheet_draw(const rv_sheet *sheet);
// The edges of its triangles.
void rv_sheet_draw_wire(rv_sheet *sheet);

#endif
