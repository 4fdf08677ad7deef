// Pictures: liquid where there is liquid, terrain where there is none, the same for any number of
// threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/camera.h"
#include "render/picture.h"

#include <stdlib.h>
#include <string.h>

enum { W = 160, H = 120, CELLS = 40 };

typedef struct scene {
    double level;             // of the pool, m; below its floor: dry
    double opaque;            // view.opaque, m
    bool heights;             // made from heights instead of solids
    bool roof;                // a slab over the pool
    bool shelf;               // a slab over half of the pool, with liquid on it
    bool no_edge, no_curtain; // surface.edge, surface.curtain off
} scene;

static rv_solid_def box(rv_operation op, rv_vec3 at, rv_vec3 size)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = RV_SHAPE_BOX, s.op = op, s.at = at, s.size = size;
    return s;
}

// A plain at 10 mm with a square pool of 20 mm, 6 mm deep, in a grid of 40 mm.
static rv_world *make(const scene *s)
{
    rv_world_def def = rv_default_world_def();
    rv_params *p = &def.params;
    p->grid_nx = p->grid_ny = CELLS, p->grid_dx = 1e-3, p->grid_top = 0.03;
    p->liquid_look = RV_LOOK_BLOOD, p->view_opaque = s->opaque, p->view_elevation = 1.1;
    rv_solid_def solids[3];
    solids[0] = rv_default_solid_def();
    solids[0].shape = RV_SHAPE_PLANE, solids[0].at = (rv_vec3){0, 0, 0.010};
    solids[1] = box(RV_SUBTRACT, (rv_vec3){0, 0, 0.010}, (rv_vec3){0.020, 0.020, 0.012});
    solids[2] = box(RV_UNION, (rv_vec3){0, 0, 0.020}, (rv_vec3){0.030, 0.030, 0.004});
    static float heights[CELLS * CELLS];
    for (int n = 0; n < CELLS * CELLS; n++) {
        int x = n % CELLS, y = n / CELLS;
        heights[n] = x >= 10 && x < 30 && y >= 10 && y < 30 ? 0.004f : 0.010f;
    }
    rv_fill_def fill = rv_default_fill_def();
    fill.level = s->level;
    if (s->shelf)
        solids[2] = box(RV_UNION, (rv_vec3){0, 0.012, 0.018}, (rv_vec3){0.1, 0.024, 0.004});
    p->surface_edge = !s->no_edge, p->surface_curtain = !s->no_curtain;
    if (s->heights)
        def.heights = heights;
    else
        def.solids = solids, def.solid_count = s->roof || s->shelf ? 3 : 2;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world = NULL;
    rv_messages messages = {0};
    rv_result result = rv_world_create(&def, &world, &messages);
    if (result != RV_OK) print_message("%s\n", messages.text);
    assert_int_equal(result, RV_OK);
    return world;
}

static void draw(const rv_world *world, rv_pool *pool, uint8_t *rgb)
{
    rv_picture *picture;
    assert_int_equal(rv_picture_create(world, pool, &picture), RV_OK);
    assert_int_equal(rv_picture_draw(picture, world, pool, rgb, W, H), RV_OK);
    rv_picture_destroy(picture);
}

// The pixel in which a point of the world, in metres, is seen.
static const uint8_t *pixel(const rv_world *world, const uint8_t *rgb, rv_vec3 at)
{
    rv_field field;
    rv_columns c;
    assert_int_equal(rv_field_build(&field, world, NULL), RV_OK);
    assert_int_equal(rv_world_columns(world, &c), RV_OK);
    rv_camera camera = rv_camera_of(rv_world_params(world), &field, W, H);
    rv_field_free(&field);
    int x = 0, y = 0;
    vec3 p = v3((float)((at.x - c.x0) / c.dx), (float)((at.y - c.y0) / c.dx),
                (float)((at.z - c.bottom) / c.dx));
    assert_true(rv_camera_pixel(&camera, p, &x, &y));
    return rgb + 3 * (y * W + x);
}

static bool red(const uint8_t *c)
{
    return c[0] > 2 * c[1] && c[0] > 2 * c[2];
}

static int count_red(const uint8_t *rgb)
{
    int count = 0;
    for (int n = 0; n < W * H; n++) count += red(rgb + 3 * n);
    return count;
}

