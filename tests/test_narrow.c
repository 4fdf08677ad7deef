// The narrow form of solver splat: it keeps momentum, cannot gain energy, floats what is light, and
// gives the same bits for all instruction sets.
#include "particles/splat.h"
#include "small_worlds.h"
#include "world/world_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81

// ---- Instruction sets ---------------------------------------------------------------------------

#define SLOTS 60000

static float noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-24f;
}

typedef struct bench {
    float particle[200 * 8], sum[SLOTS * 4], cell[SLOTS * 8], node[SLOTS * 8];
    float field[19][SLOTS], air[200];
    rv_splat_moved moved;
    float most, left;
    int foamed; // particles
} bench;

// All loops, one after the other, on noise.
static void all_loops(const rv_narrow_rows *rows, const rv_pressure_rows *pressing, int axes,
                      int up, bool solid, bench *m)
{
    memset(m, 0, sizeof *m);
    rv_splat_grid g = {.n = {30, 12, axes == 3 ? 10 : 1}, .axes = axes, .up = up, .pad = 4};
    g.pitch = 64, g.layer = 64 * 20, g.slots = SLOTS;
    g.origin = 16 + 4 * (g.pitch + (axes == 3 ? g.layer : 0));
    uint32_t seed = 5;
    int size = axes == 3 ? 8 : 4;
    for (int i = 0; i < 200; i++)
        for (int c = 0; c < size; c++) {
            float r = noise(&seed);
            m->particle[size * i + c] =
                c < size / 2 ? r * (float)(c < axes ? g.n[c] : 0) : r - 0.4f;
        }
    for (size_t i = 0; i < SLOTS; i++) m->field[0][i] = noise(&seed);
    rows->splat(&g, m->particle, 200, m->sum);
    rv_narrow_fields f = {.weight = m->field[1],
                          .motion = {m->field[2], m->field[3], m->field[4]},
                          .speed = {m->field[5], m->field[6], m->field[7]},
                          .light = {m->field[8], m->field[9], m->field[10]},
                          .share = m->field[0],
                          .cell = m->cell};
    rv_narrow_level l = {.n = {30, 12, g.n[2]},
                         .axes = axes,
                         .pitch = g.pitch,
                         .layer = g.layer,
                         .p = m->field[11],
                         .b = m->field[12],
                         .diag = m->field[13],
                         .inverse = m->field[14],
                         .joint = {m->field[15], m->field[16], m->field[17]}};
    rv_narrow_law law = {.axes = axes,
                         .per_rest = axes == 3 ? 20.0f : 2.0f,
                         .fall = {0, -0.1f, -0.2f},
                         .fill = 3.0f,
                         .move = 0.7f,
                         .pic = 0.1f,
                         .even = 2.0f,
                         .hold = 0.11f,
                         .high = {30, 12, 10},
                         .foam = 4.0f,
                         .foam_left = 0.9f};
    const ptrdiff_t step[3] = {1, (ptrdiff_t)g.pitch, (ptrdiff_t)g.layer};
    for (int a = 0; a < 12; a++) {
        size_t at = g.origin + (size_t)a * g.pitch + (axes == 3 ? 3 * g.layer : 0);
        rows->blur_sums(&g, m->sum, at, 30, m->field[1], f.motion);
    }
    for (int a = 1; a < 11; a++) {
        size_t at = g.origin + (size_t)a * g.pitch + (axes == 3 ? 3 * g.layer : 0);
        for (int c = 0; c < axes; c++) rows->faces(&law, &f, c, step[c], at, 30, solid);
    }
    for (int a = 1; a < 11; a++) {
        size_t at = g.origin + (size_t)a * g.pitch + (axes == 3 ? 3 * g.layer : 0);
        m->most += rows->ask(&law, &f, &l, at, 30, solid);
        pressing->join(&f, &l, at, 30, solid);
        pressing->diagonal(&l, at, 30);
        pressing->relax(&l, at, 30, 1.1f, true);
        m->left += pressing->leave(&l, at, 30, true, m->field[18]);
        pressing->correct(&l, true, true, 0.8f, at, 30, &l, at, a & 1, false);
        rows->apply(&law, &f, l.p, &g, at, 30, solid);
    }
    rv_narrow_level large = l;
    large.diag = m->field[2], large.inverse = m->field[3];
    for (int c = 0; c < 3; c++) large.joint[c] = m->field[4 + c];
    for (int a = 2; a < 10; a++) {
        size_t at = g.origin + (size_t)a * g.pitch + (axes == 3 ? 3 * g.layer : 0);
        rows->blur_nodes(&g, m->cell, at, 30, m->node);
        pressing->coarsen(&l, true, at, 30, a & 1, false, &large, at);
    }
    const rv_narrow_foaming foaming = {m->field[1], m->air}; // space has it in its particles
    (up < 0 ? rows->flow : rows->move)(&law, &g, m->node, axes == 3 ? NULL : &foaming, m->particle,
                                       200, &m->moved);
    for (int i = 0; i < 200; i++)
        m->foamed += axes == 3 ? m->particle[8 * i + RV_SPLAT_AIR] > 0 : m->air[i] > 0;
}

