// Frames: they answer as the world did when they were published, through edits and moves too; two
// threads ask while the world steps, and each frame is the whole of one moment; what is refused.
//
// The stress test is meant to run with the thread sanitizer as well:
//     cc -fsanitize=thread ... tests/test_frame.c src/*/*.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define POINTS 4000

typedef struct scene {
    rv_solid_def solids[3];
    rv_source_def tap;
    rv_body_def ball;
    rv_world_def def;
} scene;

// A slab over the ground, a ball that can be moved, a body, liquid from above: two layers and
// shores.
static void set_scene(scene *s)
{
    for (int i = 0; i < 3; i++) s->solids[i] = rv_default_solid_def();
    s->solids[0].at.z = 0.02, s->solids[0].size = (rv_vec3){0.03, 0.02, 0.006};
    s->solids[1].shape = RV_SHAPE_SPHERE, s->solids[1].radius = 0.006;
    s->solids[1].at = (rv_vec3){-0.012, 0.01, 0.002}, s->solids[1].mover = 1;
    s->solids[2].noise = 0.0015, s->solids[2].size = (rv_vec3){0.1, 0.1, 0.004};
    s->tap = rv_default_source_def();
    s->tap.at = (rv_vec3){0.004, 0, 0.04}, s->tap.radius = 0.004, s->tap.rate = 8e-6;
    s->ball = rv_default_body_def();
    s->ball.at = (rv_vec3){0.016, 0.012, 0.012}, s->ball.radius = 0.003;
    s->def = rv_default_world_def();
    s->def.params.grid_nx = 48, s->def.params.grid_ny = 40;
    s->def.solids = s->solids, s->def.solid_count = 3;
    s->def.sources = &s->tap, s->def.source_count = 1;
    s->def.bodies = &s->ball, s->def.body_count = 1;
}

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static double between(uint32_t *random, double low, double high)
{
    *random = *random * 1664525u + 1013904223u;
    return low + (high - low) * (*random >> 8) / 16777216.0;
}

// Some lie outside the grid.
static void set_points(rv_vec3 *points, int n, uint32_t seed)
{
    for (int i = 0; i < n; i++)
        points[i] = (rv_vec3){between(&seed, -0.025, 0.025), between(&seed, -0.021, 0.021),
                              between(&seed, -0.002, 0.05)};
}

static bool near(double a, double b, double apart)
{
    return a == b || fabs(a - b) <= apart;
}

static void assert_same_sample(const rv_sample *a, const rv_sample *b)
{
    // at the very shore single precision may decide otherwise
    bool film = a->depth < 1e-7 && b->depth < 1e-7;
    assert_int_equal(a->inside, b->inside);
    if (!film) assert_int_equal(a->wet, b->wet);
    assert_int_equal(a->layer, b->layer);
    bool same = near(a->base, b->base, 1e-9) && near(a->level, b->level, 1e-7) &&
                near(a->depth, b->depth, 1e-7) && near(a->ceiling, b->ceiling, 1e-9) &&
                near(a->head, b->head, 1e-7);
    same = same && (film || (near(a->u, b->u, 1e-6) && near(a->v, b->v, 1e-6)));
    same = same && (film || near(a->normal.z, b->normal.z, 1e-4));
    if (!same)
        fail_msg("level %.9g %.9g, depth %.9g %.9g, u %.9g %.9g", a->level, b->level, a->depth,
                 b->depth, a->u, b->u);
}

static void assert_same(const rv_world *world, const rv_frame *frame, uint32_t seed)
{
    static rv_vec3 points[POINTS];
    static rv_sample a[POINTS], b[POINTS];
    static float c[POINTS], d[POINTS];
    static rv_ray rays[POINTS];
    static rv_hit e[POINTS], f[POINTS];
    set_points(points, POINTS, seed);
    rv_world_sample(world, points, POINTS, a), rv_frame_sample(frame, points, POINTS, b);
    for (int i = 0; i < POINTS; i++) assert_same_sample(&a[i], &b[i]);
    rv_world_distance(world, points, POINTS, c), rv_frame_distance(frame, points, POINTS, d);
    assert_memory_equal(c, d, sizeof c);
    for (int i = 0; i < POINTS; i++)
        rays[i] = (rv_ray){points[i], {0.1 - points[i].x, points[i].y, -1 - (i & 1)}};
    rv_world_cast(world, rays, POINTS / 8, e), rv_frame_cast(frame, rays, POINTS / 8, f);
    for (int i = 0; i < POINTS / 8; i++) {
        assert_int_equal(e[i].liquid, f[i].liquid);
        assert_int_equal(e[i].terrain, f[i].terrain);
        assert_true(e[i].liquid_distance == f[i].liquid_distance);
        assert_true(e[i].terrain_distance == f[i].terrain_distance);
    }
    rv_body_state body, then;
    assert_int_equal(rv_world_get_body(world, 0, NULL, &body), RV_OK);
    assert_int_equal(rv_frame_get_body(frame, 0, &then), RV_OK);
    assert_true(memcmp(&body.at, &then.at, sizeof body.at) == 0);
    assert_true(body.force.z == then.force.z);
}

