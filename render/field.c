// Samples the terrain once and answers where rays meet it.
//
// The world's field is exact near the surface but may be only a bound away from it, and worlds made
// from heights have none. So the values near the surface are kept and the others replaced by a
// distance carried outward from them, sample to sample (a chamfer transform); then sphere tracing,
// soft shadows and ambient occlusion all work on distances that can be trusted.
#include "render/field.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MAX = 24 * 1000 * 1000, BATCH = 512 };

typedef struct build {
    rv_field *field;
    const rv_world *world;
    const rv_columns *columns;
    bool sampled; // the world has a distance field
    double bottom;
    double dx;
} build;

static bool closed_above(const rv_columns *c, int x, int y)
{
    for (int l = c->planes - 1; l >= 0; l--) {
        if (!rv_plane_has(&c->plane[l], x, y)) continue;
        size_t s = rv_slot(&c->plane[l], x, y);
        if (c->max[s] > c->base[s]) return (double)c->max[s] < c->top - 1e-3 * c->dx;
    }
    return true;
}

static void find_heights(rv_field *f, const rv_columns *c)
{
    float low = INFINITY, high = -INFINITY;
    for (int n = 0; n < RV_FIELD_PEAKS * RV_FIELD_PEAKS; n++) f->peak[n] = -INFINITY;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++) {
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t s = rv_slot(plane, x, y);
                if (c->max[s] <= c->base[s]) continue;
                low = minf(low, c->base[s]), high = maxf(high, c->base[s]);
                int n = y * RV_FIELD_PEAKS / c->ny * RV_FIELD_PEAKS + x * RV_FIELD_PEAKS / c->nx;
                double level = (double)c->base[s] + (double)maxf(c->depth[s], 0);
                f->peak[n] = maxf(f->peak[n], (float)((level - c->bottom) / c->dx));
            }
        }
    }
    // Cells without a column, or closed above their last one, are solid up to the top of the grid.
    for (int n = 0; n < c->nx * c->ny; n++) {
        int x = n % c->nx, y = n / c->nx;
        if (!closed_above(c, x, y)) continue;
        high = maxf(high, (float)c->top);
        int part = y * RV_FIELD_PEAKS / c->ny * RV_FIELD_PEAKS + x * RV_FIELD_PEAKS / c->nx;
        f->peak[part] = (float)((c->top - c->bottom) / c->dx);
    }
    if (low == INFINITY) low = (float)c->bottom;
    if (high == -INFINITY) high = low;
    f->low = (float)(((double)low - c->bottom) / c->dx);
    f->high = (float)(((double)high - c->bottom) / c->dx);
    f->floor = f->low - 0.045f * maxf(f->wide, f->deep);
}

// Signed vertical distance to the nearest top or underside of the solids of one cell, shortened
// where the bed is steep so that it is near the true distance.
static float column_distance(const rv_columns *c, int x, int y, double z, double *slope)
{
    double best = INFINITY;
    bool inside = z < c->bottom;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        if (!rv_plane_has(plane, x, y)) continue;
        size_t s = rv_slot(plane, x, y);
        if (c->max[s] <= c->base[s]) continue;
        double base = c->base[s], min = c->min[s];
        inside = inside || (z < base && (z > min || l == 0));
        if (fabs(z - base) < best) {
            best = fabs(z - base);
            for (int k = 0; k < 4; k++) {
                int nx = x + (k == 0) - (k == 1), ny = y + (k == 2) - (k == 3);
                if (!rv_plane_has(plane, nx, ny)) continue;
                size_t n = rv_slot(plane, nx, ny);
                if (c->max[n] > c->base[n])
                    *slope = fmax(*slope, fabs((double)c->base[n] - base) / c->dx);
            }
        }
        if (l > 0) best = fmin(best, fabs(z - min));
    }
    if (best == INFINITY) best = fabs(z - c->bottom);
    return (float)(inside ? -best : best);
}

