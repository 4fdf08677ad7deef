// The page's own readers of mesh files beside assimp: the same triangles, from the same checked
// bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/mesh_direct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Compiled here, because the command does without them.
#include "web/mesh_direct.c"
#include "web/mesh_direct_glb.c"
#include "web/mesh_direct_ply.c"

static bool load(const char *path, bool direct, rv_mesh_file *out, rv_messages *messages)
{
    rv_file_bytes file;
    char extension[16];
    *out = (rv_mesh_file){0};
    rv_file_extension(path, extension, sizeof extension);
    if (!rv_file_read(path, RV_MESH_BYTES_MAX, &file, messages)) return false;
    rv_mesh_reader reader = {path, path, out, messages};
    bool good = rv_mesh_check(&reader, &file, extension) &&
                (direct ? rv_mesh_direct(&reader, &file, extension)
                        : rv_mesh_import(&reader, &file, extension)) &&
                rv_mesh_verify(&reader);
    rv_file_bytes_free(&file);
    if (!good) rv_mesh_file_free(out);
    return good;
}

// What does not depend on how a face was cut or where it began: area, volume, and both ends of the
// box.
typedef struct numbers_of {
    double area, volume, low[3], high[3];
} numbers_of;

static numbers_of measure(const rv_mesh_file *m)
{
    numbers_of n = {0, 0, {1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
    for (size_t t = 0; t < m->triangle_count; t++) {
        double p[3][3];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) {
                p[k][a] = (double)m->positions[3 * m->indices[3 * t + (size_t)k] + (size_t)a];
                n.low[a] = fmin(n.low[a], p[k][a]), n.high[a] = fmax(n.high[a], p[k][a]);
            }
        double u[3], v[3], c[3];
        for (int a = 0; a < 3; a++) u[a] = p[1][a] - p[0][a], v[a] = p[2][a] - p[0][a];
        for (int a = 0; a < 3; a++)
            c[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
        n.area += 0.5 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        n.volume += (p[0][0] * c[0] + p[0][1] * c[1] + p[0][2] * c[2]) / 6;
    }
    return n;
}

static void near(double a, double b, double size, const char *path, const char *what)
{
    if (!(fabs(a - b) <= 1e-5 * size)) fail_msg("%s: %s %.9g, assimp has %.9g", path, what, a, b);
}

static void same(const char *path)
{
    rv_mesh_file ours, theirs;
    rv_messages messages = {0};
    bool good = load(path, false, &theirs, &messages);
    rv_messages own = {0};
    bool mine = load(path, true, &ours, &own);
    if (good != mine)
        fail_msg("%s: %s here, %s by assimp: %s%s", path, mine ? "read" : "refused",
                 good ? "read" : "refused", own.text, messages.text);
    if (!good) return;
    numbers_of a = measure(&ours), b = measure(&theirs);
    assert_int_equal(ours.triangle_count, theirs.triangle_count);
    for (int k = 0; k < 3; k++) {
        double size = b.high[k] - b.low[k] + fabs(b.high[k]);
        near(a.low[k], b.low[k], size, path, "low");
        near(a.high[k], b.high[k], size, path, "high");
    }
    near(a.area, b.area, b.area, path, "area");
    near(a.volume, b.volume, fabs(b.volume) + 1e-3 * pow(b.area, 1.5), path, "volume");
    rv_mesh_file_free(&ours);
    rv_mesh_file_free(&theirs);
}

static void files_are_read_alike(void **state)
{
    (void)state;
    static const char *const files[] = {
        "tests/data/inspect-cube.obj",     "tests/data/inspect-cube.stl",
        "tests/data/inspect-cube.ply",     "tests/data/inspect-cube.glb",
        "tests/data/inspect-open.obj",     "fuzz/corpus/obj/cube.obj",
        "fuzz/corpus/obj/polygon.obj",     "fuzz/corpus/obj/rich.obj",
        "fuzz/corpus/obj/slashes.obj",     "fuzz/corpus/obj/utf16.obj",
        "fuzz/corpus/obj/index.obj",       "fuzz/corpus/stl/binary.stl",
        "fuzz/corpus/stl/binary_tail.stl", "fuzz/corpus/stl/text.stl",
        "fuzz/corpus/stl/two.stl",         "fuzz/corpus/stl/windows.stl",
        "fuzz/corpus/stl/cut.stl",         "fuzz/corpus/ply/big.ply",
        "fuzz/corpus/ply/little.ply",      "fuzz/corpus/ply/text.ply",
        "fuzz/corpus/ply/extra.ply",       "fuzz/corpus/ply/windows.ply",
        "fuzz/corpus/ply/list.ply",        "fuzz/corpus/ply/cut.ply",
        "fuzz/corpus/gltf/cube.glb",       "fuzz/corpus/gltf/cut.glb",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, RV_SOURCE_DIR "/%s", files[i]);
        same(path);
    }
}

// Nodes within nodes, turned, scaled and mirrored.
static void placed_meshes_are_placed(void **state)
{
    (void)state;
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
        "{\"children\":[1],\"translation\":[1,2,3],\"rotation\":[0,0.38268343,0,0.92387953]},"
        "{\"mesh\":0,\"scale\":[-2,1,1],\"translation\":[0,0,4]}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":5}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
        "\"min\":[0,0,0],\"max\":[1,1,0]}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],\"buffers\":[{\"byteLength\":48}]}";
    static const float places[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    uint32_t length = (uint32_t)(sizeof json - 1), padded = (length + 3) / 4 * 4;
    uint32_t head[5] = {0x46546c67, 2, 12 + 8 + padded + 8 + 48, padded, 0x4e4f534a};
    uint32_t chunk[2] = {48, 0x004e4942};
    FILE *out = fopen("placed.glb", "wb");
    assert_non_null(out);
    fwrite(head, 4, 5, out);
    fprintf(out, "%s%*s", json, (int)(padded - length), "");
    fwrite(chunk, 4, 2, out);
    fwrite(places, 4, 12, out);
    fclose(out);
    rv_mesh_file mesh;
    rv_messages messages = {0};
    if (!load("placed.glb", true, &mesh, &messages)) fail_msg("%s", messages.text);
    assert_int_equal(mesh.triangle_count, 2);
    // (1,1,0) is scaled to (-2,1,0), moved to (-2,1,4), turned by 45 degrees about y, moved.
    double c = sqrt(0.5), want[3] = {-2 * c + 4 * c + 1, 1 + 2, 2 * c + 4 * c + 3};
    for (int a = 0; a < 3; a++) assert_true(fabs((double)mesh.positions[9 + a] - want[a]) < 1e-5);
    rv_mesh_file_free(&mesh);
    same("placed.glb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_alike),
        cmocka_unit_test(placed_meshes_are_placed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
