// Bodies: how they fall, bounce, roll, slide and tumble without liquid, against closed forms; that
// nothing passes through anything; buoyancy, momentum and energy with liquid; layers; snapshots;
// threads; bad input.
#include "io/scene_file.h"
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define G 9.81
#define DT 3e-3

// ---- Help ---------------------------------------------------------------------------------------

// A ball of 4 cm, 0.4 m above the floor of n × n cells; nothing slows the liquid down.
static void set_up(small_world *s, int n)
{
    small_floor(s, n, n);
    s->def.params.liquid_viscosity = 0, s->def.params.pipes_kept = 1;
    for (int i = 0; i < 8; i++) s->body[i].radius = 0.04, s->body[i].at.z = 0.54;
    s->def.body_count = 1;
}

static void fill_to(small_world *s, double level)
{
    s->fill[0].level = level;
    s->def.fill_count = 1;
}

static rv_body_state look(const rv_world *world, int body)
{
    rv_body_state state;
    assert_int_equal(rv_world_get_body(world, body, NULL, &state), RV_OK);
    return state;
}

static double length(rv_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static void within(double measured, double low, double high)
{
    if (!(measured >= low && measured <= high))
        fail_msg("%.9g is not between %.9g and %.9g", measured, low, high);
}

static double ball_volume(double radius)
{
    return 4.0 / 3.0 * PI * radius * radius * radius;
}

// ---- Without liquid -----------------------------------------------------------------------------

static void it_falls_as_all_things_fall(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 20);
    s.body[0].velocity = (rv_vec3){0.1, -0.05, 0.5};
    rv_world *world = make(&s.def);
    run(world, 50, DT);
    rv_body_state b = look(world, 0);
    double t = 50 * DT;
    near(b.velocity.z, 0.5 - G * t, 1e-12);
    near(b.at.z, 0.54 + 0.5 * t - 0.5 * G * t * t, 1e-9);
    near(b.at.x, 0.1 * t, 1e-12);
    near(b.at.y, -0.05 * t, 1e-12);
    assert_true(b.force.z == 0 || fabs(b.force.z) < 1e-9);
    rv_world_destroy(world);
}

// After a fall from height h a ball rises to e² h, then to e⁴ h, and at last lies still.
static void it_bounces_by_its_restitution(void **state)
{
    (void)state;
    for (double e = 0.4; e < 1.05; e += 0.2) {
        small_world s;
        set_up(&s, 20);
        s.body[0].restitution = e > 1 ? 1 : e;
        rv_world *world = make(&s.def);
        double apex = 0, drop = 0.4, expected = drop;
        int bounces = 0;
        for (int i = 0; i < 600 && bounces < 3; i++) {
            double before = look(world, 0).velocity.z;
            run(world, 1, DT);
            rv_body_state b = look(world, 0);
            if (b.velocity.z > 0) apex = fmax(apex, b.at.z - 0.14);
            if (!(before > 0 && b.velocity.z <= 0)) continue;
            expected *= s.body[0].restitution * s.body[0].restitution;
            within(apex, 0.985 * expected - 1e-4, 1.005 * expected);
            apex = 0, bounces++;
        }
        assert_int_equal(bounces, 3);
        if (e < 0.7) {
            run(world, 600, DT);
            rv_body_state b = look(world, 0);
            near(b.at.z, 0.14, 1e-3);
            assert_true(length(b.velocity) < 1e-9);
            assert_true(b.resting);
        }
        rv_world_destroy(world);
    }
}

