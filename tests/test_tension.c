// What surface tension promises beside its physics (which `rivulet verify` checks): the same bits
// for any number of threads, any instruction set, turned and mirrored scenes and restored worlds;
// the bits of before where it is off; volume kept and numbers finite under random edits and the
// strangest liquids; closed sides of the grid act as mirrors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "column_at.h"
#include "columns/columns.h"
#include "io/scene_file.h"
#include "rivulet/rivulet.h"

#include <math.h>

#define SIDE 0x1p-10 // m: a power of two, so that places on the grid are exact, turned or not
#define SOLIDS 4
#define STEPS 6

typedef struct scene {
    rv_solid_def solids[SOLIDS];
    rv_fill_def fills[2];
    rv_source_def source;
    rv_world_def def;
} scene;

static rv_solid_def box(double x, double y, double z, double wide, double deep, double high)
{
    rv_solid_def s = rv_default_solid_def();
    s.at = (rv_vec3){x * SIDE, y * SIDE, z * SIDE};
    s.size = (rv_vec3){wide * SIDE, deep * SIDE, high * SIDE};
    return s;
}

// Ground, a slab over a part of it, a pillar and a ball; a drop on the slab's edge, a puddle on the
// ground that reaches under the slab, and a source between them.
static void set_up(scene *s, rv_solver_kind solver, int nx, int ny)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->tension_on = true, p->drips_on = false; // what hangs is not in columns
    p->solver = solver, p->grid_nx = nx, p->grid_ny = ny, p->grid_dx = SIDE;
    p->grid_bottom = -2 * SIDE, p->grid_top = 20 * SIDE;
    s->solids[0] = box(0, 0, -4, 200, 200, 8);
    s->solids[1] = box(5, 2, 7, 12, 9, 2);
    s->solids[2] = box(-6.5, -3, 4, 2, 3, 16);
    s->solids[3] = rv_default_solid_def();
    s->solids[3].shape = RV_SHAPE_SPHERE, s->solids[3].radius = 4.3 * SIDE;
    s->solids[3].at = (rv_vec3){-4 * SIDE, 7 * SIDE, 0};
    for (int i = 0; i < 2; i++) {
        s->fills[i] = rv_default_fill_def();
        s->fills[i].kind = RV_FILL_DROP, s->fills[i].volume = 3e-7, s->fills[i].radius = 5 * SIDE;
    }
    s->fills[0].at = (rv_vec3){0, 3 * SIDE, 10 * SIDE};
    s->fills[1].at = (rv_vec3){2 * SIDE, -5 * SIDE, 5 * SIDE};
    s->source = rv_default_source_def();
    s->source.at = (rv_vec3){-3 * SIDE, 1 * SIDE, 19 * SIDE}, s->source.rate = 2e-6;
    s->def.solids = s->solids, s->def.solid_count = SOLIDS;
    s->def.fills = s->fills, s->def.fill_count = 2;
    s->def.sources = &s->source, s->def.source_count = 1;
}

static double random_in(uint32_t *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*seed >> 8) / 16777216.0;
}

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) print_message("%s\n", messages.text);
    assert_non_null(world);
    return world;
}

static void run(rv_world *world, int steps)
{
    for (int i = 0; i < steps; i++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
}

static rv_stats stats_of(const rv_world *world)
{
    rv_stats stats;
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    return stats;
}

// Depths are numbers, from 0 to the ceiling, and nothing was lost of what came in.
static void assert_sound_within(const rv_world *world, double first, double share, const char *what)
{
    rv_columns c;
    rv_stats s = stats_of(world);
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    if (s.not_finite > 0) fail_msg("%s: not finite", what);
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        if (!(c.depth[i] >= 0)) fail_msg("%s: a depth below 0, or none", what);
        if (!(c.depth[i] <= (c.max[i] - c.base[i]) * 1.000001f))
            fail_msg("%s: a level above its ceiling", what);
    }
    double went_in = first + s.sourced, is = s.volume + s.airborne + s.held + s.drained;
    if (!(fabs(is - went_in) <= share * went_in))
        fail_msg("%s: volume %.9g of %.9g", what, is, went_in);
}

