// Functions of a const world: they change nothing, run at the same time, and counters cost no scan.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { READERS = 4, ROUNDS = 40 };

// A tray with some liquid, a source and a drain.
typedef struct scene {
    rv_world_def def;
    rv_solid_def floor;
    rv_fill_def fill;
    rv_source_def source;
    rv_drain_def drain;
    rv_emitter_def jet;
} scene;

static void set_up(scene *s, rv_solver_kind solver, rv_splat_form form)
{
    memset(s, 0, sizeof *s);
    s->def = rv_default_world_def();
    rv_params *p = &s->def.params;
    p->solver = solver, p->splat_form = form;
    p->grid_nx = 24, p->grid_ny = solver == RV_SOLVER_SPLAT && form == RV_SPLAT_2D ? 1 : 20;
    p->grid_dx = 0.01, p->grid_top = 0.2, p->time_step = 0.005;
    if (solver == RV_SOLVER_GLASS) {
        p->grid_nx = p->grid_ny = 64, p->grid_dx = 5e-4, p->glass_drops = 40;
        return;
    }
    s->floor = rv_default_solid_def();
    s->floor.shape = RV_SHAPE_PLANE;
    s->fill = rv_default_fill_def();
    s->fill.kind = RV_FILL_LEVEL, s->fill.level = 0.05;
    s->source = rv_default_source_def();
    s->source.at.z = 0.15, s->source.rate = 2e-5, s->source.radius = 0.02;
    s->drain = rv_default_drain_def();
    s->drain.rate = 1e-6;
    s->def.solids = &s->floor, s->def.solid_count = 1;
    s->def.fills = &s->fill, s->def.fill_count = 1;
    s->def.sources = &s->source, s->def.source_count = 1;
    s->def.drains = &s->drain, s->def.drain_count = 1;
    if (solver != RV_SOLVER_SPLAT) return;
    s->jet = rv_default_emitter_def(); // what is given after a step is in no order yet
    s->jet.at.z = 0.15, s->jet.velocity.x = 0.5;
    s->def.emitters = &s->jet, s->def.emitter_count = 1;
}