// A ball on a slope rolls with 5/7 of a sliding body's acceleration if its friction holds it, more
// than 2/7 tan α; else it slides, as a box does.
static void slope(double angle, double friction, bool box, double acceleration)
{
    small_world s;
    set_up(&s, 60);
    const double n = 60, r = 0.03, x = -0.2;
    s.solid[0].normal = (rv_vec3){sin(angle), 0, cos(angle)}, s.solid[0].at.z = 0.25;
    s.body[0].shape = box ? RV_BODY_BOX : RV_BODY_SPHERE;
    s.body[0].radius = r, s.body[0].size = (rv_vec3){2 * r, 2 * r, 2 * r};
    s.body[0].rotate.y = angle, s.body[0].friction = friction, s.body[0].restitution = 0;
    s.body[0].at = (rv_vec3){x, 0, 0.25 - x * tan(angle) + r / cos(angle)};
    rv_world *world = make(&s.def);
    run(world, (int)n, DT);
    rv_body_state b = look(world, 0);
    double speed = length(b.velocity), t = n * DT;
    if (acceleration > 0) {
        near(speed, acceleration * t, 0.01);
        near(-b.velocity.z / b.velocity.x, tan(angle), 0.01);
        if (!box && friction > tan(angle)) near(b.spin.y * r, speed, 0.01);
    } else {
        assert_true(speed < 1e-6);
    }
    rv_world_destroy(world);
}

static void it_rolls_and_slides_down_slopes(void **state)
{
    (void)state;
    const double a = 20 * PI / 180, b = 30 * PI / 180;
    slope(a, 0.5, false, 5.0 / 7 * G * sin(a));
    slope(b, 0.8, false, 5.0 / 7 * G * sin(b));
    slope(a, 0.05, false, G * (sin(a) - 0.05 * cos(a)));
    slope(b, 0.2, true, G * (sin(b) - 0.2 * cos(b)));
    slope(a, 0.5, true, 0); // it sticks
}

static double turning_energy(const rv_body_state *b, rv_vec3 inertia)
{
    double x = b->turn[0], y = b->turn[1], z = b->turn[2], w = b->turn[3];
    const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    double own[3];
    for (int k = 0; k < 3; k++)
        own[k] = r[0][k] * b->spin.x + r[1][k] * b->spin.y + r[2][k] * b->spin.z;
    return 0.5 * (inertia.x * own[0] * own[0] + inertia.y * own[1] * own[1] +
                  inertia.z * own[2] * own[2]);
}

// About its middle axis a box turns over and over; its energy stays, and never grows.
static void a_tumbling_box_gains_no_energy(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 20);
    s.def.params.gravity.z = 0;
    s.body[0].shape = RV_BODY_BOX, s.body[0].size = (rv_vec3){0.1, 0.05, 0.02};
    s.body[0].spin = (rv_vec3){0.1, 20, 0.1};
    const double m = 500 * 0.1 * 0.05 * 0.02;
    const rv_vec3 inertia = {m / 12 * (0.05 * 0.05 + 0.02 * 0.02),
                             m / 12 * (0.1 * 0.1 + 0.02 * 0.02),
                             m / 12 * (0.1 * 0.1 + 0.05 * 0.05)};
    rv_world *world = make(&s.def);
    rv_body_state b = look(world, 0);
    double first = turning_energy(&b, inertia), last = first;
    bool turned_over = false;
    for (int i = 0; i < 1000; i++) {
        run(world, 1, DT);
        b = look(world, 0);
        double now = turning_energy(&b, inertia);
        assert_true(now <= last * (1 + 1e-12));
        turned_over |= fabs(b.spin.x) > 5 || fabs(b.spin.z) > 5;
        last = now;
    }
    assert_true(turned_over);
    assert_true(last > 0.99 * first);
    rv_world_destroy(world);
}

// A box dropped on its corner comes to lie on a face, and its energy falls all the way.
static void a_dropped_box_comes_to_rest(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 40);
    s.body[0].shape = RV_BODY_BOX, s.body[0].size = (rv_vec3){0.09, 0.07, 0.05};
    s.body[0].rotate = (rv_vec3){0.7, 0.5, 0.2}, s.body[0].restitution = 0.3;
    s.body[0].at.z = 0.35;
    const double m = 500 * 0.09 * 0.07 * 0.05;
    const rv_vec3 inertia = {m / 12 * (0.07 * 0.07 + 0.05 * 0.05),
                             m / 12 * (0.09 * 0.09 + 0.05 * 0.05),
                             m / 12 * (0.09 * 0.09 + 0.07 * 0.07)};
    rv_world *world = make(&s.def);
    double first = m * G * 0.25, most = first;
    for (int i = 0; i < 900; i++) {
        run(world, 1, DT);
        rv_body_state b = look(world, 0);
        double v = length(b.velocity);
        double energy = m * G * (b.at.z - 0.1) + 0.5 * m * v * v + turning_energy(&b, inertia);
        most = fmax(most, energy);
    }
    rv_body_state b = look(world, 0);
    assert_true(most < 1.01 * first);
    assert_true(b.resting);
    assert_true(length(b.velocity) < 1e-3 && length(b.spin) < 1e-2);
    const double height = b.at.z - 0.1; // half of one of its edges
    assert_true(fabs(height - 0.045) < 1e-3 || fabs(height - 0.035) < 1e-3 ||
                fabs(height - 0.025) < 1e-3);
    rv_world_destroy(world);
}