static void assert_sound(const rv_world *world, double first, const char *what)
{
    assert_sound_within(world, first, 1e-6, what);
}

// ---- The same bits ------------------------------------------------------------------------------

extern const rv_solver_api rv_pipes_api, rv_swe_api;
static const rv_solver_kind solvers[2] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};

static uint64_t hash_with(const rv_world_def *of, int threads)
{
    rv_world_def def = *of;
    def.pool = rv_pool_create(threads);
    rv_world *world = make(&def);
    run(world, STEPS);
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    rv_pool_destroy(def.pool);
    return hash;
}

static void threads_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s;
        set_up(&s, solvers[k], 45, 64);
        uint64_t want = hash_with(&s.def, 1);
        for (int threads = 2; threads <= 5; threads += 3)
            if (hash_with(&s.def, threads) != want) fail_msg("%d threads give other bits", threads);
        s.def.params.liquid_advancing += 0.01; // it is tension that was compared
        assert_true(hash_with(&s.def, 1) != want);
    }
}

// Ground with waves, and over a part of it a slab: its columns are of two planes.
static void make_columns(rv_column_set *set, const rv_params *p)
{
    rv_grid grid = rv_grid_of(p);
    rv_allocator allocator = rv_default_allocator();
    uint8_t count[40 * 30];
    for (int i = 0; i < grid.nx * grid.ny; i++)
        count[i] = i % grid.nx > 9 && i % grid.nx < 23 && i / grid.nx > 6 ? 2 : 1;
    assert_int_equal(rv_columns_layout(set, &grid, count, NULL, &allocator), RV_OK);
    for (int y = 0; y < grid.ny; y++)
        for (int x = 0; x < grid.nx; x++) {
            float low = (float)(0.002 * (1 + sin(0.4 * x) * cos(0.3 * y)));
            int layers = count[y * grid.nx + x];
            for (int l = 0; l < layers; l++) {
                size_t i = rv_slot(&set->plane[l], x, y);
                set->min[i] = l ? 0.008f : 0.0f, set->base[i] = l ? 0.01f + low : low;
                set->max[i] = l || layers == 1 ? 0.03f : 0.008f;
            }
        }
    rv_columns_snap(set);
}

static void run_on(const rv_column_set *set, const rv_params *params, rv_loops loops, float *out)
{
    rv_allocator allocator = rv_default_allocator();
    rv_solver_setup setup = {.columns = set, .params = params, .allocator = &allocator};
    rv_engine *s = NULL;
    uint32_t r = 3;
    assert_int_equal(rv_pipes_create(&setup, &s), RV_OK);
    s->loops = loops;
    for (size_t i = 0; i < set->slots; i++)
        if (rv_column_exists(set, i) && random_in(&r, 0, 1) < 0.5) {
            rv_entry entry = {.kind = RV_ENTRY_ADD, .slot = i, .amount = random_in(&r, 0, 0.004)};
            rv_pipes_exchange(s, &entry, 1);
        }
    for (int i = 0; i < 4; i++) {
        int parts = rv_pipes_substeps(s, 5e-3);
        for (int k = 0; k < parts; k++) rv_pipes_substep(s, 5e-3 / parts);
    }
    memcpy(out, s->depth, set->slots * sizeof *out);
    rv_pipes_destroy(s);
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    static const char *const sets[] = {"avx2", "avx512"};
    for (int k = 0; k < 2; k++) {
        rv_params p = rv_default_params();
        p.tension_on = true;
        rv_column_set set;
        p.solver = solvers[k], p.grid_nx = 40, p.grid_ny = 30, p.grid_dx = 1e-3;
        p.grid_bottom = 0, p.grid_top = 0.03, p.border_east = RV_BORDER_OPEN;
        make_columns(&set, &p);
        float *want = malloc(set.slots * sizeof *want), *got = malloc(set.slots * sizeof *got);
        assert_true(want && got);
        run_on(&set, &p, rv_loops_named("baseline"), want);
        for (int i = 0; i < 2; i++) {
            if (!rv_loops_named(sets[i]).rows) continue;
            run_on(&set, &p, rv_loops_named(sets[i]), got);
            for (size_t j = 0; j < set.slots; j++)
                if (rv_column_exists(&set, j) && memcmp(&want[j], &got[j], sizeof *got) != 0)
                    fail_msg("%s gives other bits", sets[i]);
        }
        free(want), free(got);
        rv_columns_free(&set);
    }
}

