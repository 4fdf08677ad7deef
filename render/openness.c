// Ambient occlusion by cones: the space over the grid is divided into boxes, each with the share of
// it that is solid, in levels of twice the size. From a point, cones are followed outward through
// larger and larger boxes, and lose what those hide. The columns say exactly where the space is
// free, so an edit needs no distance field.
#include "render/openness.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES_MAX = 4 * 1000 * 1000, CONES = 7, STEPS = 6 };

// ---- The boxes ---------------------------------------------------------------------------------

// Takes the free span from base to max out of the boxes above one cell; amounts are of 255 a box.
static void free_span(float *box, const rv_openness *o, int nz, double from, double to, float share)
{
    double a = (from - (double)o->low) / (double)o->side,
           b = (to - (double)o->low) / (double)o->side;
    if (a < 0) a = 0;
    if (b > nz) b = nz;
    for (int k = (int)a; k < nz && k < b; k++) {
        double lo = a > k ? a : k, hi = b < k + 1 ? b : k + 1;
        if (hi > lo) box[k] -= share * (float)(hi - lo);
    }
}

// One row of boxes: the cells over it, one after another.
static void fill_row(const rv_openness *o, const rv_columns *c, int j, float *row)
{
    const rv_openness_level *l = &o->level[0];
    int side = (int)o->side, y1 = (j + 1) * side < c->ny ? (j + 1) * side : c->ny;
    for (int n = 0; n < l->nx * l->nz; n++) row[n] = 1;
    for (int plane = 0; plane < c->planes; plane++) {
        const rv_plane *p = &c->plane[plane];
        for (int y = j * side; y < y1; y++) {
            if (y < p->y0 || y >= p->y0 + p->ny) continue;
            for (int x = p->x0; x < p->x0 + p->nx; x++) {
                size_t s = rv_slot(p, x, y);
                if (c->max[s] <= c->base[s]) continue;
                int i = x / side, across = (i + 1) * side < c->nx ? side : c->nx - i * side;
                // The lid of the grid is no solid: over it there is air.
                double top = (double)c->max[s] < c->top - 1e-3 * c->dx ? (double)c->max[s] : 1e30;
                free_span(row + i * l->nz, o, l->nz, ((double)c->base[s] - c->bottom) / c->dx,
                          (top - c->bottom) / c->dx, 1.0f / (float)(across * (y1 - j * side)));
            }
        }
    }
}

static bool make_finest(rv_openness *o, const rv_columns *c)
{
    rv_openness_level *l = &o->level[0];
    float *row = malloc((size_t)l->nx * (size_t)l->nz * sizeof *row);
    if (!row) return false;
    for (int j = 0; j < l->ny; j++) {
        fill_row(o, c, j, row);
        uint8_t *out = l->solid + (size_t)j * (size_t)l->nx * (size_t)l->nz;
        for (int n = 0; n < l->nx * l->nz; n++) out[n] = (uint8_t)lrintf(255 * clamp(row[n], 0, 1));
    }
    free(row);
    return true;
}

// Beyond the sides there is air, below the lowest boxes solid.
static int solid_at(const rv_openness_level *l, int i, int j, int k)
{
    if (k < 0) return i >= 0 && j >= 0 && i < l->nx && j < l->ny ? 255 : 0;
    if (i < 0 || j < 0 || i >= l->nx || j >= l->ny || k >= l->nz) return 0;
    return l->solid[((size_t)j * (size_t)l->nx + (size_t)i) * (size_t)l->nz + (size_t)k];
}

static void make_coarser(const rv_openness_level *from, rv_openness_level *to)
{
    uint8_t *out = to->solid;
    for (int j = 0; j < to->ny; j++)
        for (int i = 0; i < to->nx; i++)
            for (int k = 0; k < to->nz; k++) {
                int sum = 0;
                for (int n = 0; n < 8; n++)
                    sum += solid_at(from, 2 * i + (n & 1), 2 * j + (n >> 1 & 1), 2 * k + (n >> 2));
                *out++ = (uint8_t)((sum + 4) / 8);
            }
}

