// Where a ray meets the patches of liquid: a walk over the patches' squares, in blocks that are
// passed at once when the ray is above or below all their liquid.
//
// Along a ray the height over a bilinear patch is a quadratic in t; the first time it falls through
// zero inside the square is the hit.
#include "render/liquid.h"

typedef struct walk {
    const rv_liquid *q;
    vec3 from,
        dir; // in patch space: x and y moved by half a cell, so that squares are whole numbers
    bool up; // look for the surface from below instead
} walk;

static float bilinear(const float v[4], float u, float w)
{
    return mixf(mixf(v[0], v[1], u), mixf(v[2], v[3], u), w);
}

// Height of the ray over the patch in square (x, y).
static float over(const walk *k, const rv_patch *patch, int x, int y, float t)
{
    vec3 p = along(k->from, k->dir, t);
    return p.z - bilinear(patch->level, clamp(p.x - (float)x, 0, 1), clamp(p.y - (float)y, 0, 1));
}

static float crossing(const walk *k, const rv_patch *patch, int x, int y, float a, float b)
{
    float ga = over(k, patch, x, y, a), gb = over(k, patch, x, y, b);
    if (k->up ? !(ga <= 0 && gb > 0) : !(ga > 0 && gb <= 0)) return INFINITY;
    for (int n = 0; n < 3; n++) {
        float t = a + (b - a) * ga / (ga - gb), g = over(k, patch, x, y, t);
        if ((g > 0) == (ga > 0))
            a = t, ga = g;
        else
            b = t, gb = g;
        if (fabsf(ga - gb) < 1e-7f) break;
    }
    return fabsf(ga - gb) < 1e-7f ? b : a + (b - a) * ga / (ga - gb);
}

static const rv_patch *square(const walk *k, int x, int y, float a, float b, float *t)
{
    const rv_patch_row *row = &k->q->row[y];
    const rv_patch *best = NULL;
    for (int n = row->first[x]; n < row->first[x + 1]; n++) {
        float s = crossing(k, &row->patch[n], x, y, a, b);
        if (s < *t) *t = s, best = &row->patch[n];
    }
    return best;
}

static int cell_of(float v, int lo, int hi)
{
    int n = (int)floorf(v);
    return n < lo ? lo : n > hi ? hi : n;
}

// Distance along the ray to the far side of the interval [lo, lo + size] on one axis.
static float far_side(float o, float d, float lo, float size)
{
    return d > 1e-12f ? (lo + size - o) / d : d < -1e-12f ? (lo - o) / d : INFINITY;
}

// Squares of one block between t0 and t1.
static const rv_patch *walk_block(const walk *k, int bx, int by, float t0, float t1, float *t,
                                  int *x, int *y)
{
    int side = RV_LIQUID_BLOCK, x_lo = bx * side, y_lo = by * side;
    int x_hi = x_lo + side - 1 < k->q->columns.nx ? x_lo + side - 1 : k->q->columns.nx;
    int y_hi = y_lo + side - 1 < k->q->columns.ny ? y_lo + side - 1 : k->q->columns.ny;
    vec3 p = along(k->from, k->dir, t0);
    *x = cell_of(p.x, x_lo, x_hi), *y = cell_of(p.y, y_lo, y_hi);
    for (float a = t0;;) {
        float tx = far_side(k->from.x, k->dir.x, (float)*x, 1);
        float ty = far_side(k->from.y, k->dir.y, (float)*y, 1);
        float b = minf(minf(tx, ty), t1);
        const rv_patch *hit = square(k, *x, *y, a, maxf(b, a), t);
        if (hit) return hit;
        if (b >= t1) return NULL;
        if (tx < ty)
            *x += k->dir.x > 0 ? 1 : -1;
        else
            *y += k->dir.y > 0 ? 1 : -1;
        if (*x < x_lo || *y < y_lo || *x > x_hi || *y > y_hi) return NULL;
        a = maxf(a, b);
    }
}

static const rv_patch *walk_blocks(const walk *k, float t0, float t1, float *t, int *x, int *y)
{
    const rv_liquid *q = k->q;
    float side = RV_LIQUID_BLOCK;
    vec3 p = along(k->from, k->dir, t0);
    int bx = cell_of(p.x / side, 0, q->block_nx - 1), by = cell_of(p.y / side, 0, q->block_ny - 1);
    for (float a = t0;;) {
        float tx = far_side(k->from.x, k->dir.x, (float)bx * side, side);
        float ty = far_side(k->from.y, k->dir.y, (float)by * side, side);
        float b = maxf(minf(minf(tx, ty), t1), a);
        float za = k->from.z + k->dir.z * a, zb = k->from.z + k->dir.z * b;
        int block = by * q->block_nx + bx;
        if (minf(za, zb) <= q->block_high[block] && maxf(za, zb) >= q->block_low[block]) {
            const rv_patch *hit = walk_block(k, bx, by, a, b, t, x, y);
            if (hit) return hit;
        }
        if (b >= t1) return NULL;
        if (tx < ty)
            bx += k->dir.x > 0 ? 1 : -1;
        else
            by += k->dir.y > 0 ? 1 : -1;
        if (bx < 0 || by < 0 || bx >= q->block_nx || by >= q->block_ny) return NULL;
        a = b;
    }
}