// (x, y) becomes (-y, x) when turned, (-x, y) when mirrored.
static rv_vec3 moved(rv_vec3 p, bool turn)
{
    return turn ? (rv_vec3){-p.y, p.x, p.z} : (rv_vec3){-p.x, p.y, p.z};
}

static void move_scene(scene *s, bool turn)
{
    rv_params *p = &s->def.params;
    for (int i = 0; i < SOLIDS; i++) {
        rv_vec3 size = s->solids[i].size;
        s->solids[i].at = moved(s->solids[i].at, turn);
        if (turn) s->solids[i].size = (rv_vec3){size.y, size.x, size.z};
    }
    for (int i = 0; i < 2; i++) s->fills[i].at = moved(s->fills[i].at, turn);
    s->source.at = moved(s->source.at, turn);
    rv_border east = p->border_east;
    p->border_east = RV_BORDER_WALL;
    if (turn) {
        int nx = p->grid_nx;
        p->grid_nx = p->grid_ny, p->grid_ny = nx, p->border_north = east;
    } else {
        p->border_west = east;
    }
}

static void assert_moved(const rv_world *one, const rv_world *two, bool turn)
{
    rv_columns a, b;
    rv_world_get_columns(one, &a);
    rv_world_get_columns(two, &b);
    assert_int_equal(a.planes, b.planes);
    for (int l = 0; l < a.planes; l++)
        for (int y = 0; y < a.ny; y++)
            for (int x = 0; x < a.nx; x++) {
                int tx = turn ? a.ny - 1 - y : a.nx - 1 - x, ty = turn ? x : y;
                if (!rv_plane_has(&a.plane[l], x, y)) continue;
                size_t i = rv_slot(&a.plane[l], x, y), j = rv_slot(&b.plane[l], tx, ty);
                if (!(a.max[i] > a.base[i])) continue;
                if (memcmp(&a.depth[i], &b.depth[j], sizeof(float)) != 0)
                    fail_msg("plane %d, cell %d %d: %.9g, %s %.9g", l, x, y, (double)a.depth[i],
                             turn ? "turned" : "mirrored", (double)b.depth[j]);
            }
}

static void turned_and_mirrored_scenes_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bool turn = k % 2;
        scene s, other;
        set_up(&s, solvers[k / 2], 25, 22);
        s.def.params.liquid_uneven = 0; // which stays with the place
        s.def.params.border_east = RV_BORDER_OPEN;
        other = s;
        other.def.solids = other.solids, other.def.fills = other.fills;
        other.def.sources = &other.source;
        move_scene(&other, turn);
        rv_world *one = make(&s.def), *two = make(&other.def);
        run(one, 2 * STEPS), run(two, 2 * STEPS);
        assert_moved(one, two, turn);
        rv_world_destroy(one), rv_world_destroy(two);
    }
}

static void restored_worlds_go_on(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s;
        set_up(&s, solvers[k], 25, 22);
        rv_world *one = make(&s.def), *two = make(&s.def);
        run(one, STEPS);
        size_t size = rv_world_snapshot_size(one);
        void *middle = malloc(size);
        assert_non_null(middle);
        assert_int_equal(rv_world_save(one, middle, size), RV_OK);
        run(one, STEPS), run(two, 2);
        assert_int_equal(rv_world_restore(two, middle, size, NULL), RV_OK);
        run(two, STEPS);
        assert_true(rv_world_hash(one) == rv_world_hash(two));
        free(middle);
        rv_world_destroy(one), rv_world_destroy(two);
    }
}

// ---- Off ----------------------------------------------------------------------------------------

