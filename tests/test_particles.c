// Worlds of particles: bodies that float and sink in them, what gives and takes liquid, and that
// all of it is saved and does not depend on threads.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "io/state_file.h"
#include "small_worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STEP 0.01

// A basin in a vertical plane, 48 × 40 cells of 1 cm, filled to 20 cm.
static rv_world_def basin(rv_emitter_def *block)
{
    rv_world_def def = grid_def(RV_SOLVER_SPLAT, 48, 1, 0.01);
    def.params.splat_form = RV_SPLAT_2D;
    def.params.grid_top = 0.4;
    *block = rv_default_emitter_def();
    block->kind = RV_EMITTER_BLOCK;
    block->to.z = 0.2;
    def.emitters = block, def.emitter_count = 1;
    return def;
}

static void run_for(rv_world *world, double seconds)
{
    for (int i = 0; i < (int)lround(seconds / STEP); i++)
        assert_int_equal(rv_world_step(world, STEP), RV_OK);
}

static double volume_of(const rv_world *world)
{
    rv_stats stats;
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    return stats.volume;
}

static rv_body_state body_of(const rv_world *world, int body)
{
    rv_body_state state;
    assert_int_equal(rv_world_get_body(world, body, NULL, &state), RV_OK);
    return state;
}

// Height of a disk's middle over the level, in radii, when this share of it is under.
static double draught(double share)
{
    double low = -1, high = 1;
    for (int i = 0; i < 50; i++) {
        double h = 0.5 * (low + high);
        (acos(h) - h * sqrt(1 - h * h)) / 3.14159265358979323846 > share ? (low = h) : (high = h);
    }
    return 0.5 * (low + high);
}

// A light ball and a heavy one: means over the last half second, by Archimedes.
static void balls_float_and_sink(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_body_def balls[2] = {rv_default_body_def(), rv_default_body_def()};
    balls[0].radius = balls[1].radius = 0.04;
    balls[0].density = 400, balls[0].at = (rv_vec3){-0.1, 0, 0.22};
    balls[1].density = 3000, balls[1].at = (rv_vec3){0.1, 0, 0.25};
    def.bodies = balls, def.body_count = 2;
    rv_world *world = make(&def);
    double before = volume_of(world), height = 0, lift = 0, under = 0;
    run_for(world, 2.0);
    for (int i = 0; i < 50; i++) {
        run_for(world, STEP);
        height += body_of(world, 0).at.z / 50, under += body_of(world, 0).submerged / 50;
        lift += body_of(world, 1).force.z / 50;
    }
    assert_true(fabs(volume_of(world) / before - 1) < 1e-7);
    // liquid 20 cm deep rises by what both displace: 0.4 and 1 of π r² over 48 cm
    double level = 0.2 + 3.14159265 * 0.0016 * 1.4 / 0.48;
    double expected = level + 0.04 * draught(0.4), sphere = 4.0 / 3 * 3.14159265 * 64e-6;
    if (fabs(height - expected) > 0.01) fail_msg("floats at %g, expected %g", height, expected);
    if (fabs(under / sphere - 0.4) > 0.12) fail_msg("%g of it is under", under / sphere);
    rv_body_state heavy = body_of(world, 1);
    assert_true(fabs(heavy.at.z - 0.04) < 1e-3 && heavy.resting);
    if (fabs(lift / (1000 * 9.81 * sphere) - 1) > 0.1)
        fail_msg("lifted by %g of its buoyancy", lift / (1000 * 9.81 * sphere));
    assert_true(fabs(heavy.at.y) < 1e-12 && heavy.spin.x == 0 && heavy.spin.z == 0);
    rv_world_destroy(world);
}

