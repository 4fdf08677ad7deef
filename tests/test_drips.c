// Edges that drip: drops of Tate's volume at the rate of the flow; threads from where drops merge;
// beads that keep their distance; droplets that meet bodies; that no volume is made or lost, that
// it changes nothing where it is off; threads of the machine, snapshots, a full pool.
#include "base/hash.h"
#include "small_worlds.h"
#include "spray/spray.h"
#include "world/world_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define G 9.81
#define TENSION 0.0728
#define DT 5e-3

// ---- Help ---------------------------------------------------------------------------------------

static double capillary_length(void)
{
    return sqrt(TENSION / (1000 * G));
}

static double tate(double r)
{
    return 2 * PI * r * TENSION / (1000 * G);
}

// A board of the given width over a floor, which a tap feeds.
static void small_board(small_world *s, int nx, double wide, double rate)
{
    small_grid(s, RV_SOLVER_PIPES, nx, 24, 1e-3);
    s->def.params.tension_on = true;
    s->def.params.grid_top = 0.045;
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = 2e-3;
    s->solid[1].shape = RV_SHAPE_BOX, s->solid[1].at = (rv_vec3){0, 0, 0.032};
    s->solid[1].size = (rv_vec3){wide, 4e-3, 4e-3};
    s->def.solid_count = 2;
    s->source.at = (rv_vec3){0, 0, 0.044}, s->source.radius = 1e-3, s->source.rate = rate;
    s->def.source_count = 1;
}

static rv_droplets look(const rv_world *world)
{
    rv_droplets d;
    assert_int_equal(rv_world_get_droplets(world, &d), RV_OK);
    return d;
}

static int flying(const rv_world *world)
{
    rv_droplets d = look(world);
    int count = 0;
    for (int i = 0; i < d.count; i++) count += d.hangs[i] == 0;
    return count;
}

static double bead_volume(const rv_world *world)
{
    rv_bead b;
    if (rv_world_get_beads(world, &b, 1) < 1) return 0;
    return 2 * PI / 3 * b.radius * b.radius * b.height;
}

// ---- Drops and threads --------------------------------------------------------------------------

static void drops_have_tates_volume(void **state)
{
    (void)state;
    small_world s;
    const double rate = 4e-7, width = 4e-3, time = 3;
    small_board(&s, 24, width, rate);
    rv_world *world = make(&s.def);
    int drops = 0, steps = (int)(time / DT);
    run(world, 200, DT); // until the board is full
    double last = bead_volume(world);
    for (int i = 0; i < steps; i++) {
        run(world, 1, DT);
        double now = bead_volume(world);
        drops += now < last, last = now;
        rv_droplets d = look(world);
        for (int k = 0; k < d.count; k++) {
            if (d.hangs[k]) continue;
            near(rv_ball_volume(d.radius[k]), tate(0.5 * width), 0.2);
        }
    }
    assert_int_equal(rv_world_get_beads(world, NULL, 0), 1);
    near(drops, rate * time / tate(0.5 * width), 0.1);
    // depths have single precision: as much is off without drips
    assert_true(fabs(balance(world)) < 3e-7 * stats_of(world).sourced);
    rv_world_destroy(world);
}

// Drops merge at We = 1; a thread of twice that flow has the radius of its speed.
static void a_strong_flow_is_a_thread(void **state)
{
    (void)state;
    small_world s;
    const double r = 2e-3, merging = PI * sqrt(TENSION * r * r * r / 1000);
    small_board(&s, 24, 2 * r, 2 * merging);
    rv_world *world = make(&s.def);
    rv_bead b;
    run(world, 300, DT);
    assert_int_equal(rv_world_get_beads(world, &b, 1), 1);
    near(b.flow, 2 * merging, 0.1);
    near(b.thread, r, 1e-6);
    double v = b.flow / (PI * r * r);
    near(b.head, v * v / (2 * G), 1e-6);
    assert_true(b.foot < 0.02 && b.foot > 1e-3);
    assert_int_equal(flying(world), 0);
    rv_stats st = stats_of(world);
    assert_true(st.airborne < 2 * tate(r));
    near(st.volume + st.airborne, st.sourced, 1e-6);
    rv_world_destroy(world);
}

