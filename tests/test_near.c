// What the eye sees from close by: the mesh made finer for it, the angle of a drop on wax, the
// sheet under an overhang, and where a stream lands.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"
#include "render/finer.h"
#include "surface/blobs.h"
#include "world/world_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen {
    rv_scene_file scene;
    rv_world *world;
    rv_surface *surface;
    rv_surface_mesh mesh;
    rv_extent extent;
} seen;

static void see(seen *s, const char *name, int steps, const char *set)
{
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    char path[1024];
    snprintf(path, sizeof path, RV_SOURCE_DIR "/tests/data/%s.yaml", name);
    if (!rv_scene_load(path, &s->scene, &m) || (set && !rv_scene_set(&s->scene, set, &m)) ||
        !rv_scene_load_forms(&s->scene, &work, &m))
        fail_msg("%s: %s", name, m.text);
    rv_world_def def = rv_scene_world_def(&s->scene);
    assert_int_equal(rv_world_create(&def, &s->world, &m), RV_OK);
    for (int n = 0; n < steps; n++)
        assert_int_equal(rv_world_step(s->world, s->scene.params.time_step), RV_OK);
    assert_int_equal(rv_surface_create(s->world, &s->surface), RV_OK);
    assert_int_equal(rv_surface_update(s->surface, s->world), RV_OK);
    assert_int_equal(rv_surface_get_mesh(s->surface, &s->mesh), RV_OK);
    rv_columns columns;
    assert_int_equal(rv_world_get_columns(s->world, &columns), RV_OK);
    rv_extent_find(&s->extent, &columns);
}

static void leave(seen *s)
{
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    rv_scene_free(&s->scene);
}

static void make_finer(seen *s, rv_finer *f, int levels, rv_surface_mesh *out)
{
    rv_eye eye = rv_eye_of(&s->scene.params, &s->extent, 640, 400);
    assert_true(rv_finer_keep(f, &s->mesh));
    const rv_finer_how how = {.levels = levels, .most = RV_FINER_MOST, .share = {1, 1, 1}};
    assert_true(rv_finer_make(f, &s->extent, &eye, &how, out));
}

// ---- Outlines -----------------------------------------------------------------------------------

// How often an edge is there in either direction.
static bool has_back(const rv_surface_mesh *m, uint32_t a, uint32_t b)
{
    for (size_t n = 0; n < 3 * m->triangle_count; n++)
        if (m->indices[n] == b && m->indices[n % 3 == 2 ? n - 2 : n + 1] == a) return true;
    return false;
}

// The greatest turn from one edge of the outline to the next, in plan, rad.
static double sharpest(const rv_surface_mesh *m)
{
    uint32_t *next = malloc(m->vertex_count * sizeof *next);
    double most = 0;
    assert_non_null(next);
    memset(next, 0xff, m->vertex_count * sizeof *next);
    for (size_t n = 0; n < 3 * m->triangle_count; n++) {
        uint32_t a = m->indices[n], b = m->indices[n % 3 == 2 ? n - 2 : n + 1];
        if (!has_back(m, a, b)) next[a] = b;
    }
    for (size_t n = 0; n < m->vertex_count; n++) {
        if (next[n] == UINT32_MAX || next[next[n]] == UINT32_MAX) continue;
        const float *a = m->positions + 3 * n, *b = m->positions + 3 * (size_t)next[n];
        const float *c = m->positions + 3 * (size_t)next[next[n]];
        double x = (double)(b[0] - a[0]), y = (double)(b[1] - a[1]);
        double u = (double)(c[0] - b[0]), v = (double)(c[1] - b[1]);
        most = fmax(most, fabs(atan2(x * v - y * u, x * u + y * v)));
    }
    free(next);
    return most;
}

