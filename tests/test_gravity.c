// Gravity as a vector: what flies, falls and flows follows it along all axes; events turn it, and a
// restored world goes on with it; what cannot be is refused. And the statistics that follow from
// it: energies against closed forms.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>

#define DT 5e-3
#define RHO 1000.0

// ---- Help ---------------------------------------------------------------------------------------

static void expect_gravity(const rv_world *world, rv_vec3 g, double tolerance)
{
    rv_vec3 now = rv_world_params(world)->gravity;
    double off = fmax(fabs(now.x - g.x), fmax(fabs(now.y - g.y), fabs(now.z - g.z)));
    if (!(off <= tolerance))
        fail_msg("gravity is %.9g %.9g %.9g, not %g %g %g", now.x, now.y, now.z, g.x, g.y, g.z);
}

// ---- What flies and falls -----------------------------------------------------------------------

static void droplets_fly_along_it(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 40, 20);
    rv_vec3 g = {2, -0.5, -4};
    s.def.params.spray_on = true, s.def.params.spray_drag = 0, s.def.params.gravity = g;
    rv_world *world = make(&s.def);
    rv_vec3 at = {-0.1, 0.02, 0.5}, v = {0.3, 0.1, 0.4};
    assert_true(rv_world_throw(world, at, v, 1e-9) > 0);
    rv_stats before = stats_of(world);
    run(world, 40, DT);
    rv_droplets d;
    assert_int_equal(rv_world_get_droplets(world, &d), RV_OK);
    assert_int_equal(d.count, 1);
    double t = 40 * DT;
    assert_true(fabs(d.at[0].x - (at.x + v.x * t + 0.5 * g.x * t * t)) < 1e-9);
    assert_true(fabs(d.at[0].y - (at.y + v.y * t + 0.5 * g.y * t * t)) < 1e-9);
    assert_true(fabs(d.at[0].z - (at.z + v.z * t + 0.5 * g.z * t * t)) < 1e-9);
    // nothing but gravity acts: what it loses in height it has in speed
    rv_stats after = stats_of(world);
    near(before.kinetic, 0.5 * RHO * 1e-9 * (v.x * v.x + v.y * v.y + v.z * v.z), 1e-9);
    near(before.potential, RHO * 1e-9 * (4 * 0.5 - 2 * -0.1 + 0.5 * 0.02), 1e-9);
    near(after.kinetic + after.potential, before.kinetic + before.potential, 1e-9);
    assert_true(after.kinetic > 2 * before.kinetic);
    near(after.airborne, 1e-9, 1e-12);
    rv_world_destroy(world);
}

static void bodies_fall_along_it(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 40, 20);
    rv_vec3 g = {3, -1, -2};
    s.def.params.gravity = g, s.def.params.grid_top = 1;
    s.body[0].at = (rv_vec3){-0.1, 0.03, 0.8}, s.body[0].radius = 0.02;
    s.def.body_count = 1;
    rv_world *world = make(&s.def);
    run(world, 60, DT);
    rv_body_state now;
    assert_int_equal(rv_world_get_body(world, 0, NULL, &now), RV_OK);
    double t = 60 * DT;
    near(now.velocity.x, g.x * t, 1e-9);
    near(now.velocity.y, g.y * t, 1e-9);
    near(now.velocity.z, g.z * t, 1e-9);
    near(now.at.x - s.body[0].at.x, 0.5 * g.x * t * t, 0.03); // a first-order step
    near(now.at.z - s.body[0].at.z, 0.5 * g.z * t * t, 0.03);
    // no liquid touched it: its weight is not told as a force of the liquid
    assert_true(fabs(now.force.x) + fabs(now.force.y) + fabs(now.force.z) < 1e-9);
    rv_world_destroy(world);
}

