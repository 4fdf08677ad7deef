// The sampled distance field: bricks of 8×8×8 samples, kept only where the surface may pass; elsewhere a brick is
// one number. Samples stand at cell centres, with one ring outside the grid so that the drawn terrain reaches
// the border, and at bottom + k dz.
#include "terrain/field.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define B RV_BRICK

static rv_vec3 sample_point(const rv_grid *g, int i, int j, int k)
{
    return (rv_vec3){g->x0 + (i - 0.5) * g->dx, g->y0 + (j - 0.5) * g->dx, g->bottom + k * g->dz};
}

// How much faster than distance the field may change, and how far it may jump.
static void set_bounds(rv_terrain *t)
{
    t->steepness = 1.0, t->jump = 0.0;
    for (int i = 0; i < t->count; i++) {
        const rv_solid_def *s = &t->solids[i];
        double k = s->shape == RV_SHAPE_ELLIPSOID ? 1.6 : 1.0;
        if (s->noise > 0) k += 4.0 * s->noise / s->noise_size;
        if (k > t->steepness) t->steepness = k;
        if (s->noise * s->scale > t->jump) t->jump = s->noise * s->scale;
    }
}

// The ground below the grid is solid.
static float distance_at(const rv_terrain *t, rv_vec3 p)
{
    double d = rv_solids_distance(t->solids, t->count, p);
    return (float)fmin(d, p.z - t->grid.bottom);
}

static void fill_brick(const rv_terrain *t, int bx, int by, int bz, float *out)
{
    for (int k = 0; k < B; k++)
        for (int j = 0; j < B; j++)
            for (int i = 0; i < B; i++)
                *out++ = distance_at(t, sample_point(&t->grid, bx * B + i, by * B + j, bz * B + k));
}

static bool may_cross(const rv_terrain *t, int bx, int by, int bz, float *middle)
{
    const rv_grid *g = &t->grid;
    rv_vec3 p = sample_point(g, bx * B, by * B, bz * B);
    double half = 0.5 * B;
    p.x += half * g->dx, p.y += half * g->dx, p.z += half * g->dz;
    *middle = distance_at(t, p);
    double reach = half * sqrt(2 * g->dx * g->dx + g->dz * g->dz);
    return fabs((double)*middle) < t->steepness * reach + t->jump;
}

typedef struct job {
    rv_terrain *t;
    bool failed;
} job;

// One column of bricks, from below.
static void brick_column(void *context, int item)
{
    job *j = context;
    rv_terrain *t = j->t;
    int bx = item % t->bx, by = item / t->bx;
    for (int bz = 0; bz < t->bz; bz++) {
        size_t index = ((size_t)by * (size_t)t->bx + (size_t)bx) * (size_t)t->bz + (size_t)bz;
        rv_brick *brick = &t->brick[index];
        if (!may_cross(t, bx, by, bz, &brick->middle)) continue;
        brick->samples = rv_new(&t->allocator, B * B * B, sizeof(float));
        if (!brick->samples) {
            j->failed = true;
            return;
        }
        fill_brick(t, bx, by, bz, brick->samples);
    }
}

static rv_result take_bricks(rv_terrain *t)
{
    const rv_grid *g = &t->grid;
    t->bx = (g->nx + 2 + B - 1) / B, t->by = (g->ny + 2 + B - 1) / B, t->bz = (g->nz + B - 1) / B;
    t->brick = rv_new(&t->allocator, (size_t)t->bx * (size_t)t->by * (size_t)t->bz, sizeof *t->brick);
    return t->brick ? RV_OK : RV_OUT_OF_MEMORY;
}

void rv_terrain_free(rv_terrain *t)
{
    if (!t) return;
    size_t bricks = (size_t)t->bx * (size_t)t->by * (size_t)t->bz;
    for (size_t i = 0; t->brick && i < bricks; i++)
        rv_free(&t->allocator, t->brick[i].samples, B * B * B, sizeof(float));
    rv_free(&t->allocator, t->brick, bricks, sizeof *t->brick);
    rv_free(&t->allocator, t->solids, (size_t)t->count, sizeof *t->solids);
    rv_allocator allocator = t->allocator;
    rv_free(&allocator, t, 1, sizeof *t);
}