// Hashes of the engine before it knew of tension, from `rivulet run`. Where flow itself changes on
// purpose, these change with it.
typedef struct old {
    const char *text;
    uint64_t hash;
} old;

static const old olds[] = {
    {"grid: {nx: 60, ny: 40, dx: 1 mm, bottom: -30 mm, top: 30 mm}\n"
     "liquid: {viscosity: 3e-6, tension: 0}\n"
     "time: {step: 0.01, end: 0.3}\n"
     "border: {east: open}\n"
     "solids:\n  - {shape: plane, rotate: 0 15 0 deg}\n"
     "  - {shape: box, at: 5 3 0 mm, size: 6 6 20 mm}\n"
     "sources:\n  - {at: -20 0 29 mm, radius: 4 mm, rate: 2 ml/s}\n",
     0x44be9ff8cf786467u},
    {"solver: swe\n"
     "grid: {nx: 40, ny: 40, dx: 1 mm, bottom: -10 mm, top: 30 mm}\n"
     "liquid: {tension: 0}\n"
     "time: {step: 0.01, end: 0.3}\n"
     "solids:\n  - {shape: box, at: 0 0 -5 mm, size: 100 100 10 mm}\n"
     "  - {shape: box, at: 4 0 6 mm, size: 20 14 2 mm}\n"
     "fills:\n  - {kind: drop, at: 0 0 20 mm, radius: 8 mm, volume: 1 ml}\n"
     "  - {kind: level, level: 3 mm, to: -5 100 100 mm}\n",
     0x135f78543c373672u},
};

static rv_world *made_of_text(const char *text)
{
    rv_scene_file read;
    rv_messages messages = {0};
    FILE *file = fopen("tension.yaml", "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    bool good = rv_scene_load("tension.yaml", &read, &messages);
    assert_int_equal(remove("tension.yaml"), 0);
    if (!good) fail_msg("%s", messages.text);
    rv_world_def def = rv_scene_world_def(&read);
    rv_world *world = make(&def);
    rv_scene_free(&read);
    return world;
}

static void without_tension_all_is_as_before(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        rv_world *world = made_of_text(olds[i].text);
        run(world, 30);
        if (rv_world_hash(world) != olds[i].hash)
            fail_msg("scene %d: %016llx", i, (unsigned long long)rv_world_hash(world));
        rv_world_destroy(world);
    }
}

// ---- Deep liquid --------------------------------------------------------------------------------

#define DEEP                                                                                       \
    "time: {step: 4 ms, end: 4 s}\n"                                                               \
    "liquid: {preset: coffee, viscosity: 2 cSt}\n"                                                 \
    "border: {west: wall, east: wall, south: wall, north: wall}\n"

static const char cup[] =
    "grid: {nx: 46, ny: 46, dx: 0.8 mm, bottom: 0, top: 60 mm}\n" DEEP
    "solids:\n  - {shape: box, at: 0 0 25 mm, size: 200 200 50 mm}\n"
    "  - {shape: cone, op: subtract, at: 0 0 30 mm, radius: 9 mm, radius2: 19 mm, height: 50 mm}\n"
    "fills:\n  - {kind: level, level: 30 mm, from: -18 -18 4 mm, to: 18 18 60 mm}\n";

// The shortest waves of deep liquid are damped: at a slanted wall they would feed on the smoothed
// heads, and the cup would boil for ever.
static void a_cup_does_not_boil(void **state)
{
    (void)state;
    rv_world *world = made_of_text(cup);
    run(world, 250);
    rv_stats stats = stats_of(world);
    if (!(stats.kinetic < 1.5e-8))
        fail_msg("%g J after a second", stats.kinetic); // boiling: 1.6e-7
    rv_world_destroy(world);
}

static double level_at(const rv_world *world, int x, int y)
{
    rv_columns columns;
    size_t slot;
    assert_int_equal(rv_world_get_columns(world, &columns), RV_OK);
    assert_true(column_at(&columns, 0, x, y, &slot));
    return (double)(columns.base[slot] + columns.depth[slot]);
}

