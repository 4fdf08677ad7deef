// Where a ray meets the triangles of the liquid's surface: a walk over their places, in blocks that
// are passed at once when the ray is above or below all their liquid.
#include "render/liquid.h"

// Rays that pass a triangle by less than this share of it meet it: none slips through between two.
static const float SLACK = 1e-3f;

// Rounding of heights along a ray, cells.
static const float NEAR = 0.01f;

// How far under the bed of its columns the terrain between them may be, cells.
static const float DIPS = 0.5f;

typedef struct walk {
    const rv_liquid *q;
    vec3 from, dir; // in the places of rv_point
    float t0;
} walk;

// What was met: a triangle, where, and how far along.
typedef struct met {
    const rv_facet *facet;
    float t, u, v;
} met;

// Distance to a triangle, from a point not far away.
static float distance_to(const rv_facet *f, vec3 from, vec3 dir, float *u, float *v)
{
    vec3 across = cross(dir, f->v), way = sub(from, f->at);
    float volume = dot(f->u, across);
    if (fabsf(volume) < 1e-12f) return INFINITY;
    float per = 1 / volume;
    *u = dot(way, across) * per;
    if (!(*u >= -SLACK && *u <= 1 + SLACK)) return INFINITY;
    vec3 normal = cross(way, f->u);
    *v = dot(dir, normal) * per;
    if (!(*v >= -SLACK && *u + *v <= 1 + SLACK)) return INFINITY;
    return dot(f->v, normal) * per;
}

// Whether a ray may meet something between a and b.
static bool within(const walk *k, rv_span span, float a, float b)
{
    float za = k->from.z + k->dir.z * a, zb = k->from.z + k->dir.z * b;
    return minf(za, zb) <= span.high + NEAR && maxf(za, zb) >= span.low - NEAR;
}