// Boxes stand on each other, and a ball on them does not pass through.
static void a_stack_stands(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 40);
    s.def.body_count = 4;
    for (int i = 0; i < 4; i++) {
        s.body[i].shape = i < 3 ? RV_BODY_BOX : RV_BODY_SPHERE, s.body[i].radius = 0.02;
        s.body[i].size = (rv_vec3){0.1, 0.1, 0.05}, s.body[i].restitution = 0;
        s.body[i].at = (rv_vec3){0.002 * i, 0, 0.13 + 0.06 * i};
        if (i == 3) s.body[i].at.x = 0.004, s.body[i].friction = 1;
    }
    rv_world *world = make(&s.def);
    run(world, 250, DT);
    for (int i = 0; i < 3; i++) {
        rv_body_state b = look(world, i);
        within(b.at.z - 0.1, 0.05 * i + 0.024, 0.05 * i + 0.0255);
        assert_true(fabs(b.at.x - 0.002 * i) < 2e-3);
        assert_true(length(b.velocity) < 0.01);
    }
    within(look(world, 3).at.z - 0.1, 0.168, 0.171);
    rv_world_destroy(world);
}

// Two equal balls that meet head on exchange their speeds, and momentum is kept.
static void balls_exchange_their_speeds(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 60);
    s.def.params.gravity.z = 0, s.def.body_count = 2;
    for (int i = 0; i < 2; i++)
        s.body[i].restitution = 1, s.body[i].friction = 0,
        s.body[i].at = (rv_vec3){i ? 0.1 : -0.1, 0, 0.3};
    s.body[0].velocity.x = 1;
    rv_world *world = make(&s.def);
    run(world, 80, DT);
    near(look(world, 1).velocity.x, 1, 1e-9);
    assert_true(fabs(look(world, 0).velocity.x) < 1e-9);
    rv_world_destroy(world);
}

// ---- Nothing passes through anything ------------------------------------------------------------

// At 5 m/s and 3 ms a ball of 4 mm moves by 15 mm a step; the plate under it is 3 mm thick.
static void nothing_passes_a_thin_plate(void **state)
{
    (void)state;
    for (int box = 0; box < 2; box++)
        for (int way = 0; way < 4; way++) {
            small_world s;
            rv_solid_def solids[2];
            set_up(&s, 40);
            s.def.params.grid_dx = 1e-3, s.def.params.grid_top = 0.06;
            solids[0] = s.solid[0], solids[0].at.z = 5e-3;
            solids[1] = rv_default_solid_def();
            solids[1].at.z = 0.02, solids[1].size = (rv_vec3){0.1, 0.1, 3e-3};
            s.def.solids = solids, s.def.solid_count = 2;
            s.body[0].shape = box ? RV_BODY_BOX : RV_BODY_SPHERE;
            s.body[0].radius = 4e-3, s.body[0].size = (rv_vec3){8e-3, 6e-3, 7e-3};
            s.body[0].at = (rv_vec3){-5e-3, 0, 0.05};
            s.body[0].velocity = (rv_vec3){way * 1.0, 0, -5};
            s.body[0].spin = (rv_vec3){20.0 * way, 30, 0};
            rv_world *world = make(&s.def);
            for (int i = 0; i < 60; i++) {
                run(world, 1, DT);
                rv_body_state b = look(world, 0);
                assert_true(b.at.z > 0.0215 + 2e-3);
                assert_true(fabs(b.at.x) < 0.02 && fabs(b.at.y) < 0.02); // nor the walls
            }
            rv_world_destroy(world);
        }
}