static void sample_heights(const build *b, int j)
{
    const rv_field *f = b->field;
    const rv_columns *c = b->columns;
    int y = (int)minf(((float)j + 0.5f) * f->h, (float)(c->ny - 1));
    for (int i = 0; i < f->nx; i++) {
        int x = (int)minf(((float)i + 0.5f) * f->h, (float)(c->nx - 1));
        float *d = f->d + ((size_t)j * (size_t)f->nx + (size_t)i) * (size_t)f->nz;
        for (int k = 0; k < f->nz; k++) {
            double z = b->bottom + (double)(f->z0 + (float)k * f->hz) * b->dx, slope = 0;
            double v = (double)column_distance(c, x, y, z, &slope);
            d[k] = (float)(v / sqrt(1 + slope * slope) / b->dx);
        }
    }
}

static void sample_field(const build *b, int j)
{
    const rv_field *f = b->field;
    rv_vec3 at[BATCH];
    float out[BATCH];
    double y = b->columns->y0 + ((double)j + 0.5) * (double)f->h * b->dx;
    for (int i = 0; i < f->nx; i++) {
        double x = b->columns->x0 + ((double)i + 0.5) * (double)f->h * b->dx;
        float *d = f->d + ((size_t)j * (size_t)f->nx + (size_t)i) * (size_t)f->nz;
        for (int k = 0; k < f->nz; k += BATCH) {
            int n = f->nz - k < BATCH ? f->nz - k : BATCH;
            for (int m = 0; m < n; m++) {
                double z = b->bottom + (double)(f->z0 + (float)(k + m) * f->hz) * b->dx;
                at[m] = (rv_vec3){x, y, z};
            }
            rv_world_distance(b->world, at, n, out);
            for (int m = 0; m < n; m++) d[k + m] = (float)((double)out[m] / b->dx);
        }
    }
}

static void sample_row(void *context, int j)
{
    const build *b = context;
    const rv_field *f = b->field;
    if (b->sampled)
        sample_field(b, j);
    else
        sample_heights(b, j);
    // The ground below grid.bottom is solid whatever stands on it, and above grid.top there is air.
    float *d = f->d + (size_t)j * (size_t)f->nx * (size_t)f->nz;
    float top = (float)((b->columns->top - b->bottom) / b->dx);
    for (int i = 0; i < f->nx; i++, d += f->nz) {
        for (int k = 0; k < f->nz; k++) {
            float z = f->z0 + (float)k * f->hz, own = isfinite(d[k]) ? d[k] : 1e9f;
            d[k] = minf(z > top ? maxf(own, z - top) : own, z);
        }
    }
}

// Marks samples beyond `near` as unknown (a large distance of their sign), except next to a change
// of sign.
static void forget_far(rv_field *f)
{
    float near = 1.6f * maxf(f->h, f->hz);
    size_t n = (size_t)f->nx * (size_t)f->ny * (size_t)f->nz;
    for (size_t s = 0; s < n; s++) {
        if (fabsf(f->d[s]) <= near) continue;
        size_t column = s / (size_t)f->nz;
        int k = (int)(s % (size_t)f->nz), i = (int)(column % (size_t)f->nx);
        int j = (int)(column / (size_t)f->nx);
        size_t dx = (size_t)f->nz, dy = dx * (size_t)f->nx;
        bool in = f->d[s] < 0;
        bool edge =
            (k > 0 && (f->d[s - 1] < 0) != in) || (k + 1 < f->nz && (f->d[s + 1] < 0) != in) ||
            (i > 0 && (f->d[s - dx] < 0) != in) || (i + 1 < f->nx && (f->d[s + dx] < 0) != in) ||
            (j > 0 && (f->d[s - dy] < 0) != in) || (j + 1 < f->ny && (f->d[s + dy] < 0) != in);
        f->d[s] = edge ? clamp(f->d[s], -near, near) : in ? -1e9f : 1e9f;
    }
}

// The 13 neighbours of a sample that a sweep has already passed.
typedef struct sweep {
    int di[13], dj[13], dk[13];
    ptrdiff_t step[13];
    float cost[13]; // cells
} sweep;

