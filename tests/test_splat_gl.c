// Particles stepped by drawing: the same as on the CPU, for all forms, with whole and with half
// floats.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_leaks.h"
#include "render/splat_gl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One target and one backend of each kind for all tests.
typedef struct shared {
    rv_target *target;
    rv_splat_gl *gl[2]; // whole and half floats
} shared;

static int enter(void **state)
{
    shared *s = calloc(1, sizeof *s);
    rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = 16, .height = 16};
    rv_messages messages = {0};
    *state = s;
    if (!s || rv_target_create(&def, &s->target, &messages) != RV_OK) return -1;
    for (int half = 0; half < 2; half++) {
        rv_splat_gl_def how = {.half = half};
        if (rv_splat_gl_create(s->target, &how, &s->gl[half], &messages) != RV_OK) {
            print_error("%s\n", messages.text);
            return -1;
        }
    }
    return 0;
}

static int leave(void **state)
{
    shared *s = *state;
    for (int half = 0; half < 2; half++) rv_splat_gl_destroy(s->gl[half]);
    rv_target_destroy(s->target);
    free(s);
    return 0;
}

// ---- The splat alone ----------------------------------------------------------------------------

enum { COUNT = 900 };

typedef struct cloud {
    float x[COUNT], y[COUNT], z[COUNT], u[COUNT], v[COUNT], w[COUNT];
} cloud;

static float next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

static const rv_splat_sizes sizes_of[3] = {
    {RV_SPLAT_2D, 40, 1, 30, 0.01, {-0.2, 0, 0.5}, 1e-6, 7, COUNT},
    {RV_SPLAT_3D, 20, 13, 17, 0.01, {-0.2, 1, 0.5}, 1e-6, 7, COUNT},
    {RV_SPLAT_HEIGHT, 40, 30, 1, 0.01, {-0.2, 1, 0.5}, 1e-6, 7, COUNT},
};

// Anywhere in the grid, its rim included.
static rv_particles scatter(const rv_splat_sizes *s, cloud *c)
{
    uint32_t seed = 7;
    for (int n = 0; n < COUNT; n++) {
        c->x[n] = (float)(s->low.x + s->nx * s->dx * (double)next(&seed));
        c->y[n] = (float)(s->low.y + s->ny * s->dx * (double)next(&seed));
        c->z[n] = (float)(s->low.z + s->nz * s->dx * (double)next(&seed));
        c->u[n] = next(&seed) - 0.5f, c->v[n] = next(&seed) - 0.5f, c->w[n] = next(&seed) - 0.5f;
    }
    rv_particles p = {.count = COUNT, .x = c->x, .y = c->y, .z = c->z};
    p.u = c->u, p.v = c->v, p.w = c->w;
    if (s->form == RV_SPLAT_2D) p.y = p.v = NULL;
    if (s->form == RV_SPLAT_HEIGHT) p.z = p.w = NULL;
    return p;
}

// Adds a particle's kernel (1 − d²/r²)³ to all cells.
static void add_one(const rv_splat_sizes *s, const double at[3], double radius, float *out)
{
    int i0 = (int)fmax(at[0] - radius - 1, 0), i1 = (int)fmin(at[0] + radius + 1, s->nx);
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++)
            for (int i = i0; i < i1; i++) {
                double a = at[0] - i - 0.5, b = at[1] - j - 0.5, c = at[2] - k - 0.5;
                if (s->form == RV_SPLAT_2D) b = 0;
                if (s->form == RV_SPLAT_HEIGHT) c = 0;
                double w = 1 - (a * a + b * b + c * c) / (radius * radius);
                if (w > 0) out[(k * s->ny + j) * s->nx + i] += (float)(w * w * w / s->rest);
            }
}