// The nearest in place (x, y), through which the ray goes from a to b.
static void meet_place(const walk *k, int x, int y, float a, float b, met *best)
{
    const rv_liquid *q = k->q;
    size_t place = (size_t)y * ((size_t)q->columns.nx + 1) + (size_t)x;
    if (!within(k, q->place[place], a, b)) return;
    vec3 at = along(k->from, k->dir, a);
    for (uint32_t n = q->first[place]; n < q->first[place + 1]; n++) {
        float u = 0, v = 0, t = a + distance_to(&q->facet[n], at, k->dir, &u, &v);
        if (q->facet[n].falling && t < k->t0 + RV_CURTAIN_GAP) continue;
        if (t >= k->t0 && t < best->t) *best = (met){&q->facet[n], t, u, v};
    }
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

// Places of one block between t0 and t1.
static void walk_block(const walk *k, int bx, int by, float t0, float t1, met *best)
{
    int side = RV_LIQUID_BLOCK, x_lo = bx * side, y_lo = by * side;
    int x_hi = x_lo + side - 1 < k->q->columns.nx ? x_lo + side - 1 : k->q->columns.nx;
    int y_hi = y_lo + side - 1 < k->q->columns.ny ? y_lo + side - 1 : k->q->columns.ny;
    vec3 p = along(k->from, k->dir, t0);
    int x = cell_of(p.x, x_lo, x_hi), y = cell_of(p.y, y_lo, y_hi);
    for (float a = t0;;) {
        float tx = far_side(k->from.x, k->dir.x, (float)x, 1);
        float ty = far_side(k->from.y, k->dir.y, (float)y, 1);
        float b = minf(minf(tx, ty), t1);
        meet_place(k, x, y, a, maxf(a, b), best);
        if (best->facet || b >= t1) return;
        if (tx < ty)
            x += k->dir.x > 0 ? 1 : -1;
        else
            y += k->dir.y > 0 ? 1 : -1;
        if (x < x_lo || y < y_lo || x > x_hi || y > y_hi) return;
        a = maxf(a, b);
    }
}

static met walk_blocks(const walk *k, float t1)
{
    const rv_liquid *q = k->q;
    met best = {NULL, t1, 0, 0};
    float side = RV_LIQUID_BLOCK;
    vec3 p = along(k->from, k->dir, k->t0);
    int bx = cell_of(p.x / side, 0, q->block_nx - 1), by = cell_of(p.y / side, 0, q->block_ny - 1);
    for (float a = k->t0;;) {
        float tx = far_side(k->from.x, k->dir.x, (float)bx * side, side);
        float ty = far_side(k->from.y, k->dir.y, (float)by * side, side);
        float b = maxf(minf(minf(tx, ty), t1), a);
        if (within(k, q->block[by * q->block_nx + bx], a, b)) walk_block(k, bx, by, a, b, &best);
        if (best.facet || b >= t1) return best;
        if (tx < ty)
            bx += k->dir.x > 0 ? 1 : -1;
        else
            by += k->dir.y > 0 ? 1 : -1;
        if (bx < 0 || by < 0 || bx >= q->block_nx || by >= q->block_ny) return best;
        a = b;
    }
}

static float weighted(const float v[3], const met *m)
{
    return v[0] + (v[1] - v[0]) * m->u + (v[2] - v[0]) * m->v;
}

static void describe(const rv_liquid *q, const met *m, rv_liquid_hit *hit)
{
    const rv_point *a = &q->point[m->facet->corner[0]], *b = &q->point[m->facet->corner[1]];
    const rv_point *c = &q->point[m->facet->corner[2]];
    float w = 1 - m->u - m->v;
    hit->thick = maxf(weighted((float[]){a->thick, b->thick, c->thick}, m), 0);
    hit->normal =
        unit(add(add(scale(a->normal, w), scale(b->normal, m->u)), scale(c->normal, m->v)));
    float drop = weighted((float[]){a->drop, b->drop, c->drop}, m);
    hit->falling = m->facet->falling;
    if (!hit->falling) return;
    // What falls gets faster and thinner.
    float speed = weighted((float[]){a->speed, b->speed, c->speed}, m);
    float after = sqrtf(speed * speed + 2 * q->gravity * maxf(drop, 0));
    hit->thick *= after > 0 ? speed / after : 0;
}

// A passage that is full to its ceiling has no surface, and a grid one cell wide has none at all;
// the columns know.
static bool in_column(const rv_liquid *q, vec3 p, float *above)
{
    const rv_columns *c = &q->columns;
    int x = cell_of(p.x - 0.5f, 0, c->nx - 1), y = cell_of(p.y - 0.5f, 0, c->ny - 1);
    double z = c->bottom + (double)p.z * c->dx, near = 1e-3 * c->dx;
    for (int l = 0; l < c->planes; l++) {
        if (!rv_plane_has(&c->plane[l], x, y)) continue;
        size_t s = rv_slot(&c->plane[l], x, y);
        double base = c->base[s], level = base + (double)c->depth[s], max = c->max[s];
        bool full = level >= max - near, narrow = c->nx == 1 || c->ny == 1;
        if (max <= base || c->depth[s] <= 0 || !(full || narrow)) continue;
        // Between columns the ceiling may be a little higher, and the bed lower.
        double above_all = full ? max + (double)DIPS * c->dx : level;
        if (z < base - (double)DIPS * c->dx || z > above_all) continue;
        *above = maxf((float)((level - z) / c->dx), 0);
        return true;
    }
    return false;
}

// Whether a point on a side of the block is in the liquid: right under its surface, and not under
// the bed of that.
static bool starts_inside(const rv_liquid *q, vec3 p, rv_liquid_hit *hit)
{
    int x = cell_of(p.x, 0, q->columns.nx), y = cell_of(p.y, 0, q->columns.ny);
    walk up = {q, p, {0, 0, 1}, 0};
    met m = {NULL, INFINITY, 0, 0};
    meet_place(&up, x, y, 0, INFINITY, &m);
    if (m.facet) {
        describe(q, &m, hit);
        if (m.t <= hit->thick + DIPS && !hit->falling) {
            hit->thick = m.t;
            return true;
        }
    }
    return in_column(q, p, &hit->thick);
}

rv_liquid_hit rv_liquid_cast(const rv_liquid *q, vec3 from, vec3 dir, float t0, float t1, bool cut)
{
    rv_liquid_hit hit = {.t = INFINITY, .leave = INFINITY, .normal = {0, 0, 1}};
    if (!(t0 < t1)) return hit;
    walk k = {q, v3(from.x + 0.5f, from.y + 0.5f, from.z), dir, t0};
    bool inside = cut && starts_inside(q, along(k.from, dir, t0), &hit);
    if (!inside && !(q->high > -INFINITY)) return hit;
    met m = walk_blocks(&k, t1);
    if (inside) {
        hit.cut = true, hit.t = t0, hit.leave = m.facet ? m.t : INFINITY;
        return hit;
    }
    if (!m.facet) return hit;
    describe(q, &m, &hit);
    hit.t = m.t;
    return hit;
}
