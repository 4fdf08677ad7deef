// Terrain that changes under liquid: whatever is carved, added and moved, the columns are those of casting everything
// again, the pipes those of a solver built from scratch, and no liquid is lost.
#include "rivulet/rivulet.h"
#include "terrain/terrain.h"
#include "world/world_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state;

static double uniform(double low, double high)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

static int below(int n)
{
    return (int)uniform(0, n);
}

static rv_solid_def shape(rv_shape kind, double x, double y, double z)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = kind, s.at = (rv_vec3){x, y, z};
    return s;
}

#define SOLIDS 24
#define NX 44
#define NY 36
#define DX 0.001

typedef struct scene {
    rv_solid_def solid[SOLIDS];
    rv_fill_def fill[2];
    rv_world_def def;
} scene;

static rv_solid_def random_tool(double size)
{
    rv_solid_def s = shape((rv_shape[]){RV_SHAPE_SPHERE, RV_SHAPE_BOX, RV_SHAPE_CYLINDER}[below(3)], 0,
                           0, 0);
    double r = uniform(0.3, 1) * size;
    s.radius = r, s.height = uniform(0.5, 3) * r;
    s.size = (rv_vec3){uniform(0.5, 2) * r, uniform(0.5, 2) * r, uniform(0.5, 2) * r};
    s.rotate = (rv_vec3){uniform(0, 3), uniform(0, 3), uniform(0, 3)};
    if (below(3) == 0) s.noise = 0.1 * r, s.noise_size = r;
    return s;
}

static rv_vec3 random_place(void)
{
    return (rv_vec3){uniform(-0.024, 0.024), uniform(-0.02, 0.02), uniform(-0.001, 0.018)};
}

// A floor with slabs, shelves and tunnels, and liquid on all of them.
static void make_scene(scene *s, rv_passages passages)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->grid_nx = NX, p->grid_ny = NY, p->grid_dx = DX, p->grid_bottom = 0, p->grid_top = 0.02;
    p->pipes_passages = passages, p->liquid_viscosity = 1e-5;
    int n = 0;
    s->solid[n] = shape(RV_SHAPE_PLANE, 0, 0, 0.003);
    s->solid[n].noise = 0.001, s->solid[n++].noise_size = 0.01;
    for (int i = 0; i < 5; i++) {
        s->solid[n] = shape(RV_SHAPE_BOX, uniform(-0.015, 0.015), uniform(-0.012, 0.012),
                            uniform(0.006, 0.014));
        s->solid[n++].size = (rv_vec3){uniform(0.005, 0.02), uniform(0.005, 0.02), 0.002};
    }
    for (int i = 0; i < 3; i++) {
        s->solid[n] = random_tool(0.005), s->solid[n].at = random_place();
        s->solid[n++].op = below(2) ? RV_SUBTRACT : RV_UNION;
    }
    s->fill[0] = rv_default_fill_def();
    s->fill[0].kind = RV_FILL_DEPTH, s->fill[0].depth = 0.0015;
    s->def.solids = s->solid, s->def.solid_count = n;
    s->def.fills = s->fill, s->def.fill_count = 1;
}

static rv_world *create(const rv_world_def *def)
{
    rv_world *world = NULL;
    rv_messages m = {0};
    if (rv_world_create(def, &world, &m) != RV_OK) fail_msg("%s", m.text);
    return world;
}

static rv_stats stats_of(const rv_world *world)
{
    rv_stats s;
    assert_int_equal(rv_world_stats(world, &s), RV_OK);
    return s;
}

// Liquid there is, in columns and held, against what was put in.
static double balance(const rv_world *world, double first)
{
    rv_stats s = stats_of(world);
    return (s.volume + s.held - first - s.sourced + s.drained) / (first + s.sourced);
}

