// Terrain that changes under liquid: whatever is carved, added and moved, the columns are those of
// casting everything again, the pipes those of a solver built from scratch, and no liquid is lost.
#include "small_worlds.h"
#include "terrain/terrain.h"
#include "world/world_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    rv_solid_def s =
        shape((rv_shape[]){RV_SHAPE_SPHERE, RV_SHAPE_BOX, RV_SHAPE_CYLINDER}[below(3)], 0, 0, 0);
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

// Liquid there is, in columns and held, against what was put in.
static double off_balance(const rv_world *world, double first)
{
    rv_stats s = stats_of(world);
    return (s.volume + s.held + s.airborne - first - s.sourced + s.drained) / (first + s.sourced);
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
    rv_world_get_columns(world, &c);
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
    assert_int_equal(
        edit(world, below(2) ? RV_EVENT_CARVE : RV_EVENT_ADD, &tool, path, points, &report), RV_OK);
}

static void test_random_edits(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 12; seed++) {
        static const rv_passages kinds[] = {RV_PASSAGES_PRESSURE, RV_PASSAGES_UNIFIED,
                                            RV_PASSAGES_AXIS, RV_PASSAGES_NONE};
        scene s;
        random_state = (uint64_t)seed;
        make_scene(&s, kinds[seed % 4]);
        if (seed % 2) s.def.params.border_west = RV_BORDER_OPEN;
        if (seed > 8) s.def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
        rv_world *world = create(&s.def), *twin = create(&s.def);
        double first = stats_of(world).volume;
        for (int k = 0; k < 60; k++) {
            random_edit(world, k % 2 ? 0.004 : 0.0015);
            if (k % 3 == 0) assert_int_equal(rv_world_step(world, 0.004), RV_OK);
            if (k % 20 == 19) assert_columns_follow_field(world);
            assert_sane(world);
            double off = off_balance(world, first);
            if (!(off < 2e-7 && off > -2e-7))
                fail_msg("seed %d, edit %d: volume off by %g", seed, k, off);
        }
        // a twin restored from it has its solver built from scratch: both go on alike, bit for bit
        size_t size;
        unsigned char *snapshot = save(world, &size);
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
            if (rv_world_hash(world) != rv_world_hash(twin))
                fail_msg("seed %d, step %d differs", seed, k);
        }
        free(snapshot);
        rv_world_destroy(world), rv_world_destroy(twin);
    }
}

// Edits of the field give the columns of a field that was built with the edits as solids.
static void test_edits_as_solids(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 6; seed++) {
        scene s;
        random_state = (uint64_t)seed + 100;
        make_scene(&s, RV_PASSAGES_NONE);
        s.def.fill_count = 0;
        rv_world *edited = create(&s.def);
        for (int k = 0; k < 10; k++) {
            rv_solid_def *tool = &s.solid[s.def.solid_count];
            rv_vec3 at = random_place();
            bool carve = below(2);
            *tool = random_tool(0.004);
            assert_int_equal(
                edit(edited, carve ? RV_EVENT_CARVE : RV_EVENT_ADD, tool, &at, 1, NULL), RV_OK);
            tool->at = at, tool->op = carve ? RV_SUBTRACT : RV_UNION;
            s.def.solid_count++;
        }
        rv_world *built = create(&s.def);
        assert_int_equal(rv_world_fingerprint(edited), rv_world_fingerprint(built));
        // distances stay bounds: never more than the true one
        for (int k = 0; k < 2000; k++) {
            rv_vec3 at = {uniform(-0.022, 0.022), uniform(-0.018, 0.018), uniform(0, 0.02)};
            float d;
            rv_world_distance(edited, &at, 1, &d);
            double exact = fmin(rv_solids_distance(s.solid, s.def.solid_count, at), at.z);
            assert_true((double)fabsf(d) <=
                        fabs(exact) + 0.75 * DX); // off at edges between samples
            if (fabs(exact) > 0.5 * DX) assert_true((d < 0) == (exact < 0));
        }
        rv_world_destroy(edited), rv_world_destroy(built);
    }
}

