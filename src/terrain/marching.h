// Marching cubes: the surface between negative samples (solid) and all others of a lattice, as
// triangles with shared vertices. Used for the terrain's mesh and for forms from volumes.
#ifndef RV_TERRAIN_MARCHING_H
#define RV_TERRAIN_MARCHING_H

#include "rivulet/world.h"

#define RV_MARCH_TRIANGLES 5 // most in a cell
#define RV_MARCH_LOOPS 4

// A cell has corners 0 … 7: bit 0 says high x, bit 1 high y, bit 2 high z. Edge e runs along axis e
// / 4 from corner rv_march_start(e). A case is the set of solid corners, as bits.
typedef struct rv_march_case {
    uint8_t triangles;
    uint8_t loops; // each is a fan of triangles, in order; its first triangle's corners, then the
                   // last of each one more, go around it
    uint8_t around[RV_MARCH_LOOPS];       // corners of each
    uint8_t edge[3 * RV_MARCH_TRIANGLES]; // three per triangle, counter-clockwise seen from outside
} rv_march_case;

typedef struct rv_march_table {
    rv_march_case of[256];
} rv_march_table;

void rv_march_table_make(rv_march_table *out);

static inline int rv_march_start(int edge)
{
    int axis = edge >> 2;
    return (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3;
}

typedef struct rv_lattice {
    int n[3]; // samples along x, y and z, 2 or more each
    // Samples that stand beyond either end, 0 or 1: looked at for normals only.
    int margin[3][2];
    // Solid that reaches this end is cut flat there, through the outermost samples. Else the mesh
    // is open.
    bool cut[3][2];
    // Fills slice k, x fastest, margins included. Called once for each, from low to high. A sample
    // that is not finite has a sign, but no size: the surface beside it is half-way. None is NaN.
    void (*slice)(void *user, int k, float *out);
    // Where the surface crosses the edge from sample `at` along an axis, share 0 … 1 of it; with
    // share 0, on a cut, where the sample is. What it gives must not depend on anything else.
    void (*place)(void *user, const int at[3], int axis, double share, float out[3]);
    void *user;
    double inset;      // vertices stay this share of an edge away from samples: no two coincide
    bool normals;      // wanted; then the axes are those of space, and:
    double spacing[3]; // m, between samples
    // The surface itself, asked where samples tell too little of it. NULL: they have to do. Then
    // the mesh has more vertices, at edges and corners that lie between samples (sharp.h). All of
    // these or none, with normals.
    //
    // Where the surface crosses an edge between two samples, and its unit normal; false: not known.
    bool (*exact)(void *user, const int at[3], int axis, float from, float to, double place[3],
                  double normal[3]);
    // Moves a place along the normal onto the surface, within the cell; false: it is not near.
    bool (*settle)(void *user, const double normal[3], double place[3]);
    bool (*normal)(void *user, const double place[3], double out[3]); // unit, at a place of it
    void (*corner)(void *user, const int at[3], double out[3]);       // where a sample is
    // Such a vertex was added, in a cell of vertex `beside`.
    void (*added)(void *user, uint32_t beside);
    int ground; // k of the plane under which all is solid, which normals then feel; INT_MIN: none
} rv_lattice;

// A share of an edge, as small as single precision at this distance from the origin can tell apart.
double rv_march_inset(double farthest, double spacing);

// Every edge of the mesh belongs to two triangles, once in each direction, but where the mesh is
// open. Normals are unit, along the gradient, on cuts straight out. RV_BAD_ARGUMENT: more vertices
// than 32 bits can count. *out is empty unless the result is RV_OK.
rv_result rv_march(const rv_lattice *lattice, const rv_allocator *allocator, rv_mesh *out);

#endif