// Friction holds a box on a floor that is tilted by less than its angle, and lets go beyond.
static void a_box_slides_when_tilted_enough(void **state)
{
    (void)state;
    double moved[2];
    for (int k = 0; k < 2; k++) {
        small_world s;
        small_floor(&s, 40, 20);
        double tilt = k ? 0.6 : 0.2;
        s.def.params.gravity = (rv_vec3){9.81 * sin(tilt), 0, -9.81 * cos(tilt)};
        s.body[0].shape = RV_BODY_BOX, s.body[0].size = (rv_vec3){0.04, 0.04, 0.02};
        s.body[0].at = (rv_vec3){-0.1, 0, 0.11}, s.body[0].friction = 0.4;
        s.def.body_count = 1;
        rv_world *world = make(&s.def);
        rv_body_state now;
        run(world, 60, DT);
        assert_int_equal(rv_world_get_body(world, 0, NULL, &now), RV_OK);
        moved[k] = now.at.x + 0.1;
        assert_int_equal(now.resting, k == 0);
        rv_world_destroy(world);
    }
    assert_true(fabs(moved[0]) < 1e-3);
    double push = 9.81 * (sin(0.6) - 0.4 * cos(0.6)), t = 60 * DT;
    near(moved[1], 0.5 * push * t * t, 0.06);
}

// ---- Particles ----------------------------------------------------------------------------------

static void mean_motion(const rv_world *world, double out[3])
{
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    const float *of[3] = {p.u, p.v, p.w};
    assert_true(p.count > 100);
    for (int c = 0; c < 3; c++) {
        out[c] = 0;
        for (int64_t i = 0; of[c] && i < p.count; i++) out[c] += (double)of[c][i];
        out[c] /= (double)p.count;
    }
}

// A block of particles in the middle of the room, before it meets anything: its middle falls
// freely.
static void particles_fall_along_it(void **state)
{
    (void)state;
    static const rv_splat_form forms[3] = {RV_SPLAT_2D, RV_SPLAT_3D, RV_SPLAT_HEIGHT};
    for (int k = 0; k < 3; k++) {
        small_world s;
        small_floor(&s, 40, 20);
        rv_params *p = &s.def.params;
        rv_vec3 g = {2, -1.5, -3};
        p->solver = RV_SOLVER_SPLAT, p->splat_form = forms[k], p->gravity = g;
        p->grid_ny = forms[k] == RV_SPLAT_2D ? 1 : 40;
        s.emitter.kind = RV_EMITTER_BLOCK;
        s.emitter.from = (rv_vec3){-0.05, -0.05, 0.3}, s.emitter.to = (rv_vec3){0.05, 0.05, 0.4};
        s.def.emitter_count = 1;
        rv_world *world = make(&s.def);
        rv_stats before = stats_of(world);
        run(world, 10, DT);
        double u[3], t = 10 * DT;
        mean_motion(world, u);
        near(u[0], g.x * t, 0.01);
        near(u[1], forms[k] == RV_SPLAT_2D ? 0 : g.y * t, 0.01);
        near(u[2], forms[k] == RV_SPLAT_HEIGHT ? 0 : g.z * t, 0.01);
        rv_stats after = stats_of(world);
        assert_true(after.kinetic > 0 && before.kinetic == 0);
        if (forms[k] != RV_SPLAT_HEIGHT) {
            double mass = RHO * after.volume;
            near(before.potential, mass * (3 * 0.35), 0.01);
            double gone = before.potential - after.potential;
            double fell = 0.5 * t * t * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / (t * t) * mass;
            near(gone, fell, 0.12); // it moves after the velocities changed, first order
        }
        rv_world_destroy(world);
    }
}

static void the_fastest_particle_is_told(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 40, 20);
    rv_params *p = &s.def.params;
    p->solver = RV_SOLVER_SPLAT, p->splat_form = RV_SPLAT_3D;
    s.emitter.kind = RV_EMITTER_BLOCK, s.emitter.velocity = (rv_vec3){0.3, -0.2, 0.1};
    s.emitter.from = (rv_vec3){-0.05, -0.05, 0.12}, s.emitter.to = (rv_vec3){0.05, 0.05, 0.2};
    s.def.emitter_count = 1;
    rv_world *world = make(&s.def);
    run(world, 20, DT);
    rv_particles q;
    assert_int_equal(rv_world_get_particles(world, &q), RV_OK);
    double most = 0, squares = 0;
    for (int64_t i = 0; i < q.count; i++) {
        double u = (double)q.u[i], v = (double)q.v[i], w = (double)q.w[i];
        most = fmax(most, sqrt(u * u + v * v + w * w));
        squares += u * u + v * v + w * w;
    }
    near(stats_of(world).fastest, most, 1e-6);
    near(stats_of(world).kinetic, 0.5 * RHO * q.each * squares, 1e-6);
    rv_world_destroy(world);
}

