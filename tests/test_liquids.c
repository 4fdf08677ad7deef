// Liquids: that the table is whole and physically possible, what its light does in limits that are
// known, and `liquid.preset` and `environment` in scene files and --set.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DATA RV_SOURCE_DIR "/tests/data"

static rv_scene_file expect_good(const char *text, const char *path)
{
    rv_scene_file scene;
    rv_messages m = {0};
    if (!rv_scene_load_memory(text, strlen(text), path, &scene, &m)) fail_msg("%s", m.text);
    return scene;
}

static void expect_problems(const char *text, const char *expected)
{
    rv_scene_file scene;
    rv_messages m = {0};
    bool loaded = rv_scene_load_memory(text, strlen(text), "t.yaml", &scene, &m);
    if (loaded) rv_scene_free(&scene);
    assert_string_equal(m.text, expected);
    assert_false(loaded);
}

static void expect_liquid(const rv_params *p, rv_liquid_look which)
{
    const rv_liquid_info *liquid = rv_liquid_get(which);
    assert_true(p->liquid_viscosity == liquid->viscosity);
    assert_true(p->liquid_density == liquid->density);
    assert_true(p->liquid_contact == liquid->contact);
    assert_int_equal(p->liquid_look, which);
}

// ---- The table ----------------------------------------------------------------------------------

static void every_look_has_a_liquid(void **state)
{
    (void)state;
    char words[256] = "";
    for (int i = 0; i < rv_liquid_count(); i++) {
        const rv_liquid_info *liquid = rv_liquid_get((rv_liquid_look)i);
        assert_non_null(liquid);
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s", i ? "|" : "", liquid->name);
        assert_true(liquid->solid[0] && liquid->source[0]);
        assert_null(strpbrk(liquid->source, "\n\"\\")); // one line, and fit for JSON
        for (int c = 0; c < 3; c++)
            assert_true(liquid->absorption[c] > 0 && liquid->scattering[c] > 0);
        bool metal = i == RV_LOOK_MERCURY; // its index stands for how much it mirrors
        assert_true(liquid->index > 1.3 && (metal || liquid->index < 1.6));
        rv_params p = rv_default_params();
        rv_messages m = {0};
        rv_params_set_liquid(&p, (rv_liquid_look)i);
        expect_liquid(&p, (rv_liquid_look)i);
        assert_true(rv_table_check(rv_params_table(), &p, "", &m));
    }
    assert_string_equal(words, RV_WORDS_LOOK);
    assert_null(rv_liquid_get((rv_liquid_look)-1));
    assert_null(rv_liquid_get((rv_liquid_look)rv_liquid_count()));
}

static void only_the_liquid_is_set(void **state)
{
    (void)state;
    rv_params p = rv_default_params(), same = p;
    rv_params_set_liquid(&p, (rv_liquid_look)99);
    assert_memory_equal(&p, &same, sizeof p);
    rv_params_set_liquid(NULL, RV_LOOK_MILK);
    rv_params_set_liquid(&p, RV_LOOK_MILK);
    p.liquid_viscosity = same.liquid_viscosity, p.liquid_density = same.liquid_density;
    p.liquid_contact = same.liquid_contact, p.liquid_look = same.liquid_look;
    p.liquid_tension = same.liquid_tension, p.liquid_advancing = same.liquid_advancing;
    p.liquid_receding = same.liquid_receding;
    assert_memory_equal(&p, &same, sizeof p);
}

static void expect_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.12g, expected %.12g", value, expected);
}

// ---- Light --------------------------------------------------------------------------------------

static rv_liquid_info grey(double absorption, double scattering)
{
    rv_liquid_info liquid = {.name = "grey"};
    for (int i = 0; i < 3; i++)
        liquid.absorption[i] = absorption, liquid.scattering[i] = scattering;
    return liquid;
}

