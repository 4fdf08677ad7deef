// What bindings of other languages stand on: running for a time with somebody watching, the columns
// as a table, forms and heights from memory in scenes, and pictures from any thread.
#include "driver_leaks.h"
#include "small_worlds.h"

#include "rivulet_gl/rivulet_gl.h"
#include "rivulet_io/rivulet_io.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- Running ------------------------------------------------------------------------------------

typedef struct seen {
    int calls, stop_at;
    double last, all;
} seen;

static bool look(double done, double all, void *user)
{
    seen *s = user;
    assert_true(done > s->last);
    s->last = done, s->all = all;
    return ++s->calls != s->stop_at;
}

static rv_world *collapse(void)
{
    small_world s;
    small_collapse(&s);
    s.def.params.time_step = 0.01;
    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&s.def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static void runs_are_steps(void **state)
{
    (void)state;
    rv_world *run = collapse(), *step = collapse();
    seen s = {0};
    rv_stats stats;
    assert_int_equal(rv_world_run(run, 0.3, look, &s), RV_OK);
    for (int i = 0; i < 30; i++) rv_world_step(step, 0.01);
    assert_int_equal(s.calls, 30);
    assert_true(rv_world_hash(run) == rv_world_hash(step));
    assert_int_equal(rv_world_run(run, 0.025, NULL, NULL), RV_OK); // three, each a little shorter
    for (int i = 0; i < 3; i++) rv_world_step(step, 0.025 / 3);
    assert_true(rv_world_hash(run) == rv_world_hash(step));
    rv_world_get_counters(run, &stats);
    assert_int_equal(stats.steps, 33);
    rv_world_destroy(run), rv_world_destroy(step);
}

static void runs_stop(void **state)
{
    (void)state;
    rv_world *world = collapse();
    seen s = {.stop_at = 4};
    rv_stats stats;
    assert_int_equal(rv_world_run(world, 1, look, &s), RV_OK);
    rv_world_get_counters(world, &stats);
    assert_int_equal(stats.steps, 4);
    assert_true(s.all == 1);
    assert_int_equal(rv_world_run(world, 0, look, &s), RV_OK);
    assert_int_equal(rv_world_run(world, -1, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_run(world, NAN, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_run(world, INFINITY, NULL, NULL), RV_BAD_ARGUMENT);
    rv_world_get_counters(world, &stats);
    assert_int_equal(stats.steps, 4);
    rv_world_destroy(world);
}

// ---- Columns ------------------------------------------------------------------------------------

static void columns_are_listed(void **state)
{
    (void)state;
    small_world s;
    small_layers(&s, RV_SOLVER_PIPES);
    rv_world *world;
    rv_world_info info;
    rv_stats stats;
    assert_int_equal(rv_world_create(&s.def, &world, NULL), RV_OK);
    rv_world_run(world, 0.05, NULL, NULL);
    rv_world_get_info(world, &info), rv_world_get_stats(world, &stats);
    size_t count = rv_world_list_columns(world, NULL, 0);
    assert_int_equal(count, info.columns);
    float *depth = calloc(count, sizeof *depth), *u = calloc(count, sizeof *u);
    float *level = calloc(count, sizeof *level), *base = calloc(count, sizeof *base);
    int32_t *layer = calloc(count, sizeof *layer);
    const rv_column_table table = {
        .depth = depth, .u = u, .level = level, .base = base, .layer = layer};
    assert_int_equal(rv_world_list_columns(world, &table, count), count);
    double volume = 0, fastest = 0;
    int highest = 0;
    for (size_t i = 0; i < count; i++) {
        volume += depth[i], fastest = fmax(fastest, fabs(u[i]));
        if (layer[i] > highest) highest = layer[i];
        assert_true(level[i] == base[i] + depth[i]);
    }
    double dx = rv_world_params(world)->grid_dx;
    assert_true(fabs(volume * dx * dx - stats.volume) < 1e-6 * stats.volume);
    assert_true(fastest > 0 && fastest <= stats.fastest * 1.0001);
    assert_int_equal(highest + 1, info.layers);
    depth[5] = -1;
    rv_world_list_columns(world, &table, 5); // no further than there is room
    assert_true(depth[5] == -1);
    assert_int_equal(rv_world_list_columns(NULL, &table, count), 0);
    free(depth), free(u), free(level), free(base), free(layer);
    rv_world_destroy(world);
}

// ---- Scenes from memory -------------------------------------------------------------------------

static rv_scene *open_text(const char *text)
{
    rv_scene *scene;
    rv_messages messages = {0};
    if (rv_scene_open_memory(text, strlen(text), "mine.yaml", &scene, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return scene;
}

static rv_form *flat_map(void)
{
    const float heights[4] = {0.005f, 0.005f, 0.005f, 0.005f};
    const rv_height_map map = {2, 2, heights, 0.02, 0.02};
    const rv_form_def def = rv_default_form_def();
    const rv_form_work work = rv_default_form_work();
    rv_form *form;
    assert_int_equal(rv_form_from_heights(&map, &def, &work, &form, NULL, NULL), RV_OK);
    return form;
}

static void forms_are_given(void **state)
{
    (void)state;
    rv_form *form = flat_map();
    rv_scene *scene = open_text("grid: {nx: 20, ny: 20, dx: 1 mm, top: 20 mm}\n"
                                "solids:\n"
                                "  - {shape: heights, file: here}\n");
    rv_messages messages = {0};
    rv_world *world;
    assert_int_equal(rv_scene_put_form(scene, "there", RV_SHAPE_HEIGHTS, form, &messages),
                     RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "no solid is made from 'there'"));
    messages = (rv_messages){0};
    assert_int_equal(rv_scene_put_form(scene, "here", RV_SHAPE_MESH, form, &messages),
                     RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "mine.yaml:3: solids[0].shape"));
    assert_int_equal(rv_scene_put_form(scene, "here", RV_SHAPE_HEIGHTS, form, NULL), RV_OK);
    messages = (rv_messages){0};
    if (rv_scene_make_world(scene, NULL, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    rv_sample under;
    rv_world_sample(world, &(rv_vec3){0, 0, 0.01}, 1, &under);
    assert_true(fabs(under.base - 0.005) < 1e-5);
    rv_world_destroy(world), rv_scene_close(scene);

    scene = open_text("solids:\n  - {shape: heights, file: here, high: 3 mm}\n");
    messages = (rv_messages){0};
    assert_int_equal(rv_scene_put_form(scene, "here", RV_SHAPE_HEIGHTS, form, &messages),
                     RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "mine.yaml:2: solids[0].high"));
    rv_scene_close(scene), rv_form_free(form);
}

static void heights_are_given(void **state)
{
    (void)state;
    float heights[100], draws[4] = {0, 1, 0, 1};
    const rv_map map = {2, 2, draws};
    for (int i = 0; i < 100; i++) heights[i] = 1e-3f * (float)(i % 10);
    rv_scene *scene = open_text("grid: {nx: 10, ny: 10, dx: 1 mm, top: 20 mm}\n");
    rv_scene_work work = rv_default_scene_work();
    rv_world *world;
    rv_columns c;
    work.heights = heights, work.affinity = &map;
    assert_int_equal(rv_scene_make_world(scene, &work, &world, NULL), RV_OK);
    rv_world_get_columns(world, &c);
    assert_true(fabsf(c.base[rv_slot(&c.plane[0], 7, 3)] - 7e-3f) < 1e-5f);
    assert_true(c.affinity[0] < 30 && c.affinity[9] > 220);
    rv_world_destroy(world), rv_scene_close(scene);
}

// ---- Pictures -----------------------------------------------------------------------------------

enum { WIDTH = 64, HEIGHT = 48 };

typedef struct asker {
    rv_painter *painter;
    rv_world *world;
    rv_surface *surface;
    uint8_t rgba[WIDTH * HEIGHT * 4];
    rv_result result;
} asker;

static void *ask(void *user)
{
    asker *a = user;
    const rv_painting what = {a->world, a->surface, NULL, WIDTH, HEIGHT, NULL, NULL, 1};
    a->result = rv_painter_draw(a->painter, &what, a->rgba, NULL);
    return NULL;
}

static void any_thread_may_ask(void **state)
{
    (void)state;
    static asker askers[3];
    rv_painter *painter;
    rv_messages messages = {0};
    if (rv_painter_create(&painter, &messages) != RV_OK) fail_msg("%s", messages.text);
    assert_true(strlen(rv_painter_driver(painter)) > 3);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        askers[i].painter = painter, askers[i].world = collapse();
        if (i == 2) rv_world_run(askers[i].world, 0.2, NULL, NULL);
        assert_int_equal(rv_surface_create(askers[i].world, &askers[i].surface), RV_OK);
        rv_surface_update(askers[i].surface, askers[i].world);
        pthread_create(&threads[i], NULL, ask, &askers[i]);
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(askers[i].result, RV_OK);
        for (int p = 0; p < WIDTH * HEIGHT; p++) assert_int_equal(askers[i].rgba[4 * p + 3], 255);
    }
    assert_memory_equal(askers[0].rgba, askers[1].rgba, sizeof askers[0].rgba);
    assert_memory_not_equal(askers[0].rgba, askers[2].rgba, sizeof askers[0].rgba);

    rv_painting what = {askers[0].world, NULL, NULL, WIDTH, HEIGHT, NULL, NULL, 0};
    assert_int_equal(rv_painter_draw(painter, &what, askers[0].rgba, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "surface"));
    what.surface = askers[0].surface, what.width = 100000;
    assert_int_equal(rv_painter_draw(painter, &what, askers[0].rgba, &messages), RV_BAD_ARGUMENT);
    for (int i = 0; i < 3; i++) {
        rv_painter_forget(painter, askers[i].world);
        rv_surface_destroy(askers[i].surface);
        rv_world_destroy(askers[i].world);
    }
    rv_painter_destroy(painter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_steps),     cmocka_unit_test(runs_stop),
        cmocka_unit_test(columns_are_listed), cmocka_unit_test(forms_are_given),
        cmocka_unit_test(heights_are_given),  cmocka_unit_test(any_thread_may_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
