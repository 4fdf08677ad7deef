// Sources, drains and emitters that are added, changed and removed while a world runs: their
// numbers, what they give and take, what is refused, and that snapshots hold them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>

#define N 24
#define DX 1e-3

typedef struct scene {
    float heights[N * N];
    rv_source_def sources[2];
    rv_drain_def drain;
    rv_world_def def;
} scene;

// A flat bed with walls, two sources and a drain.
static void set_scene(scene *s)
{
    memset(s->heights, 0, sizeof s->heights);
    s->def = rv_default_world_def();
    s->def.params.grid_nx = s->def.params.grid_ny = N, s->def.params.grid_dx = DX;
    s->def.params.grid_bottom = -0.01, s->def.params.grid_top = 0.02;
    s->def.heights = s->heights;
    for (int i = 0; i < 2; i++) {
        s->sources[i] = rv_default_source_def();
        s->sources[i].at = (rv_vec3){-0.006 + 0.012 * i, 0.001, 0.01};
        s->sources[i].rate = 1e-6 * (1 + i);
    }
    s->drain = rv_default_drain_def();
    s->drain.from = (rv_vec3){0.004, 0.004, -1}, s->drain.to = (rv_vec3){0.008, 0.008, 1};
    s->drain.rate = 5e-7;
    s->def.sources = s->sources, s->def.source_count = 2;
    s->def.drains = &s->drain, s->def.drain_count = 1;
}

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static void run(rv_world *world, int steps)
{
    for (int i = 0; i < steps; i++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
}

static rv_stats stats_of(const rv_world *world)
{
    rv_stats s;
    assert_int_equal(rv_world_get_stats(world, &s), RV_OK);
    return s;
}

static void numbers_stay(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    rv_world *world = make(&s.def);
    rv_source_def third = s.sources[0], got;
    third.rate = 7e-6;
    int number = -1;
    assert_int_equal(rv_world_source_count(world), 2);
    assert_int_equal(rv_world_add_source(world, &third, &number, NULL), RV_OK);
    assert_int_equal(number, 2);
    assert_int_equal(rv_world_remove_source(world, 1), RV_OK);
    assert_int_equal(rv_world_remove_source(world, 1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_source(world, 1, &got), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_set_source(world, 1, &third, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_source(world, 2, &got), RV_OK);
    assert_true(got.rate == 7e-6);
    assert_int_equal(rv_world_add_source(world, &third, &number, NULL), RV_OK);
    assert_int_equal(number, 3); // 1 is not used again
    assert_int_equal(rv_world_source_count(world), 4);
    // a host that adds and removes for hours does not grow
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(rv_world_add_source(world, &third, &number, NULL), RV_OK);
        assert_int_equal(number, 4 + i);
        assert_int_equal(rv_world_remove_source(world, number), RV_OK);
    }
    assert_int_equal(rv_world_get_source(world, 0, &got), RV_OK);
    assert_true(got.rate == s.sources[0].rate);
    rv_world_destroy(world);
}

static void they_give_and_take(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    s.def.source_count = s.def.drain_count = 0;
    rv_world *world = make(&s.def);
    run(world, 10);
    assert_true(stats_of(world).volume == 0);
    int tap = -1, hole = -1;
    rv_source_def fast = s.sources[0];
    assert_int_equal(rv_world_add_source(world, &s.sources[0], &tap, NULL), RV_OK);
    run(world, 100); // 1 s of 1 ml/s
    assert_true(fabs(stats_of(world).volume - 1e-6) < 1e-11);
    fast.rate = 3e-6;
    assert_int_equal(rv_world_set_source(world, tap, &fast, NULL), RV_OK);
    run(world, 100);
    assert_true(fabs(stats_of(world).volume - 4e-6) < 1e-11);
    assert_int_equal(rv_world_remove_source(world, tap), RV_OK);
    run(world, 100);
    assert_true(fabs(stats_of(world).volume - 4e-6) < 1e-11);
    assert_int_equal(rv_world_add_drain(world, &s.drain, &hole, NULL), RV_OK);
    run(world, 100); // 1 s of 0.5 ml/s
    assert_true(fabs(stats_of(world).drained - 5e-7) < 1e-11);
    assert_int_equal(rv_world_remove_drain(world, hole), RV_OK);
    run(world, 100);
    assert_true(fabs(stats_of(world).drained - 5e-7) < 1e-11);
    rv_stats all = stats_of(world);
    assert_true(fabs(all.volume - (all.sourced - all.drained)) < 1e-12);
    rv_world_destroy(world);
}

static void refused(rv_result result, const rv_messages *messages, const char *want)
{
    assert_int_equal(result, RV_BAD_ARGUMENT);
    if (!strstr(messages->text, want)) fail_msg("no \"%s\" in: %s", want, messages->text);
}

static void bad_ones_are_refused(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    rv_world *world = make(&s.def);
    rv_messages messages = {0};
    rv_source_def source = s.sources[0];
    uint64_t before = rv_world_hash(world);
    int number = 77;
    source.at.x = 1;
    refused(rv_world_add_source(world, &source, &number, &messages), &messages, "source.at");
    source.at.x = 0, source.rate = -1;
    refused(rv_world_add_source(world, &source, &number, &messages), &messages, "source.rate");
    source.rate = NAN;
    refused(rv_world_set_source(world, 0, &source, &messages), &messages, "source.rate");
    rv_drain_def drain = s.drain;
    drain.to.x = -1;
    refused(rv_world_add_drain(world, &drain, &number, &messages), &messages, "drain.to");
    messages = (rv_messages){0};
    refused(rv_world_set_drain(world, 5, &s.drain, &messages), &messages, "no number 5");
    rv_emitter_def jet = rv_default_emitter_def();
    messages = (rv_messages){0};
    refused(rv_world_add_emitter(world, &jet, &number, &messages), &messages, "emitter.velocity");
    messages = (rv_messages){0};
    refused(rv_world_add_source(NULL, &source, &number, &messages), &messages, "no world");
    refused(rv_world_add_source(world, NULL, &number, &messages), &messages, "no world");
    assert_int_equal(rv_world_add_source(world, NULL, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_remove_source(NULL, 0), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_source(world, 0, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_source_count(NULL), 0);
    assert_int_equal(number, 77);
    assert_int_equal(rv_world_source_count(world), 2);
    assert_true(rv_world_hash(world) == before);
    rv_world_destroy(world);
}

typedef struct failing {
    int left; // allocations that are given; then none
} failing;

static void *allocate(size_t bytes, void *user)
{
    failing *f = user;
    return f->left-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void release(void *memory, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    free(memory);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    scene s;
    failing f = {1000000};
    set_scene(&s);
    s.def.allocator = (rv_allocator){allocate, release, &f};
    for (int left = 0;; left++) {
        f.left = 1000000;
        rv_world *world = make(&s.def);
        rv_messages messages = {0};
        int number = -1, failed = 0;
        f.left = left;
        for (int i = 0; i < 12 && !failed; i++)
            failed = rv_world_add_source(world, &s.sources[1], &number, &messages) != RV_OK;
        f.left = 1000000;
        if (failed) assert_non_null(strstr(messages.text, "not enough memory"));
        assert_int_equal(rv_world_source_count(world), number < 0 ? 2 : number + 1);
        run(world, 3);
        rv_world_destroy(world);
        if (!failed) break;
        assert_true(left < 100);
    }
}

// ---- Snapshots ----------------------------------------------------------------------------------

typedef struct saved {
    void *bytes;
    size_t size;
} saved;

static saved save(const rv_world *world)
{
    saved s = {.size = rv_world_snapshot_size(world)};
    s.bytes = malloc(s.size);
    assert_int_equal(rv_world_save(world, s.bytes, s.size), RV_OK);
    return s;
}

static void restore(rv_world *world, const saved *s)
{
    rv_messages messages = {0};
    if (rv_world_restore(world, s->bytes, s->size, &messages) != RV_OK)
        fail_msg("%s", messages.text);
}

static uint64_t hash_after(rv_world *world, int steps)
{
    run(world, steps);
    return rv_world_hash(world);
}

// Everything is changed: a source added, one changed, one removed, the drain moved.
static void change_all(rv_world *world, const scene *s)
{
    rv_source_def other = s->sources[0];
    rv_drain_def moved = s->drain;
    other.at = (rv_vec3){0.002, -0.008, 0.01}, other.rate = 4e-6;
    moved.from.x -= 0.004, moved.to.x -= 0.004;
    assert_int_equal(rv_world_add_source(world, &other, NULL, NULL), RV_OK);
    other.at.x = -0.009;
    assert_int_equal(rv_world_set_source(world, 0, &other, NULL), RV_OK);
    assert_int_equal(rv_world_remove_source(world, 1), RV_OK);
    assert_int_equal(rv_world_set_drain(world, 0, &moved, NULL), RV_OK);
    assert_int_equal(rv_world_add_drain(world, &moved, NULL, NULL), RV_OK);
}

static void snapshots_hold_them(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    rv_world *a = make(&s.def), *b = make(&s.def), *plain = make(&s.def);
    run(a, 7), run(plain, 7);
    saved before = save(a);
    uint64_t unchanged = hash_after(plain, 20);
    change_all(a, &s);
    run(a, 7);
    saved after = save(a);
    uint64_t changed = hash_after(a, 20);
    assert_true(changed != unchanged);

    // into another world, and back into the one that went on and changed again
    restore(b, &after);
    assert_int_equal(rv_world_source_count(b), 3);
    assert_int_equal(rv_world_get_source(b, 1, &(rv_source_def){0}), RV_BAD_ARGUMENT);
    assert_true(hash_after(b, 20) == changed);
    assert_int_equal(rv_world_remove_source(a, 2), RV_OK);
    run(a, 3);
    restore(a, &after);
    assert_true(hash_after(a, 20) == changed);
    // and back to before anything was changed
    restore(a, &before);
    assert_int_equal(rv_world_source_count(a), 2);
    assert_true(hash_after(a, 20) == unchanged);
    // numbers go on where they were
    int number = -1;
    restore(a, &after);
    assert_int_equal(rv_world_add_source(a, &s.sources[0], &number, NULL), RV_OK);
    assert_int_equal(number, 3);

    // a scene with other sources takes liquid that nobody's hand was in, and refuses what it cannot
    // number
    rv_messages messages = {0};
    s.def.source_count = 1;
    rv_world *other = make(&s.def);
    restore(other, &before);
    assert_int_equal(rv_world_source_count(other), 1);
    assert_int_equal(rv_world_restore(other, after.bytes, after.size, &messages), RV_BAD_DATA);
    assert_non_null(strstr(messages.text, "another number of sources"));
    run(other, 3);
    free(before.bytes), free(after.bytes);
    rv_world_destroy(a), rv_world_destroy(b), rv_world_destroy(plain), rv_world_destroy(other);
}

// Bytes that were turned over, with a checksum that fits: refused or restored, never a crash.
static void damaged_ones_are_refused(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    rv_world *world = make(&s.def);
    change_all(world, &s);
    run(world, 2);
    saved good = save(world);
    unsigned char *bytes = good.bytes;
    uint32_t random = 1;
    for (int i = 0; i < 2000; i++) {
        random = random * 1664525u + 1013904223u;
        size_t at = random % (good.size - 8);
        unsigned char was = bytes[at];
        bytes[at] ^= (unsigned char)(1u << (random >> 29));
        rv_messages messages = {0};
        assert_int_equal(rv_world_restore(world, bytes, good.size, &messages), RV_BAD_DATA);
        bytes[at] = was;
    }
    restore(world, &good);
    free(good.bytes);
    rv_world_destroy(world);
}

// ---- Emitters -----------------------------------------------------------------------------------

static rv_world *make_particles(void)
{
    rv_world_def def = rv_default_world_def();
    def.params.solver = RV_SOLVER_SPLAT;
    def.params.grid_nx = def.params.grid_ny = 12, def.params.grid_dx = 0.01;
    def.params.grid_top = 0.12;
    return make(&def);
}

static int64_t particles_of(const rv_world *world)
{
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    return p.count;
}

static void emitters_come_and_go(void **state)
{
    (void)state;
    rv_world *world = make_particles(), *twin = make_particles();
    rv_emitter_def block = rv_default_emitter_def(), jet = rv_default_emitter_def();
    block.kind = RV_EMITTER_BLOCK;
    block.from = (rv_vec3){-0.04, -0.04, 0}, block.to = (rv_vec3){0, 0, 0.03};
    jet.at = (rv_vec3){0.02, 0.02, 0.06}, jet.velocity = (rv_vec3){0, 0, -0.5};
    int number = -1;
    // before the first step, and late, both give once
    for (int round = 0; round < 2; round++) {
        int64_t before = particles_of(world);
        assert_int_equal(rv_world_add_emitter(world, &block, &number, NULL), RV_OK);
        assert_int_equal(number, round);
        saved then = save(world);
        run(world, 1);
        int64_t once = particles_of(world);
        assert_true(once > before);
        run(world, 5);
        assert_true(particles_of(world) == once);
        restore(twin, &then);
        assert_true(hash_after(twin, 6) == rv_world_hash(world));
        free(then.bytes);
    }
    int64_t calm = particles_of(world);
    assert_int_equal(rv_world_add_emitter(world, &jet, &number, NULL), RV_OK);
    run(world, 10);
    int64_t poured = particles_of(world);
    assert_true(poured > calm);
    assert_int_equal(rv_world_remove_emitter(world, number), RV_OK);
    run(world, 10);
    assert_true(particles_of(world) == poured);
    rv_messages messages = {0};
    jet.velocity.z = 0;
    refused(rv_world_add_emitter(world, &jet, &number, &messages), &messages, "emitter.velocity");
    rv_press_def press = rv_default_press_def();
    messages = (rv_messages){0};
    refused(rv_world_add_press(world, &press, &number, &messages), &messages, "no columns");
    rv_world_destroy(world), rv_world_destroy(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stay),         cmocka_unit_test(they_give_and_take),
        cmocka_unit_test(bad_ones_are_refused), cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(snapshots_hold_them),  cmocka_unit_test(damaged_ones_are_refused),
        cmocka_unit_test(emitters_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
