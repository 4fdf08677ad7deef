// Snapshots: a restored world goes on bit for bit; anything damaged, short or foreign is refused
// and leaves the world as it was.
#include "small_worlds.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_on_bit_for_bit),        cmocka_unit_test(the_hash_sees_every_change),
        cmocka_unit_test(damage_is_refused),          cmocka_unit_test(another_world_is_refused),
        cmocka_unit_test(other_parameters_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