static const char roof[] = "grid: {nx: 40, ny: 12, dx: 1 mm, bottom: 0, top: 40 mm}\n" DEEP
                           "solids:\n  - {shape: box, at: 0 0 2 mm, size: 200 200 4 mm}\n"
                           "  - {shape: box, at: 12 0 30 mm, size: 24 100 40 mm}\n"
                           "fills:\n  - {kind: level, level: 16 mm}\n";

// Under the roof, at 10 mm, there is no surface; in front of it the liquid's meets the roof's side,
// which it climbs, and does not bend down to the roof's edge.
static void a_roof_is_a_wall_to_what_stands_higher(void **state)
{
    (void)state;
    rv_world *world = made_of_text(roof);
    run(world, 250);
    rv_stats stats = stats_of(world);
    if (!(stats.fastest < 0.05)) fail_msg("%g m/s after a second", stats.fastest);
    double beside = level_at(world, 19, 6), far = level_at(world, 8, 6);
    if (!(beside > far + 2e-4)) fail_msg("%g m at the wall, %g m in the open", beside, far);
    rv_world_destroy(world);
}

static const char rim[] =
    "grid: {nx: 40, ny: 24, dx: 1 mm, bottom: 0, top: 40 mm}\n" DEEP
    "solids:\n  - {shape: box, at: 0 0 8 mm, size: 100 100 11 mm, round: 4 mm}\n"
    "  - {shape: box, op: subtract, at: 0 6 12 mm, size: 36 20 11 mm, round: 5 mm}\n"
    "fills:\n  - {kind: level, level: 12 mm, from: -18 -4 0 mm, to: 18 16 40 mm}\n"
    "  - {kind: level, level: 24 mm, from: 3.1 -4.9 13.4 mm, to: 3.9 -4.1 40 mm}\n";

// A tower one cell wide on the rim of a dish falls down, and no other rises: a column there has a
// step on one side only.
static void no_towers_stand_on_a_rim(void **state)
{
    (void)state;
    rv_world *world = made_of_text(rim);
    run(world, 75);
    for (int x = 0; x < 40; x++)
        if (!(level_at(world, x, 7) < 0.0155)) fail_msg("cell %d: %g m", x, level_at(world, x, 7));
    rv_world_destroy(world);
}

static const char slope[] =
    "grid: {nx: 16, ny: 60, dx: 0.5 mm, bottom: 0, top: 20 mm}\ntime: {step: 4 ms}\n"
    "border: {south: open}\nsolids:\n  - {shape: plane, at: 0 0 6 mm, rotate: 10 0 0 deg}\n"
    "sources:\n  - {at: 0 10 19 mm, radius: 3 mm, rate: 0.4 ml/s}\n";

// What runs down a slope leaves by an open side. A dry cell there does not hold it up by what
// wetting it costs: it stood 3 mm deep before such a side.
static void nothing_piles_up_before_an_open_side(void **state)
{
    (void)state;
    rv_world *world = made_of_text(slope);
    rv_columns c;
    run(world, 250);
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    assert_true(stats_of(world).drained > 1e-7);
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 16; x++) {
            double depth = (double)c.depth[rv_slot(c.plane, x, y)];
            if (!(depth < 1.5e-3)) fail_msg("cell %d %d: %g m", x, y, depth);
        }
    rv_world_destroy(world);
}

// ---- Edits and strange liquids ------------------------------------------------------------------

// Something is taken out of the terrain or put in.
static void carve(rv_world *world, uint32_t *seed)
{
    rv_event_def edit = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    edit.kind = random_in(seed, 0, 1) < 0.5 ? RV_EVENT_CARVE : RV_EVENT_ADD;
    tool.shape = random_in(seed, 0, 1) < 0.5 ? RV_SHAPE_SPHERE : RV_SHAPE_BOX;
    tool.radius = random_in(seed, 1, 4) * SIDE;
    tool.size = (rv_vec3){random_in(seed, 1, 6) * SIDE, random_in(seed, 1, 6) * SIDE,
                          random_in(seed, 1, 4) * SIDE};
    tool.at = (rv_vec3){random_in(seed, -8, 8) * SIDE, random_in(seed, -8, 8) * SIDE,
                        random_in(seed, -1, 8) * SIDE};
    edit.tool = &tool, edit.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
}

