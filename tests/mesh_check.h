// What every mesh that is said to be closed must be: shared by the tests that make some. Include
// cmocka.h first.
#ifndef RV_TESTS_MESH_CHECK_H
#define RV_TESTS_MESH_CHECK_H

#include "rivulet/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Directed edges, sorted: from in the high half.
static uint64_t *sorted_edges(const rv_mesh *mesh)
{
    size_t count = 3 * mesh->triangle_count;
    uint64_t *edges = test_malloc((count + 1) * sizeof *edges);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (uint64_t)a << 32 | b;
    }
    qsort(edges, count, sizeof *edges, compare_words);
    return edges;
}

// Every edge once in each direction; with *open_edges not NULL, edges with one triangle are counted
// instead of being an error.
static void check_edges(const rv_mesh *mesh, size_t *open_edges, const char *what)
{
    size_t count = 3 * mesh->triangle_count, open = 0;
    uint64_t *edges = sorted_edges(mesh);
    for (size_t i = 0; i < count; i++) {
        uint64_t back = edges[i] << 32 | edges[i] >> 32;
        if (i > 0 && edges[i] == edges[i - 1])
            fail_msg("%s: edge %u %u is there twice", what, (unsigned)(edges[i] >> 32),
                     (unsigned)edges[i]);
        if (!bsearch(&back, edges, count, sizeof *edges, compare_words)) open++;
    }
    test_free(edges);
    if (open_edges)
        *open_edges = open;
    else if (open > 0)
        fail_msg("%s: %zu open edges", what, open);
}

static rv_vec3 corner_of(const rv_mesh *mesh, size_t triangle, int corner)
{
    const float *p = mesh->positions + 3 * (size_t)mesh->indices[3 * triangle + (size_t)corner];
    return (rv_vec3){(double)p[0], (double)p[1], (double)p[2]};
}

static rv_vec3 vector(rv_vec3 from, rv_vec3 to)
{
    return (rv_vec3){to.x - from.x, to.y - from.y, to.z - from.z};
}

static rv_vec3 cross_product(rv_vec3 a, rv_vec3 b)
{
    return (rv_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot_product(rv_vec3 a, rv_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Twice the area, along the normal.
static rv_vec3 spread_of(const rv_mesh *mesh, size_t triangle)
{
    rv_vec3 a = corner_of(mesh, triangle, 0);
    return cross_product(vector(a, corner_of(mesh, triangle, 1)),
                         vector(a, corner_of(mesh, triangle, 2)));
}

static double volume_of(const rv_mesh *mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        sum += dot_product(corner_of(mesh, t, 0), spread_of(mesh, t)) / 6;
    return sum;
}

// Indices in range, three different ones, some area, every vertex used, normals unit.
static void check_triangles(const rv_mesh *mesh, const char *what)
{
    unsigned char *used = test_calloc(mesh->vertex_count + 1, 1);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->indices + 3 * t;
        for (int c = 0; c < 3; c++) {
            if (v[c] >= mesh->vertex_count) fail_msg("%s: index %u", what, v[c]);
            used[v[c]] = 1;
        }
        rv_vec3 n = spread_of(mesh, t);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || !(dot_product(n, n) > 0))
            fail_msg("%s: triangle %zu (%u %u %u) has no area", what, t, v[0], v[1], v[2]);
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        if (!used[i]) fail_msg("%s: vertex %zu belongs to no triangle", what, i);
        if (!mesh->normals) continue;
        const float *n = mesh->normals + 3 * i;
        double size = sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] +
                           (double)n[2] * (double)n[2]);
        if (!(fabs(size - 1) < 1e-5)) fail_msg("%s: normal %zu has length %g", what, i, size);
    }
    test_free(used);
}

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(float));
}

// No two vertices in the same place.
static void check_places(const rv_mesh *mesh, const char *what)
{
    float(*place)[3] = test_malloc((mesh->vertex_count + 1) * sizeof *place);
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
        place[i / 3][i % 3] = mesh->positions[i] + 0.0f; // no -0
    qsort(place, mesh->vertex_count, sizeof *place, compare_places);
    for (size_t i = 1; i < mesh->vertex_count; i++)
        if (compare_places(place[i], place[i - 1]) == 0)
            fail_msg("%s: two vertices at (%g, %g, %g)", what, (double)place[i][0],
                     (double)place[i][1], (double)place[i][2]);
    test_free(place);
}

static void check_closed(const rv_mesh *mesh, const char *what)
{
    check_triangles(mesh, what);
    check_edges(mesh, NULL, what);
    check_places(mesh, what);
}

#endif
