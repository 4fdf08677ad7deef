// Falls are bodies: as thick as what flows, closed but where they leave the edge and where they
// land, and narrow ones become round threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_worlds.h"
#include "surface/surface.h"
#include "surface_check.h"

#define DX 1e-3
#define G 9.81

// A board over a floor with walls on three sides, so wide a mouth in the east; m³/s.
static void small_weir(small_world *s, double mouth, double rate, bool tension)
{
    small_grid(s, RV_SOLVER_PIPES, 60, 40, DX);
    rv_params *p = &s->def.params;
    p->tension_on = tension, p->drips_on = false, p->grid_top = 0.05;
    s->solid[0] = box_between(RV_UNION, -0.1, 0.1, -0.1, 3e-3);
    s->solid[1] = box_between(RV_UNION, -0.025, 0.005, 0.03, 0.04);
    s->solid[2] = box_between(RV_SUBTRACT, -0.022, 0.006, 0.034, 0.05);
    s->solid[1].size.y = 0.036, s->solid[2].size.y = mouth;
    s->fill[0].level = 5e-3, s->fill[0].to.z = 6e-3;
    s->source.at = (rv_vec3){-0.012, 0, 0.045}, s->source.rate = rate;
    s->source.radius = fmin(4e-3, mouth / 3);
    s->def.solid_count = 3, s->def.fill_count = 1, s->def.source_count = 1;
}

typedef struct weir {
    rv_world *world;
    rv_surface *surface;
    rv_surface_mesh mesh;
    int lips, sides;
    size_t lip[64]; // first vertex of each
    bool side[64];
} weir;