// Σ over all particles, and over their images in the walls that a kernel reaches.
static void add_up(const rv_splat_sizes *s, const rv_particles *p, double radius, float *out)
{
    const float *const at[3] = {p->x, p->y, p->z};
    const double low[3] = {s->low.x, s->low.y, s->low.z};
    const int n[3] = {s->nx, s->ny, s->nz};
    memset(out, 0, (size_t)(n[0] * n[1] * n[2]) * sizeof *out);
    for (int64_t i = 0; i < p->count; i++)
        for (int image = 0; image < 27; image++) {
            const int which[3] = {image % 3, image / 3 % 3, image / 9};
            double x[3] = {0, 0, 0};
            bool far = false;
            for (int c = 0; c < 3; c++) {
                if (at[c]) x[c] = ((double)at[c][i] - low[c]) / s->dx;
                if (which[c] == 1) x[c] = -x[c];
                if (which[c] == 2) x[c] = 2 * n[c] - x[c];
                far = far || (which[c] && !at[c]) || x[c] < -radius || x[c] > n[c] + radius;
            }
            if (!far) add_one(s, x, radius, out);
        }
}

static void each_splat_is_the_kernel(void **state)
{
    shared *one = *state;
    cloud *c = malloc(sizeof *c);
    float expected[40 * 30 * 17], found[40 * 30 * 17];
    assert_non_null(c);
    for (int form = 0; form < 3; form++)
        for (int half = 0; half < 2; half++) {
            const rv_splat_sizes *sizes = &sizes_of[form];
            const rv_splat_backend *b = rv_splat_gl_backend(one->gl[half]);
            rv_params params = rv_default_params();
            rv_particles p = scatter(sizes, c);
            void *s;
            assert_int_equal(b->open(b->user, sizes, &params, &s), RV_OK);
            assert_int_equal(b->put(s, 0, COUNT, &p), RV_OK);
            assert_int_equal(b->get_density(s, found), RV_OK);
            add_up(sizes, &p, 3, expected);
            int cells = sizes->nx * sizes->ny * sizes->nz;
            double worst = 0, apart = 0, all = 0;
            for (int n = 0; n < cells; n++) {
                double error = fabs((double)(found[n] - expected[n]));
                worst = fmax(worst, error), apart += error, all += (double)expected[n];
            }
            // Half floats lose what is small beside the sum; Mesa's software driver even cuts
            // each sum off.
            if (apart > (half ? 2e-2 : 4e-7) * all || worst > (half ? 5e-2 : 2e-6) * all / cells)
                fail_msg("form %d, half %d: mean error %.2g, worst %.2g of the mean", form, half,
                         apart / all, worst * cells / all);
            b->close(s);
        }
    free(c);
}

// ---- What is sent and read back -----------------------------------------------------------------

static void *open_state(const rv_splat_backend *b, int form)
{
    rv_params params = rv_default_params();
    void *s;
    assert_int_equal(b->open(b->user, &sizes_of[form], &params, &s), RV_OK);
    return s;
}

// Particles from `first` on, as a list of their own.
static rv_particles from(const rv_particles *all, int64_t first, int64_t count)
{
    rv_particles p = *all;
    p.count = count;
    p.x += first, p.u += first;
    if (p.y) p.y += first, p.v += first;
    if (p.z) p.z += first, p.w += first;
    return p;
}

static void particles_come_back_as_they_were_put(void **state)
{
    shared *one = *state;
    const rv_splat_backend *b = rv_splat_gl_backend(one->gl[0]);
    cloud *c = malloc(sizeof *c), *back = malloc(sizeof *back);
    assert_non_null(c);
    assert_non_null(back);
    for (int form = 0; form < 3; form++) {
        void *s = open_state(b, form);
        rv_particles p = scatter(&sizes_of[form], c);
        // In pieces that end within rows of the texture, one of them put twice.
        static const int ends[] = {0, 5, 64, 700, COUNT};
        for (int n = 0; n < 4; n++)
            for (int again = 0; again < 2; again++) {
                rv_particles part = from(&p, ends[n], ends[n + 1] - ends[n]);
                assert_int_equal(b->put(s, ends[n], part.count, &part), RV_OK);
            }
        assert_int_equal(b->put(s, COUNT, 1, &p), RV_BAD_ARGUMENT); // more than there may be
        assert_int_equal(b->get(s, back->x, p.y ? back->y : NULL, p.z ? back->z : NULL, back->u,
                                p.y ? back->v : NULL, p.z ? back->w : NULL),
                         RV_OK);
        for (int n = 0; n < COUNT; n++) {
            assert_float_equal(back->x[n], c->x[n], 1e-7);
            assert_true(back->u[n] == c->u[n]);
            if (p.y) assert_float_equal(back->y[n], c->y[n], 2e-7);
            if (p.z) assert_float_equal(back->z[n], c->z[n], 1e-7);
            if (p.y) assert_true(back->v[n] == c->v[n]);
            if (p.z) assert_true(back->w[n] == c->w[n]);
        }
        b->close(s);
    }
    free(c), free(back);
}

