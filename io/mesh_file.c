// Mesh files: checked, read by assimp in a process of its own (mesh_apart.c), checked again.
#include "io/mesh_file.h"

#include "io/mesh_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rv_mesh_refuse(const rv_mesh_reader *reader, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return rv_file_refuse(reader->name, line, reader->messages);
}

// ---- Loading ------------------------------------------------------------------------------------

static const struct {
    const char *extension;
    bool (*check)(const rv_mesh_reader *reader, rv_file_bytes *file);
} formats[] = {
    {"stl", rv_stl_check},   {"ply", rv_ply_check},  {"obj", rv_obj_check},
    {"gltf", rv_gltf_check}, {"glb", rv_gltf_check},
};
#define FORMATS ((int)(sizeof formats / sizeof formats[0]))

static int format_of(const char *extension)
{
    int i = 0;
    while (i < FORMATS && strcmp(extension, formats[i].extension) != 0) i++;
    return i;
}

bool rv_mesh_file_is(const char *path)
{
    char extension[16];
    rv_file_extension(path, extension, sizeof extension);
    return format_of(extension) < FORMATS;
}

bool rv_mesh_check(const rv_mesh_reader *reader, rv_file_bytes *file, const char *extension)
{
    int format = format_of(extension);
    if (format == FORMATS)
        return rv_mesh_refuse(reader,
                              "is no mesh that is read here; OBJ, STL, PLY, glTF and GLB are");
    if (file->size == 0) return rv_mesh_refuse(reader, "is empty");
    if (file->size > RV_MESH_BYTES_MAX)
        return rv_mesh_refuse(reader, "larger than %zu MiB", RV_MESH_BYTES_MAX >> 20);
    return formats[format].check(reader, file);
}

bool rv_mesh_verify(const rv_mesh_reader *reader)
{
    const rv_mesh_file *out = reader->out;
    for (size_t i = 0; i < 3 * out->vertex_count; i++)
        if (!isfinite(out->positions[i]))
            return rv_mesh_refuse(reader, "vertex %zu is not finite", i / 3);
    for (size_t i = 0; i < 3 * out->triangle_count; i++)
        if (out->indices[i] >= out->vertex_count)
            return rv_mesh_refuse(reader, "triangle %zu: vertex %u of %zu", i / 3, out->indices[i],
                                  out->vertex_count);
    return true;
}

static bool read_bytes(const rv_mesh_reader *reader, rv_file_bytes *file, const char *extension)
{
    bool good = rv_mesh_check(reader, file, extension) &&
                rv_mesh_import_apart(reader, file, extension) && rv_mesh_verify(reader);
    if (!good) rv_mesh_file_free(reader->out);
    return good;
}

bool rv_mesh_file_load(const char *path, rv_mesh_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_mesh_file){0};
    rv_file_bytes file;
    if (!rv_file_read(path, RV_MESH_BYTES_MAX, &file, messages)) return false;
    char extension[16];
    rv_file_extension(path, extension, sizeof extension);
    rv_mesh_reader reader = {path, path, out, messages};
    bool good = read_bytes(&reader, &file, extension);
    rv_file_bytes_free(&file);
    return good;
}

bool rv_mesh_file_load_memory(const void *data, size_t size, const char *extension,
                              const char *name, rv_mesh_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_mesh_file){0};
    rv_file_bytes file;
    if (!rv_file_copy(data, size, name, &file, messages)) return false;
    rv_mesh_reader reader = {NULL, name, out, messages};
    bool good = read_bytes(&reader, &file, extension);
    rv_file_bytes_free(&file);
    return good;
}

void rv_mesh_file_free(rv_mesh_file *mesh)
{
    if (!mesh) return;
    free(mesh->positions);
    free(mesh->indices);
    *mesh = (rv_mesh_file){0};
}
