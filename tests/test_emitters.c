// Emitters in scene files: what each kind has, what is refused and where, and what a world says of
// them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/jets.h"
#include "io/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPLAT "solver: splat\ngrid: {nx: 32, ny: 32, dx: 1 cm, bottom: 0, top: 32 cm}\n"

static bool load(const char *text, rv_scene_file *scene, rv_messages *messages)
{
    return rv_scene_load_memory(text, strlen(text), "t.yaml", scene, messages);
}

static rv_scene_file expect_good(const char *text)
{
    rv_scene_file scene;
    rv_messages m = {0};
    if (!load(text, &scene, &m)) fail_msg("%s", m.text);
    return scene;
}

static void expect_problems(const char *text, const char *expected)
{
    rv_scene_file scene;
    rv_messages m = {0};
    bool loaded = load(text, &scene, &m);
    if (loaded) rv_scene_free(&scene);
    assert_string_equal(m.text, expected);
    assert_false(loaded);
}

static void every_kind_is_read(void **state)
{
    (void)state;
    rv_scene_file s = expect_good(
        SPLAT "emitters:\n"
              "  - {kind: block, from: -16 -16 0 cm, to: -6 16 20 cm}\n"
              "  - {kind: drop, at: 5 0 25 cm, radius: 3 cm, velocity: 0 0 -1, start: 2 s}\n"
              "  - {at: -15 0 20 cm, radius: 1 cm, velocity: [1, 0, 0], stop: 4 s}\n"
              "  - {kind: rain, from: -16 -16 30 cm, to: 16 16 31 cm, radius: 2 mm, rate: "
              "20 ml/s}\n");
    assert_int_equal(s.emitter_count, 4);
    assert_int_equal(s.emitters[0].kind, RV_EMITTER_BLOCK);
    assert_true(s.emitters[0].from.x == -0.16 && s.emitters[0].to.z == 0.2);
    assert_int_equal(s.emitters[1].kind, RV_EMITTER_DROP);
    assert_true(s.emitters[1].start == 2 && s.emitters[1].velocity.z == -1);
    assert_int_equal(s.emitters[2].kind, RV_EMITTER_JET); // the default
    assert_true(s.emitters[2].stop == 4 && s.emitters[2].radius == 0.01);
    assert_int_equal(s.emitters[3].kind, RV_EMITTER_RAIN);
    assert_true(fabs(s.emitters[3].rate - 20e-6) < 1e-18);
    assert_int_equal(s.emitter_lines[3], 7);
    rv_world_def def = rv_scene_world_def(&s);
    assert_int_equal(def.emitter_count, 4);
    assert_ptr_equal(def.emitters, s.emitters);
    rv_scene_free(&s);
}

static void useless_and_missing_keys(void **state)
{
    (void)state;
    expect_problems(SPLAT "emitters:\n"
                          "  - {kind: block, from: 0 0 0}\n"
                          "  - {kind: block, to: 1 1 1 cm, radius: 1 cm, rate: 1}\n"
                          "  - {kind: drop, at: 0 0 1 cm}\n"
                          "  - {kind: jet, at: 0 0 1 cm, radius: 1 cm, rate: 1}\n"
                          "  - {kind: rain, radius: 1 mm, at: 0 0 0}\n"
                          "  - {kind: spray}\n"
                          "  - {kind: drop, radius: 1 cm, speed: 1 0 0}\n",
                    "t.yaml:4: emitters[0].to: missing, needed for block\n"
                    "t.yaml:5: emitters[1].radius: does nothing for block, which has from, to\n"
                    "t.yaml:5: emitters[1].rate: does nothing for block, which has from, to\n"
                    "t.yaml:6: emitters[2].radius: missing, needed for drop\n"
                    "t.yaml:7: emitters[3].velocity: missing, needed for jet\n"
                    "t.yaml:7: emitters[3].rate: does nothing for jet, which has at, radius, stop\n"
                    "t.yaml:8: emitters[4].rate: missing, needed for rain\n"
                    "t.yaml:8: emitters[4].at: does nothing for rain, which has from, to, radius, "
                    "rate, stop\n"
                    "t.yaml:9: emitters[5].kind: 'spray' is not one of block, drop, jet, rain\n"
                    "t.yaml:10: emitters[6].speed: unknown key");
    expect_problems(SPLAT "emiters: []\n",
                    "t.yaml:3: emiters: unknown key; did you mean 'emitters'?");
    expect_problems(SPLAT "emitters: {kind: jet}\n",
                    "t.yaml:3: emitters: expected a list, each item with a '-'");
}

