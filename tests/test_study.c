// Studies: which values their runs have, and what is told of a file that is wrong. What they leave
// on the disk is tried by the command, in test_study.sh.
#include "io/study_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TRAY "scene: " RV_SOURCE_DIR "/tests/data/tray.yaml\n"

static rv_study *open_text(const char *text)
{
    rv_study *study;
    rv_messages messages = {0};
    if (rv_study_open_memory(text, strlen(text), "s.yaml", &study, &messages) != RV_OK)
        fail_msg("%s", messages.text);
    return study;
}

static int count_runs(const char *text)
{
    rv_study *study = open_text(text);
    rv_study_info info;
    assert_int_equal(rv_study_get_info(study, &info), RV_OK);
    rv_study_close(study);
    return info.runs;
}

static double value(const rv_study *study, int run, int parameter)
{
    double number = NAN;
    assert_int_equal(rv_study_get_value(study, run, parameter, NULL, 0, &number), RV_OK);
    return number;
}

static void assert_value(const rv_study *study, int run, int parameter, const char *expected)
{
    char text[256];
    assert_int_equal(rv_study_get_value(study, run, parameter, text, sizeof text, NULL), RV_OK);
    assert_string_equal(text, expected);
}

// ---- Grids --------------------------------------------------------------------------------------

static void grids_are_all_combinations(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "vary:\n"
                                 "  liquid.viscosity: {from: 1 cSt, to: 1000 cSt, count: 4, "
                                 "spacing: log}\n"
                                 "  grid.nx: {from: 24, to: 26, count: 3}\n"
                                 "  border.east: [open, wall]\n");
    rv_study_info info;
    rv_study_get_info(s, &info);
    assert_int_equal(info.runs, 24);
    assert_int_equal(info.parameters, 3);
    assert_string_equal(info.folder, "s");
    assert_true(info.time == 0.2); // the scene's
    assert_string_equal(rv_study_parameter(s, 1), "grid.nx");
    assert_null(rv_study_parameter(s, 3));
    // the last key goes fastest
    assert_value(s, 1, 0, "1e-06");
    assert_value(s, 1, 2, "open");
    assert_value(s, 2, 2, "wall");
    assert_value(s, 2, 1, "24");
    assert_value(s, 3, 1, "25");
    assert_true(fabs(value(s, 7, 0) - 1e-5) < 1e-18);
    assert_true(value(s, 24, 0) == 1e-3);
    assert_true(isnan(value(s, 1, 2)));
    rv_study_close(s);
}

static void ends_of_ranges_are_exact(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "vary: {liquid.viscosity: {from: 0.1, to: 0.3, count: 3}}\n");
    assert_value(s, 1, 0, "0.1");
    assert_true(value(s, 2, 0) == 0.1 + 0.5 * (0.3 - 0.1));
    assert_value(s, 3, 0, "0.3");
    rv_study_close(s);
    // whole numbers come once each, however many are asked for
    assert_int_equal(count_runs(TRAY "vary: {grid.nx: {from: 20, to: 22, count: 9}}\n"), 3);
    // a scene without anything to vary is one run
    assert_int_equal(count_runs(TRAY), 1);
}

static void items_of_a_scene_are_parameters(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "set: {'drains[0].rate': 0.2 ml/s}\n"
                                 "vary:\n"
                                 "  sources[0].rate: [1 ml/s, 2 ml/s]\n"
                                 "  solids[1].solids[1].solids[0].radius: [2 mm, 3 mm]\n");
    assert_value(s, 3, 0, "2e-06");
    assert_value(s, 3, 1, "0.002");
    rv_study_close(s);
}

// A preset holds what is said of the liquid besides, wherever it stands, as in a scene.
static void presets_go_first(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "set: {liquid.density: 900}\n"
                                 "vary:\n"
                                 "  liquid.viscosity: [1 cSt, 2 cSt]\n"
                                 "  liquid.preset: [oil, honey]\n"
                                 "  grid.nx: [20, 24]\n");
    const char *expected[] = {"liquid.preset=honey", "liquid.density=900", "liquid.viscosity=1e-06",
                              "grid.nx=24"};
    for (int i = 0; i < 4; i++) {
        char text[256];
        rv_study_assignment(s, 4, i, text, sizeof text);
        assert_string_equal(text, expected[i]);
    }
    rv_study_close(s);
}

// ---- Draws --------------------------------------------------------------------------------------