// Without scattering diffuse light fades as exp(-2 a z); without absorption what does not get
// through comes back, 1 / (1 + S z); deep down it fades as the diffusion equation says.
static void light_in_known_limits(void **state)
{
    (void)state;
    rv_liquid_info clear = grey(50, 0), white = grey(0, 4000), cloudy = grey(1, 4000);
    for (double z = 1e-4; z < 0.1; z *= 3) {
        expect_near(rv_liquid_through(&clear, 0, z), exp(-100 * z), 1e-9);
        expect_near(rv_liquid_through(&white, 1, z), 1 / (1 + 3000 * z), 1e-6);
    }
    assert_true(rv_liquid_back(&clear, 0) < 1e-9);
    expect_near(rv_liquid_back(&white, 0), 1, 1e-12);
    double fades =
        log(rv_liquid_through(&cloudy, 2, 0.05) / rv_liquid_through(&cloudy, 2, 0.06)) / 0.01;
    expect_near(fades, sqrt(3.0 * 1 * (1 + 4000)), 0.05);
    expect_near(rv_liquid_hides(&clear), log(20) / 200, 1e-6);
    expect_near(rv_liquid_through(&clear, 0, 0), 1, 0);
    expect_near(rv_liquid_through(&clear, 0, 1e6), 0, 0);
    expect_near(rv_liquid_through(&clear, 3, 1), 0, 0);
    expect_near(rv_liquid_through(NULL, 0, 1), 0, 0);
}

// What everybody knows of them.
static void liquids_look_like_themselves(void **state)
{
    (void)state;
    const rv_liquid_info *l[7];
    double back[7][3];
    for (int i = 0; i < 7; i++) {
        l[i] = rv_liquid_get((rv_liquid_look)i);
        for (int c = 0; c < 3; c++) {
            back[i][c] = rv_liquid_back(l[i], c);
            assert_true(back[i][c] > 0 && back[i][c] < 1);
            double last = 1;
            for (double z = 1e-6; z < 10; z *= 2) {
                double now = rv_liquid_through(l[i], c, z);
                assert_true(now >= 0 && now <= last);
                last = now;
            }
        }
    }
    assert_true(rv_liquid_hides(l[RV_LOOK_WATER]) > 1);                                // m
    assert_true(rv_liquid_hides(l[RV_LOOK_PAINT]) < 2e-4);                             // a coat
    assert_true(rv_liquid_hides(l[RV_LOOK_BLOOD]) < rv_liquid_hides(l[RV_LOOK_MILK])); // mm
    assert_true(rv_liquid_hides(l[RV_LOOK_HONEY]) > 0.01);
    assert_true(back[RV_LOOK_BLOOD][0] > 5 * back[RV_LOOK_BLOOD][1]); // red
    assert_true(back[RV_LOOK_PAINT][2] > 5 * back[RV_LOOK_PAINT][0]); // blue
    assert_true(back[RV_LOOK_MILK][2] > 0.8);                         // white
    assert_true(back[RV_LOOK_COFFEE][0] < 0.05);                      // dark
    assert_true(l[RV_LOOK_HONEY]->viscosity > 10 * l[RV_LOOK_OIL]->viscosity);
    assert_true(l[RV_LOOK_OIL]->density < l[RV_LOOK_WATER]->density);
}

// ---- Scene files --------------------------------------------------------------------------------

static void a_preset_sets_the_liquid(void **state)
{
    (void)state;
    const char *const forms[] = {"liquid: {preset: blood}\n", "liquid.preset: blood\n",
                                 "liquid:\n  preset: blood\n"};
    for (int i = 0; i < 3; i++) {
        rv_scene_file s = expect_good(forms[i], "t.yaml");
        expect_liquid(&s.params, RV_LOOK_BLOOD);
        rv_scene_free(&s);
    }
}

static void what_the_scene_says_goes_before_its_preset(void **state)
{
    (void)state;
    const char *const forms[] = {
        "liquid: {viscosity: 4e-6, preset: honey, look: oil}\n",
        "liquid: {preset: honey, viscosity: 4e-6, look: oil}\n",
        "liquid: {viscosity: 4e-6, look: oil}\nliquid.preset: honey\n",
        "liquid.look: oil\nliquid.preset: honey\nliquid.viscosity: 4e-6\n",
    };
    for (int i = 0; i < 4; i++) {
        rv_scene_file s = expect_good(forms[i], "t.yaml");
        assert_true(s.params.liquid_viscosity == 4e-6);
        assert_true(s.params.liquid_density == rv_liquid_get(RV_LOOK_HONEY)->density);
        assert_true(s.params.liquid_contact == rv_liquid_get(RV_LOOK_HONEY)->contact);
        assert_int_equal(s.params.liquid_look, RV_LOOK_OIL);
        rv_scene_free(&s);
    }
}

// tray.yaml says its liquid's viscosity and more itself.
static void a_preset_goes_before_the_scene_that_it_is_like(void **state)
{
    (void)state;
    rv_scene_file s = expect_good("like: tray.yaml\nliquid: {preset: milk}\n", DATA "/t.yaml");
    expect_liquid(&s.params, RV_LOOK_MILK);
    rv_scene_free(&s);
    s = expect_good("liquid: {density: 5}\nlike: tray.yaml\nliquid.preset: milk\n", DATA "/t.yaml");
    assert_true(s.params.liquid_density == 5);
    assert_true(s.params.liquid_viscosity == rv_liquid_get(RV_LOOK_MILK)->viscosity);
    rv_scene_free(&s);
}

