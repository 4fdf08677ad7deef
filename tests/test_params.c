// The parameter tables: defaults, lookup, suggestions, units, reading, printing and checking.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "params/number.h"
#include "rivulet/rivulet.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rv_field_info *param(const char *key)
{
    const rv_field_info *field = rv_table_find(rv_params_table(), key);
    assert_non_null(field);
    return field;
}

static double real_of(const rv_params *p, const char *key)
{
    double value;
    memcpy(&value, (const char *)p + param(key)->offset, sizeof value);
    return value;
}

static double parse_real(const char *key, const char *text)
{
    rv_params p = rv_default_params();
    char why[256] = "";
    if (!rv_field_parse(param(key), text, &p, why, sizeof why)) fail_msg("%s: %s", text, why);
    return real_of(&p, key);
}

static void expect_why(const rv_field_info *field, const char *text, const char *expected)
{
    union {
        rv_params params;
        rv_solid_def solid;
    } object, before;
    memset(&object, 0, sizeof object);
    before = object;
    char why[256] = "";
    assert_false(rv_field_parse(field, text, &object, why, sizeof why));
    assert_string_equal(why, expected);
    assert_memory_equal(&object, &before, sizeof object);
}

static void defaults_are_those_of_the_list(void **state)
{
    (void)state;
    rv_params p = rv_default_params();
    assert_int_equal(p.grid_nx, 100);
    assert_true(p.grid_dx == 1e-3);
    assert_true(p.terrain_keep);
    assert_int_equal(p.pipes_passages, RV_PASSAGES_PRESSURE);
    rv_fill_def fill = rv_default_fill_def();
    assert_true(fill.from.x == -1e6 && fill.from.y == -1e6 && fill.from.z == -1e6);
    assert_true(fill.to.z == 1e6);
    assert_int_equal(rv_default_solid_def().shape, RV_SHAPE_BOX);
    assert_true(rv_default_source_def().stop == 1e9);
    assert_true(rv_default_drain_def().rate == 1e6);
}

static void defaults_are_in_range(void **state)
{
    (void)state;
    const rv_table *tables[] = {rv_params_table(), rv_solid_table(), rv_fill_table(),
                                rv_source_table(), rv_drain_table()};
    for (int t = 0; t < 5; t++) {
        char object[4096];
        assert_true(tables[t]->size <= sizeof object);
        rv_table_defaults(tables[t], object);
        rv_messages m = {0};
        assert_true(rv_table_check(tables[t], object, "", &m));
        assert_int_equal(m.count, 0);
    }
}

static void keys_are_unique_and_explained(void **state)
{
    (void)state;
    const rv_table *table = rv_params_table();
    for (int i = 0; i < table->count; i++) {
        assert_ptr_equal(rv_table_find(table, table->fields[i].key), &table->fields[i]);
        assert_true(strlen(table->fields[i].meaning) > 4);
    }
    assert_null(rv_table_find(table, "grid"));
    assert_null(rv_table_find(table, ""));
}

static void units_convert_exactly(void **state)
{
    (void)state;
    assert_true(parse_real("grid.dx", "5 mm") == 0.005);
    assert_true(parse_real("grid.dx", "0.5mm") == 0.0005);
    assert_true(parse_real("grid.dx", "1.5 cm") == 0.015);
    assert_true(parse_real("grid.dx", "250 um") == 250e-6);
    assert_true(parse_real("grid.dx", "250 µm") == 250e-6);
    assert_true(parse_real("grid.x", "-2 km") == -2000);
    assert_true(parse_real("grid.x", " 3 m ") == 3);
    assert_true(parse_real("time.step", "3 ms") == 0.003);
    assert_true(parse_real("time.end", "2 min") == 120);
    assert_true(parse_real("time.end", "1 h") == 3600);
    assert_true(parse_real("view.azimuth", "180 deg") == 3.14159265358979323846);
    assert_true(fabs(parse_real("view.azimuth", "30°") - 0.5235987755982988) < 1e-16);
    assert_true(parse_real("liquid.viscosity", "4 cSt") == 4e-6);
    assert_true(parse_real("liquid.viscosity", "4 mm2/s") == 4e-6);
    assert_true(parse_real("liquid.viscosity", "4 m2/s") == 4);
    assert_true(parse_real("liquid.viscosity", "1 St") == 1e-4);
    assert_true(parse_real("liquid.density", "1.06 g/cm3") == 1060);
    assert_true(parse_real("liquid.density", "998 kg/m3") == 998);
    assert_true(parse_real("border.west_rate", "2 ml/s") == 2e-6);
    assert_true(parse_real("border.west_rate", "6 l/min") == 1e-4);
    assert_true(parse_real("border.west_rate", "60 ml/min") == 1e-6);
    assert_true(parse_real("border.west_rate", "1 l/s") == 1e-3);
    assert_true(parse_real("pipes.kept", "50 %") == 0.5);
    assert_true(parse_real("view.rate", "25 Hz") == 25);
    rv_fill_def fill = rv_default_fill_def();
    const rv_field_info *volume = rv_table_find(rv_fill_table(), "volume");
    assert_true(rv_field_parse(volume, "1 cm3", &fill, NULL, 0) && fill.volume == 1e-6);
    assert_true(rv_field_parse(volume, "20 ul", &fill, NULL, 0) && fill.volume == 20e-9);
    assert_true(rv_field_parse(volume, "1.5 l", &fill, NULL, 0) && fill.volume == 0.0015);
    assert_true(rv_field_parse(volume, "7 mm3", &fill, NULL, 0) && fill.volume == 7e-9);
}