// Without steps between them, edits move liquid and neither make nor lose any.
static void test_edits_keep_volume(void **state)
{
    (void)state;
    scene s;
    random_state = 7;
    make_scene(&s, RV_PASSAGES_NONE);
    rv_world *world = create(&s.def);
    double first = stats_of(world).volume;
    for (int k = 0; k < 400; k++) random_edit(world, 0.004);
    rv_stats t = stats_of(world);
    assert_true(t.displaced > 0.05 * first);
    assert_true(fabs(t.volume + t.held - first) < 1e-12 * first);
    assert_int_equal(t.edits, 400);
    rv_world_destroy(world);
}

// A world of one box of liquid, 40 × 30 cells, between walls of the grid.
static void make_pool(scene *s, double level)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->tension_on = false; // levels are even
    p->grid_nx = 40, p->grid_ny = 30, p->grid_dx = DX, p->grid_bottom = 0, p->grid_top = 0.05;
    p->liquid_viscosity = 1e-4;
    s->solid[0] = shape(RV_SHAPE_PLANE, 0, 0, 0.004);
    s->fill[0] = rv_default_fill_def();
    s->fill[0].kind = RV_FILL_LEVEL, s->fill[0].level = level;
    s->def.solids = s->solid, s->def.solid_count = 1;
    s->def.fills = s->fill, s->def.fill_count = 1;
}

static double level_at(const rv_world *world, double x, double y, double z)
{
    rv_vec3 at = {x, y, z};
    rv_sample out;
    rv_world_sample(world, &at, 1, &out);
    assert_true(out.inside);
    return out.level;
}

// All liquid that a tool pushes out of its way raises the pool by its volume.
static void test_pushed_aside(void **state)
{
    (void)state;
    scene s;
    make_pool(&s, 0.014);
    rv_world *world = create(&s.def);
    double first = stats_of(world).volume, area = 40 * 30 * DX * DX;
    rv_solid_def block = shape(RV_SHAPE_BOX, 0.0003, 0, 0);
    block.size = (rv_vec3){0.0101, 0.0081, 0.02};
    rv_vec3 at = {0, 0, 0.009};
    rv_edit_report report;
    assert_int_equal(edit(world, RV_EVENT_ADD, &block, &at, 1, &report), RV_OK);
    assert_true(report.changed > 60 && report.changed <= report.cells && report.bricks > 0);
    assert_true(report.displaced > 0.9 * 0.010 * 0.008 * 0.010);
    for (int k = 0; k < 3000; k++) rv_world_step(world, 0.004);
    // cells whose middle is in the block: 10 × 8
    double rise = 80 * DX * DX * 0.010 / (area - 80 * DX * DX);
    assert_true(fabs(level_at(world, 0.015, 0.010, 0.02) - 0.014 - rise) < 2e-5);
    assert_true(fabs(stats_of(world).volume - first) < 1e-6 * first);
    rv_world_destroy(world);
}