static void edits_under_liquid(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        scene s;
        uint32_t r = seed;
        set_up(&s, solvers[seed % 2], 25, 22);
        rv_world *world = make(&s.def);
        double first = stats_of(world).volume;
        for (int i = 0; i < 10; i++) {
            carve(world, &r);
            run(world, 2);
            assert_sound(world, first, "edited");
        }
        rv_world_destroy(world);
    }
}

static void strange_liquids_stay_finite(void **state)
{
    (void)state;
    static const struct {
        double tension, advancing, receding, contact, viscosity, density, dx;
    } liquid[] = {
        {10, 3.14, 0, 3.14, 0, 1000, 1},     {0.5, 2.4, 2, 2.4, 1e-7, 13600, 1},
        {0.0728, 0, 0, 0, 1e-6, 1000, 1},    {0.0728, 1.5708, 1.5708, 0, 1, 1e-3, 1},
        {1e-9, 1, 0.2, 1, 1e-6, 1000, 1},    {0.0728, 1, 3, 1, 1e-6, 1000, 8},
        {0.0728, 1, 0.3, 1, 1e-6, 1000, 64},
    };
    for (size_t i = 0; i < sizeof liquid / sizeof *liquid; i++) {
        scene s;
        char what[32];
        set_up(&s, solvers[i % 2], 23, 20);
        rv_params *p = &s.def.params;
        p->liquid_tension = liquid[i].tension, p->liquid_advancing = liquid[i].advancing;
        p->liquid_receding = liquid[i].receding, p->liquid_contact = liquid[i].contact;
        p->liquid_viscosity = liquid[i].viscosity, p->liquid_density = liquid[i].density;
        p->grid_dx *= liquid[i].dx, p->liquid_uneven = 0.9, p->time_substeps_max = 200;
        rv_world *world = make(&s.def);
        double first = stats_of(world).volume;
        run(world, 3);
        snprintf(what, sizeof what, "liquid %d", (int)i);
        // hundreds of clipped substeps, each rounded
        assert_sound_within(world, first, 3e-6, what);
        rv_world_destroy(world);
    }
}

// Tension goes off and on in layers that are cut: a restart in the middle changes no bit.
static void switching_keeps_bits(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        scene s;
        uint32_t r = 5;
        set_up(&s, RV_SOLVER_PIPES, 25, 22);
        rv_world *world = make(&s.def);
        rv_params p = s.def.params;
        for (int i = 0; i < 9; i++) {
            p.liquid_tension = i % 3 == 1 ? 0 : 0.05;
            assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
            run(world, 1);
            carve(world, &r);
            size_t size = rv_world_snapshot_size(world);
            void *saved = malloc(size);
            assert_non_null(saved);
            assert_int_equal(rv_world_save(world, saved, size), RV_OK);
            if (k) assert_int_equal(rv_world_restore(world, saved, size, NULL), RV_OK);
            free(saved);
        }
        hash[k] = rv_world_hash(world);
        rv_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

// Parameters of tension change while liquid runs, gravity slants, lifts and goes away.
static void parameters_change(void **state)
{
    (void)state;
    scene s;
    set_up(&s, RV_SOLVER_PIPES, 25, 22);
    s.source.rate = 4e-6; // so that some columns are full when there is no gravity
    rv_world *world = make(&s.def);
    double first = stats_of(world).volume;
    rv_params p = s.def.params;
    for (int i = 0; i < 8; i++) {
        p.liquid_tension = i % 3 == 1 ? 0 : 0.02 * (i + 1);
        p.liquid_advancing = 0.3 * i, p.liquid_receding = 0.1 * i, p.liquid_contact = 0.4 * i;
        p.gravity = i == 4   ? (rv_vec3){0, 0, 0}
                    : i == 5 ? (rv_vec3){3, 2, -9}
                             : (rv_vec3){0, 0, -9.81};
        assert_int_equal(rv_world_set_params(world, &p, NULL), RV_OK);
        run(world, 2);
        assert_sound(world, first, "changed");
    }
    rv_world_destroy(world);
}

static void set_one(rv_params *p, int which)
{
    switch (which) {
    case 0:
        p->liquid_tension = 0.05;
        break;
    case 1:
        p->liquid_advancing = 0.8;
        break;
    case 2:
        p->liquid_receding = 0.6;
        break;
    case 3:
        p->liquid_contact = 1.2;
        break;
    case 4:
        p->liquid_uneven = 0.5;
        break;
    case 5:
        p->liquid_density = 1300;
        break;
    case 6:
        p->gravity = (rv_vec3){1, 0, -7};
        break;
    default:
        p->seed = 12;
    }
}

// Beds are surveyed again for what changed and no more: a world with a changed parameter is one
// that was made with it.
static void changed_is_as_made(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        scene s;
        set_up(&s, RV_SOLVER_PIPES, 25, 22);
        rv_world *changed = make(&s.def), *same = make(&s.def);
        set_one(&s.def.params, k);
        rv_world *made = make(&s.def);
        assert_int_equal(rv_world_set_params(changed, &s.def.params, NULL), RV_OK);
        run(changed, 2), run(made, 2), run(same, 2);
        if (rv_world_hash(changed) != rv_world_hash(made)) fail_msg("parameter %d", k);
        if (rv_world_hash(changed) == rv_world_hash(same)) fail_msg("parameter %d: no matter", k);
        rv_world_destroy(changed), rv_world_destroy(same), rv_world_destroy(made);
    }
}