static void carve(rv_world *world, double x)
{
    rv_solid_def bit = rv_default_solid_def();
    rv_event_def cut = rv_default_event_def();
    bit.shape = RV_SHAPE_SPHERE, bit.radius = 0.004, bit.at = (rv_vec3){x, 0.002, 0.02};
    cut.kind = RV_EVENT_CARVE, cut.tool = &bit, cut.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &cut, NULL, NULL), RV_OK);
}

static void they_answer_as_the_world(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    rv_world *world = make(&s.def);
    assert_int_equal(rv_world_share(world, 1, NULL), RV_OK);
    for (int i = 0; i < 60; i++) {
        if (i == 20 || i == 25) carve(world, -0.004 + 0.0004 * i);
        if (i >= 30 && i < 40) {
            rv_pose pose = {.shift = {0.001 * (i - 30), 0, 0}};
            assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
        }
        assert_int_equal(rv_world_step(world, 0.01), RV_OK);
        const rv_frame *frame = rv_world_take_frame(world);
        rv_frame_info info;
        assert_int_equal(rv_frame_get_info(frame, &info), RV_OK);
        assert_int_equal(info.steps, i + 1);
        assert_int_equal(info.number, i + 2); // the first was published with the sharing
        if (i % 5 == 0 || i > 18) assert_same(world, frame, (uint32_t)i);
        rv_frame_release(frame);
    }
    rv_world_destroy(world);
}

// A frame that is held stays as it is, whatever happens to the world.
static void held_ones_stay(void **state)
{
    (void)state;
    static rv_vec3 points[POINTS];
    static rv_sample before[POINTS], after[POINTS];
    static float far_before[POINTS], far_after[POINTS];
    scene s;
    set_scene(&s);
    rv_world *world = make(&s.def);
    set_points(points, POINTS, 7);
    for (int i = 0; i < 20; i++) rv_world_step(world, 0.01);
    carve(world, 0.002); // bricks that a frame has copies of
    assert_int_equal(rv_world_share(world, 1, NULL), RV_OK);
    const rv_frame *frame = rv_world_take_frame(world), *last;
    rv_frame_sample(frame, points, POINTS, before);
    rv_frame_distance(frame, points, POINTS, far_before);
    for (int i = 0; i < 10; i++) {
        carve(world, 0.002 + 0.0005 * i);
        rv_pose pose = {.shift = {0, 0.001 * i, 0}};
        assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
        assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    }
    rv_frame_sample(frame, points, POINTS, after);
    rv_frame_distance(frame, points, POINTS, far_after);
    assert_memory_equal(before, after, sizeof before);
    assert_memory_equal(far_before, far_after, sizeof far_before);
    last = rv_world_take_frame(world);
    assert_true(last != frame);
    assert_same(world, last, 3);
    rv_frame_release(last);
    rv_frame_release(frame);
    rv_world_destroy(world);
}

static void refused_and_missed(void **state)
{
    (void)state;
    scene s;
    set_scene(&s);
    rv_world *world = make(&s.def), *plain = make(&s.def);
    rv_messages messages = {0};
    rv_frame_info info;
    assert_null(rv_world_take_frame(world));
    assert_null(rv_world_take_frame(NULL));
    rv_frame_release(NULL);
    assert_int_equal(rv_world_publish(world), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_share(world, -1, &messages), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_share(NULL, 1, &messages), RV_BAD_ARGUMENT);
    assert_int_equal(messages.count, 2);
    assert_int_equal(rv_world_share(world, 1, NULL), RV_OK);
    // more are held than was said: steps go on, and the last frame stays
    const rv_frame *held[3];
    for (int i = 0; i < 3; i++) {
        held[i] = rv_world_take_frame(world);
        assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    }
    assert_int_equal(rv_world_publish(world), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_share(world, 0, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "held"));
    for (int i = 0; i < 3; i++) rv_frame_release(held[i]);
    assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    held[0] = rv_world_take_frame(world);
    assert_int_equal(rv_frame_get_info(held[0], &info), RV_OK);
    assert_int_equal(info.steps, 4);
    assert_int_equal(info.missed, 2);
    rv_frame_release(held[0]);
    // and sharing changes nothing of the state
    for (int i = 0; i < 4; i++) assert_int_equal(rv_world_step(plain, 0.01), RV_OK);
    assert_true(rv_world_hash(world) == rv_world_hash(plain));
    assert_int_equal(rv_world_share(world, 0, NULL), RV_OK);
    assert_null(rv_world_take_frame(world));
    rv_sample out = {.wet = true};
    rv_frame_sample(NULL, &(rv_vec3){0, 0, 0}, 1, &out);
    assert_false(out.wet);
    assert_int_equal(rv_frame_get_info(NULL, &info), RV_BAD_ARGUMENT);
    rv_world_destroy(world), rv_world_destroy(plain);
}

// ---- Two threads --------------------------------------------------------------------------------

typedef struct reader {
    pthread_t thread;
    const rv_world *world;
    atomic_bool *quit;
    int64_t frames, torn, back;
} reader;

