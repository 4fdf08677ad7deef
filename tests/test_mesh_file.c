// Mesh files: the same cube from every format, transforms, what is skipped, and what is refused,
// each with one line. The small files are those of fuzz/corpus.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/mesh_file.h"
#include "io/mesh_read.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CORPUS RV_SOURCE_DIR "/fuzz/corpus/"

static void load(const char *path, rv_mesh_file *mesh)
{
    rv_messages messages = {0};
    bool good = rv_mesh_file_load(path, mesh, &messages);
    if (!good) print_message("%s\n", messages.text);
    assert_true(good);
    assert_int_equal(messages.count, 0);
}

// A file of the corpus, refused with this line.
static void refused(const char *path, const char *why)
{
    rv_mesh_file mesh;
    rv_messages messages = {0};
    char line[4096];
    assert_false(rv_mesh_file_load(path, &mesh, &messages));
    snprintf(line, sizeof line, "%s: %s", path, why);
    assert_string_equal(messages.text, line);
    assert_int_equal(messages.count, 1);
    assert_null(mesh.positions);
    assert_null(mesh.indices);
}

static double volume_of(const rv_mesh_file *m)
{
    double sum = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const float *a = m->positions + 3 * m->indices[3 * t];
        const float *b = m->positions + 3 * m->indices[3 * t + 1];
        const float *c = m->positions + 3 * m->indices[3 * t + 2];
        sum += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                        a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
    }
    return sum;
}

static void box_of(const rv_mesh_file *m, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < 3 * m->vertex_count; i++) {
        double x = (double)m->positions[i];
        low[i % 3] = fmin(low[i % 3], x), high[i % 3] = fmax(high[i % 3], x);
    }
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// ---- What is read -------------------------------------------------------------------------------

// The cube of edge 1 with one corner at the origin, outward triangles.
static void cube_in_every_format(void **state)
{
    (void)state;
    static const struct {
        const char *file, *format;
        rv_length_unit unit;
        rv_up_axis up;
    } cubes[] = {
        {"stl/binary.stl", "binary stl", RV_UNIT_AUTO, RV_UP_AUTO},
        {"stl/text.stl", "ascii stl", RV_UNIT_AUTO, RV_UP_AUTO},
        {"ply/text.ply", "ascii ply", RV_UNIT_AUTO, RV_UP_AUTO},
        {"ply/windows.ply", "ascii ply", RV_UNIT_AUTO, RV_UP_AUTO},
        {"ply/little.ply", "binary ply", RV_UNIT_AUTO, RV_UP_AUTO},
        {"ply/big.ply", "binary ply", RV_UNIT_AUTO, RV_UP_AUTO},
        {"obj/cube.obj", "obj", RV_UNIT_AUTO, RV_UP_AUTO},
        {"obj/utf16.obj", "obj", RV_UNIT_AUTO, RV_UP_AUTO},
        {"gltf/cube.gltf", "gltf", RV_UNIT_M, RV_UP_Y},
        {"gltf/rich.gltf", "gltf", RV_UNIT_M, RV_UP_Y},
        {"gltf/cube.glb", "glb", RV_UNIT_M, RV_UP_Y},
    };
    for (size_t i = 0; i < sizeof cubes / sizeof cubes[0]; i++) {
        char path[1024];
        rv_mesh_file mesh;
        snprintf(path, sizeof path, CORPUS "%s", cubes[i].file);
        load(path, &mesh);
        assert_int_equal(mesh.triangle_count, 12);
        assert_string_equal(mesh.format, cubes[i].format);
        assert_int_equal(mesh.unit, cubes[i].unit);
        assert_int_equal(mesh.up, cubes[i].up);
        assert_int_equal(mesh.parts, 1);
        assert_int_equal(mesh.skipped, 0);
        for (size_t k = 0; k < 3 * mesh.vertex_count; k++)
            assert_true(mesh.positions[k] == 0.0f || mesh.positions[k] == 1.0f);
        assert_true(fabs(volume_of(&mesh) - 1) < 1e-12);
        rv_mesh_file_free(&mesh);
        assert_null(mesh.positions);
    }
}

// Two placements of the cube below a node that turns y to z; one of them mirrored, which must not
// turn its triangles inside out.
static void nodes_place_their_meshes(void **state)
{
    (void)state;
    rv_mesh_file mesh;
    double low[3], high[3];
    load(CORPUS "gltf/placed.gltf", &mesh);
    assert_int_equal(mesh.triangle_count, 24);
    assert_int_equal(mesh.parts, 2);
    assert_true(fabs(volume_of(&mesh) - 2) < 1e-5);
    box_of(&mesh, low, high);
    static const double want_low[3] = {-1, -4, 0}, want_high[3] = {2, 0, 3};
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(low[k] - want_low[k]) < 1e-6);
        assert_true(fabs(high[k] - want_high[k]) < 1e-6);
    }
    rv_mesh_file_free(&mesh);
}

