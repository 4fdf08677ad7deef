// What a world tells where it cannot do what it was asked for: less liquid than asked for, sources
// without room, volumes and numbers that cannot be meant, snapshots of another world.
#include "small_worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(rv_log_level level, const char *line, void *user)
{
    assert_int_equal(level, RV_LOG_WARNING);
    rv_messages_add(user, "%s", line);
}

static rv_world *make_told(rv_world_def *def, rv_messages *told)
{
    *told = (rv_messages){0};
    def->logger = (rv_logger){note, told};
    return make(def);
}

static void expect_told(rv_world_def *def, const char *text)
{
    rv_messages told;
    rv_world *world = make_told(def, &told);
    assert_string_equal(told.text, text);
    rv_world_destroy(world);
}

// ---- Liquid -------------------------------------------------------------------------------------

// A drop of 4 ml over 1 cm is 25 mm high in its middle, in a room of 20 mm.
static void a_drop_cut_by_the_lid(void **state)
{
    (void)state;
    small_world s;
    rv_messages told;
    small_grid(&s, RV_SOLVER_PIPES, 40, 40, 1e-3);
    s.def.params.grid_top = 0.02;
    s.fill[0].level = 0.001, s.fill[1].kind = RV_FILL_DROP;
    s.fill[1].radius = 0.01, s.fill[1].volume = 4e-6, s.fill[1].at.z = 0.01;
    s.def.fill_count = 2;
    rv_world *world = make_told(&s.def, &told);
    double asked = 0, placed = 0;
    assert_int_equal(told.count, 1);
    assert_int_equal(
        sscanf(told.text, "fills[1].volume: of %lg m3 only %lg m3 were placed", &asked, &placed),
        2);
    near(asked, 4e-6, 1e-3);
    near(placed, stats_of(world).volume - 1.6e-6, 1e-3); // less the film that was there before
    assert_true(placed < 3.95e-6);
    rv_world_destroy(world);

    s.fill[1].volume = 1e-6; // fits
    expect_told(&s.def, "");
    s.fill[1].at = (rv_vec3){0.5, 0, 0.01};
    expect_told(&s.def, "fills[1].volume: of 1e-06 m3 only 0 m3 were placed: no column below it "
                        "has room");
}

static void a_volume_that_cannot_be_meant(void **state)
{
    (void)state;
    small_world s;
    small_grid(&s, RV_SOLVER_PIPES, 40, 40, 1e-3);
    s.def.params.grid_top = 0.1;
    s.fill[0].kind = RV_FILL_DROP, s.fill[0].radius = 0.005, s.fill[0].volume = 0.1;
    s.def.fill_count = 1;
    expect_refused(&s.def, "fills[0].volume: 0.1 m3 in a drop of radius 0.005 m would stand "
                           "1.27e+03 m high; the grid is 0.1 m high");
    s.fill[0].volume = 7.8e-4; // under a hundred times π r² and the grid's height: cut, and told
    rv_world_destroy(make(&s.def));
    s.fill[0].radius = 1e-5, s.fill[0].volume = 0.9e-5; // in one cell
    rv_world_destroy(make(&s.def));
    s.fill[0].volume = 1.1e-5;
    expect_refused(&s.def, "fills[0].volume: 1.1e-05 m3 in a drop of radius 1e-05 m would stand "
                           "11 m high; the grid is 0.1 m high");
}

static void a_block_on_its_lattice(void **state)
{
    (void)state;
    small_world s;
    rv_messages told;
    small_grid(&s, RV_SOLVER_SPLAT, 32, 32, 0.01);
    s.def.params.grid_top = 0.32, s.def.params.splat_spacing = 0.5;
    s.emitter = block_between((rv_vec3){-0.16, -0.16, 0}, (rv_vec3){0, 0, 0.1});
    s.def.emitter_count = 1;
    expect_told(&s.def, "");
    s.emitter.to = (rv_vec3){1, 1, 0.1}; // what lies outside the grid was not meant
    expect_told(&s.def, "");
    s.emitter.from.x = -0.034, s.emitter.to.x = 0.034; // 13.6 particles wide
    rv_world *world = make_told(&s.def, &told);
    double asked = 0, placed = 0;
    assert_int_equal(sscanf(told.text, "emitters[0]: of its block of %lg m3, %lg m3 were placed",
                            &asked, &placed),
                     2);
    near(asked, 0.068 * 0.32 * 0.1, 1e-3);
    near(placed, stats_of(world).volume, 1e-3);
    near(placed, 0.065 * 0.32 * 0.1, 1e-3);
    rv_world_destroy(world);
}