static void a_thrown_ball_stays_between_walls(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 20);
    s.body[0].radius = 0.01, s.body[0].restitution = 1, s.body[0].friction = 0;
    s.body[0].velocity = (rv_vec3){5, 3, 0};
    s.def.body_count = 2, s.body[1].radius = 0.015, s.body[1].at.x = 0.04;
    s.body[1].velocity = (rv_vec3){-5, 0, -4};
    rv_world *world = make(&s.def);
    for (int i = 0; i < 300; i++) {
        run(world, 1, DT);
        for (int k = 0; k < 2; k++) {
            rv_body_state b = look(world, k);
            double r = 0.99 * s.body[k].radius;
            assert_true(fabs(b.at.x) <= 0.1 - r && fabs(b.at.y) <= 0.1 - r && b.at.z >= 0.1 + r);
        }
    }
    rv_world_destroy(world);
}

static void an_open_border_lets_it_go(void **state)
{
    small_world s;
    rv_stats stats;
    (void)state;
    set_up(&s, 20);
    s.def.params.border_east = RV_BORDER_OPEN;
    s.body[0].velocity.x = 2, s.def.body_count = 2, s.body[1].motion = RV_BODY_HELD;
    s.body[1].at = (rv_vec3){-0.05, 0, 0.3};
    rv_world *world = make(&s.def);
    rv_world_get_stats(world, &stats);
    assert_int_equal(stats.bodies, 2);
    run(world, 200, DT);
    rv_world_get_stats(world, &stats);
    assert_int_equal(stats.bodies, 1);
    assert_int_equal(rv_world_get_body(world, 0, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_body_count(world), 2);
    assert_true(look(world, 1).at.z == 0.3);
    rv_world_destroy(world);
}

// ---- In liquid ----------------------------------------------------------------------------------

// Let go near its draught it comes to rest displacing its own mass, and the liquid rises by that.
static void it_floats_by_archimedes(void **state)
{
    (void)state;
    for (int box = 0; box < 2; box++)
        for (double density = 250; density < 800; density += 250) {
            small_world s;
            set_up(&s, 40);
            fill_to(&s, 0.3);
            s.def.params.pipes_kept = 0.02;
            s.body[0].density = density, s.body[0].drag = 2;
            s.body[0].shape = box ? RV_BODY_BOX : RV_BODY_SPHERE;
            s.body[0].size = (rv_vec3){0.1, 0.08, 0.04}, s.body[0].at.z = 0.31;
            rv_world *world = make(&s.def);
            run(world, 1400, DT);
            rv_body_state b;
            double submerged = 0, force = 0; // over some seconds: it still bobs by a hair
            for (int i = 0; i < 600; i++) {
                run(world, 1, DT);
                b = look(world, 0);
                submerged += b.submerged / 600, force += b.force.z / 600;
            }
            double volume = box ? 0.1 * 0.08 * 0.04 : ball_volume(0.04);
            double mass = density * volume;
            near(submerged, mass / 1000, 0.02);
            near(force, mass * G, 0.002);
            rv_columns c;
            assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
            double rise = 0; // along the walls
            for (int x = 0; x < c.nx; x++)
                for (int side = 0; side < 4; side++) {
                    int across = side < 2 ? x : side == 2 ? 0 : c.nx - 1;
                    int along = side < 2 ? side * (c.ny - 1) : x;
                    size_t k = rv_slot(c.plane, across, along);
                    rise += ((double)c.base[k] + (double)c.depth[k] - 0.3) / (4 * c.nx);
                }
            near(rise, mass / 1000 / (0.4 * 0.4), 0.05);
            if (box)
                within(b.at.z - 0.3 - rise, 0.02 - 0.04 * density / 1000 - 1e-3,
                       0.02 - 0.04 * density / 1000 + 1e-3);
            rv_world_destroy(world);
        }
}

// Sum of the liquid's momentum along x, kg m/s. Velocities stand half a substep after the depths
// that a push counts with: `depth` is that of before the step, which has one substep; NULL: now's.
// With eight neighbours some of it goes along diagonals and is seen in the fluxes only.
static double liquid_momentum(const rv_world *world, const float *depth, bool eight)
{
    rv_columns c;
    double sum = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    if (!depth) depth = c.depth;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x + 1 < c.nx; x++) {
            size_t k = rv_slot(c.plane, x, y);
            double mean = 0.5 * ((double)depth[k] + (double)depth[k + 1]);
            sum += eight ? (double)c.flux_x[k] : mean * c.dx * (double)c.speed_x[k];
        }
    return 1000 * c.dx * sum;
}