static void bad_presets_are_told(void **state)
{
    (void)state;
    expect_problems("liquid: {preset: blod}\n",
                    "t.yaml:1: liquid.preset: 'blod' is not one of water, blood, coffee, milk, "
                    "paint, honey, oil, mercury; did you mean 'blood'?");
    expect_problems("liquid: {preset: [blood]}\n",
                    "t.yaml:1: liquid.preset: expected a word, not a list");
    expect_problems("liquid: {preset: blood}\nliquid.preset: oil\n",
                    "t.yaml:1: liquid.preset: given twice");
    expect_problems("liquid: {presett: oil}\n",
                    "t.yaml:1: liquid.presett: unknown key; did you mean 'liquid.preset'?");
    expect_problems("liquid: oil\n", "t.yaml:1: liquid: expected a map of viscosity, density, contact, "
                                     "tension, advancing, receding, uneven, look, preset, not a "
                                     "value");
    expect_problems("preset: oil\n",
                    "t.yaml:1: preset: unknown key; did you mean 'liquid.preset'?");
}

static void presets_on_the_command_line(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_scene_file s = expect_good("liquid: {viscosity: 1, look: oil}\n", "t.yaml");
    assert_true(rv_scene_set(&s, "liquid.preset=coffee", &m));
    expect_liquid(&s.params, RV_LOOK_COFFEE);
    assert_true(rv_scene_set(&s, "liquid.density=3", &m) && s.params.liquid_density == 3);
    assert_int_equal(m.count, 0);
    assert_false(rv_scene_set(&s, "liquid.preset=cofee", &m));
    assert_false(rv_scene_set(&s, "liquid.prest=oil", &m));
    assert_false(rv_scene_set(&s, "enviroment=a.hdr", &m));
    assert_false(rv_scene_set(&s, "environment=", &m));
    assert_string_equal(m.text,
                        "--set liquid.preset=cofee: 'cofee' is not one of water, blood, coffee, "
                        "milk, paint, honey, oil, mercury; did you mean 'coffee'?\n"
                        "--set liquid.prest=oil: unknown key; did you mean 'liquid.preset'?\n"
                        "--set enviroment=a.hdr: unknown key; did you mean 'environment'?\n"
                        "--set environment=: a value is missing, expected a file or studio");
    rv_scene_free(&s);
}

// ---- The surroundings ---------------------------------------------------------------------------

static void surroundings_are_named_from_the_scene(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_scene_file s = expect_good("environment: sky/noon.hdr\n", "some/folder/t.yaml");
    assert_string_equal(s.environment, "some/folder/sky/noon.hdr");
    assert_true(rv_scene_set(&s, "environment=here.hdr", &m));
    assert_string_equal(s.environment, "here.hdr");
    assert_true(rv_scene_set(&s, "environment=studio", &m));
    assert_null(s.environment);
    rv_scene_free(&s);
    s = expect_good("environment: /sky.hdr\n", "some/folder/t.yaml");
    assert_string_equal(s.environment, "/sky.hdr");
    rv_scene_free(&s);
    s = expect_good("environment: studio\n", "t.yaml");
    assert_null(s.environment);
    rv_scene_free(&s);
    s = expect_good("gravity: 1\n", "t.yaml");
    assert_null(s.environment);
    rv_scene_free(&s);
    expect_problems("environment:\n", "t.yaml:1: environment: a value is missing");
    expect_problems("environment: {file: a.hdr}\n", "t.yaml:1: environment: expected a text");
    expect_problems("enviromnent: a.hdr\n",
                    "t.yaml:1: enviromnent: unknown key; did you mean 'environment'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_look_has_a_liquid),
        cmocka_unit_test(only_the_liquid_is_set),
        cmocka_unit_test(light_in_known_limits),
        cmocka_unit_test(liquids_look_like_themselves),
        cmocka_unit_test(a_preset_sets_the_liquid),
        cmocka_unit_test(what_the_scene_says_goes_before_its_preset),
        cmocka_unit_test(a_preset_goes_before_the_scene_that_it_is_like),
        cmocka_unit_test(bad_presets_are_told),
        cmocka_unit_test(presets_on_the_command_line),
        cmocka_unit_test(surroundings_are_named_from_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