#define DRAWS                                                                                      \
    "draw:\n"                                                                                      \
    "  liquid.viscosity: {log_uniform: [1e-6, 1e-3]}\n"                                            \
    "  liquid.tension: {uniform: [0.02, 0.07]}\n"                                                  \
    "  liquid.density: {normal: [1000, 200]}\n"                                                    \
    "  grid.nx: {uniform: [20, 23]}\n"

static void draws_come_from_the_seed(void **state)
{
    (void)state;
    rv_study *a = open_text(TRAY DRAWS "draws: 50\nseed: 7\n");
    rv_study *b = open_text(TRAY DRAWS "draws: 80\nseed: 7\n");
    rv_study *c = open_text(TRAY DRAWS "draws: 50\nseed: 8\n");
    rv_study *alone =
        open_text(TRAY "draw: {liquid.tension: {uniform: [0.02, 0.07]}}\ndraws: 50\nseed: 7\n");
    int same = 0;
    for (int run = 1; run <= 50; run++) {
        for (int k = 0; k < 4; k++) assert_true(value(a, run, k) == value(b, run, k));
        assert_true(value(a, run, 1) == value(alone, run, 0));
        same += value(a, run, 0) == value(c, run, 0);
    }
    assert_int_equal(same, 0);
    rv_study_close(a), rv_study_close(b), rv_study_close(c), rv_study_close(alone);
}

static void draws_are_as_they_were_asked_for(void **state)
{
    (void)state;
    enum { N = 4000 };
    rv_study *s = open_text(TRAY DRAWS "draws: 4000\nseed: 1\n");
    double logs = 0, sum = 0, squares = 0, normal = 0;
    int whole[4] = {0};
    for (int run = 1; run <= N; run++) {
        double v = value(s, run, 0), t = value(s, run, 1), d = value(s, run, 2);
        double n = value(s, run, 3);
        assert_true(v >= 1e-6 && v <= 1e-3);
        assert_true(t >= 0.02 && t <= 0.07);
        assert_true(n == floor(n) && n >= 20 && n <= 23);
        logs += log10(v), sum += d, squares += d * d, normal += t;
        whole[(int)n - 20]++;
    }
    // four standard errors of the mean
    assert_true(fabs(logs / N + 4.5) < 4 * 0.866 / sqrt(N));
    assert_true(fabs(normal / N - 0.045) < 4 * 0.0144 / sqrt(N));
    assert_true(fabs(sum / N - 1000) < 4 * 200 / sqrt(N));
    double deviation = sqrt(squares / N - sum / N * (sum / N));
    assert_true(fabs(deviation - 200) < 4 * 200 / sqrt(2 * N));
    for (int i = 0; i < 4; i++) assert_true(abs(whole[i] - N / 4) < 4 * sqrt(N * 0.25 * 0.75));
    rv_study_close(s);
}

// Cut to what the parameter may be, with its shape kept: half of a normal draw about the border.
static void normal_draws_stay_in_the_range(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "draw: {liquid.viscosity: {normal: [0, 2]}}\ndraws: 2000\n");
    double sum = 0;
    for (int run = 1; run <= 2000; run++) {
        double v = value(s, run, 0);
        assert_true(v >= 0);
        sum += v;
    }
    // the mean of a half-normal distribution is 0.798 deviations, its deviation 0.603
    assert_true(fabs(sum / 2000 - 2 * 0.79788) < 4 * 2 * 0.603 / sqrt(2000));
    rv_study_close(s);
}

static void latin_draws_have_one_in_each_stripe(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY DRAWS "draws: 100\nsampling: latin\n");
    bool hit[2][100] = {{0}};
    for (int run = 1; run <= 100; run++) {
        int v = (int)((log10(value(s, run, 0)) + 6) / 3 * 100);
        int t = (int)((value(s, run, 1) - 0.02) / 0.05 * 100);
        assert_true(v >= 0 && v < 100 && t >= 0 && t < 100);
        assert_false(hit[0][v] || hit[1][t]);
        hit[0][v] = hit[1][t] = true;
    }
    rv_study_close(s);
}

static void grids_and_draws_multiply(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "vary: {grid.nx: [20, 24]}\n"
                                 "draw: {liquid.viscosity: {uniform: [1e-6, 2e-6]}}\ndraws: 3\n");
    rv_study_info info;
    rv_study_get_info(s, &info);
    assert_int_equal(info.runs, 6);
    for (int run = 1; run <= 6; run++) assert_true(value(s, run, 0) == (run % 2 ? 20 : 24));
    // the same draw for all of a grid
    assert_true(value(s, 1, 1) == value(s, 2, 1) && value(s, 2, 1) != value(s, 3, 1));
    rv_study_close(s);
}

