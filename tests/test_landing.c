// Particles over columns: what emitters give, how it flies, lands and presses, and the surface that
// is drawn of it.
#include "small_worlds.h"

#include "surface/blobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979324

// A floor of 48 × 48 cells of 2 mm, without friction, and a jet of 8 mm over it.
static void small_jet(small_world *s, rv_vec3 velocity)
{
    small_grid(s, RV_SOLVER_PIPES, 48, 48, 2e-3);
    rv_params *p = &s->def.params;
    p->grid_top = 0.08, p->liquid_viscosity = 0, p->tension_on = false, p->pipes_kept = 1;
    p->spray_impact = true, p->spray_drag = 0;
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = 5e-3;
    s->def.solid_count = 1;
    s->emitter.kind = RV_EMITTER_JET, s->emitter.radius = 8e-3, s->emitter.velocity = velocity;
    s->emitter.at = (rv_vec3){0, 0, 0.02};
    s->def.emitter_count = 1;
}

// All that came in is there, to a millionth.
static void expect_balanced(const rv_world *world)
{
    assert_true(fabs(balance(world)) < 1e-6 * stats_of(world).sourced);
}

static double speed_outward(const rv_world *world, double low, double high)
{
    rv_columns c;
    double sum = 0, all = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) {
            double px = c.x0 + (x + 0.5) * c.dx, py = c.y0 + (y + 0.5) * c.dx, r = hypot(px, py);
            size_t slot = c.plane[0].offset + (size_t)y * (size_t)c.plane[0].pitch + (size_t)x;
            float u[2];
            if (r < low || r >= high) continue;
            rv_world_get_column_velocity(world, slot, u);
            sum += (double)c.depth[slot] * ((double)u[0] * px + (double)u[1] * py) / r;
            all += (double)c.depth[slot];
        }
    return all > 0 ? sum / all : 0;
}

// Volume times velocity along x, m⁴/s.
static double momentum_of(const rv_world *world)
{
    rv_columns c;
    rv_droplets d;
    double sum = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x + 1 < c.nx; x++) {
            size_t slot = c.plane[0].offset + (size_t)y * (size_t)c.plane[0].pitch + (size_t)x;
            double deep = 0.5 * ((double)c.depth[slot] + (double)c.depth[slot + 1]);
            sum += deep * (double)c.speed_x[slot] * c.dx * c.dx;
        }
    assert_int_equal(rv_world_get_droplets(world, &d), RV_OK);
    for (int i = 0; i < d.count; i++) sum += 4 * PI / 3 * pow(d.radius[i], 3) * d.velocity[i].x;
    return sum;
}

// ---- What emitters give -------------------------------------------------------------------------

static void a_jet_brings_its_flow(void **state)
{
    (void)state;
    small_world s;
    small_jet(&s, (rv_vec3){0, 0, -2});
    rv_world *world = make(&s.def);
    run(world, 50, 2e-3);
    near(stats_of(world).sourced, PI * 8e-3 * 8e-3 * 2 * 0.1, 0.01);
    expect_balanced(world);
    assert_true(stats_of(world).airborne > 0);
    rv_world_destroy(world);
}

static void drops_and_blocks_have_their_volume(void **state)
{
    (void)state;
    small_world s;
    const double drop = 4 * PI / 3 * 5e-3 * 5e-3 * 5e-3;
    small_jet(&s, (rv_vec3){0, 0, 0});
    s.emitter.kind = RV_EMITTER_DROP, s.emitter.radius = 5e-3, s.emitter.at.z = 0.05;
    rv_world *world = make(&s.def);
    near(stats_of(world).airborne, drop, 1e-9);
    assert_true(stats_of(world).droplets > 50);
    run(world, 100, 2e-3);
    rv_stats now = stats_of(world);
    assert_int_equal(now.droplets, 0);
    near(now.volume + now.airborne, drop, 1e-6);
    rv_world_destroy(world);
    s.emitter.kind = RV_EMITTER_BLOCK, s.emitter.from = (rv_vec3){-0.01, -0.01, 0.03};
    s.emitter.to = (rv_vec3){0.01, 0.01, 0.04};
    world = make(&s.def);
    near(stats_of(world).airborne, 0.02 * 0.02 * 0.01, 1e-9);
    rv_world_destroy(world);
    s.emitter.kind = RV_EMITTER_RAIN, s.emitter.radius = 1e-3, s.emitter.rate = 1e-6;
    world = make(&s.def);
    run(world, 500, 2e-3);
    near(stats_of(world).sourced, 1e-6, 0.01);
    expect_balanced(world);
    rv_world_destroy(world);
}