// Drilling through a wall joins two pools under their surface; a plug parts them again.
static void test_passage_opens_and_closes(void **state)
{
    (void)state;
    scene s;
    make_pool(&s, 0.02);
    s.solid[1] = shape(RV_SHAPE_BOX, 0, 0, 0.02);
    s.solid[1].size = (rv_vec3){0.006, 0.1, 0.06};
    s.def.solid_count = 2;
    s.fill[0].to.x = -0.003, s.fill[1] = s.fill[0], s.def.fill_count = 2;
    s.fill[1].from.x = 0.003, s.fill[1].to.x = 1, s.fill[1].level = 0.01;
    rv_world *world = create(&s.def);
    rv_solid_def drill = shape(RV_SHAPE_SPHERE, 0, 0, 0);
    drill.radius = 0.002;
    rv_vec3 path[2] = {{-0.006, 0, 0.007}, {0.006, 0, 0.007}};
    for (int k = 0; k < 50; k++) rv_world_step(world, 0.004);
    assert_true(fabs(level_at(world, -0.015, 0, 0.03) - 0.02) < 1e-6);
    assert_int_equal(edit(world, RV_EVENT_CARVE, &drill, path, 2, NULL), RV_OK);
    for (int k = 0; k < 200; k++) rv_world_step(world, 0.004);
    rv_stats t = stats_of(world);
    assert_true(t.flooded > 0 && t.passages > 0);
    double left = level_at(world, -0.015, 0, 0.03), right = level_at(world, 0.015, 0, 0.03);
    assert_true(left < 0.0195 && right > 0.0105);
    drill.radius = 0.0035;
    assert_int_equal(edit(world, RV_EVENT_ADD, &drill, path, 2, NULL), RV_OK);
    for (int k = 0; k < 500; k++) rv_world_step(world, 0.004);
    double later = level_at(world, 0.015, 0, 0.03);
    for (int k = 0; k < 500; k++) rv_world_step(world, 0.004);
    assert_true(fabs(level_at(world, 0.015, 0, 0.03) - later) < 1e-6);
    assert_true(level_at(world, -0.015, 0, 0.03) > level_at(world, 0.015, 0, 0.03) + 0.001);
    rv_world_destroy(world);
}

// With no room left anywhere liquid waits, and comes back when there is some.
static void test_held(void **state)
{
    (void)state;
    scene s;
    make_pool(&s, 0.014);
    rv_world *world = create(&s.def);
    double first = stats_of(world).volume;
    rv_solid_def all = shape(RV_SHAPE_BOX, 0, 0, 0.025);
    all.size = (rv_vec3){0.1, 0.1, 0.1};
    rv_edit_report report;
    assert_int_equal(edit(world, RV_EVENT_ADD, &all, NULL, 0, &report), RV_OK);
    rv_stats t = stats_of(world);
    assert_true(t.volume == 0 && fabs(t.held - first) < 1e-12 * first && report.held == t.held);
    rv_world_step(world, 0.01);
    // what waits is in a snapshot too, and with it where it waits
    size_t size;
    unsigned char *snapshot = save(world, &size);
    rv_world *twin = create(&s.def), *both[2] = {world, twin};
    assert_int_equal(rv_world_restore(twin, snapshot, size, NULL), RV_OK);
    free(snapshot);
    rv_solid_def hole = shape(RV_SHAPE_BOX, 0.004, 0.003, 0.03);
    hole.size = (rv_vec3){0.02, 0.02, 0.05};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(edit(both[i], RV_EVENT_CARVE, &hole, NULL, 0, NULL), RV_OK);
        for (int k = 0; k < 5; k++) rv_world_step(both[i], 0.01);
        t = stats_of(both[i]);
        assert_true(fabs(t.held) < 1e-6 * first && fabs(t.volume - first) < 1e-6 * first);
    }
    assert_true(rv_world_hash(world) == rv_world_hash(twin));
    rv_world_destroy(twin);
    rv_world_destroy(world);
}

// ---- Moving solids ------------------------------------------------------------------------------

static rv_result move(rv_world *world, rv_vec3 shift, rv_vec3 rotate)
{
    rv_pose pose = {.shift = shift, .rotate = rotate};
    return rv_world_move(world, 1, &pose, NULL, NULL);
}