// Corners of cells are gone, and each time it is divided the outline turns by half as much.
static void a_drop_has_no_corners(void **state)
{
    (void)state;
    seen s = {0};
    rv_finer f = {0};
    rv_surface_mesh fine;
    see(&s, "drop-on-wax", 2, NULL);
    double own = sharpest(&s.mesh), last = own;
    for (int levels = 0; levels <= 2; levels++) {
        make_finer(&s, &f, levels, &fine);
        size_t times = (size_t)1 << 2 * levels;
        assert_int_equal(fine.triangle_count, times * s.mesh.triangle_count);
        double now = sharpest(&fine);
        printf("divided %d times: turns by %.3f at most\n", levels, now);
        if (levels == 0) assert_true(now == own);
        if (levels > 0) assert_true(now < 0.62 * last);
        last = now;
    }
    rv_finer_free(&f);
    leave(&s);
}

// A level surface stays as it is, to the sides of the grid.
static void a_level_stays(void **state)
{
    (void)state;
    seen s = {0};
    rv_finer f = {0};
    rv_surface_mesh fine;
    see(&s, "drowned-slab", 0, NULL);
    make_finer(&s, &f, 2, &fine);
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, was[2] = {INFINITY, 0};
    for (size_t n = 0; n < s.mesh.vertex_count; n++)
        was[0] = fminf(was[0], s.mesh.positions[3 * n]);
    for (size_t n = 0; n < fine.vertex_count; n++) {
        const float *p = fine.positions + 3 * n;
        assert_true(fabsf(p[2] - 0.024f) < 1e-6f);
        for (int k = 0; k < 2; k++) low[k] = fminf(low[k], p[k]), high[k] = fmaxf(high[k], p[k]);
    }
    assert_true(fabsf(low[0] - was[0]) < 1e-6f && fabsf(high[0] + was[0]) < 1e-6f);
    rv_finer_free(&f);
    leave(&s);
}

// A film that is divided lies in the planes of its triangles: terrain would pierce it otherwise.
// Only its end moves along the bed, which is level here, and draws what is beside it along.
static void a_film_stays_on_its_bed(void **state)
{
    (void)state;
    seen s = {0};
    rv_finer f = {0};
    rv_surface_mesh fine;
    see(&s, "drop-on-wax", 0, "liquid.preset=water");
    float *depth = malloc(s.mesh.vertex_count * sizeof *depth);
    assert_non_null(depth);
    for (size_t n = 0; n < s.mesh.vertex_count; n++)
        depth[n] = s.mesh.depth[n] > 0 ? 0.05f * (float)s.extent.dx : 0;
    s.mesh.depth = depth;
    make_finer(&s, &f, 1, &fine);
    float far = 3 * (float)s.extent.dx, moved = 0;
    int inside = 0;
    for (size_t n = 0; n < s.mesh.vertex_count; n++) {
        const float *was = s.mesh.positions + 3 * n, *now = fine.positions + 3 * n;
        assert_true(fabsf(now[2] - was[2]) < 1e-7f);
        float by = hypotf(now[0] - was[0], now[1] - was[1]);
        moved = fmaxf(moved, by);
        if (s.mesh.contact[4 * n] < far) continue;
        inside++;
        assert_true(by == 0);
    }
    printf("ends move by %.2f cells at most\n", (double)moved / s.extent.dx);
    assert_true(inside > 8 && moved > 0 && moved < 0.5f * (float)s.extent.dx);
    free(depth);
    rv_finer_free(&f);
    leave(&s);
}

// ---- Angles -------------------------------------------------------------------------------------

static float least_tilt(const rv_surface_mesh *m)
{
    float least = INFINITY;
    for (size_t n = 0; n < m->vertex_count; n++) least = fminf(least, m->contact[4 * n + 3]);
    return least;
}

// The mean distance of ends from the middle of the drop, m.
static double foot_of(const rv_surface_mesh *m)
{
    double x = 0, y = 0, sum = 0, count = 0;
    for (size_t n = 0; n < m->vertex_count; n++)
        if (m->depth[n] <= 0)
            x += (double)m->positions[3 * n], y += (double)m->positions[3 * n + 1], count++;
    for (size_t n = 0; n < m->vertex_count; n++)
        if (m->depth[n] <= 0)
            sum += hypot((double)m->positions[3 * n] - x / count,
                         (double)m->positions[3 * n + 1] - y / count);
    return sum / count;
}

