// Triangles of OBJ and STL files, and what all formats share. Nothing is joined: the library welds
// vertices itself. Faces of more than three corners become fans.
#include "web/mesh_direct.h"

#include <stdlib.h>
#include <string.h>

// ---- Building -----------------------------------------------------------------------------------

// Room for one more of `count` items.
static bool grow(void **items, size_t *room, size_t count, size_t bytes, size_t most)
{
    if (count < *room) return true;
    size_t more = *room ? 2 * *room : 1024;
    void *grown = count < most ? realloc(*items, more * bytes) : NULL;
    if (!grown) return false;
    *items = grown, *room = more;
    return true;
}

void rv_build_vertex(rv_mesh_build *b, double x, double y, double z)
{
    rv_mesh_file *out = b->out;
    if (b->full || !grow((void **)&out->positions, &b->vertex_room, out->vertex_count, 12,
                         3 * RV_MESH_TRIANGLES_MAX)) {
        b->full = true;
        return;
    }
    float *at = out->positions + 3 * out->vertex_count++;
    at[0] = (float)x, at[1] = (float)y, at[2] = (float)z;
}

void rv_build_triangle(rv_mesh_build *b, uint32_t i, uint32_t j, uint32_t k)
{
    rv_mesh_file *out = b->out;
    if (b->full || !grow((void **)&out->indices, &b->triangle_room, out->triangle_count, 12,
                         RV_MESH_TRIANGLES_MAX)) {
        b->full = true;
        return;
    }
    uint32_t *at = out->indices + 3 * out->triangle_count++;
    at[0] = i, at[1] = j, at[2] = k;
}

void rv_build_corner(rv_mesh_build *b, rv_build_face *face, uint32_t vertex)
{
    if (face->corners++ == 0)
        face->first = vertex;
    else if (face->corners > 2)
        rv_build_triangle(b, face->first, face->last, vertex);
    face->last = vertex;
}

// ---- OBJ ----------------------------------------------------------------------------------------

static const char *next_line(const char *at)
{
    at += strcspn(at, "\r\n");
    return at + strspn(at, "\r\n");
}

static void obj_face(rv_mesh_build *b, const char *at)
{
    rv_build_face face = {0};
    int64_t index;
    while (!rv_text_line_ends(at) && rv_text_whole(&at, &index)) {
        int64_t vertex = index > 0 ? index - 1 : (int64_t)b->out->vertex_count + index;
        rv_build_corner(b, &face, (uint32_t)vertex);
    }
}

static bool direct_obj(rv_mesh_build *b, const rv_file_bytes *file)
{
    for (const char *at = (const char *)file->data; *at; at = next_line(at)) {
        at += strspn(at, " \t\r\n");
        double v[3] = {0, 0, 0};
        const char *word = at + 1;
        if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) obj_face(b, word);
        if (at[0] != 'v' || (at[1] != ' ' && at[1] != '\t')) continue;
        for (int i = 0; i < 3; i++) rv_text_real(&word, &v[i]);
        rv_build_vertex(b, v[0], v[1], v[2]);
    }
    return true;
}

// ---- STL ----------------------------------------------------------------------------------------

// Three vertices more than before are a triangle.
static void stl_vertex(rv_mesh_build *b, double x, double y, double z)
{
    rv_build_vertex(b, x, y, z);
    uint32_t count = (uint32_t)b->out->vertex_count;
    if (count % 3 == 0) rv_build_triangle(b, count - 3, count - 2, count - 1);
}

static double little_float(const unsigned char *d)
{
    uint32_t bits =
        (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16 | (uint32_t)d[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool direct_stl(rv_mesh_build *b, const rv_file_bytes *file)
{
    if (strcmp(b->out->format, "binary stl") == 0) {
        for (size_t at = 84; at + 50 <= file->size; at += 50)
            for (int corner = 0; corner < 3; corner++) {
                const unsigned char *d = file->data + at + 12 + 12 * corner;
                stl_vertex(b, little_float(d), little_float(d + 4), little_float(d + 8));
            }
        return true;
    }
    for (const char *at = (const char *)file->data; *at; at = next_line(at)) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "vertex", 6) != 0) continue;
        const char *word = at + 6;
        double v[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) rv_text_real(&word, &v[i]);
        stl_vertex(b, v[0], v[1], v[2]);
    }
    return true;
}

// ---- All ----------------------------------------------------------------------------------------

bool rv_mesh_direct(const rv_mesh_reader *reader, const rv_file_bytes *file, const char *extension)
{
    rv_mesh_build build = {.out = reader->out};
    bool good;
    if (strcmp(extension, "obj") == 0)
        good = direct_obj(&build, file);
    else if (strcmp(extension, "stl") == 0)
        good = direct_stl(&build, file);
    else if (strcmp(extension, "ply") == 0)
        good = rv_direct_ply(&build, file);
    else
        good = rv_direct_glb(&build, reader, file);
    if (good && build.full) return rv_mesh_refuse(reader, "not enough memory");
    if (good && reader->out->triangle_count == 0) return rv_mesh_refuse(reader, "has no triangles");
    if (reader->out->parts == 0) reader->out->parts = 1;
    return good;
}
