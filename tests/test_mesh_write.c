// Mesh files, read back by a reader that is not ours: counts, places, normals and the side that is
// outside. What it does not read (attributes, VTP) is looked up in the bytes.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/mesh_write.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define AROUND 40
#define ALONG 24
#define VERTICES (AROUND * ALONG)
#define TRIANGLES (2 * VERTICES)

#define ENDINGS ".ply or .obj or .glb or .vtp or .stl"

static const char *const files[] = {"torus.ply", "torus.obj", "torus.glb", "torus.stl",
                                    "torus.vtp"};
#define FILES 5
#define READ 4 // the first of them are read by assimp

typedef struct torus {
    rv_mesh_export mesh;
    float positions[3 * VERTICES], normals[3 * VERTICES];
    float opacity[VERTICES], depth[VERTICES], velocity[3 * VERTICES];
    uint32_t indices[3 * TRIANGLES];
} torus;

static uint32_t vertex(int i, int j)
{
    return (uint32_t)(i % AROUND * ALONG + j % ALONG);
}

// Numbers that differ everywhere, of both signs, the last bits in use.
static void give_attributes(torus *t)
{
    for (int v = 0; v < VERTICES; v++) {
        t->opacity[v] = (float)v / (VERTICES - 1);
        t->depth[v] = 0.002f * t->opacity[v] * t->opacity[v];
        for (int k = 0; k < 3; k++) t->velocity[3 * v + k] = (float)sin(0.1 * v + k) / 3;
    }
    rv_surface_mesh surface = {.vertex_count = VERTICES, .triangle_count = TRIANGLES};
    surface.positions = t->positions, surface.normals = t->normals, surface.indices = t->indices;
    surface.opacity = t->opacity, surface.depth = t->depth, surface.velocity = t->velocity;
    t->mesh = rv_export_liquid(&surface);
    t->mesh.time = 0.1;
}

// A torus of 20 mm with a tube of 5 mm, off the origin, normals outward, counter-clockwise seen
// from outside.
static torus *make_torus(void)
{
    torus *t = test_calloc(1, sizeof *t);
    const double turn = 6.283185307179586;
    for (int i = 0; i < AROUND; i++) {
        for (int j = 0; j < ALONG; j++) {
            double a = turn * i / AROUND, b = turn * j / ALONG;
            double n[3] = {cos(b) * cos(a), cos(b) * sin(a), sin(b)};
            double p[3] = {0.02 * cos(a) + 0.3, 0.02 * sin(a) - 0.1, 0.07};
            for (int k = 0; k < 3; k++) {
                t->normals[3 * vertex(i, j) + (uint32_t)k] = (float)n[k];
                t->positions[3 * vertex(i, j) + (uint32_t)k] = (float)(p[k] + 0.005 * n[k]);
            }
            uint32_t q[4] = {vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1),
                             vertex(i, j + 1)};
            uint32_t two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
            memcpy(t->indices + 6 * vertex(i, j), two, sizeof two);
        }
    }
    give_attributes(t);
    return t;
}

static void write_or_fail(const char *path, const rv_mesh_export *mesh)
{
    rv_messages messages = {0};
    if (!rv_mesh_write(path, mesh, &messages)) fail_msg("%s", messages.text);
    assert_int_equal(messages.count, 0);
}

// Largest difference of a number, less a share of the numbers.
static double difference(const float *a, struct aiVector3D b, double share)
{
    double most = 0;
    const double other[3] = {(double)b.x, (double)b.y, (double)b.z};
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs((double)a[k] - other[k]) - share * fabs((double)a[k]));
    return most;
}

static double dot_of(const double *a, struct aiVector3D b)
{
    return a[0] * (double)b.x + a[1] * (double)b.y + a[2] * (double)b.z;
}

// A vector of a file in which y is up.
static struct aiVector3D z_up(struct aiVector3D v)
{
    return (struct aiVector3D){v.x, -v.z, v.y};
}

// Six times the volume between the triangle and the origin.
static double wedge(struct aiVector3D a, struct aiVector3D b, struct aiVector3D c)
{
    double cross[3] = {(double)b.y * (double)c.z - (double)b.z * (double)c.y,
                       (double)b.z * (double)c.x - (double)b.x * (double)c.z,
                       (double)b.x * (double)c.y - (double)b.y * (double)c.x};
    return dot_of(cross, a);
}

typedef struct promise {
    const char *path;
    double share;  // of a number that the reader may be off
    double normal; // that normals may be off
    bool y_up;
} promise;

