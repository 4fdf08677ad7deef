// Particles on a grid: against a plain version of the same formulas, one instruction set against
// the other, and what must hold whatever happens: volume, walls, solids, numbers.
#include "base/isa.h"
#include "particles/rows.h"
#include "small_worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rv_emitter_def block(double x0, double x1, double z1)
{
    rv_emitter_def e = rv_default_emitter_def();
    e.kind = RV_EMITTER_BLOCK, e.from = (rv_vec3){x0, -0.5, 0}, e.to = (rv_vec3){x1, 0.5, z1};
    return e;
}

static rv_particles particles_of(const rv_world *world)
{
    rv_particles p;
    assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
    return p;
}

// ---- A plain version ----------------------------------------------------------------------------

// Form 2d without solids, in double precision, cells one by one, as step.c tells it.
#define N 24
#define PAD 4
#define SIDE (N + 2 * PAD)
#define MOST 400

typedef struct plain {
    int count;
    double x[MOST][2], u[MOST][2];
    double weight[SIDE][SIDE], motion[2][SIDE][SIDE], after[2][SIDE][SIDE];
    double dense[SIDE][SIDE], even[SIDE][SIDE], pressure[SIDE][SIDE]; // [z][x]
} plain;

static void plain_splat(plain *s, const rv_params *p)
{
    double r2 = p->splat_radius * p->splat_radius;
    memset(s->weight, 0, sizeof s->weight);
    memset(s->motion, 0, sizeof s->motion);
    for (int i = 0; i < s->count; i++)
        for (int z = 0; z < SIDE; z++)
            for (int x = 0; x < SIDE; x++) {
                double dx = x - PAD + 0.5 - s->x[i][0], dz = z - PAD + 0.5 - s->x[i][1];
                double t = 1 - (dx * dx + dz * dz) / r2;
                if (!(t > 0)) continue;
                s->weight[z][x] += t * t * t;
                for (int c = 0; c < 2; c++) s->motion[c][z][x] += t * t * t * s->u[i][c];
            }
}

// Index of the cell that a cell beyond a wall mirrors.
static int mirrored(int i)
{
    return i < PAD ? 2 * PAD - 1 - i : i >= N + PAD ? 2 * (N + PAD) - 1 - i : i;
}

static void plain_mirror(plain *s)
{
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) {
            int mx = mirrored(x), mz = mirrored(z);
            if (mx == x && mz == z) continue;
            s->weight[mz][mx] += s->weight[z][x];
            s->motion[0][mz][mx] += (mx == x ? 1 : -1) * s->motion[0][z][x];
            s->motion[1][mz][mx] += (mz == z ? 1 : -1) * s->motion[1][z][x];
        }
}

// A field at a cell, or beyond a wall its mirror image: the component `c` with its sign changed.
static double at(double field[SIDE][SIDE], int z, int x, int c)
{
    int mx = mirrored(x), mz = mirrored(z);
    double sign = (c == 0 && mx != x) != (c == 1 && mz != z) ? -1 : 1;
    return sign * field[mz][mx];
}

#define FOR_CELLS                                                                                  \
    for (int z = PAD; z < N + PAD; z++)                                                            \
        for (int x = PAD; x < N + PAD; x++)

static void plain_pressure(plain *s, const rv_params *p, double dt)
{
    double h = p->splat_spacing, r2 = p->splat_radius * p->splat_radius, dx = p->grid_dx;
    double rest = p->splat_rest * 3.14159265358979 * r2 / 4 / (h * h),
           head = rv_gravity_down(p) * 1.0;
    double k = p->splat_stiffness * head, slack = p->splat_slack * head;
    double sound = sqrt(p->splat_gamma * k),
           calm = fmin(p->splat_calm * sound * dx, dx * dx / (2 * dt));
    static double first[SIDE][SIDE];
    FOR_CELLS
    {
        double w = s->weight[z][x];
        for (int c = 0; c < 2; c++) s->motion[c][z][x] = w > 1e-6 ? s->motion[c][z][x] / w : 0;
        s->dense[z][x] = w / rest;
    }
    FOR_CELLS first[z][x] =
        s->dense[z][x] +
        0.25 * (at(s->dense, z, x - 1, -1) + at(s->dense, z, x + 1, -1) - 2 * s->dense[z][x]);
    FOR_CELLS s->even[z][x] =
        first[z][x] + 0.25 * (at(first, z - 1, x, -1) + at(first, z + 1, x, -1) - 2 * first[z][x]);
    FOR_CELLS
    {
        double over = pow(s->even[z][x], p->splat_gamma) - 1;
        s->pressure[z][x] = (over > 0 ? k : slack) * over + slack;
        double spread = at(s->motion[0], z, x + 1, 0) - at(s->motion[0], z, x - 1, 0) +
                        at(s->motion[1], z + 1, x, 1) - at(s->motion[1], z - 1, x, 1);
        if (s->dense[z][x] > 0.9) s->pressure[z][x] -= calm * spread / (2 * dx);
    }
}

