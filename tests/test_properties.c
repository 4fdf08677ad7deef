// Properties that hold for every scene of columns, tried on random layered ones: volume is kept,
// levels stay between bed and ceiling, turning and mirroring the scene turns and mirrors the result
// bit for bit, the number of threads does not matter, a restored world goes on bit for bit, a
// source of rate 0 changes nothing, draining only ever takes, and borders may change. Of particles
// and panes: volume, threads and restarts.
//
// A failure prints the seed; `test_properties SEED` runs that one alone, and
// RIVULET_PROPERTIES=N tries N scenes in place of the few that fit into a quick run of all tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "column_at.h"
#include "rivulet/rivulet.h"
#include "solvers/solver.h"

#include <math.h>

#define SCENES 100
#define STEPS 16
#define SIDE 0x1p-10 // m: a power of two, so that places on the grid are exact, turned or not
#define SOLIDS 7

// Chosen on the command line: these seeds and no others.
static uint64_t first_seed = 1, last_seed = SCENES;

// ---- Random scenes ------------------------------------------------------------------------------

static double random_share(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15ull;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * random_share(state);
}

static int choice(uint64_t *state, int count)
{
    return (int)(random_share(state) * count);
}

typedef struct scene {
    rv_solid_def solids[SOLIDS];
    rv_fill_def fills[2];
    rv_source_def sources[2];
    rv_drain_def drain;
    rv_world_def def;
} scene;

static rv_solid_def random_solid(uint64_t *r)
{
    rv_solid_def s = rv_default_solid_def();
    s.shape = choice(r, 3) == 0 ? RV_SHAPE_SPHERE : RV_SHAPE_BOX;
    s.op = choice(r, 4) == 0 ? RV_SUBTRACT : RV_UNION;
    s.at =
        (rv_vec3){between(r, -14, 14) * SIDE, between(r, -14, 14) * SIDE, between(r, 0, 10) * SIDE};
    s.size = (rv_vec3){between(r, 3, 22) * SIDE, between(r, 3, 22) * SIDE, between(r, 2, 5) * SIDE};
    s.radius = between(r, 2, 6) * SIDE;
    return s;
}

static void random_params(uint64_t *r, rv_params *p)
{
    static const double viscosity[5] = {0, 1e-6, 1e-5, 1e-4, 1e-2};
    p->grid_nx = 17 + choice(r, 6), p->grid_ny = 17 + choice(r, 5), p->grid_dx = SIDE;
    p->grid_bottom = -SIDE, p->grid_top = 16 * SIDE;
    p->liquid_viscosity = viscosity[choice(r, 5)];
    p->pipes_area = choice(r, 4) == 0 ? RV_AREA_CELL : RV_AREA_WET;
    p->pipes_passages = (rv_passages)choice(r, 4);
    p->border_west = (rv_border)choice(r, 4), p->border_north = (rv_border)choice(r, 4);
    p->border_west_rate = p->border_north_rate = 2e-7;
    p->border_west_level = p->border_north_level = between(r, -1, 6) * SIDE;
}

static void random_scene(uint64_t seed, scene *s)
{
    uint64_t r = seed * 7919;
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    random_params(&r, &s->def.params);
    s->def.params.liquid_uneven = 0; // it belongs to a place, and does not turn with the rest
    s->def.params.tension_on = seed % 3 == 1; // it takes ten times as long
    if (seed % 3 == 0) s->def.params.pipes_neighbours = RV_NEIGHBOURS_EIGHT;
    if (seed % 5 == 0) s->def.params.pipes_slope = RV_SWITCH_OFF;
    if (seed % 4 == 2 && rv_solver_find(RV_SOLVER_SWE)) s->def.params.solver = RV_SOLVER_SWE;
    for (int i = 0; i < SOLIDS; i++) s->solids[i] = random_solid(&r);
    for (int i = 0; i < 2; i++) {
        s->fills[i] = rv_default_fill_def();
        s->fills[i].kind = i == 0 ? RV_FILL_LEVEL : RV_FILL_DROP;
        s->fills[i].level = between(&r, -0.5, 7) * SIDE;
        s->fills[i].to.x = between(&r, -2, 16) * SIDE;
        s->fills[i].at = (rv_vec3){between(&r, -8, 8) * SIDE, between(&r, -8, 8) * SIDE, 1};
        s->fills[i].radius = between(&r, 1, 7) * SIDE, s->fills[i].volume = between(&r, 0, 8e-7);
        s->sources[i] = rv_default_source_def();
        s->sources[i].at = (rv_vec3){between(&r, -8, 8) * SIDE, between(&r, -8, 8) * SIDE, 1};
        s->sources[i].radius = between(&r, 0, 4) * SIDE, s->sources[i].rate = between(&r, 0, 2e-6);
    }
    s->drain = rv_default_drain_def();
    s->drain.from.x = between(&r, -5, 10) * SIDE, s->drain.rate = between(&r, 0, 1e-6);
    s->def.solids = s->solids, s->def.solid_count = SOLIDS;
    s->def.fills = s->fills, s->def.fill_count = 2;
    s->def.sources = s->sources, s->def.source_count = 2;
    s->def.drains = &s->drain, s->def.drain_count = 1;
}

