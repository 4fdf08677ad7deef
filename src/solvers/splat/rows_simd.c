// The loops of rows.h. This file is compiled once per instruction set with RV_ISA set to its name;
// contraction to fused multiply-add is off everywhere and sums have one order, so that all of them
// give the same bits. Loops over cells are left to the compiler; particles are taken one by one,
// the lanes of a vector being a row of cells (splat) or the components of a node (move).
#include "solvers/splat/rows.h"

#include <math.h>
#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

// Vectors of eight are never passed between functions that are not one after inlining.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define INLINE static inline __attribute__((always_inline))

typedef float lanes8 __attribute__((vector_size(32)));
typedef int32_t whole8 __attribute__((vector_size(32)));
typedef float lanes4 __attribute__((vector_size(16)));
// the same in memory, wherever it begins
typedef float loose8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float loose4 __attribute__((vector_size(16), aligned(4), may_alias));

// ---- Splat
// ---------------------------------------------------------------------------------------

// Eight cells of one row: t0 is what the other axes leave of 1 - d²/r², ex the share of this one.
INLINE void splat_eight(lanes8 t0, const lanes8 *ex, const lanes8 *u, int axes, size_t at,
                        float *weight, float *const motion[3])
{
    lanes8 t = t0 - *ex;
    t = (lanes8)((whole8)t & (t > (lanes8){0}));
    lanes8 w = t * t * t;
    *(loose8 *)(void *)(weight + at) += w;
    for (int c = 0; c < axes; c++) *(loose8 *)(void *)(motion[c] + at) += w * u[c];
}

INLINE lanes8 all8(float a)
{
    return (lanes8){a, a, a, a, a, a, a, a};
}

INLINE void splat_one(const rv_splat_law *law, const rv_splat_grid *g, const float *p, int axes,
                      int blocks, float *weight, float *const motion[3])
{
    const int size = axes == 3 ? 4 : 2, reach = law->reach;
    const float s = law->per_radius2;
    lanes8 ex[2], u[3];
    int i = (int)p[0] - reach, j = (int)p[1], k = axes == 3 ? (int)p[2] : 0;
    for (int block = 0; block < blocks; block++) {
        lanes8 d = (lanes8){0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f} +
                   all8((float)(i + 8 * block) - p[0]);
        ex[block] = d * d * all8(s);
    }
    for (int c = 0; c < axes; c++) u[c] = all8(p[size + c]);
    for (int b = axes == 3 ? -reach : 0; b <= (axes == 3 ? reach : 0); b++) {
        float db = axes == 3 ? (float)(k + b) + 0.5f - p[2] : 0.0f, eb = 1.0f - db * db * s;
        if (!(eb > 0.0f)) continue;
        for (int a = -reach; a <= reach; a++) {
            float da = (float)(j + a) + 0.5f - p[1], t0 = eb - da * da * s;
            if (!(t0 > 0.0f)) continue;
            size_t at = g->origin + (size_t)((ptrdiff_t)i + (j + a) * (ptrdiff_t)g->pitch +
                                             (k + b) * (ptrdiff_t)g->layer);
            for (int block = 0; block < blocks; block++)
                splat_eight(all8(t0), &ex[block], u, axes, at + 8 * (size_t)block, weight, motion);
        }
    }
}

static void splat(const rv_splat_law *law, const rv_splat_grid *g, const float *particle, int count,
                  float *weight, float *const motion[3])
{
    const rv_splat_law own = *law; // a copy, so that stores to the grid cannot change it
    const rv_splat_grid grid = *g;
    float *const m[3] = {motion[0], motion[1], motion[2]};
    if (own.axes == 3 && own.reach <= 3)
        for (int p = 0; p < count; p++) splat_one(&own, &grid, particle + 8 * p, 3, 1, weight, m);
    else if (own.axes == 3)
        for (int p = 0; p < count; p++) splat_one(&own, &grid, particle + 8 * p, 3, 2, weight, m);
    else if (own.reach <= 3)
        for (int p = 0; p < count; p++) splat_one(&own, &grid, particle + 4 * p, 2, 1, weight, m);
    else
        for (int p = 0; p < count; p++) splat_one(&own, &grid, particle + 4 * p, 2, 2, weight, m);
}

// ---- Rows of the grid
// ----------------------------------------------------------------------------