static void places_and_times(void **state)
{
    (void)state;
    expect_problems(
        SPLAT "emitters:\n"
              "  - {kind: block, from: 0 0 10 cm, to: 1 1 9 cm}\n"
              "  - {kind: block, from: 20 0 0 cm, to: 21 1 9 cm}\n"
              "  - {kind: rain, from: 0 0 40 cm, to: 1 1 41 cm, rate: 1 ml/s}\n"
              "  - {kind: drop, at: 0 0.2 0.1, radius: 1 cm}\n"
              "  - {kind: drop, at: 0 0 33 cm, radius: 1 cm}\n"
              "  - {kind: drop, at: 0 0 -1 cm, radius: 1 cm}\n"
              "  - {kind: jet, at: 0 0 1 cm, velocity: 1 0 0, start: 2 s, stop: 1 s}\n",
        "t.yaml:4: emitters[0].from: is not below `to` in x, y and z\n"
        "t.yaml:5: emitters[1].from: the region from … to lies outside the grid\n"
        "t.yaml:6: emitters[2].from: the region from … to lies above or below the grid\n"
        "t.yaml:7: emitters[3].at: (0, 0.2) lies outside the grid, which is x -0.16 to 0.16, y "
        "-0.16 to 0.16\n"
        "t.yaml:8: emitters[4].at: height 0.33 lies over grid.top 0.32\n"
        "t.yaml:9: emitters[5].at: height -0.01 lies under grid.bottom 0: nothing is below it\n"
        "t.yaml:10: emitters[6].stop: 1 is before start, which is 2");
    // a pane has no height
    rv_scene_file s = expect_good("solver: glass\ngrid: {nx: 10, ny: 10, dx: 1 cm, top: 1 mm}\n"
                                  "emitters: [{kind: drop, at: 0 0 5 cm, radius: 2 mm}]\n");
    rv_scene_free(&s);
}

static void lists_go_on_from_another_scene(void **state)
{
    (void)state;
    const char *path = "like-emitters.yaml";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(SPLAT "emitters:\n  - {kind: drop, at: 0 0 10 cm, radius: 2 cm}\n", file);
    fclose(file);
    rv_scene_file s = expect_good("like: like-emitters.yaml\n"
                                  "emitters: [like, {kind: drop, at: 0 0 20 cm, radius: 1 cm}]\n");
    assert_int_equal(s.emitter_count, 2);
    assert_true(s.emitters[0].radius == 0.02 && s.emitters[1].radius == 0.01);
    assert_int_equal(s.emitter_lines[0], 0); // stands in the other file
    assert_int_equal(s.emitter_lines[1], 2);
    rv_scene_free(&s);
    s = expect_good("like: like-emitters.yaml\nemitters: [{kind: drop, radius: 1 cm}]\n");
    assert_int_equal(s.emitter_count, 1);
    rv_scene_free(&s);
    s = expect_good("like: like-emitters.yaml\n");
    assert_int_equal(s.emitter_count, 1);
    rv_scene_free(&s);
    remove(path);
}