// ---- A pane -------------------------------------------------------------------------------------

static void set_up_pane(small_world *s, double tilt, rv_vec3 gravity)
{
    small_floor(s, 40, 20);
    rv_params *p = &s->def.params;
    p->solver = RV_SOLVER_GLASS, p->grid_nx = p->grid_ny = 100, p->grid_dx = 1e-3;
    p->glass_tilt = tilt, p->gravity = gravity, p->glass_rain = 0;
    s->emitter.kind = RV_EMITTER_DROP, s->emitter.radius = 3.5e-3;
    s->def.solid_count = 0;
    s->def.emitter_count = 1;
}

static void drops_run_along_it(void **state)
{
    (void)state;
    const struct {
        double tilt;
        rv_vec3 g;
        double x, y; // where to: signs
    } way[] = {{1.5707963, {0, 0, -9.81}, 0, -1},
               {1.5707963, {8, 0, -1}, 1, -1},
               {0, {0, -9, -3}, 0, -1},
               {0, {-9, 0, -3}, -1, 0}};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        small_world s;
        set_up_pane(&s, way[k].tilt, way[k].g);
        rv_world *world = make(&s.def);
        rv_stats before = stats_of(world);
        run(world, 30, DT);
        rv_particles p;
        assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
        assert_true(p.count > 0);
        int lead = 0; // the drop that ran, not what it left behind
        for (int i = 0; i < (int)p.count; i++)
            if (p.volume[i] > p.volume[lead]) lead = i;
        double x = (double)p.x[lead], y = (double)p.y[lead];
        if (way[k].x != 0) assert_true(x * way[k].x > 2e-3);
        if (way[k].y != 0) assert_true(y * way[k].y > 2e-4);
        assert_true((fabs(x) > fabs(y)) == (fabs(way[k].g.x) > 4));
        // from its lower edge up along the pane, and from its middle across
        double sine = sin(way[k].tilt), cosine = cos(way[k].tilt);
        double up = way[k].g.y * cosine + way[k].g.z * sine;
        double exact = -RHO * before.volume * up * 0.05;
        assert_true(fabs(before.potential - exact) <= 1e-6 * exact + 1e-12);
        assert_true(stats_of(world).potential < before.potential);
        assert_true(stats_of(world).kinetic > 0 && before.kinetic == 0);
        rv_world_destroy(world);
    }
}

// ---- Columns ------------------------------------------------------------------------------------

static void a_lake_has_the_potential_of_its_middle(void **state)
{
    (void)state;
    static const rv_solver_kind solvers[2] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};
    for (int k = 0; k < 2; k++) {
        small_world s;
        small_floor(&s, 40, 20);
        s.def.params.solver = solvers[k], s.fill[0].level = 0.14, s.fill[0].to.x = 0;
        s.def.fill_count = 1;
        rv_world *world = make(&s.def);
        double volume = 0.2 * 0.2 * 0.04;
        rv_stats first = stats_of(world);
        near(first.volume, volume, 1e-6);
        near(first.potential, RHO * volume * 9.81 * 0.12, 1e-6);
        assert_true(first.kinetic == 0 && first.held == 0 && first.airborne == 0);
        rv_params p = *rv_world_params(world);
        p.gravity = (rv_vec3){2, 3, -9};
        assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
        // the liquid's middle is 0.1 m from the grid's, against gravity, and none across
        near(stats_of(world).potential, RHO * volume * (9 * 0.12 + 2 * 0.1), 1e-6);
        rv_world_destroy(world);
    }
}

// A dam breaks: what it loses in height is motion, less what is lost to damping.
static void falling_liquid_gets_moving(void **state)
{
    (void)state;
    static const rv_solver_kind solvers[2] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};
    for (int k = 0; k < 2; k++) {
        small_world s;
        small_floor(&s, 40, 20);
        rv_params *p = &s.def.params;
        p->solver = solvers[k], p->pipes_kept = p->swe_kept = 1, p->liquid_viscosity = 0;
        s.fill[0].level = 0.2, s.fill[0].to.x = 0;
        s.def.fill_count = 1;
        rv_world *world = make(&s.def);
        rv_stats before = stats_of(world);
        run(world, 12, DT);
        rv_stats after = stats_of(world);
        double fell = before.potential - after.potential;
        assert_true(fell > 0.02 * before.potential);
        assert_true(after.kinetic > 0.5 * fell && after.kinetic < 1.05 * fell);
        rv_world_destroy(world);
    }
}