static rv_vec3 parse_gravity(const char *text)
{
    rv_params p = rv_default_params();
    char why[256] = "";
    if (!rv_field_parse(param("gravity"), text, &p, why, sizeof why)) fail_msg("%s", why);
    return p.gravity;
}

static void expect_gravity(const char *text, double x, double y, double z, const char *printed)
{
    rv_params p = rv_default_params();
    char out[96];
    p.gravity = parse_gravity(text);
    assert_true(p.gravity.x == x && p.gravity.y == y && p.gravity.z == z);
    assert_false(signbit(p.gravity.x) && x == 0);
    rv_field_print(param("gravity"), &p, out, sizeof out);
    assert_string_equal(out, printed);
    assert_true(rv_table_check(rv_params_table(), &p, "", NULL));
}

static void gravity_is_a_number_or_a_vector(void **state)
{
    (void)state;
    rv_params p = rv_default_params();
    assert_true(p.gravity.x == 0 && p.gravity.y == 0 && p.gravity.z == -9.81);
    assert_true(rv_gravity_down(&p) == 9.81 && rv_gravity_size(&p) == 9.81);
    expect_gravity("9.81", 0, 0, -9.81, "9.81");
    expect_gravity("0", 0, 0, 0, "0");
    expect_gravity("981 cm/s2", 0, 0, -9.81, "9.81");
    expect_gravity("0 1.7 -9.66", 0, 1.7, -9.66, "[0, 1.7, -9.66]");
    expect_gravity("[3, 0, -4]", 3, 0, -4, "[3, 0, -4]");
    expect_gravity("0, 0, -2", 0, 0, -2, "2");
    expect_gravity("1 cm/s2 2 cm/s2 -3 cm/s2", 0.01, 0.02, -0.03, "[0.01, 0.02, -0.03]");
    expect_gravity("100 0 -300 cm/s2", 1, 0, -3, "[1, 0, -3]");
    p.gravity = parse_gravity("3 0 -4");
    assert_true(rv_gravity_down(&p) == 4 && rv_gravity_size(&p) == 5);

    expect_why(param("gravity"), "0 0 5", "z 5 is out of range, must be -1000 to 0 m/s2");
    expect_why(param("gravity"), "2000 0 -5", "x 2000 is out of range, must be -1000 to 1000 m/s2");
    expect_why(param("gravity"), "1 2", "'1 2' is not three numbers \"x y z\"");
    expect_why(param("gravity"), "1,5", "'1,5' is not three numbers \"x y z\"");
    expect_why(param("gravity"), "0 0 -9 kg",
               "'0 0 -9 kg': the unit 'kg' does not fit, expected m/s2, cm/s2 or mm/s2");
}