static void compare(const torus *t, const struct aiMesh *read, const promise *p)
{
    assert_int_equal(read->mNumFaces, TRIANGLES);
    assert_non_null(read->mNormals);
    double volume = 0;
    for (unsigned f = 0; f < TRIANGLES; f++) {
        const struct aiFace *face = &read->mFaces[f];
        assert_int_equal(face->mNumIndices, 3);
        struct aiVector3D corner[3];
        for (unsigned k = 0; k < 3; k++) {
            const uint32_t v = t->indices[3 * f + k], at = face->mIndices[k];
            struct aiVector3D normal = read->mNormals[at];
            corner[k] = p->y_up ? z_up(read->mVertices[at]) : read->mVertices[at];
            if (p->y_up) normal = z_up(normal);
            if (difference(t->positions + 3 * v, corner[k], p->share) > 0)
                fail_msg("%s: corner %u of triangle %u is elsewhere", p->path, k, f);
            double off = difference(t->normals + 3 * v, normal, p->share);
            if (off > p->normal)
                fail_msg("%s: the normal at corner %u of triangle %u is %g off", p->path, k, f,
                         off);
        }
        volume += wedge(corner[0], corner[1], corner[2]) / 6;
    }
    double ideal = 2 * 9.8696044010894 * 0.02 * 0.005 * 0.005; // 2 π² R r²
    if (fabs(volume - ideal) > 0.03 * ideal)
        fail_msg("%s: encloses %g m³, not %g", p->path, volume, ideal);
}

// The colours of a GLB carry the opacity, its material the rest; OBJ has opacity and depth as
// texture coordinates.
static void check_look(const torus *t, const struct aiScene *scene, const char *path)
{
    const struct aiMesh *read = scene->mMeshes[0];
    for (unsigned f = 0; f < TRIANGLES; f++)
        for (unsigned k = 0; k < 3; k++) {
            uint32_t v = t->indices[3 * f + k], at = read->mFaces[f].mIndices[k];
            if (strstr(path, ".obj")) {
                struct aiVector3D uv = read->mTextureCoords[0][at];
                assert_true(fabs((double)(uv.x - t->opacity[v])) <= 1.3e-7);
                assert_true(fabs((double)(uv.y - t->depth[v])) <= 1.3e-7 * 0.002);
            } else {
                struct aiColor4D c = read->mColors[0][at];
                assert_true(c.r == 1 && c.g == 1 && c.b == 1);
                assert_true(fabs((double)(c.a - t->opacity[v])) <= 0.51 / 255);
            }
        }
    if (strstr(path, ".obj")) return;
    const struct aiMaterial *material = scene->mMaterials[read->mMaterialIndex];
    struct aiColor4D base;
    assert_int_equal(aiGetMaterialColor(material, "$clr.base", 0, 0, &base), aiReturn_SUCCESS);
    assert_true(fabs((double)(base.b - t->mesh.color[2])) < 1e-6 && base.a == 1);
    struct aiString mode;
    assert_int_equal(aiGetMaterialString(material, "$mat.gltf.alphaMode", 0, 0, &mode),
                     aiReturn_SUCCESS);
    assert_string_equal(mode.data, "BLEND");
}

static void others_read_what_was_written(void **state)
{
    (void)state;
    // Text is read by this reader to the last bit but one; STL has the facets' own normals, which
    // are half a facet's angle off.
    const promise promises[READ] = {{files[0], 0, 0, false},
                                    {files[1], 1.3e-7, 0, false},
                                    {files[2], 0, 0, true},
                                    {files[3], 0, 0.25, false}};
    torus *t = make_torus();
    for (int i = 0; i < READ; i++) {
        write_or_fail(files[i], &t->mesh);
        const struct aiScene *scene = aiImportFile(files[i], 0);
        if (!scene) fail_msg("%s: %s", files[i], aiGetErrorString());
        assert_int_equal(scene->mNumMeshes, 1);
        compare(t, scene->mMeshes[0], &promises[i]);
        if (i == 0 || i == 2) assert_int_equal(scene->mMeshes[0]->mNumVertices, VERTICES);
        if (i == 1 || i == 2) check_look(t, scene, files[i]);
        aiReleaseImport(scene);
        remove(files[i]);
    }
    test_free(t);
}

// ---- Attributes, in the bytes -------------------------------------------------------------------

typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static bytes read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    bytes b = {.size = (size_t)ftell(file)};
    rewind(file);
    b.data = test_calloc(b.size + 1, 1);
    assert_int_equal(fread(b.data, 1, b.size, file), b.size);
    fclose(file);
    return b;
}

static uint32_t word_at(const char *at)
{
    uint32_t value = 0;
    for (int i = 3; i >= 0; i--) value = value << 8 | (unsigned char)at[i];
    return value;
}

static float float_at(const char *at)
{
    uint32_t word = word_at(at);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void ply_has_every_attribute(void **state)
{
    (void)state;
    torus *t = make_torus();
    write_or_fail("torus.ply", &t->mesh);
    bytes b = read_all("torus.ply");
    const char *const expected = "property float x\nproperty float y\nproperty float z\n"
                                 "property float nx\nproperty float ny\nproperty float nz\n"
                                 "property float opacity\nproperty float depth\n"
                                 "property float velocity_x\nproperty float velocity_y\n"
                                 "property float velocity_z\nelement face 1920\n";
    assert_non_null(strstr(b.data, expected));
    const char *row = strstr(b.data, "end_header\n") + strlen("end_header\n");
    for (int v = 0; v < VERTICES; v++, row += 4 * 11) {
        for (int k = 0; k < 3; k++) {
            assert_true(float_at(row + 4 * k) == t->positions[3 * v + k]);
            assert_true(float_at(row + 12 + 4 * k) == t->normals[3 * v + k]);
            assert_true(float_at(row + 32 + 4 * k) == t->velocity[3 * v + k]);
        }
        assert_true(float_at(row + 24) == t->opacity[v]);
        assert_true(float_at(row + 28) == t->depth[v]);
    }
    assert_int_equal(b.data + b.size - row, 13 * TRIANGLES);
    remove("torus.ply");
    test_free(b.data);
    test_free(t);
}

// The bytes of an array of a VTP, of the kind and size that are expected.
static const char *vtp_array(const bytes *b, const char *type, const char *name, int size,
                             size_t count)
{
    char wanted[160];
    int length = snprintf(wanted, sizeof wanted,
                          "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                          "format=\"appended\" offset=\"",
                          type, name, size);
    const char *at = strstr(b->data, wanted), *start = strstr(b->data, "encoding=\"raw\">\n_");
    if (!at || !start) fail_msg("no array %s", name);
    start += strlen("encoding=\"raw\">\n_") + strtoul(at + length, NULL, 10);
    assert_true(start + 8 + 4 * (size_t)size * count < b->data + b->size);
    assert_int_equal(word_at(start), 4 * (size_t)size * count);
    assert_int_equal(word_at(start + 4), 0);
    return start + 8;
}

static void vtp_has_every_attribute(void **state)
{
    (void)state;
    torus *t = make_torus();
    write_or_fail("torus.vtp", &t->mesh);
    bytes b = read_all("torus.vtp");
    assert_non_null(strstr(b.data, "NumberOfPoints=\"960\" "));
    assert_non_null(strstr(b.data, "NumberOfPolys=\"1920\""));
    assert_non_null(strstr(b.data, ">0.1</DataArray>"));
    const struct {
        const char *name;
        int size;
        const float *values;
    } arrays[] = {{"Points", 3, t->positions},
                  {"Normals", 3, t->normals},
                  {"opacity", 1, t->opacity},
                  {"depth", 1, t->depth},
                  {"velocity", 3, t->velocity}};
    for (int i = 0; i < 5; i++) {
        const char *at = vtp_array(&b, "Float32", arrays[i].name, arrays[i].size, VERTICES);
        for (int n = 0; n < VERTICES * arrays[i].size; n++, at += 4)
            assert_true(float_at(at) == arrays[i].values[n]);
    }
    const char *at = vtp_array(&b, "Int32", "connectivity", 1, 3 * TRIANGLES);
    for (int n = 0; n < 3 * TRIANGLES; n++, at += 4) assert_int_equal(word_at(at), t->indices[n]);
    at = vtp_array(&b, "Int32", "offsets", 1, TRIANGLES);
    for (int n = 0; n < TRIANGLES; n++, at += 4) assert_int_equal(word_at(at), 3 * n + 3);
    assert_string_equal(at, "\n  </AppendedData>\n</VTKFile>\n");
    remove("torus.vtp");
    test_free(b.data);
    test_free(t);
}

// Everything in a GLB is as long as it says, and its places come with their box.
static void glb_is_as_long_as_it_says(void **state)
{
    (void)state;
    torus *t = make_torus();
    write_or_fail("torus.glb", &t->mesh);
    bytes b = read_all("torus.glb");
    assert_memory_equal(b.data, "glTF", 4);
    assert_int_equal(word_at(b.data + 4), 2);
    assert_int_equal(word_at(b.data + 8), b.size);
    uint32_t json = word_at(b.data + 12);
    assert_memory_equal(b.data + 16, "JSON", 4);
    assert_int_equal(json % 4, 0);
    const char *bin = b.data + 20 + json;
    uint32_t length = word_at(bin);
    assert_memory_equal(bin + 4, "BIN", 4);
    // indices, three vectors, two numbers and a colour of four bytes
    assert_int_equal(length, 12 * TRIANGLES + 4 * (3 * 3 + 2 + 1) * VERTICES);
    assert_int_equal(bin + 8 + length - b.data, b.size);
    // velocity is the last array, y up like the places
    const char *at = b.data + b.size - 12 * VERTICES;
    for (int v = 0; v < VERTICES; v++, at += 12) {
        assert_true(float_at(at) == t->velocity[3 * v]);
        assert_true(float_at(at + 4) == t->velocity[3 * v + 2]);
        assert_true(float_at(at + 8) == -t->velocity[3 * v + 1]);
    }
    const char *box = strstr(b.data + 20, "\"min\":[");
    assert_non_null(box);
    double x = strtod(box + 7, NULL), low = (double)t->positions[0];
    for (int v = 0; v < VERTICES; v++) low = fmin(low, (double)t->positions[3 * v]);
    assert_true(x == low);
    remove("torus.glb");
    test_free(b.data);
    test_free(t);
}

// A mesh is refused by its size alone, before a byte of it is read or written.
static void what_a_format_cannot_hold_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *path;
        size_t vertices, triangles;
    } large[] = {{"large.glb", (size_t)1 << 26, (size_t)1 << 27},
                 {"large.glb", 3, (size_t)1 << 60},
                 {"large.vtp", (size_t)1 << 31, 1},
                 {"large.vtp", 3, (size_t)1 << 30},
                 {"large.stl", 3, (size_t)1 << 32}};
    torus *t = make_torus();
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        t->mesh.vertex_count = large[i].vertices, t->mesh.triangle_count = large[i].triangles;
        rv_messages messages = {0};
        char line[160];
        snprintf(line, sizeof line,
                 "%s: %zu vertices and %zu triangles are more than a %s can hold", large[i].path,
                 large[i].vertices, large[i].triangles, large[i].path + 5);
        assert_false(rv_mesh_write(large[i].path, &t->mesh, &messages));
        assert_string_equal(messages.text, line);
        assert_int_equal(access(large[i].path, F_OK), -1);
    }
    test_free(t);
}