// Every cell has the columns, and only those, that a cast of the whole field finds.
static void assert_columns_follow_field(const rv_world *world)
{
    rv_column_set fresh = {0};
    assert_int_equal(rv_terrain_columns(world->terrain, NULL, &fresh), RV_OK);
    assert_int_equal(fresh.columns, world->columns.columns);
    for (int n = 0; n <= RV_LAYERS_MAX; n++)
        assert_int_equal(fresh.cells_with[n], world->columns.cells_with[n]);
    for (int y = 0; y < fresh.grid.ny; y++) {
        for (int x = 0; x < fresh.grid.nx; x++) {
            rv_cell_columns a, b;
            int n = rv_columns_get(&fresh, x, y, a);
            assert_int_equal(n, rv_columns_get(&world->columns, x, y, b));
            if (n > 0) assert_memory_equal(a, b, (size_t)n * sizeof *a);
        }
    }
    rv_columns_free(&fresh);
}

static void assert_sane(const rv_world *world)
{
    rv_columns c;
    rv_world_columns(world, &c);
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        assert_true(c.depth[i] >= 0 && c.depth[i] <= c.max[i] - c.base[i]);
    }
    assert_int_equal(stats_of(world).not_finite, 0);
}

static rv_result edit(rv_world *world, rv_event_kind kind, const rv_solid_def *tool,
                      const rv_vec3 *path, int points, rv_edit_report *report)
{
    rv_event_def e = rv_default_event_def();
    e.kind = kind, e.tool = tool, e.tool_count = 1, e.path = path, e.path_count = points;
    return rv_world_edit(world, &e, report, NULL);
}

static void random_edit(rv_world *world, double size)
{
    rv_vec3 path[2] = {random_place(), random_place()};
    rv_solid_def tool = random_tool(size);
    int points = 1;
    if (below(3) == 0) {
        points = 2;
        path[1] = (rv_vec3){path[0].x + uniform(-0.003, 0.003), path[0].y + uniform(-0.003, 0.003),
                            path[0].z + uniform(-0.003, 0.003)};
    }
    rv_edit_report report;
    assert_int_equal(edit(world, below(2) ? RV_EVENT_CARVE : RV_EVENT_ADD, &tool, path, points,
                          &report),
                     RV_OK);
}

static void *save(const rv_world *world, size_t *size)
{
    *size = rv_world_snapshot_size(world);
    void *buffer = malloc(*size);
    assert_int_equal(rv_world_save(world, buffer, *size), RV_OK);
    return buffer;
}

static void test_random_edits(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 8; seed++) {
        static const rv_passages kinds[] = {RV_PASSAGES_PRESSURE, RV_PASSAGES_UNIFIED,
                                            RV_PASSAGES_AXIS, RV_PASSAGES_NONE};
        scene s;
        random_state = (uint64_t)seed;
        make_scene(&s, kinds[seed % 4]);
        if (seed % 2) s.def.params.border_west = RV_BORDER_OPEN;
        rv_world *world = create(&s.def), *twin = create(&s.def);
        double first = stats_of(world).volume;
        for (int k = 0; k < 60; k++) {
            random_edit(world, k % 2 ? 0.004 : 0.0015);
            if (k % 3 == 0) assert_int_equal(rv_world_step(world, 0.004), RV_OK);
            if (k % 20 == 19) assert_columns_follow_field(world);
            assert_sane(world);
            double off = balance(world, first);
            if (!(off < 2e-7 && off > -2e-7)) fail_msg("seed %d, edit %d: volume off by %g", seed, k, off);
        }
        // a twin restored from it has its solver built from scratch: both go on alike, bit for bit
        size_t size;
        void *snapshot = save(world, &size);
        rv_messages m = {0};
        if (rv_world_restore(twin, snapshot, size, &m) != RV_OK) fail_msg("%s", m.text);
        assert_int_equal(rv_world_hash(world), rv_world_hash(twin));
        rv_world_info a, b;
        rv_world_get_info(world, &a), rv_world_get_info(twin, &b);
        assert_int_equal(a.columns, b.columns);
        assert_int_equal(a.pipes, b.pipes);
        assert_int_equal(a.odd, b.odd);
        for (int k = 0; k < 30; k++) {
            if (k % 5 == 0) {
                uint64_t here = random_state;
                random_edit(world, 0.003);
                random_state = here;
                random_edit(twin, 0.003);
            }
            rv_world_step(world, 0.004), rv_world_step(twin, 0.004);
            if (rv_world_hash(world) != rv_world_hash(twin)) fail_msg("seed %d, step %d differs", seed, k);
        }
        free(snapshot);
        rv_world_destroy(world), rv_world_destroy(twin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
