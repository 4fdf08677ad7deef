// Spray: free flight against closed forms; where droplets land and what they meet; that no volume
// is made or lost, whatever happens; that it changes nothing where it is off; threads, snapshots,
// a full pool, bad input.
#include "base/hash.h"
#include "small_worlds.h"
#include "spray/spray.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
#define DT 5e-3
#define DROP 1e-9 // m³

// ---- Help ---------------------------------------------------------------------------------------

static rv_droplets look(const rv_world *world)
{
    rv_droplets d;
    assert_int_equal(rv_world_get_droplets(world, &d), RV_OK);
    return d;
}

static double depth_at(const rv_world *world, double x, double y, double z)
{
    rv_sample sample;
    rv_vec3 p = {x, y, z};
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    int i = (int)floor((x - c.x0) / c.dx), j = (int)floor((y - c.y0) / c.dx);
    rv_world_sample(world, &p, 1, &sample);
    assert_true(sample.inside);
    return (double)c.depth[rv_slot(&c.plane[sample.layer], i, j)];
}

// ---- Flight -------------------------------------------------------------------------------------

static void it_flies_along_a_parabola(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    rv_world *world = make(&s.def);
    rv_vec3 at = {-0.15, 0.1, 0.2}, v = {0.5, -0.3, 2.0};
    assert_true(rv_world_throw(world, at, v, DROP) == DROP);
    run(world, 70, DT); // up to 0.4 m, and down again
    double t = 70 * DT;
    rv_droplets d = look(world);
    assert_int_equal(d.count, 1);
    near(d.at[0].x, at.x + v.x * t, 1e-9);
    near(d.at[0].y, at.y + v.y * t, 1e-9);
    near(d.at[0].z, at.z + v.z * t - 0.5 * G * t * t, 1e-9);
    near(d.velocity[0].z, v.z - G * t, 1e-9);
    near(d.radius[0], cbrt(3 * DROP / (4 * 3.14159265358979323846)), 1e-12);
    near(stats_of(world).airborne, DROP, 1e-12);
    rv_world_destroy(world);
}

// From rest with quadratic drag: v = c tanh(g t / c), c² = 8 r g ρ / (3 Cd ρ_air); and it falls
// c²/g ln cosh(g t / c).
static void air_slows_it_down(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    s.def.params.spray_drag = 0.47, s.def.params.grid_top = 40;
    s.def.params.grid_stretch = 20, s.def.params.grid_nx = s.def.params.grid_ny = 5;
    rv_world *world = make(&s.def);
    double r = 1e-3, c = sqrt(8 * r * G * 1000 / (3 * 0.47 * 1.2)), z = 39;
    assert_true(rv_world_throw(world, (rv_vec3){0, 0, z}, (rv_vec3){0, 0, 0}, rv_ball_volume(r)) >
                0);
    for (int n = 1; n <= 8; n++) {
        run(world, 100, DT);
        double t = 100 * n * DT;
        rv_droplets d = look(world);
        assert_int_equal(d.count, 1);
        near(-d.velocity[0].z, c * tanh(G * t / c), 1e-4);
        near(z - d.at[0].z, c * c / G * log(cosh(G * t / c)), 1e-4);
    }
    rv_world_destroy(world);
}

// ---- Landing ------------------------------------------------------------------------------------

static void a_horizontal_throw_lands_where_it_must(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    rv_world *world = make(&s.def);
    double u = 1.1, h = 0.3, x = -0.195 + u * sqrt(2 * h / G);
    assert_true(rv_world_throw(world, (rv_vec3){-0.195, 0.005, 0.1 + h}, (rv_vec3){u, 0, 0}, DROP) >
                0);
    double first = balance(world);
    run(world, (int)(sqrt(2 * h / G) / DT), DT); // not yet
    assert_int_equal(look(world).count, 1);
    run(world, 1, DT);
    assert_int_equal(look(world).count, 0);
    near(depth_at(world, x, 0.005, 0.3) * 1e-4, DROP, 1e-6);
    near(stats_of(world).volume, DROP, 1e-6);
    assert_true(fabs(balance(world) - first) < 1e-18);
    rv_world_destroy(world);
}

