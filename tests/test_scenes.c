// The shipped scenes: all are there, each makes a world, runs and keeps its volume, and the
// vertebra has the layers that make it worth running. Few steps: casting the terrain is what takes
// time here.
#define _POSIX_C_SOURCE 200809L // setenv
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 30          // enough for the first source of each scene to open
#define VOLUME_ERROR 1e-6 // of what was there or came in

static rv_scene_file load(const char *name)
{
    rv_scene_file scene;
    rv_messages m = {0};
    rv_form_work work = rv_default_form_work();
    if (!rv_scene_load(name, &scene, &m) || !rv_scene_load_forms(&scene, &work, &m))
        fail_msg("%s: %s", name, m.text);
    return scene;
}

static rv_world *make(const rv_scene_file *scene)
{
    rv_world *world = NULL;
    rv_messages m = {0};
    rv_world_def def = rv_scene_world_def(scene);
    if (rv_world_create(&def, &world, &m) != RV_OK) fail_msg("%s: %s", scene->name, m.text);
    return world;
}

static rv_stats stats_of(const rv_world *world)
{
    rv_stats s;
    assert_int_equal(rv_world_get_stats(world, &s), RV_OK);
    return s;
}

static bool listed(const rv_scene_names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0) return true;
    return false;
}

static void the_scenes_of_this_solver_are_all_there(void **state)
{
    (void)state;
    static const char *const wanted[] = {"surgery",
                                         "viscosity-0",
                                         "viscosity-4e-6",
                                         "viscosity-4e-5",
                                         "viscosity-4e-1",
                                         "three-layers",
                                         "passages",
                                         "cross-passage",
                                         "incline-1cm3",
                                         "bowl",
                                         "coffee",
                                         "paint-drip",
                                         "drip",
                                         "surgery-drill",
                                         "coffee-lift",
                                         "tank-light-ball",
                                         "tank-heavy-ball",
                                         "tank-throw-thin",
                                         "tank-throw-thick",
                                         "glass-rain",
                                         "glass-merge",
                                         "glass-storm",
                                         "glass-windshield",
                                         "splat-2d-64k",
                                         "splat-3d-125k",
                                         "splat-3d-jet",
                                         "splat-height-42k",
                                         "splat-surf",
                                         "tray",
                                         "puddle",
                                         "puddle-oil",
                                         "puddle-mercury",
                                         "leaf",
                                         "rivulet",
                                         "wet-wall",
                                         "tap-and-plate",
                                         "rain-on-cup",
                                         "bottle-sweat"};
    rv_scene_names names;
    rv_messages m = {0};
    if (!rv_scene_names_list(&names, &m)) fail_msg("%s", m.text);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!listed(&names, wanted[i])) fail_msg("%s is missing", wanted[i]);
    rv_scene_names_free(&names);
}

// ---- Every scene runs ---------------------------------------------------------------------------

static void run(rv_world *world, const rv_scene_file *scene)
{
    rv_stats before = stats_of(world);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(rv_world_step(world, scene->params.time_step), RV_OK);
    rv_stats after = stats_of(world);
    double in = before.volume + after.sourced;
    double error = fabs(after.volume + after.airborne + after.dew - (in - after.drained)) / in;
    assert_true(in > 0); // a scene without liquid shows nothing
    if (!(error <= VOLUME_ERROR)) fail_msg("%s: volume is off by %.3g of it", scene->name, error);
    assert_true(after.dew_drops > 0 || (after.wet > 0 && after.fastest > 0));
    assert_true(isfinite(after.fastest));
    assert_int_equal(after.not_finite, 0);
    assert_int_equal(after.clipped, 0);
    assert_int_equal(after.unsolved, 0);
    assert_int_equal(after.unplaced, 0);
}

// ---- The vertebra -------------------------------------------------------------------------------

typedef struct cover {
    int cells, layered; // over which bone stands; of these with two layers or more
} cover;

