// Triangle meshes as files. What a vertex carries is described once, as a list of attributes: a
// format that can name things writes all of them, the others take what they know. A new format is
// one function and one row of the table at the end; a new attribute is one more in the list.
//
// Binary formats are little endian on every machine. Text has digits enough to give each float back
// exactly.
#include "io/mesh_write.h"

#include "io/atomic_file.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ATTRIBUTES_MAX 8
#define ATTRIBUTE_MAX 3 // numbers of one attribute

typedef struct mesh_attribute {
    const char *parts[ATTRIBUTE_MAX]; // names of its numbers
    int size;                         // how many
    const float *values;              // [vertex_count][size]
} mesh_attribute;

// Positions come first and normals second; normals may be missing.
typedef struct described_mesh {
    const rv_mesh *mesh;
    mesh_attribute attributes[ATTRIBUTES_MAX];
    int attribute_count;
    const float *normals;
} described_mesh;

static described_mesh describe(const rv_mesh *mesh)
{
    described_mesh d = {.mesh = mesh, .normals = mesh->normals};
    d.attributes[d.attribute_count++] = (mesh_attribute){{"x", "y", "z"}, 3, mesh->positions};
    if (mesh->normals)
        d.attributes[d.attribute_count++] = (mesh_attribute){{"nx", "ny", "nz"}, 3, mesh->normals};
    return d;
}

// ---- Little endian bytes ------------------------------------------------------------------------

static unsigned char *put_whole(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) *to++ = (unsigned char)(value >> (8 * i) & 0xff);
    return to;
}

static unsigned char *put_real(unsigned char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_whole(to, bits);
}

// ---- PLY ----------------------------------------------------------------------------------------

static void write_ply_header(FILE *out, const described_mesh *d)
{
    fprintf(out, "ply\nformat binary_little_endian 1.0\ncomment made by rivulet; metres, z up\n");
    fprintf(out, "element vertex %zu\n", d->mesh->vertex_count);
    for (int a = 0; a < d->attribute_count; a++)
        for (int i = 0; i < d->attributes[a].size; i++)
            fprintf(out, "property float %s\n", d->attributes[a].parts[i]);
    fprintf(out, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
            d->mesh->triangle_count);
}

static void write_ply(FILE *out, const described_mesh *d)
{
    const rv_mesh *mesh = d->mesh;
    write_ply_header(out, d);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        unsigned char row[4 * ATTRIBUTE_MAX * ATTRIBUTES_MAX], *end = row;
        for (int a = 0; a < d->attribute_count; a++) {
            const mesh_attribute *attribute = &d->attributes[a];
            const float *values = attribute->values + v * (size_t)attribute->size;
            for (int i = 0; i < attribute->size; i++) end = put_real(end, values[i]);
        }
        fwrite(row, 1, (size_t)(end - row), out);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        unsigned char row[1 + 3 * 4] = {3}, *end = row + 1;
        for (int i = 0; i < 3; i++) end = put_whole(end, mesh->indices[3 * t + (size_t)i]);
        fwrite(row, 1, sizeof row, out);
    }
}

// ---- OBJ ----------------------------------------------------------------------------------------

static void write_obj_vectors(FILE *out, const char *word, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s %.9g %.9g %.9g\n", word, (double)values[3 * i], (double)values[3 * i + 1],
                (double)values[3 * i + 2]);
}

static void write_obj(FILE *out, const described_mesh *d)
{
    const rv_mesh *mesh = d->mesh;
    fprintf(out, "# made by rivulet; metres, z up\n");
    write_obj_vectors(out, "v", mesh->positions, mesh->vertex_count);
    if (d->normals) write_obj_vectors(out, "vn", d->normals, mesh->vertex_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        fputc('f', out);
        for (int i = 0; i < 3; i++) {
            uint64_t vertex = (uint64_t)mesh->indices[3 * t + (size_t)i] + 1; // they count from 1
            if (d->normals)
                fprintf(out, " %" PRIu64 "//%" PRIu64, vertex, vertex);
            else
                fprintf(out, " %" PRIu64, vertex);
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

// Corners only, each triangle with its own; two bytes that mean nothing end each.
static void write_stl(FILE *out, const described_mesh *d)
{
    const rv_mesh *mesh = d->mesh;
    // must not start with "solid", which means text
    unsigned char head[84] = "made by rivulet; metres, z up";
    put_whole(head + 80, (uint32_t)mesh->triangle_count);
    fwrite(head, 1, sizeof head, out);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const float *corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = mesh->positions + 3 * (size_t)mesh->indices[3 * t + (size_t)i];
        float normal[3];
        face_normal(corner[0], corner[1], corner[2], normal);
        unsigned char row[50] = {0}, *end = row;
        for (int i = 0; i < 3; i++) end = put_real(end, normal[i]);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) end = put_real(end, corner[k][i]);
        fwrite(row, 1, sizeof row, out);
    }
}

// ---- Choosing -----------------------------------------------------------------------------------

typedef struct mesh_format {
    const char *extension;
    size_t triangles_max; // that it can count
    void (*write)(FILE *out, const described_mesh *mesh);
} mesh_format;

static const mesh_format formats[] = {
    {"ply", SIZE_MAX, write_ply}, {"obj", SIZE_MAX, write_obj}, {"stl", UINT32_MAX, write_stl}};

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
    rv_messages_add(messages, "%s %s: the name must end in .ply or .obj or .stl", option, path);
    return false;
}

bool rv_mesh_write(const char *path, const rv_mesh *mesh, rv_messages *messages)
{
    const mesh_format *format = format_of(path);
    if (!format) {
        rv_messages_add(messages, "%s: the name must end in .ply or .obj or .stl", path);
        return false;
    }
    if (mesh->triangle_count > format->triangles_max) {
        rv_messages_add(messages, "%s: %zu triangles are more than .%s can count", path,
                        mesh->triangle_count, format->extension);
        return false;
    }
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    described_mesh described = describe(mesh);
    format->write(file.stream, &described);
    return rv_atomic_commit(&file, messages);
}