static void what_is_no_triangle_is_skipped(void **state)
{
    (void)state;
    rv_mesh_file mesh;
    load(CORPUS "obj/rich.obj", &mesh); // its material file is not there, and is not missed
    assert_int_equal(mesh.triangle_count, 3);
    assert_int_equal(mesh.parts, 2);
    assert_int_equal(mesh.skipped, 2); // a line, a point
    rv_mesh_file_free(&mesh);
    load(CORPUS "obj/polygon.obj", &mesh);
    assert_int_equal(mesh.triangle_count, 38);
    rv_mesh_file_free(&mesh);
    load(CORPUS "stl/two.stl", &mesh);
    assert_int_equal(mesh.triangle_count, 2);
    assert_int_equal(mesh.parts, 2);
    rv_mesh_file_free(&mesh);
    load(CORPUS "stl/binary_tail.stl", &mesh);
    assert_int_equal(mesh.triangle_count, 2);
    rv_mesh_file_free(&mesh);
}

// ---- What is refused ----------------------------------------------------------------------------

static void damage_is_named(void **state)
{
    (void)state;
    refused(CORPUS "stl/cut.stl", "cut short: 1200 triangles announced, 3 there");
    refused(CORPUS "stl/many.stl", "cut short: 4294967295 triangles announced, 3 there");
    refused(CORPUS "stl/wraps.stl", "cut short: 85899348 triangles announced, 3 there");
    refused(CORPUS "stl/none.stl", "has no triangles");
    refused(CORPUS "stl/nan.stl", "triangle 1 is not finite");
    refused(CORPUS "stl/text_cut.stl", "cut short: facet 12 does not end");
    refused(CORPUS "stl/text_four.stl", "line 7: a facet has three vertices");
    refused(CORPUS "stl/text_nan.stl", "line 4: a vertex needs three numbers");
    refused(CORPUS "ply/cut.ply", "cut short: 6 faces announced, 4 there");
    refused(CORPUS "ply/many_vertices.ply", "cut short: 2000000000 vertices announced, 16 there");
    refused(CORPUS "ply/many_faces.ply", "cut short: 4000000000 faces announced, 102 there");
    refused(CORPUS "ply/index.ply", "face 0: vertex 8 of 8");
    refused(CORPUS "ply/negative.ply", "face 0: vertex -3 of 8");
    refused(CORPUS "ply/nan.ply", "cut short: 8 vertices announced, 7 there");
    refused(CORPUS "ply/two_faces.ply", "header: `element face 40` is not understood");
    refused(CORPUS "ply/no_end.ply", "cut short: its header does not end");
    refused(CORPUS "obj/index.obj", "line 9: vertex 9 of 8");
    refused(CORPUS "obj/zero.obj", "line 9: vertex 0 of 8");
    refused(CORPUS "obj/huge.obj", "line 9: an index is a whole number");
    refused(CORPUS "obj/nan.obj", "line 9: a vertex needs three finite numbers");
    refused(CORPUS "obj/inf.obj", "line 9: a vertex needs three finite numbers");
    refused(CORPUS "obj/points.obj", "has no triangles");
    refused(CORPUS "gltf/count.gltf", "an accessor of 1000000000 elements");
    refused(CORPUS "gltf/view.gltf", "a buffer view is larger than its buffer");
    refused(CORPUS "gltf/length.gltf", "cut short: buffer 0 of 2000000000 bytes, 168 there");
    refused(CORPUS "gltf/length.glb", "cut short: buffer 0 of 100000 bytes, 168 there");
    refused(CORPUS "gltf/cycle.gltf", "nodes within nodes without end");
    refused(CORPUS "gltf/twice.gltf", "node 1 is in two places");
    refused(CORPUS "gltf/missing.gltf", "a part of a mesh has no places");
    refused(CORPUS "gltf/types.gltf", "`scene` has a value of the wrong kind");
    refused(CORPUS "gltf/deep.gltf", "its JSON is damaged: nested too deeply");
    refused(CORPUS "gltf/cut.gltf", "its JSON is damaged: a string does not end");
    refused(CORPUS "gltf/escaped.gltf", "keys with a backslash are not read");
    refused(CORPUS "gltf/points.gltf", "has no triangles");
    refused("not_there.stl", "no such file");
    refused(CORPUS "scene/good.yaml",
            "is no mesh that is read here; OBJ, STL, PLY, glTF and GLB are");
    refused("/dev/zero", "is not a regular file");
    mkdir("folder.stl", 0777); // it may be there from the last time
    refused("folder.stl", "is a folder");
}

