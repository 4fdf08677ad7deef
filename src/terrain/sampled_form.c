// A form that is a lattice of distances: what a moving solid is turned into, however many parts it
// has, so that setting it down again costs one look-up a sample.
//
// Between lattice points it is trilinear, which rounds edges by a fraction of the lattice's step.
// Outside the lattice, which reaches `around` beyond the solid's box, the distance is bounded by
// the way there.
#include "terrain/sampled_form.h"

#include "base/isa.h"
#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>

#define BLOCK 4 // lattice points are made in blocks of 4 × 4 × 4, RV_BATCH of them

typedef struct sampled_form {
    rv_form base;
    int nx, ny, nz; // multiples of BLOCK
    rv_vec3 first;
    double step, per_step, around;
    size_t count;
    float *d; // x fastest
} sampled_form;

static void release(rv_form *form)
{
    sampled_form *f = (sampled_form *)form;
    rv_allocator a = form->allocator;
    rv_free(&a, f->d, f->count, sizeof *f->d);
    rv_free(&a, f, 1, sizeof *f);
}

static float mix(float a, float b, float t)
{
    return a + (b - a) * t;
}

static double beyond(double u, int n)
{
    return u < 0 ? -u : u > n - 1 ? u - (n - 1) : 0;
}

static double value_at(const sampled_form *f, rv_vec3 p)
{
    double u = (p.x - f->first.x) * f->per_step, v = (p.y - f->first.y) * f->per_step;
    double w = (p.z - f->first.z) * f->per_step;
    if (!(u >= 0 && u < f->nx - 1 && v >= 0 && v < f->ny - 1 && w >= 0 && w < f->nz - 1)) {
        double x = beyond(u, f->nx), y = beyond(v, f->ny), z = beyond(w, f->nz);
        return f->around + f->step * sqrt(x * x + y * y + z * z);
    }
    int i = (int)u, j = (int)v, k = (int)w;
    float a = (float)(u - i), b = (float)(v - j), c = (float)(w - k);
    size_t row = (size_t)f->nx, slice = row * (size_t)f->ny;
    const float *d = f->d + (size_t)k * slice + (size_t)j * row + (size_t)i;
    float low = mix(mix(d[0], d[1], a), mix(d[row], d[row + 1], a), b);
    d += slice;
    float high = mix(mix(d[0], d[1], a), mix(d[row], d[row + 1], a), b);
    return (double)mix(low, high, c);
}

static double distance(const rv_form *form, rv_vec3 p)
{
    return value_at((const sampled_form *)form, p);
}

static void sample(const rv_form *form, rv_ball ball, const rv_vec3 *points, int n, double *out)
{
    (void)ball;
    const sampled_form *f = (const sampled_form *)form;
    for (int i = 0; i < n; i++) out[i] = value_at(f, points[i]);
}

// The distance itself changes by at most the way; between lattice points it is off by less than a
// cell's diagonal.
static rv_range range(const rv_form *form, rv_ball ball)
{
    const sampled_form *f = (const sampled_form *)form;
    double v = value_at(f, ball.at), reach = ball.radius + 1.74 * f->step;
    return (rv_range){v - reach, v + reach};
}

static const rv_form_kind kind = {distance, sample, range, release};

// ---- Making -------------------------------------------------------------------------------------

typedef struct making {
    sampled_form *f;
    const rv_node *nodes;
    int count;
    rv_node *scratch; // [workers][count]
    atomic_int next;
} making;

