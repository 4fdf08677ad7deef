// Wide worlds, drawn from their columns in patches as coarse as they are far: the picture is that
// of every cell, the same from the card's memory, without jumps while the camera moves and without
// holes between patches; and what is no wide world is drawn as ever.
#include "card_worlds.h"

#include "app/bench_large.h"
#include "render/wide.h"
#include "rivulet_gl/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// 0.0009 is what llvmpipe gives; without vertices that move it is 0.0022
#define MEAN_MOST 0.0015
enum { FAR_MOST = 10 };

enum { N = 1024, WIDTH = 96, HEIGHT = 64, BYTES = WIDTH * HEIGHT * 3 };

typedef struct stage {
    rv_large_world large;
    rv_world *world;
    rv_renderer *renderer;
    rv_surface *surface;
    rv_params params;
} stage;

static void open_stage(void **state, stage *s, double detail, bool on_card)
{
    shared *c = *state;
    rv_messages messages = {0};
    memset(s, 0, sizeof *s);
    assert_true(rv_large_make("land-1024", N, NULL, NULL, &s->large, NULL));
    rv_params *p = &s->large.def.params;
    // low over the lake, looking along the ground: near and far patches are in one picture
    p->view_elevation = 0.25, p->view_azimuth = 0.6, p->view_x = -500, p->view_y = -330;
    p->view_z = -230, p->view_samples = 4, p->view_detail = detail;
    s->params = *p;
    s->large.def.device = on_card ? device_of(state) : NULL;
    assert_int_equal(rv_world_create(&s->large.def, &s->world, &messages), RV_OK);
    assert_int_equal(rv_world_step(s->world, p->time_step), RV_OK);
    assert_int_equal(rv_target_resize(c->target, WIDTH, HEIGHT), RV_OK);
    assert_int_equal(rv_renderer_create(c->target, NULL, &s->renderer, &messages), RV_OK);
    if (rv_renderer_wants_surface(s->world, p)) {
        assert_int_equal(rv_surface_create(s->world, &s->surface), RV_OK);
        assert_int_equal(rv_surface_update_drawn(s->surface, s->world), RV_OK);
    }
    assert_int_equal(rv_renderer_update(s->renderer, s->world, s->surface, &messages), RV_OK);
}

static void close_stage(stage *s)
{
    rv_renderer_destroy(s->renderer);
    rv_surface_destroy(s->surface);
    rv_world_destroy(s->world);
    rv_large_free(&s->large);
}

static void draw(void **state, stage *s, uint8_t *out)
{
    shared *c = *state;
    assert_int_equal(rv_renderer_draw(s->renderer, &s->params), RV_OK);
    assert_int_equal(rv_target_read(c->target, out), RV_OK);
}

static int64_t triangles(stage *s)
{
    rv_renderer_stats stats;
    assert_int_equal(rv_renderer_get_stats(s->renderer, &stats), RV_OK);
    return stats.terrain_triangles;
}

// Mean difference, and how many bytes differ by more than `by`.
static double difference(const uint8_t *a, const uint8_t *b, int by, int *far)
{
    double sum = 0;
    *far = 0;
    for (int n = 0; n < BYTES; n++) {
        int d = abs(a[n] - b[n]);
        sum += d, *far += d > by;
    }
    return sum / BYTES;
}

// The same picture with an eighth of the triangles, and from the card's memory to the bit. Of every
// cell there would be two hundred triangles in a pixel, of which four are seen: that is noise, and
// most of the difference.
static void far_cells_are_drawn_together(void **state, stage *s)
{
    static uint8_t fine[BYTES], coarse[BYTES], there[BYTES];
    stage card;
    int far;
    assert_null(s->surface); // it is drawn without
    s->params.view_detail = 0.1;
    draw(state, s, fine);
    int64_t all = triangles(s);
    s->params.view_detail = 1;
    draw(state, s, coarse);
    double mean = difference(fine, coarse, 24, &far);
    print_message("triangles %lld of %lld, mean difference %.3f of 255, %d bytes over 24\n",
                  (long long)triangles(s), (long long)all, mean, far);
    assert_true(4 * triangles(s) < 3 * all);
    assert_true(mean < 1.6 && far < BYTES / 50);
    open_stage(state, &card, 1, true);
    draw(state, &card, there);
    assert_memory_equal(there, coarse, BYTES);
    close_stage(&card);
}