static void plain_force(plain *s, const rv_params *p, double dt)
{
    double push = dt / (2 * p->grid_dx);
    FOR_CELLS
    {
        double u = s->motion[0][z][x] -
                   push * (at(s->pressure, z, x + 1, -1) - at(s->pressure, z, x - 1, -1));
        double w = s->motion[1][z][x] - dt * rv_gravity_down(p) -
                   push * (at(s->pressure, z + 1, x, -1) - at(s->pressure, z - 1, x, -1));
        if (!(s->weight[z][x] > 1e-6)) u = w = 0;
        if (x == PAD) u = fmax(u, 0);
        if (x == N + PAD - 1) u = fmin(u, 0);
        if (z == PAD) w = fmax(w, 0);
        if (z == N + PAD - 1) w = fmin(w, 0);
        s->after[0][z][x] = u, s->after[1][z][x] = w;
    }
}

static double between(double field[SIDE][SIDE], const double x[2], int c)
{
    double gx = x[0] - 0.5 + PAD, gz = x[1] - 0.5 + PAD;
    int i = (int)floor(gx), j = (int)floor(gz);
    double fx = gx - i, fz = gz - j;
    return (1 - fz) * ((1 - fx) * at(field, j, i, c) + fx * at(field, j, i + 1, c)) +
           fz * ((1 - fx) * at(field, j + 1, i, c) + fx * at(field, j + 1, i + 1, c));
}

static void plain_move(plain *s, const rv_params *p, double dt)
{
    double sound = sqrt(p->splat_gamma * p->splat_stiffness * rv_gravity_down(p));
    double spread = p->splat_radius * p->splat_radius / 10, dx = p->grid_dx;
    double keep = pow(1 - p->splat_pic, sound * dt / dx) *
                  fmax(0, 1 - 2 * p->liquid_viscosity * dt / (spread * dx * dx));
    for (int i = 0; i < s->count; i++) {
        double mid[2], next[2], u[2];
        for (int c = 0; c < 2; c++) {
            double v = between(s->after[c], s->x[i], c), before = between(s->motion[c], s->x[i], c);
            u[c] = (1 - keep) * v + keep * (s->u[i][c] + v - before);
            mid[c] = fmin(fmax(s->x[i][c] + 0.5 * dt / dx * v, 0), N);
        }
        for (int c = 0; c < 2; c++)
            next[c] =
                fmin(fmax(s->x[i][c] + dt / dx * between(s->after[c], mid, c), 0.01), N - 0.01);
        for (int c = 0; c < 2; c++) {
            bool out = (next[c] <= 0.01 && u[c] < 0) || (next[c] >= N - 0.01 && u[c] > 0);
            s->x[i][c] = next[c], s->u[i][c] = out ? 0 : u[c];
        }
    }
}

