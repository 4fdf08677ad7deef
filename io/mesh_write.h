// Triangle meshes as files for other programs: PLY, OBJ, GLB, VTP and STL. Metres; z is up, but in
// a GLB, where y has to be.
//
//     rv_mesh_export mesh = rv_export_liquid(&surface);
//     if (!rv_mesh_write("liquid.glb", &mesh, &messages)) puts(messages.text);
//
// What a vertex carries is described once, as a list of attributes. PLY, GLB and VTP write them
// all, OBJ opacity and depth, STL none, and not the normals of vertices either.
#ifndef IO_MESH_WRITE_H
#define IO_MESH_WRITE_H

#include "rivulet/surface.h"

#define RV_MESH_WRITE_EXTENSIONS "ply|obj|glb|vtp|stl"
#define RV_MESH_ATTRIBUTES_MAX 8

typedef struct rv_mesh_attribute {
    const char *name;    // "depth": letters, small
    int size;            // numbers of a vertex: 1, or 3 of a vector
    const float *values; // [vertex_count][size]
} rv_mesh_attribute;

// Borrows its arrays.
typedef struct rv_mesh_export {
    const char *name; // of the thing: letters
    size_t vertex_count, triangle_count;
    const float *positions;  // x, y, z, m
    const float *normals;    // unit; may be NULL
    const uint32_t *indices; // three per triangle, counter-clockwise seen from outside
    rv_mesh_attribute attributes[RV_MESH_ATTRIBUTES_MAX];
    int attribute_count;
    const float *opacity; // 0 … 1; NULL: not to be seen through
    float color[3];       // linear, for formats that have materials
    float roughness;      // 0 a mirror … 1 chalk, likewise
    double time;          // s, simulated, for formats that have a place for it
} rv_mesh_export;

// Grey, at time 0. The mesh must outlive the description.
rv_mesh_export rv_export_terrain(const rv_mesh *mesh);
// With opacity, depth and velocity; the colour of deep water, at time 0.
rv_mesh_export rv_export_liquid(const rv_surface_mesh *mesh);

// Tells before any work whether rv_mesh_write can write there. `option` starts the message.
bool rv_mesh_write_check(const char *option, const char *path, rv_messages *messages);

// The format is the extension's. The file is whole, or not there and a message "PATH: why" was
// added. A mesh without triangles gives a file that says so, in every format.
bool rv_mesh_write(const char *path, const rv_mesh_export *mesh, rv_messages *messages);

#endif
