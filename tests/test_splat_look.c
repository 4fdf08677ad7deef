// What liquid made of particles looks like: the mesh of its density, closed and as large as it
// should be; its picture by rays, with smooth edges and flat sides; the cut through a plane of it;
// the particles themselves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_leaks.h"
#include "mesh_check.h"
#include "render/renderer_parts.h"
#include "surface/density.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { N = 40, W = 160, H = 120 };

// ---- Densities ----------------------------------------------------------------------------------

typedef double shape(double x, double y, double z); // distance inside, in cells

static double ball(double x, double y, double z)
{
    return 11 - sqrt((x - 20) * (x - 20) + (y - 20) * (y - 20) + (z - 22) * (z - 22));
}

static double pool(double x, double y, double z)
{
    (void)x, (void)y;
    return 15 - z;
}

static double cylinder(double x, double y, double z)
{
    (void)y;
    return 11 - sqrt((x - 20) * (x - 20) + (z - 22) * (z - 22));
}

static double nothing(double x, double y, double z)
{
    (void)x, (void)y, (void)z;
    return -100;
}

// As a kernel of three cells makes it: 1/2 at the surface, 0 and 1 two cells away.
static rv_density density_of(shape *inside, int ny, float *value)
{
    float *out = value;
    for (int k = 0; k < N; k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < N; i++) {
                double d = fmin(fmax(inside(i + 0.5, j + 0.5, k + 0.5) / 2, -1), 1);
                *out++ = (float)(0.5 + 0.75 * d - 0.25 * d * d * d);
            }
        }
    }
    return (rv_density){
        .nx = N, .ny = ny, .nz = N, .dx = 0.01, .low = {-0.2, -0.2, 0}, .value = value};
}

// ---- The mesh -----------------------------------------------------------------------------------

typedef struct counted {
    int taken, given;
} counted;

static void *take(size_t bytes, void *user)
{
    ((counted *)user)->taken++;
    return aligned_alloc(64, bytes);
}

static void give(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((counted *)user)->given++;
    free(memory);
}

static void meshes_are_closed_and_as_large_as_the_liquid(void **state)
{
    (void)state;
    static float value[N * N * N];
    static const struct {
        shape *inside;
        int ny;
        double volume; // cells
        double within; // relative
    } cases[] = {{ball, N, 4.0 / 3 * PI * 11 * 11 * 11, 0.01},
                 {pool, N, 15.0 * N * N, 0.002},
                 {cylinder, N, PI * 11 * 11 * N, 0.01},
                 {cylinder, 1, PI * 11 * 11, 0.01},
                 {nothing, N, 0, 0}};
    counted count = {0};
    rv_density_work w = {.allocator = {take, give, &count}};
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        rv_density_input in = {.density = density_of(cases[n].inside, cases[n].ny, value),
                               .level = 0.5};
        assert_int_equal(rv_density_build(&w, &in), RV_OK);
        check_closed(&w.mesh, "a mesh");
        double cells = w.volume / 1e-6;
        assert_true(fabs(w.volume - volume_of(&w.mesh)) < 1e-5 * w.volume + 1e-12);
        if (fabs(cells - cases[n].volume) > cases[n].within * cases[n].volume)
            fail_msg("case %zu: %g cells instead of %g", n, cells, cases[n].volume);
    }
    rv_density_work_free(&w);
    assert_int_equal(count.taken, count.given);
}

static void sides_are_flat_and_in_the_grids_sides(void **state)
{
    (void)state;
    static float value[N * N * N];
    counted count = {0};
    rv_density_work w = {.allocator = {take, give, &count}};
    rv_density_input in = {.density = density_of(pool, N, value), .level = 0.5};
    assert_int_equal(rv_density_build(&w, &in), RV_OK);
    for (size_t n = 0; n < w.mesh.vertex_count; n++) {
        const float *p = w.mesh.positions + 3 * n;
        bool side = fabs(fabs((double)p[0]) - 0.2) < 1e-6 ||
                    fabs(fabs((double)p[1]) - 0.2) < 1e-6 || p[2] == 0;
        // all that is not in a side is the level surface, at 15 cells
        assert_true(side || fabs((double)p[2] - 0.15) < 1e-4);
        assert_true(p[2] < 0.1501f);
        bool above = p[2] > 0.1499f;
        assert_true(fabs((double)w.depth[n] - (above ? 0.15 : w.depth[n])) < 2e-3);
    }
    rv_density_work_free(&w);
}