static void against_a_plain_version(void **state)
{
    (void)state;
    static plain s;
    rv_world_def def = cube_def(RV_SPLAT_2D, N);
    rv_emitter_def dam = block(-0.5, 0, 0.5);
    def.emitters = &dam, def.emitter_count = 1;
    def.params.liquid_viscosity = 1e-4, def.params.splat_method = RV_SPLAT_WIDE;
    double dt = 2e-3;
    rv_world *world = make(&def);
    rv_particles p = particles_of(world);
    assert_in_range(p.count, 100, MOST);
    s.count = (int)p.count;
    for (int i = 0; i < s.count; i++) {
        s.x[i][0] = ((double)p.x[i] + 0.5) * N, s.x[i][1] = (double)p.z[i] * N;
        s.u[i][0] = s.u[i][1] = 0;
    }
    for (int i = 0; i < 60; i++) {
        run(world, 1, dt);
        int parts = stats_of(world).substeps;
        for (int k = 0; k < parts; k++) {
            plain_splat(&s, &def.params);
            plain_mirror(&s);
            plain_pressure(&s, &def.params, dt / parts);
            plain_force(&s, &def.params, dt / parts);
            plain_move(&s, &def.params, dt / parts);
        }
    }
    // particles were sorted on the way: their densities are compared
    plain_splat(&s, &def.params);
    plain_mirror(&s);
    rv_density d;
    assert_int_equal(rv_world_get_density(world, &d), RV_OK);
    double worst = 0, r = def.params.splat_radius, h = def.params.splat_spacing;
    double rest = 3.14159265358979 * r * r / 4 / (h * h);
    FOR_CELLS worst = fmax(worst, fabs(s.weight[z][x] / rest -
                                       (double)d.value[(size_t)(z - PAD) * N + (size_t)(x - PAD)]));
    assert_true(worst < 2e-3);
    rv_world_destroy(world);
}

// ---- Instruction sets ---------------------------------------------------------------------------

#define CELLS 40
#define GRID_FLOATS 200000

static float noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) * 0x1p-24f;
}

static void form_bits(const rv_splat_rows *rows, int axes, int reach, float *out, size_t count)
{
    static float particle[64 * 8], node[GRID_FLOATS * 8];
    rv_splat_grid g = {.n = {CELLS, 8, axes == 3 ? 8 : 1}, .axes = axes, .up = axes - 1, .pad = 9};
    g.pitch = 48 + 2 * RV_SPLAT_MARGIN, g.layer = g.pitch * 26;
    g.origin = RV_SPLAT_MARGIN + 9 * (g.pitch + (axes == 3 ? g.layer : 0));
    g.slots = g.layer * (axes == 3 ? 26 : 1) + RV_SPLAT_MARGIN;
    assert_true(g.slots * 4 <= count && g.slots <= GRID_FLOATS);
    rv_splat_law law = {.axes = axes,
                        .up = axes - 1,
                        .reach = reach,
                        .pic = 0.1f,
                        .move = 0.3f,
                        .per_radius2 = 1.0f / (float)(reach * reach),
                        .high = {CELLS, 8, 8}};
    uint32_t seed = 7;
    int size = axes == 3 ? 4 : 2;
    for (int i = 0; i < 64; i++)
        for (int c = 0; c < 2 * size; c++)
            particle[i * 2 * size + c] = c == 0     ? 16 + 8 * noise(&seed)
                                         : c < size ? 3 + noise(&seed)
                                                    : noise(&seed) - 0.5f;
    for (size_t i = 0; i < GRID_FLOATS * 8; i++) node[i] = noise(&seed) - 0.5f;
    memset(out, 0, count * sizeof *out);
    float *motion[3] = {out + g.slots, out + 2 * g.slots, out + 3 * g.slots};
    rows->splat(&law, &g, particle, 64, out, motion);
    rv_splat_moved moved = {0};
    rows->move(&law, &g, node, particle, 61, &moved); // not a multiple of any width
    memcpy(out + count - 64 * 8, particle, sizeof particle);
    out[count - 64 * 8 - 1] = moved.fastest;
}

static void same_bits_on_all_instruction_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"avx2", "avx512"};
    size_t count = GRID_FLOATS * 5;
    float *base = calloc(count, sizeof *base), *other = calloc(count, sizeof *other);
    for (int axes = 2; axes <= 3; axes++)
        for (int reach = 2; reach <= 7; reach++) {
            form_bits(rv_splat_rows_named("baseline"), axes, reach, base, count);
            for (int i = 0; i < 2; i++) {
                const rv_splat_rows *rows = rv_splat_rows_named(names[i]);
                if (!rows) continue;
                form_bits(rows, axes, reach, other, count);
                assert_memory_equal(base, other, count * sizeof *base);
            }
        }
    free(base);
    free(other);
}