// Files beside a mesh are read from its own folder, and no others.
static void references_stay_in_the_folder(void **state)
{
    (void)state;
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"
        ","
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}]}";
    static const float places[9] = {0, 0, 0, 2, 0, 0, 0, 3, 0};
    char whole[2048];
    rv_mesh_file mesh;
    mkdir("inner", 0777); // it may be there from the last time
    write_file("places.bin", places, sizeof places);
    write_file("inner/places.bin", places, sizeof places);
    write_file("short.bin", places, 20);
    snprintf(whole, sizeof whole, text, "places.bin");
    write_file("inner/beside.gltf", whole, strlen(whole));
    load("inner/beside.gltf", &mesh);
    assert_int_equal(mesh.triangle_count, 1);
    assert_true(mesh.positions[3 * mesh.indices[1]] == 2.0f);
    assert_true(mesh.positions[3 * mesh.indices[2] + 1] == 3.0f);
    rv_mesh_file_free(&mesh);
    snprintf(whole, sizeof whole, text, "inner/places.bin");
    write_file("below.gltf", whole, strlen(whole));
    load("below.gltf", &mesh);
    rv_mesh_file_free(&mesh);
    snprintf(whole, sizeof whole, text, "../places.bin");
    write_file("inner/above.gltf", whole, strlen(whole));
    refused("inner/above.gltf", "`../places.bin`: no such file in its own folder");
    snprintf(whole, sizeof whole, text, "/etc/passwd");
    write_file("far.gltf", whole, strlen(whole));
    refused("far.gltf", "`/etc/passwd`: no such file in its own folder");
    snprintf(whole, sizeof whole, text, "short.bin");
    write_file("short.gltf", whole, strlen(whole));
    refused("short.gltf", "`short.bin`: cut short: 36 bytes announced, 20 there");
}

// Good files cut anywhere: refused with one line, or read, when nothing that matters is missing.
static void cut_anywhere(void **state)
{
    (void)state;
    static const char *const files[] = {"stl/binary.stl", "stl/text.stl", "ply/text.ply",
                                        "ply/little.ply", "obj/cube.obj", "gltf/cube.glb"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024], extension[16];
        rv_messages messages = {0};
        rv_file_bytes file;
        snprintf(path, sizeof path, CORPUS "%s", files[i]);
        rv_file_extension(path, extension, sizeof extension);
        assert_true(rv_file_read(path, 1 << 20, &file, &messages));
        for (size_t size = 0; size < file.size; size += 1 + file.size / 40) {
            rv_mesh_file mesh;
            rv_messages told = {0};
            bool good = rv_mesh_file_load_memory(file.data, size, extension, "cut", &mesh, &told);
            assert_int_equal(told.count, good ? 0 : 1);
            if (!good) assert_memory_equal(told.text, "cut: ", 5);
            assert_null(strstr(told.text, "broke down"));
            rv_mesh_file_free(&mesh);
        }
        rv_file_bytes_free(&file);
    }
}

// A file that breaks assimp, past all checks: its process ends, this one goes on.
static void breakdown_of_assimp(void **state)
{
    (void)state;
    size_t size = 2000000;
    rv_file_bytes file = {malloc(size + 1), size};
    assert_non_null(file.data);
    memcpy(file.data, "{\"asset\":", 9);
    memset(file.data + 9, '[', size - 9);
    file.data[size] = 0;
    rv_mesh_file mesh = {0};
    rv_messages messages = {0};
    rv_mesh_reader reader = {NULL, "deep", &mesh, &messages};
    assert_false(rv_mesh_import_apart(&reader, &file, "gltf"));
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.text, "deep: assimp broke down on it"));
    free(file.data);
}

// ---- Meshes nobody here made --------------------------------------------------------------------

static int try_model(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)where;
    if (kind != FTW_F || !rv_mesh_file_is(path)) return 0;
    rv_mesh_file mesh;
    rv_messages messages = {0};
    bool good = rv_mesh_file_load(path, &mesh, &messages);
    assert_int_equal(messages.count, good ? 0 : 1);
    assert_null(strstr(messages.text, "broke down"));
    rv_mesh_file_free(&mesh);
    return 0;
}

// Debian's assimp-testmodels, where they are installed.
static void models_of_others(void **state)
{
    (void)state;
    static const char folder[] = "/usr/share/assimp/models";
    struct stat about;
    rv_mesh_file mesh;
    if (stat(folder, &about) != 0) skip();
    assert_int_equal(nftw(folder, try_model, 16, FTW_PHYS), 0);
    load("/usr/share/assimp/models/STL/Spider_binary.stl", &mesh);
    assert_int_equal(mesh.triangle_count, 1368);
    rv_mesh_file_free(&mesh);
    load("/usr/share/assimp/models/OBJ/spider.obj", &mesh);
    assert_int_equal(mesh.triangle_count, 1368);
    rv_mesh_file_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_in_every_format),
        cmocka_unit_test(nodes_place_their_meshes),
        cmocka_unit_test(what_is_no_triangle_is_skipped),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(references_stay_in_the_folder),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(breakdown_of_assimp),
        cmocka_unit_test(models_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
