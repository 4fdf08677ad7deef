// Snapshots: a restored world goes on bit for bit; anything damaged, short or foreign is refused
// and leaves the world as it was.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>

typedef struct scene {
    rv_solid_def solids[2];
    rv_fill_def fill;
    rv_source_def source;
    rv_drain_def drain;
    rv_world_def def;
} scene;

// A slab over a basin that the source floods, with an open border.
static void set_up(scene *s)
{
    memset(s, 0, sizeof *s);
    s->solids[0] = s->solids[1] = rv_default_solid_def();
    s->solids[0].size = (rv_vec3){0.012, 0.008, 2e-3}, s->solids[0].at.z = 5e-3;
    s->solids[1].shape = RV_SHAPE_SPHERE, s->solids[1].at = (rv_vec3){6e-3, 5e-3, 0};
    s->fill = rv_default_fill_def();
    s->fill.level = 6e-3, s->fill.to.x = 0;
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){-4e-3, 3e-3, 0.02}, s->source.rate = 2e-7;
    s->drain = rv_default_drain_def();
    s->drain.from.x = 7e-3, s->drain.rate = 1e-7;
    s->def = rv_default_world_def();
    s->def.params.grid_nx = 22, s->def.params.grid_ny = 20;
    s->def.params.grid_top = 0.02;
    s->def.params.border_north = RV_BORDER_OPEN;
    s->def.solids = s->solids, s->def.solid_count = 2;
    s->def.fills = &s->fill, s->def.fill_count = 1;
    s->def.sources = &s->source, s->def.source_count = 1;
    s->def.drains = &s->drain, s->def.drain_count = 1;
}

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) print_message("%s\n", messages.text);
    assert_non_null(world);
    return world;
}

static void run(rv_world *world, int steps)
{
    for (int i = 0; i < steps; i++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
}

static unsigned char *save(const rv_world *world, size_t *size)
{
    *size = rv_world_snapshot_size(world);
    assert_true(*size > 0);
    unsigned char *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_int_equal(rv_world_save(world, buffer, *size), RV_OK);
    return buffer;
}

static void goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int p = RV_PASSAGES_NONE; p <= RV_PASSAGES_PRESSURE; p++) {
        scene s;
        size_t size;
        set_up(&s);
        s.def.params.pipes_passages = (rv_passages)p;
        rv_world *a = make(&s.def), *b = make(&s.def);
        run(a, 20);
        unsigned char *snapshot = save(a, &size);
        uint64_t then = rv_world_hash(a);
        run(a, 30);
        run(b, 3); // whatever state it is in
        assert_int_equal(rv_world_restore(b, snapshot, size, NULL), RV_OK);
        assert_true(rv_world_hash(b) == then);
        run(b, 30);
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
    scene s;
    set_up(&s);
    rv_world *a = make(&s.def), *b = make(&s.def);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    run(a, 1);
    uint64_t after = rv_world_hash(a);
    assert_true(after != rv_world_hash(b));
    run(b, 1);
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
    scene s;
    size_t size;
    set_up(&s);
    rv_world *world = make(&s.def);
    run(world, 5);
    unsigned char *snapshot = save(world, &size);
    run(world, 5);
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
    scene s;
    size_t size;
    set_up(&s);
    rv_world *world = make(&s.def);
    unsigned char *snapshot = save(world, &size);
    s.solids[1].radius *= 1.001;
    rv_world *other = make(&s.def);
    refuses(other, snapshot, size);
    rv_world_destroy(other);
    set_up(&s);
    s.def.params.grid_x = 1e-4;
    other = make(&s.def);
    refuses(other, snapshot, size);
    rv_world_destroy(other);
    set_up(&s);
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
    scene s;
    size_t size;
    set_up(&s);
    rv_world *world = make(&s.def);
    run(world, 10);
    unsigned char *snapshot = save(world, &size);
    s.def.params.liquid_viscosity = 1e-3;
    s.def.source_count = 0;
    rv_world *other = make(&s.def);
    assert_int_equal(rv_world_restore(other, snapshot, size, NULL), RV_OK);
    rv_stats a, b;
    rv_world_get_stats(world, &a);
    rv_world_get_stats(other, &b);
    assert_true(a.volume == b.volume && rv_world_params(other)->liquid_viscosity == 1e-3);
    run(other, 5);
    free(snapshot);
    rv_world_destroy(world);
    rv_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_bit_for_bit),        cmocka_unit_test(the_hash_sees_every_change),
        cmocka_unit_test(damage_is_refused),          cmocka_unit_test(another_world_is_refused),
        cmocka_unit_test(other_parameters_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