// The greatest velocity that state files and queries tell is `fastest`, also where thin liquid lies
// beside deep liquid.
static void velocities_agree_with_the_fastest(void **state)
{
    (void)state;
    static const rv_solver_kind solvers[2] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};
    for (int k = 0; k < 2; k++) {
        small_world s;
        small_floor(&s, 40, 20);
        s.def.params.solver = solvers[k];
        s.fill[0].kind = RV_FILL_DROP, s.fill[0].at = (rv_vec3){0.013, 0.004, 0.5};
        s.fill[0].radius = 0.05, s.fill[0].volume = 3e-4;
        s.def.fill_count = 1;
        rv_world *world = make(&s.def);
        for (int step = 0; step < 20; step++) {
            run(world, 1, DT);
            rv_columns c;
            assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
            double most = 0;
            for (int y = 0; y < c.ny; y++)
                for (int x = 0; x < c.nx; x++) {
                    float u[2];
                    size_t slot = rv_slot(&c.plane[0], x, y);
                    rv_world_get_column_velocity(world, slot, u);
                    most = fmax(most, hypot((double)u[0], (double)u[1]));
                    rv_vec3 at = {c.x0 + (x + 0.5) * c.dx, c.y0 + (y + 0.5) * c.dx, 0.3};
                    rv_sample sample;
                    rv_world_sample(world, &at, 1, &sample);
                    if (!sample.wet) continue;
                    assert_true(fabs(sample.u - (double)u[0]) <= 1e-6 * fabs((double)u[0]) + 1e-9);
                    assert_true(fabs(sample.v - (double)u[1]) <= 1e-6 * fabs((double)u[1]) + 1e-9);
                }
            near(stats_of(world).fastest, most, 1e-6);
            assert_true(most > 0 && most < 10); // no faster than it can fall
        }
        float none[2] = {1, 1};
        rv_world_get_column_velocity(world, SIZE_MAX, none);
        assert_true(none[0] == 0 && none[1] == 0);
        rv_world_destroy(world);
    }
}

// ---- Events -------------------------------------------------------------------------------------

static void set_up_turns(small_world *s)
{
    small_floor(s, 40, 20);
    s->fill[0].level = 0.12, s->def.fill_count = 1;
    s->event[0].kind = RV_EVENT_GRAVITY, s->event[0].start = 0.05, s->event[0].duration = 0.1;
    s->event[0].gravity = (rv_vec3){0, 3, -4};
    s->event[1].kind = RV_EVENT_GRAVITY, s->event[1].start = 0.2;
    s->event[1].gravity = (rv_vec3){-1, 0, -9};
    s->def.params.gravity = (rv_vec3){0, -3, -4};
    s->def.event_count = 2;
}

static void events_turn_gravity(void **state)
{
    (void)state;
    small_world s;
    set_up_turns(&s);
    rv_world *world = make(&s.def);
    run(world, 10, DT);
    expect_gravity(world, (rv_vec3){0, -3, -4}, 0);
    run(world, 10, DT); // half way, less half a step
    rv_vec3 g = rv_world_params(world)->gravity;
    near(sqrt(g.y * g.y + g.z * g.z), 5, 1e-12); // it turns, and is as strong on the way
    assert_true(fabs(g.y) < 0.25 && g.z < -4.98);
    run(world, 11, DT);
    expect_gravity(world, (rv_vec3){0, 3, -4}, 0);
    run(world, 10, DT);
    expect_gravity(world, (rv_vec3){-1, 0, -9}, 0);
    rv_world_destroy(world);
}