// The reach of the levels is made a little less until some patch is drawn with the next one; where
// that happens is found to a ten-thousandth. The pictures on either side are then all but the same,
// or patches would jump when the camera moves.
static void nothing_jumps(void **state, stage *s)
{
    static uint8_t now[BYTES], before[BYTES];
    int far;
    double from = 0.08, to = from;
    s->params.view_detail = from;
    draw(state, s, before);
    int64_t count = triangles(s);
    for (int step = 0; step < 24 && triangles(s) == count; step++) {
        from = to, s->params.view_detail = to *= 1.03;
        draw(state, s, now);
    }
    assert_true(triangles(s) < count);
    while (to - from > 1e-4 * to) {
        double middle = 0.5 * (from + to);
        s->params.view_detail = middle;
        draw(state, s, now);
        *(triangles(s) == count ? &from : &to) = middle;
    }
    s->params.view_detail = from;
    draw(state, s, before);
    s->params.view_detail = to;
    draw(state, s, now);
    double mean = difference(now, before, 3, &far);
    print_message("across a change: %.4f of 255, %d bytes over 3\n", mean, far);
    assert_true(mean < MEAN_MOST && far < FAR_MOST);
}

// Seen from straight above the ground is all there is to see: no pixel of the floor shows through
// it.
static void there_are_no_holes(void **state, stage *s)
{
    static uint8_t now[BYTES];
    int holes = 0;
    s->params.view_elevation = 1.5, s->params.view_x = s->params.view_y = s->params.view_z = 0;
    s->params.view_zoom = 3, s->params.view_mode = RV_VIEW_DEPTH;
    s->params.view_detail = 8;
    draw(state, s, now);
    // a hole shows the floor, which is grey; all ground is under liquid, which is violet to yellow
    for (int n = 0; n < BYTES - 3 * WIDTH * 20; n += 3) {
        const uint8_t *p = now + n;
        holes += abs(p[0] - p[1]) < 6 && abs(p[1] - p[2]) < 6 && n / 3 % WIDTH < WIDTH / 2;
    }
    assert_int_equal(holes, 0);
}

// A renderer that showed a wide world takes the next one over once, not in each update.
static void another_follows(void **state, stage *s)
{
    static uint8_t now[BYTES];
    small_world w;
    rv_messages messages = {0};
    rv_renderer_stats stats;
    rv_surface *surface = NULL;
    small_table(&w);
    w.def.device = NULL;
    rv_world *world = make(&w.def);
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update_drawn(surface, world), RV_OK);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(rv_renderer_update(s->renderer, world, surface, &messages), RV_OK);
        assert_int_equal(rv_renderer_get_stats(s->renderer, &stats), RV_OK);
        assert_true(n == 0 ? stats.tiles > 0 : stats.tiles == 0);
    }
    s->params = *rv_world_params(world);
    draw(state, s, now);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// One world for all of these: making it ready to be drawn takes longer than drawing it.
static void a_wide_world_is_drawn(void **state)
{
    stage s;
    open_stage(state, &s, 1, false);
    far_cells_are_drawn_together(state, &s);
    nothing_jumps(state, &s);
    there_are_no_holes(state, &s);
    another_follows(state, &s);
    close_stage(&s);
}

static void small_worlds_are_drawn_whole(void **state)
{
    small_world w;
    small_table(&w);
    w.def.device = NULL;
    rv_world *world = make(&w.def);
    assert_false(rv_wide_suits(world));
    assert_true(rv_renderer_wants_surface(world, rv_world_params(world)));
    assert_false(rv_renderer_wants_surface(NULL, NULL));
    assert_int_equal(rv_world_card_depth(world), 0);
    rv_world_destroy(world);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_world_is_drawn),
        cmocka_unit_test(small_worlds_are_drawn_whole),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