static void it_lands_on_liquid_and_pushes_it(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    s.fill[0].level = 0.15, s.def.fill_count = 1;
    s.def.params.spray_speed = 100; // it would splash
    rv_world *world = make(&s.def);
    double first = balance(world);
    assert_true(rv_world_throw(world, (rv_vec3){-0.1, 0, 0.2}, (rv_vec3){2, 0, 0}, 1e-6) > 0);
    double t = sqrt(2 * 0.05 / G);
    run(world, (int)(t / DT) - 1, DT);
    assert_int_equal(look(world).count, 1);
    run(world, 3, DT);
    assert_int_equal(look(world).count, 0);
    near(balance(world), first, 1e-9);
    rv_columns c;
    rv_world_get_columns(world, &c);
    double flux = 0; // m³/s
    for (size_t i = 0; i < c.slots; i++) flux += (double)c.flux_x[i];
    near(flux * c.dx, 2 * 1e-6, 0.1); // the volume times the velocity, less a little of friction
    rv_world_destroy(world);
}

// A wall in the way, a slab over its head, and the walls of the grid.
static void solids_stop_it(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    s.solid[1].shape = RV_SHAPE_BOX, s.solid[1].at = (rv_vec3){0.05, 0, 0.3};
    s.solid[1].size = (rv_vec3){0.02, 0.5, 0.5};
    s.solid[2].shape = RV_SHAPE_BOX, s.solid[2].at = (rv_vec3){-0.1, 0, 0.4};
    s.solid[2].size = (rv_vec3){0.1, 0.5, 0.04};
    s.def.solid_count = 3;
    s.def.params.spray_edges = false; // what runs off the slab later
    rv_world *world = make(&s.def);
    assert_true(rv_world_throw(world, (rv_vec3){0, 0, 0.2}, (rv_vec3){9, 0, 1}, DROP) > 0);
    assert_true(rv_world_throw(world, (rv_vec3){0, 0.1, 0.2}, (rv_vec3){0, 9, 1}, DROP) > 0);
    assert_true(rv_world_throw(world, (rv_vec3){-0.1, 0.1, 0.3}, (rv_vec3){0, 0, 9}, DROP) > 0);
    for (int n = 0; n < 100; n++) {
        run(world, 1, DT);
        rv_droplets d = look(world);
        for (int i = 0; i < d.count; i++) {
            float distance;
            rv_world_distance(world, &d.at[i], 1, &distance);
            assert_true(distance > -1e-4f);
            assert_true(d.at[i].x < 0.04 && d.at[i].y < 0.2);
            if (d.at[i].x < -0.05) assert_true(d.at[i].z < 0.3801);
        }
    }
    assert_int_equal(look(world).count, 0);
    near(balance(world) + stats_of(world).sourced, 3 * DROP, 1e-6);
    assert_true(rv_world_throw(world, (rv_vec3){0.05, 0, 0.3}, (rv_vec3){0, 0, 0}, DROP) == 0);
    rv_world_destroy(world);
}

static void it_leaves_over_an_open_border(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    s.def.params.border_east = RV_BORDER_OPEN;
    rv_world *world = make(&s.def);
    rv_world_throw(world, (rv_vec3){0.1, 0, 0.5}, (rv_vec3){3, 0, 0}, DROP);
    rv_world_throw(world, (rv_vec3){-0.1, 0, 0.5}, (rv_vec3){-3, 0, 0}, DROP);
    run(world, 100, DT);
    rv_stats st = stats_of(world);
    assert_int_equal(st.droplets, 0);
    near(st.drained, DROP, 1e-12);
    near(st.volume, DROP, 1e-6);
    rv_world_destroy(world);
}