// What a thrown ball loses the liquid gains, until waves reach a wall.
static void momentum_is_exchanged(void **state)
{
    (void)state;
    for (int eight = 0; eight < 2; eight++)
        for (int drag = 0; drag < 2; drag++) {
            small_world s;
            set_up(&s, 80);
            fill_to(&s, 0.3);
            s.def.params.pipes_neighbours = eight ? RV_NEIGHBOURS_EIGHT : RV_NEIGHBOURS_FOUR;
            s.body[0].drag = drag ? 0.5 : 0, s.body[0].at = (rv_vec3){-0.1, 0, 0.34};
            s.body[0].velocity.x = 1;
            rv_world *world = make(&s.def);
            double mass = 500 * ball_volume(0.04), liquid = 0;
            rv_columns c;
            rv_stats stats;
            assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
            float *before = malloc(c.slots * sizeof *before);
            for (int i = 0; i < 110; i++) {
                rv_world_get_columns(world, &c);
                memcpy(before, c.depth, c.slots * sizeof *before);
                assert_int_equal(rv_world_step(world, 0.5 * DT), RV_OK);
                assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
                assert_int_equal(stats.substeps, 1);
                liquid = liquid_momentum(world, before, eight);
                near(liquid + mass * look(world, 0).velocity.x, mass,
                     eight  ? 1.2e-2
                     : drag ? 2e-3
                            : 2e-4);
            }
            free(before);
            assert_true(liquid > 0.1 * mass); // and it was not little
            rv_world_destroy(world);
        }
}

// A ball dropped into still water: the liquid's energy and the ball's together never exceed the
// first.
static void the_liquid_gets_no_more_than_the_ball_had(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 40);
    fill_to(&s, 0.3);
    s.body[0].density = 3000;
    rv_world *world = make(&s.def);
    double volume = ball_volume(0.04), mass = 3000 * volume, floor = 0.14;
    double first = (mass - 1000 * volume) * G * (0.54 - floor) + 1000 * volume * G * 0.2;
    for (int i = 0; i < 500; i++) run(world, 1, DT);
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    double energy = 0, area = c.dx * c.dx;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) {
            size_t k = rv_slot(c.plane, x, y);
            double h = (double)c.base[k] + (double)c.depth[k] - 0.3, d = (double)c.depth[k];
            double u = (double)c.flux_x[k], v = (double)c.flux_y[k];
            energy += 0.5 * 1000 * G * h * h * area + 0.5 * 1000 * (u * u + v * v) / d;
        }
    assert_true(look(world, 0).resting);
    assert_true(energy < first);
    rv_world_destroy(world);
}

// A lake with a ball that lies on its ground, and one that floats at its draught, does not stir.
static void what_rests_stays_at_rest(void **state)
{
    small_world s;
    rv_stats stats;
    (void)state;
    set_up(&s, 40);
    fill_to(&s, 0.3);
    s.body[0].density = 2500, s.body[0].at = (rv_vec3){0, 0, 0.14};
    s.def.params.pipes_kept = 0.01;
    rv_world *world = make(&s.def);
    run(world, 1000, DT);
    rv_world_get_stats(world, &stats);
    rv_body_state b = look(world, 0);
    assert_true(length(b.velocity) < 1e-6 && b.resting);
    assert_true(fabs(b.at.x) < 1e-6 && fabs(b.at.y) < 1e-6);
    near(b.submerged, ball_volume(0.04), 1e-6);
    assert_true(stats.fastest < 1e-3);
    rv_world_destroy(world);
}