// Those that come are added to what was summed already; fewer start anew.
static void sums_follow_what_is_put(void **state)
{
    shared *one = *state;
    const rv_splat_backend *b = rv_splat_gl_backend(one->gl[0]);
    cloud *c = malloc(sizeof *c);
    float all[20 * 13 * 17], parts[20 * 13 * 17], density[3][20 * 13 * 17];
    assert_non_null(c);
    rv_particles p = scatter(&sizes_of[RV_SPLAT_3D], c), rest = from(&p, 300, COUNT - 300);
    void *s = open_state(b, RV_SPLAT_3D);
    assert_int_equal(b->put(s, 0, 300, &p), RV_OK);
    assert_int_equal(b->get_density(s, density[0]), RV_OK);
    assert_int_equal(b->put(s, 300, COUNT - 300, &rest), RV_OK);
    assert_int_equal(b->get_density(s, density[1]), RV_OK);
    assert_int_equal(b->put(s, 300, 0, &rest), RV_OK); // those after it are gone
    assert_int_equal(b->get_density(s, density[2]), RV_OK);
    add_up(&sizes_of[RV_SPLAT_3D], &p, 3, all);
    p.count = 300;
    add_up(&sizes_of[RV_SPLAT_3D], &p, 3, parts);
    for (int n = 0; n < 20 * 13 * 17; n++) {
        assert_float_equal(density[0][n], parts[n], 1e-5);
        assert_float_equal(density[1][n], all[n], 1e-5);
        assert_float_equal(density[2][n], parts[n], 1e-5);
    }
    b->close(s);
    free(c);
}

static void extremes_are_found_wherever_they_are(void **state)
{
    shared *one = *state;
    const rv_splat_backend *b = rv_splat_gl_backend(one->gl[0]);
    cloud *c = malloc(sizeof *c);
    float density[40 * 30 * 17];
    assert_non_null(c);
    for (int form = 0; form < 3; form++) {
        void *s = open_state(b, form);
        rv_particles p = scatter(&sizes_of[form], c);
        static const int which[] = {0, 63, 717, COUNT - 1};
        double fastest, densest, most = 0;
        for (int n = 0; n < 4; n++) {
            c->u[which[n]] = -3.0f - (float)n;
            assert_int_equal(b->put(s, 0, COUNT, &p), RV_OK);
            // Some calls late.
            for (int again = 0; again < 16; again++)
                assert_int_equal(b->get_extremes(s, &fastest, &densest), RV_OK);
            assert_true(fabs(fastest - 3 - n) < 0.15);
        }
        assert_int_equal(b->get_density(s, density), RV_OK);
        for (int n = 0; n < sizes_of[form].nx * sizes_of[form].ny * sizes_of[form].nz; n++)
            most = fmax(most, (double)density[n]);
        assert_float_equal(densest, most, 1e-6);
        b->close(s);
    }
    free(c);
}

// ---- Worlds: the same liquid on the CPU and on the card -----------------------------------------

typedef struct pair {
    rv_world *world[2]; // CPU, card
} pair;

static rv_world *make_world(const rv_world_def *def, const rv_splat_backend *backend)
{
    rv_world_def own = *def;
    rv_world *world;
    rv_messages messages = {0};
    own.backend = backend;
    rv_result result = rv_world_create(&own, &world, &messages);
    if (result != RV_OK) fail_msg("%s %s", rv_result_text(result), messages.text);
    return world;
}