// A pit that is full to its ceiling takes nothing: the droplet stays, and so does its volume.
static void what_finds_no_room_stays(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    s.def.params.grid_nx = s.def.params.grid_ny = 3;
    s.fill[0].level = 0.5999, s.def.fill_count = 1;
    rv_world *world = make(&s.def);
    double first = balance(world), room = 9e-4 * 1e-4;
    assert_true(rv_world_throw(world, (rv_vec3){0, 0, 0.7}, (rv_vec3){0, 0, 0}, 2 * room) > 0);
    run(world, 100, DT);
    assert_int_equal(look(world).count, 1);
    assert_true(stats_of(world).airborne > 0.9 * room);
    near(balance(world), first, 1e-7);
    rv_world_destroy(world);
}

// Terrain that comes where a droplet is lifts it out.
static void terrain_may_change_around_it(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    rv_world *world = make(&s.def);
    rv_solid_def tool = rv_default_solid_def();
    tool.shape = RV_SHAPE_BOX, tool.size = (rv_vec3){0.1, 0.1, 0.1};
    rv_event_def edit = rv_default_event_def();
    edit.kind = RV_EVENT_ADD, edit.tool = &tool, edit.tool_count = 1;
    tool.at = (rv_vec3){0, 0, 0.3};
    rv_world_throw(world, (rv_vec3){0.005, 0.005, 0.3}, (rv_vec3){0, 0, 0}, DROP);
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    run(world, 1, DT);
    assert_int_equal(look(world).count, 0);
    near(depth_at(world, 0.005, 0.005, 0.5) * 1e-4, DROP, 1e-6); // on top of it
    rv_world_destroy(world);
}

// ---- Splashes -----------------------------------------------------------------------------------

// Runs a splash and checks it at each step; returns the most droplets there were at a time.
static int splash(rv_world *world, int steps, double *highest)
{
    double first = balance(world), start = stats_of(world).volume;
    int most = 0;
    *highest = 0;
    for (int n = 0; n < steps; n++) {
        run(world, 1, DT);
        rv_stats s = stats_of(world);
        rv_droplets d = look(world);
        assert_int_equal(s.droplets, d.count);
        assert_int_equal(s.not_finite, 0);
        double off = fabs(balance(world) - first) / (start + s.sourced);
        if (!(off < 1e-6)) fail_msg("step %d: volume is off by %g of it", n, off);
        if (d.count > most) most = d.count;
        for (int i = 0; i < d.count; i++) *highest = fmax(*highest, d.at[i].z);
    }
    return most;
}

static void a_collapsing_block_splashes(void **state)
{
    (void)state;
    for (int area = RV_AREA_WET; area <= RV_AREA_CELL; area++) {
        small_world s;
        double highest;
        small_collapse(&s);
        s.def.params.pipes_area = (rv_area)area;
        rv_world *world = make(&s.def);
        int most = splash(world, 2000, &highest);
        assert_true(most > 20);
        // over what is at rest, and under what the fastest reach from the top of the block, with
        // the spread
        double fastest = s.def.params.spray_fastest * (1 + s.def.params.spray_spread);
        assert_true(highest > 0.2 && highest < 0.33 + fastest * fastest / (2 * G));
        assert_int_equal(look(world).count, 0); // it is over
        rv_world_destroy(world);
    }
}

// However far a droplet flies in a step, and however thin what stands in its way.
static void fast_droplets_do_not_pass_thin_bodies(void **state)
{
    (void)state;
    for (int speed = 30; speed <= 480; speed *= 2) {
        small_world s;
        small_spray(&s);
        s.body[0].shape = RV_BODY_BOX, s.body[0].motion = RV_BODY_DRIVEN;
        s.body[0].size = (rv_vec3){0.2, 0.2, 5e-4}, s.body[0].at.z = 0.3;
        s.body[1] = s.body[0], s.body[1].at.z = 0.2; // the upper one is met first
        s.def.body_count = 2;
        rv_world *world = make(&s.def);
        run(world, 1, 0.01);
        assert_true(rv_world_throw(world, (rv_vec3){0.013, 0.007, 0.5},
                                   (rv_vec3){0, 0, -(double)speed}, 1e-9) > 0);
        run(world, 1, 0.01);
        rv_droplets d = look(world);
        assert_int_equal(d.count, 1);
        assert_true(d.at[0].z >= 0.3);
        rv_world_destroy(world);
    }
}

