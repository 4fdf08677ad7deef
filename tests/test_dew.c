// Drops on solids: what holds them against the formula, how they merge, run into liquid and go with
// solids that move; that no volume is made or lost, whatever happens; that it changes nothing where
// it is off; threads, snapshots, bad input.
#include "dew/dew.h"
#include "io/mesh_dew.h"
#include "small_worlds.h"
#include "world/world_internal.h"

#include "mesh_check.h" // after cmocka.h

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
#define DT 5e-3
#define MM3 1e-9

// ---- Help ---------------------------------------------------------------------------------------

// A block with upright sides, 12 × 12 × 24 mm, on a floor at 4 mm, under cells of 1 mm. The hold is
// the same everywhere, and nothing is left behind.
static void block_on_floor(small_world *s)
{
    small_grid(s, RV_SOLVER_PIPES, 36, 36, 1e-3);
    s->def.params.grid_top = 0.034, s->def.params.drips_on = false;
    s->def.params.dew_on = true, s->def.params.dew_uneven = 0, s->def.params.dew_residual = 0;
    s->solid[0].shape = RV_SHAPE_PLANE, s->solid[0].at.z = 0.004;
    s->solid[1].shape = RV_SHAPE_BOX, s->solid[1].at = (rv_vec3){0, 0, 0.016};
    s->solid[1].size = (rv_vec3){0.012, 0.012, 0.024};
    s->def.solid_count = 2;
}

static rv_dew_cap cap_of(const rv_world *world, int index)
{
    rv_dew_cap caps[64];
    int count = rv_world_get_dew(world, caps, 64);
    assert_true(index < count && index < 64);
    return caps[index];
}

static int count_of(const rv_world *world)
{
    assert_int_equal(stats_of(world).dew_drops, rv_world_get_dew(world, NULL, 0));
    return rv_world_get_dew(world, NULL, 0);
}

// The largest drop that an upright side holds: ρ V g = 2 a γ (cos θr - cos θa), V = shape a³.
static double largest(const rv_params *p)
{
    double ca = cos(p->liquid_advancing), cr = cos(p->liquid_receding), c = 0.5 * (ca + cr);
    double s = sqrt(1 - c * c), shape = RV_PI * (2 - 3 * c + c * c * c) / (3 * s * s * s);
    double a2 = 2 * p->liquid_tension * (cr - ca) / (p->liquid_density * G * shape);
    return shape * a2 * sqrt(a2);
}

static const rv_vec3 on_side = {0.006, 0.0003, 0.020};

// ---- What holds a drop --------------------------------------------------------------------------

static void a_drop_sticks_until_it_is_too_heavy(void **state)
{
    static const double angles[][2] = {{1.0472, 0.3491}, {1.3, 0.9}, {2.0, 1.6}};
    (void)state;
    for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
        small_world s;
        block_on_floor(&s);
        s.def.params.liquid_advancing = angles[k][0], s.def.params.liquid_receding = angles[k][1];
        double most = largest(&s.def.params);
        for (int heavy = 0; heavy < 2; heavy++) {
            rv_world *world = make(&s.def);
            double volume = (heavy ? 1.01 : 0.99) * most;
            assert_true(rv_world_bedew(world, on_side, volume) == volume);
            rv_dew_cap before = cap_of(world, 0);
            near(before.normal.x, 1, 1e-6);
            run(world, 10, DT);
            rv_dew_cap after = cap_of(world, 0);
            if (heavy) {
                assert_true(after.at.z < before.at.z - 1e-4 && after.velocity.z < 0);
                near(after.at.x, before.at.x, 1e-3); // along the side
            } else {
                assert_memory_equal(&after, &before, sizeof after);
            }
            rv_world_destroy(world);
        }
    }
}