// A node that is no number leaves particles where they are, and is counted.
static void not_a_number_is_counted(void **state)
{
    (void)state;
    static float node[40 * 40 * 4];
    float particle[4] = {3.2f, 3.7f, 1.0f, 1.0f};
    rv_splat_grid g = {.n = {8, 8, 1}, .axes = 2, .pad = 4, .pitch = 40, .origin = 16 + 4 * 40};
    rv_splat_law law = {.axes = 2, .up = 1, .move = 0.1f, .high = {8, 8, 0}};
    rv_splat_moved moved = {0};
    node[4 * (g.origin + 3 + 3 * g.pitch) + 2] = NAN;
    rv_splat_rows_best()->move(&law, &g, node, particle, 1, &moved);
    assert_int_equal(moved.not_finite, 1);
    assert_true(particle[0] == 3.2f && particle[1] == 3.7f);
    assert_true(particle[2] == 0.0f && particle[3] == 0.0f);
}

// ---- What always holds --------------------------------------------------------------------------

static void check_particles(const rv_world *world, double lowest)
{
    rv_particles p = particles_of(world);
    const rv_params *params = rv_world_params(world);
    double half = 0.5 * params->grid_nx * params->grid_dx;
    for (int64_t i = 0; i < p.count; i++) {
        rv_vec3 at = {(double)p.x[i], p.y ? (double)p.y[i] : p.at.y, (double)p.z[i]};
        float distance;
        assert_true(at.x > -half && at.x < half && at.z > 0 && at.z < params->grid_top);
        if (p.y) assert_true(at.y > -half && at.y < half);
        rv_world_distance(world, &at, 1, &distance);
        assert_true((double)distance > lowest);
        assert_true(isfinite(p.u[i]) && isfinite(p.w[i]));
    }
}

// A dam and a jet over a ball and a step.
static void stays_out_of_solids(void **state)
{
    (void)state;
    for (int form = RV_SPLAT_2D; form <= RV_SPLAT_3D; form++) {
        int n = form == RV_SPLAT_2D ? 48 : 20;
        rv_world_def def = cube_def((rv_splat_form)form, n);
        rv_solid_def solids[2] = {rv_default_solid_def(), rv_default_solid_def()};
        solids[0].shape = RV_SHAPE_SPHERE, solids[0].radius = 0.15, solids[0].at.z = 0.15;
        solids[1].shape = RV_SHAPE_BOX, solids[1].size = (rv_vec3){0.3, 2, 0.3};
        solids[1].at = (rv_vec3){0.4, 0, 0.1};
        rv_emitter_def e[2] = {block(-0.5, -0.2, 0.7), rv_default_emitter_def()};
        e[1].at = (rv_vec3){0, 0, 0.9}, e[1].velocity = (rv_vec3){0.5, 0, -2}, e[1].radius = 0.06;
        def.solids = solids, def.solid_count = 2, def.emitters = e, def.emitter_count = 2;
        rv_world *world = make(&def);
        for (int i = 0; i < 20; i++) {
            run(world, 5, 4e-3);
            check_particles(world, -0.15 * def.params.grid_dx);
        }
        rv_stats s = stats_of(world);
        assert_true(s.sourced > 0);
        rv_particles p = particles_of(world);
        assert_true(fabs(s.volume - (double)p.count * p.each) < 1e-12 * s.volume);
        assert_int_equal(s.not_finite, 0);
        rv_world_destroy(world);
    }
}

static double kinetic(const rv_world *world)
{
    rv_particles p = particles_of(world);
    double sum = 0;
    for (int64_t i = 0; i < p.count; i++)
        sum += 0.5 * (double)(p.u[i] * p.u[i] + p.w[i] * p.w[i]) / (double)p.count;
    return sum;
}