static float mean(const rv_splat_law *law, const rv_splat_fields *f, size_t at, int count,
                  bool solid)
{
    const float *restrict weight = f->weight + at;
    float *restrict dense = f->dense + at, per_rest = law->per_rest, most = 0.0f;
    float *restrict mx = f->motion[0] + at, *restrict my = f->motion[1] + at;
    for (int x = 0; x < count; x++) {
        float w = weight[x], per = w > RV_SPLAT_TINY ? 1.0f / w : 0.0f;
        mx[x] *= per, my[x] *= per;
        dense[x] = w * per_rest;
    }
    if (law->axes == 3) {
        float *restrict mz = f->motion[2] + at;
        for (int x = 0; x < count; x++) {
            float w = weight[x];
            mz[x] *= w > RV_SPLAT_TINY ? 1.0f / w : 0.0f;
        }
    }
    if (solid) {
        const float *restrict share = f->share + at, *restrict extra = f->extra + at;
        for (int x = 0; x < count; x++) dense[x] = dense[x] * share[x] + extra[x];
    }
    for (int x = 0; x < count; x++) most = most > dense[x] ? most : dense[x];
    return most;
}

static void smooth(const rv_splat_fields *f, const float *in_all, float *out_all, ptrdiff_t low,
                   ptrdiff_t high, size_t at, int count, bool solid)
{
    const float *restrict in = in_all + at, *restrict open = f->open + at;
    float *restrict out = out_all + at;
    if (solid) {
        for (int x = 0; x < count; x++)
            out[x] = in[x] + 0.25f * (open[x + low] * (in[x + low] - in[x]) +
                                      open[x + high] * (in[x + high] - in[x]));
        return;
    }
    for (int x = 0; x < count; x++)
        out[x] = in[x] + 0.25f * ((in[x + low] - in[x]) + (in[x + high] - in[x]));
}

// q to the power of gamma, 1 … 7.
INLINE float power(float q, int gamma)
{
    float q2 = q * q, q4 = q2 * q2;
    return (gamma & 1 ? q : 1.0f) * ((gamma & 2 ? q2 : 1.0f) * (gamma & 4 ? q4 : 1.0f));
}

// Adds the pressure that damps compression along one axis. Beyond a wall (no neighbour) and in
// solids the velocity is the mirrored one.
INLINE void calm_row(float calm, const rv_splat_fields *f, const float *u_all, ptrdiff_t low,
                     ptrdiff_t high, size_t at, int count, bool solid)
{
    const float *restrict u = u_all + at, *restrict open = f->open + at;
    const float *restrict dense = f->dense + at;
    float *restrict out = f->pressure + at, from = low ? 1.0f : -1.0f, to = high ? 1.0f : -1.0f;
    if (solid) {
        for (int x = 0; x < count; x++) {
            float a = open[x + low] > 0.0f ? from * u[x + low] : -u[x];
            float b = open[x + high] > 0.0f ? to * u[x + high] : -u[x];
            out[x] -= dense[x] > RV_SPLAT_DENSE ? calm * (b - a) : 0.0f;
        }
        return;
    }
    for (int x = 0; x < count; x++)
        out[x] -= dense[x] > RV_SPLAT_DENSE ? calm * (to * u[x + high] - from * u[x + low]) : 0.0f;
}

static void press(const rv_splat_law *law, const rv_splat_fields *f, const float *in_all,
                  const rv_splat_beside *beside, size_t at, int count, bool solid)
{
    const float *restrict in = in_all + at;
    float *restrict out = f->pressure + at, stiff = law->stiff, slack = law->slack;
    int gamma = law->gamma;
    if (law->up < 0) {
        const float *restrict bed = f->bed + at;
        float depth = law->depth;
        for (int x = 0; x < count; x++) out[x] = bed[x] + depth * in[x];
        return;
    }
    for (int x = 0; x < count; x++) {
        float over = power(in[x], gamma) - 1.0f;
        out[x] = (over > 0.0f ? stiff : slack) * over + slack; // 0 where there is nothing
    }
    if (law->calm > 0.0f)
        for (int c = 0; c < law->axes; c++)
            calm_row(law->calm, f, f->motion[c], beside->low[c], beside->high[c], at, count, solid);
}