// ---- Broken files -------------------------------------------------------------------------------

static void assert_told(const char *text, const char *line)
{
    rv_study *study;
    rv_messages messages = {0};
    rv_result result = rv_study_open_memory(text, strlen(text), "s.yaml", &study, &messages);
    if (result == RV_OK) fail_msg("was taken:\n%s", text);
    assert_null(study);
    if (!strstr(messages.text, line))
        fail_msg("of\n%s\nexpected: %s\ntold: %s", text, line, messages.text);
}

static void what_is_wrong_is_told_with_its_line(void **state)
{
    (void)state;
    assert_told("", "s.yaml: the file is empty");
    assert_told("- 1\n", "s.yaml:1: expected a map of keys");
    assert_told("time: 1\n", "s.yaml: scene: is missing");
    assert_told("scene: nowhere.yaml\n", "s.yaml:1: scene: nowhere.yaml: no such file");
    assert_told(TRAY "vari: {}\n", "s.yaml:2: vari: unknown key; did you mean 'vary'?");
    assert_told(TRAY "time: 2 kg\n", "s.yaml:2: time: ");
    assert_told(TRAY "set: {grid.nx: -3}\n", "s.yaml:2: set.grid.nx: -3 is out of range");
    assert_told(TRAY "set:\n  grid:\n    mx: 3\n",
                "s.yaml:4: set.grid.mx: unknown key; did you mean 'grid.nx'?");
    assert_told(TRAY "vary:\n  liquid.viscosty: [1]\n",
                "s.yaml:3: vary.liquid.viscosty: unknown key; did you mean 'liquid.viscosity'?");
    assert_told(TRAY "vary:\n  grid.nx: [20,\n    21.5]\n", "s.yaml:4: vary.grid.nx: ");
    assert_told(TRAY "vary: {grid.nx: []}\n", "s.yaml:2: vary.grid.nx: the list is empty");
    assert_told(TRAY "vary: {grid.nx: 20}\n",
                "s.yaml:2: vary.grid.nx: expected a list, or a range");
    assert_told(TRAY "vary: {grid.nx: [20, 20]}\n", "s.yaml:2: vary.grid.nx: 20 is given twice");
    assert_told(TRAY "vary: {grid.nx: {from: 20, to: 30}}\n",
                "s.yaml:2: vary.grid.nx: a range needs from, to and count");
    assert_told(TRAY "vary: {grid.nx: {from: 20, to: 30, cuont: 3}}\n",
                "s.yaml:2: vary.grid.nx.cuont: unknown key; did you mean 'count'?");
    assert_told(TRAY "vary: {liquid.viscosity: {from: 0, to: 1, count: 3, spacing: log}}\n",
                "s.yaml:2: vary.liquid.viscosity: a log range must be above 0");
    assert_told(TRAY "vary: {border.east: {from: 0, to: 1, count: 3}}\n",
                "s.yaml:2: vary.border.east: is not a number: give a list of values");
    assert_told(TRAY "vary: {environment: [a.hdr, b.hdr]}\n",
                "s.yaml:2: vary.environment: pictures are not varied, only set");
    assert_told(TRAY "set: {grid.nx: 20}\nvary: {grid.nx: [20, 30]}\n",
                "s.yaml:3: vary.grid.nx: is given in another place of this file too");
}