// A body across the grid's side leads no droplet out through a wall, and what it leads out through
// an open side is drained: whatever flies is over the grid, so that a snapshot can be taken.
static void bodies_at_a_side_keep_droplets_in(void **state)
{
    (void)state;
    for (int open = 0; open < 2; open++) {
        small_world s;
        small_spray(&s);
        s.def.params.border_east = open ? RV_BORDER_OPEN : RV_BORDER_WALL;
        double side = 0.5 * s.def.params.grid_nx * s.def.params.grid_dx;
        s.body[0].shape = RV_BODY_SPHERE, s.body[0].motion = RV_BODY_DRIVEN;
        s.body[0].radius = 0.1, s.body[0].at = (rv_vec3){side - 0.01, 0, 0.3};
        s.def.body_count = 1;
        rv_world *world = make(&s.def);
        double first = balance(world);
        rv_vec3 within = {side - 0.001, 0, 0.3};
        assert_true(rv_world_throw(world, within, (rv_vec3){0, 0, 1}, 1e-9) > 0);
        run(world, 1, DT);
        rv_droplets d = look(world);
        assert_int_equal(d.count, open ? 0 : 1);
        if (!open) assert_true(d.at[0].x < side);
        near(balance(world), first, 1e-7);
        rv_world_destroy(world);
    }
}

static void a_ball_makes_a_crown(void **state)
{
    small_world s;
    double highest;
    (void)state;
    small_spray(&s);
    s.def.params.pipes_area = RV_AREA_CELL, s.def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
    s.fill[0].level = 0.25, s.def.fill_count = 1;
    s.body[0].radius = 0.05, s.body[0].density = 4000, s.body[0].at.z = 0.5,
    s.body[0].velocity.z = -2;
    s.def.body_count = 1;
    rv_world *world = make(&s.def);
    double first = balance(world);
    rv_vec3 away = {0, 0, 0};
    int most = 0;
    for (int n = 0; n < 400; n++) {
        run(world, 1, DT);
        rv_droplets d = look(world);
        near(balance(world), first, 1e-7);
        if (d.count <= most) continue;
        most = d.count, away = (rv_vec3){0, 0, 0};
        for (int i = 0; i < d.count; i++) {
            double r = hypot(d.at[i].x, d.at[i].y);
            away.x += (d.velocity[i].x * d.at[i].x + d.velocity[i].y * d.at[i].y) / r;
        }
    }
    assert_true(most > 20);
    assert_true(away.x > 0); // outward, taken all together
    splash(world, 400, &highest);
    assert_int_equal(look(world).count, 0);
    rv_world_destroy(world);
}

// Droplets take their energy from the flow: that of the heights and of the droplets together is
// never more than the block had at first.
static double energy_of(const rv_world *world) // over the density, m⁵/s²
{
    rv_columns c;
    rv_world_get_columns(world, &c);
    double energy = 0;
    for (int y = 0; y < c.ny; y++) {
        for (int x = 0; x < c.nx; x++) {
            double h = (double)c.depth[rv_slot(&c.plane[0], x, y)];
            energy += 0.5 * G * h * h * c.dx * c.dx;
        }
    }
    rv_droplets d = look(world);
    for (int i = 0; i < d.count; i++) {
        rv_vec3 v = d.velocity[i];
        energy += rv_ball_volume(d.radius[i]) *
                  (G * (d.at[i].z - 0.1) + 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z));
    }
    return energy;
}

static void no_energy_from_nothing(void **state)
{
    (void)state;
    for (int area = RV_AREA_WET; area <= RV_AREA_CELL; area++) {
        small_world s;
        small_collapse(&s);
        s.def.params.pipes_area = (rv_area)area, s.def.params.pipes_kept = 1;
        s.def.params.spray_speed = 0.1, s.def.params.spray_share = 1;
        rv_world *world = make(&s.def);
        double start = energy_of(world);
        for (int n = 0; n < 400; n++) {
            run(world, 1, DT);
            assert_true(energy_of(world) <= start);
        }
        rv_world_destroy(world);
    }
}