// dv/dt = g - kinetic hold - drag v, once it runs: the end speed is (g - kinetic hold)/drag.
static void it_runs_as_fast_as_drag_lets_it(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_drag = 400;
    double most = largest(&s.def.params), hold = 0.7 * G / pow(2, 2.0 / 3.0);
    rv_world *world = make(&s.def);
    rv_world_bedew(world, (rv_vec3){0.006, 0.0003, 0.026}, 2 * most); // hold goes with V^(-2/3)
    run(world, 20, 1e-3);
    near(-cap_of(world, 0).velocity.z, (G - hold) / 400, 1e-3);
    rv_world_destroy(world);
}

static void one_that_runs_leaves_droplets(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_residual = 0.05, s.def.params.dew_spacing = 1;
    rv_world *world = make(&s.def);
    double volume = 1.5 * largest(&s.def.params);
    rv_world_bedew(world, (rv_vec3){0.006, 0.0003, 0.026}, volume);
    run(world, 34, DT);
    assert_true(count_of(world) > 2);
    near(stats_of(world).dew, volume, 1e-14);
    for (int i = 1; i < count_of(world); i++) assert_true(cap_of(world, i).velocity.z == 0);
    rv_world_destroy(world);
}

// ---- Merging ------------------------------------------------------------------------------------

static void those_that_touch_are_one(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    rv_world *world = make(&s.def);
    rv_vec3 at = on_side;
    rv_world_bedew(world, at, 0.5 * MM3);
    double a = cap_of(world, 0).radius;
    at.y += 2.1 * a; // beside it
    rv_world_bedew(world, at, 0.5 * MM3);
    run(world, 1, DT);
    assert_int_equal(count_of(world), 2);
    at.y -= 1.0 * a; // on both
    rv_world_bedew(world, at, 0.1 * MM3);
    run(world, 1, DT);
    assert_int_equal(count_of(world), 1);
    near(cap_of(world, 0).volume, 1.1 * MM3, 1e-14);
    near(cap_of(world, 0).at.y, on_side.y + (0.5 * 2.1 + 0.1 * 1.1) / 1.1 * a, 1e-3);
    rv_world_destroy(world);
}

static void not_through_a_thin_wall(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.solid[1].size.x = 0.003;
    rv_world *world = make(&s.def);
    rv_world_bedew(world, (rv_vec3){0.0015, 0, 0.02}, 6 * MM3);
    rv_world_bedew(world, (rv_vec3){-0.0015, 0, 0.02}, 6 * MM3);
    assert_true(cap_of(world, 0).radius > 0.0016); // their feet are nearer than that
    run(world, 2, DT);
    assert_int_equal(count_of(world), 2);
    rv_world_destroy(world);
}

// ---- To columns ---------------------------------------------------------------------------------

static void liquid_swallows_it(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.fill[0].level = 0.008, s.def.fill_count = 1;
    rv_world *world = make(&s.def);
    double first = stats_of(world).volume, volume = 1.5 * largest(&s.def.params);
    rv_world_bedew(world, on_side, volume);
    for (int i = 0; i < 100 && count_of(world) > 0; i++) run(world, 1, DT);
    assert_int_equal(count_of(world), 0);
    near(stats_of(world).volume - first, volume, 1e-4); // of a pool of single precision
    near(balance(world), first, 1e-9);
    rv_world_destroy(world);
}

static void on_a_bed_it_becomes_a_column(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_gives = 1;
    rv_world *world = make(&s.def);
    rv_world_bedew(world, (rv_vec3){0.012, 0, 0.004}, 0.6 * MM3);
    run(world, 1, DT);
    assert_true(count_of(world) == 1 && stats_of(world).volume == 0); // it is smaller than a cell
    rv_world_bedew(world, (rv_vec3){0.0121, 0, 0.004}, 0.6 * MM3);
    run(world, 1, DT);
    assert_int_equal(count_of(world), 0);
    near(stats_of(world).volume + stats_of(world).dew, 1.2 * MM3, 1e-14);
    rv_world_destroy(world);
}