// The surface that is drawn closes over a sunken ball, though the liquid's own level there is
// lower.
static void the_surface_closes_over_it(void **state)
{
    small_world s;
    rv_surface *surface;
    rv_surface_mesh mesh;
    rv_columns c;
    (void)state;
    set_up(&s, 40);
    fill_to(&s, 0.3);
    s.body[0].density = 2500, s.body[0].at.z = 0.14, s.def.params.pipes_kept = 0.01;
    rv_world *world = make(&s.def);
    run(world, 1200, DT); // until it rests
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    uint64_t before = rv_world_hash(world);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    assert_true(rv_world_hash(world) == before);
    assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
    assert_true(mesh.vertex_count > 1000);
    for (size_t k = 0; k < mesh.vertex_count; k++)
        within((double)mesh.positions[3 * k + 2], 0.3, 0.303);
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    size_t middle = rv_slot(c.plane, 20, 20);
    within((double)c.base[middle] + (double)c.depth[middle], 0.22, 0.225);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// In honey the viscous drag decides: 6 π μ r v = (m - ρ V) g, whatever the step.
static void it_sinks_slowly_in_honey(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k *= 4) {
        small_world s;
        set_up(&s, 30);
        fill_to(&s, 0.55);
        s.def.params.liquid_viscosity = 0.05;
        s.body[0].radius = 0.02, s.body[0].density = 1500, s.body[0].drag = 0;
        s.body[0].at.z = 0.45;
        rv_world *world = make(&s.def);
        for (int i = 0; i < 200 / k; i++) assert_int_equal(rv_world_step(world, k * 2e-3), RV_OK);
        double exact = 500 * ball_volume(0.02) * G / (6 * PI * 1000 * 0.05 * 0.02);
        near(-look(world, 0).velocity.z, exact, 0.02);
        rv_world_destroy(world);
    }
}

// A body that the host drives: it goes where it is told, and its forces are those of a body there.
static void a_driven_body_tells_its_forces(void **state)
{
    small_world s;
    (void)state;
    set_up(&s, 40);
    fill_to(&s, 0.3);
    s.def.params.pipes_kept = 0.01;
    s.body[0].motion = RV_BODY_DRIVEN, s.body[0].at.z = 0.2;
    rv_world *world = make(&s.def);
    rv_body_state b = look(world, 0);
    for (int i = 0; i < 300; i++) {
        b.velocity = (rv_vec3){0, 0, 0};
        assert_int_equal(rv_world_set_body(world, 0, &b), RV_OK);
        run(world, 1, DT);
    }
    b = look(world, 0);
    assert_true(b.at.z == 0.2);
    near(b.force.z, 1000 * G * ball_volume(0.04), 1e-3);
    b.velocity.x = 0.5; // it is dragged against the way it goes
    assert_int_equal(rv_world_set_body(world, 0, &b), RV_OK);
    run(world, 3, DT);
    b = look(world, 0);
    near(b.at.x, 0.5 * 3 * DT, 1e-9);
    assert_true(b.force.x < 0 && liquid_momentum(world, NULL, false) > 0);
    rv_world_destroy(world);
}

// ---- Layers -------------------------------------------------------------------------------------

// Down the shipped scene's platforms, over the lip and through the hole, with liquid running beside
// it.
static void it_rolls_down_through_three_layers(void **state)
{
    rv_scene_file scene;
    rv_messages messages = {0};
    (void)state;
    assert_true(rv_scene_load(RV_SCENES_BUILD_DIR "/three-layers.yaml", &scene, &messages));
    rv_world_def def = rv_scene_world_def(&scene);
    rv_body_def ball = rv_default_body_def();
    ball.radius = 3e-3, ball.density = 2500, ball.restitution = 0.2;
    ball.at =
        (rv_vec3){-0.012, 0.010, 0.06}; // over the dish of the middle platform, which has a hole
    def.bodies = &ball, def.body_count = 1;
    rv_world *world = make(&def);
    double lowest = 1;
    for (int i = 0; i < 400; i++) {
        assert_int_equal(rv_world_step(world, 5e-3), RV_OK);
        rv_body_state b = look(world, 0);
        float distance;
        rv_world_distance(world, &b.at, 1, &distance);
        assert_true(distance > 2e-3f); // never in the solid
        lowest = fmin(lowest, b.at.z);
    }
    assert_true(lowest < 0.02); // it is down on the ground, under the platform
    rv_world_destroy(world);
    rv_scene_free(&scene);
}