static void text_gives_every_float_back(void **state)
{
    (void)state;
    torus *t = make_torus();
    write_or_fail("torus.obj", &t->mesh);
    FILE *file = fopen("torus.obj", "r");
    char line[128];
    int found[2] = {0, 0};
    while (fgets(line, sizeof line, file)) {
        int normal = strncmp(line, "vn ", 3) == 0;
        if (!normal && strncmp(line, "v ", 2) != 0) continue;
        const float *values = (normal ? t->normals : t->positions) + 3 * found[normal]++;
        char *at = strchr(line, ' ');
        for (int k = 0; k < 3; k++) assert_true(strtof(at, &at) == values[k]);
    }
    assert_int_equal(found[0], VERTICES);
    assert_int_equal(found[1], VERTICES);
    fclose(file);
    remove("torus.obj");
    test_free(t);
}

static long size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

// Sizes follow from the formats.
static void sizes_are_those_of_the_formats(void **state)
{
    (void)state;
    torus *t = make_torus();
    write_or_fail("torus.stl", &t->mesh);
    assert_int_equal(size_of("torus.stl"), 84 + 50 * TRIANGLES);
    write_or_fail("torus.ply", &t->mesh);
    FILE *file = fopen("torus.ply", "rb");
    char line[128];
    while (fgets(line, sizeof line, file) && strcmp(line, "end_header\n") != 0) {
    }
    long header = ftell(file);
    fclose(file);
    assert_int_equal(size_of("torus.ply"), header + 44 * VERTICES + 13 * TRIANGLES);

    // without normals and attributes, and with nothing in it
    t->mesh.normals = NULL;
    t->mesh.attribute_count = 0;
    write_or_fail("torus.obj", &t->mesh);
    const struct aiScene *scene = aiImportFile("torus.obj", 0);
    assert_non_null(scene);
    assert_int_equal(scene->mMeshes[0]->mNumFaces, TRIANGLES);
    assert_null(scene->mMeshes[0]->mNormals);
    assert_null(scene->mMeshes[0]->mTextureCoords[0]);
    aiReleaseImport(scene);
    t->mesh.vertex_count = t->mesh.triangle_count = 0;
    write_or_fail("torus.stl", &t->mesh);
    assert_int_equal(size_of("torus.stl"), 84);
    for (int i = 0; i < FILES; i++) {
        write_or_fail(files[i], &t->mesh);
        assert_true(size_of(files[i]) > 0);
        remove(files[i]);
    }
    test_free(t);
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    torus *t = make_torus();
    const char *const names[] = {"torus.xyz", "torus", "torus.PLy", "dir.ply/torus", ".ply/", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rv_messages messages = {0};
        char line[128];
        snprintf(line, sizeof line, "%s: the name must end in " ENDINGS "\n", names[i]);
        assert_false(rv_mesh_write(names[i], &t->mesh, &messages));
        assert_int_equal(messages.count, 1);
        assert_memory_equal(messages.text, line, strlen(line) - 1);
        assert_int_equal(size_of(names[i]), -1);
    }
    rv_messages messages = {0};
    assert_false(rv_mesh_write_check("--terrain", "a.xyz", &messages));
    assert_string_equal(messages.text, "--terrain a.xyz: the name must end in " ENDINGS);
    memset(&messages, 0, sizeof messages);
    assert_false(rv_mesh_write_check("--terrain", "/dev/null", &messages));
    assert_string_equal(messages.text, "--terrain /dev/null: the name must end in " ENDINGS);
    memset(&messages, 0, sizeof messages);
    assert_false(rv_mesh_write_check("--terrain", "nowhere/a.ply", &messages));
    assert_int_equal(messages.count, 1);
    memset(&messages, 0, sizeof messages);
    assert_true(rv_mesh_write_check("--terrain", "a.ply", &messages));
    assert_int_equal(messages.count, 0);
    test_free(t);
}