// ---- Edges --------------------------------------------------------------------------------------

static void liquid_falls_from_a_table(void **state)
{
    small_world s;
    double highest;
    (void)state;
    small_table(&s);
    rv_world *world = make(&s.def);
    rv_world_info info;
    rv_world_get_info(world, &info);
    assert_int_equal(info.layers, 2);
    int most = splash(world, 400, &highest);
    assert_true(most > 50);
    assert_true(highest < 0.45);
    // what runs over the edge is in the air for the time it falls from there
    rv_stats st = stats_of(world);
    double t = sqrt(2 * 0.24 / G);
    near(st.airborne, s.source.rate * t, 0.25);
    rv_world_destroy(world);
}

// The first liquid arrives below after the time of the fall, not at once.
static void it_takes_its_time(void **state)
{
    (void)state;
    double arrived[2] = {0, 0};
    for (int edges = 0; edges < 2; edges++) {
        small_world s;
        small_table(&s);
        s.def.params.spray_edges = edges == 1;
        rv_world *world = make(&s.def);
        for (int n = 0; n < 400 && arrived[edges] == 0; n++) {
            run(world, 1, DT);
            for (double x = -0.195; x < 0.2; x += 0.01)
                if (depth_at(world, x, 0.005, 0.2) > 1e-5) arrived[edges] = stats_of(world).time;
        }
        rv_world_destroy(world);
    }
    double late = arrived[1] - arrived[0], fall = sqrt(2 * 0.26 / G);
    assert_true(late > 0.95 * fall && late < fall + 0.1); // a drop grows before it falls
}

// The edge of a block that stands on the floor lies within one layer.
static void liquid_falls_from_a_cliff(void **state)
{
    small_world s;
    double highest;
    (void)state;
    small_table(&s);
    s.solid[1].at.z = 0.2, s.solid[1].size.z = 0.32;
    rv_world *world = make(&s.def);
    rv_world_info info;
    rv_world_get_info(world, &info);
    assert_int_equal(info.layers, 1);
    assert_true(splash(world, 400, &highest) > 50);
    near(stats_of(world).airborne, s.source.rate * sqrt(2 * 0.24 / G), 0.25);
    rv_world_destroy(world);
}

// A trickle becomes drops; when it ends the last one falls too.
static void a_trickle_drips(void **state)
{
    small_world s;
    (void)state;
    small_table(&s);
    s.source.rate = 2e-6, s.source.stop = 2;
    s.def.params.liquid_tension = 0; // else all of it stays on the table as a puddle
    rv_world *world = make(&s.def);
    double first = balance(world);
    int64_t seen = 0;
    for (int n = 0; n < 1200; n++) {
        run(world, 1, DT);
        seen += look(world).count;
        assert_true(fabs(balance(world) - first) < 1e-6 * 4e-6);
    }
    assert_true(seen > 100);
    rv_droplets d = look(world);
    rv_stats st = stats_of(world);
    assert_true(d.count < 40 && st.airborne < 0.05 * st.volume);
    rv_world_destroy(world);
}

// ---- Off, full, threads, snapshots --------------------------------------------------------------

static void off_is_as_before(void **state)
{
    small_world s;
    (void)state;
    small_collapse(&s);
    s.def.params.spray_on = false;
    rv_world *a = make(&s.def);
    s.def.params.spray_on = true, s.def.params.spray_speed = 1000, s.def.params.spray_edges = false;
    rv_world *b = make(&s.def);
    assert_true(rv_world_throw(a, (rv_vec3){0, 0, 0.5}, (rv_vec3){0, 0, 0}, DROP) == 0);
    run(a, 200, DT), run(b, 200, DT);
    assert_int_equal(stats_of(a).droplets, 0);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    rv_world_destroy(a), rv_world_destroy(b);
}