static void make_block(const making *m, int i, int j, int k, rv_node *scratch)
{
    const sampled_form *f = m->f;
    rv_vec3 point[RV_BATCH];
    double value[RV_BATCH];
    int n = 0, needed;
    for (int c = k; c < k + BLOCK; c++)
        for (int b = j; b < j + BLOCK; b++)
            for (int a = i; a < i + BLOCK; a++)
                point[n++] = (rv_vec3){f->first.x + a * f->step, f->first.y + b * f->step,
                                       f->first.z + c * f->step};
    double mid = 0.5 * (BLOCK - 1) * f->step;
    rv_ball ball = {{point[0].x + mid, point[0].y + mid, point[0].z + mid}, 1.7321 * mid};
    rv_nodes_cull(m->nodes, m->count, ball, scratch, &needed);
    rv_nodes_sample(scratch, needed, ball, point, RV_BATCH, value);
    for (n = 0; n < RV_BATCH; n++) {
        size_t at =
            ((size_t)(k + n / (BLOCK * BLOCK)) * (size_t)f->ny + (size_t)(j + n / BLOCK % BLOCK)) *
                (size_t)f->nx +
            (size_t)(i + n % BLOCK);
        f->d[at] = (float)value[n];
    }
}

static void work(void *context, int worker)
{
    making *m = context;
    rv_node *scratch = m->scratch + (size_t)worker * (size_t)m->count;
    for (int k; (k = BLOCK * atomic_fetch_add(&m->next, 1)) < m->f->nz;)
        for (int j = 0; j < m->f->ny; j += BLOCK)
            for (int i = 0; i < m->f->nx; i += BLOCK) make_block(m, i, j, k, scratch);
}

static int lattice_points(double low, double high, double step)
{
    double n = ceil((high - low) / step) + 2;
    return n < 1 << 20 ? ((int)n + BLOCK - 1) / BLOCK * BLOCK : 1 << 20;
}

rv_result rv_form_sampled(const rv_node *nodes, int count, rv_box box, double around, double step,
                          rv_pool *pool, const rv_allocator *allocator, rv_form **out)
{
    rv_box wide = rv_box_grow(box, around);
    int nx = lattice_points(wide.low.x, wide.high.x, step);
    int ny = lattice_points(wide.low.y, wide.high.y, step);
    int nz = lattice_points(wide.low.z, wide.high.z, step), workers = rv_pool_threads(pool);
    size_t scratch = (size_t)workers * (size_t)count;
    *out = NULL;
    sampled_form *f = rv_new(allocator, 1, sizeof *f);
    if (!f) return RV_OUT_OF_MEMORY;
    f->base = (rv_form){.kind = &kind, .box = box, .allocator = *allocator};
    f->nx = nx, f->ny = ny, f->nz = nz, f->first = wide.low, f->around = around;
    f->step = step, f->per_step = 1 / step, f->count = (size_t)nx * (size_t)ny * (size_t)nz;
    f->d = rv_new(allocator, f->count, sizeof *f->d);
    making m = {.f = f, .nodes = nodes, .count = count};
    m.scratch = rv_new(allocator, scratch, sizeof *m.scratch);
    if (!f->d || !m.scratch) {
        rv_free(allocator, m.scratch, scratch, sizeof *m.scratch);
        release(&f->base);
        return RV_OUT_OF_MEMORY;
    }
    rv_parallel_for(pool, workers, work, &m);
    rv_free(allocator, m.scratch, scratch, sizeof *m.scratch);
    *out = &f->base;
    return RV_OK;
}

bool rv_form_sampled_fits(rv_box box, double around, double step)
{
    rv_box wide = rv_box_grow(box, around);
    double x = wide.high.x - wide.low.x, y = wide.high.y - wide.low.y, z = wide.high.z - wide.low.z;
    return x * y * z / (step * step * step) < RV_SAMPLED_MAX;
}

rv_sampled_lattice rv_form_lattice(const rv_form *form, rv_vec3 *first, double *per_step)
{
    const sampled_form *f = (const sampled_form *)form;
    *first = f->first, *per_step = f->per_step;
    return (rv_sampled_lattice){f->d, f->nx, f->ny, f->nz};
}

RV_ISA_DECLARE(rv_lower_brick, rv_lower_brick_)

rv_lower_brick *rv_lower_brick_best(void)
{
    static rv_lower_brick *const forms[] = {RV_ISA_LIST(rv_lower_brick_)};
    return forms[rv_isa_best()];
}