// A fill is the volume that was asked for, as a lattice that hardly moves.
static void fills_lie_still(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_2D, 40);
    rv_fill_def fill = rv_default_fill_def();
    fill.level = 0.37;
    def.fills = &fill, def.fill_count = 1;
    rv_world *world = make(&def);
    double volume = stats_of(world).volume;
    assert_true(fabs(volume / (0.37 * 1.0 / 40) - 1) < 1e-6);
    run(world, 150, 4e-3);
    assert_true(kinetic(world) < 1e-3 * 9.81 * 0.37);
    assert_true(fabs(stats_of(world).volume / volume - 1) < 1e-12);
    rv_sample sample;
    rv_world_sample(world, &(rv_vec3){0.1, 0, 1}, 1, &sample);
    assert_true(sample.wet && fabs(sample.depth / 0.37 - 1) < 0.05);
    rv_world_destroy(world);
}

static void stiff_liquid_takes_more_substeps(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_2D, 24);
    rv_emitter_def dam = block(-0.5, 0, 0.5);
    def.emitters = &dam, def.emitter_count = 1, def.params.splat_method = RV_SPLAT_WIDE;
    rv_world *soft = make(&def);
    def.params.splat_stiffness *= 10;
    rv_world *stiff = make(&def);
    run(soft, 20, 0.02);
    run(stiff, 20, 0.02);
    assert_true(stats_of(stiff).all_substeps > 2 * stats_of(soft).all_substeps);
    assert_true(stats_of(stiff).fastest < 10);
    check_particles(stiff, -1);
    rv_world_destroy(soft);
    rv_world_destroy(stiff);
}

// Sources and drains give and take particles to the last bit of volume.
static void drains_take_what_they_say(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_2D, 24);
    rv_fill_def fill = rv_default_fill_def();
    rv_drain_def drain = rv_default_drain_def();
    rv_source_def source = rv_default_source_def();
    fill.level = 0.4;
    drain.from = (rv_vec3){0.2, -1, -1}, drain.to = (rv_vec3){0.5, 1, 1}, drain.rate = 0.01;
    source.at = (rv_vec3){-0.3, 0, 0.9}, source.radius = 0.1, source.rate = 0.004;
    def.fills = &fill, def.fill_count = 1, def.drains = &drain, def.drain_count = 1;
    def.sources = &source, def.source_count = 1;
    rv_world *world = make(&def);
    double first = stats_of(world).volume;
    run(world, 50, 0.01);
    rv_stats s = stats_of(world);
    assert_true(fabs(s.drained - 0.005) < 1e-5 && fabs(s.sourced - 0.002) < 1e-5);
    assert_true(fabs(s.volume - (first + s.sourced - s.drained)) < 1e-7 * first);
    rv_particles p = particles_of(world);
    assert_true(fabs((double)p.count * p.each / s.volume - 1) < 0.02);
    rv_world_destroy(world);
}

// A snapshot taken on the way goes on bit for bit, with a drain and a jet.
static void snapshots_go_on(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_3D, 12);
    rv_emitter_def e[2] = {block(-0.5, 0, 0.6), rv_default_emitter_def()};
    rv_drain_def drain = rv_default_drain_def();
    e[1].at = (rv_vec3){0.2, 0, 0.9}, e[1].velocity = (rv_vec3){0, 0, -1}, e[1].radius = 0.1;
    drain.rate = 0.05;
    def.emitters = e, def.emitter_count = 2, def.drains = &drain, def.drain_count = 1;
    rv_world *a = make(&def), *b = make(&def);
    run(a, 13, 5e-3);
    size_t size = rv_world_snapshot_size(a);
    void *saved = malloc(size);
    assert_int_equal(rv_world_save(a, saved, size), RV_OK);
    run(a, 20, 5e-3);
    run(b, 3, 5e-3);
    assert_int_equal(rv_world_restore(b, saved, size, NULL), RV_OK);
    run(b, 20, 5e-3);
    assert_true(rv_world_hash(a) == rv_world_hash(b));
    free(saved);
    rv_world_destroy(a);
    rv_world_destroy(b);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int form = RV_SPLAT_2D; form <= RV_SPLAT_HEIGHT; form++) {
        uint64_t hash[2];
        for (int i = 0; i < 2; i++) {
            // so many cells that the pressure is swept by slabs
            rv_world_def def = cube_def((rv_splat_form)form, form == RV_SPLAT_3D ? 40 : 200);
            rv_emitter_def dam = block(-0.5, 0, 0.5);
            def.emitters = &dam, def.emitter_count = 1;
            def.pool = rv_pool_create(i ? 3 : 1);
            rv_world *world = make(&def);
            run(world, 12, 4e-3);
            hash[i] = rv_world_hash(world);
            rv_world_destroy(world);
            rv_pool_destroy(def.pool);
        }
        assert_true(hash[0] == hash[1]);
    }
}