// A value of the columns at a point of a patch; corners without a column count as `none`.
static float value_at(const rv_patch *patch, const float *values, float none, float u, float v)
{
    float corner[4];
    for (int n = 0; n < 4; n++) corner[n] = patch->slot[n] < 0 ? none : values[patch->slot[n]];
    return bilinear(corner, u, v);
}

static float mean_of(const rv_patch *patch, const float *values)
{
    float sum = 0, count = 0;
    for (int n = 0; n < 4; n++)
        if (patch->slot[n] >= 0) sum += values[patch->slot[n]], count++;
    return count > 0 ? sum / count : 0;
}

static vec3 normal_at(const rv_liquid *q, const rv_patch *patch, float u, float v)
{
    float gx = value_at(patch, q->gx, mean_of(patch, q->gx), u, v);
    float gy = value_at(patch, q->gy, mean_of(patch, q->gy), u, v);
    return unit(v3(-gx, -gy, 1));
}

// Surface fades out from the last column before the edge of an overhang to where the next would be.
static float share_at(const rv_patch *patch, float u, float v)
{
    float corner[4];
    for (int n = 0; n < 4; n++) corner[n] = patch->slot[n] == RV_PATCH_EDGE ? 0 : 1;
    return smooth(0, 0.6f, bilinear(corner, u, v));
}

// Height of the bed under a patch, cells. The bed of its columns goes on where one is missing.
static float bed_at(const rv_liquid *q, const rv_patch *patch, float u, float v)
{
    const rv_columns *c = &q->columns;
    float mean = mean_of(patch, c->base), corner[4];
    for (int n = 0; n < 4; n++) {
        int s = patch->slot[n];
        corner[n] = (float)(((double)(s < 0 ? mean : c->base[s]) - c->bottom) / c->dx);
    }
    return bilinear(corner, u, v);
}

// Depth of a patch, cells, below zero toward dry columns. What lies beside a missing column is as
// deep as the others.
static float film_at(const rv_liquid *q, const rv_patch *patch, float u, float v)
{
    const rv_columns *c = &q->columns;
    float mean = mean_of(patch, q->thick), corner[4];
    for (int n = 0; n < 4; n++) {
        int s = patch->slot[n];
        corner[n] =
            s < 0 ? mean : patch->level[n] - (float)(((double)c->base[s] - c->bottom) / c->dx);
    }
    return bilinear(corner, u, v);
}

static bool starts_inside(const rv_liquid *q, vec3 p, rv_liquid_hit *hit)
{
    int x = cell_of(p.x, 0, q->columns.nx), y = cell_of(p.y, 0, q->columns.ny);
    float u = clamp(p.x - (float)x, 0, 1), v = clamp(p.y - (float)y, 0, 1);
    const rv_patch_row *row = &q->row[y];
    for (int n = row->first[x]; n < row->first[x + 1]; n++) {
        float level = bilinear(row->patch[n].level, u, v);
        // The bed between centres may lie a little lower than the columns say.
        if (p.z >= level || p.z < bed_at(q, &row->patch[n], u, v) - 0.5f) continue;
        hit->thick = level - p.z;
        hit->normal = normal_at(q, &row->patch[n], u, v);
        return true;
    }
    return false;
}

rv_liquid_hit rv_liquid_cast(const rv_liquid *q, vec3 from, vec3 dir, float t0, float t1, bool cut)
{
    rv_liquid_hit hit = {.t = INFINITY, .leave = INFINITY, .normal = {0, 0, 1}};
    if (!(q->high > -INFINITY) || !(t0 < t1)) return hit;
    walk k = {q, v3(from.x + 0.5f, from.y + 0.5f, from.z), dir, false};
    int x, y;
    float t = INFINITY;
    if (cut && starts_inside(q, along(k.from, dir, t0), &hit)) {
        k.up = true;
        hit.cut = true, hit.t = t0;
        walk_blocks(&k, t0, t1, &hit.leave, &x, &y);
        return hit;
    }
    const rv_patch *patch = walk_blocks(&k, t0, t1, &t, &x, &y);
    if (!patch) return hit;
    vec3 p = along(k.from, dir, t);
    float u = clamp(p.x - (float)x, 0, 1), v = clamp(p.y - (float)y, 0, 1);
    hit.t = t, hit.share = share_at(patch, u, v);
    hit.thick = value_at(patch, q->thick, mean_of(patch, q->thick), u, v);
    hit.normal = normal_at(q, patch, u, v);
    return hit;
}

float rv_liquid_film(const rv_liquid *q, vec3 point, vec3 *normal)
{
    if (!(q->high > -INFINITY)) return 0;
    vec3 p = v3(point.x + 0.5f, point.y + 0.5f, point.z);
    int x = cell_of(p.x, 0, q->columns.nx), y = cell_of(p.y, 0, q->columns.ny);
    float u = clamp(p.x - (float)x, 0, 1), v = clamp(p.y - (float)y, 0, 1), best = 0;
    const rv_patch_row *row = &q->row[y];
    for (int n = row->first[x]; n < row->first[x + 1]; n++) {
        const rv_patch *patch = &row->patch[n];
        float film = film_at(q, patch, u, v), above = p.z - bed_at(q, patch, u, v);
        // The film covers what rises a little out of the patch or bends down beside it, and less
        // the more it does.
        film *= (1 - smooth(0.25f, 0.9f, above - film)) * (1 - smooth(0.4f, 2.0f, -above));
        film *= share_at(patch, u, v);
        if (film > best) {
            best = film;
            *normal = normal_at(q, patch, u, v);
        }
    }
    return best;
}