// One that begins under the surface makes room there and rises; it is not shot out. One on the
// floor comes up too.
static void balls_that_begin_under_the_surface(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_body_def balls[2] = {rv_default_body_def(), rv_default_body_def()};
    balls[0].radius = balls[1].radius = 0.04;
    balls[0].density = balls[1].density = 500;
    balls[0].at = (rv_vec3){-0.1, 0, 0.1}, balls[1].at = (rv_vec3){0.12, 0, 0.04};
    def.bodies = balls, def.body_count = 2;
    rv_world *world = make(&def);
    double before = volume_of(world), highest = 0, fastest = 0;
    for (int i = 0; i < 150; i++) {
        run_for(world, STEP);
        for (int b = 0; b < 2; b++) {
            rv_body_state s = body_of(world, b);
            highest = fmax(highest, s.at.z), fastest = fmax(fastest, fabs(s.velocity.z));
        }
    }
    rv_stats stats;
    rv_world_get_stats(world, &stats);
    assert_true(fabs((stats.volume + stats.held) / before - 1) < 1e-9);
    if (highest > 0.38 || fastest > 2) fail_msg("%g m high, %g m/s", highest, fastest);
    for (int b = 0; b < 2; b++) {
        double z = body_of(world, b).at.z;
        if (z < 0.17 || z > 0.27) fail_msg("ball %d ends at %g m", b, z);
    }
    rv_world_destroy(world);
}

static void a_driven_body_pushes(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_body_def paddle = rv_default_body_def();
    paddle.shape = RV_BODY_BOX, paddle.motion = RV_BODY_DRIVEN;
    paddle.size = (rv_vec3){0.04, 0.01, 0.3}, paddle.at = (rv_vec3){-0.2, 0, 0.15};
    def.bodies = &paddle, def.body_count = 1;
    rv_world *world = make(&def);
    run_for(world, 0.1);
    double push = 0;
    for (int i = 0; i < 20; i++) {
        rv_body_state s = body_of(world, 0);
        s.velocity = (rv_vec3){0.5, 0, 0};
        assert_int_equal(rv_world_set_body(world, 0, &s), RV_OK);
        run_for(world, STEP);
        push += body_of(world, 0).force.x / 20;
    }
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    double along = 0;
    for (int64_t i = 0; i < p.count; i++) along += (double)p.u[i] / (double)p.count;
    assert_true(fabs(body_of(world, 0).at.x + 0.1) < 1e-9);
    if (!(along > 0.03)) fail_msg("the liquid goes along at %g m/s", along);
    if (!(push < 0)) fail_msg("it pushes back by %g N", push);
    // without bodies the liquid is told so
    assert_int_equal(rv_world_remove_body(world, 0), RV_OK);
    run_for(world, 0.05);
    rv_world_destroy(world);
}

// ---- What comes and goes ------------------------------------------------------------------------

static void sources_and_drains_keep_their_rates(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_source_def source = rv_default_source_def();
    source.at = (rv_vec3){0.1, 0, 0.35}, source.radius = 0.02;
    source.rate = 1e-4, source.stop = 0.5;
    rv_drain_def drain = rv_default_drain_def();
    drain.from = (rv_vec3){-0.24, -1, 0}, drain.to = (rv_vec3){-0.14, 1, 0.1};
    drain.rate = 2e-4, drain.start = 0.5, drain.stop = 1;
    def.sources = &source, def.source_count = 1;
    def.drains = &drain, def.drain_count = 1;
    rv_world *world = make(&def);
    rv_particles p;
    rv_stats stats;
    double before = volume_of(world);
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    int64_t first = p.count;
    run_for(world, 0.5);
    rv_world_get_stats(world, &stats);
    assert_true(fabs(stats.sourced - 5e-5) < 1e-9);
    assert_true(fabs(stats.volume - before - stats.sourced) < 1e-9 * before);
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    // all but what is less than a particle in each column of the disk
    double come = (double)(p.count - first) * p.each;
    if (fabs(come - 5e-5) > 8 * p.each) fail_msg("%g of 50 ml came as particles", 1e6 * come);
    run_for(world, 0.5);
    rv_world_get_stats(world, &stats);
    if (fabs(stats.drained - 1e-4) > 1.01 * p.each) fail_msg("drained %g ml", 1e6 * stats.drained);
    assert_true(fabs(stats.volume - before - stats.sourced + stats.drained) < 1e-9 * before);
    rv_world_destroy(world);
}