static void warm_updates_allocate_nothing(void **state)
{
    (void)state;
    static float value[N * N * N];
    static const float at[3] = {0.003f, 0.001f, 0.22f}, speed = 2;
    counted count = {0};
    rv_density_work w = {.allocator = {take, give, &count}};
    rv_density_input in = {.density = density_of(ball, N, value), .level = 0.5};
    in.particles = (rv_particles){.count = 1, .x = &at[0], .y = &at[1], .z = &at[2], .w = &speed};
    for (int n = 0; n < 2; n++) assert_int_equal(rv_density_build(&w, &in), RV_OK);
    int before = count.taken;
    for (int n = 0; n < 3; n++) assert_int_equal(rv_density_build(&w, &in), RV_OK);
    assert_int_equal(count.taken, before);
    rv_density_work_free(&w);
    assert_int_equal(count.taken, count.given);
}

// ---- Pictures -----------------------------------------------------------------------------------

typedef struct stage {
    rv_target *target;
    rv_renderer *renderer;
    rv_world *world;
    rv_surface *surface;
    uint8_t rgb[W * H * 3], dry[W * H * 3];
} stage;

static rv_world *make_world(void)
{
    static rv_solid_def floor;
    floor = rv_default_solid_def();
    floor.shape = RV_SHAPE_PLANE, floor.at = (rv_vec3){0, 0, 0.02};
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_dx = 0.01;
    def.params.grid_top = 0.4, def.params.view_opaque = 1;
    def.solids = &floor, def.solid_count = 1;
    rv_world *world;
    rv_messages m = {0};
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static int set_up(void **state)
{
    stage *s = calloc(1, sizeof *s);
    rv_messages m = {0};
    const rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    if (!s || rv_target_create(&def, &s->target, &m) != RV_OK ||
        rv_renderer_create(s->target, NULL, &s->renderer, &m) != RV_OK)
        fail_msg("%s", m.text);
    s->world = make_world();
    assert_int_equal(rv_surface_create(s->world, &s->surface), RV_OK);
    assert_int_equal(rv_surface_update(s->surface, s->world), RV_OK);
    *state = s;
    return 0;
}

static int take_down(void **state)
{
    stage *s = *state;
    rv_renderer_destroy(s->renderer);
    rv_target_destroy(s->target);
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    free(s);
    return 0;
}

static void draw(stage *s, const rv_params *p, uint8_t *rgb)
{
    assert_int_equal(rv_renderer_draw(s->renderer, p), RV_OK);
    assert_int_equal(rv_target_read(s->target, rgb), RV_OK);
}

// The scene without liquid, and with this one.
static void draw_both(stage *s, shape *inside, const rv_params *p)
{
    static float value[N * N * N];
    rv_renderer *r = s->renderer;
    rv_messages m = {0};
    if (rv_renderer_update(r, s->world, s->surface, &m) != RV_OK) fail_msg("%s", m.text);
    for (int n = 0; n < RV_EXTENT_PEAKS * RV_EXTENT_PEAKS; n++) r->extent.peak[n] = N;
    if (!rv_density_prepare(r, false, &m)) fail_msg("%s", m.text);
    rv_density d = density_of(nothing, N, value);
    assert_int_equal(rv_density_update(&r->box, &d, &r->extent, 0.5), RV_OK);
    assert_int_equal(rv_density_take_solids(&r->box, s->world, &d), RV_OK);
    assert_false(r->box.any);
    draw(s, p, s->dry);
    d = density_of(inside, N, value);
    assert_int_equal(rv_density_update(&r->box, &d, &r->extent, 0.5), RV_OK);
    assert_true(r->box.any);
    draw(s, p, s->rgb);
    r->box.there = false;
}

static int difference(const stage *s, int x, int y)
{
    int most = 0;
    for (int c = 0; c < 3; c++) {
        int at = 3 * (y * W + x) + c, d = abs(s->rgb[at] - s->dry[at]);
        if (d > most) most = d;
    }
    return most;
}

// A ball is as large in the picture as the camera says; beside it nothing changes but for its
// shadow.
static void a_ball_is_where_it_should_be(void **state)
{
    stage *s = *state;
    rv_params p = *rv_world_params(s->world);
    draw_both(s, ball, &p);
    rv_eye eye = rv_eye_of(&p, &s->renderer->extent, W, H);
    float x, y, ex, ey;
    vec3 middle = v3(20, 20, 22);
    assert_true(rv_eye_pixel(&eye, middle, &x, &y));
    assert_true(rv_eye_pixel(&eye, along(middle, eye.up, 11), &ex, &ey));
    float radius = y - ey;
    assert_true(radius > 15);
    int changed = 0, expected = 0;
    for (int j = 0; j < H; j++) {
        for (int i = 0; i < W; i++) {
            float far = hypotf((float)i + 0.5f - x, (float)j + 0.5f - y) / radius;
            if (far < 0.97f) expected++, changed += difference(s, i, j) > 3;
            // above the ball there is neither liquid nor shadow
            if (far > 1.08f && (float)j < y) assert_true(difference(s, i, j) <= 2);
        }
    }
    if (changed < 0.9 * expected) fail_msg("%d of %d pixels of the ball", changed, expected);
}

// Foam makes the ball white, and nothing else brighter.
static void foam_is_white(void **state)
{
    stage *s = *state;
    static float value[N * N * N], froth[N * N * N];
    rv_renderer *r = s->renderer;
    rv_messages m = {0};
    rv_params p = *rv_world_params(s->world);
    long sum[3] = {0};
    draw_both(s, ball, &p);
    if (!rv_density_prepare(r, true, &m)) fail_msg("%s", m.text);
    rv_density d = density_of(ball, N, value);
    d.froth = froth;
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < N * N * N; n++) froth[n] = (float)k;
        assert_int_equal(rv_density_update(&r->box, &d, &r->extent, 0.5), RV_OK);
        uint8_t *out = k ? s->dry : s->rgb; // liquid without foam, and with it
        draw(s, &p, out);
        for (int n = 0; n < W * H * 3; n++) sum[k] += out[n];
    }
    int other = 0, white = 0;
    for (int j = 0; j < H; j++)
        for (int i = 0; i < W; i++) {
            const uint8_t *c = s->dry + 3 * (j * W + i);
            if (difference(s, i, j) < 20) continue;
            other++, white += c[0] > 90 && abs(c[0] - c[2]) < 40;
        }
    r->box.there = false;
    assert_true(sum[1] > sum[0] && other > 500);
    assert_true(white > 9 * other / 10);
}

