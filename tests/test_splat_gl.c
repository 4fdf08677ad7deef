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

// Σ (1 − d²/r²)³ over all particles, by the definition.
static void add_up(const rv_splat_sizes *s, const rv_particles *p, double radius, float *out)
{
    memset(out, 0, (size_t)s->nx * (size_t)s->ny * (size_t)s->nz * sizeof *out);
    for (int64_t n = 0; n < p->count; n++)
        for (int k = 0; k < s->nz; k++)
            for (int j = 0; j < s->ny; j++)
                for (int i = 0; i < s->nx; i++) {
                    double a = ((double)p->x[n] - s->low.x) / s->dx - i - 0.5;
                    double b = p->y ? ((double)p->y[n] - s->low.y) / s->dx - j - 0.5 : 0;
                    double c = p->z ? ((double)p->z[n] - s->low.z) / s->dx - k - 0.5 : 0;
                    double w = 1 - (a * a + b * b + c * c) / (radius * radius);
                    if (w > 0) out[(k * s->ny + j) * s->nx + i] += (float)(w * w * w / s->rest);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_splat_is_the_kernel),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