static void what_is_wrong_with_draws_is_told(void **state)
{
    (void)state;
    assert_told(TRAY "draw: {grid.nx: {uniform: [20, 30]}}\n", "s.yaml:2: draw: needs draws");
    assert_told(TRAY "draws: 3\n", "s.yaml:2: draws: does nothing without draw");
    assert_told(TRAY "draws: 0\ndraw: {grid.nx: {uniform: [20, 30]}}\n",
                "s.yaml:2: draws: 0 is out of range");
    assert_told(TRAY "draws: 2\ndraw: {grid.nx: {unifrom: [20, 30]}}\n",
                "s.yaml:3: draw.grid.nx: expected {uniform: [a, b]}");
    assert_told(TRAY "draws: 2\ndraw: {grid.nx: {uniform: [30, 20]}}\n",
                "s.yaml:3: draw.grid.nx: 30 is not below 20");
    assert_told(TRAY "draws: 2\ndraw: {liquid.viscosity: {log_uniform: [0, 1]}}\n",
                "s.yaml:3: draw.liquid.viscosity: a log-uniform draw must be above 0");
    assert_told(TRAY "draws: 2\ndraw: {liquid.viscosity: {uniform: [-1, 1]}}\n",
                "s.yaml:3: draw.liquid.viscosity: -1 is out of range");
    assert_told(TRAY "draws: 2\ndraw: {liquid.viscosity: {normal: [-100, 1]}}\n",
                "s.yaml:3: draw.liquid.viscosity: the mean -100 is too far outside");
    assert_told(TRAY "sampling: latn\ndraws: 2\ndraw: {grid.nx: {uniform: [20, 30]}}\n",
                "s.yaml:2: sampling: 'latn' is not one of random, latin");
    assert_told(TRAY "draws: 900000\nvary: {grid.nx: [20, 30]}\n"
                     "draw: {liquid.viscosity: {uniform: [0, 1]}}\n",
                "s.yaml: more than 1000000 runs");
}

static void what_is_wrong_with_items_and_outputs_is_told(void **state)
{
    (void)state;
    assert_told(TRAY "vary:\n  sources[1].rate: [1, 2]\n",
                "s.yaml:3: vary.sources[1].rate: no such item; the scene has sources[0] to [0]");
    assert_told(TRAY "vary:\n  fills[0].level: [1 mm, 2 mm]\n",
                "s.yaml:3: vary.fills[0].level: 'level' is no number that this item has");
    assert_told(TRAY "vary:\n  solids[0].radius: [1 mm, 2 mm]\n",
                "s.yaml:3: vary.solids[0].radius: 'radius' is no number that this item has");
    assert_told(TRAY "vary:\n  bodies[0].mass: [1, 2]\n",
                "s.yaml:3: vary.bodies[0].mass: the scene has no bodies");
    assert_told(TRAY "keep: {state: np}\n", "s.yaml:2: keep.state: 'np' is not one of npz, csv");
    assert_told(TRAY "keep: {film: true}\n", "s.yaml:2: keep.film: needs picture or mesh");
    assert_told(TRAY "keep: {pictur: true}\n",
                "s.yaml:2: keep.pictur: unknown key; did you mean 'picture'?");
    assert_told(TRAY "table: {deep: max}\n", "s.yaml:2: table.deep: no column 'deep'; there are");
    assert_told(TRAY "table: {deepest: most}\n", "s.yaml:2: table.deepest: 'most' is not one of");
    assert_told(TRAY "plots: [{x: grid.nx, y: wet}]\n",
                "s.yaml:2: plots[0].x: 'grid.nx' is not a parameter that this study varies");
    assert_told(TRAY "vary: {grid.nx: [20, 30]}\nplots: [{x: grid.nx, y: ms_simulation}]\n",
                "s.yaml:3: plots[0].y: no column 'ms_simulation'");
    assert_told(TRAY "vary: {grid.nx: [20, 30]}\nplots: [{x: grid.nx}]\n",
                "s.yaml:3: plots[0]: needs x, a parameter, and y");
}

// A library call does not end its host, and a host that asks for what is not there is told.
static void calls_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    rv_study *s = open_text(TRAY "folder: nowhere\nkeep: {picture: true}\n");
    rv_study_work work = rv_default_study_work();
    rv_messages messages = {0};
    char text[8];
    assert_int_equal(rv_study_get_value(s, 2, 0, text, sizeof text, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_study_run(s, &work, NULL, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "nothing is there to draw with"));
    work.first = 2;
    assert_int_equal(rv_study_run(s, &work, NULL, NULL), RV_BAD_ARGUMENT);
    rv_study_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_are_all_combinations),
        cmocka_unit_test(ends_of_ranges_are_exact),
        cmocka_unit_test(items_of_a_scene_are_parameters),
        cmocka_unit_test(presets_go_first),
        cmocka_unit_test(draws_come_from_the_seed),
        cmocka_unit_test(draws_are_as_they_were_asked_for),
        cmocka_unit_test(normal_draws_stay_in_the_range),
        cmocka_unit_test(latin_draws_have_one_in_each_stripe),
        cmocka_unit_test(grids_and_draws_multiply),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
        cmocka_unit_test(what_is_wrong_with_draws_is_told),
        cmocka_unit_test(what_is_wrong_with_items_and_outputs_is_told),
        cmocka_unit_test(calls_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
