// What law `flow` promises in a world, with solver `pipes` and with solver `swe`: momentum is kept
// until walls are felt, a jet out of a full passage gains no energy, the area of pipes may change
// while liquid runs, and edits beside a level that is held lose none.
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const rv_solver_kind solvers[2] = {RV_SOLVER_PIPES, RV_SOLVER_SWE};

// ---- Momentum -----------------------------------------------------------------------------------

// Over density, along x, m⁴/s. `depth`: before the last substep, which the velocities belong to.
static double momentum(const rv_world *world, const float *depth)
{
    rv_columns c;
    double sum = 0;
    assert_int_equal(rv_world_get_columns(world, &c), RV_OK);
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x + 1 < c.nx; x++) {
            size_t k = rv_slot(c.plane, x, y);
            sum += 0.5 * ((double)depth[k] + (double)depth[k + 1]) * (double)c.speed_x[k];
        }
    return sum * c.dx * c.dx;
}

// A long channel whose middle moves and stands higher: waves and shocks both ways.
static void momentum_is_kept(void **state)
{
    (void)state;
    enum { LONG = 400, WIDE = 3 };
    static const float flat[LONG * WIDE];
    for (int k = 0; k < 2; k++) {
        small_world w;
        small_grid(&w, solvers[k], LONG, WIDE, 0.01);
        w.fill[0].level = 0.1, w.fill[1].level = 0.16;
        w.fill[1].from.x = -0.3, w.fill[1].to.x = 0.3, w.fill[1].velocity.x = 0.5;
        w.def.params.liquid_viscosity = 0, w.def.params.pipes_kept = w.def.params.swe_kept = 1;
        w.def.params.grid_top = 4, w.def.heights = flat, w.def.fill_count = 2;
        rv_world *world = make(&w.def);
        rv_columns c;
        rv_world_get_columns(world, &c);
        float *before = malloc(c.slots * sizeof *before);
        memcpy(before, c.depth, c.slots * sizeof *before);
        double first = momentum(world, before), worst = 0;
        assert_true(first > 0);
        for (int i = 0; i < 250; i++) { // 0.75 s, waves of some 1.6 m/s
            rv_world_get_columns(world, &c);
            memcpy(before, c.depth, c.slots * sizeof *before);
            assert_int_equal(rv_world_step(world, 0.003), RV_OK);
            assert_int_equal(stats_of(world).substeps, 1);
            worst = fmax(worst, fabs(momentum(world, before) / first - 1));
        }
        print_message("%s: momentum off by %.1e\n", k ? "swe" : "pipes", worst);
        assert_true(worst < 1e-5);
        free(before);
        rv_world_destroy(world);
    }
}

// ---- Energy -------------------------------------------------------------------------------------

// Two tanks and a passage that is full between them. Of the energy that levelling sets free, no
// more than 1 % comes back from nowhere at any time.
static void a_jet_gains_no_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        small_world w;
        small_tanks(&w, solvers[k]);
        rv_world *world = make(&w.def);
        rv_stats s = stats_of(world);
        double first = s.kinetic + s.potential, least = first, rise = 0, fastest = 0;
        double free_energy = 1000 * 9.81 * 0.2 * 0.08 * 0.25 * 0.1 * 0.1; // ρ g W B ΔH²/4
        for (int i = 0; i < 400; i++) {
            assert_int_equal(rv_world_step(world, 0.005), RV_OK);
            s = stats_of(world);
            rise = fmax(rise, s.kinetic + s.potential - least);
            least = fmin(least, s.kinetic + s.potential), fastest = fmax(fastest, s.fastest);
        }
        print_message("%s: energy rose by %.2g of what is free, and fell by %.2g; %.2g m/s\n",
                      k ? "swe" : "pipes", rise / free_energy, (first - least) / free_energy,
                      fastest);
        assert_true(s.flooded > 0 && fastest > 0.2); // it is a jet
        assert_true(rise < 0.01 * free_energy);
        rv_world_destroy(world);
    }
}

// ---- What changes while it runs -----------------------------------------------------------------

static rv_world *layered(rv_solver_kind solver, rv_pool *pool)
{
    small_world w;
    small_layers(&w, solver);
    w.def.pool = pool;
    return make(&w.def);
}

// The area of pipes, the slopes' correction and momentum change in turn.
static void change_pipes(rv_world *world, int i)
{
    rv_params p = *rv_world_params(world);
    rv_messages messages = {0};
    p.pipes_area = i % 2 ? RV_AREA_CELL : RV_AREA_WET;
    p.pipes_slope = i % 3 ? RV_SWITCH_AUTO : RV_SWITCH_OFF;
    p.pipes_momentum = i % 4 != 3;
    p.border_north = i % 5 ? RV_BORDER_WALL : RV_BORDER_OPEN;
    assert_int_equal(rv_world_set_params(world, &p, &messages), RV_OK);
}

static void random_edit(rv_world *world, uint32_t *random, int i)
{
    rv_solid_def ball = rv_default_solid_def();
    rv_event_def edit = rv_default_event_def();
    double draw[4];
    for (int k = 0; k < 4; k++) {
        *random = *random * 1664525u + 1013904223u;
        draw[k] = (*random >> 8) * 0x1p-24;
    }
    ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.002 + 0.003 * draw[0];
    ball.at = (rv_vec3){0.036 * (draw[1] - 0.5), 0.11 * (draw[2] - 0.5), 0.016 * draw[3]};
    edit.kind = i % 3 == 2 ? RV_EVENT_ADD : RV_EVENT_CARVE;
    edit.tool = &ball, edit.tool_count = 1;
    assert_int_equal(rv_world_edit(world, &edit, NULL, NULL), RV_OK);
}

static double lost(const rv_world *world, double first)
{
    rv_stats s = stats_of(world);
    assert_int_equal(s.not_finite, 0);
    return fabs(s.volume + s.held + s.airborne - first - s.sourced + s.drained) / (first + s.sourced);
}

// Edits and changes at random in layers beside borders: nothing is lost, and neither threads nor a
// restart in the middle change a bit.
static void changes_keep_bits_and_liquid(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int k = 0; k < 2; k++) {
        uint64_t want = 0;
        for (int t = 0; t < 4; t++) {
            rv_pool *pool = rv_pool_create(threads[t]);
            rv_world *world = layered(solvers[k], pool);
            double first = stats_of(world).volume;
            uint32_t random = 1;
            for (int i = 0; i < 24; i++) {
                random_edit(world, &random, i);
                change_pipes(world, i);
                if (t == 1 && i % 5 == 2) {
                    size_t size;
                    unsigned char *snapshot = save(world, &size);
                    assert_int_equal(rv_world_restore(world, snapshot, size, NULL), RV_OK);
                    free(snapshot);
                }
                assert_int_equal(rv_world_step(world, 0.004), RV_OK);
                assert_true(lost(world, first) < 1e-6);
            }
            uint64_t hash = rv_world_hash(world);
            if (t == 0) want = hash;
            if (hash != want) fail_msg("%d threads give other bits", threads[t]);
            rv_world_destroy(world);
            rv_pool_destroy(pool);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(a_jet_gains_no_energy),
        cmocka_unit_test(changes_keep_bits_and_liquid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