static void test_moving_solid(void **state)
{
    (void)state;
    scene s;
    make_pool(&s, 0.014);
    s.solid[1] = shape(RV_SHAPE_SPHERE, -0.008, 0, 0.02);
    s.solid[1].radius = 0.0055, s.solid[1].mover = 1;
    s.def.solid_count = 2;
    rv_world *world = create(&s.def);
    double first = stats_of(world).volume;
    uint64_t before = rv_world_fingerprint(world);
    for (int k = 0; k <= 20; k++) {
        double x = 0.0008 * k;
        assert_int_equal(move(world, (rv_vec3){x, 0, -0.0003 * k}, (rv_vec3){0, 0, 0.1 * k}),
                         RV_OK);
        rv_world_step(world, 0.004);
        assert_sane(world);
    }
    assert_columns_follow_field(world);
    // it turned about the origin, then went: its middle is known, and so are its top and underside
    double a = 2.0, x = -0.008 * cos(a) + 0.016, y = -0.008 * sin(a);
    rv_vec3 at[2] = {{x, y, 0.04}, {x, y, 0.013}};
    rv_sample out[2];
    rv_world_sample(world, at, 2, out);
    assert_true(fabs(out[0].base - 0.0195) < 0.15 * DX);
    assert_true(fabs(out[1].ceiling - 0.0085) < 0.15 * DX);
    double off = off_balance(world, first);
    assert_true(fabs(off) < 1e-6);
    // and back: the terrain is what it was
    assert_int_equal(move(world, (rv_vec3){0, 0, 0}, (rv_vec3){0, 0, 0}), RV_OK);
    assert_int_equal(rv_world_fingerprint(world), before);
    assert_true(fabs(off_balance(world, first)) < 1e-6);
    rv_messages m = {0};
    rv_pose pose = {0};
    assert_int_equal(rv_world_move(world, 2, &pose, NULL, &m), RV_BAD_ARGUMENT);
    assert_non_null(strstr(m.text, "no solid has mover 2"));
    rv_world_destroy(world);
}

// Liquid on a plate goes up with it.
static void test_lifted_with_its_liquid(void **state)
{
    (void)state;
    scene s;
    make_pool(&s, 0.001);
    s.solid[1] = shape(RV_SHAPE_GROUP, 0, 0, 0.010);
    s.solid[1].children = 2, s.solid[1].mover = 1;
    s.solid[2] = shape(RV_SHAPE_BOX, 0, 0, 0), s.solid[2].size = (rv_vec3){0.0205, 0.0205, 0.006};
    s.solid[3] = shape(RV_SHAPE_BOX, 0, 0, 0.002);
    s.solid[3].size = (rv_vec3){0.0145, 0.0145, 0.006}, s.solid[3].op = RV_SUBTRACT;
    s.def.solid_count = 4;
    s.fill[0].kind = RV_FILL_LEVEL, s.fill[0].level = 0.0125;
    s.fill[0].from = (rv_vec3){-0.008, -0.008, 0.008},
    s.fill[0].to = (rv_vec3){0.008, 0.008, 0.011};
    rv_world *world = create(&s.def);
    double first = stats_of(world).volume;
    assert_true(first > 0);
    for (int k = 1; k <= 100; k++) {
        assert_int_equal(move(world, (rv_vec3){0, 0, 0.0002 * k}, (rv_vec3){0, 0, 0}), RV_OK);
        rv_world_step(world, 0.004);
    }
    for (int k = 0; k < 100; k++) rv_world_step(world, 0.004);
    assert_true(fabs(level_at(world, 0, 0, 0.049) - 0.0325) < 2e-5);
    assert_true(fabs(stats_of(world).volume - first) < 1e-6 * first);
    rv_world_destroy(world);
}

// Mean velocity along x, m/s, of what stands in the tray around x.
static double mean_speed(const rv_world *world, double x)
{
    double sum = 0, count = 0;
    for (double u = -0.006; u < 0.0061; u += DX)
        for (double v = -0.006; v < 0.0061; v += DX) {
            rv_vec3 at = {x + u, v, 0.049};
            rv_sample out;
            rv_world_sample(world, &at, 1, &out);
            sum += out.u, count += 1;
        }
    return sum / count;
}

