// Triangle meshes from files: OBJ, STL, PLY, glTF and GLB, through assimp.
//
//     rv_mesh_file mesh;
//     rv_messages messages = {0};
//     if (!rv_mesh_file_load("part.stl", &mesh, &messages)) puts(messages.text);
//     rv_triangles triangles = {mesh.positions, mesh.vertex_count, mesh.indices,
//     mesh.triangle_count};
//     ...
//     rv_mesh_file_free(&mesh);
//
// Files are not trusted: see docs/building.md. A file that cannot be read is refused with one line
// `FILE: what is wrong`.
#ifndef IO_MESH_FILE_H
#define IO_MESH_FILE_H

#include "rivulet/form.h"

#define RV_MESH_BYTES_MAX ((size_t)2 << 30)      // a larger file is refused
#define RV_MESH_TRIANGLES_MAX ((size_t)50000000) // and one with more triangles

// Owns its arrays. Vertices are as the file has them: not joined, and placed by the file's own
// transforms.
typedef struct rv_mesh_file {
    float *positions; // x, y, z of each vertex, in the file's unit; all finite
    size_t vertex_count;
    uint32_t *indices; // three per triangle, all below vertex_count
    size_t triangle_count;
    rv_length_unit unit; // AUTO: the file does not say
    rv_up_axis up;       // AUTO: the file does not say
    char format[16];     // "binary stl", "gltf"
    int64_t skipped;     // points, lines and other things that are not triangles
    int parts;           // meshes in the file, each counted as often as it is placed
} rv_mesh_file;

// Does the extension say that a file is a mesh?
bool rv_mesh_file_is(const char *path);
// false: `out` is empty, and messages has one line. Files that the mesh refers to (a glTF's .bin)
// are read from its own folder only.
bool rv_mesh_file_load(const char *path, rv_mesh_file *out, rv_messages *messages);
// The same from memory, where nothing can be referred to. `extension`: "stl"; `name` stands in the
// messages.
bool rv_mesh_file_load_memory(const void *data, size_t size, const char *extension,
                              const char *name, rv_mesh_file *out, rv_messages *messages);
void rv_mesh_file_free(rv_mesh_file *mesh);

#endif