static void thick_liquid_is_a_thread_sooner(void **state)
{
    (void)state;
    for (int thick = 0; thick < 2; thick++) {
        small_world s;
        rv_bead b;
        small_board(&s, 24, 4e-3, 5e-7);
        s.def.params.liquid_viscosity = thick ? 2e-3 : 1e-6;
        rv_world *world = make(&s.def);
        run(world, 400, DT);
        assert_true(rv_world_get_beads(world, &b, 1) >= 1);
        assert_true(thick ? b.thread > 0 : b.thread == 0);
        rv_world_destroy(world);
    }
}

static void beads_keep_their_distance(void **state)
{
    (void)state;
    small_world s;
    rv_bead b[32];
    const double apart = 2 * PI * sqrt(2) * capillary_length();
    small_board(&s, 130, 0.12, 1e-5);
    s.fill[0].kind = RV_FILL_DEPTH, s.fill[0].depth = 4e-3, s.def.fill_count = 1; // a wide front
    s.fill[0].from = (rv_vec3){-0.06, -0.01, 0.03}, s.fill[0].to = (rv_vec3){0.06, 0.01, 0.045};
    rv_world *world = make(&s.def);
    run(world, 200, DT);
    int count = rv_world_get_beads(world, b, 32);
    // two sides of 12 cm, and its ends
    assert_true(count >= 6 && count <= 12);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            if (fabs(b[i].at.y - b[k].at.y) > 1e-3) continue; // across the board
            assert_true(fabs(b[i].at.x - b[k].at.x) > 0.5 * apart - 1e-3);
        }
    }
    rv_world_destroy(world);
}

// What is too much for drops and threads falls in a sheet, in no time, as without drips.
static void a_flood_is_a_sheet(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 60, 0.05, 3e-4);
    s.source.radius = 0.02;
    rv_world *world = make(&s.def);
    run(world, 60, DT);
    rv_stats st = stats_of(world);
    int count = rv_world_get_beads(world, NULL, 0);
    assert_true(count > 0 && st.airborne < count * 1.2 * tate(capillary_length()));
    near(st.volume + st.airborne, st.sourced, 1e-6);
    rv_world_destroy(world);
}

// Spray that throws nothing up throws nothing off edges either: only drops fall.
static void no_confetti(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 24, 4e-3, 4e-7);
    s.def.params.spray_on = true, s.def.params.spray_share = 0;
    rv_world *world = make(&s.def);
    for (int i = 0; i < 300; i++) {
        run(world, 1, DT);
        rv_droplets d = look(world);
        for (int k = 0; k < d.count; k++)
            if (!d.hangs[k]) near(rv_ball_volume(d.radius[k]), tate(2e-3), 0.01);
    }
    rv_world_destroy(world);
}

// ---- Bodies -------------------------------------------------------------------------------------

static void a_droplet_pushes_a_body(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 40, 40);
    s.def.params.tension_on = true;
    s.def.params.spray_on = true, s.def.params.spray_drag = 0;
    s.solid[1].shape = RV_SHAPE_BOX, s.solid[1].at = (rv_vec3){0.15, 0.15, 0.5};
    s.solid[1].size = (rv_vec3){0.05, 0.05, 0.02}; // something to drip from
    s.def.solid_count = 2;
    s.body[0].radius = 0.03, s.body[0].density = 100, s.body[0].at = (rv_vec3){0, 0, 0.4};
    s.def.body_count = 1;
    rv_world *world = make(&s.def);
    const double volume = 1e-7, speed = 2;
    assert_true(rv_world_throw(world, (rv_vec3){-0.05, 0, 0.4}, (rv_vec3){speed, 0, 0}, volume) >
                0);
    run(world, 10, 2e-3);
    rv_body_state b;
    assert_int_equal(rv_world_get_body(world, 0, NULL, &b), RV_OK);
    rv_droplets d = look(world);
    assert_int_equal(d.count, 1);
    double mass = 100 * 4 / 3.0 * PI * 0.03 * 0.03 * 0.03;
    assert_true(d.velocity[0].x < 0 && d.at[0].x < b.at.x - 0.029);
    near(mass * b.velocity.x + 1000 * volume * d.velocity[0].x, 1000 * volume * speed, 1e-9);
    rv_world_destroy(world);
}