static void check_pool(const scene *s)
{
    static uint8_t rgb[W * H * 3];
    rv_world *world = make(s);
    draw(world, NULL, rgb);
    for (int n = -2; n <= 2; n++)
        for (int m = -2; m <= 2; m++)
            assert_true(red(pixel(world, rgb, (rv_vec3){0.003 * n, 0.003 * m, s->level})));
    for (int n = -3; n <= 3; n++) {
        assert_false(red(pixel(world, rgb, (rv_vec3){0.005 * n, 0.017, 0.010})));
        assert_false(red(pixel(world, rgb, (rv_vec3){0.017, 0.005 * n, 0.010})));
        assert_false(red(pixel(world, rgb, (rv_vec3){0.005 * n, -0.017, 0.010})));
    }
    assert_false(red(rgb));
    rv_world_destroy(world);
}

static void pool_is_liquid_and_plain_is_not(void **state)
{
    (void)state;
    scene s = {.level = 0.009, .opaque = 0.002};
    check_pool(&s);
    s.heights = true;
    check_pool(&s);
}

static void dry_world_shows_no_liquid(void **state)
{
    (void)state;
    static uint8_t rgb[W * H * 3];
    for (int n = 0; n < 2; n++) {
        scene s = {.level = 0, .opaque = 0.002, .heights = n == 1};
        rv_world *world = make(&s);
        draw(world, NULL, rgb);
        assert_int_equal(count_red(rgb), 0);
        rv_world_destroy(world);
    }
}

static void thin_liquid_shows_the_bed_and_thick_hides_it(void **state)
{
    (void)state;
    static uint8_t rgb[W * H * 3];
    int green[3];
    const double level[3] = {0, 0.0041, 0.009};
    for (int n = 0; n < 3; n++) {
        scene s = {.level = level[n], .opaque = 0.002};
        rv_world *world = make(&s);
        draw(world, NULL, rgb);
        green[n] = pixel(world, rgb, (rv_vec3){0.002, 0, 0.004})[1];
        rv_world_destroy(world);
    }
    assert_true(green[0] > green[1] + 10);
    assert_true(green[1] > green[2] + 40);
    assert_true(green[2] < 100);
}

static void liquid_does_not_show_through_solids(void **state)
{
    (void)state;
    static uint8_t full[W * H * 3], dry[W * H * 3];
    scene s = {.level = 0.009, .opaque = 0.002, .roof = true};
    rv_world *world = make(&s);
    draw(world, NULL, full);
    s.level = 0;
    rv_world *other = make(&s);
    draw(other, NULL, dry);
    for (int n = -4; n <= 4; n++)
        for (int m = -4; m <= 4; m++) {
            rv_vec3 top = {0.003 * n, 0.003 * m, 0.022};
            assert_memory_equal(pixel(world, full, top), pixel(other, dry, top), 3);
        }
    rv_world_destroy(world);
    rv_world_destroy(other);
}

// The share of pixels in which two pictures differ.
static double difference(const uint8_t *a, const uint8_t *b)
{
    int count = 0;
    for (int n = 0; n < W * H; n++) count += memcmp(a + 3 * n, b + 3 * n, 3) != 0;
    return (double)count / (W * H);
}

// A heap of liquid on the plain ends inside cells, or in the middle of dry ones: a rim of pixels
// tells them apart, nothing else does.
static void edge_is_seen(void **state)
{
    (void)state;
    static uint8_t rgb[2][W * H * 3];
    for (int n = 0; n < 2; n++) {
        scene s = {.level = 0, .opaque = 0.002, .no_edge = n == 1};
        rv_world *world = make(&s);
        rv_params p = *rv_world_params(world);
        rv_messages messages = {0};
        p.view_elevation = 1.57, p.liquid_viscosity = 1e-3;
        assert_int_equal(rv_world_set_params(world, &p, &messages), RV_OK);
        assert_true(rv_world_pour(world, (rv_vec3){0.0, 0.0, 0.02}, 0.004, 1e-7) > 0);
        for (int k = 0; k < 20; k++) assert_int_equal(rv_world_step(world, 0.005), RV_OK);
        draw(world, NULL, rgb[n]);
        assert_true(red(pixel(world, rgb[n], (rv_vec3){0, 0, 0.004})));
        rv_world_destroy(world);
    }
    // without the sub-cell edge the rim reaches farther
    assert_true(difference(rgb[0], rgb[1]) > 0.001);
    assert_true(difference(rgb[0], rgb[1]) < 0.05);
    assert_true(count_red(rgb[1]) >= count_red(rgb[0]));
}