static bool take_level(rv_openness_level *l, int nx, int ny, int nz)
{
    if (l->nx != nx || l->ny != ny || l->nz != nz || !l->solid) {
        free(l->solid);
        l->solid = malloc((size_t)nx * (size_t)ny * (size_t)nz);
        l->nx = nx, l->ny = ny, l->nz = nz;
    }
    return l->solid != NULL;
}

rv_result rv_openness_make(rv_openness *o, const rv_columns *c, const rv_extent *e)
{
    int nx, ny, nz;
    o->low = floorf(e->low) - 2;
    for (o->side = 1;; o->side += 1) {
        nx = (int)ceilf((float)c->nx / o->side), ny = (int)ceilf((float)c->ny / o->side);
        nz = (int)ceilf((maxf(e->high, e->top) - o->low) / o->side) + 1;
        if ((double)nx * ny * nz <= BOXES_MAX) break;
    }
    for (o->levels = 0; o->levels < RV_OPENNESS_LEVELS; o->levels++) {
        if (!take_level(&o->level[o->levels], nx, ny, nz)) return RV_OUT_OF_MEMORY;
        if (o->levels == 0 && !make_finest(o, c)) return RV_OUT_OF_MEMORY;
        if (o->levels > 0) make_coarser(&o->level[o->levels - 1], &o->level[o->levels]);
        nx = (nx + 1) / 2, ny = (ny + 1) / 2, nz = (nz + 1) / 2;
    }
    return RV_OK;
}

void rv_openness_free(rv_openness *o)
{
    for (int n = 0; n < RV_OPENNESS_LEVELS; n++) free(o->level[n].solid);
    memset(o, 0, sizeof *o);
}

// ---- Cones -------------------------------------------------------------------------------------

// The solid share around a point, between the boxes of one level; 0 … 1.
static float solid_near(const rv_openness *o, int level, vec3 p)
{
    const rv_openness_level *l = &o->level[level];
    float side = o->side * (float)(1 << level);
    float x = p.x / side - 0.5f, y = p.y / side - 0.5f, z = (p.z - o->low) / side - 0.5f;
    float fx = floorf(x), fy = floorf(y), fz = floorf(z);
    int i = (int)fx, j = (int)fy, k = (int)fz;
    float v[8];
    for (int n = 0; n < 8; n++)
        v[n] = (float)solid_at(l, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
    x -= fx, y -= fy, z -= fz;
    float low = mixf(mixf(v[0], v[1], x), mixf(v[2], v[3], x), y);
    float high = mixf(mixf(v[4], v[5], x), mixf(v[6], v[7], x), y);
    return mixf(low, high, z) * (1 / 255.0f);
}

// What gets through a cone of 60 degrees: at each step the boxes are as large as it is wide there.
static float through(const rv_openness *o, vec3 from, vec3 direction)
{
    float open = 1, reach = 1.8f * o->side;
    for (int n = 0; n < STEPS && n < o->levels && open > 0.02f; n++, reach *= 2)
        open *= 1 - 0.93f * solid_near(o, n, along(from, direction, reach));
    return open;
}

float rv_openness_at(const rv_openness *o, vec3 p, vec3 normal)
{
    if (o->levels == 0) return 1;
    vec3 side = unit(cross(normal, fabsf(normal.z) < 0.9f ? v3(0, 0, 1) : v3(1, 0, 0)));
    vec3 other = cross(normal, side);
    vec3 from = along(p, normal, 0.6f * o->side);
    // One cone along the normal and six around it, 60 degrees from it, weighted by the cosine.
    float sum = through(o, from, normal), weight = 1;
    for (int n = 0; n < CONES - 1; n++) {
        float a = 1.04719755f * (float)n + 0.3f;
        vec3 d = along(along(scale(normal, 0.5f), side, 0.866f * cosf(a)), other, 0.866f * sinf(a));
        // Light comes from above more than from below.
        float w = 0.5f * (0.75f + 0.25f * d.z);
        sum += w * through(o, from, d), weight += w;
    }
    return clamp(sum / weight, 0, 1);
}