// L1 of the difference of the densities over L1 of the CPU's; *worst: the largest difference of a
// cell, 1: as dense as at rest.
static double difference(const pair *p, double *worst)
{
    rv_density d[2];
    double apart = 0, all = 0;
    for (int n = 0; n < 2; n++) assert_int_equal(rv_world_get_density(p->world[n], &d[n]), RV_OK);
    size_t cells = (size_t)d[0].nx * (size_t)d[0].ny * (size_t)d[0].nz;
    assert_int_equal(d[0].nx, d[1].nx);
    assert_int_equal(d[0].nz, d[1].nz);
    *worst = 0;
    for (size_t n = 0; n < cells; n++) {
        double error = fabs((double)d[0].value[n] - (double)d[1].value[n]);
        apart += error, all += fabs((double)d[0].value[n]);
        *worst = fmax(*worst, error);
    }
    assert_true(all > 0);
    return apart / all;
}

static rv_world_def basin(rv_splat_form form)
{
    rv_world_def def = rv_default_world_def();
    rv_params *p = &def.params;
    p->solver = RV_SOLVER_SPLAT, p->splat_form = form, p->splat_method = RV_SPLAT_WIDE;
    p->grid_dx = 0.01, p->grid_nx = form == RV_SPLAT_3D ? 18 : 40;
    p->grid_ny = form == RV_SPLAT_2D ? 1 : form == RV_SPLAT_3D ? 8 : 30;
    p->grid_top = form == RV_SPLAT_3D ? 0.12 : 0.24;
    p->splat_particles = 20000;
    p->time_step = 2e-3;
    return def;
}

// A block that leans on one side: it sloshes.
static rv_emitter_def block(const rv_params *p, double wide, double high)
{
    rv_emitter_def e = rv_default_emitter_def();
    double half = 0.5 * p->grid_nx * p->grid_dx;
    e.kind = RV_EMITTER_BLOCK;
    e.from = (rv_vec3){-half, -1, p->grid_bottom};
    e.to = (rv_vec3){-half + wide * 2 * half, 1, high};
    return e;
}

static void step_both(const pair *p, double dt, int steps)
{
    for (int k = 0; k < steps; k++)
        for (int n = 0; n < 2; n++) assert_int_equal(rv_world_step(p->world[n], dt), RV_OK);
}

// Runs both for a hundred steps, with half floats forty; leaves the world on the card to look at.
static rv_world *compare(shared *one, const rv_world_def *def, int half, double once, double later)
{
    static const char *const forms[] = {"2d", "3d", "height"};
    pair p = {{make_world(def, NULL), make_world(def, rv_splat_gl_backend(one->gl[half]))}};
    double worst, worst_later, dt = def->params.time_step;
    step_both(&p, dt, 1);
    double first = difference(&p, &worst);
    int steps = half ? 40 : 100;
    step_both(&p, dt, steps - 1);
    double last = difference(&p, &worst_later);
    rv_particles particles;
    rv_stats stats;
    assert_int_equal(rv_world_get_particles(p.world[1], &particles), RV_OK);
    assert_int_equal(rv_world_get_stats(p.world[1], &stats), RV_OK);
    print_message("%s%s: %d particles, %d substeps, after 1 step %.2g (worst cell %.2g), after "
                  "%d %.2g (%.2g)\n",
                  forms[def->params.splat_form], half ? ", half floats" : "", (int)particles.count,
                  stats.substeps, first, worst, steps, last, worst_later);
    assert_true(first < once);
    assert_true(last < later);
    rv_world_destroy(p.world[0]);
    return p.world[1];
}

static void a_plane_flows_as_on_the_cpu(void **state)
{
    rv_world_def def = basin(RV_SPLAT_2D);
    rv_emitter_def e = block(&def.params, 0.8, 0.16);
    def.emitters = &e, def.emitter_count = 1;
    rv_world_destroy(compare(*state, &def, 0, 1e-5, 0.01));
}

static void a_tank_flows_as_on_the_cpu(void **state)
{
    rv_world_def def = basin(RV_SPLAT_3D);
    rv_emitter_def e = block(&def.params, 0.8, 0.08);
    def.emitters = &e, def.emitter_count = 1;
    rv_world_destroy(compare(*state, &def, 0, 1e-5, 0.01));
}