// On a terrain of heights alone.
static void it_rolls_in_a_hollow_of_heights(void **state)
{
    enum { N = 40 };
    static float heights[N * N];
    small_world s;
    (void)state;
    set_up(&s, N);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            heights[y * N + x] =
                (float)(2.0 * (pow((x - 19.5) * 0.01, 2) + pow((y - 19.5) * 0.01, 2)));
    s.def.heights = heights, s.body[0].at = (rv_vec3){0.08, 0.02, 0.12};
    rv_world *world = make(&s.def);
    for (int i = 0; i < 600; i++) {
        run(world, 1, DT);
        rv_body_state b = look(world, 0);
        double r = hypot(b.at.x, b.at.y), bed = 2 * r * r;
        assert_true(r < 0.1); // it rolls to and fro, never higher than it was let go
        if (i > 100) within((b.at.z - bed) / sqrt(1 + 16 * r * r), 0.037, 0.042);
    }
    rv_world_destroy(world);
}

// ---- State --------------------------------------------------------------------------------------

static void crowd(small_world *s)
{
    set_up(s, 40);
    fill_to(s, 0.25);
    s->def.body_count = 8;
    for (int i = 0; i < 8; i++) {
        s->body[i].shape = i % 2 ? RV_BODY_BOX : RV_BODY_SPHERE;
        s->body[i].size = (rv_vec3){0.05, 0.06, 0.07}, s->body[i].radius = 0.03;
        s->body[i].density = 300 + 300 * i, s->body[i].rotate.x = i;
        s->body[i].at = (rv_vec3){-0.12 + 0.08 * (i % 4), i < 4 ? -0.06 : 0.05, 0.35 + 0.02 * i};
        s->body[i].velocity = (rv_vec3){0.3, 0.2 * i, 0};
    }
    s->body[7].start = 0.3;
}

static void a_restored_world_goes_on_bit_for_bit(void **state)
{
    small_world s;
    (void)state;
    crowd(&s);
    rv_world *a = make(&s.def), *b = make(&s.def);
    run(a, 120, DT);
    int added;
    assert_int_equal(rv_world_add_body(a, &s.body[2], &added, NULL), RV_OK);
    assert_int_equal(added, 8);
    assert_int_equal(rv_world_remove_body(a, 1), RV_OK);
    run(a, 20, DT);
    size_t size = rv_world_snapshot_size(a);
    unsigned char *buffer = malloc(size);
    assert_int_equal(rv_world_save(a, buffer, size), RV_OK);
    assert_int_equal(rv_world_restore(b, buffer, size, NULL), RV_OK);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    assert_int_equal(rv_world_body_count(b), 9);
    assert_int_equal(rv_world_get_body(b, 1, NULL, NULL), RV_BAD_ARGUMENT);
    run(a, 80, DT), run(b, 80, DT);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    buffer[size / 3] ^= 4;
    assert_int_equal(rv_world_restore(b, buffer, size, NULL), RV_BAD_DATA);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    free(buffer);
    rv_world_destroy(a), rv_world_destroy(b);
}

