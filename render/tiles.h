// The terrain's triangles on the graphics card, tile by tile; only tiles that changed are sent
// again.
#ifndef RENDER_TILES_H
#define RENDER_TILES_H

#include "render/eye.h"
#include "render/openness.h"

#include <epoxy/gl.h>

enum { RV_MATERIALS = 6 };

// As the shaders see it. Places in cells, cut to the block that is drawn.
typedef struct rv_tile_vertex {
    float at[3];
    int16_t normal[4];
    uint8_t share[RV_MATERIALS]; // of each material: 255 at the vertex' own, 0 else; less on an edge
    uint8_t open;                // share of the sky that is seen from here
    uint8_t spare;
} rv_tile_vertex;

typedef struct rv_tile {
    GLuint array, vertices, indices;
    GLuint wire, edges;    // of lines, made when they are wanted
    GLuint bare, lamp;     // without, and: how much of the lamp each vertex sees
    GLsizei count, points; // of indices, of vertices
    unsigned materials;    // bit n: it has some of material n
    vec3 low, high;
} rv_tile;

typedef struct rv_tiles {
    rv_tile *tile;
    int across, along;
    rv_tile_vertex *vertex; // room for one tile on its way
    float *normal;
    size_t vertex_room, normal_room;
    uint64_t mixes; // bit n: some tile has the materials n
    int64_t triangles;
    size_t uploaded; // bytes, and tiles, by the last call
    int tiles;
} rv_tiles;

// Sends the tiles of a range.
rv_result rv_tiles_update(rv_tiles *tiles, const rv_world *world, const rv_extent *extent,
                          const rv_openness *openness, rv_tile_range range, rv_messages *messages);
void rv_tiles_free(rv_tiles *tiles);
// Draws those that the camera may see (all with NULL) and that have just these materials (any with
// 0).
void rv_tiles_draw(const rv_tiles *tiles, const rv_eye *eye, unsigned materials);
// The edges of their triangles.
void rv_tiles_draw_wire(rv_tiles *tiles, const rv_eye *eye);
// Runs a program that captures one number for each vertex, and keeps it as how much of the lamp is
// seen.
void rv_tiles_light(const rv_tiles *tiles, GLuint program);

#endif