static void pouring_adds_particles(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_world *world = make(&def);
    double before = volume_of(world), poured = 0;
    for (int i = 0; i < 40; i++) {
        poured += rv_world_pour(world, (rv_vec3){0, 0, 0.39}, 0.03, 2e-6);
        run_for(world, STEP);
    }
    assert_true(fabs(poured - 8e-5) < 1e-9);
    assert_true(fabs(volume_of(world) - before - poured) < 1e-9 * before);
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    assert_true((double)p.count * p.each > before + 0.7 * poured);
    rv_world_destroy(world);
}

static void lists_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_body_def ball = rv_default_body_def();
    rv_world *world;
    rv_messages m = {0}, n = {0};
    def.params.splat_form = RV_SPLAT_HEIGHT, def.params.splat_method = RV_SPLAT_WIDE;
    def.params.grid_ny = 48;
    def.bodies = &ball, def.body_count = 1;
    assert_int_equal(rv_world_create(&def, &world, &m), RV_BAD_ARGUMENT);
    assert_string_equal(m.text,
                        "bodies: particles as a height carry them with splat.method narrow only");
    def.body_count = 0;
    world = make(&def);
    assert_int_equal(rv_world_add_body(world, &ball, NULL, &n), RV_BAD_ARGUMENT);
    assert_string_equal(n.text,
                        "body: particles as a height carry them with splat.method narrow only");
    rv_world_destroy(world);
}

// Solids that come and go move particles; none are made or lost.
static void terrain_changes_under_particles(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_solid_def floor = rv_default_solid_def();
    floor.at.z = 0.02, floor.size = (rv_vec3){1, 1, 0.04};
    block.from.z = 0.04;
    def.solids = &floor, def.solid_count = 1;
    rv_world *world = make(&def);
    double before = volume_of(world);
    rv_solid_def ball = rv_default_solid_def();
    ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.03;
    rv_event_def edit = rv_default_event_def();
    rv_vec3 at = {0.05, 0, 0.05};
    edit.tool = &ball, edit.tool_count = 1, edit.path = &at, edit.path_count = 1;
    rv_messages m = {0};
    for (int kind = 0; kind < 2; kind++) {
        edit.kind = kind == 0 ? RV_EVENT_ADD : RV_EVENT_CARVE;
        if (rv_world_edit(world, &edit, NULL, &m) != RV_OK) fail_msg("%s", m.text);
        run_for(world, 0.2);
        rv_particles p;
        rv_stats stats;
        assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
        rv_world_get_stats(world, &stats);
        assert_true(fabs((stats.volume + stats.held) / before - 1) < 1e-7);
        assert_int_equal(stats.not_finite, 0);
        int inside = 0;
        for (int64_t i = 0; i < p.count; i++)
            inside += hypot((double)p.x[i] - 0.05, (double)p.z[i] - 0.05) < 0.025;
        if (kind == 0 ? inside > 0 : inside == 0) fail_msg("%d particles in the ball", inside);
    }
    rv_world_destroy(world);
}

// ---- The same again -----------------------------------------------------------------------------

static uint64_t hash_after(const rv_world_def *def, double seconds, void **saved, size_t *size)
{
    rv_world *world = make(def);
    run_for(world, seconds);
    if (saved) {
        *size = rv_world_snapshot_size(world);
        *saved = malloc(*size);
        assert_int_equal(rv_world_save(world, *saved, *size), RV_OK);
    }
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    return hash;
}