// ---- Sides of the grid --------------------------------------------------------------------------

// A drop in the corner of a closed grid is a quarter of one in the middle of a grid twice as wide.
static void closed_sides_are_mirrors(void **state)
{
    (void)state;
    enum { N = 16 };
    static const float flat[4 * N * N];
    rv_columns c[2];
    rv_world *world[2];
    for (int k = 0; k < 2; k++) {
        rv_world_def def = rv_default_world_def();
        rv_fill_def fill = rv_default_fill_def();
        def.params.tension_on = true;
        def.params.grid_nx = def.params.grid_ny = k ? N : 2 * N, def.params.grid_dx = SIDE;
        def.params.grid_top = 0.03, def.params.liquid_uneven = 0;
        double corner = k ? -0.5 * N * SIDE : 0, half = 5 * SIDE;
        fill.kind = RV_FILL_DEPTH, fill.depth = 4e-3;
        fill.from = (rv_vec3){corner - half, corner - half, -1};
        fill.to = (rv_vec3){corner + half, corner + half, 1};
        def.heights = flat, def.fills = &fill, def.fill_count = 1;
        world[k] = make(&def);
        // rounding alone sets them apart later on, as it does without tension
        for (int i = 0; i < 5; i++) assert_int_equal(rv_world_step(world[k], 2e-4), RV_OK);
        rv_world_get_columns(world[k], &c[k]);
    }
    double apart = 0;
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++)
            apart = fmax(apart, fabs((double)c[0].depth[rv_slot(c[0].plane, x + N, y + N)] -
                                     (double)c[1].depth[rv_slot(c[1].plane, x, y)]));
    if (!(apart < 1e-8)) fail_msg("%g m apart", apart);
    rv_world_destroy(world[0]), rv_world_destroy(world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(turned_and_mirrored_scenes_agree),
        cmocka_unit_test(restored_worlds_go_on),
        cmocka_unit_test(without_tension_all_is_as_before),
        cmocka_unit_test(a_cup_does_not_boil),
        cmocka_unit_test(a_roof_is_a_wall_to_what_stands_higher),
        cmocka_unit_test(no_towers_stand_on_a_rim),
        cmocka_unit_test(nothing_piles_up_before_an_open_side),
        cmocka_unit_test(edits_under_liquid),
        cmocka_unit_test(strange_liquids_stay_finite),
        cmocka_unit_test(switching_keeps_bits),
        cmocka_unit_test(parameters_change),
        cmocka_unit_test(changed_is_as_made),
        cmocka_unit_test(closed_sides_are_mirrors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
