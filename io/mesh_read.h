// What reading a mesh file goes through. Not for other folders.
//
// 1. A check per format, ours, of all that assimp would trust: counts against sizes, indices
// against
//    counts, numbers. It blanks out what is not geometry, so that little of assimp sees the file.
// 2. assimp, in a process of its own: a file that breaks it all the same costs one line.
// 3. What comes back is checked once more.
#ifndef IO_MESH_READ_H
#define IO_MESH_READ_H

#include "io/file_bytes.h"
#include "io/mesh_file.h"

// `path`: where files that it refers to are looked for; NULL when from memory.
typedef struct rv_mesh_reader {
    const char *path, *name; // name: in messages
    rv_mesh_file *out;
    rv_messages *messages;
} rv_mesh_reader;

// Adds the line `NAME: …`; always false.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool rv_mesh_refuse(const rv_mesh_reader *reader, const char *format, ...);

// The checks, each of a file of its format, which they may change: sizes shrink to what counts, and
// what is not needed is blanked. They fill in format, unit, up, and what else they know of `out`.
bool rv_stl_check(const rv_mesh_reader *reader, rv_file_bytes *file);
bool rv_ply_check(const rv_mesh_reader *reader, rv_file_bytes *file);
bool rv_obj_check(const rv_mesh_reader *reader, rv_file_bytes *file);
bool rv_gltf_check(const rv_mesh_reader *reader, rv_file_bytes *file);
// The one that fits, by extension.
bool rv_mesh_check(const rv_mesh_reader *reader, rv_file_bytes *file, const char *extension);

// assimp, in this process.
bool rv_mesh_import(const rv_mesh_reader *reader, const rv_file_bytes *file, const char *extension);
// assimp, in a process of its own.
bool rv_mesh_import_apart(const rv_mesh_reader *reader, const rv_file_bytes *file,
                          const char *extension);
// Are there triangles, are all places finite and all indices in range?
bool rv_mesh_verify(const rv_mesh_reader *reader);

// ---- Text, for the checks -----------------------------------------------------------------------

// A number as all programs write it, finite as a float; *at moves behind it. Blanks before it are
// passed over, not line ends.
bool rv_text_real(const char **at, double *out);
// A whole number between -1e15 and 1e15, likewise.
bool rv_text_whole(const char **at, int64_t *out);
// Is the next thing, after blanks, the end of the line or of the text?
bool rv_text_line_ends(const char *at);

#endif
