// Where liquid wets what: solids with contact angles of their own, on beds and at walls, also when
// they move; maps of the affinity; a wax pencil, whose strokes are part of the state.
#include "small_worlds.h"

#include "io/scene_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RAD(degrees) ((degrees)*3.14159265358979 / 180)

// Two plates side by side, 30 × 18 mm each and 4 mm high, and a drop over x = `at`, m.
static void plates(small_world *s, double at)
{
    small_grid(s, RV_SOLVER_PIPES, 80, 24, 0.75e-3);
    s->def.params.tension_on = true;
    s->def.params.grid_bottom = 0, s->def.params.grid_top = 0.02;
    s->def.params.time_step = 4e-3, s->def.params.liquid_uneven = 0;
    for (int k = 0; k < 2; k++) {
        s->solid[k] = rv_default_solid_def();
        s->solid[k].at = (rv_vec3){k ? 0.025 : -0.025, 0, 0};
        s->solid[k].size = (rv_vec3){0.05, 0.1, 8e-3};
    }
    s->fill[0] = rv_default_fill_def();
    s->fill[0].kind = RV_FILL_DROP, s->fill[0].at = (rv_vec3){at, 0, 0.02};
    s->fill[0].radius = 4e-3, s->fill[0].volume = 1.2e-7;
    s->def.solids = s->solid, s->def.solid_count = 2;
    s->def.fills = s->fill, s->def.fill_count = 1;
}

static double middle_of(const rv_world *world)
{
    rv_columns c;
    double sum = 0, all = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) {
            double depth = (double)c.depth[rv_slot(&c.plane[0], x, y)];
            sum += depth * (c.x0 + (x + 0.5) * c.dx), all += depth;
        }
    return sum / all;
}

// Cells deeper than a tenth of a millimetre.
static int wet_cells(const rv_world *world)
{
    rv_columns c;
    int count = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++) count += c.depth[rv_slot(&c.plane[0], x, y)] > 1e-4f;
    return count;
}

static int wetted_at(double at)
{
    small_world s;
    plates(&s, at);
    s.solid[0].advancing = RAD(15), s.solid[0].receding = RAD(5);
    s.solid[1].advancing = s.solid[1].receding = RAD(110);
    rv_world *world = make(&s.def);
    run(world, 100, 4e-3);
    int wet = wet_cells(world);
    rv_world_destroy(world);
    return wet;
}

// The same drop spreads on one solid and stands on the other.
static void test_solids_have_their_own_angles(void **state)
{
    (void)state;
    int low = wetted_at(-0.015), high = wetted_at(0.015);
    if (!(low > 2 * high && high > 20)) fail_msg("%d cells are wet, and %d", low, high);
}

// Put down across the seam, it goes to the side that costs less.
static void test_a_drop_goes_where_it_wets(void **state)
{
    (void)state;
    small_world s;
    plates(&s, 0);
    s.solid[0].advancing = RAD(20), s.solid[0].receding = RAD(20);
    s.solid[1].advancing = s.solid[1].receding = RAD(100);
    rv_world *world = make(&s.def);
    run(world, 150, 4e-3);
    double middle = middle_of(world);
    if (!(middle < -2e-3)) fail_msg("the drop is at %g m", middle);
    rv_world_destroy(world);
}

// A group gives its angles to what is in it, unless that says others.
static void test_groups_give_theirs(void **state)
{
    (void)state;
    small_world s;
    plates(&s, 0);
    s.solid[2] = s.solid[1], s.solid[1] = s.solid[0];
    s.solid[0] = rv_default_solid_def();
    s.solid[0].shape = RV_SHAPE_GROUP, s.solid[0].children = 2;
    s.solid[0].advancing = s.solid[0].receding = RAD(20);
    s.solid[2].advancing = s.solid[2].receding = RAD(100);
    s.def.solid_count = 3;
    rv_world *world = make(&s.def);
    run(world, 150, 4e-3);
    assert_true(middle_of(world) < -2e-3);
    rv_world_destroy(world);
}