// ---- Turning and mirroring the definition -------------------------------------------------------

// (x, y) becomes (-y, x) when turned, (-x, y) when mirrored.
static rv_vec3 moved(rv_vec3 p, bool turn)
{
    return turn ? (rv_vec3){-p.y, p.x, p.z} : (rv_vec3){-p.x, p.y, p.z};
}

static void move_box(rv_vec3 *from, rv_vec3 *to, bool turn)
{
    rv_vec3 a = *from, b = *to;
    if (turn)
        *from = (rv_vec3){-b.y, a.x, a.z}, *to = (rv_vec3){-a.y, b.x, b.z};
    else
        *from = (rv_vec3){-b.x, a.y, a.z}, *to = (rv_vec3){-a.x, b.y, b.z};
}

typedef struct border {
    rv_border kind;
    double level, rate;
} border;

static void move_borders(rv_params *p, bool turn)
{
    border w = {p->border_west, p->border_west_level, p->border_west_rate};
    border e = {p->border_east, p->border_east_level, p->border_east_rate};
    border s = {p->border_south, p->border_south_level, p->border_south_rate};
    border n = {p->border_north, p->border_north_level, p->border_north_rate};
    border to_w = turn ? n : e, to_e = turn ? s : w, to_s = turn ? w : s, to_n = turn ? e : n;
    p->border_west = to_w.kind, p->border_west_level = to_w.level, p->border_west_rate = to_w.rate;
    p->border_east = to_e.kind, p->border_east_level = to_e.level, p->border_east_rate = to_e.rate;
    p->border_south = to_s.kind, p->border_south_level = to_s.level,
    p->border_south_rate = to_s.rate;
    p->border_north = to_n.kind, p->border_north_level = to_n.level,
    p->border_north_rate = to_n.rate;
}

static void move_scene(scene *s, bool turn)
{
    for (int i = 0; i < SOLIDS; i++) {
        rv_vec3 size = s->solids[i].size;
        s->solids[i].at = moved(s->solids[i].at, turn);
        if (turn) s->solids[i].size = (rv_vec3){size.y, size.x, size.z};
    }
    for (int i = 0; i < 2; i++) {
        s->fills[i].at = moved(s->fills[i].at, turn);
        move_box(&s->fills[i].from, &s->fills[i].to, turn);
        s->sources[i].at = moved(s->sources[i].at, turn);
    }
    move_box(&s->drain.from, &s->drain.to, turn);
    move_borders(&s->def.params, turn);
    if (turn) {
        int nx = s->def.params.grid_nx;
        s->def.params.grid_nx = s->def.params.grid_ny, s->def.params.grid_ny = nx;
    }
}

// ---- Running and comparing ----------------------------------------------------------------------

static rv_world *make(const rv_world_def *def)
{
    rv_messages messages = {0};
    rv_world *world = NULL;
    if (rv_world_create(def, &world, &messages) != RV_OK) print_message("%s\n", messages.text);
    return world;
}

static bool run(rv_world *world, int steps)
{
    for (int i = 0; world && i < steps; i++)
        if (rv_world_step(world, 0.01) != RV_OK) return false;
    return world != NULL;
}

static uint64_t run_and_hash(const rv_world_def *def)
{
    rv_world *world = make(def);
    uint64_t hash = run(world, STEPS) ? rv_world_hash(world) : 0;
    rv_world_destroy(world);
    return hash;
}

// Same columns and same depths, at moved places.
static bool same(const rv_world *one, const rv_world *two, bool turn)
{
    rv_columns a, b;
    rv_world_get_columns(one, &a);
    rv_world_get_columns(two, &b);
    if (a.planes != b.planes) return false;
    for (int l = 0; l < a.planes; l++) {
        for (int y = 0; y < a.ny; y++) {
            for (int x = 0; x < a.nx; x++) {
                int tx = turn ? a.ny - 1 - y : a.nx - 1 - x, ty = turn ? x : y;
                size_t i, j;
                bool has = column_at(&a, l, x, y, &i);
                if (has != column_at(&b, l, tx, ty, &j)) return false;
                if (!has) continue;
                if (a.base[i] != b.base[j] || a.max[i] != b.max[j]) return false;
                if (memcmp(&a.depth[i], &b.depth[j], sizeof(float)) != 0) return false;
            }
        }
    }
    return true;
}