// One component of the nodes of a row, which are `size` apart.
INLINE void force_axis(const rv_splat_law *law, const rv_splat_fields *f, int c, int size,
                       ptrdiff_t low, ptrdiff_t high, size_t at, int count, bool solid)
{
    const float *restrict u = f->motion[c] + at, *restrict p = f->pressure + at;
    const float *restrict weight = f->weight + at, *restrict open = f->open + at;
    float *restrict node = f->node + at * (size_t)(2 * size) + c;
    float fall = c == law->up ? law->fall : 0.0f, push = law->push;
    bool low_wall = low == 0 && c > 0, high_wall = high == 0 && c > 0, plain = law->plain;
    for (int x = 0; x < count; x++) {
        float before = p[x + low], after = p[x + high];
        if (solid) {
            before = open[x + low] > 0.0f ? before : p[x];
            after = open[x + high] > 0.0f ? after : p[x];
        }
        float v = u[x] - push * (after - before) - fall;
        v = weight[x] > RV_SPLAT_TINY ? v : 0.0f;
        if (low_wall) v = v > 0.0f && !plain ? v : 0.0f;
        if (high_wall) v = v < 0.0f && !plain ? v : 0.0f;
        node[2 * size * x] = u[x];
        node[2 * size * x + size] = v;
    }
}

static void force(const rv_splat_law *law, const rv_splat_fields *f, const rv_splat_beside *beside,
                  size_t at, int count, bool solid)
{
    for (int c = 0; c < law->axes; c++) {
        ptrdiff_t low = beside->low[c], high = beside->high[c];
        if (law->axes == 3 && solid)
            force_axis(law, f, c, 4, low, high, at, count, true);
        else if (law->axes == 3)
            force_axis(law, f, c, 4, low, high, at, count, false);
        else if (solid)
            force_axis(law, f, c, 2, low, high, at, count, true);
        else
            force_axis(law, f, c, 2, low, high, at, count, false);
    }
}

// ---- Particles
// -----------------------------------------------------------------------------------

INLINE int floor_of(float a)
{
    int i = (int)a;
    return (float)i > a ? i - 1 : i;
}

// Both velocities at a place of a plane: before and after, two components each.
INLINE lanes4 sample2(const rv_splat_grid *g, const float *node, float px, float py)
{
    float x = px - 0.5f, y = py - 0.5f;
    int i = floor_of(x), j = floor_of(y);
    float fx = x - (float)i, fy = y - (float)j;
    const float *n = node + 4 * (g->origin + (size_t)(i + j * (ptrdiff_t)g->pitch));
    const float *m = n + 4 * g->pitch;
    lanes4 wx = {fx, fx, fx, fx}, wy = {fy, fy, fy, fy};
    lanes4 a = *(const loose4 *)(const void *)n, b = *(const loose4 *)(const void *)(n + 4);
    lanes4 c = *(const loose4 *)(const void *)m, d = *(const loose4 *)(const void *)(m + 4);
    a = a + wx * (b - a), c = c + wx * (d - c);
    return a + wy * (c - a);
}

INLINE lanes8 blend8(const float *n, lanes8 wx)
{
    lanes8 a = *(const loose8 *)(const void *)n, b = *(const loose8 *)(const void *)(n + 8);
    return a + wx * (b - a);
}

INLINE lanes4 blend4(const float *n, lanes4 wx)
{
    lanes4 a = *(const loose4 *)(const void *)n, b = *(const loose4 *)(const void *)(n + 8);
    return a + wx * (b - a);
}

typedef struct corner {
    const float *node;
    float f[3];
} corner;

INLINE corner corner3(const rv_splat_grid *g, const float *node, const float p[4])
{
    float x = p[0] - 0.5f, y = p[1] - 0.5f, z = p[2] - 0.5f;
    int i = floor_of(x), j = floor_of(y), k = floor_of(z);
    size_t at = g->origin + (size_t)(i + j * (ptrdiff_t)g->pitch + k * (ptrdiff_t)g->layer);
    return (corner){node + 8 * at, {x - (float)i, y - (float)j, z - (float)k}};
}

INLINE lanes8 sample3(const rv_splat_grid *g, const float *node, const float p[4])
{
    corner at = corner3(g, node, p);
    const float *n = at.node;
    size_t pitch = 8 * g->pitch, layer = 8 * g->layer;
    lanes8 wx = all8(at.f[0]), wy = all8(at.f[1]), wz = all8(at.f[2]);
    lanes8 a = blend8(n, wx), b = blend8(n + pitch, wx);
    lanes8 c = blend8(n + layer, wx), d = blend8(n + layer + pitch, wx);
    a = a + wy * (b - a), c = c + wy * (d - c);
    return a + wz * (c - a);
}

// Only the velocity after the forces.
INLINE lanes4 sample3_after(const rv_splat_grid *g, const float *node, const float p[4])
{
    corner at = corner3(g, node, p);
    const float *n = at.node + 4;
    size_t pitch = 8 * g->pitch, layer = 8 * g->layer;
    float fx = at.f[0], fy = at.f[1], fz = at.f[2];
    lanes4 wx = {fx, fx, fx, fx}, wy = {fy, fy, fy, fy}, wz = {fz, fz, fz, fz};
    lanes4 a = blend4(n, wx), b = blend4(n + pitch, wx);
    lanes4 c = blend4(n + layer, wx), d = blend4(n + layer + pitch, wx);
    a = a + wy * (b - a), c = c + wy * (d - c);
    return a + wz * (c - a);
}