// ---- Nothing is lost ----------------------------------------------------------------------------

static void wet_world(small_world *s)
{
    block_on_floor(s);
    rv_params *p = &s->def.params;
    p->dew_rain = 2e5, p->dew_smallest = 4e-4, p->dew_largest = 2e-3, p->dew_slant_x = 0.4;
    p->dew_sweat = 3e-4, p->dew_seeds = 5e5, p->dew_evaporation = 2e-5;
    p->dew_uneven = 0.3, p->dew_residual = 0.05, p->dew_most = 4000, p->dew_gives = 1;
    s->solid[1].cold = 1, s->solid[1].mover = 1;
    p->border_east = RV_BORDER_OPEN;
}

static void change_the_ground(rv_world *world, int k)
{
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def edit = rv_default_event_def();
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 0.003;
    tool.at = (rv_vec3){-0.012 + 0.004 * k, -0.010, 0.004};
    edit.kind = k % 2 ? RV_EVENT_ADD : RV_EVENT_CARVE;
    edit.tool = &tool, edit.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
    rv_pose pose = {.shift = {0.0007 * k, 0.0011 * k, 0}, .rotate = {0, 0, 0.2 * k}};
    assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
}

// With columns that stand still what goes over is exact; those that flow round their depths, which
// costs a part in a hundred million whatever drops do.
static void keep_volume(double film, double exact)
{
    small_world s;
    rv_messages messages = {0};
    wet_world(&s);
    s.def.params.pipes_film = film;
    rv_world *world = make(&s.def), *other = make(&s.def);
    for (int k = 0; k < 6; k++) {
        run(world, 25, DT);
        change_the_ground(world, k);
        rv_stats now = stats_of(world);
        assert_true(fabs(balance(world)) < exact * now.sourced);
        size_t size;
        unsigned char *saved = save(world, &size);
        assert_int_equal(rv_world_restore(other, saved, size, &messages), RV_OK);
        free(saved);
        assert_true(rv_world_hash(world) == rv_world_hash(other));
        run(other, 3, DT), run(world, 3, DT);
        assert_true(rv_world_hash(world) == rv_world_hash(other));
    }
    rv_stats s6 = stats_of(world);
    assert_true(s6.dew > 0 && s6.volume > 0 && s6.dew_drops > 100 && s6.drained > 0);
    rv_world_destroy(world), rv_world_destroy(other);
}

static void volume_is_kept_whatever_happens(void **state)
{
    (void)state;
    keep_volume(1, 1e-9);
    keep_volume(1e-6, 3e-8);
}

static void threads_do_not_matter(void **state)
{
    uint64_t hash[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        small_world s;
        wet_world(&s);
        s.def.pool = rv_pool_create(k ? 4 : 1);
        rv_world *world = make(&s.def);
        run(world, 40, DT);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(s.def.pool);
    }
    assert_true(hash[0] == hash[1]);
}

// ---- Solids that change -------------------------------------------------------------------------

static void it_goes_with_a_moving_solid(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.solid[1].mover = 1;
    rv_world *world = make(&s.def);
    rv_world_bedew(world, on_side, 1 * MM3);
    rv_pose pose = {.shift = {0.002, 0.003, 0.001}, .rotate = {0, 0, RV_PI / 2}};
    assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
    rv_dew_cap c = cap_of(world, 0); // turned about z, then shifted
    near(c.at.x, -on_side.y + 0.002, 2e-2);
    near(c.at.y, on_side.x + 0.003, 1e-3);
    near(c.at.z, on_side.z + 0.001, 1e-3);
    near(c.normal.y, 1, 1e-3);
    rv_world_destroy(world);
}