static void same_bits_on_all_instruction_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"avx2", "avx512"};
    static const int form[3][2] = {{2, 1}, {3, 2}, {2, -1}};
    bench *base = calloc(1, sizeof *base), *other = calloc(1, sizeof *other);
    for (int k = 0; k < 6; k++) {
        const int *f = form[k / 2];
        all_loops(rv_narrow_rows_named("baseline"), rv_pressure_rows_named("baseline"), f[0], f[1],
                  k % 2, base);
        assert_true(base->most > 0 && base->left > 0 && base->moved.fastest > 0 && base->foamed > 0);
        for (int i = 0; i < 2; i++) {
            const rv_narrow_rows *rows = rv_narrow_rows_named(names[i]);
            if (!rows) continue;
            all_loops(rows, rv_pressure_rows_named(names[i]), f[0], f[1], k % 2, other);
            assert_memory_equal(base, other, sizeof *base);
        }
    }
    free(base);
    free(other);
}

// ---- Evening out --------------------------------------------------------------------------------

// What evens out density moves particles, and leaves u_p ← a u' + (1 - a)(u_p + Δ) what it was.
static void evening_out_gives_no_velocity(void **state)
{
    (void)state;
    const rv_narrow_rows *rows = rv_narrow_rows_named("baseline");
    const float a = 0.3f;
    enum { WIDE = 64, COUNT = 30 };
    static float field[5][8 * WIDE], cell[2][8 * WIDE * 4];
    rv_splat_grid g = {.n = {COUNT, 4, 1}, .axes = 2, .up = 1, .pitch = WIDE};
    size_t at = 3 * WIDE + 16;
    uint32_t seed = 9;
    for (size_t i = 0; i < 8 * WIDE; i++) {
        field[0][i] = 0.8f + 0.5f * noise(&seed), field[1][i] = 1.0f;
        for (int k = 2; k < 5; k++) field[k][i] = noise(&seed);
    }
    for (int i = 0; i < 2; i++) {
        rv_narrow_law law = {.axes = 2, .per_rest = 1.0f, .even = i ? 3.0f : 0.0f, .pic = a};
        law.hold = a / (1.0f - a);
        rv_narrow_fields f = {.weight = field[0],
                              .share = field[1],
                              .speed = {field[2], field[3]},
                              .light = {field[4], field[4]},
                              .cell = cell[i]};
        rows->apply(&law, &f, field[2], &g, at, COUNT, false);
    }
    float moved = 0.0f;
    for (size_t i = at; i < at + COUNT; i++)
        for (int c = 0; c < 2; c++) {
            const float *without = cell[0] + 4 * i + c, *with = cell[1] + 4 * i + c;
            float before = a * without[2] + (1.0f - a) * without[0];
            assert_true(fabsf(a * with[2] + (1.0f - a) * with[0] - before) < 1e-6f);
            moved = fmaxf(moved, fabsf(with[2] - without[2]));
        }
    assert_true(moved > 0.1f);
}

