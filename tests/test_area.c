// The part of the picture that passes after the solids work on: pictures drawn only there, frame
// after frame, with droplets, a tool's ring and liquid that come, move and go, are those drawn
// whole, pixel by pixel.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_leaks.h"
#include "render/renderer_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 200, H = 150, N = 40, FRAMES = 24 };

typedef struct eyes {
    rv_target *target;
    rv_renderer *renderer;
    uint8_t rgb[W * H * 3];
} eyes;

static eyes *open_eyes(void)
{
    eyes *e = calloc(1, sizeof *e);
    rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = W, .height = H};
    rv_messages messages = {0};
    assert_non_null(e);
    if (rv_target_create(&def, &e->target, &messages) != RV_OK ||
        rv_renderer_create(e->target, NULL, &e->renderer, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return e;
}

static void close_eyes(eyes *e)
{
    rv_renderer_destroy(e->renderer);
    rv_target_destroy(e->target);
    free(e);
}

// A floor with a small puddle, and a shelf over it: two layers.
static rv_world *make_world(void)
{
    rv_solid_def solids[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solids[0].shape = RV_SHAPE_PLANE, solids[0].at.z = 0.004;
    solids[1].shape = RV_SHAPE_BOX, solids[1].at = (rv_vec3){0.008, 0, 0.014};
    solids[1].size = (rv_vec3){0.012, 0.02, 0.002};
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = N, def.params.grid_top = 0.03;
    def.params.liquid_look = RV_LOOK_BLOOD, def.params.tension_on = false;
    def.solids = solids, def.solid_count = 2;
    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

// Droplets that fly across the picture, over its edges too, and none in some frames.
static int throw_drops(int frame, float ball[3][8])
{
    for (int n = 0; n < 3; n++) {
        float t = (float)frame / FRAMES + 0.3f * (float)n;
        ball[n][0] = N * (1.6f * t - 0.3f), ball[n][1] = N * (0.2f + 0.3f * (float)n);
        ball[n][2] = 10 + 12 * sinf(5 * t), ball[n][3] = 0;
    }
    return frame % 5 == 4 ? 0 : frame % 6 == 5 ? 3 : 1;
}

// Draws them out into long lines, as rain is: rv_drops_take has all of them shorter.
static void draw_out(rv_drops *drops)
{
    if (drops->count == 0) return;
    for (int n = 0; n < drops->count; n++) drops->ball[n][6] = -4000, drops->ball[n][7] = 40;
    glBindBuffer(GL_ARRAY_BUFFER, drops->instances);
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)((size_t)drops->count * sizeof *drops->ball),
                    drops->ball);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

static void draw(eyes *e, const rv_world *world, const rv_surface *surface, const rv_params *params,
                 int frame, bool whole)
{
    rv_renderer *r = e->renderer;
    rv_messages messages = {0};
    float ball[3][8] = {{0}};
    if (rv_renderer_update(r, world, surface, &messages) != RV_OK) fail_msg("%s", messages.text);
    int count = throw_drops(frame, ball);
    float radius = frame % 2 ? 0.02f : 0.8f; // also smaller than a pixel
    assert_int_equal(rv_drops_take(&r->drops, (const float(*)[8])ball, count, radius), RV_OK);
    if (frame % 4 == 2) draw_out(&r->drops);
    double at = 0.001 * frame - 0.012;
    rv_mark mark = {.shown = frame % 4 == 1, .at = {at, -at, 0.004}, .normal = {0, 0, 1}};
    mark.radius = 0.003, mark.rgb[0] = 1;
    rv_renderer_set_mark(r, &mark);
    if (whole) r->frame.fresh = true;
    assert_int_equal(rv_renderer_draw(r, params), RV_OK);
    assert_int_equal(rv_target_read(e->target, e->rgb), RV_OK);
}

static void test_parts_are_the_whole(void **state)
{
    (void)state;
    eyes *part = open_eyes(), *whole = open_eyes();
    rv_world *world = make_world();
    rv_surface *surface;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    int smaller = 0;
    for (int n = 0; n < FRAMES; n++) {
        if (n == 6) rv_world_pour(world, (rv_vec3){-0.008, 0.004, 0.02}, 0.002, 2e-7);
        if (n == 9) rv_world_pour(world, (rv_vec3){0.008, 0, 0.02}, 0.002, 4e-7);
        rv_params params = *rv_world_params(world);
        if (n >= 16) params.view_azimuth += 0.4; // the camera goes elsewhere
        if (n == 20) params.view_zoom *= 3;      // and into the scene
        assert_int_equal(rv_world_step(world, 0.005), RV_OK);
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        draw(part, world, surface, &params, n, false);
        draw(whole, world, surface, &params, n, true);
        assert_memory_equal(part->rgb, whole->rgb, sizeof part->rgb);
        const int *area = part->renderer->area_before;
        smaller += area[2] * area[3] < W * H * 8 / 10;
    }
    assert_true(smaller >= FRAMES / 3); // else nothing was shown
    rv_surface_destroy(surface);
    rv_world_destroy(world);
    close_eyes(part);
    close_eyes(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_are_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