static void without_its_solid_it_falls(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.solid[1].mover = 1;
    rv_world *world = make(&s.def);
    // on the floor under where the block is put, and on the block's top, which goes into the ground
    rv_world_bedew(world, (rv_vec3){0.013, 0, 0.004}, 0.3 * MM3);
    rv_solid_def tool = rv_default_solid_def();
    rv_event_def edit = rv_default_event_def();
    tool.shape = RV_SHAPE_BOX, tool.at = (rv_vec3){0.006, 0, 0.022};
    tool.size = (rv_vec3){0.006, 0.014, 0.012};
    edit.kind = RV_EVENT_CARVE, edit.tool = &tool, edit.tool_count = 1;
    rv_pose pose = {.shift = {0.012, 0, 0}};
    assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
    near(stats_of(world).dew + stats_of(world).volume + stats_of(world).held, 0.3 * MM3, 1e-12);
    // one on a side of the ground that is cut away
    small_world other;
    block_on_floor(&other);
    rv_world *cut = make(&other.def);
    rv_world_bedew(cut, on_side, 1 * MM3);
    assert_int_equal(rv_world_edit(cut, &edit, NULL, NULL), RV_OK);
    assert_true(cap_of(cut, 0).falls);
    run(cut, 40, DT);
    near(stats_of(cut).dew + stats_of(cut).volume, 1 * MM3, 1e-12);
    assert_true(count_of(cut) == 0 || !cap_of(cut, 0).falls);
    rv_world_destroy(world), rv_world_destroy(cut);
}

// ---- Off, and bad input -------------------------------------------------------------------------