static void wrong_units_are_refused(void **state)
{
    (void)state;
    expect_why(param("grid.dx"), "5 kg",
               "'5 kg': the unit 'kg' does not fit, expected m, mm, cm, um, µm or km");
    expect_why(param("grid.dx"), "5 ms",
               "'5 ms': the unit 'ms' does not fit, expected m, mm, cm, um, µm or km");
    expect_why(param("grid.nx"), "5 mm", "'5 mm': the unit 'mm' does not fit, expected cells");
    expect_why(param("grid.stretch"), "2 m", "'2 m': the unit 'm' does not fit, expected %");
    expect_why(param("grid.dx"), "1 MM",
               "'1 MM': the unit 'MM' does not fit, expected m, mm, cm, um, µm or km");
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    expect_why(param("gravity"), "", "a value is missing");
    expect_why(param("gravity"), "  ", "a value is missing");
    expect_why(param("gravity"), "abc", "'abc' is not a number");
    expect_why(param("gravity"), "inf", "'inf': must be a finite number");
    expect_why(param("gravity"), "-.inf", "'-.inf': must be a finite number");
    expect_why(param("gravity"), ".nan", "'.nan': must be a finite number");
    expect_why(param("gravity"), "NaN", "'NaN': must be a finite number");
    expect_why(param("gravity"), "1e999", "'1e999': must be a finite number");
    expect_why(param("gravity"), "0x10",
               "'0x10': the unit 'x10' does not fit, expected m/s2, cm/s2 or mm/s2");
    expect_why(param("liquid.density"), "1,5", "'1,5' is not a single number");
    expect_why(param("liquid.density"), "1 2", "'1 2' is not a number");
    expect_why(param("gravity"), "--1", "'--1' is not a number");
    expect_why(param("gravity"), ".", "'.' is not a number");
    expect_why(param("gravity"), "-1", "-1 is out of range, must be 0 to 1000 m/s2");
    expect_why(param("grid.nx"), "1.5", "'1.5' is not a whole number");
    expect_why(param("grid.nx"), "0", "0 is out of range, must be 1 to 65536 cells");
    expect_why(param("grid.nx"), "1e12", "1e12 is out of range, must be 1 to 65536 cells");
    expect_why(param("pipes.kept"), "120 %", "1.2 is out of range, must be 0 to 1");
}

static void words_and_flags(void **state)
{
    (void)state;
    rv_params p = rv_default_params();
    char why[256];
    assert_true(rv_field_parse(param("pipes.area"), " cell ", &p, why, sizeof why));
    assert_int_equal(p.pipes_area, RV_AREA_CELL);
    const char *yes[] = {"true", "on", "yes"}, *no[] = {"false", "off", "no"};
    for (int i = 0; i < 3; i++) {
        assert_true(rv_field_parse(param("terrain.keep"), no[i], &p, why, sizeof why));
        assert_false(p.terrain_keep);
        assert_true(rv_field_parse(param("terrain.keep"), yes[i], &p, why, sizeof why));
        assert_true(p.terrain_keep);
    }
    expect_why(param("pipes.area"), "wett", "'wett' is not one of wet, cell; did you mean 'wet'?");
    expect_why(param("pipes.area"), "square", "'square' is not one of wet, cell");
    expect_why(param("pipes.area"), "", "a value is missing, expected one of wet, cell");
    expect_why(param("pipes.area"), "wet|cell", "'wet|cell' is not one of wet, cell");
    expect_why(param("terrain.keep"), "1", "'1' is neither true nor false");
}

static void vectors(void **state)
{
    (void)state;
    rv_solid_def solid = rv_default_solid_def();
    const rv_field_info *at = rv_table_find(rv_solid_table(), "at");
    const struct {
        const char *text;
        rv_vec3 value;
    } good[] = {
        {"1 2 3", {1, 2, 3}},
        {"[1, 2, 3]", {1, 2, 3}},
        {"[1 2 3]", {1, 2, 3}},
        {"1, 2, 3", {1, 2, 3}},
        {"-1 -2.5 +3e-1", {-1, -2.5, 0.3}},
        {"1 2 3 mm", {0.001, 0.002, 0.003}},
        {"[1, 2, 3] cm", {0.01, 0.02, 0.03}},
        {"[1 mm, 2 cm, 3 m]", {0.001, 0.02, 3}},
        {"[0, 0, 5 mm]", {0, 0, 0.005}},
        {"1mm 2mm 3mm", {0.001, 0.002, 0.003}},
    };
    char why[256];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!rv_field_parse(at, good[i].text, &solid, why, sizeof why)) fail_msg("%s", why);
        assert_memory_equal(&solid.at, &good[i].value, sizeof solid.at);
    }
    expect_why(at, "", "a value is missing, expected three numbers \"x y z\"");
    expect_why(at, "1 2", "'1 2' is not three numbers \"x y z\"");
    expect_why(at, "1 2 3 4", "'1 2 3 4' is not three numbers \"x y z\"");
    expect_why(at, "[1, 2, 3", "'[1, 2, 3' is not three numbers \"[x, y, z]\"");
    expect_why(at, "[1, 2 mm, 3]", "'[1, 2 mm, 3]': a unit is missing for one of the numbers");
    expect_why(at, "[1 mm, 2 mm, 3 mm] mm",
               "'[1 mm, 2 mm, 3 mm] mm': units for each number and for all");
    expect_why(at, "1 2 3 kg",
               "'1 2 3 kg': the unit 'kg' does not fit, expected m, mm, cm, um, µm or km");
    expect_why(at, "nan 1 3", "'nan 1 3': must be a finite number");
    expect_why(at, "0 0 1e7", "1e7 is out of range, must be -1e6 to 1e6 m");
}