static void threads_change_nothing(void **state)
{
    uint64_t hash[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        small_world s;
        crowd(&s);
        s.def.pool = rv_pool_create(1 << k);
        rv_world *world = make(&s.def);
        run(world, 200, DT);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(s.def.pool);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

// ---- Bad input ----------------------------------------------------------------------------------

static void bad_bodies_are_told(void **state)
{
    small_world s;
    rv_world *world = NULL;
    rv_messages m = {0};
    (void)state;
    set_up(&s, 20);
    s.def.body_count = 3;
    s.body[0].radius = -1, s.body[1].at.x = 5, s.body[2].density = NAN;
    assert_int_equal(rv_world_create(&s.def, &world, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "bodies[0].radius"));
    assert_non_null(strstr(m.text, "bodies[1].at: (5, 0) lies outside the grid"));
    assert_non_null(strstr(m.text, "bodies[2].density"));
    set_up(&s, 20);
    s.def.params.terrain_keep = false;
    memset(&m, 0, sizeof m);
    assert_int_equal(rv_world_create(&s.def, &world, &m), RV_BAD_ARGUMENT);
    assert_string_equal(m.text, "terrain.keep: must be true where there are bodies");
    set_up(&s, 20);
    world = make(&s.def);
    rv_body_state b = look(world, 0);
    b.at.x = NAN;
    assert_int_equal(rv_world_set_body(world, 0, &b), RV_BAD_ARGUMENT);
    b = look(world, 0);
    memset(b.turn, 0, sizeof b.turn);
    assert_int_equal(rv_world_set_body(world, 0, &b), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_set_body(world, 1, &b), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_remove_body(world, -1), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_add_body(world, NULL, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_body_count(NULL), 0);
    rv_world_destroy(world);
}

static void bad_bodies_of_files_are_told(void **state)
{
    static const char text[] = "solids: [{shape: plane}]\n"
                               "bodies:\n"
                               "  - {shape: sphere, radius: 1 cm, at: 1 0 0, size: 1 1 1 cm}\n"
                               "  - {shape: box, at: 0 0 1 cm}\n"
                               "  - {shape: ball, at: 0 0 1 cm}\n"
                               "  - {shape: sphere, radius: 1 cm, weight: 3}\n";
    rv_scene_file scene;
    rv_messages m = {0};
    (void)state;
    assert_false(rv_scene_load_memory(text, sizeof text - 1, "t.yaml", &scene, &m));
    assert_non_null(strstr(m.text, "t.yaml:3: bodies[0].size: "));
    assert_non_null(strstr(m.text, "t.yaml:4: bodies[1].size: missing"));
    assert_non_null(strstr(m.text, "t.yaml:5: bodies[2].shape: "));
    assert_non_null(strstr(m.text, "t.yaml:6: bodies[3].weight: "));
    static const char outside[] = "solids: [{shape: plane}]\n"
                                  "bodies: [{shape: sphere, radius: 1 cm, at: 1 0 0}]\n";
    memset(&m, 0, sizeof m);
    assert_false(rv_scene_load_memory(outside, sizeof outside - 1, "t.yaml", &scene, &m));
    assert_non_null(strstr(m.text, "t.yaml:2: bodies[0].at: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_falls_as_all_things_fall),
        cmocka_unit_test(it_bounces_by_its_restitution),
        cmocka_unit_test(it_rolls_and_slides_down_slopes),
        cmocka_unit_test(a_tumbling_box_gains_no_energy),
        cmocka_unit_test(a_dropped_box_comes_to_rest),
        cmocka_unit_test(a_stack_stands),
        cmocka_unit_test(balls_exchange_their_speeds),
        cmocka_unit_test(nothing_passes_a_thin_plate),
        cmocka_unit_test(a_thrown_ball_stays_between_walls),
        cmocka_unit_test(an_open_border_lets_it_go),
        cmocka_unit_test(it_floats_by_archimedes),
        cmocka_unit_test(momentum_is_exchanged),
        cmocka_unit_test(the_liquid_gets_no_more_than_the_ball_had),
        cmocka_unit_test(what_rests_stays_at_rest),
        cmocka_unit_test(the_surface_closes_over_it),
        cmocka_unit_test(it_sinks_slowly_in_honey),
        cmocka_unit_test(a_driven_body_tells_its_forces),
        cmocka_unit_test(it_rolls_down_through_three_layers),
        cmocka_unit_test(it_rolls_in_a_hollow_of_heights),
        cmocka_unit_test(a_restored_world_goes_on_bit_for_bit),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(bad_bodies_are_told),
        cmocka_unit_test(bad_bodies_of_files_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