// What a world says of a scene's emitters, as `rivulet run` tells it.
static void expect_refused(const char *text, const char *expected)
{
    rv_scene_file s = expect_good(text);
    rv_world_def def = rv_scene_world_def(&s);
    rv_world *world = NULL;
    rv_messages m = {0}, placed = {0};
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_null(world);
    rv_scene_place(&s, &m, &placed);
    assert_string_equal(placed.text, expected);
    rv_scene_free(&s);
}

static void panes_take_drops_alone(void **state)
{
    (void)state;
    expect_refused("solver: glass\ngrid: {nx: 10, ny: 10, dx: 1 cm, top: 1 mm}\n"
                   "emitters:\n  - {kind: jet, at: 0 0 0, radius: 1 mm, velocity: 0 1 0}\n",
                   "t.yaml:4: emitters[0].kind: on a pane only drop");
}

// Over columns they give droplets, from within the grid.
static void columns_take_them(void **state)
{
    (void)state;
    rv_scene_file s = expect_good("grid: {nx: 10, ny: 10, dx: 1 cm, bottom: 0, top: 10 cm}\n"
                                  "emitters:\n  - {kind: drop, at: 0 0 5 cm, radius: 1 mm}\n");
    rv_world_def def = rv_scene_world_def(&s);
    rv_world *world = NULL;
    rv_messages m = {0};
    assert_int_equal(rv_world_create(&def, &world, &m), RV_OK);
    rv_world_destroy(world);
    rv_scene_free(&s);
    expect_problems("grid: {nx: 10, ny: 10, dx: 1 cm, bottom: 0, top: 10 cm}\n"
                    "emitters:\n  - {kind: drop, at: 0 0 11 cm, radius: 1 mm}\n",
                    "t.yaml:3: emitters[0].at: height 0.11 lies over grid.top 0.1");
}

// Each disk of a jet comes once, also where substeps end on one, whatever rounding does to times.
static void jets_lose_no_disk(void **state)
{
    (void)state;
    static const double steps[] = {0.1, 0.008, 1.0 / 3, 0.0123};
    static const double rates[] = {10, 125, 3, 1000.0 / 7};
    for (int s = 0; s < 4; s++)
        for (int r = 0; r < 4; r++) {
            double since = 0, next = 0, from, to;
            for (int i = 0; i < 3000; i++) {
                rv_jet_numbers(since, steps[s], rates[r], &from, &to);
                for (double m = from; m < to; m++) assert_true(m == next++);
                since += steps[s];
            }
            assert_true(fabs(next - since * rates[r]) <= 1.001);
        }
}

// Points of a disk lie within it, all around, and many disks have what their area asks for.
static void points_of_a_jet_are_spread(void **state)
{
    (void)state;
    double sum = 0, mean[2] = {0, 0};
    for (int m = 0; m < 200; m++) {
        int count = rv_jet_points(m, 7.3);
        for (int i = 0; i < count; i++) {
            rv_jet_point p = rv_jet_point_at(m, i, count, 2.0, 3);
            assert_true(hypot(p.x, p.y) <= 2 && fabs(p.on) <= 0.5);
            mean[0] += p.x, mean[1] += p.y, sum++;
        }
    }
    assert_true(fabs(sum - 1460) <= 1);
    assert_true(hypot(mean[0], mean[1]) / sum < 0.05);
    const double d[3] = {0.6, 0, 0.8};
    double a[3], b[3];
    rv_jet_across(d, 3, a, b);
    assert_true(fabs(a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) < 1e-12);
    assert_true(fabs(b[0] * a[0] + b[1] * a[1] + b[2] * a[2]) < 1e-12);
    assert_true(fabs(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_read),     cmocka_unit_test(useless_and_missing_keys),
        cmocka_unit_test(places_and_times),       cmocka_unit_test(lists_go_on_from_another_scene),
        cmocka_unit_test(panes_take_drops_alone), cmocka_unit_test(columns_take_them),
        cmocka_unit_test(jets_lose_no_disk),      cmocka_unit_test(points_of_a_jet_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