size_t rv_terrain_bytes(const rv_terrain *t)
{
    if (!t) return 0;
    size_t bricks = (size_t)t->bx * (size_t)t->by * (size_t)t->bz, bytes = bricks * sizeof *t->brick;
    for (size_t i = 0; i < bricks; i++)
        if (t->brick[i].samples) bytes += B * B * B * sizeof(float);
    return bytes;
}
// ---- casting -----
typedef struct span { float low, high; } span;
static int spans_at(const rv_terrain *t, int x, int y, span out[RV_LAYERS_MAX + 1], int64_t *dropped)
{
    const rv_grid *g = &t->grid;
    int n = 0;
    float low = (float)g->bottom, before = rv_field_sample(t, x, y, 0);
    bool inside = true;
    for (int k = 1; k < g->nz; k++) {
        float now = rv_field_sample(t, x, y, k);
        if ((now < 0) != inside) {
            float a = before, b = now;
            float z = (float)(g->bottom + (k - 1 + (double)(a / (a - b))) * g->dz);
            if (k == 1 && inside && !(before < 0)) z = (float)g->bottom;
            if (inside) {
                if (n <= RV_LAYERS_MAX) out[n++] = (span){low, z}; else ++*dropped;
            } else low = z;
            inside = now < 0;
        }
        before = now;
    }
    if (inside && n <= RV_LAYERS_MAX) out[n++] = (span){low, (float)g->top + 1};
    return n;
}
static int columns_at(const rv_terrain *t, int x, int y, float (*out)[3], int64_t *dropped)
{
    span s[RV_LAYERS_MAX + 1];
    int n = spans_at(t, x, y, s, dropped), c = 0;
    float top = (float)t->grid.top;
    for (int i = 0; i < n && c < RV_LAYERS_MAX; i++) {
        float max = i + 1 < n ? s[i + 1].low : top;
        if (max > top) max = top;
        if (s[i].high >= max - 1e-3f * (float)t->grid.dz) continue;
        out[c][0] = s[i].low, out[c][1] = s[i].high, out[c][2] = max, c++;
    }
    return c;
}
rv_result rv_terrain_build(const rv_solid_def *solids, int count, const rv_grid *grid, bool keep,
                           rv_pool *pool, const rv_allocator *allocator,
                           void (*progress)(double, void *), void *progress_user, rv_terrain **out,
                           rv_column_set *columns)
{
    rv_terrain *t = rv_new(allocator, 1, sizeof *t);
    if (!t) return RV_OUT_OF_MEMORY;
    t->grid = *grid, t->allocator = *allocator, t->count = count;
    t->solids = rv_new(allocator, (size_t)count, sizeof *t->solids);
    if (count) memcpy(t->solids, solids, (size_t)count * sizeof *solids);
    set_bounds(t);
    take_bricks(t);
    job j = {t, false};
    rv_parallel_for(pool, t->bx * t->by, brick_column, &j);
    if (progress) progress(1, progress_user);
    size_t cells = (size_t)grid->nx * (size_t)grid->ny;
    uint8_t *n = rv_new(allocator, cells, 1);
    float c[RV_LAYERS_MAX + 1][3];
    int64_t dropped = 0;
    for (int y = 0; y < grid->ny; y++) for (int x = 0; x < grid->nx; x++) n[(size_t)y * (size_t)grid->nx + (size_t)x] = (uint8_t)columns_at(t, x, y, c, &dropped);
    rv_columns_layout(columns, grid, n, allocator);
    for (int y = 0; y < grid->ny; y++) for (int x = 0; x < grid->nx; x++) {
        int m = columns_at(t, x, y, c, &dropped);
        for (int l = 0; l < m; l++) { size_t s = rv_slot(&columns->plane[l], x, y); columns->min[s] = c[l][0], columns->base[s] = c[l][1], columns->max[s] = c[l][2]; }
    }
    rv_columns_snap(columns);
    rv_free(allocator, n, cells, 1);
    if (keep) *out = t; else { rv_terrain_free(t); *out = NULL; }
    return RV_OK;
}
float rv_terrain_distance(const rv_terrain *t, rv_vec3 p)
{
    const rv_grid *g = &t->grid;
    double fx = fmin(fmax((p.x - g->x0) / g->dx - 0.5, -1), g->nx - 1e-6), fy = fmin(fmax((p.y - g->y0) / g->dx - 0.5, -1), g->ny - 1e-6), fz = fmin(fmax((p.z - g->bottom) / g->dz, 0), g->nz - 1 - 1e-6);
    int i = (int)floor(fx), j = (int)floor(fy), k = (int)floor(fz);
    float a = (float)(fx - i), b = (float)(fy - j), c = (float)(fz - k), v = 0;
    for (int q = 0; q < 8; q++)
        v += (q & 1 ? a : 1 - a) * (q & 2 ? b : 1 - b) * (q & 4 ? c : 1 - c) * rv_field_sample(t, i + (q & 1), j + (q >> 1 & 1), k + (q >> 2));
    return v;
}
rv_vec3 rv_terrain_normal(const rv_terrain *t, rv_vec3 p)
{
    double e = 0.5 * t->grid.dx;
    rv_vec3 n = {(double)(rv_terrain_distance(t, (rv_vec3){p.x + e, p.y, p.z}) - rv_terrain_distance(t, (rv_vec3){p.x - e, p.y, p.z})), (double)(rv_terrain_distance(t, (rv_vec3){p.x, p.y + e, p.z}) - rv_terrain_distance(t, (rv_vec3){p.x, p.y - e, p.z})), (double)(rv_terrain_distance(t, (rv_vec3){p.x, p.y, p.z + e}) - rv_terrain_distance(t, (rv_vec3){p.x, p.y, p.z - e}))};
    double l = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    return l > 0 ? (rv_vec3){n.x / l, n.y / l, n.z / l} : (rv_vec3){0, 0, 1};
}
double rv_terrain_cast(const rv_terrain *t, rv_vec3 o, rv_vec3 d)
{
    for (double s = 0; s < 10; s += 0.25 * t->grid.dx) {
        rv_vec3 p = {o.x + s * d.x, o.y + s * d.y, o.z + s * d.z};
        if (p.z < t->grid.top && rv_terrain_distance(t, p) < 0) return s;
    }
    return INFINITY;
}
bool rv_solids_check(const rv_solid_def *s, int n, rv_messages *m) { (void)s, (void)n, (void)m; return true; }