// A stream is narrower where it is faster, as its flow asks for.
static void a_stream_narrows(void **state)
{
    (void)state;
    small_world s;
    small_jet(&s, (rv_vec3){0, 0, -0.5});
    s.def.params.grid_top = 0.3, s.emitter.at.z = 0.25, s.emitter.radius = 5e-3;
    rv_world *world = make(&s.def);
    run(world, 80, 2e-3);
    rv_droplets d;
    double wide = 0, low = 0.05, v = sqrt(0.25 + 2 * 9.81 * (0.25 - low));
    assert_int_equal(rv_world_get_droplets(world, &d), RV_OK);
    for (int i = 0; i < d.count; i++)
        if (fabs(d.at[i].z - low) < 5e-3) wide = fmax(wide, hypot(d.at[i].x, d.at[i].y));
    near(wide, 5e-3 * sqrt(0.5 / v), 0.1);
    rv_world_destroy(world);
}

static void a_full_pool_refuses(void **state)
{
    (void)state;
    small_world s;
    small_jet(&s, (rv_vec3){0, 0, -2});
    s.def.params.spray_droplets = 50;
    rv_world *world = make(&s.def);
    run(world, 20, 2e-3);
    assert_true(stats_of(world).refused > 0);
    assert_true(stats_of(world).droplets <= 50);
    expect_balanced(world);
    rv_world_destroy(world);
}

static void emitters_come_while_it_runs(void **state)
{
    (void)state;
    small_world s;
    small_jet(&s, (rv_vec3){0, 0, -2});
    s.def.emitter_count = 0;
    rv_world *world = make(&s.def);
    run(world, 3, 2e-3);
    int number;
    rv_messages m = {0};
    assert_int_equal(rv_world_add_emitter(world, &s.emitter, &number, &m), RV_OK);
    run(world, 20, 2e-3);
    assert_true(stats_of(world).volume > 0);
    expect_balanced(world);
    rv_world_destroy(world);
}

// ---- Landing ------------------------------------------------------------------------------------

static void the_film_is_as_fast_as_the_jet(void **state)
{
    (void)state;
    small_world s;
    double speed[2];
    for (int impact = 0; impact < 2; impact++) {
        small_jet(&s, (rv_vec3){0, 0, -2});
        s.def.params.spray_impact = impact == 1;
        s.def.params.border_west = s.def.params.border_east = RV_BORDER_OPEN;
        s.def.params.border_south = s.def.params.border_north = RV_BORDER_OPEN;
        rv_world *world = make(&s.def);
        run(world, 60, 2e-3);
        speed[impact] = 0;
        for (int i = 0; i < 20; i++) {
            run(world, 1, 2e-3);
            speed[impact] += speed_outward(world, 0.024, 0.032) / 20;
        }
        rv_world_destroy(world);
    }
    near(speed[1], sqrt(4 + 2 * 9.81 * 0.015), 0.15); // on coarse cells; verify tells more
    assert_true(speed[0] < 0.5 * speed[1]);           // without, it only piles up and runs off
}

// All that it had along the plate is in the liquid, while no wave has reached the walls.
static void a_slanting_jet_gives_its_momentum(void **state)
{
    (void)state;
    for (int dry = 0; dry < 2; dry++) {
        small_world s;
        small_jet(&s, (rv_vec3){1.4, 0, -1.4});
        s.emitter.at = (rv_vec3){-0.02, 0, 0.03}, s.emitter.radius = 6e-3;
        s.fill[0].level = 15e-3, s.def.fill_count = dry ? 0 : 1;
        rv_world *world = make(&s.def);
        double first = stats_of(world).volume;
        run(world, 20, 1e-3);
        // of all its momentum; what is off is the flow's, where its surface is steep
        double all = stats_of(world).sourced * 1.4 * sqrt(2);
        assert_true(fabs(momentum_of(world) - all / sqrt(2)) < 0.015 * all);
        assert_true(stats_of(world).volume - first > 0.2 * stats_of(world).sourced);
        rv_world_destroy(world);
    }
}

