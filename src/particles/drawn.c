// The density of particles as others see it: as it is, and as it is drawn.
//
// The kernel that the physics splats with is a cell wide: liquid that is stretched to less than one
// particle in a cell or two falls under any level that a surface is drawn at, in the middle of a
// film as at its rim. What is drawn is therefore the greater of two things: the density, and where
// that is thin a distance from the particles themselves (Zhu and Bridson 2005, "Animating Sand as
// a Fluid"), as far as about two cells:
//
//     W = Σ w(|x - x_p|),  x̄ = Σ w x_p / W,  w = (1 - d²/R²)³
//     φ = |x - x̄| - r min(W / enough, 1)
//
// Between particles of a film x̄ is the point below x in the film, whichever of them it is near: a
// hole is closed where liquid lies on all sides of it, and the film ends where liquid is on one
// side only. A row of particles becomes a thread in the same way. What lies alone has too little
// weight, and is drawn as a drop. State and physics never see any of this.
#include "particles/splat.h"

#include <math.h>
#include <string.h>

#define REACH 2.5f  // cells, R
#define AROUND 2    // cells beside its own that a particle is looked for in
#define RADIUS 1.1f // cells, r: smoothing takes a third of it
// Σw from which on it is a film: particles 2.2 cells apart in a plane, 2.4 in a row, are joined.
#define ENOUGH 0.9f
#define SLOPE 0.3f // change of the density by cell at a surface at rest, as in surface/density.c
#define SELF (2.0 / 3.0) // of smoothing
#define BESIDE (1.0 / 6.0)
#define NO_FOAM 0.004f // less of it is not seen
#define DEEP 0.8f // density from which on a particle lies under the surface, and shapes no film

typedef struct mending {
    rv_splat *s;
    float level;
    float thin;  // Σw of cells that may be mended: others are denser than φ could make them
    int first;   // slabs, every second one
    float *out;  // by cell
    float *soft; // the same, half smoothed
} mending;

// ---- Sums ---------------------------------------------------------------------------------------

