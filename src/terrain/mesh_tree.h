// A triangle mesh arranged for two questions, asked millions of times: how far is the nearest
// triangle, and how often does the surface wind around a point? Internal to src/terrain.
//
// Lengths are local: the middle of the mesh's box is the origin and half of its longest edge is 1,
// so that single precision serves a mesh of any size.
#ifndef RV_TERRAIN_MESH_TREE_H
#define RV_TERRAIN_MESH_TREE_H

#include "rivulet/form.h"

#define RV_MESH_BATCH 64                   // points at a time, at most
#define RV_MESH_STACK 128                  // nodes that a walk may have to come back to
#define RV_MESH_BETA 2.0                   // a node is far from here on, in radii
#define RV_MESH_ANGLE_ERROR (0.1 * 12.566) // at most, by that, of a solid angle; found 0.065 of 4π

// A triangle in its own frame: corner A in the origin, its longest edge AB along u, C at (cx, cy)
// with cy ≥ 0, so that its normal is u × v. One cache line.
typedef struct rv_mesh_face {
    float a[3], u[3], v[3];
    float l, cx, cy;      // B is (l, 0)
    float per_bc, per_ca; // 1 / squared length of these edges
    float unused[2];
} rv_mesh_face;

typedef struct rv_mesh_node {
    float low[3], high[3]; // a box around its faces, with room for rounding
    uint32_t first;        // face; or the first of the two nodes below
    uint16_t faces;        // 0: two nodes below
    uint16_t axis;         // along which these lie
} rv_mesh_node;

// What a node's faces look like from far away: the first two terms of their solid angle.
typedef struct rv_mesh_far {
    float at[3];
    float reach;     // squared distance from which on it may be used
    float area[3];   // ∫ n dA
    float trace;     // of ∫ n sᵀ dA, s counted from `at`
    float moment[6]; // of that one: xx, yy, zz, xy + yx, xz + zx, yz + zy
    float loose;     // length of its loose edges
    float unused;
} rv_mesh_far;

// The corners of a face, to the bit the same for all faces that share them.
typedef struct rv_mesh_corners {
    float at[3][3];
} rv_mesh_corners;

typedef struct rv_mesh_tree {
    rv_mesh_face *face;
    rv_mesh_node *node; // [0] is all
    // for the winding number, one of the two:
    rv_mesh_far *far;         // of each node
    rv_mesh_corners *corners; // of each face, of a steady mesh
    size_t faces, nodes;
    double longest; // edge
    rv_allocator allocator;
} rv_mesh_tree;

typedef struct rv_mesh_triangle {
    rv_vec3 corner[3];
    double loose; // length of its loose edges, those not passed as often one way as the other
} rv_mesh_triangle;

// Where the tree's triangles come from; at least one.
typedef struct rv_mesh_source {
    void (*get)(const void *user, size_t index, rv_mesh_triangle *out);
    const void *user;
    size_t count;
} rv_mesh_source;

// What was made must be freed in any case. steady: every edge
// is passed as often one way as the other (mesh_repair.h).
rv_result rv_mesh_tree_build(const rv_mesh_source *source, bool steady, const rv_form_work *work,
                             rv_mesh_tree *out);
void rv_mesh_tree_free(rv_mesh_tree *tree);

// The winding number of a steady mesh, exact off its surface.
int rv_mesh_tree_winding(const rv_mesh_tree *tree, const float p[3]);
// A bound of the slope of the solid angle in a ball, off the surface.
double rv_mesh_tree_slope(const rv_mesh_tree *tree, rv_vec3 middle, double radius);

typedef struct rv_mesh_points {
    float x[RV_MESH_BATCH], y[RV_MESH_BATCH], z[RV_MESH_BATCH];
} rv_mesh_points;

// The walks, as many points at a time as the instruction set takes. All give the same bits, and
// a point's do not depend on the points beside it. n is a multiple of 16.
typedef struct rv_mesh_walks {
    const char *name;
    // Squared distance to the nearest face.
    void (*nearest)(const rv_mesh_tree *tree, const rv_mesh_points *points, int n, float *square);
    // Solid angle of all faces, positive inside: 4π times the winding number. Needs tree->far.
    void (*angle)(const rv_mesh_tree *tree, const rv_mesh_points *points, int n, float *angle);
} rv_mesh_walks;

// NULL: not on this machine.
const rv_mesh_walks *rv_mesh_walks_named(const char *name);
const rv_mesh_walks *rv_mesh_walks_best(void);

#endif