static void a_full_pool_loses_nothing(void **state)
{
    (void)state;
    for (int table = 0; table < 2; table++) {
        small_world s;
        double highest;
        if (table)
            small_table(&s);
        else
            small_collapse(&s);
        s.def.params.spray_droplets = 7;
        rv_world *world = make(&s.def);
        assert_int_equal(splash(world, 400, &highest), 7);
        assert_true(stats_of(world).refused > 0);
        rv_world_destroy(world);
    }
}

static void switched_off_they_come_down(void **state)
{
    small_world s;
    rv_messages m = {0};
    (void)state;
    small_table(&s);
    rv_world *world = make(&s.def);
    run(world, 200, DT);
    assert_true(look(world).count > 0);
    double first = balance(world);
    rv_params p = *rv_world_params(world);
    p.spray_on = false;
    assert_int_equal(rv_world_set_params(world, &p, &m), RV_OK);
    run(world, 400, DT);
    assert_int_equal(look(world).count, 0);
    assert_true(fabs(balance(world) - first) < 1e-10);
    p.spray_on = true, p.spray_droplets = 40000; // and on again, with more room
    assert_int_equal(rv_world_set_params(world, &p, &m), RV_OK);
    run(world, 100, DT);
    assert_true(look(world).count > 0);
    p.spray_smallest = 2, p.spray_largest = 1;
    assert_int_equal(rv_world_set_params(world, &p, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "spray.smallest"));
    rv_world_destroy(world);
}