// Liquid climbs a wall that it wets, and is lower at one that it does not.
static void test_walls_have_their_own(void **state)
{
    (void)state;
    small_world s;
    plates(&s, 0);
    s.def.solids = s.solid, s.def.solid_count = 3;
    s.solid[2] = s.solid[1];
    s.solid[0].size = (rv_vec3){0.2, 0.1, 8e-3}, s.solid[0].at.x = 0;
    for (int k = 1; k < 3; k++) {
        s.solid[k].at = (rv_vec3){k == 1 ? -0.03 : 0.03, 0, 0.01};
        s.solid[k].size = (rv_vec3){0.02, 0.1, 0.02};
        s.solid[k].contact = RAD(k == 1 ? 25 : 130);
    }
    s.fill[0] = rv_default_fill_def();
    s.fill[0].from = (rv_vec3){-0.019, -1, 0}, s.fill[0].to = (rv_vec3){0.019, 1, 0.006};
    s.fill[0].level = 0.009;
    rv_world *world = make(&s.def);
    run(world, 150, 4e-3);
    rv_columns c;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    int west = (int)((-0.02 - c.x0) / c.dx), east = (int)((0.02 - c.x0) / c.dx);
    while (!(c.base[rv_slot(&c.plane[0], west, 12)] < 5e-3f)) west++;
    while (!(c.base[rv_slot(&c.plane[0], east, 12)] < 5e-3f)) east--;
    double w = (double)c.depth[rv_slot(&c.plane[0], west, 12)];
    double e = (double)c.depth[rv_slot(&c.plane[0], east, 12)];
    double m = (double)c.depth[rv_slot(&c.plane[0], 40, 12)];
    if (!(w > m + 5e-4 && e < m - 2e-4)) fail_msg("%g m, %g m, %g m", w, m, e);
    rv_world_destroy(world);
}

// A plate that turns round in itself has the same columns, and its other half under the drop.
static void test_a_solid_that_turns(void **state)
{
    (void)state;
    int wet[2];
    for (int turned = 0; turned < 2; turned++) {
        small_world s;
        plates(&s, 0.015);
        s.def.fill_count = 0;
        for (int k = 0; k < 2; k++) s.solid[k].mover = 1;
        s.solid[0].advancing = s.solid[0].receding = RAD(15);
        s.solid[1].advancing = s.solid[1].receding = RAD(110);
        rv_world *world = make(&s.def);
        rv_pose pose = {.rotate = {0, 0, turned ? RAD(180) : 0}};
        assert_int_equal(rv_world_move(world, 1, &pose, NULL, NULL), RV_OK);
        assert_true(rv_world_pour(world, (rv_vec3){0.015, 0, 0.02}, 3e-3, 1.2e-7) > 1e-7);
        run(world, 100, 4e-3);
        wet[turned] = wet_cells(world);
        rv_world_destroy(world);
    }
    if (!(wet[1] > 2 * wet[0])) fail_msg("%d cells are wet, turned %d", wet[0], wet[1]);
}

// ---- Affinity -----------------------------------------------------------------------------------

static const float halves[4] = {1.0f, 0.9f, 0.1f, 0.0f};

static void test_a_map_moves_a_drop(void **state)
{
    (void)state;
    const rv_map map = {4, 1, halves};
    small_world s;
    plates(&s, 0);
    s.def.affinity = &map;
    rv_world *world = make(&s.def);
    run(world, 150, 4e-3);
    double middle = middle_of(world);
    if (!(middle < -2e-3)) fail_msg("the drop is at %g m", middle);
    rv_world_destroy(world);
    const rv_map grey = {1, 1, (const float[1]){0.5f}};
    plates(&s, 0);
    rv_world *plain = make(&s.def);
    s.def.affinity = &grey;
    world = make(&s.def);
    run(plain, 20, 4e-3), run(world, 20, 4e-3);
    assert_true(rv_world_hash(plain) == rv_world_hash(world)); // one half changes nothing
    rv_world_destroy(plain);
    rv_world_destroy(world);
}