static void a_restored_world_turns_on(void **state)
{
    (void)state;
    small_world s;
    set_up_turns(&s);
    rv_world *world = make(&s.def), *other = make(&s.def);
    run(world, 20, DT);
    size_t size = rv_world_snapshot_size(world);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_int_equal(rv_world_save(world, buffer, size), RV_OK);
    run(world, 30, DT);
    uint64_t hash = rv_world_hash(world);
    rv_vec3 end = rv_world_params(world)->gravity;
    assert_int_equal(rv_world_restore(other, buffer, size, NULL), RV_OK);
    run(other, 30, DT);
    assert_true(rv_world_hash(other) == hash);
    expect_gravity(other, end, 0);
    // and back in the same world, whose gravity has turned since
    assert_int_equal(rv_world_restore(world, buffer, size, NULL), RV_OK);
    run(world, 30, DT);
    assert_true(rv_world_hash(world) == hash);
    free(buffer);
    rv_world_destroy(world);
    rv_world_destroy(other);
}

static void a_gravity_that_is_given_holds_until_the_next_event(void **state)
{
    (void)state;
    small_world s;
    set_up_turns(&s);
    rv_world *world = make(&s.def);
    run(world, 35, DT); // the first event is over
    rv_params p = *rv_world_params(world);
    p.gravity = (rv_vec3){1, 1, -7};
    assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
    run(world, 4, DT);
    expect_gravity(world, (rv_vec3){1, 1, -7}, 0);
    run(world, 4, DT);
    expect_gravity(world, (rv_vec3){-1, 0, -9}, 0);
    rv_world_destroy(world);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 40, 20);
    s.def.params.gravity = (rv_vec3){5, 0, 0};
    const char *level = "gravity: lies level, but liquid in columns needs some of it downward";
    expect_refused(&s.def, level);
    s.def.params.solver = RV_SOLVER_SWE;
    expect_refused(&s.def, level);
    s.def.params.gravity.z = 2;
    expect_refused(&s.def, "gravity: z 2 is out of range, must be -1000 to 0 m/s2");
    set_up_turns(&s);
    s.event[1].gravity = (rv_vec3){0, 2, 0};
    expect_refused(
        &s.def, "events[1].gravity: lies level, but liquid in columns needs some of it downward");
    // none at all is fine, and so is a level one for particles
    small_floor(&s, 40, 20);
    s.def.params.gravity = (rv_vec3){0, 0, 0};
    rv_world *world = make(&s.def);
    rv_params p = *rv_world_params(world);
    p.gravity.x = 1;
    rv_messages messages = {0};
    assert_int_equal(rv_world_set_params(world, &p, &messages), RV_BAD_ARGUMENT);
    assert_string_equal(messages.text, level);
    expect_gravity(world, (rv_vec3){0, 0, 0}, 0);
    rv_world_destroy(world);
    s.def.params.solver = RV_SOLVER_SPLAT, s.def.params.splat_form = RV_SPLAT_3D;
    s.def.params.gravity = (rv_vec3){5, 0, 0};
    world = make(&s.def);
    run(world, 2, DT);
    rv_world_destroy(world);
    s.def.params.splat_form = RV_SPLAT_HEIGHT;
    expect_refused(&s.def, level);
}

// Terrain made of heights alone cannot change; gravity on it can.
static void gravity_turns_over_heights_too(void **state)
{
    (void)state;
    small_world s;
    set_up_turns(&s);
    float heights[40 * 20] = {0};
    s.def.heights = heights, s.def.solid_count = 0;
    rv_world *world = make(&s.def);
    run(world, 45, DT);
    expect_gravity(world, (rv_vec3){-1, 0, -9}, 0);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(droplets_fly_along_it),
        cmocka_unit_test(bodies_fall_along_it),
        cmocka_unit_test(a_box_slides_when_tilted_enough),
        cmocka_unit_test(particles_fall_along_it),
        cmocka_unit_test(the_fastest_particle_is_told),
        cmocka_unit_test(drops_run_along_it),
        cmocka_unit_test(a_lake_has_the_potential_of_its_middle),
        cmocka_unit_test(falling_liquid_gets_moving),
        cmocka_unit_test(velocities_agree_with_the_fastest),
        cmocka_unit_test(events_turn_gravity),
        cmocka_unit_test(a_restored_world_turns_on),
        cmocka_unit_test(a_gravity_that_is_given_holds_until_the_next_event),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(gravity_turns_over_heights_too),
    };
    return cmocka_run_group_tests_name("gravity", tests, NULL, NULL);
}
