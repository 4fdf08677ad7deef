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

// ---- The splat alone
// -----------------------------------------------------------------------------

enum { COUNT = 3000 };

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
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++)
            for (int i = 0; i < s->nx; i++) {
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

// ---- What is sent and read back
// ------------------------------------------------------------------

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
    rv_particles p = scatter(&sizes_of[RV_SPLAT_3D], c), rest = from(&p, 1000, COUNT - 1000);
    void *s = open_state(b, RV_SPLAT_3D);
    assert_int_equal(b->put(s, 0, 1000, &p), RV_OK);
    assert_int_equal(b->get_density(s, density[0]), RV_OK);
    assert_int_equal(b->put(s, 1000, COUNT - 1000, &rest), RV_OK);
    assert_int_equal(b->get_density(s, density[1]), RV_OK);
    assert_int_equal(b->put(s, 1000, 0, &rest), RV_OK); // those after it are gone
    assert_int_equal(b->get_density(s, density[2]), RV_OK);
    add_up(&sizes_of[RV_SPLAT_3D], &p, 3, all);
    p.count = 1000;
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
        static const int which[] = {0, 63, 1717, COUNT - 1};
        double fastest, densest, most = 0;
        for (int n = 0; n < 4; n++) {
            c->u[which[n]] = -3.0f - (float)n;
            assert_int_equal(b->put(s, 0, COUNT, &p), RV_OK);
            // Some calls late.
            for (int again = 0; again < 5; again++)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_splat_is_the_kernel),
        cmocka_unit_test(particles_come_back_as_they_were_put),
        cmocka_unit_test(sums_follow_what_is_put),
        cmocka_unit_test(extremes_are_found_wherever_they_are),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
