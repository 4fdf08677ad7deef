// What clings to edges that drip: it lies on the side of its solid, whatever that is; and films
// along such edges hold together over gaps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"
#include "small_worlds.h"
#include "surface/flanks.h"
#include "surface_check.h"
#include "world/world_internal.h"

// ---- Sides --------------------------------------------------------------------------------------

static rv_world *world_of(const char *name, int steps)
{
    rv_scene_file scene;
    rv_messages messages = {0};
    char path[512];
    rv_world *world;
    snprintf(path, sizeof path, "%s/%s.yaml", RV_SCENES_BUILD_DIR, name);
    assert_true(rv_scene_load(path, &scene, &messages));
    rv_world_def def = rv_scene_world_def(&scene);
    assert_int_equal(rv_world_create(&def, &world, &messages), RV_OK);
    rv_scene_free(&scene);
    for (int i = 0; i < steps; i++)
        assert_int_equal(rv_world_step(world, rv_world_params(world)->time_step), RV_OK);
    return world;
}

static rv_surface *surface_of(const rv_world *world)
{
    rv_surface *surface;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    assert_int_equal(rv_surface_update(surface, world), RV_OK);
    return surface;
}

// How far the curtains of a surface are from the solid, in cells: below 0 in it. Those that are
// seen, and below their lips.
static double farthest(const rv_world *world, const rv_surface *surface, int *count)
{
    rv_surface_mesh m;
    double most = -INFINITY, dx = rv_world_params(world)->grid_dx;
    assert_int_equal(rv_surface_get_mesh(surface, &m), RV_OK);
    *count = 0;
    for (size_t i = 0; i < m.vertex_count; i++) {
        if (!(m.drop[i] > 0)) continue;
        const float *at = m.positions + 3 * i;
        rv_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
        most = fmax(most, (double)rv_terrain_distance(world->terrain, p) / dx);
        ++*count;
    }
    return most;
}

static void try_scene(const char *name, int steps, int least, double most)
{
    rv_world *world = world_of(name, steps);
    rv_surface *surface = surface_of(world);
    rv_columns c;
    surface_view v;
    int problems = 0, count;
    rv_world_get_columns(world, &c);
    open_view(&v, &c, surface, world->params.surface_film, &problems, name);
    check_surface_triangles(&v);
    assert_int_equal(problems, 0);
    double far = farthest(world, surface, &count);
    print_message("%s: %d places of curtains, %.2f dx from the solid or less\n", name, count, far);
    assert_true(count > least && far < most);
    close_view(&v);
    rv_surface_destroy(surface);
    rv_world_destroy(world);
}

// Boards with round edges, and a hole through one. Straight down from the middles of cells they
// would be up to 1.3 cells away.
static void what_clings_lies_on_the_side(void **state)
{
    (void)state;
    try_scene("paint-drip", 120, 100, 0.6);
    try_scene("three-layers", 200, 40, 0.6);
}

// ---- Brims --------------------------------------------------------------------------------------

#define EDGES 12

// Edges in a row from west to east, each of its own column.
static void row_of_edges(rv_flank flank[EDGES])
{
    for (int i = 0; i < EDGES; i++) {
        flank[i] = (rv_flank){.slot = (uint32_t)i};
        for (int k = 0; k < 8; k++) flank[i].next[k] = -1;
        flank[i].next[0] = i + 1 < EDGES ? i + 1 : -1;
        flank[i].next[4] = i - 1;
    }
}

// Films hold together over one column and over two; not over four, nor beyond their ends, nor where
// there is too little of them.
static void films_hold_together_along_edges(void **state)
{
    (void)state;
    rv_flank flank[EDGES];
    row_of_edges(flank);
    const float least = 0.1f;
    const float depth[EDGES] = {1, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1, 0.05f};
    const float want[EDGES] = {0, 0.6f, 0, 0.9f, 0.9f};
    for (int i = 0; i < EDGES; i++) {
        if (depth[i] > least) continue;
        float brim = rv_flank_brim(flank, (size_t)i, depth, least, 2);
        if (!(fabsf(brim - want[i]) < 1e-6f)) fail_msg("column %d: %g", i, (double)brim);
    }
    // farther where cells are small: over four columns, all of them or none
    const float far[EDGES] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0};
    for (int i = 5; i < 9; i++) assert_true(rv_flank_brim(flank, (size_t)i, far, least, 3) == 0);
    for (int i = 0; i < EDGES; i++) {
        if (far[i] > least) continue;
        float brim = rv_flank_brim(flank, (size_t)i, far, least, 4),
              held = i > 4 && i < 9 ? 1.2f : 0;
        if (!(fabsf(brim - held) < 1e-6f)) fail_msg("column %d of a far one: %g", i, (double)brim);
    }
    const float thin[EDGES] = {0.05f, 0, 0.05f, 0, 0.05f, 0, 1};
    for (int i = 0; i < 6; i++) assert_true(rv_flank_brim(flank, (size_t)i, thin, least, 2) == 0);
    const float other[EDGES] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    for (int i = 1; i < EDGES - 1; i++)
        assert_true(rv_flank_brim(flank, (size_t)i, other, least, 4) == 0);
}

// All edges at once, in squares of cells: the same, for any number of threads.
static void all_edges_are_asked_that_are_near_a_film(void **state)
{
    enum { ACROSS = 400, FILMS = 60 };
    static rv_flank flank[ACROSS];
    static float depth[ACROSS];
    const rv_allocator allocator = rv_default_allocator();
    const float film = 0.01f, least = 0.1f;
    (void)state;
    for (int gap = 1; gap <= RV_BRIM_FAR; gap++) {
        rv_brims brims = {0};
        rv_pool *pool = rv_pool_create(3);
        int held = 0;
        assert_true(rv_brims_take(&brims, &allocator, ACROSS, ACROSS, 1));
        for (int i = 0; i < ACROSS; i++) {
            flank[i] = (rv_flank){.slot = (uint32_t)i};
            for (int k = 0; k < 8; k++) flank[i].next[k] = -1;
            flank[i].next[0] = i + 1 < ACROSS ? i + 1 : -1, flank[i].next[4] = i - 1;
            depth[i] = 0, rv_brims_put(&brims, (size_t)i, i, 0);
        }
        for (int i = 0; i < FILMS; i++) depth[i * i % 397] = i % 3 ? 1.0f : 0.05f;
        rv_brims_find(&brims, flank, depth, film, least, gap, pool);
        for (int i = 0; i < ACROSS; i++) {
            bool dry = !(depth[i] > film);
            float want = dry ? rv_flank_brim(flank, (size_t)i, depth, least, gap) : 0;
            if (brims.brim[i] != want) fail_msg("edge %d: %g", i, (double)brims.brim[i]);
            held += want > 0;
        }
        assert_true(gap < 2 || held > 3);
        rv_pool_destroy(pool);
        rv_brims_free(&brims, &allocator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_edges_are_asked_that_are_near_a_film),
        cmocka_unit_test(what_clings_lies_on_the_side),
        cmocka_unit_test(films_hold_together_along_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
