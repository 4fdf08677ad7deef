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
    uint32_t *corner; // of the face that is being told
    size_t corners, corner_room;
    bool full; // no memory, or more than there may be
} rv_mesh_build;

void rv_build_vertex(rv_mesh_build *build, double x, double y, double z);
void rv_build_triangle(rv_mesh_build *build, uint32_t a, uint32_t b, uint32_t c);
// A face is told corner by corner, and cut into triangles at its end. Its vertices must be there by
// then.
void rv_build_corner(rv_mesh_build *build, uint32_t vertex);
void rv_build_face_end(rv_mesh_build *build);

bool rv_direct_ply(rv_mesh_build *build, const rv_file_bytes *file);
bool rv_direct_glb(rv_mesh_build *build, const rv_mesh_reader *reader, const rv_file_bytes *file);

#endif