INLINE float within(float a, float low, float high)
{
    a = a > low ? a : low; // NaN becomes low
    return a < high ? a : high;
}

// Where a particle that goes from p by `way` (cells) ends: within the grid, or up to two cells
// beyond a wall that is open.
INLINE float arrive(const rv_splat_law *law, float p, float way, int c)
{
    float low = law->open[c][0] ? -2.0f : RV_SPLAT_INSET;
    float high = law->open[c][1] ? law->high[c] + 2.0f : law->high[c] - RV_SPLAT_INSET;
    return within(p + way, low, high);
}

// Velocity u, place x, then `next`; a wall takes the velocity into it.
INLINE void finish(const rv_splat_law *law, float *p, const float *next, const float *u, int axes,
                   rv_splat_moved *out)
{
    const int size = axes == 3 ? 4 : 2;
    bool good = true;
    for (int c = 0; c < axes; c++) good = good && isfinite(u[c]) && isfinite(next[c]);
    if (!good) {
        out->not_finite++;
        for (int c = 0; c < axes; c++) p[size + c] = 0.0f;
        return;
    }
    for (int c = 0; c < axes; c++) {
        float v = u[c];
        if (!law->plain) {
            if (next[c] <= RV_SPLAT_INSET && v < 0.0f && !law->open[c][0]) v = 0.0f;
            if (next[c] >= law->high[c] - RV_SPLAT_INSET && v > 0.0f && !law->open[c][1]) v = 0.0f;
        }
        p[c] = next[c], p[size + c] = v;
        float fast = v * v;
        out->fastest = out->fastest > fast ? out->fastest : fast;
    }
}

static void move2(const rv_splat_law *law, const rv_splat_grid *g, const float *node,
                  float *particle, int count, rv_splat_moved *out)
{
    float half = 0.5f * law->move, keep = 1.0f - law->pic;
    for (int i = 0; i < count; i++) {
        float *p = particle + 4 * (size_t)i, u[2], next[2];
        lanes4 v = sample2(g, node, p[0], p[1]);
        float hx = within(p[0] + half * v[2], 0.0f, law->high[0]);
        float hy = within(p[1] + half * v[3], 0.0f, law->high[1]);
        lanes4 w = sample2(g, node, hx, hy);
        for (int c = 0; c < 2; c++) {
            u[c] = law->pic * v[2 + c] + keep * (p[2 + c] + (v[2 + c] - v[c]));
            next[c] = arrive(law, p[c], law->move * w[2 + c], c);
        }
        finish(law, p, next, u, 2, out);
    }
}

static void move3(const rv_splat_law *law, const rv_splat_grid *g, const float *node,
                  float *particle, int count, rv_splat_moved *out)
{
    float half = 0.5f * law->move, keep = 1.0f - law->pic;
    for (int i = 0; i < count; i++) {
        float *p = particle + 8 * (size_t)i, u[3], next[3], mid[4] = {0};
        lanes8 v = sample3(g, node, p);
        for (int c = 0; c < 3; c++) mid[c] = within(p[c] + half * v[4 + c], 0.0f, law->high[c]);
        lanes4 w = sample3_after(g, node, mid);
        for (int c = 0; c < 3; c++) {
            u[c] = law->pic * v[4 + c] + keep * (p[4 + c] + (v[4 + c] - v[c]));
            next[c] = arrive(law, p[c], law->move * w[c], c);
        }
        finish(law, p, next, u, 3, out);
    }
}

static void move(const rv_splat_law *law, const rv_splat_grid *g, const float *node,
                 float *particle, int count, rv_splat_moved *out)
{
    const rv_splat_law own = *law;
    const rv_splat_grid grid = *g;
    rv_splat_moved moved = *out;
    if (own.axes == 3)
        move3(&own, &grid, node, particle, count, &moved);
    else
        move2(&own, &grid, node, particle, count, &moved);
    *out = moved;
}

extern const rv_splat_rows PASTE(rv_splat_rows_, RV_ISA);
const rv_splat_rows PASTE(rv_splat_rows_, RV_ISA) = {
    .name = TEXT(RV_ISA),
    .splat = splat,
    .mean = mean,
    .smooth = smooth,
    .press = press,
    .force = force,
    .move = move,
};