static void suggestions(void **state)
{
    (void)state;
    const rv_table *t = rv_params_table();
    const struct {
        const char *key, *nearest;
    } cases[] = {
        {"liquid.viscocity", "liquid.viscosity"},
        {"viscosity", "liquid.viscosity"},
        {"grid.viscosity", "liquid.viscosity"},
        {"nx", "grid.nx"},
        {"gird.nx", "grid.nx"},
        {"pipes.are", "pipes.area"},
        {"pipes.Area", "pipes.area"},
        {"time.substeps-max", "time.substeps_max"},
        {"gravty", "gravity"},
        {"viscosty", "liquid.viscosity"},
        {"border.wset", "border.west"},
        {"sed", "seed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *nearest = rv_table_nearest(t, cases[i].key);
        if (!nearest || strcmp(nearest, cases[i].nearest) != 0)
            fail_msg("%s: %s", cases[i].key, nearest ? nearest : "nothing");
    }
    assert_null(rv_table_nearest(t, "xylophone"));
    assert_null(rv_table_nearest(t, ""));
    char longest[300];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(rv_table_nearest(t, longest));
    assert_string_equal(rv_table_nearest(rv_solid_table(), "raduis"), "radius");
}

static double random_double(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t bits = *seed ^ (*seed >> 29);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void numbers_read_back_exactly(void **state)
{
    (void)state;
    uint64_t seed = 7;
    char text[32];
    for (int i = 0; i < 20000; i++) {
        double value = random_double(&seed), back = 0;
        if (!isfinite(value)) continue;
        const char *end;
        rv_number_write(value, text, sizeof text);
        assert_int_equal(rv_number_read(text, &back, &end), RV_NUMBER_OK);
        assert_int_equal(*end, '\0');
        assert_memory_equal(&back, &value, sizeof value);
    }
    rv_number_write(0.1, text, sizeof text);
    assert_string_equal(text, "0.1");
    rv_number_write(16000, text, sizeof text);
    assert_string_equal(text, "16000");
    rv_number_write(1e6, text, sizeof text);
    assert_string_equal(text, "1e6");
    rv_number_write(4e-6, text, sizeof text);
    assert_string_equal(text, "4e-6");
    rv_number_write(DBL_MAX, text, sizeof text);
    assert_string_equal(text, "1.7976931348623157e308");
}

static void numbers_do_not_see_the_locale(void **state)
{
    (void)state;
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "pl_PL.UTF-8"};
    bool found = false;
    for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    // Without such a locale on the machine this only repeats what is known.
    assert_true(parse_real("grid.dx", "0.5 mm") == 0.0005);
    char text[32];
    rv_number_write(1234.5, text, sizeof text);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "1234.5");
    if (!found) print_message("no locale with a decimal comma here\n");
}

static void printed_fields_read_back(void **state)
{
    (void)state;
    const rv_table *tables[] = {rv_params_table(), rv_solid_table(), rv_fill_table(),
                                rv_source_table(), rv_drain_table()};
    for (int t = 0; t < 5; t++) {
        char object[4096] = {0}, copy[4096] = {0};
        rv_table_defaults(tables[t], object);
        for (int i = 0; i < tables[t]->count; i++) {
            char text[128], why[256] = "";
            rv_field_print(&tables[t]->fields[i], object, text, sizeof text);
            if (!rv_field_parse(&tables[t]->fields[i], text, copy, why, sizeof why))
                fail_msg("%s: %s", tables[t]->fields[i].key, why);
        }
        assert_memory_equal(object, copy, tables[t]->size);
    }
}