// On a body that stands still it comes to rest and runs off, into the column under it.
static void a_droplet_ends_on_a_body(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 40, 40);
    s.def.params.tension_on = true;
    s.def.params.spray_on = true, s.def.params.spray_drag = 0;
    s.body[0].shape = RV_BODY_BOX, s.body[0].motion = RV_BODY_HELD;
    s.body[0].size = (rv_vec3){0.1, 0.1, 0.05}, s.body[0].at = (rv_vec3){0, 0, 0.3};
    s.def.body_count = 1;
    rv_world *world = make(&s.def);
    assert_true(rv_world_throw(world, (rv_vec3){0, 0, 0.4}, (rv_vec3){0, 0, 0}, 1e-8) > 0);
    for (int i = 0; i < 100; i++) {
        run(world, 1, DT);
        rv_droplets d = look(world);
        assert_true(d.count == 0 || d.at[0].z > 0.3249);
    }
    assert_int_equal(look(world).count, 0);
    near(stats_of(world).volume + stats_of(world).airborne, 1e-8, 1e-6);
    rv_world_destroy(world);
}

// ---- State --------------------------------------------------------------------------------------

// Without surface tension the switch changes nothing; nor where nothing hangs over.
static void off_is_as_before(void **state)
{
    (void)state;
    for (int flat = 0; flat < 2; flat++) {
        uint64_t hash[2];
        for (int on = 0; on < 2; on++) {
            small_world s;
            small_board(&s, 24, 4e-3, 1e-6);
            if (flat)
                s.def.solid_count = 1;
            else
                s.def.params.liquid_tension = 0;
            s.def.params.drips_on = on == 1;
            rv_world *world = make(&s.def);
            run(world, 100, DT);
            assert_int_equal(look(world).count, 0);
            hash[on] = rv_world_hash(world);
            rv_world_destroy(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static void switched_off_beads_fall(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 24, 4e-3, 1e-6);
    rv_world *world = make(&s.def);
    run(world, 100, DT);
    assert_true(rv_world_get_beads(world, NULL, 0) > 0);
    rv_params p = *rv_world_params(world);
    p.drips_on = false;
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
    run(world, 60, DT);
    assert_int_equal(look(world).count, 0);
    assert_true(fabs(balance(world)) < 1e-13);
    rv_world_destroy(world);
}

static void threads_do_not_matter(void **state)
{
    const int threads[3] = {1, 2, 5};
    uint64_t hash[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        small_world s;
        small_board(&s, 60, 0.05, 8e-6);
        s.def.pool = rv_pool_create(threads[k]);
        rv_world *world = make(&s.def);
        run(world, 150, DT);
        assert_true(rv_world_get_beads(world, NULL, 0) > 1);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(s.def.pool);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void a_snapshot_goes_on_bit_for_bit(void **state)
{
    small_world s;
    size_t size;
    (void)state;
    small_board(&s, 60, 0.05, 8e-6);
    rv_world *a = make(&s.def), *b = make(&s.def);
    run(a, 150, DT);
    assert_true(rv_world_get_beads(a, NULL, 0) > 1);
    unsigned char *saved = save(a, &size);
    assert_int_equal(rv_world_restore(b, saved, size, NULL), RV_OK);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    assert_int_equal(rv_world_get_beads(a, NULL, 0), rv_world_get_beads(b, NULL, 0));
    run(a, 100, DT), run(b, 100, DT);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    rv_world_destroy(a), rv_world_destroy(b);
    free(saved);
}

static void a_full_pool_loses_nothing(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 60, 0.05, 8e-6);
    s.def.params.spray_droplets = 3;
    rv_world *world = make(&s.def);
    run(world, 200, DT);
    rv_stats st = stats_of(world);
    assert_true(st.refused > 0 && st.droplets <= 3);
    assert_true(fabs(balance(world)) < 1e-13 + 1e-7 * st.sourced);
    rv_world_destroy(world);
}

// The board is cut away under its beads: they fall.
static void terrain_may_change_under_them(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 24, 4e-3, 1e-6);
    s.source.stop = 0.4;
    rv_world *world = make(&s.def);
    run(world, 100, DT);
    assert_true(rv_world_get_beads(world, NULL, 0) > 0);
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def cut = rv_default_event_def();
    tool.shape = RV_SHAPE_BOX, tool.size = (rv_vec3){0.02, 0.02, 0.01};
    tool.at = (rv_vec3){0, 0, 0.032};
    const rv_vec3 path = {0, 0, 0};
    cut.kind = RV_EVENT_CARVE, cut.tool = &tool, cut.tool_count = 1;
    cut.path = &path, cut.path_count = 1;
    assert_int_equal(rv_world_edit(world, &cut, NULL, NULL), RV_OK);
    run(world, 100, DT);
    assert_int_equal(rv_world_get_beads(world, NULL, 0), 0);
    assert_true(fabs(balance(world)) < 1e-12);
    rv_world_destroy(world);
}

static int allocations;

static void *count_and_allocate(size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    (void)user;
    allocations++;
    return plain.allocate(bytes, plain.user);
}

static void release(void *memory, size_t bytes, void *user)
{
    rv_allocator plain = rv_default_allocator();
    (void)user;
    plain.release(memory, bytes, plain.user);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 24, 4e-3, 2e-6);
    s.def.allocator = (rv_allocator){count_and_allocate, release, NULL};
    rv_world *world = make(&s.def);
    run(world, 200, DT); // until the first drops have landed
    allocations = 0;
    run(world, 200, DT);
    assert_int_equal(allocations, 0);
    rv_world_destroy(world);
}

static void add_fall(void *user, const rv_fall *fall)
{
    *(double *)user += fall->volume;
}

// Liquid that became too fast has its substep divided; what runs over edges is told for all of it.
static void a_divided_substep_falls_whole(void **state)
{
    (void)state;
    small_world s;
    small_board(&s, 40, 12e-3, 2e-6);
    s.def.params.drips_on = false;
    rv_world *world = make(&s.def);
    run(world, 200, DT);
    const double span[2] = {1e-4, 2e-3};
    double fell[2] = {0, 0};
    assert_int_equal(world->api->substeps(world->solver, span[0]), 1);
    assert_true(world->api->substeps(world->solver, span[1]) > 2);
    for (int k = 0; k < 2; k++) {
        world->api->substep(world->solver, span[k]);
        world->api->columns->falls(world->solver, 0.01, add_fall, &fell[k]);
    }
    double flow = fell[0] / span[0];
    assert_true(flow > 0.5 * s.source.rate);
    assert_true(fabs(fell[1] / span[1] - flow) < 0.1 * flow);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_have_tates_volume),
        cmocka_unit_test(a_strong_flow_is_a_thread),
        cmocka_unit_test(thick_liquid_is_a_thread_sooner),
        cmocka_unit_test(beads_keep_their_distance),
        cmocka_unit_test(a_flood_is_a_sheet),
        cmocka_unit_test(a_divided_substep_falls_whole),
        cmocka_unit_test(no_confetti),
        cmocka_unit_test(a_droplet_pushes_a_body),
        cmocka_unit_test(a_droplet_ends_on_a_body),
        cmocka_unit_test(off_is_as_before),
        cmocka_unit_test(switched_off_beads_fall),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_snapshot_goes_on_bit_for_bit),
        cmocka_unit_test(a_full_pool_loses_nothing),
        cmocka_unit_test(terrain_may_change_under_them),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