// A tray that is pushed along takes its liquid with it: from the first step on it has the tray's
// velocity, keeps it, and loses it when the tray stops.
static void test_liquid_rides_with_a_tray(void **state)
{
    (void)state;
    scene s;
    rv_event_def e = rv_default_event_def();
    make_pool(&s, 0.001);
    s.def.params.liquid_viscosity = 1e-6, s.def.params.tension_on = false;
    s.solid[1] = shape(RV_SHAPE_GROUP, -0.006, 0, 0.018);
    s.solid[1].children = 2, s.solid[1].mover = 1;
    s.solid[2] = shape(RV_SHAPE_BOX, 0, 0, 0), s.solid[2].size = (rv_vec3){0.0225, 0.0225, 0.022};
    s.solid[3] = shape(RV_SHAPE_BOX, 0, 0, 0.004);
    s.solid[3].size = (rv_vec3){0.0165, 0.0165, 0.022}, s.solid[3].op = RV_SUBTRACT;
    s.def.solid_count = 4;
    s.fill[0].kind = RV_FILL_LEVEL, s.fill[0].level = 0.022;
    s.fill[0].from = (rv_vec3){-0.016, -0.009, 0.010};
    s.fill[0].to = (rv_vec3){0.004, 0.009, 0.021};
    e.kind = RV_EVENT_MOVE, e.start = 0.02, e.duration = 0.2, e.mover = 1;
    e.shift = (rv_vec3){0.01, 0, 0}; // 50 mm/s
    s.def.events = &e, s.def.event_count = 1;
    rv_world *world = create(&s.def);
    double first = stats_of(world).volume, speed[3] = {0};
    assert_true(first > 1e-6);
    for (int k = 1; k <= 120; k++) {
        rv_world_step(world, 0.004);
        double x = -0.006 + 0.05 * fmin(fmax(0.004 * k - 0.02, 0), 0.2);
        double u = mean_speed(world, x);
        if (k == 6) speed[0] = u;
        if (k > 6 && k <= 55) speed[1] += u / 49;
        if (k == 120) speed[2] = u;
    }
    print_message("first %.4f, mean %.4f, after it %.4f m/s\n", speed[0], speed[1], speed[2]);
    assert_true(fabs(speed[0] - 0.05) < 0.015 && fabs(speed[1] - 0.05) < 0.01);
    assert_true(fabs(speed[2]) < 0.02);
    assert_true(fabs(off_balance(world, first)) < 1e-6);
    rv_world_destroy(world);
}

// ---- Events -------------------------------------------------------------------------------------

static void add_events(scene *s, rv_event_def e[3], const rv_solid_def *tool, const rv_vec3 *path)
{
    for (int i = 0; i < 3; i++) e[i] = rv_default_event_def();
    e[0].start = 0.05, e[0].duration = 0.1, e[0].tool = tool, e[0].tool_count = 1;
    e[0].path = path, e[0].path_count = 3;
    e[1].kind = RV_EVENT_ADD, e[1].start = 0.1, e[1].tool = tool + 1, e[1].tool_count = 1;
    e[2].kind = RV_EVENT_MOVE, e[2].start = 0.08, e[2].duration = 0.1;
    e[2].shift = (rv_vec3){0.004, 0, 0.003}, e[2].rotate.z = 0.5;
    s->solid[1] = shape(RV_SHAPE_BOX, -0.008, -0.005, 0.02);
    s->solid[1].size = (rv_vec3){0.008, 0.006, 0.014}, s->solid[1].mover = 1;
    s->def.solid_count = 2, s->def.events = e, s->def.event_count = 3;
}