static void a_height_flows_as_on_the_cpu(void **state)
{
    rv_world_def def = basin(RV_SPLAT_HEIGHT);
    rv_emitter_def e = block(&def.params, 0.8, 0.08);
    def.emitters = &e, def.emitter_count = 1;
    rv_world_destroy(compare(*state, &def, 0, 1e-5, 0.01));
}

// A ball in the way: the same flow around it, and nothing in it.
static void solids_are_gone_around(void **state)
{
    shared *one = *state;
    for (rv_splat_form form = RV_SPLAT_2D; form <= RV_SPLAT_3D; form++) {
        rv_world_def def = basin(form);
        rv_solid_def ball = rv_default_solid_def();
        ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.03;
        ball.at = (rv_vec3){form == RV_SPLAT_2D ? 0.08 : 0.04, 0, 0.04};
        rv_emitter_def e = block(&def.params, 0.65, form == RV_SPLAT_2D ? 0.12 : 0.08);
        def.solids = &ball, def.solid_count = 1;
        // One substep a step: how many there are is known later on the card, and other substeps are
        // another splash.
        def.params.time_step = 6e-4;
        // Other numbers than the defaults, which may hide one behind another.
        def.params.splat_slack = 0.3, def.params.splat_gamma = 3;
        def.emitters = &e, def.emitter_count = 1;
        rv_world *world = compare(one, &def, 0, 1e-6, 1e-4);
        rv_particles p;
        assert_int_equal(rv_world_get_particles(world, &p), RV_OK);
        for (int64_t n = 0; n < p.count; n++) {
            double x = (double)p.x[n] - ball.at.x, z = (double)p.z[n] - ball.at.z;
            double y = p.y ? (double)p.y[n] : 0;
            assert_true(sqrt(x * x + y * y + z * z) > ball.radius - 0.1 * def.params.grid_dx);
            assert_true(fabs((double)p.x[n]) < 0.5 * def.params.grid_nx * def.params.grid_dx);
        }
        rv_world_destroy(world);
    }
}

// The paper's form, with its obstacles that press.
static void the_plain_form_is_the_same(void **state)
{
    rv_world_def def = basin(RV_SPLAT_2D);
    rv_solid_def ball = rv_default_solid_def();
    ball.shape = RV_SHAPE_SPHERE, ball.radius = 0.03, ball.at = (rv_vec3){0.08, 0, 0.04};
    rv_emitter_def e = block(&def.params, 0.65, 0.12);
    def.solids = &ball, def.solid_count = 1;
    def.emitters = &e, def.emitter_count = 1;
    def.params.splat_plain = true, def.params.splat_pic = 0.05;
    def.params.time_step = 4e-4;
    rv_world_destroy(compare(*state, &def, 0, 1e-6, 1e-3));
}

// Particles that come while it runs.
static void a_jet_adds_particles(void **state)
{
    shared *one = *state;
    rv_world_def def = basin(RV_SPLAT_2D);
    rv_emitter_def e[2] = {block(&def.params, 1, 0.08), rv_default_emitter_def()};
    e[1].kind = RV_EMITTER_JET, e[1].at = (rv_vec3){-0.15, 0, 0.18}, e[1].radius = 0.02;
    e[1].velocity = (rv_vec3){0.8, 0, 0}, e[1].stop = 0.08;
    def.emitters = e, def.emitter_count = 2;
    pair p = {{make_world(&def, NULL), make_world(&def, rv_splat_gl_backend(one->gl[0]))}};
    rv_particles before, after[2];
    assert_int_equal(rv_world_get_particles(p.world[1], &before), RV_OK);
    int64_t at_first = before.count;
    step_both(&p, 2e-3, 50);
    for (int n = 0; n < 2; n++) assert_int_equal(rv_world_get_particles(p.world[n], &after[n]), RV_OK);
    double worst, off = difference(&p, &worst);
    print_message("jet: %d and then %d particles, %.2g (worst cell %.2g)\n", (int)at_first,
                  (int)after[1].count, off, worst);
    assert_true(after[1].count > at_first);
    assert_int_equal(after[0].count, after[1].count);
    assert_true(off < 0.01);
    for (int n = 0; n < 2; n++) rv_world_destroy(p.world[n]);
}