static void test_paint_is_part_of_the_state(void **state)
{
    (void)state;
    small_world s;
    plates(&s, 0);
    rv_world *a = make(&s.def), *b = make(&s.def);
    run(a, 20, 4e-3);
    uint64_t before = rv_world_hash(a);
    assert_int_equal(rv_world_paint(a, (rv_vec3){4e-3, 0, 0}, 6e-3, 0), RV_OK);
    assert_int_equal(rv_world_paint(a, (rv_vec3){-6e-3, 0, 0}, 4e-3, 1), RV_OK);
    assert_int_equal(rv_world_paint(a, (rv_vec3){7, 0, 0}, 4e-3, 1), RV_OK); // beside the grid
    assert_true(rv_world_hash(a) != before);
    run(a, 30, 4e-3);
    size_t size;
    unsigned char *kept = save(a, &size);
    rv_messages m = {0};
    if (rv_world_restore(b, kept, size, &m) != RV_OK) fail_msg("%s", m.text);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    run(a, 60, 4e-3), run(b, 60, 4e-3);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    assert_true(middle_of(a) < -1e-3);
    rv_columns c;
    assert_int_equal(rv_world_get_columns(b, &c), RV_OK);
    assert_int_equal(c.affinity[12 * 80 + 45], 0);
    assert_int_equal(c.affinity[12 * 80 + 32], 254);
    assert_int_equal(c.affinity[12 * 80 + 70], 127);
    free(kept);
    rv_world_destroy(a);
    rv_world_destroy(b);
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    uint64_t hash[2];
    const rv_map map = {4, 1, halves};
    for (int k = 0; k < 2; k++) {
        small_world s;
        plates(&s, 0);
        s.solid[1].advancing = RAD(100), s.def.affinity = &map;
        rv_pool *pool = k ? rv_pool_create(3) : NULL;
        s.def.pool = pool;
        rv_world *world = make(&s.def);
        run(world, 60, 4e-3);
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(pool);
    }
    assert_true(hash[0] == hash[1]);
}

// ---- What is refused ----------------------------------------------------------------------------

static void expect_problem(const char *text, const char *expected)
{
    rv_scene_file scene;
    rv_messages m = {0};
    bool loaded = rv_scene_load_memory(text, strlen(text), "t.yaml", &scene, &m);
    if (loaded) rv_scene_free(&scene);
    assert_string_equal(m.text, expected);
    assert_false(loaded);
}

static void test_bad_values(void **state)
{
    (void)state;
    small_world s;
    expect_problem(
        "solids:\n  - {shape: box}\n  - {shape: box, advancing: 200 deg}\n",
        "t.yaml:3: solids[1].advancing: 3.490658503988659 is out of range, must be -1 to "
        "3.14159 rad");
    plates(&s, 0);
    s.solid[0].contact = 1, s.def.params.terrain_keep = false;
    expect_refused(&s.def,
                   "terrain.keep: must be true where solids have contact angles of their own");
    plates(&s, 0);
    rv_world *world = make(&s.def);
    rv_event_def edit = rv_default_event_def();
    rv_solid_def ball = rv_default_solid_def();
    rv_messages m = {0};
    ball.shape = RV_SHAPE_SPHERE, ball.receding = 1;
    edit.kind = RV_EVENT_ADD, edit.tool = &ball, edit.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &edit, NULL, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "[0].receding: what an edit adds wets as the solid nearest"));
    const rv_vec3 at = {0, 0, 0};
    assert_int_equal(rv_world_paint(NULL, at, 1e-3, 0), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_paint(world, at, 1e-3, 1.5), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_paint(world, at, -1, 0), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_paint(world, (rv_vec3){NAN, 0, 0}, 1e-3, 0), RV_BAD_ARGUMENT);
    rv_world_destroy(world);
    const rv_map none = {0, 0, NULL};
    s.def.affinity = &none;
    expect_refused(&s.def, "affinity: an empty map");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids_have_their_own_angles),
        cmocka_unit_test(test_a_drop_goes_where_it_wets),
        cmocka_unit_test(test_groups_give_theirs),
        cmocka_unit_test(test_walls_have_their_own),
        cmocka_unit_test(test_a_solid_that_turns),
        cmocka_unit_test(test_a_map_moves_a_drop),
        cmocka_unit_test(test_paint_is_part_of_the_state),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
