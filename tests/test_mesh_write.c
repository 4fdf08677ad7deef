// Mesh files, read back by a reader that is not ours: counts, places, normals and the side that is
// outside.
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

static const char *const files[] = {"torus.ply", "torus.obj", "torus.stl"};

typedef struct torus {
    rv_mesh mesh;
    float positions[3 * VERTICES], normals[3 * VERTICES];
    uint32_t indices[3 * TRIANGLES];
} torus;

static uint32_t vertex(int i, int j)
{
    return (uint32_t)(i % AROUND * ALONG + j % ALONG);
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
    t->mesh = (rv_mesh){.positions = t->positions, .normals = t->normals, .indices = t->indices};
    t->mesh.vertex_count = VERTICES, t->mesh.triangle_count = TRIANGLES;
    return t;
}

static void write_or_fail(const char *path, const rv_mesh *mesh)
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
} promise;

static void compare(const torus *t, const struct aiMesh *read, const promise *p)
{
    assert_int_equal(read->mNumFaces, TRIANGLES);
    assert_non_null(read->mNormals);
    double volume = 0;
    for (unsigned f = 0; f < TRIANGLES; f++) {
        const struct aiFace *face = &read->mFaces[f];
        assert_int_equal(face->mNumIndices, 3);
        for (unsigned k = 0; k < 3; k++) {
            uint32_t v = t->indices[3 * f + k];
            if (difference(t->positions + 3 * v, read->mVertices[face->mIndices[k]], p->share) > 0)
                fail_msg("%s: corner %u of triangle %u is elsewhere", p->path, k, f);
            double off =
                difference(t->normals + 3 * v, read->mNormals[face->mIndices[k]], p->share);
            if (off > p->normal)
                fail_msg("%s: the normal at corner %u of triangle %u is %g off", p->path, k, f,
                         off);
        }
        volume += wedge(read->mVertices[face->mIndices[0]], read->mVertices[face->mIndices[1]],
                        read->mVertices[face->mIndices[2]]) /
                  6;
    }
    double ideal = 2 * 9.8696044010894 * 0.02 * 0.005 * 0.005; // 2 π² R r²
    if (fabs(volume - ideal) > 0.03 * ideal)
        fail_msg("%s: encloses %g m³, not %g", p->path, volume, ideal);
}

static void others_read_what_was_written(void **state)
{
    (void)state;
    // Text is read by this reader to the last bit but one; STL has the facets' own normals, which
    // are half a facet's angle off.
    const promise promises[] = {{files[0], 0, 0}, {files[1], 1.3e-7, 0}, {files[2], 0, 0.25}};
    torus *t = make_torus();
    for (int i = 0; i < 3; i++) {
        write_or_fail(files[i], &t->mesh);
        const struct aiScene *scene = aiImportFile(files[i], 0);
        if (!scene) fail_msg("%s: %s", files[i], aiGetErrorString());
        assert_int_equal(scene->mNumMeshes, 1);
        compare(t, scene->mMeshes[0], &promises[i]);
        if (i == 0) assert_int_equal(scene->mMeshes[0]->mNumVertices, VERTICES);
        aiReleaseImport(scene);
        remove(files[i]);
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
    assert_int_equal(size_of("torus.ply"), header + 24 * VERTICES + 13 * TRIANGLES);

    // without normals, and with nothing in it
    t->mesh.normals = NULL;
    write_or_fail("torus.obj", &t->mesh);
    const struct aiScene *scene = aiImportFile("torus.obj", 0);
    assert_non_null(scene);
    assert_int_equal(scene->mMeshes[0]->mNumFaces, TRIANGLES);
    assert_null(scene->mMeshes[0]->mNormals);
    aiReleaseImport(scene);
    t->mesh.vertex_count = t->mesh.triangle_count = 0;
    write_or_fail("torus.stl", &t->mesh);
    assert_int_equal(size_of("torus.stl"), 84);
    write_or_fail("torus.ply", &t->mesh);
    write_or_fail("torus.obj", &t->mesh);
    for (int i = 0; i < 3; i++) remove(files[i]);
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
        snprintf(line, sizeof line, "%s: the name must end in .ply or .obj or .stl\n", names[i]);
        assert_false(rv_mesh_write(names[i], &t->mesh, &messages));
        assert_int_equal(messages.count, 1);
        assert_memory_equal(messages.text, line, strlen(line) - 1);
        assert_int_equal(size_of(names[i]), -1);
    }
    rv_messages messages = {0};
    assert_false(rv_mesh_write_check("--terrain", "a.xyz", &messages));
    assert_string_equal(messages.text,
                        "--terrain a.xyz: the name must end in .ply or .obj or .stl");
    memset(&messages, 0, sizeof messages);
    assert_false(rv_mesh_write_check("--terrain", "/dev/null", &messages));
    assert_string_equal(messages.text,
                        "--terrain /dev/null: the name must end in .ply or .obj or .stl");
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
    for (int i = 0; i < 3; i++) {
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
    for (int i = 0; i < 3; i++) {
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
        cmocka_unit_test(text_gives_every_float_back),
        cmocka_unit_test(sizes_are_those_of_the_formats),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(files_are_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