static const char *within_bounds(const rv_world *world, double first)
{
    rv_columns c;
    rv_stats s;
    rv_world_get_columns(world, &c);
    rv_world_get_stats(world, &s);
    for (size_t i = 0; i < c.slots; i++) {
        if (!(c.max[i] > c.base[i])) continue;
        if (!(c.depth[i] >= 0)) return "a depth below 0";
        if (!(c.depth[i] <= (c.max[i] - c.base[i]) * 1.000001f)) return "a level above its ceiling";
    }
    double most = first + s.sourced, expected = first + s.sourced - s.drained;
    if (!(fabs(s.volume + s.airborne - expected) <= 1e-6 * most)) return "volume made or lost";
    return s.not_finite > 0 ? "not finite" : NULL;
}

// ---- The properties -----------------------------------------------------------------------------

// A scene's own run, which the others are compared with: its end, and a snapshot of its middle.
typedef struct reference {
    rv_world *world;
    uint64_t hash;
    void *middle;
    size_t size;
} reference;

static const char *keeps_bounds(const scene *s, reference *out)
{
    rv_stats stats;
    rv_world *world = out->world = make(&s->def);
    if (!world) return "not made";
    rv_world_get_stats(world, &stats);
    const char *why = within_bounds(world, stats.volume);
    for (int i = 0; i < STEPS && !why; i += 4) {
        if (i == STEPS / 2) {
            out->size = rv_world_snapshot_size(world), out->middle = malloc(out->size);
            if (!out->middle || rv_world_save(world, out->middle, out->size) != RV_OK)
                return "not saved";
        }
        if (!run(world, 4)) return "a step failed";
        why = within_bounds(world, stats.volume);
    }
    out->hash = rv_world_hash(world);
    return why;
}

static const char *moves_along(const scene *s, const reference *of, bool turn)
{
    scene other = *s;
    other.def.solids = other.solids, other.def.fills = other.fills;
    other.def.sources = other.sources, other.def.drains = &other.drain;
    move_scene(&other, turn);
    rv_world *world = make(&other.def);
    const char *why = NULL;
    if (!run(world, STEPS))
        why = "not run";
    else if (!same(of->world, world, turn))
        why = "differs";
    rv_world_destroy(world);
    return why;
}

static const char *threads_agree(const rv_world_def *of_def, const reference *of)
{
    rv_world_def def = *of_def;
    def.pool = rv_pool_create(3);
    uint64_t hash = run_and_hash(&def);
    rv_pool_destroy(def.pool);
    return hash == of->hash ? NULL : "differs";
}

static const char *restarts(const rv_world_def *def, const reference *of)
{
    rv_world *world = make(def);
    const char *why = NULL;
    if (!world || rv_world_restore(world, of->middle, of->size, NULL) != RV_OK)
        why = "not restored";
    else if (!run(world, STEPS - STEPS / 2) || rv_world_hash(world) != of->hash)
        why = "differs";
    rv_world_destroy(world);
    return why;
}

static const char *idles(const scene *s, const reference *of)
{
    rv_source_def sources[3] = {s->sources[0], s->sources[1], s->sources[0]};
    rv_world_def def = s->def;
    sources[2].rate = 0, sources[2].at = (rv_vec3){0, 0, 1};
    def.sources = sources, def.source_count = 3;
    return run_and_hash(&def) == of->hash ? NULL : "differs";
}

// Without sources, and with borders that only let out: volume falls, and what was drained grows.
static const char *only_drains(const scene *s)
{
    rv_world_def def = s->def;
    rv_params *p = &def.params;
    def.source_count = 0;
    p->border_west = p->border_west == RV_BORDER_OPEN ? RV_BORDER_OPEN : RV_BORDER_WALL;
    p->border_north = p->border_north == RV_BORDER_OPEN ? RV_BORDER_OPEN : RV_BORDER_WALL;
    rv_world *world = make(&def);
    rv_stats last, now;
    const char *why = world ? NULL : "not made";
    if (world) rv_world_get_stats(world, &last);
    double first = world ? last.volume : 0;
    for (int i = 0; i < STEPS && !why; i++) {
        if (!run(world, 1)) why = "a step failed";
        rv_world_get_stats(world, &now);
        if (now.volume + now.airborne > last.volume + last.airborne + 1e-7 * first)
            why = "volume grew";
        if (now.drained < last.drained) why = "what was drained came back";
        if (now.sourced > 0) why = "something came in";
        last = now;
    }
    rv_world_destroy(world);
    return why;
}

