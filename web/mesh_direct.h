// Mesh files without assimp, for places that have neither it nor processes. The files were checked
// before (io/mesh_read.h): what is read here is known to be there.
#ifndef WEB_MESH_DIRECT_H
#define WEB_MESH_DIRECT_H

#include "io/mesh_read.h"

// OBJ, STL, PLY and GLB. false: a message says why.
bool rv_mesh_direct(const rv_mesh_reader *reader, const rv_file_bytes *file, const char *extension);

// ---- For the readers of each format -------------------------------------------------------------

typedef struct rv_mesh_build {
    rv_mesh_file *out;
    size_t vertex_room, triangle_room;
    bool full; // no memory, or more than there may be
} rv_mesh_build;

void rv_build_vertex(rv_mesh_build *build, double x, double y, double z);
void rv_build_triangle(rv_mesh_build *build, uint32_t a, uint32_t b, uint32_t c);
// Corners of a face, told one by one: a fan around the first.
typedef struct rv_build_face {
    int corners;
    uint32_t first, last;
} rv_build_face;
void rv_build_corner(rv_mesh_build *build, rv_build_face *face, uint32_t vertex);

bool rv_direct_ply(rv_mesh_build *build, const rv_file_bytes *file);
bool rv_direct_glb(rv_mesh_build *build, const rv_mesh_reader *reader, const rv_file_bytes *file);

#endif
