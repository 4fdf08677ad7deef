// The line along which liquid ends, where tension holds it together: smooth, though columns have it
// as a staircase; and the sheet beside walls and ceilings, where columns tell less.
#include "small_worlds.h"

#include <math.h>
#include <string.h>

#define MM 1e-3
enum { SIDE = 40 };

static rv_surface *surface_of(const rv_world *world)
{
    rv_surface *surface;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    return surface;
}

// A film over the cells west of a slanted line: `slope` cells to the east a cell north. The bed
// rises by `rise` cells a cell north.
static rv_world *slanted_film(small_world *s, rv_fill_def fill[SIDE], double slope, double rise,
                              bool tension)
{
    small_grid(s, RV_SOLVER_PIPES, SIDE, SIDE, MM);
    s->def.params.tension_on = tension, s->def.params.grid_top = (15 + SIDE * rise) * MM;
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = (5 + 0.5 * SIDE * rise) * MM;
    s->solid[0].rotate.x = atan(rise);
    s->def.solid_count = 1;
    for (int y = 0; y < SIDE; y++) {
        double middle = (y + 0.5 - SIDE / 2) * MM;
        fill[y] = rv_default_fill_def();
        fill[y].kind = RV_FILL_DEPTH, fill[y].depth = 0.2 * MM;
        fill[y].from = (rv_vec3){-1, middle - 0.1 * MM, -1};
        fill[y].to = (rv_vec3){slope * middle, middle + 0.1 * MM, 1};
    }
    s->def.fills = fill, s->def.fill_count = SIDE;
    return make(&s->def);
}

// How far the end is off a straight line, cells: the root of the mean of squares, away from the
// border of the grid, in the plane of the bed.
static double off_straight(const rv_surface_mesh *m, double rise)
{
    double n = 0, y1 = 0, y2 = 0, x1 = 0, xy = 0, sum = 0;
    for (int turn = 0; turn < 2; turn++) {
        double b = turn ? (n * xy - x1 * y1) / (n * y2 - y1 * y1) : 0,
               a = turn ? (x1 - b * y1) / n : 0;
        for (size_t i = 0; i < m->vertex_count; i++) {
            double x = (double)m->positions[3 * i] / MM, y = (double)m->positions[3 * i + 1] / MM;
            if (m->depth[i] > 0 || fabs(y) > 14) continue;
            y *= sqrt(1 + rise * rise);
            if (turn)
                sum += (x - a - b * y) * (x - a - b * y) / (1 + b * b);
            else
                n++, y1 += y, y2 += y * y, x1 += x, xy += x * y;
        }
    }
    assert_true(n > 30);
    return sqrt(sum / n);
}

static double roughness_of(double slope, double rise, bool tension)
{
    static rv_fill_def fill[SIDE];
    small_world s;
    rv_world *world = slanted_film(&s, fill, slope, rise, tension);
    rv_surface *surface = surface_of(world);
    rv_surface_mesh m;
    assert_int_equal(rv_surface_get_mesh(surface, &m), RV_OK);
    double off = off_straight(&m, rise);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    return off;
}

static void a_line_has_no_teeth(void **state)
{
    (void)state;
    const double slopes[] = {0.35, 0.5, 0.75, 1.0, 1.6};
    for (size_t i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
        double smooth = roughness_of(slopes[i], 0, true), plain = roughness_of(slopes[i], 0, false);
        print_message("slope %.2f: %.3f cells off the line, without tension %.3f\n", slopes[i],
                      smooth, plain);
        assert_true(smooth < 0.12 && smooth < 0.45 * plain);
    }
}

// On a steep bed columns are far apart along it: so are the steps of the staircase.
static void nor_has_it_on_a_steep_bed(void **state)
{
    (void)state;
    const double slopes[] = {0.5, 1.0, 2.0}, rises[] = {1.2, 2.0, 3.0};
    for (size_t i = 0; i < 9; i++) {
        double slope = slopes[i % 3], rise = rises[i / 3];
        double smooth = roughness_of(slope, rise, true), plain = roughness_of(slope, rise, false);
        print_message(
            "slope %.2f on a bed of %.1f: %.3f cells off the line, without tension %.3f\n", slope,
            rise, smooth, plain);
        assert_true(smooth < 0.12 && smooth < 0.6 * plain);
    }
}

// A film over the lower half of a steep bed, and one column of the row above that is wet as well:
// its own end would be 2.5 cells over the line.
static void a_column_alone_is_no_spike(void **state)
{
    (void)state;
    const double rise = 2.5;
    small_world s;
    rv_fill_def fill[2] = {rv_default_fill_def(), rv_default_fill_def()};
    small_grid(&s, RV_SOLVER_PIPES, SIDE, SIDE, MM);
    s.def.params.tension_on = true, s.def.params.grid_top = (15 + SIDE * rise) * MM;
    s.solid[0].shape = RV_SHAPE_PLANE, s.solid[0].at.z = (5 + 0.5 * SIDE * rise) * MM;
    s.solid[0].rotate.x = atan(rise);
    s.def.solid_count = 1, s.def.fills = fill, s.def.fill_count = 2;
    for (int k = 0; k < 2; k++) fill[k].kind = RV_FILL_DEPTH, fill[k].depth = 0.4 * MM;
    fill[0].from = (rv_vec3){-1, -1, -1}, fill[0].to = (rv_vec3){1, 0, 1};
    fill[1].from = (rv_vec3){0, 0, -1}, fill[1].to = (rv_vec3){MM, MM, 1};
    rv_world *world = make(&s.def);
    rv_surface *surface = surface_of(world);
    rv_surface_mesh m;
    assert_int_equal(rv_surface_get_mesh(surface, &m), RV_OK);
    double most = -1, line = -1; // m, the highest end near that column, and away from it
    for (size_t i = 0; i < m.vertex_count; i++) {
        double x = fabs((double)m.positions[3 * i] - 0.5 * MM), z = (double)m.positions[3 * i + 2];
        if (m.depth[i] > 0) continue;
        if (x < 2 * MM) most = fmax(most, z);
        if (x > 6 * MM && x < 12 * MM) line = fmax(line, z);
    }
    print_message("its end stands %.2f cells over the line\n", (most - line) / MM);
    assert_true(line > 0 && most - line < 1.2 * MM);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_no_teeth),
        cmocka_unit_test(nor_has_it_on_a_steep_bed),
        cmocka_unit_test(a_column_alone_is_no_spike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