static sweep make_sweep(const rv_field *f, int way)
{
    sweep s;
    int n = 0;
    for (int j = -1; j <= 0; j++)
        for (int i = -1; i <= (j < 0 ? 1 : 0); i++)
            for (int k = -1; k <= (j < 0 || i < 0 ? 1 : -1); k++, n++) {
                float x = (float)i * f->h, y = (float)j * f->h, z = (float)k * f->hz;
                s.di[n] = i * way, s.dj[n] = j * way, s.dk[n] = k * way;
                s.step[n] = ((ptrdiff_t)s.dj[n] * f->nx + s.di[n]) * f->nz + s.dk[n];
                s.cost[n] = sqrtf(x * x + y * y + z * z);
            }
    return s;
}

static void carry_to(const rv_field *f, const sweep *s, float *d, int i, int j, int k)
{
    bool inner = i > 0 && j > 0 && k > 0 && i + 1 < f->nx && j + 1 < f->ny && k + 1 < f->nz;
    float best = fabsf(*d);
    for (int q = 0; q < 13; q++) {
        int a = i + s->di[q], b = j + s->dj[q], c = k + s->dk[q];
        if (!inner && (a < 0 || b < 0 || c < 0 || a >= f->nx || b >= f->ny || c >= f->nz)) continue;
        float through = fabsf(d[s->step[q]]) + s->cost[q];
        best = through < best ? through : best;
    }
    *d = *d < 0 ? -best : best;
}

// One half of the chamfer transform.
static void carry(rv_field *f, int way)
{
    sweep s = make_sweep(f, way);
    float near = 1.6f * maxf(f->h, f->hz);
    for (int n = 0; n < f->ny; n++) {
        int j = way > 0 ? n : f->ny - 1 - n;
        for (int m = 0; m < f->nx; m++) {
            int i = way > 0 ? m : f->nx - 1 - m;
            float *d = f->d + ((size_t)j * (size_t)f->nx + (size_t)i) * (size_t)f->nz;
            for (int o = 0; o < f->nz; o++) {
                int k = way > 0 ? o : f->nz - 1 - o;
                if (fabsf(d[k]) > near) carry_to(f, &s, d + k, i, j, k);
            }
        }
    }
}

static void choose_grid(rv_field *f, const rv_params *p, const rv_columns *c)
{
    float top = f->high + 3, bottom = f->low - 3;
    for (f->h = 1;; f->h += 1) {
        f->hz = (float)clamp((float)p->grid_stretch, 0.25f, 1) * f->h;
        f->nx = (int)ceilf((float)c->nx / f->h), f->ny = (int)ceilf((float)c->ny / f->h);
        f->nz = (int)ceilf((top - bottom) / f->hz) + 2;
        // A sample stands at grid.bottom itself, where the ground begins.
        f->z0 = floorf(bottom / f->hz) * f->hz;
        if ((double)f->nx * f->ny * f->nz <= SAMPLES_MAX) return;
    }
}

rv_result rv_field_build(rv_field *f, const rv_world *world, rv_pool *pool)
{
    rv_columns c;
    rv_world_info info;
    const rv_params *p = rv_world_params(world);
    memset(f, 0, sizeof *f);
    if (!p || rv_world_columns(world, &c) != RV_OK || rv_world_get_info(world, &info) != RV_OK)
        return RV_BAD_ARGUMENT;
    f->wide = (float)c.nx, f->deep = (float)c.ny;
    find_heights(f, &c);
    choose_grid(f, p, &c);
    f->d = malloc((size_t)f->nx * (size_t)f->ny * (size_t)f->nz * sizeof *f->d);
    if (!f->d) return RV_OUT_OF_MEMORY;
    build b = {f, world, &c, info.terrain_bytes > 0, c.bottom, c.dx};
    rv_parallel_for(pool, f->ny, sample_row, &b);
    forget_far(f);
    carry(f, 1);
    carry(f, -1);
    return RV_OK;
}

void rv_field_free(rv_field *f)
{
    free(f->d);
    f->d = NULL;
}