static void test_events(void **state)
{
    (void)state;
    scene s;
    rv_event_def e[3];
    rv_solid_def tool[2] = {shape(RV_SHAPE_SPHERE, 0, 0, 0),
                            shape(RV_SHAPE_BOX, 0.012, 0.01, 0.006)};
    rv_vec3 path[3] = {{0.002, 0, 0.006}, {0.008, 0.002, 0.003}, {0.008, 0.008, 0.004}};
    tool[0].radius = 0.0021;
    make_pool(&s, 0.012);
    add_events(&s, e, tool, path);
    rv_world *one = create(&s.def), *two = create(&s.def), *restored = create(&s.def);
    double first = stats_of(one).volume;
    size_t size = 0;
    void *snapshot = NULL;
    tool[0].radius = 1, path[0].x = 1; // the worlds have their own copies
    for (int k = 0; k < 40; k++) {
        if (k == 24) snapshot = save(one, &size); // in the midst of them
        rv_world_step(one, 0.005);
    }
    for (int k = 0; k < 80; k++) rv_world_step(two, 0.0025);
    assert_true(stats_of(one).edits > 20);
    assert_int_equal(rv_world_fingerprint(one), rv_world_fingerprint(two));
    assert_true(fabs(off_balance(one, first)) < 1e-6);
    assert_int_equal(rv_world_restore(restored, snapshot, size, NULL), RV_OK);
    for (int k = 24; k < 40; k++) rv_world_step(restored, 0.005);
    assert_int_equal(rv_world_hash(one), rv_world_hash(restored));
    // a world that went on can go back
    assert_int_equal(rv_world_restore(two, snapshot, size, NULL), RV_OK);
    for (int k = 24; k < 40; k++) rv_world_step(two, 0.005);
    assert_int_equal(rv_world_hash(one), rv_world_hash(two));
    free(snapshot);
    rv_world_destroy(one), rv_world_destroy(two), rv_world_destroy(restored);
}

static void test_threads(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
        scene s;
        random_state = 11;
        make_scene(&s, RV_PASSAGES_PRESSURE);
        s.solid[s.def.solid_count] = shape(RV_SHAPE_BOX, -0.02, 0, 0.008);
        s.solid[s.def.solid_count].size = (rv_vec3){0.02, 0.03, 0.008};
        s.solid[s.def.solid_count++].mover = 1;
        s.def.pool = rv_pool_create(threads);
        rv_world *world = create(&s.def);
        for (int k = 0; k < 20; k++) {
            random_edit(world, 0.008);
            move(world, (rv_vec3){0.002 * k, 0, 0}, (rv_vec3){0.02 * k, 0, 0});
            rv_world_step(world, 0.004);
        }
        hash[threads - 1] = rv_world_hash(world);
        rv_world_destroy(world);
        rv_pool_destroy(s.def.pool);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(hash[0], hash[2]);
}

// ---- Trouble ------------------------------------------------------------------------------------

static void expect_problem(const scene *s, const char *line)
{
    rv_world *world;
    rv_messages m = {0};
    assert_int_equal(rv_world_create(&s->def, &world, &m), RV_BAD_ARGUMENT);
    assert_int_equal(m.count, 1);
    if (!strstr(m.text, line)) fail_msg("'%s' is not in '%s'", line, m.text);
}

static void test_bad_events(void **state)
{
    (void)state;
    scene s;
    rv_event_def e[3];
    rv_solid_def tool[2] = {shape(RV_SHAPE_SPHERE, 0, 0, 0), shape(RV_SHAPE_BOX, 0, 0, 0)};
    rv_vec3 path[3] = {{0, 0, 0}, {0, 0, 0.01}, {0, NAN, 0}};
    make_pool(&s, 0.012);
    add_events(&s, e, tool, path);
    expect_problem(&s, "events[0].path[2]: not finite");
    path[2].y = 0, tool[0].radius = 0;
    expect_problem(&s, "events[0].tool[0].radius: must be above 0");
    tool[0].radius = 0.001, e[1].tool_count = 0;
    expect_problem(&s, "events[1].tool: missing");
    e[1].tool_count = 1, e[2].mover = 3;
    expect_problem(&s, "events[2].mover: no solid has mover 3");
    e[2].mover = 1, e[0].start = -1;
    expect_problem(&s, "events[0].start");
    e[0].start = 0, s.def.params.terrain_keep = false;
    expect_problem(&s, "terrain.keep: must be true");
    s.def.params.terrain_keep = true, tool[0].mover = 1;
    expect_problem(&s, "events[0].tool[0].mover: a tool has no moving solids");
    rv_messages m = {0};
    tool[0].mover = 0;
    rv_world *world = create(&s.def);
    uint64_t hash = rv_world_hash(world);
    e[0].path_count = -1;
    assert_int_equal(rv_world_edit(world, &e[0], NULL, &m), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_edit(world, &e[2], NULL, &m), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_edit(NULL, &e[1], NULL, &m), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_edit(world, NULL, NULL, NULL), RV_BAD_ARGUMENT);
    rv_world_def glass = rv_default_world_def();
    rv_world *pane;
    glass.params.solver = RV_SOLVER_GLASS;
    assert_int_equal(rv_world_create(&glass, &pane, NULL), RV_OK);
    m = (rv_messages){0};
    assert_int_equal(rv_world_edit(pane, &e[1], NULL, &m), RV_BAD_ARGUMENT);
    assert_string_equal(m.text, "rv_world_edit: the ground of solver glass does not change");
    rv_world_destroy(pane);
    assert_int_equal(rv_world_move(world, 1, NULL, NULL, NULL), RV_BAD_ARGUMENT);
    assert_int_equal(rv_world_hash(world), hash);
    rv_world_destroy(world);
}