static void what_cannot_be_written_is_told(void **state)
{
    (void)state;
    torus *t = make_torus();
    for (int i = 0; i < FILES; i++) {
        char path[64];
        rv_messages messages = {0};
        snprintf(path, sizeof path, "full-%s", files[i]);
        remove(path);
        if (symlink("/dev/full", path) != 0) skip();
        assert_false(rv_mesh_write(path, &t->mesh, &messages));
        assert_int_equal(messages.count, 1);
        remove(path);
        snprintf(path, sizeof path, "nowhere/%s", files[i]);
        memset(&messages, 0, sizeof messages);
        assert_false(rv_mesh_write(path, &t->mesh, &messages));
        assert_int_equal(messages.count, 1);
    }
    test_free(t);
}

// A file that cannot be finished leaves nothing behind, and the old one as it was.
static void files_are_whole_or_not_there(void **state)
{
    (void)state;
    torus *t = make_torus();
    for (int i = 0; i < FILES; i++) {
        write_or_fail(files[i], &t->mesh);
        long before = size_of(files[i]);
        struct rlimit limit, small;
        getrlimit(RLIMIT_FSIZE, &limit);
        small = limit, small.rlim_cur = 20000;
        void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
        rv_messages messages = {0};
        bool written = rv_mesh_write(files[i], &t->mesh, &messages);
        setrlimit(RLIMIT_FSIZE, &limit);
        signal(SIGXFSZ, old);
        assert_false(written);
        assert_int_equal(messages.count, 1);
        assert_int_equal(size_of(files[i]), before);
        glob_t left;
        assert_int_equal(glob("*.part", 0, NULL, &left), GLOB_NOMATCH);
        remove(files[i]);
    }
    test_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_read_what_was_written),
        cmocka_unit_test(ply_has_every_attribute),
        cmocka_unit_test(vtp_has_every_attribute),
        cmocka_unit_test(glb_is_as_long_as_it_says),
        cmocka_unit_test(what_a_format_cannot_hold_is_refused),
        cmocka_unit_test(text_gives_every_float_back),
        cmocka_unit_test(sizes_are_those_of_the_formats),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(files_are_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