// The vertices of a lip follow each other, its front first: there alone nothing has fallen yet.
static weir open_weir(small_world *s, int steps)
{
    weir w = {.world = make(&s->def)};
    run(w.world, steps, 2e-3);
    assert_int_equal(rv_surface_create(w.world, &w.surface), RV_OK);
    assert_int_equal(rv_surface_update(w.surface, w.world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(w.surface, &w.mesh), RV_OK);
    for (size_t i = 0; i < w.mesh.vertex_count; i++) {
        if (w.mesh.drop[i] != 0) continue;
        size_t end = i + 1;
        while (end < w.mesh.vertex_count && w.mesh.drop[end] > 0) end++;
        assert_true(end - i == 2 * RV_FALL_ROWS || end - i == RV_FALL_VERTICES);
        assert_true(w.lips < 64);
        w.side[w.lips] = end - i == RV_FALL_VERTICES, w.sides += w.side[w.lips];
        w.lip[w.lips++] = i;
    }
    return w;
}

static void close_weir(weir *w)
{
    rv_surface_destroy(w->surface);
    rv_world_destroy(w->world);
}

static double speed_at(const weir *w, size_t i)
{
    const float *v = w->mesh.velocity + 3 * i;
    return fabs((double)v[2]);
}

// ---- Flow ---------------------------------------------------------------------------------------

// What goes through a fall is the same at all heights, and it falls freely: v² grows by 2g times
// what it has fallen.
static void a_fall_carries_what_flows(void **state)
{
    (void)state;
    small_world s;
    small_weir(&s, 0.03, 1.2e-5, false);
    weir w = open_weir(&s, 200);
    int tried = 0;
    for (int n = 0; n < w.lips; n++) {
        size_t high = w.lip[n] + 3, low = w.lip[n] + RV_FALL_ROWS - 3;
        // away from its sides
        if (fabs((double)w.mesh.positions[3 * high + 1]) > 8e-3) continue;
        double fallen = (double)(w.mesh.drop[low] - w.mesh.drop[high]);
        double v = speed_at(&w, high), u = speed_at(&w, low);
        near(u * u - v * v, 2 * G * fallen, 0.01);
        near((double)w.mesh.depth[low] * u, (double)w.mesh.depth[high] * v, 0.05);
        assert_true(w.mesh.depth[low] < 0.8f * w.mesh.depth[high]);
        tried++;
    }
    print_message("%d lips, %d looked at, %d sides\n", w.lips, tried, w.sides);
    assert_true(tried > 8 && w.sides == 2);
    close_weir(&w);
}

// ---- A body -------------------------------------------------------------------------------------

static size_t place_in(const weir *w, size_t vertex)
{
    for (int n = w->lips - 1; n >= 0; n--)
        if (vertex >= w->lip[n]) return (vertex - w->lip[n]) % RV_FALL_ROWS;
    return 0;
}

// Its edges have two triangles each, but the uppermost and the lowest; its back is behind its
// front, as far as it is thick.
static void a_fall_is_closed(void **state)
{
    (void)state;
    for (int tension = 0; tension < 2; tension++) {
        small_world s;
        small_weir(&s, 0.03, 1.2e-5, tension);
        weir w = open_weir(&s, 200);
        rv_columns c;
        surface_view v;
        int problems = 0, open = 0, behind = 0;
        rv_world_get_columns(w.world, &c);
        open_view(&v, &c, w.surface, 1e-5, &problems, "a weir");
        check_surface_triangles(&v);
        check_surface_edges(&v);
        size_t count = 3 * w.mesh.triangle_count;
        uint64_t *edges = surface_edges(&v);
        for (size_t i = 0; i < count; i++) {
            size_t a = edges[i] >> 32, b = (uint32_t)edges[i];
            if (w.mesh.drop[a] < 0 || has_edge(edges, count, b, a)) continue;
            size_t row = place_in(&w, a), other = place_in(&w, b);
            if (row != other || (row != 0 && row != RV_FALL_ROWS - 1)) open++;
        }
        for (int n = 0; n < w.lips; n++) {
            for (size_t row = 1; row < RV_FALL_ROWS; row++) {
                const float *front = w.mesh.positions + 3 * (w.lip[n] + row);
                const float *back = front + (size_t)3 * RV_FALL_ROWS;
                const float *normal = w.mesh.normals + 3 * (w.lip[n] + row);
                double thick = 0;
                for (int k = 0; k < 3; k++) thick += (double)((front[k] - back[k]) * normal[k]);
                if (!(thick > 0.01 * DX)) behind++;
            }
        }
        print_message("tension %d: %d lips\n", tension, w.lips);
        assert_int_equal(problems, 0);
        assert_int_equal(open, 0);
        assert_int_equal(behind, 0);
        assert_true(w.lips > 16);
        test_free(edges);
        close_view(&v);
        close_weir(&w);
    }
}

// ---- Threads ------------------------------------------------------------------------------------

// How wide a fall is at a row, and how thick in its middle, m.
static void size_at(const weir *w, size_t row, double *wide, double *thick)
{
    double low = INFINITY, high = -INFINITY;
    *thick = 0;
    for (int n = 0; n < w->lips; n++) {
        size_t front = w->lip[n] + row, rim = front + (size_t)2 * RV_FALL_ROWS;
        *thick = fmax(*thick, (double)w->mesh.depth[front]);
        if (!w->side[n]) continue;
        low = fmin(low, (double)w->mesh.positions[3 * rim + 1]);
        high = fmax(high, (double)w->mesh.positions[3 * rim + 1]);
    }
    *wide = high - low;
}

// Tension draws a narrow fall together until it is as thick as wide, and the sides of a broad one
// in; without it they stay where they are, but for a quarter of a cell.
static void narrow_falls_are_threads(void **state)
{
    (void)state;
    const double mouth[2] = {4.5e-3, 0.03};
    double wide[2][2][2], thick[2][2][2]; // by mouth, tension, top or bottom
    for (int k = 0; k < 4; k++) {
        small_world s;
        small_weir(&s, mouth[k / 2], k / 2 ? 1.2e-5 : 1.5e-6, k % 2);
        weir w = open_weir(&s, 250);
        assert_int_equal(w.sides, 2);
        for (int i = 0; i < 2; i++)
            size_at(&w, i ? RV_FALL_ROWS - 3 : 1, &wide[k / 2][k % 2][i], &thick[k / 2][k % 2][i]);
        print_message("mouth of %g mm, tension %d: %.1f × %.1f mm, then %.1f × %.1f mm\n",
                      1e3 * mouth[k / 2], k % 2, 1e3 * wide[k / 2][k % 2][0],
                      1e3 * thick[k / 2][k % 2][0], 1e3 * wide[k / 2][k % 2][1],
                      1e3 * thick[k / 2][k % 2][1]);
        close_weir(&w);
    }
    assert_true(wide[0][1][0] > 2 * thick[0][1][0]);
    assert_true(wide[0][1][1] < 1.5 * thick[0][1][1] && wide[0][1][1] > thick[0][1][1] / 1.5);
    assert_true(wide[1][1][1] < 0.85 * wide[1][1][0] && wide[1][1][1] > 4 * thick[1][1][1]);
    for (int i = 0; i < 2; i++) assert_true(wide[i][0][1] > wide[i][0][0] - 1.0 * DX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fall_carries_what_flows),
        cmocka_unit_test(a_fall_is_closed),
        cmocka_unit_test(narrow_falls_are_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
