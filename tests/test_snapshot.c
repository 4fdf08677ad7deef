// Snapshots: a restored world goes on bit for bit; anything damaged, short or foreign is refused
// and leaves the world as it was.
#include "small_worlds.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int p = RV_PASSAGES_NONE; p <= RV_PASSAGES_PRESSURE; p++) {
        small_world s;
        size_t size;
        small_basin(&s);
        s.def.params.pipes_passages = (rv_passages)p;
        rv_world *a = make(&s.def), *b = make(&s.def);
        run(a, 20, 0.01);
        unsigned char *snapshot = save(a, &size);
        uint64_t then = rv_world_hash(a);
        run(a, 30, 0.01);
        run(b, 3, 0.01); // whatever state it is in
        assert_int_equal(rv_world_restore(b, snapshot, size, NULL), RV_OK);
        assert_true(rv_world_hash(b) == then);
        run(b, 30, 0.01);
        assert_true(rv_world_hash(a) == rv_world_hash(b));
        rv_stats sa, sb;
        rv_world_get_stats(a, &sa);
        rv_world_get_stats(b, &sb);
        assert_true(sa.time == sb.time && sa.steps == sb.steps && sa.volume == sb.volume);
        assert_true(fabs(sa.sourced - sb.sourced) <= 1e-12 * sa.sourced);
        assert_true(fabs(sa.drained - sb.drained) <= 1e-12 * sa.drained);
        free(snapshot);
        rv_world_destroy(a);
        rv_world_destroy(b);
    }
}

static void the_hash_sees_every_change(void **state)
{
    (void)state;
    small_world s;
    small_basin(&s);
    rv_world *a = make(&s.def), *b = make(&s.def);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    run(a, 1, 0.01);
    uint64_t after = rv_world_hash(a);
    assert_true(after != rv_world_hash(b));
    run(b, 1, 0.01);
    assert_true(after == rv_world_hash(b));
    rv_world_pour(b, (rv_vec3){0, 0, 0.02}, 1e-3, 1e-10);
    assert_true(after != rv_world_hash(b));
    rv_world_destroy(a);
    rv_world_destroy(b);
}

static void refuses(rv_world *world, const void *data, size_t size)
{
    rv_messages m = {0};
    uint64_t before = rv_world_hash(world);
    assert_int_equal(rv_world_restore(world, data, size, &m), RV_BAD_DATA);
    assert_int_equal(m.count, 1);
    assert_true(strncmp(m.text, "snapshot: ", 10) == 0);
    assert_true(rv_world_hash(world) == before);
}