// Bone covers a cell whose highest bed is above the tissue: the tissue is a plane with a hollow,
// nowhere above the plane's height, and the vessel lies in the hollow. So the vessel's own layers
// do not count.
static cover bone_cover(const rv_columns *c, double tissue)
{
    cover found = {0, 0};
    for (int y = 0; y < c->ny; y++) {
        for (int x = 0; x < c->nx; x++) {
            int layers = 0;
            double bed = c->bottom;
            for (int l = 0; l < c->planes && rv_plane_has(&c->plane[l], x, y); l++) {
                size_t i = rv_slot(&c->plane[l], x, y);
                if (!(c->max[i] > c->base[i])) break;
                bed = (double)c->base[i], layers++;
            }
            if (bed <= tissue + 1e-6) continue;
            found.cells++;
            found.layered += layers >= 2;
        }
    }
    return found;
}

static void check_vertebra(const rv_world *world, const rv_scene_file *scene)
{
    rv_world_info info;
    rv_columns columns;
    assert_int_equal(rv_world_get_info(world, &info), RV_OK);
    assert_int_equal(rv_world_get_columns(world, &columns), RV_OK);
    assert_int_equal(columns.nx, 200);
    assert_int_equal(columns.ny, 200);
    assert_int_equal(scene->solids[0].shape, RV_SHAPE_PLANE);
    cover bone = bone_cover(&columns, scene->solids[0].at.z);
    int64_t cells = 0, layered = 0;
    for (int n = 0; n <= 16; n++) cells += info.cells_with[n];
    for (int n = 2; n <= 16; n++) layered += info.cells_with[n];
    assert_int_equal(cells, 200 * 200);
    assert_true(layered >= bone.layered);
    assert_true(bone.cells > 200 * 200 / 10); // it fills a good part of the picture
    if (3 * bone.layered < bone.cells)
        fail_msg("%d of %d cells under the bone have two layers", bone.layered, bone.cells);
    assert_true(info.cells_with[5] >= 1);
    assert_true(scene->source_count >= 3); // several bleeding points
}

// Many particles take long: there are fewer, in larger cells.
static void make_coarser(rv_params *p)
{
    if (p->solver != RV_SOLVER_SPLAT) return;
    int by = p->splat_form == RV_SPLAT_3D ? 3 : 2;
    p->grid_nx /= by, p->grid_dx *= by;
    if (p->splat_form != RV_SPLAT_2D) p->grid_ny /= by;
}

static void every_scene_runs_and_keeps_its_volume(void **state)
{
    (void)state;
    rv_scene_names names;
    rv_messages m = {0};
    if (!rv_scene_names_list(&names, &m)) fail_msg("%s", m.text);
    for (int i = 0; i < names.count; i++) {
        rv_scene_file scene = load(names.name[i]);
        assert_string_equal(scene.name, names.name[i]);
        assert_true(scene.title[0] != '\0'); // `rivulet scenes` prints it
        make_coarser(&scene.params);
        rv_world *world = make(&scene);
        if (strcmp(scene.name, "surgery") == 0) check_vertebra(world, &scene);
        run(world, &scene);
        rv_world_destroy(world);
        rv_scene_free(&scene);
    }
    rv_scene_names_free(&names);
}

// ---- The viscosity scenes -----------------------------------------------------------------------

// Two structs of one table, row by row.
static void assert_same(const rv_table *table, const void *a, const void *b)
{
    for (int i = 0; i < table->count; i++) {
        char left[128], right[128];
        rv_field_print(&table->fields[i], a, left, sizeof left);
        rv_field_print(&table->fields[i], b, right, sizeof right);
        assert_string_equal(left, right);
    }
}

// They are made to be compared: but for the viscosity they must be one scene.
static void check_viscosities(const char *const names[4])
{
    static const double viscosities[] = {4e-6, 4e-5, 4e-1};
    rv_scene_file first = load(names[0]);
    assert_true(first.params.liquid_viscosity == 0);
    for (int i = 0; i < 3; i++) {
        rv_scene_file other = load(names[i + 1]);
        assert_true(other.params.liquid_viscosity == viscosities[i]);
        other.params.liquid_viscosity = 0;
        assert_same(rv_params_table(), &other.params, &first.params);
        assert_int_equal(other.solid_count, first.solid_count);
        for (int k = 0; k < first.solid_count; k++)
            assert_same(rv_solid_table(), &other.solids[k], &first.solids[k]);
        assert_int_equal(other.source_count, first.source_count);
        for (int k = 0; k < first.source_count; k++)
            assert_same(rv_source_table(), &other.sources[k], &first.sources[k]);
        assert_int_equal(other.fill_count + other.drain_count, 0);
        rv_scene_free(&other);
    }
    rv_scene_free(&first);
}