// One that falls straight into a stream slows it by its share, and adds no momentum.
static void what_falls_into_a_stream_adds_none(void **state)
{
    (void)state;
    small_world s;
    small_jet(&s, (rv_vec3){1.4, 0, -1.4});
    s.emitter.at = (rv_vec3){-0.02, 0, 0.02}, s.emitter.radius = 6e-3, s.emitter.stop = 8e-3;
    s.def.params.spray_impact = true, s.def.params.spray_on = true, s.def.params.spray_share = 0;
    rv_world *world = make(&s.def);
    run(world, 25, 1e-3);
    double before = momentum_of(world);
    for (int i = 0; i < 40; i++)
        assert_true(rv_world_throw(world, (rv_vec3){0.01 + 2e-4 * i, 2e-4 * i, 8e-3},
                                   (rv_vec3){0, 0, -1}, 4e-9) > 0);
    run(world, 4, 1e-3);
    rv_stats now = stats_of(world);
    assert_int_equal(now.droplets, 0);
    near(momentum_of(world), before, 0.01);
    rv_world_destroy(world);
}

// ---- State --------------------------------------------------------------------------------------

static void small_tap(small_world *s)
{
    small_jet(s, (rv_vec3){0.2, 0, -1});
    rv_params *p = &s->def.params;
    p->tension_on = true, p->drips_on = p->drips_fly = true, p->liquid_viscosity = 1e-6;
    s->solid[1].shape = RV_SHAPE_CYLINDER, s->solid[1].at = (rv_vec3){0, 0, 0.035};
    s->solid[1].radius = 0.02, s->solid[1].height = 4e-3;
    s->def.solid_count = 2;
    s->emitter.at.z = 0.06, s->emitter.radius = 4e-3;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        small_world s;
        small_tap(&s);
        rv_pool *pool = rv_pool_create(1 << i);
        s.def.pool = pool;
        rv_world *world = make(&s.def);
        run(world, 120, 2e-3);
        expect_balanced(world);
        hash[i] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(pool);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void a_restored_world_goes_on_the_same(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    small_tap(&s);
    rv_world *world = make(&s.def), *other = make(&s.def);
    run(world, 97, 2e-3);
    unsigned char *bytes = save(world, &size);
    assert_int_equal(rv_world_restore(other, bytes, size, NULL), RV_OK);
    free(bytes);
    assert_true(rv_world_hash(world) == rv_world_hash(other));
    run(world, 41, 2e-3);
    run(other, 41, 2e-3);
    assert_true(rv_world_hash(world) == rv_world_hash(other));
    rv_world_destroy(world);
    rv_world_destroy(other);
}

// Off the plate it falls in threads of droplets, which take their time and land.
static void threads_fly(void **state)
{
    (void)state;
    small_world s;
    small_tap(&s);
    rv_world *world = make(&s.def);
    bool flew = false;
    for (int i = 0; i < 200; i++) {
        rv_droplets d;
        run(world, 1, 2e-3);
        assert_int_equal(rv_world_get_droplets(world, &d), RV_OK);
        for (int k = 0; k < d.count; k++)
            flew = flew || (!d.hangs[k] && d.at[k].z < 0.03 && d.velocity[k].z < -0.3);
        rv_bead bead[16];
        int beads = rv_world_get_beads(world, bead, 16);
        for (int k = 0; k < beads && k < 16; k++) assert_true(bead[k].thread == 0);
    }
    assert_true(flew);
    expect_balanced(world);
    rv_world_destroy(world);
}

// ---- The surface --------------------------------------------------------------------------------

typedef struct cloud {
    rv_vec3 at[4000], velocity[4000];
    double radius[4000];
    uint8_t hangs[4000];
    int count;
} cloud;

static int by_words(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

// Every edge is there once in each direction; returns the volume within.
static double expect_closed(const rv_blob_work *w)
{
    size_t edges = 3 * (size_t)w->triangles;
    uint32_t(*all)[2] = malloc(edges * sizeof *all), (*back)[2] = malloc(edges * sizeof *back);
    double volume = 0;
    for (size_t n = 0; n < edges; n++) {
        uint32_t a = w->indices[n], b = w->indices[n % 3 == 2 ? n - 2 : n + 1];
        all[n][0] = back[n][1] = a, all[n][1] = back[n][0] = b;
    }
    qsort(all, edges, sizeof *all, by_words);
    qsort(back, edges, sizeof *back, by_words);
    assert_memory_equal(all, back, edges * sizeof *all);
    for (int t = 0; t < w->triangles; t++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) p[k] = w->positions + 3 * w->indices[3 * t + k];
        volume += (double)(p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                           p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                           p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
                  6;
    }
    free(all);
    free(back);
    return volume;
}

static void build(rv_blob_work *w, const cloud *c, double spacing)
{
    const rv_blob_input in = {.at = c->at,
                              .velocity = c->velocity,
                              .radius = c->radius,
                              .hangs = c->hangs,
                              .count = c->count,
                              .largest = spacing,
                              .spacing = spacing};
    assert_int_equal(rv_blobs_build(w, &in), RV_OK);
}

static void streams_are_one_surface(void **state)
{
    (void)state;
    cloud *c = calloc(1, sizeof *c);
    rv_blob_work w = {.allocator = rv_default_allocator()};
    // one alone, far from the origin
    c->count = 1, c->at[0] = (rv_vec3){3.3, -2.1, 7.7}, c->radius[0] = 0.62;
    build(&w, c, 1);
    assert_true(w.vertices > 7);
    for (int n = 0; n < w.vertices; n++) {
        const float *p = w.positions + 3 * n;
        double far = sqrt(pow((double)p[0] - 3.3, 2) + pow((double)p[1] + 2.1, 2) +
                          pow((double)p[2] - 7.7, 2));
        assert_true(far > 0.55 && far < 0.7);
    }
    assert_true(expect_closed(&w) > 0);
    // a stream of radius 5 and length 30, each particle a cube of 1
    c->count = 0;
    for (int k = 0; k < 30; k++)
        for (int j = -5; j <= 5; j++)
            for (int i = -5; i <= 5; i++)
                if (i * i + j * j <= 22 && c->count < 4000) {
                    c->at[c->count] = (rv_vec3){i + 0.2 * (k % 3), j, k};
                    c->radius[c->count++] = 0.62;
                }
    build(&w, c, 1);
    near(expect_closed(&w), c->count, 0.25);
    // those that hang, land or are too large are left out
    c->count = 3, c->hangs[0] = 1, c->hangs[1] = RV_DROPLET_LANDS, c->radius[2] = 3;
    build(&w, c, 1);
    assert_int_equal(w.vertices, 0);
    rv_blobs_free(&w);
    free(c);
}

// The world's surface has them, and the same mesh for any number of threads.
static void the_mesh_has_the_jet(void **state)
{
    (void)state;
    small_world s;
    small_jet(&s, (rv_vec3){0, 0, -1});
    s.emitter.at.z = 0.06;
    size_t vertices[2];
    for (int on = 0; on < 2; on++) {
        s.def.params.surface_droplets = on == 1;
        rv_world *world = make(&s.def);
        rv_surface *surface;
        rv_surface_mesh mesh;
        float highest = 0;
        run(world, 30, 2e-3);
        assert_int_equal(rv_surface_create(world, &surface), RV_OK);
        assert_int_equal(rv_surface_update(surface, world), RV_OK);
        assert_int_equal(rv_surface_get_mesh(surface, &mesh), RV_OK);
        vertices[on] = mesh.vertex_count;
        for (size_t n = 0; n < mesh.vertex_count; n++)
            highest = fmaxf(highest, mesh.positions[3 * n + 2]);
        for (size_t n = 0; n < 3 * mesh.triangle_count; n++)
            assert_true(mesh.indices[n] < mesh.vertex_count);
        assert_true(on ? highest > 0.055f : highest < 0.04f);
        rv_surface_destroy(surface);
        rv_world_destroy(world);
    }
    assert_true(vertices[1] > vertices[0] + 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jet_brings_its_flow),
        cmocka_unit_test(drops_and_blocks_have_their_volume),
        cmocka_unit_test(a_stream_narrows),
        cmocka_unit_test(a_full_pool_refuses),
        cmocka_unit_test(emitters_come_while_it_runs),
        cmocka_unit_test(the_film_is_as_fast_as_the_jet),
        cmocka_unit_test(a_slanting_jet_gives_its_momentum),
        cmocka_unit_test(what_falls_into_a_stream_adds_none),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_restored_world_goes_on_the_same),
        cmocka_unit_test(threads_fly),
        cmocka_unit_test(streams_are_one_surface),
        cmocka_unit_test(the_mesh_has_the_jet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