static void clear_pass(rv_splat *s, int a, int b, int x, int count)
{
    size_t at = RV_NARROW_SUM * rv_splat_slot(&s->grid, x, a, b);
    memset(s->sum + at, 0, RV_NARROW_SUM * (size_t)count * sizeof *s->sum);
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

// Adds weight, and weight times the way to the particle, to the thin cells around it.
static void add_particle(const mending *m, const float *p)
{
    const rv_splat *s = m->s;
    const rv_splat_grid *g = &s->grid;
    const float per = 1.0f / (REACH * REACH);
    int i = (int)p[0], j = (int)p[1], k = g->axes == 3 ? (int)p[2] : 0;
    int x0 = at_least(i - AROUND, 0), x1 = at_most(i + AROUND, g->n[0] - 1);
    int deep = g->axes == 3 ? AROUND : 0;
    for (int b = at_least(k - deep, 0); b <= at_most(k + deep, g->n[2] - 1); b++)
        for (int a = at_least(j - AROUND, 0); a <= at_most(j + AROUND, g->n[1] - 1); a++) {
            float dy = p[1] - (float)a - 0.5f, dz = deep > 0 ? p[2] - (float)b - 0.5f : 0.0f;
            float row = 1.0f - (dy * dy + dz * dz) * per;
            if (!(row > 0.0f)) continue;
            size_t slot = rv_splat_slot(g, 0, a, b);
            const float *weight = s->f.weight + slot;
            float *sum = s->sum + RV_NARROW_SUM * slot;
            for (int x = x0; x <= x1; x++) {
                float dx = p[0] - (float)x - 0.5f, q = row - dx * dx * per;
                if (!(q > 0.0f) || !(weight[x] < m->thin)) continue;
                float w = q * q * q, *out = sum + RV_NARROW_SUM * x;
                out[0] += w, out[1] += w * dx, out[2] += w * dy, out[3] += w * dz;
            }
        }
}

// Slabs are as thick as the reach of two particles, so every second one may be worked on at once,
// and the order of sums does not depend on threads.
static void add_slab(void *context, int item)
{
    const mending *m = context;
    const rv_splat *s = m->s;
    const rv_splat_grid *g = &s->grid;
    int slab = 2 * item + m->first;
    size_t size = 2 * (size_t)rv_splat_size(s);
    size_t wide = ((size_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    float under = DEEP / s->law.per_rest;
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++) {
        size_t row = (size_t)b * (size_t)g->n[1];
        uint32_t from = s->first[(row + (size_t)s->slab[slab]) * wide];
        uint32_t to = s->first[(row + (size_t)s->slab[slab + 1]) * wide];
        for (uint32_t n = from; n < to; n++) {
            const float *p = s->particle + (size_t)n * size;
            int k = g->axes == 3 ? (int)p[2] : 0;
            if (s->f.weight[rv_splat_slot(g, (int)p[0], (int)p[1], k)] < under) add_particle(m, p);
        }
    }
}

// ---- What is drawn ------------------------------------------------------------------------------

static void mend_row(const mending *m, int a, int b)
{
    rv_splat *s = m->s;
    const rv_splat_grid *g = &s->grid;
    rv_splat_span span = s->span[rv_splat_row(g, a, b)];
    size_t slot = rv_splat_slot(g, 0, a, b);
    const float *weight = s->f.weight + slot, *sum = s->sum + RV_NARROW_SUM * slot;
    float *out = m->out + ((size_t)b * (size_t)g->n[1] + (size_t)a) * (size_t)g->n[0];
    for (int x = at_least(span.low, 0); x < at_most(span.high, g->n[0]); x++) {
        const float *own = sum + RV_NARROW_SUM * x;
        if (!(own[0] > 0.05f) || !(weight[x] < m->thin)) continue;
        float off = sqrtf(own[1] * own[1] + own[2] * own[2] + own[3] * own[3]) / own[0];
        float r = own[0] < ENOUGH ? RADIUS * own[0] / ENOUGH : RADIUS;
        float value = m->level + SLOPE * (r - off);
        if (value > out[x]) out[x] = value;
    }
}

static void mend_layer(void *context, int b)
{
    const mending *m = context;
    for (int a = 0; a < m->s->grid.n[1]; a++) mend_row(m, a, b);
}

// ---- Smoothing ----------------------------------------------------------------------------------

// (⅙, ⅔, ⅙) of three rows.
static void blend(const float *low, const float *own, const float *high, size_t n, float *out)
{
    for (size_t x = 0; x < n; x++)
        out[x] = (float)SELF * own[x] + (float)BESIDE * (low[x] + high[x]);
}

// In space rays meet a surface between single cells, and see what one particle adds: it is smoothed
// once. Inside the liquid it is cut off, so that the surface stays where it is: as much above its
// level within as it falls under it outside. First along x and y, from `drawn` to `soft`.
static void smooth_layer(void *context, int b)
{
    const mending *m = context;
    const rv_splat *s = m->s;
    size_t n = (size_t)s->grid.n[0], rows = (size_t)s->grid.n[1];
    float *in = m->out + (size_t)b * rows * n, *out = m->soft + (size_t)b * rows * n;
    float most = m->level + SLOPE;
    for (size_t a = 0; a < rows; a++) {
        float *row = in + a * n, before = row[0] < most ? row[0] : most;
        for (size_t x = 0; x < n; x++) {
            float own = row[x] < most ? row[x] : most, next = x + 1 < n ? row[x + 1] : own;
            row[x] = (float)SELF * own + (float)BESIDE * (before + (next < most ? next : most));
            before = own;
        }
    }
    for (size_t a = 0; a < rows; a++) {
        const float *own = in + a * n;
        blend(a > 0 ? own - n : own, own, a + 1 < rows ? own + n : own, n, out + a * n);
    }
}

// And along z, back to `out`.
static void smooth_upright(void *context, int b)
{
    const mending *m = context;
    const rv_splat *s = m->s;
    size_t flat = (size_t)s->grid.n[0] * (size_t)s->grid.n[1];
    const float *own = m->soft + (size_t)b * flat;
    blend(b > 0 ? own - flat : own, own, b + 1 < s->grid.n[2] ? own + flat : own, flat,
          m->out + (size_t)b * flat);
}

// Particles must be in the order of their bins, and the sums of the grid theirs.
static void mend(rv_splat *s, const rv_splat_drawn *drawn)
{
    size_t cells = (size_t)s->grid.n[0] * (size_t)s->grid.n[1] * (size_t)s->grid.n[2];
    mending m = {.s = s,
                 .level = drawn->level,
                 .thin = (drawn->level + SLOPE * RADIUS) / s->law.per_rest,
                 .out = drawn->value,
                 .soft = s->sum};
    memcpy(m.out, s->density, cells * sizeof *m.out);
    rv_splat_over_rows(s, clear_pass, false);
    for (m.first = 0; m.first < 2; m.first++)
        rv_parallel_for(s->pool, (s->slabs + 1 - m.first) / 2, add_slab, &m);
    rv_parallel_for(s->pool, s->grid.axes == 3 ? s->grid.n[2] : 1, mend_layer, &m);
    if (s->grid.axes != 3) return;
    rv_parallel_for(s->pool, s->grid.n[2], smooth_layer, &m);
    rv_parallel_for(s->pool, s->grid.n[2], smooth_upright, &m);
    memset(m.soft, 0, cells * sizeof *m.soft); // the next sums begin with nothing
}

// ---- Foam ---------------------------------------------------------------------------------------

// The kernel of the density along an axis, as many as four cells from `low` on: those beyond a wall
// are mirrored back, as the density's are.
static int kernel_along(float x, int cells, int cell[4], float weight[4])
{
    int low = (int)(x + 0.5f) - 2, count = 0;
    for (int i = low; i < low + 4; i++) {
        float w = 0.5f - 0.25f * fabsf(x - (float)i - 0.5f);
        int in = i < 0 ? -1 - i : i >= cells ? 2 * cells - 1 - i : i;
        if (w > 0.0f && in >= 0 && in < cells) cell[count] = in, weight[count++] = w;
    }
    return count;
}

static void add_froth(rv_splat *s, const float *p, float air)
{
    const rv_splat_grid *g = &s->grid;
    int cell[3][4] = {{0}}, count[3] = {1, 1, 1};
    float weight[3][4] = {{1.0f}, {1.0f}, {1.0f}};
    for (int c = 0; c < g->axes; c++) count[c] = kernel_along(p[c], g->n[c], cell[c], weight[c]);
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++) {
            float w = weight[2][k] * weight[1][j] * air;
            size_t row = ((size_t)cell[2][k] * (size_t)g->n[1] + (size_t)cell[1][j]);
            float *out = s->froth + row * (size_t)g->n[0];
            for (int i = 0; i < count[0]; i++) out[cell[0][i]] += w * weight[0][i];
        }
}

static void froth_slab(void *context, int item)
{
    const mending *m = context;
    rv_splat *s = m->s;
    const rv_splat_grid *g = &s->grid;
    int slab = 2 * item + m->first;
    size_t wide = ((size_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++) {
        size_t row = (size_t)b * (size_t)g->n[1];
        uint32_t from = s->first[(row + (size_t)s->slab[slab]) * wide];
        uint32_t to = s->first[(row + (size_t)s->slab[slab + 1]) * wide];
        for (uint32_t n = from; n < to; n++) {
            float air = rv_splat_air(s, n);
            if (air > NO_FOAM) add_froth(s, rv_splat_particle(s, n), air);
        }
    }
}

static void froth_layer(void *context, int b)
{
    const mending *m = context;
    rv_splat *s = m->s;
    const rv_splat_grid *g = &s->grid;
    for (int a = 0; a < g->n[1]; a++) {
        const float *weight = s->f.weight + rv_splat_slot(g, 0, a, b);
        float *out = s->froth + ((size_t)b * (size_t)g->n[1] + (size_t)a) * (size_t)g->n[0];
        for (int x = 0; x < g->n[0]; x++) {
            float share = out[x] > 0.0f ? out[x] / weight[x] : 0.0f;
            out[x] = share < 1.0f ? share : 1.0f;
        }
    }
}

// How much of the liquid around a cell is foam.
static void fill_froth(rv_splat *s)
{
    size_t cells = (size_t)s->grid.n[0] * (size_t)s->grid.n[1] * (size_t)s->grid.n[2];
    mending m = {.s = s};
    memset(s->froth, 0, cells * sizeof *s->froth);
    for (m.first = 0; m.first < 2; m.first++)
        rv_parallel_for(s->pool, (s->slabs + 1 - m.first) / 2, froth_slab, &m);
    rv_parallel_for(s->pool, s->grid.axes == 3 ? s->grid.n[2] : 1, froth_layer, &m);
}

// ---- An update ----------------------------------------------------------------------------------

// The density of the particles as they are now, 1 at rest, without the margins.
static void copy_density(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    size_t n = (size_t)g->n[0];
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++)
        for (int a = 0; a < g->n[1]; a++) {
            const float *from = s->f.weight + rv_splat_slot(g, 0, a, b);
            float *to = s->density + ((size_t)b * (size_t)g->n[1] + (size_t)a) * n;
            for (size_t x = 0; x < n; x++) to[x] = from[x] * s->law.per_rest;
        }
}

static void fill(rv_splat *s, const rv_splat_drawn *drawn)
{
    int64_t count = s->count, sorted = s->sorted;
    rv_splat_set_law(s, s->params.time_step);
    if (sorted != count) rv_splat_sort(s);
    rv_splat_gather(s);
    if (!s->density_fresh) copy_density(s); // others may be reading it
    if (drawn) mend(s, drawn);
    bool shown = drawn || s->grid.up < 0; // a height is drawn as it is
    if (shown && rv_splat_foams(s) && !s->froth_fresh) fill_froth(s); // it has no level
    if (sorted != count) rv_splat_unsort(s, count, sorted);
}

void rv_splat_fill_density(rv_splat *s)
{
    fill(s, NULL);
}

void rv_splat_fill_drawn(rv_splat *s, rv_splat_drawn *out)
{
    fill(s, out);
}