// ---- Momentum -----------------------------------------------------------------------------------

typedef struct motion {
    double liquid[3], body[3], size; // kg m/s; size: of the body's first momentum
} motion;

static motion motion_of(const rv_world *world, double first)
{
    rv_particles p;
    rv_body_def def;
    rv_body_state body;
    motion m = {.size = first};
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    double each = rv_world_params(world)->liquid_density * p.each;
    for (int64_t i = 0; i < p.count; i++) {
        m.liquid[0] += each * (double)p.u[i];
        m.liquid[1] += p.v ? each * (double)p.v[i] : 0;
        m.liquid[2] += p.w ? each * (double)p.w[i] : 0;
    }
    assert_int_equal(rv_world_get_body(world, 0, &def, &body), RV_OK);
    double volume = 4.0 / 3.0 * 3.14159265358979 * pow(def.radius, 3);
    if (!p.y) volume = 3.14159265358979 * def.radius * def.radius * rv_world_params(world)->grid_dx;
    m.body[0] = def.density * volume * body.velocity.x;
    m.body[1] = def.density * volume * body.velocity.y;
    m.body[2] = def.density * volume * body.velocity.z;
    return m;
}

// A ball flies into a block of liquid that floats without weight: what one loses the other gets.
static void balls_and_liquid_keep_momentum(rv_splat_form form, int n)
{
    rv_world_def def = cube_def(form, n);
    def.params.gravity.z = -GRAVITY;
    def.params.gravity = (rv_vec3){0, 0, 0};
    rv_emitter_def liquid = block_between((rv_vec3){-0.1, -0.2, 0.3}, (rv_vec3){0.2, 0.2, 0.7});
    rv_body_def ball = rv_default_body_def();
    ball.radius = 0.1, ball.density = 600, ball.at = (rv_vec3){-0.28, 0, 0.52};
    ball.velocity = (rv_vec3){1.5, 0, 0};
    def.emitters = &liquid, def.emitter_count = 1, def.bodies = &ball, def.body_count = 1;
    rv_world *world = make(&def);
    motion before = motion_of(world, 0);
    before.size = fabs(before.body[0]);
    for (int i = 0; i < 30; i++) assert_int_equal(rv_world_step(world, 0.004), RV_OK);
    motion after = motion_of(world, before.size);
    assert_true(after.liquid[0] > 0.1 * before.size); // they met
    for (int c = 0; c < 3; c++) {
        double off =
            (after.liquid[c] + after.body[c] - before.liquid[c] - before.body[c]) / before.size;
        if (fabs(off) > 1e-6)
            fail_msg("form %d, axis %d: momentum is off by %g", (int)form, c, off);
    }
    rv_world_destroy(world);
}

static void bodies_keep_momentum(void **state)
{
    (void)state;
    balls_and_liquid_keep_momentum(RV_SPLAT_2D, 48);
    balls_and_liquid_keep_momentum(RV_SPLAT_3D, 24);
}

// ---- Energy -------------------------------------------------------------------------------------

static double energy(const rv_world *world)
{
    rv_particles p;
    double sum = 0;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    for (int64_t i = 0; i < p.count; i++) {
        double u = (double)p.u[i], v = p.v ? (double)p.v[i] : 0, w = (double)p.w[i];
        sum += 0.5 * (u * u + v * v + w * w) + GRAVITY * (double)p.z[i];
    }
    return sum / (double)p.count;
}

