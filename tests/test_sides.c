// The liquid at the sides of the grid: a full tank is covered to its corners and closed all around.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/sides.h"

#include <math.h>

enum { NX = 7, NY = 5 };
#define DX 1e-3
#define LEVEL 4e-3

static const float everywhere[2][2] = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};

static const float *place_of(const rv_surface_mesh *mesh, const rv_sides *sides, uint32_t vertex)
{
    if (vertex < mesh->vertex_count) return mesh->positions + 3 * (size_t)vertex;
    return sides->vertices[vertex - mesh->vertex_count].position;
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%g is not %g", a, b);
}

// Areas as seen along each axis, from the side that a triangle faces; m².
typedef struct areas {
    double seen[3][2];
} areas;

static void add_triangle(areas *a, const float *p, const float *q, const float *r)
{
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        double area = 0.5 * ((double)(q[u] - p[u]) * (double)(r[v] - p[v]) -
                             (double)(q[v] - p[v]) * (double)(r[u] - p[u]));
        a->seen[axis][area > 0] += fabs(area);
    }
}

// What the surface and its sides cover. The bed is `rise` higher in the east; the tank is filled to
// LEVEL.
static areas cover(double rise)
{
    static float heights[NX * NY];
    for (int n = 0; n < NX * NY; n++) heights[n] = (float)(rise * (n % NX) / (NX - 1));
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = NX, def.params.grid_ny = NY, def.params.grid_dx = DX;
    def.params.grid_top = 0.02, def.params.tension_on = false, def.heights = heights;
    rv_fill_def fill = rv_default_fill_def();
    fill.level = LEVEL;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world;
    rv_surface *surface;
    rv_surface_mesh mesh;
    rv_columns columns;
    rv_sides sides = {0};
    assert_int_equal(rv_world_create(&def, &world, NULL), RV_OK);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    assert_int_equal(rv_world_get_columns(world, &columns), RV_OK);
    assert_int_equal(rv_sides_make(&sides, &mesh, &columns, everywhere[0], everywhere[1]), RV_OK);
    areas a = {{{0}}};
    for (size_t t = 0; t < mesh.triangle_count + sides.triangle_count; t++) {
        const uint32_t *i = t < mesh.triangle_count ? mesh.indices + 3 * t
                                                    : sides.indices + 3 * (t - mesh.triangle_count);
        add_triangle(&a, place_of(&mesh, &sides, i[0]), place_of(&mesh, &sides, i[1]),
                     place_of(&mesh, &sides, i[2]));
    }
    rv_sides_free(&sides);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    return a;
}

static void a_full_tank_is_covered_and_closed(void **state)
{
    (void)state;
    areas a = cover(0);
    double deep = LEVEL + 0.5 * DX; // faces reach into the ground
    near(a.seen[2][1], NX * NY * DX * DX, 1e-9);
    near(a.seen[2][0], 0, 1e-12);
    for (int out = 0; out < 2; out++) {
        near(a.seen[0][out], NY * DX * deep, 1e-9);
        near(a.seen[1][out], NX * DX * deep, 1e-9);
    }
}

// A shore across the tank: the western side is closed, the eastern one is dry.
static void a_shore_ends_at_the_sides(void **state)
{
    (void)state;
    areas a = cover(2 * LEVEL);
    double shore = (NX - 1) * DX * 0.5 + 0.5 * DX; // where the bed meets the level
    near(a.seen[2][1], shore * NY * DX, 0.02 * shore * NY * DX);
    // the surface itself rises a little at the shore, to its least height over the bed
    near(a.seen[0][0] - a.seen[0][1], NY * DX * (LEVEL + 0.5 * DX), NY * DX * 0.05 * DX);
    assert_true(a.seen[0][1] < NY * DX * 0.05 * DX);
    near(a.seen[1][0], a.seen[1][1], 1e-9);
}

// A flooded passage under all of the grid has no surface, and is closed all around up to its
// ceiling.
static void a_flooded_passage_is_closed(void **state)
{
    (void)state;
    rv_solid_def solid[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solid[0].shape = RV_SHAPE_PLANE;
    solid[1].shape = RV_SHAPE_BOX;
    solid[1].at = (rv_vec3){0, 0, 4e-3}, solid[1].size = (rv_vec3){1, 1, 4e-3}; // from 2 to 6 mm
    rv_fill_def fill = rv_default_fill_def();
    fill.level = 3e-3;
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = NX, def.params.grid_ny = NY, def.params.grid_dx = DX;
    def.params.grid_bottom = -2e-3, def.params.grid_top = 0.02;
    def.solids = solid, def.solid_count = 2, def.fills = &fill, def.fill_count = 1;
    rv_world *world;
    rv_surface *surface;
    rv_surface_mesh mesh;
    rv_columns columns;
    rv_sides sides = {0};
    assert_int_equal(rv_world_create(&def, &world, NULL), RV_OK);
    assert_int_equal(rv_world_step(world, 1e-3), RV_OK);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    assert_int_equal(rv_world_get_columns(world, &columns), RV_OK);
    assert_int_equal(rv_sides_make(&sides, &mesh, &columns, everywhere[0], everywhere[1]), RV_OK);
    assert_int_equal(mesh.triangle_count, 0);
    areas a = {{{0}}};
    for (size_t t = 0; t < sides.triangle_count; t++)
        add_triangle(&a, place_of(&mesh, &sides, sides.indices[3 * t]),
                     place_of(&mesh, &sides, sides.indices[3 * t + 1]),
                     place_of(&mesh, &sides, sides.indices[3 * t + 2]));
    double high = 2e-3 + DX; // it reaches into bed and ceiling
    for (int out = 0; out < 2; out++) {
        near(a.seen[0][out], NY * DX * high, 1e-8);
        near(a.seen[1][out], NX * DX * high, 1e-8);
    }
    rv_sides_free(&sides);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_tank_is_covered_and_closed),
        cmocka_unit_test(a_shore_ends_at_the_sides),
        cmocka_unit_test(a_flooded_passage_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