// A pool of particles as a height, N cells square and a quarter as deep.
static rv_world *make_height(void)
{
    static rv_fill_def fill;
    fill = rv_default_fill_def();
    fill.kind = RV_FILL_LEVEL, fill.level = 0.1;
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_SPLAT, def.params.splat_form = RV_SPLAT_HEIGHT;
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_dx = 0.01;
    def.params.grid_top = 0.4, def.params.splat_depth = 4, def.params.splat_foam = 1;
    def.params.view_opaque = 0.05;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world;
    rv_messages m = {0};
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

// Foam lies on a height wherever there is any, however dark it is below.
static void foam_lies_on_heights(void **state)
{
    stage *s = *state;
    static float froth[N * N];
    rv_renderer *r = s->renderer;
    rv_messages m = {0};
    rv_surface *surface;
    rv_world *world = make_height();
    const rv_params *p = rv_world_params(world);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    if (rv_renderer_update(r, world, surface, &m) != RV_OK) fail_msg("%s", m.text);
    for (int k = 0; k < 2; k++) {
        for (int n = 0; n < N * N; n++) froth[n] = (float)k;
        assert_int_equal(rv_foam_take(&r->foam, N, N, froth), RV_OK);
        draw(s, p, k ? s->rgb : s->dry);
    }
    rv_eye eye = rv_eye_of(p, &r->extent, W, H);
    for (int b = 4; b < N - 3; b += 2)
        for (int a = 4; a < N - 3; a += 2) {
            float x, y;
            assert_true(rv_eye_pixel(&eye, v3((float)a, (float)b, 10), &x, &y));
            const size_t at = 3 * ((size_t)y * W + (size_t)x);
            const uint8_t *with = s->rgb + at, *without = s->dry + at;
            assert_true(with[0] > 150 && abs(with[0] - with[2]) < 40);
            assert_true(without[0] < 130);
        }
    assert_int_equal(rv_renderer_update(r, s->world, s->surface, &m), RV_OK);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// Flat sides down to the floor: along the front edge of the tank no pixel is left out, and none is
// black.
static void a_pool_fills_its_tank(void **state)
{
    stage *s = *state;
    rv_params p = *rv_world_params(s->world);
    draw_both(s, pool, &p);
    rv_eye eye = rv_eye_of(&p, &s->renderer->extent, W, H);
    int points = 0;
    for (int n = 1; n < 20; n++) {
        for (int k = 0; k < 10; k++) {
            float x, y;
            vec3 at = v3(2.0f * (float)n, 0, 3.5f + (float)k); // the front side, at y = 0
            if (!rv_eye_pixel(&eye, at, &x, &y)) continue;
            points++;
            const uint8_t *c = s->rgb + 3 * ((int)y * W + (int)x);
            if (difference(s, (int)x, (int)y) < 4)
                fail_msg("a gap at %g %g %g", (double)at.x, (double)at.y, (double)at.z);
            assert_true(c[0] + c[1] + c[2] > 30);
        }
    }
    assert_true(points > 100);
}

// Along the ball's upper outline, the change from the backdrop to the ball takes more than one step
// of brightness: edges are not stair-stepped.
static void edges_are_smooth(void **state)
{
    stage *s = *state;
    rv_params p = *rv_world_params(s->world);
    p.liquid_look = RV_LOOK_MILK; // opaque: the ball and the backdrop are far apart
    p.view_opaque = 0.01;
    draw_both(s, ball, &p);
    int between = 0, rows = 0;
    for (int i = W / 2 - 20; i < W / 2 + 20; i++) {
        for (int j = 1; j < H - 1; j++) {
            if (difference(s, i, j) < 6) continue;
            // the first pixel of the column that differs; the ball's own colour is a few rows below
            int full = difference(s, i, j + 3);
            rows++;
            if (difference(s, i, j) < 0.85 * full) between++;
            break;
        }
    }
    assert_true(rows > 35);
    if (between < rows / 3)
        fail_msg("%d of %d columns have a pixel that is covered in part", between, rows);
}

static void views_of_it_do_not_fail(void **state)
{
    stage *s = *state;
    for (int mode = RV_VIEW_SHADED; mode <= RV_VIEW_PARTICLES; mode++) {
        rv_params p = *rv_world_params(s->world);
        p.view_mode = (rv_view_mode)mode;
        draw_both(s, ball, &p);
    }
    s->renderer->wanted = RV_VIEW_SHADED;
}

// A plane: a disk of liquid is where it should be, and a solid is drawn over it.
static void a_cut_shows_liquid_and_solids(void **state)
{
    stage *s = *state;
    static float value[N * N];
    rv_renderer *r = s->renderer;
    rv_messages m = {0};
    rv_density d = density_of(cylinder, 1, value);
    rv_params p = *rv_world_params(s->world);
    p.view_opaque = 0.2;
    if (!rv_flat_prepare(&r->flat, RV_MATERIAL_WOOD, &m)) fail_msg("%s", m.text);
    assert_true(rv_points_prepare(&r->points, &m));
    rv_flat_extent(&d, &r->extent);
    assert_int_equal(rv_flat_update(&r->flat, s->world, &d, 1), RV_OK);
    r->flat.there = true;
    draw(s, &p, s->rgb);
    memset(value, 0, sizeof value);
    assert_int_equal(rv_flat_update(&r->flat, s->world, &d, 1), RV_OK);
    draw(s, &p, s->dry);
    // Pixels from rays, as a tool would find them.
    int wrong = 0, inside = 0;
    for (int j = 0; j < H; j += 3) {
        for (int i = 0; i < W; i += 3) {
            rv_ray ray = rv_renderer_ray(r, &p, i + 0.5, j + 0.5);
            double t = (d.low.y + 0.005 - ray.from.y) / ray.toward.y;
            double x = (ray.from.x + t * ray.toward.x - d.low.x) / 0.01;
            double z = (ray.from.z + t * ray.toward.z) / 0.01, in = cylinder(x, 0.5, z);
            if (in > 1) inside++, wrong += difference(s, i, j) < 10;
            const uint8_t *c = s->rgb + 3 * (j * W + i);
            if (z < 1.5 && z > 0.5 && x > 0 && x < N) wrong += c[0] <= c[2]; // a floor of wood
        }
    }
    r->flat.there = false;
    assert_true(inside > 50);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_closed_and_as_large_as_the_liquid),
        cmocka_unit_test(sides_are_flat_and_in_the_grids_sides),
        cmocka_unit_test(warm_updates_allocate_nothing),
        cmocka_unit_test(a_ball_is_where_it_should_be),
        cmocka_unit_test(foam_is_white),
        cmocka_unit_test(foam_lies_on_heights),
        cmocka_unit_test(a_pool_fills_its_tank),
        cmocka_unit_test(edges_are_smooth),
        cmocka_unit_test(views_of_it_do_not_fail),
        cmocka_unit_test(a_cut_shows_liquid_and_solids),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