static void a_dam_gains_no_energy(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        rv_world_def def = cube_def(form ? RV_SPLAT_3D : RV_SPLAT_2D, form ? 24 : 32);
        def.params.gravity.z = -GRAVITY;
        rv_emitter_def dam = block_between((rv_vec3){-0.5, -0.5, 0}, (rv_vec3){-0.1, 0.5, 0.6});
        def.emitters = &dam, def.emitter_count = 1;
        def.params.liquid_viscosity = 0, def.params.splat_pic = form ? 0.02 : 0;
        rv_world *world = make(&def);
        double least = energy(world);
        for (int i = 0; i < (form ? 150 : 500); i++) {
            assert_int_equal(rv_world_step(world, 0.004), RV_OK);
            double now = energy(world);
            if (now > 1.005 * least) fail_msg("step %d: %g after %g", i, now, least);
            least = fmin(least, now);
        }
        rv_world_destroy(world);
    }
}

// A pressure that is not found lets liquid sink into itself. A tank of 32 cells with a step of a
// fifth of its depth: its middle must stay as high as its volume says, and no cell get much denser
// than it may be.
static void a_sloshing_tank_keeps_its_volume(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_3D, 32);
    rv_emitter_def block[2] = {block_between((rv_vec3){-0.5, -0.5, 0}, (rv_vec3){0, 0.5, 0.36}),
                               block_between((rv_vec3){0, -0.5, 0}, (rv_vec3){0.5, 0.5, 0.3})};
    def.params.gravity.z = -GRAVITY, def.params.liquid_viscosity = 0;
    def.emitters = block, def.emitter_count = 2;
    rv_world *world = make(&def);
    rv_particles p;
    rv_density d;
    double lowest = INFINITY, densest = 0;
    for (int i = 0; i < 500; i++) {
        assert_int_equal(rv_world_step(world, 0.1 / 32), RV_OK);
        if (i % 10 > 0) continue;
        double middle = 0;
        assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
        assert_int_equal(rv_world_get_density(world, &d), RV_OK);
        for (int64_t k = 0; k < p.count; k++) middle += (double)p.z[k] / (double)p.count;
        lowest = fmin(lowest, middle / (0.5 * (double)p.count * p.each));
        for (int64_t k = 0; k < (int64_t)d.nx * d.ny * d.nz && i > 50; k++)
            densest = fmax(densest, (double)d.value[k]);
    }
    if (lowest < 0.985) fail_msg("its middle falls to %g of half its depth", lowest);
    if (densest > 1.08) fail_msg("it gets as dense as %g", densest);
    rv_world_destroy(world);
}

// ---- Floating -----------------------------------------------------------------------------------

// A ball half as dense floats with its middle in the surface, and does not bob.
static void a_ball_half_as_dense_is_half_under(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_3D, 24);
    def.params.gravity.z = -GRAVITY;
    rv_fill_def fill = rv_default_fill_def();
    rv_body_def ball = rv_default_body_def();
    fill.kind = RV_FILL_DEPTH, fill.depth = 0.5;
    ball.radius = 0.15, ball.density = 500, ball.at = (rv_vec3){0, 0, 0.6};
    def.fills = &fill, def.fill_count = 1, def.bodies = &ball, def.body_count = 1;
    rv_world *world = make(&def);
    double low = INFINITY, high = -INFINITY, mean = 0;
    for (int i = 0; i < 700; i++) {
        rv_body_state at;
        assert_int_equal(rv_world_step(world, 0.005), RV_OK);
        assert_int_equal(rv_world_get_body(world, 0, NULL, &at), RV_OK);
        if (i < 500) continue;
        low = fmin(low, at.at.z), high = fmax(high, at.at.z), mean += at.at.z / 200;
    }
    double surface = 0.5 + 2.0 / 3.0 * 3.14159265358979 * pow(ball.radius, 3);
    if (fabs(mean - surface) > 0.1 * ball.radius || high - low > 0.05 * ball.radius)
        fail_msg("middle at %g (%g to %g), surface %g", mean, low, high, surface);
    rv_world_destroy(world);
}

// ---- A jet --------------------------------------------------------------------------------------

