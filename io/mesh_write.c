// Triangle meshes as files: which format a name means, and the three formats that are a few lines
// each: PLY, OBJ and STL. A new format is one function and one row of the table at the end; a new
// attribute is one more in the description of its mesh.
//
// Text has digits enough to give each float back exactly.
#include "io/mesh_write.h"

#include "io/atomic_file.h"
#include "io/mesh_writers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHUNK 1024 // numbers that are made little endian at a time

rv_mesh_export rv_export_terrain(const rv_mesh *mesh)
{
    return (rv_mesh_export){.name = "terrain",
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->triangle_count,
                            .positions = mesh->positions,
                            .normals = mesh->normals,
                            .indices = mesh->indices,
                            .color = {0.5f, 0.5f, 0.5f},
                            .roughness = 0.8f};
}

rv_mesh_export rv_export_liquid(const rv_surface_mesh *mesh)
{
    // A surface of nothing may have no arrays; it has normals all the same, so that all files of a
    // series have the same attributes.
    static const float none[3] = {0, 0, 1};
    return (rv_mesh_export){.name = "liquid",
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = mesh->triangle_count,
                            .positions = mesh->positions,
                            .normals = mesh->normals ? mesh->normals : none,
                            .indices = mesh->indices,
                            .attributes = {{"opacity", 1, mesh->opacity},
                                           {"depth", 1, mesh->depth},
                                           {"velocity", 3, mesh->velocity}},
                            .attribute_count = 3,
                            .opacity = mesh->opacity,
                            .color = {0.010f, 0.085f, 0.125f},
                            .roughness = 0.05f};
}

// ---- Little endian bytes ------------------------------------------------------------------------

void rv_write_wholes(FILE *out, const uint32_t *values, size_t count)
{
    for (size_t from = 0; from < count; from += CHUNK) {
        unsigned char bytes[4 * CHUNK], *end = bytes;
        for (size_t i = from; i < count && i < from + CHUNK; i++)
            end = rv_put_whole(end, values[i]);
        fwrite(bytes, 1, (size_t)(end - bytes), out);
    }
}

void rv_write_reals(FILE *out, const float *values, size_t count)
{
    for (size_t from = 0; from < count; from += CHUNK) {
        unsigned char bytes[4 * CHUNK], *end = bytes;
        for (size_t i = from; i < count && i < from + CHUNK; i++) end = rv_put_real(end, values[i]);
        fwrite(bytes, 1, (size_t)(end - bytes), out);
    }
}

// ---- PLY ----------------------------------------------------------------------------------------

static void write_ply_header(FILE *out, const rv_mesh_export *mesh)
{
    fprintf(out, "ply\nformat binary_little_endian 1.0\ncomment made by rivulet; metres, z up\n");
    fprintf(out, "comment %s at %.12g s\n", mesh->name, mesh->time);
    fprintf(out, "element vertex %zu\n", mesh->vertex_count);
    fprintf(out, "property float x\nproperty float y\nproperty float z\n");
    if (mesh->normals) fprintf(out, "property float nx\nproperty float ny\nproperty float nz\n");
    for (int a = 0; a < mesh->attribute_count; a++) {
        const rv_mesh_attribute *attribute = &mesh->attributes[a];
        if (attribute->size == 1) fprintf(out, "property float %s\n", attribute->name);
        for (int i = 0; attribute->size > 1 && i < attribute->size; i++)
            fprintf(out, "property float %s_%c\n", attribute->name, "xyz"[i]);
    }
    fprintf(out, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
            mesh->triangle_count);
}

static void write_ply(FILE *out, const rv_mesh_export *mesh)
{
    write_ply_header(out, mesh);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        unsigned char row[4 * (6 + 3 * RV_MESH_ATTRIBUTES_MAX)], *end = row;
        for (size_t i = 0; i < 3; i++) end = rv_put_real(end, mesh->positions[3 * v + i]);
        for (size_t i = 0; mesh->normals && i < 3; i++)
            end = rv_put_real(end, mesh->normals[3 * v + i]);
        for (int a = 0; a < mesh->attribute_count; a++) {
            size_t size = (size_t)mesh->attributes[a].size;
            for (size_t i = 0; i < size; i++)
                end = rv_put_real(end, mesh->attributes[a].values[size * v + i]);
        }
        fwrite(row, 1, (size_t)(end - row), out);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        unsigned char row[1 + 3 * 4] = {3}, *end = row + 1;
        for (size_t i = 0; i < 3; i++) end = rv_put_whole(end, mesh->indices[3 * t + i]);
        fwrite(row, 1, sizeof row, out);
    }
}

// ---- OBJ ----------------------------------------------------------------------------------------

// A line of a vertex: a word and its numbers.
static void write_obj_vertex(FILE *out, const char *word, const float *values, int count)
{
    fputs(word, out);
    for (int i = 0; i < count; i++) fprintf(out, " %.9g", (double)values[i]);
    fputc('\n', out);
}