// Of three sources the one in a closed cell finds no room once that is full.
static void which_source_has_no_room(void **state)
{
    (void)state;
    small_world s;
    rv_messages told;
    float heights[20 * 20] = {0};
    rv_source_def sources[3];
    small_grid(&s, RV_SOLVER_PIPES, 20, 20, 1e-3);
    for (int i = 0; i < 400; i++) heights[i] = i % 20 < 10 ? 0 : 0.0199f; // the east is nearly full
    for (int i = 0; i < 3; i++) {
        sources[i] = rv_default_source_def();
        sources[i].at = (rv_vec3){i == 1 ? 0.006 : -0.006, 0, 1}, sources[i].rate = 1e-9;
    }
    sources[1].rate = 1e-3;
    s.def.params.grid_top = 0.02, s.def.heights = heights;
    s.def.sources = sources, s.def.source_count = 3;
    rv_world *world = make_told(&s.def, &told);
    assert_int_equal(told.count, 0);
    run(world, 3, 0.01);
    assert_string_equal(told.text,
                        "sources[1]: no column below it has room; what it gives is lost");
    assert_true(rv_world_unplaced(world, 1) > 1);
    assert_true(rv_world_unplaced(world, 1) == stats_of(world).unplaced);
    assert_true(rv_world_unplaced(world, 0) == 0 && rv_world_unplaced(world, 2) == 0);
    assert_true(rv_world_unplaced(world, 3) == 0 && rv_world_unplaced(NULL, 0) == 0);
    rv_world_set_logger(world, (rv_logger){0});
    run(world, 1, 0.01);
    assert_int_equal(told.count, 1);
    rv_world_destroy(world);
}

// ---- Zero is a value ----------------------------------------------------------------------------

static void zero_is_not_the_default(void **state)
{
    (void)state;
    small_world s;
    small_floor(&s, 20, 20);
    rv_vec3 up = s.solid[0].normal;
    assert_true(up.x == 0 && up.y == 0 && up.z == 1);
    s.body[0].at.z = 0.3;
    s.def.body_count = 1;
    assert_true(s.body[0].mass < 0); // the density counts
    rv_world_destroy(make(&s.def));
    s.body[0].mass = 0;
    expect_refused(&s.def, "bodies[0].mass: 0 kg: must be above 0, or left out: then the density "
                           "counts");
    s.body[0].mass = -0.5;
    expect_refused(&s.def,
                   "bodies[0].mass: -0.5 kg: must be above 0, or left out: then the density "
                   "counts");
    s.body[0].mass = 1e-6;
    rv_world_destroy(make(&s.def));
    s.solid[0].normal.z = 0;
    expect_refused(&s.def, "solids[0].normal: 0 0 0 points nowhere");
    s.solid[0].normal = (rv_vec3){0, 0, 7};
    rv_world_destroy(make(&s.def));
}

static void what_is_gone_is_told(void **state)
{
    (void)state;
    assert_non_null(strstr(rv_param_gone("pipes.atmosphere"), "no such parameter any more"));
    assert_null(rv_table_find(rv_params_table(), "pipes.atmosphere"));
    assert_null(rv_param_gone("pipes.area"));
    assert_null(rv_param_gone(NULL));
}

// ---- Snapshots ----------------------------------------------------------------------------------

static void expect_unlike(const rv_world_def *def, const unsigned char *snapshot, size_t size,
                          const char *text)
{
    rv_messages told = {0};
    rv_world *world = make(def);
    assert_int_equal(rv_world_restore(world, snapshot, size, &told), RV_BAD_DATA);
    if (!strstr(told.text, text)) fail_msg("'%s' does not say '%s'", told.text, text);
    assert_int_equal(told.count, 1);
    rv_world_destroy(world);
}

static void a_snapshot_says_what_differs(void **state)
{
    (void)state;
    small_world s;
    size_t size;
    small_basin(&s);
    rv_world *world = make(&s.def);
    unsigned char *snapshot = save(world, &size);
    s.def.params.grid_nx++;
    expect_unlike(&s.def, snapshot, size,
                  "snapshot: of another world: grid.nx is 22 there and 23 here");
    s.def.params.grid_dx = 0.0015;
    expect_unlike(&s.def, snapshot, size,
                  "grid.nx is 22 there and 23 here, grid.dx is 0.001 there "
                  "and 0.0015 here");
    small_basin(&s);
    s.def.params.pipes_area = RV_AREA_CELL;
    expect_unlike(&s.def, snapshot, size, "pipes.area is wet there and cell here");
    small_basin(&s);
    s.def.params.solver = RV_SOLVER_SWE;
    expect_unlike(&s.def, snapshot, size, "solver is pipes there and swe here");
    small_basin(&s);
    s.solid[1].radius *= 1.001;
    expect_unlike(&s.def, snapshot, size, "of another terrain: solids or heights are not those");
    snapshot[8]--; // the version
    small_basin(&s);
    expect_unlike(&s.def, snapshot, size, "its format is ");
    rv_world_destroy(world);
    free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_cut_by_the_lid),
        cmocka_unit_test(a_volume_that_cannot_be_meant),
        cmocka_unit_test(a_block_on_its_lattice),
        cmocka_unit_test(which_source_has_no_room),
        cmocka_unit_test(zero_is_not_the_default),
        cmocka_unit_test(what_is_gone_is_told),
        cmocka_unit_test(a_snapshot_says_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