// Liquid that runs over the edge of a shelf is seen in front of it while it falls.
static void curtain_is_seen(void **state)
{
    (void)state;
    static uint8_t rgb[2][W * H * 3];
    int below[2] = {0, 0};
    for (int n = 0; n < 2; n++) {
        scene s = {.level = 0, .opaque = 0.0005, .shelf = true, .no_curtain = n == 1};
        rv_world *world = make(&s);
        rv_params p = *rv_world_params(world);
        rv_messages messages = {0};
        p.view_elevation = 0.3, p.view_azimuth = -1.57;
        assert_int_equal(rv_world_set_params(world, &p, &messages), RV_OK);
        for (int k = 0; k < 20; k++) {
            assert_true(rv_world_pour(world, (rv_vec3){0, 0.006, 0.029}, 0.004, 2e-8) > 0);
            assert_int_equal(rv_world_step(world, 0.005), RV_OK);
        }
        draw(world, NULL, rgb[n]);
        // under the edge, in the air
        for (int k = -2; k <= 2; k++)
            below[n] += red(pixel(world, rgb[n], (rv_vec3){0.001 * k, -0.0005, 0.0145}));
        rv_world_destroy(world);
    }
    assert_true(below[0] > 0);
    assert_int_equal(below[1], 0);
    assert_true(difference(rgb[0], rgb[1]) > 0.001);
}

// What a picture keeps from frame to frame follows liquid that comes and goes.
static void liquid_comes_and_goes(void **state)
{
    (void)state;
    static uint8_t first[W * H * 3], kept[W * H * 3];
    scene s = {.level = 0, .opaque = 0.002};
    rv_world *world = make(&s);
    rv_picture *picture;
    rv_messages messages = {0};
    size_t size = rv_world_snapshot_size(world);
    void *dry = malloc(size);
    assert_non_null(dry);
    assert_int_equal(rv_world_save(world, dry, size), RV_OK);
    assert_int_equal(rv_picture_create(world, NULL, &picture), RV_OK);
    assert_int_equal(rv_picture_draw(picture, world, NULL, first, W, H), RV_OK);
    assert_true(rv_world_pour(world, (rv_vec3){0, 0, 0.02}, 0.006, 5e-7) > 0);
    assert_int_equal(rv_picture_draw(picture, world, NULL, kept, W, H), RV_OK);
    assert_true(count_red(kept) > 100);
    assert_int_equal(rv_world_restore(world, dry, size, &messages), RV_OK);
    assert_int_equal(rv_picture_draw(picture, world, NULL, kept, W, H), RV_OK);
    assert_memory_equal(first, kept, sizeof first);
    free(dry);
    rv_picture_destroy(picture);
    rv_world_destroy(world);
}

// Liquid over all of the grid is seen up to its near borders, from above and through the sides.
static void liquid_reaches_the_sides(void **state)
{
    (void)state;
    static uint8_t rgb[W * H * 3];
    scene s = {.level = 0.014, .opaque = 0.002};
    rv_world *world = make(&s);
    rv_params p = *rv_world_params(world);
    rv_messages messages = {0};
    p.view_elevation = 0.9, p.view_azimuth = -0.8;
    assert_int_equal(rv_world_set_params(world, &p, &messages), RV_OK);
    draw(world, NULL, rgb);
    for (int n = -9; n <= 9; n++) {
        double along = 0.002 * n, edge = 0.0197;
        const rv_vec3 at[4] = {{along, -edge, 0.014},
                               {edge, along, 0.014},
                               {0.02, along, 0.012},
                               {along, -0.02, 0.012}};
        // The far sides are left out: there the ray leaves the liquid after less than a cell.
        for (int k = 0; k < 4; k++) {
            const uint8_t *c = pixel(world, rgb, at[k]);
            assert_true(c[0] > 1.25 * c[1] && c[0] > 1.25 * c[2]);
        }
    }
    rv_world_destroy(world);
}

static void threads_agree(void **state)
{
    (void)state;
    static uint8_t one[W * H * 3], many[W * H * 3];
    scene s = {.level = 0.009, .opaque = 0.002};
    rv_world *world = make(&s);
    draw(world, NULL, one);
    const int threads[] = {2, 3, 8};
    for (int n = 0; n < 3; n++) {
        rv_pool *pool = rv_pool_create(threads[n]);
        memset(many, 0, sizeof many);
        draw(world, pool, many);
        assert_memory_equal(one, many, sizeof one);
        rv_pool_destroy(pool);
    }
    rv_world_destroy(world);
}