static const float *attribute_named(const rv_mesh_export *mesh, const char *name)
{
    for (int a = 0; a < mesh->attribute_count; a++)
        if (strcmp(mesh->attributes[a].name, name) == 0) return mesh->attributes[a].values;
    return NULL;
}

// Texture coordinates are the only other numbers that a vertex has here: they carry opacity and
// depth, so that a ramp of colours as a texture shows either. Velocity has no place.
static void write_obj(FILE *out, const rv_mesh_export *mesh)
{
    const float *opacity = attribute_named(mesh, "opacity"),
                *depth = attribute_named(mesh, "depth");
    bool textured = opacity && depth;
    fprintf(out, "# made by rivulet; metres, z up%s\no %s\n",
            textured ? "; vt: opacity, depth" : "", mesh->name);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        write_obj_vertex(out, "v", mesh->positions + 3 * v, 3);
    for (size_t v = 0; textured && v < mesh->vertex_count; v++)
        write_obj_vertex(out, "vt", (float[2]){opacity[v], depth[v]}, 2);
    for (size_t v = 0; mesh->normals && v < mesh->vertex_count; v++)
        write_obj_vertex(out, "vn", mesh->normals + 3 * v, 3);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        fputc('f', out);
        for (size_t i = 0; i < 3; i++) {
            uint64_t vertex = (uint64_t)mesh->indices[3 * t + i] + 1; // they count from 1
            fprintf(out, " %" PRIu64, vertex);
            if (textured) fprintf(out, "/%" PRIu64, vertex);
            if (mesh->normals) fprintf(out, textured ? "/%" PRIu64 : "//%" PRIu64, vertex);
        }
        fputc('\n', out);
    }
}

// ---- STL ----------------------------------------------------------------------------------------

// The unit normal of a triangle by its corners' order, or 0 0 0.
static void face_normal(const float *a, const float *b, const float *c, float out[3])
{
    double u[3], v[3];
    for (int i = 0; i < 3; i++)
        u[i] = (double)b[i] - (double)a[i], v[i] = (double)c[i] - (double)a[i];
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) out[i] = length > 0 ? (float)(n[i] / length) : 0;
}

static bool stl_fits(const rv_mesh_export *mesh)
{
    return mesh->triangle_count <= UINT32_MAX;
}

// Corners only, each triangle with its own; two bytes that mean nothing end each.
static void write_stl(FILE *out, const rv_mesh_export *mesh)
{
    // must not start with "solid", which means text
    unsigned char head[84] = "made by rivulet; metres, z up";
    rv_put_whole(head + 80, (uint32_t)mesh->triangle_count);
    fwrite(head, 1, sizeof head, out);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const float *corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = mesh->positions + 3 * (size_t)mesh->indices[3 * t + (size_t)i];
        float normal[3];
        face_normal(corner[0], corner[1], corner[2], normal);
        unsigned char row[50] = {0}, *end = row;
        for (int i = 0; i < 3; i++) end = rv_put_real(end, normal[i]);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) end = rv_put_real(end, corner[k][i]);
        fwrite(row, 1, sizeof row, out);
    }
}

// ---- Choosing -----------------------------------------------------------------------------------

typedef struct mesh_format {
    const char *extension;
    bool (*fits)(const rv_mesh_export *mesh); // NULL: whatever its size
    void (*write)(FILE *out, const rv_mesh_export *mesh);
} mesh_format;

static const mesh_format formats[] = {{"ply", NULL, write_ply},
                                      {"obj", NULL, write_obj},
                                      {"glb", rv_glb_fits, rv_write_glb},
                                      {"vtp", rv_vtp_fits, rv_write_vtp},
                                      {"stl", stl_fits, write_stl}};
#define ENDINGS ".ply or .obj or .glb or .vtp or .stl"

static const mesh_format *format_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash + 1 : path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(dot + 1, formats[i].extension) == 0) return &formats[i];
    return NULL;
}

bool rv_mesh_write_check(const char *option, const char *path, rv_messages *messages)
{
    if (!rv_output_check(option, path, RV_MESH_WRITE_EXTENSIONS, messages)) return false;
    if (format_of(path)) return true;
    // a pipe or device passes with any name
    rv_messages_add(messages, "%s %s: the name must end in " ENDINGS, option, path);
    return false;
}

bool rv_mesh_write(const char *path, const rv_mesh_export *mesh, rv_messages *messages)
{
    const mesh_format *format = format_of(path);
    if (!format) {
        rv_messages_add(messages, "%s: the name must end in " ENDINGS, path);
        return false;
    }
    if (format->fits && !format->fits(mesh)) {
        rv_messages_add(messages, "%s: %zu vertices and %zu triangles are more than a .%s can hold",
                        path, mesh->vertex_count, mesh->triangle_count, format->extension);
        return false;
    }
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    format->write(file.stream, mesh);
    return rv_atomic_commit(&file, messages);
}