// How much particles stand in rows `apart` from each other along one axis: 1 a lattice, 0 anywhere.
static double in_rows(const float *place, int64_t count, double apart)
{
    double re = 0, im = 0, turn = 2 * 3.14159265358979;
    for (int64_t i = 0; i < count; i++) {
        re += cos(turn * (double)place[i] / apart);
        im += sin(turn * (double)place[i] / apart);
    }
    return hypot(re, im) / (double)count;
}

// A jet brings what its cross-section asks for, and no lattice.
static void a_jet_shows_no_lattice(void **state)
{
    (void)state;
    const double speed = 2, dt = 0.004, radius = 0.104;
    const int steps = 60;
    rv_world_def def = cube_def(RV_SPLAT_3D, 40);
    rv_emitter_def jet = rv_default_emitter_def();
    jet.kind = RV_EMITTER_JET, jet.radius = radius;
    jet.at = (rv_vec3){-0.4, 0, 0.5}, jet.velocity = (rv_vec3){speed, 0, 0};
    def.emitters = &jet, def.emitter_count = 1;
    def.params.gravity = (rv_vec3){0, 0, 0};
    rv_world *world = make(&def);
    for (int i = 0; i < steps; i++) assert_int_equal(rv_world_step(world, dt), RV_OK);
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    double brought = (double)p.count * p.each;
    double h = def.params.splat_spacing * def.params.grid_dx;
    // it comes in disks, h thick, the first at once
    double disks = ceil(speed * steps * dt / h);
    double asked = 3.14159265358979 * radius * radius * h * disks;
    double across = in_rows(p.y, p.count, h), up = in_rows(p.z, p.count, h);
    if (fabs(brought / asked - 1) > 0.01 || across > 0.1 || up > 0.1)
        fail_msg("%g of what was asked; in rows %g across, %g up", brought / asked, across, up);
    rv_world_destroy(world);
}

// ---- Cycles of the pressure ---------------------------------------------------------------------

// A block 40 cells wide from `low` to `high`, m, on 96² cells: the mean of cycles a frame, and the
// most; `cycles` counts from 0, and is 16 where the pressure was not found.
static double cycles_of_a_block(double low, double high, int steps, int *most)
{
    rv_emitter_def block = block_between((rv_vec3){-0.2, -0.5, low}, (rv_vec3){0.2, 0.5, high});
    rv_world_def def = grid_def(RV_SOLVER_SPLAT, 96, 1, 0.01);
    def.params.splat_form = RV_SPLAT_2D, def.params.grid_top = 0.96;
    def.params.splat_particles = 20000;
    def.emitters = &block, def.emitter_count = 1;
    rv_world *world = make(&def);
    const rv_splat *s = (const rv_splat *)world->solver;
    double sum = 0;
    *most = 0;
    for (int i = 0; i < steps; i++) {
        assert_int_equal(rv_world_step(world, 0.005), RV_OK);
        sum += s->cycles + 1;
        *most = s->cycles > *most ? s->cycles : *most;
    }
    rv_world_destroy(world);
    return sum / steps;
}

// It begins with what was found before. Where that is of no use, because the block falls for long
// and then strikes the floor, it is found all the same.
static void pressure_is_found_in_few_cycles(void **state)
{
    (void)state;
    int most;
    double dam = cycles_of_a_block(0, 0.6, 150, &most);
    if (dam > 3 || most > 8) fail_msg("a dam takes %g cycles, at most %d", dam, most + 1);
    double fall = cycles_of_a_block(0.3, 0.8, 150, &most);
    if (fall > 3 || most > 12) fail_msg("a block takes %g cycles, at most %d", fall, most + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_on_all_instruction_sets),
        cmocka_unit_test(evening_out_gives_no_velocity),
        cmocka_unit_test(bodies_keep_momentum),
        cmocka_unit_test(a_dam_gains_no_energy),
        cmocka_unit_test(a_sloshing_tank_keeps_its_volume),
        cmocka_unit_test(a_ball_half_as_dense_is_half_under),
        cmocka_unit_test(a_jet_shows_no_lattice),
        cmocka_unit_test(pressure_is_found_in_few_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