// The kept terrain must not be taken for another view, another size or another frame.
static void kept_terrain_follows_the_view(void **state)
{
    (void)state;
    static uint8_t kept[W * H * 3], fresh[W * H * 3], small[W * H * 3];
    scene s = {.level = 0.009, .opaque = 0.002};
    rv_world *world = make(&s);
    rv_picture *picture;
    rv_messages messages = {0};
    assert_int_equal(rv_picture_create(world, NULL, &picture), RV_OK);
    assert_int_equal(rv_picture_draw(picture, world, NULL, kept, W, H), RV_OK);
    assert_int_equal(rv_picture_draw(picture, world, NULL, small, W / 2, H / 2), RV_OK);
    rv_params p = *rv_world_params(world);
    p.view_azimuth += 0.5, p.view_material = RV_MATERIAL_WOOD, p.view_zoom = 1.5;
    assert_int_equal(rv_world_set_params(world, &p, &messages), RV_OK);
    assert_true(rv_world_pour(world, (rv_vec3){0, 0, 0.02}, 0.004, 1e-8) > 0);
    assert_int_equal(rv_picture_draw(picture, world, NULL, small, W, H), RV_OK);
    draw(world, NULL, fresh);
    assert_memory_equal(small, fresh, sizeof fresh);
    assert_true(memcmp(kept, fresh, sizeof fresh) != 0);
    rv_picture_destroy(picture);
    rv_world_destroy(world);
}

// At zoom 1 the corners of the ground are in the picture from every side, and fill a good part of
// it.
static void whole_grid_fits(void **state)
{
    (void)state;
    scene s = {.level = 0.009, .opaque = 0.002};
    rv_world *world = make(&s);
    rv_field field;
    assert_int_equal(rv_field_build(&field, world, NULL), RV_OK);
    rv_params p = *rv_world_params(world);
    for (int n = 0; n < 40; n++) {
        p.view_azimuth = 0.7 * n, p.view_elevation = 0.1 + 0.036 * n, p.view_lens = 0.1 + 0.03 * n;
        rv_camera camera = rv_camera_of(&p, &field, W, H);
        int low[2] = {W, H}, high[2] = {0, 0};
        for (int k = 0; k < 4; k++) {
            int at[2] = {0, 0};
            vec3 corner = v3(k & 1 ? CELLS : 0, k & 2 ? CELLS : 0, 10);
            assert_true(rv_camera_pixel(&camera, corner, &at[0], &at[1]));
            for (int a = 0; a < 2; a++) {
                low[a] = at[a] < low[a] ? at[a] : low[a];
                high[a] = at[a] > high[a] ? at[a] : high[a];
            }
        }
        assert_true(high[0] - low[0] > W / 2 || high[1] - low[1] > H / 2);
    }
    rv_field_free(&field);
    rv_world_destroy(world);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    static uint8_t rgb[W * H * 3];
    scene s = {.level = 0.009, .opaque = 0.002};
    rv_world *world = make(&s);
    rv_picture *picture = NULL;
    assert_int_equal(rv_picture_create(NULL, NULL, &picture), RV_BAD_ARGUMENT);
    assert_null(picture);
    assert_int_equal(rv_picture_create(world, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_picture_create(world, NULL, &picture), RV_OK);
    assert_int_equal(rv_picture_draw(picture, NULL, NULL, rgb, W, H), RV_BAD_ARGUMENT);
    assert_int_equal(rv_picture_draw(picture, world, NULL, rgb, 0, H), RV_BAD_ARGUMENT);
    assert_int_equal(rv_picture_draw(picture, world, NULL, NULL, W, H), RV_BAD_ARGUMENT);
    rv_picture_destroy(picture);
    rv_picture_destroy(NULL);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_is_liquid_and_plain_is_not),
        cmocka_unit_test(dry_world_shows_no_liquid),
        cmocka_unit_test(thin_liquid_shows_the_bed_and_thick_hides_it),
        cmocka_unit_test(liquid_does_not_show_through_solids),
        cmocka_unit_test(edge_is_seen),
        cmocka_unit_test(curtain_is_seen),
        cmocka_unit_test(liquid_comes_and_goes),
        cmocka_unit_test(liquid_reaches_the_sides),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(kept_terrain_follows_the_view),
        cmocka_unit_test(whole_grid_fits),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