// A solid's own contact angle counts where liquid ends on it, and the rim hangs over.
static void wax_bends_the_rim(void **state)
{
    (void)state;
    seen s = {0};
    rv_finer f = {0};
    rv_surface_mesh fine;
    see(&s, "drop-on-wax", 120, NULL);
    float tilt = least_tilt(&s.mesh);
    printf("tilt %.2f\n", (double)tilt);
    assert_true(tilt < -0.9f);
    double own = foot_of(&s.mesh), dx = s.extent.dx;
    make_finer(&s, &f, 1, &fine);
    double under = foot_of(&fine);
    s.mesh.contact = NULL; // nothing is known of angles
    make_finer(&s, &f, 1, &fine);
    printf("foot: radius %.2f cells, %.2f under the rim, %.2f without angles\n", own / dx,
           under / dx, foot_of(&fine) / dx);
    assert_true(under < own - 0.2 * dx && foot_of(&fine) > own - 0.15 * dx);
    rv_finer_free(&f);
    leave(&s);
}

// ---- Under an overhang --------------------------------------------------------------------------

static bool is_covered(const rv_surface_mesh *m, double x, double y)
{
    for (size_t t = 0; t < m->triangle_count; t++) {
        int left = 0;
        for (int k = 0; k < 3; k++) {
            const float *a = m->positions + 3 * (size_t)m->indices[3 * t + (size_t)k];
            const float *b = m->positions + 3 * (size_t)m->indices[3 * t + (size_t)(k + 1) % 3];
            left += ((double)b[0] - (double)a[0]) * (y - (double)a[1]) >=
                    ((double)b[1] - (double)a[1]) * (x - (double)a[0]);
        }
        if (left == 3) return true;
    }
    return false;
}

// Along the foot of a dish the sheet reaches the dish, where columns under it are full and where
// they are not. Where the level passes the underside, between two columns, it may be open.
static void the_foot_of_a_dish_is_closed(void **state)
{
    (void)state;
    int open = 0, all = 0;
    for (int steps = 4; steps <= 40; steps += 4) {
        seen s = {0};
        see(&s, "foot-of-dish", steps, NULL);
        for (int k = -225; k <= 225; k++, all++) open += !is_covered(&s.mesh, k * 1e-4, -3.9e-3);
        leave(&s);
    }
    printf("%d of %d places open\n", open, all);
    assert_true(open < all / 100);
}

// ---- Streams ------------------------------------------------------------------------------------

static void a_stream_goes_on_into_liquid(void **state)
{
    (void)state;
    seen s = {0};
    see(&s, "drowned-slab", 0, NULL);
    rv_vec3 at = {0.05, 0.05, 0.0252}, velocity = {0, 0, -1};
    double radius = 0.62e-3;
    uint8_t hangs = 0;
    rv_blob_work w = {.allocator = rv_default_allocator()};
    rv_blob_input in = {.at = &at,
                        .velocity = &velocity,
                        .radius = &radius,
                        .hangs = &hangs,
                        .count = 1,
                        .largest = 1,
                        .spacing = 1e-3};
    for (int landing = 0; landing < 2; landing++) {
        float low = INFINITY;
        if (landing) in.columns = &s.world->columns, in.depth = rv_world_view(s.world).depth;
        assert_int_equal(rv_blobs_build(&w, &in), RV_OK);
        for (int n = 0; n < w.vertices; n++) low = fminf(low, w.positions[3 * n + 2]);
        assert_true(landing ? low < 0.0235f : low > 0.0243f); // the level is at 24 mm
    }
    rv_blobs_free(&w);
    leave(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_has_no_corners),
        cmocka_unit_test(a_level_stays),
        cmocka_unit_test(a_film_stays_on_its_bed),
        cmocka_unit_test(wax_bends_the_rim),
        cmocka_unit_test(the_foot_of_a_dish_is_closed),
        cmocka_unit_test(a_stream_goes_on_into_liquid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