// A bed that slopes: the height form flows down it.
static void a_height_follows_its_bed(void **state)
{
    rv_world_def def = basin(RV_SPLAT_HEIGHT);
    enum { NX = 40, NY = 30 };
    float heights[NX * NY];
    for (int n = 0; n < NX * NY; n++)
        heights[n] = 0.04f + 0.001f * (float)(n % NX) +
                     0.01f * (float)cos(0.2 * (n % NX)) * (float)cos(0.3 * (n / NX));
    rv_emitter_def e = block(&def.params, 0.6, 0.2);
    e.from.x += 0.15, e.to.x += 0.15;
    def.heights = heights;
    def.emitters = &e, def.emitter_count = 1;
    rv_world_destroy(compare(*state, &def, 0, 1e-5, 0.01));
}

// Half floats are for drivers that cannot add up whole ones: the paper's choice, and coarser.
static void half_floats_flow_nearly_so(void **state)
{
    for (rv_splat_form form = RV_SPLAT_2D; form <= RV_SPLAT_3D; form++) {
        rv_world_def def = basin(form);
        rv_emitter_def e = block(&def.params, 0.8, form == RV_SPLAT_2D ? 0.16 : 0.08);
        def.emitters = &e, def.emitter_count = 1;
        rv_world_destroy(compare(*state, &def, 1, 0.05, 0.1));
    }
}

static void a_rod_stirs(void **state)
{
    shared *one = *state;
    rv_world_def def = basin(RV_SPLAT_2D);
    rv_emitter_def e = block(&def.params, 1, 0.16);
    def.emitters = &e, def.emitter_count = 1;
    pair p = {{make_world(&def, NULL), make_world(&def, rv_splat_gl_backend(one->gl[0]))}};
    for (int k = 0; k < 20; k++) {
        double x = -0.1 + 0.01 * k;
        for (int n = 0; n < 2; n++)
            assert_int_equal(rv_world_stir(p.world[n], (rv_vec3){x, 0, 0.08},
                                           (rv_vec3){x + 0.01, 0, 0.08}, 0.04, 0.01),
                             RV_OK);
        step_both(&p, 0.01, 1);
    }
    rv_stats stats[2];
    for (int n = 0; n < 2; n++) assert_int_equal(rv_world_get_stats(p.world[n], &stats[n]), RV_OK);
    print_message("stirred: fastest %.3g m/s on the CPU, %.3g on the card\n", stats[0].fastest,
                  stats[1].fastest);
    assert_true(stats[1].fastest > 0.3);
    assert_true(fabs(stats[1].fastest - stats[0].fastest) < 0.5 * stats[0].fastest);
    for (int n = 0; n < 2; n++) rv_world_destroy(p.world[n]);
}

// Parameters that change while it runs.
static void parameters_may_change(void **state)
{
    shared *one = *state;
    rv_world_def def = basin(RV_SPLAT_2D);
    rv_emitter_def e = block(&def.params, 0.8, 0.16);
    def.emitters = &e, def.emitter_count = 1, def.params.time_step = 5e-4;
    pair p = {{make_world(&def, NULL), make_world(&def, rv_splat_gl_backend(one->gl[0]))}};
    rv_params params = def.params;
    rv_messages messages = {0};
    params.splat_rest = 1.1, params.splat_stiffness = 1, params.gravity.z = -5;
    step_both(&p, 5e-4, 5);
    for (int n = 0; n < 2; n++)
        assert_int_equal(rv_world_set_params(p.world[n], &params, &messages), RV_OK);
    step_both(&p, 5e-4, 5);
    double worst, off = difference(&p, &worst);
    print_message("changed: %.2g (worst cell %.2g)\n", off, worst);
    assert_true(off < 1e-5);
    for (int n = 0; n < 2; n++) rv_world_destroy(p.world[n]);
}

