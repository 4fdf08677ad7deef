// surface.average: the drawn surface is that of the tank paper's control points, the means of the
// four columns around each corner.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>
#include <stdlib.h>

enum { N = 21, MIDDLE = N / 2 };
#define DX 1e-3
#define LEVEL 5e-3
#define BUMP 1.6e-3

// Heights of the drawn surface at the middles of cells, over a pool with one higher column.
static void draw(bool average, double bump, double *out)
{
    static float heights[N * N];
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_dx = DX;
    def.params.grid_top = 0.02, def.params.surface_average = average, def.heights = heights;
    rv_fill_def fill = rv_default_fill_def();
    fill.level = LEVEL;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world;
    rv_surface *surface;
    rv_surface_mesh mesh;
    assert_int_equal(rv_world_create(&def, &world, NULL), RV_OK);
    if (bump > 0) assert_true(rv_world_pour(world, (rv_vec3){0, 0, 0.019}, 0, bump * DX * DX) > 0);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    for (int i = 0; i < N * N; i++) out[i] = NAN;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        const float *p = mesh.positions + 3 * v;
        long x = lround((double)p[0] / DX) + MIDDLE, y = lround((double)p[1] / DX) + MIDDLE;
        out[y * N + x] = (double)p[2];
    }
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

static void near(double a, double b)
{
    if (!(fabs(a - b) < 1e-7)) fail_msg("%.8g is not %.8g", a, b);
}

static void a_bump_is_spread_over_nine_columns(void **state)
{
    (void)state;
    double z[N * N];
    draw(true, BUMP, z);
    for (int i = 0; i < N * N; i++) {
        int x = abs(i % N - MIDDLE), y = abs(i / N - MIDDLE);
        double share = x < 2 && y < 2 ? (2 - x) * (2 - y) / 16.0 : 0;
        near(z[i], LEVEL + share * BUMP);
    }
}

static void without_it_columns_are_drawn(void **state)
{
    (void)state;
    double z[N * N];
    draw(false, BUMP, z);
    near(z[MIDDLE * N + MIDDLE], LEVEL + BUMP);
    near(z[MIDDLE * N + MIDDLE + 1], LEVEL);
}

static void a_lake_stays_level(void **state)
{
    (void)state;
    double z[N * N];
    draw(true, 0, z);
    for (int i = 0; i < N * N; i++) near(z[i], LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bump_is_spread_over_nine_columns),
        cmocka_unit_test(without_it_columns_are_drawn),
        cmocka_unit_test(a_lake_stays_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