// An allocator that fails once its patience is over.
typedef struct stingy {
    rv_allocator real;
    int64_t left;
} stingy;

static void *stingy_allocate(size_t bytes, void *user)
{
    stingy *s = user;
    if (s->left == 0) return NULL;
    if (s->left > 0) s->left--;
    return s->real.allocate(bytes, s->real.user);
}

static void stingy_release(void *memory, size_t bytes, void *user)
{
    stingy *s = user;
    s->real.release(memory, bytes, s->real.user);
}

// Whatever allocation fails, the world stays whole, loses nothing, and goes on when there is memory
// again.
static void test_out_of_memory(void **state)
{
    (void)state;
    bool done = false;
    for (int64_t patience = 0; !done; patience++) {
        scene s;
        stingy user = {rv_default_allocator(), -1};
        random_state = 5;
        make_scene(&s, RV_PASSAGES_NONE);
        s.solid[s.def.solid_count] = shape(RV_SHAPE_BOX, 0.03, 0, 0.008);
        s.solid[s.def.solid_count].size = (rv_vec3){0.02, 0.02, 0.008};
        s.solid[s.def.solid_count++].mover = 1;
        s.def.allocator = (rv_allocator){stingy_allocate, stingy_release, &user};
        rv_world *world = create(&s.def);
        double first = stats_of(world).volume;
        rv_solid_def tool = shape(RV_SHAPE_BOX, 0, 0, 0);
        rv_vec3 at[3] = {{0, 0, 0.012}, {0.01, 0, 0.004}, {-0.01, 0, 0.01}};
        tool.size = (rv_vec3){0.012, 0.012, 0.002};
        user.left = patience;
        rv_result r[4] = {edit(world, RV_EVENT_ADD, &tool, &at[0], 1, NULL),
                          edit(world, RV_EVENT_CARVE, &tool, &at[1], 1, NULL),
                          edit(world, RV_EVENT_ADD, &tool, &at[2], 1, NULL),
                          move(world, (rv_vec3){-0.02, 0, 0}, (rv_vec3){0, 0, 0.3})};
        done = true;
        for (int k = 0; k < 4; k++) {
            assert_true(r[k] == RV_OK || r[k] == RV_OUT_OF_MEMORY);
            done = done && r[k] == RV_OK;
        }
        rv_world_step(world, 0.002);
        user.left = -1;
        assert_sane(world);
        assert_true(fabs(off_balance(world, first)) < 1e-6);
        assert_int_equal(move(world, (rv_vec3){-0.021, 0, 0}, (rv_vec3){0, 0, 0.3}), RV_OK);
        assert_columns_follow_field(world);
        assert_true(fabs(off_balance(world, first)) < 1e-6);
        rv_world_destroy(world);
        assert_true(patience < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_edits_as_solids),
        cmocka_unit_test(test_edits_keep_volume),
        cmocka_unit_test(test_pushed_aside),
        cmocka_unit_test(test_passage_opens_and_closes),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_moving_solid),
        cmocka_unit_test(test_lifted_with_its_liquid),
        cmocka_unit_test(test_liquid_rides_with_a_tray),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_bad_events),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