static void saved_and_threaded_it_is_the_same(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_body_def bodies[2] = {rv_default_body_def(), rv_default_body_def()};
    bodies[0].radius = 0.03, bodies[0].at = (rv_vec3){0, 0, 0.1};
    bodies[1].shape = RV_BODY_BOX, bodies[1].size = (rv_vec3){0.06, 0.04, 0.03};
    bodies[1].at = (rv_vec3){0.1, 0, 0.3}, bodies[1].rotate.y = 0.4, bodies[1].start = 0.2;
    def.bodies = bodies, def.body_count = 2;
    rv_drain_def drain = rv_default_drain_def();
    drain.to = (rv_vec3){-0.2, 1, 0.1}, drain.rate = 1e-4;
    def.drains = &drain, def.drain_count = 1;
    void *saved = NULL;
    size_t size = 0;
    uint64_t then = hash_after(&def, 0.3, &saved, &size);
    uint64_t whole = hash_after(&def, 0.5, NULL, NULL);
    rv_world *later = make(&def);
    rv_messages m = {0};
    if (rv_world_restore(later, saved, size, &m) != RV_OK) fail_msg("%s", m.text);
    assert_true(rv_world_hash(later) == then);
    run_for(later, 0.2);
    assert_true(rv_world_hash(later) == whole);
    rv_world_destroy(later);
    free(saved);
    def.pool = rv_pool_create(3);
    assert_true(hash_after(&def, 0.5, NULL, NULL) == whole);
    rv_pool_destroy(def.pool);
}

// A jet gives particles after every substep, which then stand at the end, out of order.
static void restored_it_is_what_was_saved(void **state)
{
    (void)state;
    rv_emitter_def emitters[2];
    rv_world_def def = basin(&emitters[0]);
    emitters[1] = rv_default_emitter_def();
    emitters[1].at = (rv_vec3){-0.1, 0, 0.35}, emitters[1].velocity.x = 1;
    emitters[1].radius = 0.02, def.emitter_count = 2;
    rv_world *world = make(&def), *twin = make(&def);
    for (int k = 0; k < 20; k++) {
        run_for(world, 0.01);
        size_t size = rv_world_snapshot_size(world);
        void *saved = malloc(size);
        assert_int_equal(rv_world_save(world, saved, size), RV_OK);
        assert_int_equal(rv_world_restore(twin, saved, size, NULL), RV_OK);
        assert_true(rv_world_hash(twin) == rv_world_hash(world));
        free(saved);
    }
    run_for(world, 0.1), run_for(twin, 0.1);
    assert_true(rv_world_hash(twin) == rv_world_hash(world));
    rv_world_destroy(twin);
    rv_world_destroy(world);
}

static void state_files_hold_the_particles(void **state)
{
    (void)state;
    rv_emitter_def block;
    rv_world_def def = basin(&block);
    rv_world *world = make(&def);
    run_for(world, 0.1);
    rv_messages m = {0};
    char folder[] = "particles-XXXXXX", path[64], line[512];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.csv", folder);
    if (!rv_state_write(path, world, &m)) fail_msg("%s", m.text);
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "x,y,z,u,v,w\n");
    int64_t rows = 0;
    for (float x, y, z, u, v, w; fgets(line, sizeof line, file); rows++) {
        assert_int_equal(sscanf(line, "%f,%f,%f,%f,%f,%f", &x, &y, &z, &u, &v, &w), 6);
        assert_true(x == p.x[rows] && z == p.z[rows] && u == p.u[rows] && w == p.w[rows]);
        assert_true(y == 0 && v == 0); // the plane
    }
    assert_int_equal(rows, p.count);
    fclose(file);
    remove(path), rmdir(folder);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_float_and_sink),
        cmocka_unit_test(balls_that_begin_under_the_surface),
        cmocka_unit_test(a_driven_body_pushes),
        cmocka_unit_test(sources_and_drains_keep_their_rates),
        cmocka_unit_test(pouring_adds_particles),
        cmocka_unit_test(lists_that_do_not_fit_are_refused),
        cmocka_unit_test(terrain_changes_under_particles),
        cmocka_unit_test(saved_and_threaded_it_is_the_same),
        cmocka_unit_test(restored_it_is_what_was_saved),
        cmocka_unit_test(state_files_hold_the_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