static rv_world *make_on(rv_solver_kind solver, rv_splat_form form, rv_pool *pool)
{
    scene s;
    rv_world *world = NULL;
    rv_messages messages = {0};
    set_up(&s, solver, form);
    s.def.pool = pool;
    if (rv_world_create(&s.def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    return world;
}

static rv_world *make(rv_solver_kind solver, rv_splat_form form)
{
    return make_on(solver, form, NULL);
}

static const struct {
    rv_solver_kind solver;
    rv_splat_form form;
} kinds[] = {{RV_SOLVER_PIPES, RV_SPLAT_3D},     {RV_SOLVER_SWE, RV_SPLAT_3D},
             {RV_SOLVER_SPLAT, RV_SPLAT_2D},     {RV_SOLVER_SPLAT, RV_SPLAT_3D},
             {RV_SOLVER_SPLAT, RV_SPLAT_HEIGHT}, {RV_SOLVER_GLASS, RV_SPLAT_3D}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// Each reader has a surface of its own; all of them use the world's pool.
static double ask_surface(const rv_world *world)
{
    rv_surface *surface;
    rv_surface_mesh mesh = {0};
    double sum = 0;
    assert_int_equal(rv_surface_create(world, &surface), RV_OK);
    if (rv_surface_update(surface, world) == RV_OK) rv_surface_get_mesh(surface, &mesh);
    for (size_t i = 0; i < 3 * mesh.vertex_count; i++) sum += (double)mesh.positions[i];
    rv_surface_destroy(surface);
    return sum;
}

// All that can be asked, as one number.
static double ask(const rv_world *world)
{
    rv_stats stats;
    rv_particles particles;
    rv_density density;
    rv_sample sample;
    const rv_vec3 point = {0.01, 0, 0.1};
    double sum = 0;
    assert_int_equal(rv_world_get_stats(world, &stats), RV_OK);
    sum += stats.volume + stats.deepest + stats.kinetic + stats.potential;
    if (rv_world_get_particles(world, &particles) == RV_OK)
        for (int64_t i = 0; i < particles.count; i++)
            sum += (double)particles.x[i] + (particles.u ? (double)particles.u[i] : 0);
    if (rv_world_get_density(world, &density) == RV_OK)
        for (int i = 0; i < density.nx * density.ny * density.nz; i++)
            sum += (double)density.value[i];
    sum += ask_surface(world);
    rv_world_sample(world, &point, 1, &sample);
    return sum + sample.level + (double)(rv_world_hash(world) % 1000);
}

static void *read_often(void *user)
{
    static double same, other; // only where they are
    const rv_world *world = user;
    double first = ask(world);
    for (int i = 0; i < ROUNDS; i++)
        if (ask(world) != first) return &other;
    return &same;
}

static void readers_run_at_the_same_time(void **state)
{
    (void)state;
    rv_pool *pool = rv_pool_create(2);
    for (int k = 0; k < KINDS; k++) {
        rv_world *world = make_on(kinds[k].solver, kinds[k].form, pool);
        rv_world *twin = make(kinds[k].solver, kinds[k].form);
        for (int step = 0; step < 3; step++) {
            pthread_t thread[READERS];
            void *result[READERS];
            assert_int_equal(rv_world_step(world, 0.005), RV_OK);
            assert_int_equal(rv_world_step(twin, 0.005), RV_OK);
            for (int i = 0; i < READERS; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, read_often, world), 0);
            for (int i = 0; i < READERS; i++) pthread_join(thread[i], &result[i]);
            for (int i = 1; i < READERS; i++) assert_ptr_equal(result[i], result[0]);
            assert_true(ask(world) == ask(twin));
        }
        rv_world_destroy(world);
        rv_world_destroy(twin);
    }
    rv_pool_destroy(pool);
}

// A hole is dug between steps, as what is owed to columns then counts.
static void dig(rv_world *world, int step)
{
    rv_event_def edit = rv_default_event_def();
    rv_solid_def tool = rv_default_solid_def();
    tool.shape = RV_SHAPE_SPHERE, tool.radius = 0.02;
    tool.at = (rv_vec3){0.01 * step - 0.05, 0, 0.01};
    edit.kind = RV_EVENT_ADD, edit.tool = &tool, edit.tool_count = 1;
    rv_world_edit(world, &edit, NULL, NULL);
}

static void asking_changes_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        rv_world *asked = make(kinds[k].solver, kinds[k].form);
        rv_world *left = make(kinds[k].solver, kinds[k].form);
        for (int step = 0; step < 8; step++) {
            ask(asked);
            assert_int_equal(rv_world_step(asked, 0.005), RV_OK);
            assert_int_equal(rv_world_step(left, 0.005), RV_OK);
            ask(asked);
            assert_true(rv_world_hash(asked) == rv_world_hash(left));
            dig(asked, step);
            dig(left, step);
        }
        assert_true(rv_world_hash(asked) == rv_world_hash(left));
        rv_world_destroy(asked);
        rv_world_destroy(left);
    }
}

static void counters_are_those_of_the_statistics(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        rv_world *world = make(kinds[k].solver, kinds[k].form);
        rv_stats all, some;
        for (int step = 0; step < 5; step++) rv_world_step(world, 0.005);
        assert_int_equal(rv_world_get_stats(world, &all), RV_OK);
        assert_int_equal(rv_world_get_counters(world, &some), RV_OK);
        assert_true(all.volume > 0 && all.deepest > 0 && all.wet > 0);
        assert_true(some.time == all.time && some.steps == 5);
        all.volume = all.deepest = all.fastest = all.airborne = all.kinetic = all.potential = 0;
        all.wet = all.flooded = 0;
        assert_memory_equal(&all, &some, sizeof all);
        rv_world_destroy(world);
    }
    rv_stats out;
    assert_int_equal(rv_world_get_counters(NULL, &out), RV_BAD_ARGUMENT);
}

static void fetching_is_for_all_worlds(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        rv_world *world = make(kinds[k].solver, kinds[k].form);
        rv_world_step(world, 0.005);
        uint64_t before = rv_world_hash(world);
        assert_int_equal(rv_world_fetch(world, RV_FETCH_ALL), RV_OK);
        assert_int_equal(rv_world_fetch(world, 8), RV_BAD_ARGUMENT);
        assert_true(rv_world_hash(world) == before);
        rv_world_destroy(world);
    }
    assert_int_equal(rv_world_fetch(NULL, RV_FETCH_ALL), RV_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_run_at_the_same_time),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(counters_are_those_of_the_statistics),
        cmocka_unit_test(fetching_is_for_all_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