static void threads_do_not_matter(void **state)
{
    uint64_t hash[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        small_world s;
        small_table(&s);
        s.fill[0].level = 0.25, s.def.fill_count = 1;
        s.source.rate = 1e-3, s.def.params.spray_speed = 0.1, s.def.params.spray_largest = 0.2;
        s.def.pool = rv_pool_create(1 << k);
        rv_world *world = make(&s.def);
        run(world, 150, DT);
        assert_true(look(world).count > 300); // more than one task
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(s.def.pool);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void the_seed_decides(void **state)
{
    uint64_t hash[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        small_world s;
        small_collapse(&s);
        s.def.params.seed = k == 2 ? 2 : 1;
        rv_world *world = make(&s.def);
        run(world, 200, DT);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
}

static void a_snapshot_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int table = 0; table < 2; table++) {
        small_world s;
        if (table)
            small_table(&s);
        else
            small_collapse(&s);
        rv_world *a = make(&s.def), *b = make(&s.def);
        int tried = 0;
        while (look(a).count < 10 && tried++ < 400) run(a, 1, DT);
        assert_true(look(a).count >= 10);
        size_t size = rv_world_snapshot_size(a);
        unsigned char *saved = malloc(size);
        assert_non_null(saved);
        assert_int_equal(rv_world_save(a, saved, size), RV_OK);
        run(b, 7, DT);
        assert_int_equal(rv_world_restore(b, saved, size, NULL), RV_OK);
        assert_true(rv_world_hash(a) == rv_world_hash(b));
        run(a, 150, DT), run(b, 150, DT);
        assert_true(rv_world_hash(a) == rv_world_hash(b));
        near(balance(b), balance(a), 1e-15);
        // into a world whose pool is smaller, or that has none
        s.def.params.spray_droplets = 2, s.def.params.spray_on = table == 1;
        rv_world *c = make(&s.def);
        assert_int_equal(rv_world_restore(c, saved, size, NULL), RV_OK);
        assert_true(look(c).count >= 10);
        run(c, 300, DT);
        rv_world_destroy(a), rv_world_destroy(b), rv_world_destroy(c);
        free(saved);
    }
}

// A droplet that cannot be, in a snapshot whose checksum is right.
static void a_damaged_snapshot_is_refused(void **state)
{
    small_world s;
    (void)state;
    small_spray(&s);
    rv_world *world = make(&s.def);
    const rv_vec3 at = {0.0123456789, 0.1, 0.4};
    assert_true(rv_world_throw(world, at, (rv_vec3){0, 0, 0}, DROP) > 0);
    size_t size = rv_world_snapshot_size(world), place = 0;
    unsigned char *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(rv_world_save(world, saved, size), RV_OK);
    for (size_t i = 0; i + sizeof at <= size; i++)
        if (memcmp(saved + i, &at, sizeof at) == 0) place = i;
    assert_true(place > 0);
    const double bad[] = {1e300, 0.3, (double)NAN, (double)INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        memcpy(saved + place, &bad[k], sizeof bad[k]);
        uint64_t sum = rv_hash_bytes(RV_HASH_START, saved, size - sizeof sum);
        memcpy(saved + size - sizeof sum, &sum, sizeof sum);
        assert_int_equal(rv_world_restore(world, saved, size, NULL), RV_BAD_DATA);
    }
    assert_int_equal(look(world).count, 1);
    free(saved);
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
    for (int table = 0; table < 2; table++) {
        small_world s;
        if (table)
            small_table(&s);
        else
            small_collapse(&s);
        s.def.allocator = (rv_allocator){count_and_allocate, release, NULL};
        rv_world *world = make(&s.def);
        run(world, 1, DT);
        allocations = 0;
        run(world, 200, DT);
        assert_true(look(world).count > 0);
        assert_int_equal(allocations, 0);
        rv_world_destroy(world);
    }
}

static void bad_calls_are_refused(void **state)
{
    small_world s;
    rv_droplets d;
    rv_messages m = {0};
    (void)state;
    small_spray(&s);
    rv_world *world = make(&s.def);
    rv_vec3 at = {0, 0, 0.3}, still = {0, 0, 0};
    assert_int_equal(rv_world_get_droplets(NULL, &d), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_get_droplets(world, NULL), RV_BAD_ARGUMENT);
    assert_true(rv_world_throw(NULL, at, still, DROP) == 0);
    assert_true(rv_world_throw(world, at, still, 0) == 0);
    assert_true(rv_world_throw(world, at, still, -1) == 0);
    assert_true(rv_world_throw(world, at, still, (double)NAN) == 0);
    assert_true(rv_world_throw(world, (rv_vec3){(double)NAN, 0, 0.3}, still, DROP) == 0);
    assert_true(rv_world_throw(world, at, (rv_vec3){0, 0, (double)INFINITY}, DROP) == 0);
    assert_true(rv_world_throw(world, (rv_vec3){5, 0, 0.3}, still, DROP) == 0);
    assert_true(rv_world_throw(world, (rv_vec3){0, 0, 0.05}, still, DROP) == 0);
    assert_int_equal(look(world).count, 0);
    rv_world_destroy(world);
    s.def.params.spray_smallest = 1;
    assert_int_equal(rv_world_create(&s.def, &world, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "spray.smallest"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_flies_along_a_parabola),
        cmocka_unit_test(air_slows_it_down),
        cmocka_unit_test(a_horizontal_throw_lands_where_it_must),
        cmocka_unit_test(it_lands_on_liquid_and_pushes_it),
        cmocka_unit_test(solids_stop_it),
        cmocka_unit_test(it_leaves_over_an_open_border),
        cmocka_unit_test(what_finds_no_room_stays),
        cmocka_unit_test(terrain_may_change_around_it),
        cmocka_unit_test(a_collapsing_block_splashes),
        cmocka_unit_test(fast_droplets_do_not_pass_thin_bodies),
        cmocka_unit_test(bodies_at_a_side_keep_droplets_in),
        cmocka_unit_test(a_ball_makes_a_crown),
        cmocka_unit_test(no_energy_from_nothing),
        cmocka_unit_test(liquid_falls_from_a_table),
        cmocka_unit_test(it_takes_its_time),
        cmocka_unit_test(liquid_falls_from_a_cliff),
        cmocka_unit_test(a_trickle_drips),
        cmocka_unit_test(off_is_as_before),
        cmocka_unit_test(a_full_pool_loses_nothing),
        cmocka_unit_test(switched_off_they_come_down),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(a_snapshot_goes_on_bit_for_bit),
        cmocka_unit_test(a_damaged_snapshot_is_refused),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