// Borders change their kind every few steps; at the end a fresh world goes on from a snapshot.
static const char *borders_change(const scene *s, uint64_t seed)
{
    uint64_t r = seed * 104729;
    rv_world_def def = s->def;
    rv_stats stats;
    rv_world *world = make(&def), *fresh = NULL;
    if (!world) return "not made";
    rv_world_get_stats(world, &stats);
    const char *why = NULL;
    for (int i = 0; i < STEPS && !why; i += 4) {
        def.params.border_west = (rv_border)choice(&r, 4);
        def.params.border_east = (rv_border)choice(&r, 4);
        def.params.border_south = (rv_border)choice(&r, 4);
        def.params.border_north = (rv_border)choice(&r, 4);
        if (rv_world_set_params(world, &def.params, NULL) != RV_OK || !run(world, 4))
            why = "a change or a step failed";
        else
            why = within_bounds(world, stats.volume);
    }
    size_t size = rv_world_snapshot_size(world);
    void *snapshot = malloc(size);
    if (!why) fresh = make(&def);
    if (!why && (!snapshot || !fresh || rv_world_save(world, snapshot, size) != RV_OK ||
                 rv_world_restore(fresh, snapshot, size, NULL) != RV_OK))
        why = "not restored";
    if (!why && (!run(world, 4) || !run(fresh, 4) || rv_world_hash(world) != rv_world_hash(fresh)))
        why = "a fresh world with these borders goes on differently";
    free(snapshot);
    rv_world_destroy(fresh);
    rv_world_destroy(world);
    return why;
}

// ---- Particles and panes ------------------------------------------------------------------------

typedef struct drops {
    rv_solid_def solids[3];
    rv_emitter_def emitters[2];
    rv_drain_def drain;
    rv_world_def def;
} drops;

static void random_splat(uint64_t seed, drops *d)
{
    uint64_t r = seed * 6151;
    rv_params *p = &d->def.params;
    double dx = p->grid_dx = 0.01;
    p->solver = RV_SOLVER_SPLAT, p->splat_form = (rv_splat_form)(seed % 3);
    p->grid_nx = 16 + choice(&r, 8), p->grid_ny = 14 + choice(&r, 8), p->grid_top = 18 * dx;
    if (p->splat_form == RV_SPLAT_2D) p->grid_ny = 1;
    p->splat_particles = 40000;
    p->border_east = choice(&r, 2) == 0 ? RV_BORDER_OPEN : RV_BORDER_WALL;
    for (int i = 0; i < 3; i++) {
        rv_solid_def *s = &d->solids[i];
        *s = rv_default_solid_def();
        s->shape = i == 2 ? RV_SHAPE_SPHERE : RV_SHAPE_BOX, s->radius = between(&r, 2, 4) * dx;
        s->at = (rv_vec3){between(&r, -6, 6) * dx, between(&r, -6, 6) * dx, 0};
        s->size = (rv_vec3){between(&r, 2, 8) * dx, between(&r, 2, 8) * dx, 6 * dx};
    }
    d->solids[0].at = (rv_vec3){0, 0, -2 * dx}, d->solids[0].size = (rv_vec3){1, 1, 5 * dx};
    for (int i = 0; i < 2; i++) d->emitters[i] = rv_default_emitter_def();
    d->emitters[0].kind = RV_EMITTER_BLOCK;
    d->emitters[0].from = (rv_vec3){-7 * dx, -6 * dx, dx};
    d->emitters[0].to = (rv_vec3){between(&r, -3, 3) * dx, 5 * dx, between(&r, 4, 9) * dx};
    d->emitters[1].at = (rv_vec3){0, 0, 12 * dx}, d->emitters[1].radius = 1.5 * dx;
    d->emitters[1].velocity = (rv_vec3){between(&r, -1, 1), 0, -1}, d->emitters[1].stop = 0.05;
    d->drain = rv_default_drain_def();
    d->drain.from = (rv_vec3){-8 * dx, -8 * dx, -1}, d->drain.to = (rv_vec3){8 * dx, 8 * dx, 1};
    d->drain.rate = between(&r, 0, 1e-4);
    d->def.solids = d->solids, d->def.solid_count = 3;
    d->def.emitters = d->emitters, d->def.emitter_count = 2;
    d->def.drains = &d->drain, d->def.drain_count = 1;
}