// Asks the same points twice of each frame: what is torn differs.
static void *ask(void *user)
{
    reader *r = user;
    rv_vec3 points[64];
    rv_sample a[64], b[64];
    rv_ray ray = {{0, 0, 0.045}, {0.1, 0.05, -1}};
    rv_hit hit[2];
    int64_t last = 0;
    set_points(points, 64, 5);
    while (!atomic_load(r->quit)) {
        const rv_frame *frame = rv_world_take_frame(r->world);
        rv_frame_info info;
        rv_frame_get_info(frame, &info);
        rv_frame_sample(frame, points, 64, a);
        rv_frame_cast(frame, &ray, 1, &hit[0]);
        rv_frame_sample(frame, points, 64, b);
        rv_frame_cast(frame, &ray, 1, &hit[1]);
        r->torn += memcmp(a, b, sizeof a) != 0;
        r->torn += hit[0].liquid_distance != hit[1].liquid_distance;
        r->back += info.number < last;
        last = info.number, r->frames++;
        rv_frame_release(frame);
    }
    return NULL;
}

// The thread sanitizer makes every access a call: there fewer steps must do, and what one thread
// does alone is left out.
#if defined(__SANITIZE_THREAD__)
#define ASKED_STEPS 24
#else
#define ASKED_STEPS 100
#endif

static void two_threads_ask(void **state)
{
    (void)state;
    scene s;
    atomic_bool quit = false;
    set_scene(&s);
    rv_world *world = make(&s.def), *alone = make(&s.def);
    reader readers[2];
    assert_int_equal(rv_world_share(world, 2, NULL), RV_OK);
    for (int i = 0; i < 2; i++) {
        readers[i] = (reader){.world = world, .quit = &quit};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, ask, &readers[i]), 0);
    }
    for (int i = 0; i < ASKED_STEPS; i++) {
        if (i % 20 == 10) carve(world, -0.004 + 0.0001 * i), carve(alone, -0.004 + 0.0001 * i);
        assert_int_equal(rv_world_step(world, 0.01), RV_OK);
        assert_int_equal(rv_world_step(alone, 0.01), RV_OK);
    }
    atomic_store(&quit, true);
    for (int i = 0; i < 2; i++) {
        pthread_join(readers[i].thread, NULL);
        print_message("%lld frames asked\n", (long long)readers[i].frames);
        assert_int_equal(readers[i].torn, 0);
        assert_int_equal(readers[i].back, 0);
        assert_true(readers[i].frames > 0);
    }
    const rv_frame *frame = rv_world_take_frame(world);
    rv_frame_info info;
    assert_int_equal(rv_frame_get_info(frame, &info), RV_OK);
    assert_int_equal(info.missed, 0);
    rv_frame_release(frame);
    assert_true(rv_world_hash(world) == rv_world_hash(alone));
    rv_world_destroy(world), rv_world_destroy(alone);
}

// No allocation for them once they are warm, and how long 10,000 points take (told, not judged:
// machines differ).
typedef struct counting {
    int taken;
} counting;

static void *allocate(size_t bytes, void *user)
{
    ((counting *)user)->taken++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *memory, size_t bytes, void *user)
{
    (void)bytes, (void)user;
    free(memory);
}

static int taken_in_steps(rv_world *world, const counting *c, int steps)
{
    int before = c->taken;
    for (int i = 0; i < steps; i++) rv_world_step(world, 0.01);
    return c->taken - before;
}

static void warm_ones_take_no_memory(void **state)
{
    (void)state;
    scene s;
    counting c = {0}, of_alone = {0};
    set_scene(&s);
    s.def.allocator = (rv_allocator){allocate, release, &c};
    rv_world *world = make(&s.def);
    s.def.allocator.user = &of_alone;
    rv_world *alone = make(&s.def);
    assert_int_equal(rv_world_share(world, 1, NULL), RV_OK);
    taken_in_steps(world, &c, 60), taken_in_steps(alone, &of_alone, 60);
    assert_int_equal(rv_world_share(world, 2, NULL), RV_OK);
    // Not even in the first step. What a world takes for itself, where a passage floods that was
    // dry, one that is not shared takes too.
    assert_int_equal(taken_in_steps(world, &c, 30), taken_in_steps(alone, &of_alone, 30));
    rv_world_destroy(alone);
    static rv_vec3 points[10000];
    static rv_sample samples[10000];
    const rv_frame *frame = rv_world_take_frame(world);
    double best = INFINITY;
    set_points(points, 10000, 1);
    for (int i = 0; i < 20; i++) {
        struct timespec a, b;
        timespec_get(&a, TIME_UTC);
        rv_frame_sample(frame, points, 10000, samples);
        timespec_get(&b, TIME_UTC);
        best = fmin(best,
                    (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6);
    }
    print_message("10,000 points: %.3f ms\n", best);
    rv_frame_release(frame);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_answer_as_the_world), cmocka_unit_test(held_ones_stay),
        cmocka_unit_test(refused_and_missed),       cmocka_unit_test(two_threads_ask),
        cmocka_unit_test(warm_ones_take_no_memory),
    };
#if defined(__SANITIZE_THREAD__)
    cmocka_set_test_filter("two_threads_ask");
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