static void off_it_changes_nothing(void **state)
{
    uint64_t hash[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        small_world s;
        small_basin(&s);
        if (k) s.def.params.dew_rain = 1e5, s.def.params.dew_sweat = 1e-3;
        rv_world *world = make(&s.def);
        run(world, 20, DT);
        assert_true(rv_world_bedew(world, (rv_vec3){0, 0, 0}, MM3) == 0);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void what_cannot_be_is_refused(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_smallest = 0.003;
    expect_refused(&s.def, "dew.smallest: 0.003 is more than dew.largest, 0.002");
    block_on_floor(&s);
    s.def.params.terrain_keep = false;
    expect_refused(&s.def, "dew.on: drops sit on the distance field: terrain from solids, with "
                           "terrain.keep");
    rv_world_def def = cube_def(RV_SPLAT_3D, 12);
    def.params.dew_on = true;
    expect_refused(&def, "dew.on: solver splat has no columns that drops could run into");
    block_on_floor(&s);
    rv_world *world = make(&s.def);
    s.def.params.dew_smallest = 0.003;
    assert_int_equal(rv_world_set_params(world, &s.def.params, NULL), RV_BAD_ARGUMENT);
    assert_true(rv_world_bedew(world, (rv_vec3){0, 0, NAN}, MM3) == 0);
    assert_true(rv_world_bedew(world, on_side, -MM3) == 0);
    assert_true(rv_world_bedew(world, (rv_vec3){0.012, 0, 0.02}, MM3) == 0); // in the air
    assert_true(rv_world_bedew(world, (rv_vec3){0.009, 0, 0.02}, MM3) == 0); // three cells off
    assert_int_equal(count_of(world), 0);
    rv_world_destroy(world);
}

// A snapshot may bring more drops than dew.most, and room for them; none is added to that.
static void a_restored_list_does_not_grow(void **state)
{
    small_world s;
    rv_messages messages = {0};
    size_t size, own_size;
    (void)state;
    block_on_floor(&s);
    rv_world *many = make(&s.def);
    s.def.params.dew_most = 2;
    rv_world *few = make(&s.def);
    for (int k = 0; k < 5; k++)
        rv_world_bedew(k < 3 ? many : few, (rv_vec3){0.012, 0.005 * (k % 3 - 1), 0.004}, 0.1 * MM3);
    unsigned char *saved = save(many, &size), *own = save(few, &own_size);
    assert_int_equal(rv_world_restore(few, saved, size, &messages), RV_OK);
    assert_int_equal(count_of(few), 3);
    assert_true(rv_world_hash(few) == rv_world_hash(many));
    assert_int_equal(rv_world_restore(few, own, own_size, &messages), RV_OK);
    assert_int_equal(count_of(few), 2);
    assert_true(rv_world_bedew(few, (rv_vec3){-0.012, 0, 0.004}, 0.1 * MM3) == 0);
    assert_int_equal(count_of(few), 2);
    free(saved), free(own);
    rv_world_destroy(many), rv_world_destroy(few);
}

// A snapshot whose drops were tampered with is refused, and the world stays as it was; what is
// accepted runs on. The checksum that finds accidents is taken away first: this is done on purpose.
static void damaged_drops_are_refused(void **state)
{
    static const double bad[] = {NAN, INFINITY, -1, 1e300};
    small_world s;
    size_t size;
    (void)state;
    wet_world(&s);
    rv_world *world = make(&s.def), *other = make(&s.def);
    run(world, 20, DT);
    assert_true(count_of(world) > 20);
    const rv_dew *dew = &world->dew;
    unsigned char *saved = save(world, &size), *copy = malloc(size);
    rv_dew_drop first = dew->drop[0];
    size_t at = 0;
    while (at + sizeof first <= size && memcmp(saved + at, &first, sizeof first) != 0) at++;
    assert_true(at + sizeof first <= size);
    int refused = 0;
    for (size_t field = 0; field < sizeof first / 8; field++) {
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            uint64_t before = rv_world_hash(other);
            rv_messages messages = {0};
            memcpy(copy, saved, size);
            memcpy(copy + at + 8 * field, &bad[k], sizeof bad[k]);
            reseal(copy, size);
            rv_result r = rv_world_restore(other, copy, size, &messages);
            assert_true(r == RV_OK || messages.count > 0);
            if (r != RV_OK) assert_true(rv_world_hash(other) == before);
            refused += r != RV_OK;
            run(other, 1, DT);
            assert_true(isfinite(stats_of(other).dew) && isfinite(stats_of(other).volume));
        }
    }
    assert_true(refused >= 20); // of 44
    free(saved), free(copy);
    rv_world_destroy(world), rv_world_destroy(other);
}

// ---- From columns, and in the air ---------------------------------------------------------------

static void a_lonely_column_becomes_a_drop(void **state)
{
    (void)state;
    for (int on = 0; on < 2; on++) {
        small_world s;
        block_on_floor(&s);
        s.def.params.dew_takes = on ? 1 : 0, s.def.params.pipes_film = 1; // columns stand still
        rv_world *world = make(&s.def);
        rv_vec3 on_floor = {0.0125, 0.0025, 0.0045};
        double poured = rv_world_pour(world, on_floor, 1e-5, 0.05 * MM3);
        assert_true(poured > 0 && stats_of(world).volume > 0);
        rv_stats before = stats_of(world);
        run(world, 1, DT);
        rv_stats after = stats_of(world);
        assert_int_equal(count_of(world), on);
        near(after.volume + after.dew, before.volume, 1e-15 * MM3);
        if (on) {
            assert_true(after.volume == 0);
            assert_false(cap_of(world, 0).falls);
        }
        rv_world_destroy(world);
    }
}

// Each raindrop that lands was seen in the air before, higher up along its way.
static void rain_is_seen_before_it_lands(void **state)
{
    small_world s;
    rv_dew_cap caps[256];
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_rain = 2e5, s.def.params.dew_smallest = 1e-3, s.def.params.dew_largest = 3e-3;
    rv_world *world = make(&s.def);
    uint64_t hash = rv_world_hash(world);
    int seen = 0, landed = 0;
    for (int n = 0; n < 200; n++) {
        int count = rv_world_get_rain(world, caps, 256);
        for (int i = 0; i < count; i++) {
            assert_true(caps[i].falls && caps[i].velocity.z < -2 && caps[i].velocity.z > -9.7);
            assert_true(caps[i].at.z > 0.003 && caps[i].at.z < 0.0341);
            assert_true(caps[i].radius >= 5e-4 && caps[i].radius <= 1.5e-3);
        }
        seen += count;
        if (n == 0) assert_true(rv_world_hash(world) == hash);
        int had = (int)world->dew.rained;
        run(world, 1, 1e-4);
        landed += (int)world->dew.rained - had;
    }
    // 0.0013 m² of rain over 20 ms; a drop is 3 to 9 ms in the air, or 30 to 90 looks
    assert_true(landed > 0 && seen > 10 * landed && seen < 120 * landed);
    assert_int_equal(rv_world_get_rain(world, caps, 0), 0);
    rv_world_destroy(world);
}

// Each drop is a closed body of about its volume, after the liquid's own triangles.
static void drops_are_in_exported_meshes(void **state)
{
    small_world s;
    rv_surface_mesh nothing = {0};
    rv_dew_export own;
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_rain = 2e4, s.def.params.dew_most = 40;
    rv_world *world = make(&s.def);
    rv_world_bedew(world, on_side, 2 * MM3);
    rv_mesh_export mesh = rv_export_liquid(&nothing);
    assert_true(rv_export_add_dew(&mesh, world, &own));
    rv_mesh one = {.positions = own.positions,
                   .normals = own.normals,
                   .indices = own.indices,
                   .vertex_count = mesh.vertex_count,
                   .triangle_count = mesh.triangle_count};
    check_closed(&one, "a drop");
    double volume = volume_of(&one);
    assert_true(volume < 2 * MM3 && volume > 0.94 * 2 * MM3);
    size_t vertices = one.vertex_count, triangles = one.triangle_count;
    rv_mesh_export again = mesh; // after another mesh: what was there stays
    rv_dew_export both;
    assert_true(rv_export_add_dew(&again, world, &both));
    assert_true(again.vertex_count == 2 * vertices && again.triangle_count == 2 * triangles);
    assert_memory_equal(both.positions, own.positions, 3 * vertices * sizeof(float));
    assert_memory_equal(both.indices, own.indices, 3 * triangles * sizeof(uint32_t));
    assert_true(both.indices[3 * triangles] >= vertices);
    rv_dew_export_free(&own), rv_dew_export_free(&both);
    rv_world_destroy(world);
}

static void what_finds_no_room_is_told(void **state)
{
    small_world s;
    (void)state;
    block_on_floor(&s);
    s.def.params.dew_most = 2;
    rv_world *world = make(&s.def);
    for (int k = 0; k < 5; k++)
        rv_world_bedew(world, (rv_vec3){0.012, 0.004 * (k - 2), 0.004}, 0.1 * MM3);
    assert_int_equal(count_of(world), 2);
    assert_int_equal(stats_of(world).dew_refused, 3);
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_sticks_until_it_is_too_heavy),
        cmocka_unit_test(it_runs_as_fast_as_drag_lets_it),
        cmocka_unit_test(one_that_runs_leaves_droplets),
        cmocka_unit_test(those_that_touch_are_one),
        cmocka_unit_test(not_through_a_thin_wall),
        cmocka_unit_test(liquid_swallows_it),
        cmocka_unit_test(on_a_bed_it_becomes_a_column),
        cmocka_unit_test(volume_is_kept_whatever_happens),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(it_goes_with_a_moving_solid),
        cmocka_unit_test(without_its_solid_it_falls),
        cmocka_unit_test(off_it_changes_nothing),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_restored_list_does_not_grow),
        cmocka_unit_test(damaged_drops_are_refused),
        cmocka_unit_test(a_lonely_column_becomes_a_drop),
        cmocka_unit_test(rain_is_seen_before_it_lands),
        cmocka_unit_test(drops_are_in_exported_meshes),
        cmocka_unit_test(what_finds_no_room_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