static void damage_is_refused(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    small_basin(&s);
    rv_world *world = make(&s.def);
    run(world, 5, 0.01);
    unsigned char *snapshot = save(world, &size);
    run(world, 5, 0.01);
    for (size_t at = 0; at < size; at += at < 200 ? 1 : 1 + size / 97) {
        snapshot[at] ^= 0x10;
        refuses(world, snapshot, size);
        snapshot[at] ^= 0x10;
    }
    snapshot[size - 1] ^= 1;
    refuses(world, snapshot, size);
    snapshot[size - 1] ^= 1;
    for (size_t length = 0; length < size; length += 1 + size / 61) {
        unsigned char *part = malloc(length + 1); // its own end, for the sanitizer to guard
        assert_non_null(part);
        memcpy(part, snapshot, length);
        refuses(world, part, length);
        free(part);
    }
    assert_int_equal(rv_world_restore(world, snapshot, size, NULL), RV_OK);
    assert_int_equal(rv_world_restore(world, NULL, 0, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_save(world, snapshot, size - 1), RV_BAD_ARGUMENT);
    free(snapshot);
    rv_world_destroy(world);
}

static void another_world_is_refused(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    small_basin(&s);
    rv_world *world = make(&s.def);
    unsigned char *snapshot = save(world, &size);
    s.solid[1].radius *= 1.001;
    rv_world *other = make(&s.def);
    refuses(other, snapshot, size);
    rv_world_destroy(other);
    small_basin(&s);
    s.def.params.grid_x = 1e-4;
    other = make(&s.def);
    refuses(other, snapshot, size);
    rv_world_destroy(other);
    small_basin(&s);
    s.def.params.grid_nx++;
    other = make(&s.def);
    refuses(other, snapshot, size);
    rv_world_destroy(other);
    rv_world_destroy(world);
    free(snapshot);
}

// Other parameters are welcome: they belong to the definition, not to the state.
static void other_parameters_are_taken(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    small_basin(&s);
    rv_world *world = make(&s.def);
    run(world, 10, 0.01);
    unsigned char *snapshot = save(world, &size);
    s.def.params.liquid_viscosity = 1e-3;
    s.def.source_count = 0;
    rv_world *other = make(&s.def);
    assert_int_equal(rv_world_restore(other, snapshot, size, NULL), RV_OK);
    rv_stats a, b;
    rv_world_get_stats(world, &a);
    rv_world_get_stats(other, &b);
    assert_true(a.volume == b.volume && rv_world_params(other)->liquid_viscosity == 1e-3);
    run(other, 5, 0.01);
    free(snapshot);
    rv_world_destroy(world);
    rv_world_destroy(other);
}

// ---- Every value is looked at: a checksum is no seal
// ---------------------------------------------

typedef struct kind_of_world {
    const char *name;
    rv_solver_kind solver;
    rv_splat_form form;
    rv_splat_method method;
    const char *fields[8]; // of floats
} kind_of_world;

static const kind_of_world kinds[] = {
    {"pipes",
     RV_SOLVER_PIPES,
     RV_SPLAT_3D,
     RV_SPLAT_NARROW,
     {"depth", "flux_x", "flux_y", "speed_x", "speed_y", "head", "wetted"}},
    {"swe",
     RV_SOLVER_SWE,
     RV_SPLAT_3D,
     RV_SPLAT_NARROW,
     {"depth", "flux_x", "flux_y", "speed_x", "speed_y", "head"}},
    {"a plane",
     RV_SOLVER_SPLAT,
     RV_SPLAT_2D,
     RV_SPLAT_NARROW,
     {"particles", "owed", "depth", "flux_x", "clock"}},
    {"space",
     RV_SOLVER_SPLAT,
     RV_SPLAT_3D,
     RV_SPLAT_NARROW,
     {"particles", "owed", "depth", "flux_x", "clock"}},
    {"space, wide",
     RV_SOLVER_SPLAT,
     RV_SPLAT_3D,
     RV_SPLAT_WIDE,
     {"particles", "owed", "depth", "flux_x", "clock"}},
    {"height",
     RV_SOLVER_SPLAT,
     RV_SPLAT_HEIGHT,
     RV_SPLAT_NARROW,
     {"particles", "owed", "depth", "flux_x", "clock"}},
    {"glass", RV_SOLVER_GLASS, RV_SPLAT_3D, RV_SPLAT_NARROW, {"height", "mist"}},
};
#define KINDS (sizeof kinds / sizeof *kinds)

// Small: under the sanitizer each is restored some hundred times.
static rv_world *make_kind(const kind_of_world *k)
{
    small_world s;
    small_grid(&s, k->solver, 10, k->form == RV_SPLAT_2D ? 1 : 8, 0.01);
    s.def.params.splat_form = k->form, s.def.params.splat_method = k->method;
    s.def.params.grid_top = 0.1;
    s.def.params.splat_particles = 5000;
    s.def.params.tension_on = k->solver == RV_SOLVER_PIPES;
    s.def.params.glass_rain = 1000;
    s.fill[0].kind = RV_FILL_LEVEL, s.fill[0].level = 0.04;
    s.def.fills = k->solver == RV_SOLVER_GLASS ? NULL : s.fill;
    s.def.fill_count = k->solver == RV_SOLVER_GLASS ? 0 : 1;
    rv_world *world = make(&s.def);
    run(world, 3, 0.01);
    return world;
}

// Where the items of a field begin, after its name and its count; 0: there is none.
static size_t find_field(const unsigned char *snapshot, size_t size, const char *name,
                         uint64_t *count)
{
    char padded[24] = "";
    strcpy(padded, name);
    for (size_t at = 0; at + 32 <= size; at++) {
        if (memcmp(snapshot + at, padded, sizeof padded) != 0) continue;
        memcpy(count, snapshot + at + 24, sizeof *count);
        return at + 32;
    }
    return 0;
}

static void no_number_is_no_number(void **state)
{
    (void)state;
    static const float hurting[] = {NAN, INFINITY, -INFINITY, 1e30f};
    for (size_t k = 0; k < KINDS; k++) {
        size_t size;
        rv_world *world = make_kind(&kinds[k]);
        unsigned char *snapshot = save(world, &size);
        for (int f = 0; kinds[k].fields[f]; f++) {
            uint64_t count = 0;
            size_t at = find_field(snapshot, size, kinds[k].fields[f], &count);
            if (at == 0 || count == 0) fail_msg("%s: no %s", kinds[k].name, kinds[k].fields[f]);
            for (int i = 0; i < 4; i++) {
                unsigned char *place = snapshot + at + (count > 1 ? 4 * (count / 2) : 0), kept[4];
                memcpy(kept, place, 4);
                memcpy(place, &hurting[i], 4);
                reseal(snapshot, size);
                refuses(world, snapshot, size);
                memcpy(place, kept, 4);
            }
        }
        reseal(snapshot, size);
        assert_int_equal(rv_world_restore(world, snapshot, size, NULL), RV_OK);
        free(snapshot);
        rv_world_destroy(world);
    }
}

// Whatever stands anywhere, it is refused, or gives a world that goes on with numbers, soon.
static void anything_anywhere(void **state)
{
    (void)state;
    static const double hurting[] = {NAN, INFINITY, -1, 1e30, 1e6, -1e-40};
    for (size_t k = 0; k < KINDS; k++) {
        size_t size;
        rv_world *world = make_kind(&kinds[k]);
        unsigned char *snapshot = save(world, &size), *other = malloc(size);
        assert_non_null(other);
        for (int i = 0; i < 120; i++) {
            rv_messages m = {0};
            size_t at = (48 + (size_t)i * 8 * (i < 40 ? 1 : 1 + size / 800)) % (size - 16);
            double wide = hurting[i % 6];
            float narrow = (float)hurting[i % 6];
            memcpy(other, snapshot, size);
            memcpy(other + at, i % 3 ? (void *)&narrow : (void *)&wide, i % 3 ? 4 : 8);
            reseal(other, size);
            rv_result r = rv_world_restore(world, other, size, &m);
            assert_int_equal(m.count, r == RV_OK ? 0 : 1);
            if (r != RV_OK) continue;
            assert_int_equal(rv_world_step(world, 1e-3), RV_OK);
            rv_stats s = stats_of(world);
            if (!isfinite(s.volume) || !isfinite(s.fastest) || !isfinite(s.deepest))
                fail_msg("%s: byte %zu: volume %g, fastest %g", kinds[k].name, at, s.volume,
                         s.fastest);
        }
        free(other);
        free(snapshot);
        rv_world_destroy(world);
    }
}

// Particles of another size are another amount of liquid.
static void other_particles_are_refused(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    small_tray(&s, RV_SOLVER_SPLAT, RV_SPLAT_HEIGHT);
    rv_world *world = make(&s.def);
    unsigned char *snapshot = save(world, &size);
    const struct {
        double *value;
        const char *key;
    } other[] = {{&s.def.params.splat_spacing, "splat.spacing"},
                 {&s.def.params.splat_radius, "splat.radius"},
                 {&s.def.params.splat_depth, "splat.depth"}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        rv_messages m = {0};
        double kept = *other[i].value;
        *other[i].value *= 1.25;
        rv_world *second = make(&s.def);
        assert_int_equal(rv_world_restore(second, snapshot, size, &m), RV_BAD_DATA);
        if (!strstr(m.text, other[i].key)) fail_msg("%s is not in: %s", other[i].key, m.text);
        rv_world_destroy(second);
        *other[i].value = kept;
    }
    free(snapshot);
    rv_world_destroy(world);
}

// Bodies float in form height where pressure is solved for, and are unknown to the other method.
static void bodies_that_none_carries_are_refused(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    rv_messages m = {0};
    rv_body_def ball = rv_default_body_def();
    small_tray(&s, RV_SOLVER_SPLAT, RV_SPLAT_HEIGHT);
    s.def.params.splat_method = RV_SPLAT_NARROW;
    rv_world *world = make(&s.def);
    assert_int_equal(rv_world_add_body(world, &ball, NULL, &m), RV_OK);
    unsigned char *snapshot = save(world, &size);
    assert_int_equal(rv_world_restore(world, snapshot, size, &m), RV_OK);
    rv_world_destroy(world);
    s.def.params.splat_method = RV_SPLAT_WIDE;
    world = make(&s.def);
    assert_int_equal(rv_world_restore(world, snapshot, size, &m), RV_BAD_DATA);
    assert_string_equal(m.text, "snapshot: of a world with bodies: particles as a height carry "
                                "them with splat.method narrow only");
    free(snapshot);
    rv_world_destroy(world);
}

static void what_follows_is_refused(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    rv_messages m = {0};
    small_basin(&s);
    rv_world *world = make(&s.def);
    unsigned char *snapshot = save(world, &size), *longer = calloc(1, size + 3);
    assert_non_null(longer);
    memcpy(longer, snapshot, size);
    assert_int_equal(rv_world_restore(world, longer, size + 3, &m), RV_BAD_DATA);
    assert_string_equal(m.text, "snapshot: damaged: 3 bytes follow its end");
    free(longer);
    free(snapshot);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_bit_for_bit),
        cmocka_unit_test(the_hash_sees_every_change),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(another_world_is_refused),
        cmocka_unit_test(other_parameters_are_taken),
        cmocka_unit_test(no_number_is_no_number),
        cmocka_unit_test(anything_anywhere),
        cmocka_unit_test(other_particles_are_refused),
        cmocka_unit_test(what_follows_is_refused),
        cmocka_unit_test(bodies_that_none_carries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