static void random_glass(uint64_t seed, drops *d)
{
    uint64_t r = seed * 3079;
    rv_params *p = &d->def.params;
    p->solver = RV_SOLVER_GLASS, p->seed = (int)seed;
    p->grid_nx = 40 + choice(&r, 30), p->grid_ny = 40 + choice(&r, 30), p->grid_dx = 5e-4;
    p->glass_drops = 30 + choice(&r, 100), p->glass_rain = between(&r, 0, 2e5);
    p->glass_static = between(&r, 1e-9, 1e-8), p->glass_evaporation = choice(&r, 2) * 1e-6;
    p->glass_wiper = choice(&r, 3) == 0, p->glass_wind_x = between(&r, -3, 3);
    p->glass_tilt = between(&r, 0.2, 1.6);
}

static const char *balanced(const rv_world *world, double first)
{
    rv_stats s;
    rv_world_get_stats(world, &s);
    double most = first + s.sourced, expected = first + s.sourced - s.drained;
    if (!(s.volume >= 0) || !isfinite(s.fastest)) return "not finite";
    return fabs(s.volume - expected) <= 1e-9 * most ? NULL : "volume made or lost";
}

static const char *keeps_drops(const drops *d, reference *out)
{
    rv_stats stats;
    rv_world *world = out->world = make(&d->def);
    if (!world) return "not made";
    rv_world_get_stats(world, &stats);
    const char *why = NULL;
    for (int i = 0; i < STEPS && !why; i += 4) {
        if (i == STEPS / 2) {
            out->size = rv_world_snapshot_size(world), out->middle = malloc(out->size);
            if (!out->middle || rv_world_save(world, out->middle, out->size) != RV_OK)
                return "not saved";
        }
        if (!run(world, 4)) return "a step failed";
        why = balanced(world, stats.volume);
    }
    rv_world_get_stats(world, &stats);
    if (!why && !(stats.volume > 0)) why = "there is no liquid";
    out->hash = rv_world_hash(world);
    return why;
}

// ---- The tests ----------------------------------------------------------------------------------

static int complain(const rv_world_def *def, uint64_t seed, const char *what, const char *why)
{
    if (!why) return 0;
    print_message("seed %llu, %s: %s: %s\n", (unsigned long long)seed,
                  rv_solver_find(def->params.solver)->name, what, why);
    return 1;
}

static void columns(void **state)
{
    (void)state;
    int failed = 0;
    for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
        scene s;
        reference of = {0};
        random_scene(seed, &s);
        s.def.params.drips_on = seed % 2 == 0;
        int wrong = complain(&s.def, seed, "bounds", keeps_bounds(&s, &of));
        if (wrong == 0) {
            // of two places for a bead the first in the grid is taken, whichever way it is turned
            if (!s.def.params.drips_on) {
                wrong += complain(&s.def, seed, "turned", moves_along(&s, &of, true));
                wrong += complain(&s.def, seed, "mirrored", moves_along(&s, &of, false));
            }
            wrong += complain(&s.def, seed, "threads", threads_agree(&s.def, &of));
            wrong += complain(&s.def, seed, "restart", restarts(&s.def, &of));
            wrong += complain(&s.def, seed, "idle source", idles(&s, &of));
            wrong += complain(&s.def, seed, "draining", only_drains(&s));
            wrong += complain(&s.def, seed, "borders", borders_change(&s, seed));
        }
        rv_world_destroy(of.world);
        free(of.middle);
        failed += wrong;
    }
    assert_int_equal(failed, 0);
}

static void particles(void **state)
{
    (void)state;
    int failed = 0;
    for (uint64_t seed = first_seed; seed <= last_seed; seed += first_seed == last_seed ? 1 : 8) {
        for (int kind = 0; kind < 2; kind++) {
            drops d = {.def = rv_default_world_def()};
            reference of = {0};
            if (!rv_solver_find(kind == 0 ? RV_SOLVER_SPLAT : RV_SOLVER_GLASS)) continue;
            if (kind == 0)
                random_splat(seed, &d);
            else
                random_glass(seed, &d);
            int wrong = complain(&d.def, seed, "volume", keeps_drops(&d, &of));
            if (wrong == 0) {
                wrong += complain(&d.def, seed, "threads", threads_agree(&d.def, &of));
                wrong += complain(&d.def, seed, "restart", restarts(&d.def, &of));
            }
            rv_world_destroy(of.world);
            free(of.middle);
            failed += wrong;
        }
    }
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
    const char *many = getenv("RIVULET_PROPERTIES");
    if (many) last_seed = strtoull(many, NULL, 10);
    if (argc > 1) first_seed = last_seed = strtoull(argv[1], NULL, 10);
    printf("seeds %llu to %llu\n", (unsigned long long)first_seed, (unsigned long long)last_seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