// The paper's form is there, and clumps: at least it stays in its tank.
static void the_plain_form_runs(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_2D, 32);
    rv_emitter_def dam = block(-0.5, 0, 0.5);
    def.emitters = &dam, def.emitter_count = 1, def.params.splat_plain = true;
    rv_world *world = make(&def);
    run(world, 100, 4e-3);
    check_particles(world, -1);
    rv_world_destroy(world);
}

static void bad_settings_are_named(void **state)
{
    (void)state;
    rv_world_def def = cube_def(RV_SPLAT_2D, 16);
    rv_world *world;
    rv_messages messages = {0};
    def.params.grid_ny = 2, def.params.border_west = RV_BORDER_LEVEL;
    assert_int_equal(rv_world_create(&def, &world, &messages), RV_BAD_ARGUMENT);
    assert_non_null(strstr(messages.text, "grid.ny"));
    assert_non_null(strstr(messages.text, "border.west"));
}

// Light bodies that overlap each other, heavy ones and the ground are squeezed, not shot out:
// liquid makes none of them faster than it could lift one that weighs nothing, 2 √(g H), and is not
// made much faster itself.
static void overlapping_bodies_stay_slow(void **state)
{
    static const rv_vec3 at[6] = {{0.0101, 0, 0.0266}, {0.0033, 0, 0.075},  {0.0193, 0, 0.0871},
                                  {0.0259, 0, 0.0469}, {0.0171, 0, 0.1121}, {-0.0322, 0, 0.0336}};
    static const rv_vec3 size[6] = {{0.0109, 0.0686, 0.0282}, {0.0378, 0.0703, 0.0262},
                                    {0.0145, 0.0631, 0.0514}, {0.0556, 0.0556, 0.0556},
                                    {0.0376, 0.0661, 0.0411}, {0.0252, 0.0776, 0.0405}};
    static const double density[6] = {86, 51, 130, 6087, 6700, 982};
    const double most = 2 * sqrt(9.81 * 0.2);
    small_world s;
    (void)state;
    small_grid(&s, RV_SOLVER_SPLAT, 24, 1, 0.01);
    s.def.params.splat_form = RV_SPLAT_2D, s.def.params.grid_top = 0.2;
    s.fill[0].kind = RV_FILL_LEVEL, s.fill[0].level = 0.0759, s.def.fill_count = 1;
    for (int i = 0; i < 6; i++) {
        s.body[i].shape = i == 3 ? RV_BODY_SPHERE : RV_BODY_BOX;
        s.body[i].radius = 0.0278, s.body[i].size = size[i];
        s.body[i].at = at[i], s.body[i].density = density[i];
    }
    s.def.body_count = 6;
    rv_world *world = make(&s.def);
    for (int n = 0; n < 60; n++) {
        run(world, 1, 5e-3);
        assert_true(stats_of(world).fastest < 2 * most);
        for (int i = 0; i < 6; i++) {
            rv_body_state b;
            assert_int_equal(rv_world_get_body(world, i, NULL, &b), RV_OK);
            double x = b.velocity.x, y = b.velocity.y, z = b.velocity.z;
            assert_true(sqrt(x * x + y * y + z * z) < 1.5 * most); // bounces are not the liquid's
        }
    }
    rv_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_plain_version),
        cmocka_unit_test(same_bits_on_all_instruction_sets),
        cmocka_unit_test(not_a_number_is_counted),
        cmocka_unit_test(stays_out_of_solids),
        cmocka_unit_test(fills_lie_still),
        cmocka_unit_test(stiff_liquid_takes_more_substeps),
        cmocka_unit_test(drains_take_what_they_say),
        cmocka_unit_test(snapshots_go_on),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(the_plain_form_runs),
        cmocka_unit_test(overlapping_bodies_stay_slow),
        cmocka_unit_test(bad_settings_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