vec3 rv_field_normal(const rv_field *f, vec3 p)
{
    float e = 0.75f * f->h, g = 0.75f * f->hz;
    float x = rv_field_at(f, v3(p.x + e, p.y, p.z)) - rv_field_at(f, v3(p.x - e, p.y, p.z));
    float y = rv_field_at(f, v3(p.x, p.y + e, p.z)) - rv_field_at(f, v3(p.x, p.y - e, p.z));
    float z = rv_field_at(f, v3(p.x, p.y, p.z + g)) - rv_field_at(f, v3(p.x, p.y, p.z - g));
    return unit(v3(x / e, y / e, z / g));
}

// The last step goes from outside (a) to inside (b): the crossing between them.
static float refine(const rv_field *f, vec3 from, vec3 dir, float a, float da, float b, float db)
{
    for (int n = 0; n < 5 && b - a > 1e-4f; n++) {
        float t = clamp(a + (b - a) * da / (da - db), a + 0.02f * (b - a), b - 0.02f * (b - a));
        float d = rv_field_at(f, along(from, dir, t));
        if (fabsf(d) < 2e-4f) return t;
        if (d < 0)
            b = t, db = d;
        else
            a = t, da = d;
    }
    return a + (b - a) * da / (da - db);
}

float rv_field_cast(const rv_field *f, vec3 from, vec3 dir, float t0, float t1)
{
    float t = t0, last = t0, before = 0, least = 0.12f * minf(f->h, f->hz);
    for (int n = 0; n < 4096; n++) {
        float d = rv_field_at(f, along(from, dir, t));
        if (d < 0) return n == 0 ? t : refine(f, from, dir, last, before, t, d);
        if (t >= t1) return INFINITY;
        last = t, before = d;
        t = minf(t + maxf(0.85f * d, least), t1);
    }
    return INFINITY;
}

bool rv_field_clip(const rv_field *f, vec3 from, vec3 dir, float top, float *t0, float *t1,
                   int *side)
{
    const float o[3] = {from.x, from.y, from.z}, d[3] = {dir.x, dir.y, dir.z};
    const float lo[3] = {0, 0, f->floor}, hi[3] = {f->wide, f->deep, top};
    float enter = 0, leave = INFINITY;
    *side = 0;
    for (int a = 0; a < 3; a++) {
        if (fabsf(d[a]) < 1e-12f) {
            if (o[a] < lo[a] || o[a] > hi[a]) return false;
            continue;
        }
        float p = (lo[a] - o[a]) / d[a], q = (hi[a] - o[a]) / d[a];
        float near = minf(p, q), far = maxf(p, q);
        if (near > enter) enter = near, *side = a + 1;
        leave = minf(leave, far);
    }
    *t0 = enter, *t1 = leave;
    return enter < leave;
}

float rv_field_open(const rv_field *f, vec3 p, vec3 normal)
{
    // Five spheres of growing size along the normal: what the solid cuts off them.
    float reach = maxf(0.012f * maxf(f->wide, f->deep), 1.0f), closed = 0, weight = 0.42f;
    for (int n = 0; n < 5; n++, reach *= 1.7f, weight *= 0.8f) {
        float d = rv_field_at(f, along(p, normal, reach));
        closed += weight * clamp(1 - d / reach, 0, 1.5f);
    }
    return clamp(1 - 0.42f * closed, 0.06f, 1);
}

float rv_field_lit(const rv_field *f, vec3 p, vec3 normal, vec3 light, float width)
{
    float t = 0.6f * f->h, lit = 1, top = f->z0 + (float)(f->nz - 1) * f->hz;
    p = along(p, normal, 0.35f * f->h);
    for (int n = 0; n < 48; n++) {
        vec3 q = along(p, light, t);
        if (q.z > top || q.x < 0 || q.y < 0 || q.x > f->wide || q.y > f->deep) break;
        float d = rv_field_at(f, q);
        lit = minf(lit, 0.5f + 0.5f * d / (width * t));
        if (lit <= 0) return 0;
        t += clamp(d, 0.4f * f->h, 0.06f * (f->wide + f->deep));
    }
    return lit * lit * (3 - 2 * lit);
}
