// The terrain's mesh made finer where its surface is bent within a cell, for pictures.
#ifndef RV_TERRAIN_MESH_FINE_H
#define RV_TERRAIN_MESH_FINE_H

#include "terrain/exact.h"

typedef struct rv_fine_input {
    rv_exact *exact;
    double dx;
    // Where the block is cut: what is not between these stays as it is.
    double low[3], high[3];
    // Along x and y, where it goes on in the tile beside: vertices there are asked by both alike.
    // INFINITY: nowhere.
    double border[2][2];
    // A vertex was added beside another one.
    void (*added)(void *user, uint32_t beside);
    void *user;
} rv_fine_input;

// At most so often an edge is divided.
enum { RV_FINE_LEVELS = 4 };

// false: no memory, and the mesh is as it was.
bool rv_mesh_make_fine(rv_mesh *mesh, const rv_fine_input *input);

#endif