static void checks_name_the_field(void **state)
{
    (void)state;
    rv_params p = rv_default_params();
    p.grid_nx = 0;
    p.liquid_viscosity = NAN;
    p.gravity.z = 1;
    p.pipes_area = (rv_area)7;
    memset(&p.terrain_keep, 9, 1);
    rv_messages m = {0};
    assert_false(rv_table_check(rv_params_table(), &p, "", &m));
    assert_string_equal(m.text, "grid.nx: 0 is out of range, must be 1 to 65536 cells\n"
                                "terrain.keep: is neither true nor false\n"
                                "gravity: z 1 is out of range, must be -1000 to 0 m/s2\n"
                                "liquid.viscosity: must be a finite number\n"
                                "pipes.area: 7 is not one of its words");
    assert_int_equal(m.count, 5);
    rv_solid_def solid = rv_default_solid_def();
    solid.at.y = INFINITY;
    rv_messages n = {0};
    assert_false(rv_table_check(rv_solid_table(), &solid, "solids[3]", &n));
    assert_string_equal(n.text, "solids[3].at: must be a finite number");
}

static void messages_keep_one_line_each(void **state)
{
    (void)state;
    rv_messages m = {0};
    rv_messages_add(&m, "first %d", 1);
    rv_messages_add(&m, "a\nb\rc");
    assert_string_equal(m.text, "first 1\na b c");
    char wide[3000];
    memset(wide, 'x', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    for (int i = 0; i < 20; i++) rv_messages_add(&m, "%s", wide);
    assert_int_equal(m.count, 22);
    assert_true(strlen(m.text) < sizeof m.text && strlen(m.text) == m.used);
    rv_messages_add(NULL, "nobody hears this");
    assert_string_equal(rv_result_text(RV_OK), "no error");
    assert_non_null(rv_result_text((rv_result)99));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", RV_VERSION_MAJOR, RV_VERSION_MINOR,
             RV_VERSION_PATCH);
    assert_string_equal(rv_version(), version);
}

// Another value within the range.
static void change(const rv_field_info *f, rv_params *p)
{
    char *at = (char *)p + f->offset;
    if (f->type == RV_REAL)
        *(double *)(void *)at = *(double *)(void *)at == f->low ? f->high : f->low;
    if (f->type == RV_WHOLE)
        *(int *)(void *)at = *(int *)(void *)at == (int)f->low ? 2 : (int)f->low;
    if (f->type == RV_FLAG) *(bool *)at = !*(bool *)at;
    if (f->type == RV_WORD) *(int *)(void *)at = *(int *)(void *)at == 0;
    if (f->type == RV_VECTOR) ((rv_vec3 *)(void *)at)->x += 0.1;
}

static void what_is_fixed_cannot_change(void **state)
{
    (void)state;
    const rv_table *table = rv_params_table();
    const float bed[4] = {0};
    rv_world_def def = rv_default_world_def();
    def.params.grid_nx = def.params.grid_ny = 2, def.heights = bed;
    rv_world *world;
    assert_int_equal(rv_world_create(&def, &world, NULL), RV_OK);
    int fixed = 0, live = 0;
    for (int i = 0; i < table->count; i++) {
        const rv_field_info *f = &table->fields[i];
        rv_params p = *rv_world_params(world);
        rv_messages m = {0};
        char expected[96];
        assert_true(rv_field_same(f, &p, rv_world_params(world)));
        change(f, &p);
        assert_false(rv_field_same(f, &p, rv_world_params(world)));
        rv_result r = rv_world_set_params(world, &p, &m);
        snprintf(expected, sizeof expected, "%s: cannot change while the world lives", f->key);
        if (f->fixed) {
            assert_int_equal(r, RV_BAD_ARGUMENT);
            assert_string_equal(m.text, expected);
        } else {
            assert_string_not_equal(m.text, expected);
        }
        fixed += f->fixed, live += r == RV_OK;
    }
    assert_in_range(fixed, 10, 40);
    assert_in_range(live, 100, 400);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_list),
        cmocka_unit_test(defaults_are_in_range),
        cmocka_unit_test(keys_are_unique_and_explained),
        cmocka_unit_test(units_convert_exactly),
        cmocka_unit_test(wrong_units_are_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(words_and_flags),
        cmocka_unit_test(vectors),
        cmocka_unit_test(gravity_is_a_number_or_a_vector),
        cmocka_unit_test(suggestions),
        cmocka_unit_test(numbers_read_back_exactly),
        cmocka_unit_test(numbers_do_not_see_the_locale),
        cmocka_unit_test(printed_fields_read_back),
        cmocka_unit_test(checks_name_the_field),
        cmocka_unit_test(messages_keep_one_line_each),
        cmocka_unit_test(what_is_fixed_cannot_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