static void the_viscosity_scenes_differ_in_viscosity_only(void **state)
{
    (void)state;
    static const char *const ours[] = {"viscosity-0", "viscosity-4e-6", "viscosity-4e-5",
                                       "viscosity-4e-1"};
    static const char *const papers[] = {"paper-viscosity-0", "paper-viscosity-4e-6",
                                         "paper-viscosity-4e-5", "paper-viscosity-4e-1"};
    check_viscosities(ours);
    check_viscosities(papers);
}

// ---- The papers' scenes -------------------------------------------------------------------------

// Each is there on our model, and once as the paper has it, with the paper's figures for bench; the
// solids are the same.
static void the_papers_scenes_are_there_twice(void **state)
{
    (void)state;
    static const char *const names[] = {"surgery",        "viscosity-0",    "viscosity-4e-6",
                                        "viscosity-4e-5", "viscosity-4e-1", "three-layers",
                                        "passages"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "paper-%s", names[i]);
        rv_scene_file ours = load(names[i]), paper = load(name);
        assert_int_equal(ours.params.pipes_area, RV_AREA_WET);
        assert_int_equal(ours.params.pipes_passages, RV_PASSAGES_PRESSURE);
        assert_true(isnan(ours.paper.ms_simulation));
        assert_int_equal(paper.params.pipes_area, RV_AREA_CELL);
        assert_int_equal(paper.params.pipes_passages, RV_PASSAGES_AXIS);
        assert_true(paper.params.time_safety == rv_default_params().time_safety);
        assert_true(paper.paper.ms_simulation > 0 && paper.paper.ms_surface > 0);
        assert_int_equal(paper.solid_count, ours.solid_count);
        for (int k = 0; k < ours.solid_count; k++)
            assert_same(rv_solid_table(), &paper.solids[k], &ours.solids[k]);
        rv_scene_free(&ours);
        rv_scene_free(&paper);
    }
}

// ---- The tray -----------------------------------------------------------------------------------

// x of the middle of all liquid, m.
static double middle_x(const rv_world *world)
{
    rv_columns c;
    double sum = 0, weight = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int l = 0; l < c.planes; l++) {
        for (int y = 0; y < c.ny; y++) {
            for (int x = 0; x < c.nx; x++) {
                if (!rv_plane_has(&c.plane[l], x, y)) continue;
                double depth = (double)c.depth[rv_slot(&c.plane[l], x, y)];
                sum += depth * (x + 0.5 - 0.5 * c.nx) * c.dx, weight += depth;
            }
        }
    }
    return sum / weight;
}

// The coffee follows gravity: to the right while it leans there, then to the left; none is lost.
static void the_tray_runs_where_it_is_tilted(void **state)
{
    (void)state;
    rv_scene_file scene = load("tray");
    assert_int_equal(scene.event_count, 4);
    scene.params.grid_nx /= 2, scene.params.grid_ny /= 2, scene.params.grid_dx *= 2;
    rv_world *world = make(&scene);
    double first = middle_x(world), least = first, most = first;
    while (stats_of(world).time < 3.0) {
        assert_int_equal(rv_world_step(world, scene.params.time_step), RV_OK);
        double now = middle_x(world);
        least = fmin(least, now), most = fmax(most, now);
    }
    assert_true(most > first + 10e-3 && least < first - 10e-3);
    assert_true(stats_of(world).drained == 0);
    rv_world_destroy(world);
    rv_scene_free(&scene);
}

int main(void)
{
    setenv("RIVULET_SCENES", RV_SCENES_BUILD_DIR, 1); // not those of an installed rivulet
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scenes_of_this_solver_are_all_there),
        cmocka_unit_test(every_scene_runs_and_keeps_its_volume),
        cmocka_unit_test(the_viscosity_scenes_differ_in_viscosity_only),
        cmocka_unit_test(the_papers_scenes_are_there_twice),
        cmocka_unit_test(the_tray_runs_where_it_is_tilted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