// A tilted tank, in all forms; and energies, which the card sums up itself.
static void it_tilts_as_on_the_cpu(void **state)
{
    shared *one = *state;
    static const rv_splat_form forms[3] = {RV_SPLAT_2D, RV_SPLAT_3D, RV_SPLAT_HEIGHT};
    for (int k = 0; k < 3; k++) {
        rv_world_def def = basin(forms[k]);
        rv_emitter_def e = block(&def.params, 0.6, 0.16);
        def.emitters = &e, def.emitter_count = 1;
        def.params.gravity = (rv_vec3){4, -3, -8};
        pair p = {{make_world(&def, NULL), make_world(&def, rv_splat_gl_backend(one->gl[0]))}};
        step_both(&p, 5e-4, 10);
        rv_stats cpu, card;
        assert_int_equal(rv_world_get_stats(p.world[0], &cpu), RV_OK);
        assert_int_equal(rv_world_get_stats(p.world[1], &card), RV_OK);
        double worst, off = difference(&p, &worst);
        print_message("tilted, form %d: %.2g (worst cell %.2g), %.6g and %.6g J, %.6g and %.6g J\n",
                      k, off, worst, cpu.kinetic, card.kinetic, cpu.potential, card.potential);
        assert_true(off < 1e-4);
        assert_true(cpu.kinetic > 0 && fabs(card.kinetic - cpu.kinetic) < 1e-3 * cpu.kinetic);
        // the columns of a height are those of the last splat, on the CPU a substep ago
        double ago = forms[k] == RV_SPLAT_HEIGHT ? 1e-3 : 1e-4;
        assert_true(fabs(card.potential - cpu.potential) < ago * fabs(cpu.potential));
        // brought back, they have the same energies
        rv_particles particles;
        assert_int_equal(rv_world_get_particles(p.world[1], &particles), RV_OK);
        rv_stats here;
        assert_int_equal(rv_world_get_stats(p.world[1], &here), RV_OK);
        assert_true(fabs(here.kinetic - card.kinetic) < 1e-5 * card.kinetic);
        assert_true(fabs(here.potential - card.potential) < 1e-5 * fabs(card.potential));
        for (int n = 0; n < 2; n++) rv_world_destroy(p.world[n]);
    }
}

// A snapshot of a world on the card goes on in one on the CPU, and the other way round.
static void snapshots_carry_over(void **state)
{
    shared *one = *state;
    rv_world_def def = basin(RV_SPLAT_2D);
    rv_emitter_def e = block(&def.params, 0.5, 0.16);
    def.emitters = &e, def.emitter_count = 1;
    pair p = {{make_world(&def, NULL), make_world(&def, rv_splat_gl_backend(one->gl[0]))}};
    rv_messages messages = {0};
    for (int from = 1; from >= 0; from--) {
        // so that the other one is somewhere else
        for (int k = 0; k < 30; k++) assert_int_equal(rv_world_step(p.world[from], 2e-3), RV_OK);
        size_t size = rv_world_snapshot_size(p.world[from]);
        void *snapshot = malloc(size);
        assert_non_null(snapshot);
        assert_int_equal(rv_world_save(p.world[from], snapshot, size), RV_OK);
        assert_int_equal(rv_world_restore(p.world[1 - from], snapshot, size, &messages), RV_OK);
        free(snapshot);
        double worst;
        assert_true(difference(&p, &worst) < 1e-6);
        step_both(&p, 2e-3, 5);
        assert_true(difference(&p, &worst) < 1e-4);
    }
    for (int n = 0; n < 2; n++) rv_world_destroy(p.world[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_splat_is_the_kernel),
        cmocka_unit_test(particles_come_back_as_they_were_put),
        cmocka_unit_test(sums_follow_what_is_put),
        cmocka_unit_test(extremes_are_found_wherever_they_are),
        cmocka_unit_test(a_plane_flows_as_on_the_cpu),
        cmocka_unit_test(a_tank_flows_as_on_the_cpu),
        cmocka_unit_test(a_height_flows_as_on_the_cpu),
        cmocka_unit_test(solids_are_gone_around),
        cmocka_unit_test(the_plain_form_is_the_same),
        cmocka_unit_test(a_jet_adds_particles),
        cmocka_unit_test(a_height_follows_its_bed),
        cmocka_unit_test(half_floats_flow_nearly_so),
        cmocka_unit_test(a_rod_stirs),
        cmocka_unit_test(parameters_may_change),
        cmocka_unit_test(it_tilts_as_on_the_cpu),
        cmocka_unit_test(snapshots_carry_over),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
