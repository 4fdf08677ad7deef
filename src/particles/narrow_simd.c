// The loops of narrow.h. This file is compiled once per instruction set with RV_ISA set to its
// name; contraction to fused multiply-add is off everywhere and sums have one order, so that all of
// them give the same bits. Particles are taken one by one, the lanes of a vector are what a cell
// knows; loops over cells are left to the compiler. move_simd.c has those that move particles.
#include "particles/narrow.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define INLINE static inline __attribute__((always_inline))

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

#define CHUNK 64 // cells that are worked on together
#define LANES 16 // of maxima
#define TINY RV_SPLAT_TINY

INLINE four four_of(float a)
{
    return (four){a, a, a, a};
}

// ---- Splat --------------------------------------------------------------------------------------

// Where a place lies between the middles of cells: the slot of the low corner, and the shares.
INLINE size_t corner(const rv_splat_grid *g, const float *x, int axes, float f[3])
{
    ptrdiff_t at = (ptrdiff_t)g->origin;
    const ptrdiff_t step[3] = {1, (ptrdiff_t)g->pitch, (ptrdiff_t)g->layer};
    for (int c = 0; c < axes; c++) {
        float y = x[c] + 0.5f;
        int i = (int)y; // one more than the cell before
        f[c] = y - (float)i;
        at += (i - 1) * step[c];
    }
    return (size_t)at;
}

INLINE void add(float *to, float weight, four what)
{
    *(four *)(void *)to += four_of(weight) * what;
}

INLINE void splat_one(const rv_splat_grid *g, const float *p, int axes, float *sum)
{
    const int size = axes == 3 ? 4 : 2;
    float f[3];
    float *to = sum + RV_NARROW_SUM * corner(g, p, axes, f);
    size_t pitch = RV_NARROW_SUM * g->pitch, layer = RV_NARROW_SUM * g->layer;
    four what = {1.0f, p[size], p[size + 1], axes == 3 ? p[size + 2] : 0.0f};
    float x0 = 1.0f - f[0], y0 = 1.0f - f[1];
    float w[4] = {x0 * y0, f[0] * y0, x0 * f[1], f[0] * f[1]};
    if (axes == 2) {
        add(to, w[0], what), add(to + RV_NARROW_SUM, w[1], what);
        add(to + pitch, w[2], what), add(to + pitch + RV_NARROW_SUM, w[3], what);
        return;
    }
    for (int k = 0; k < 2; k++) {
        float z = k ? f[2] : 1.0f - f[2], *at = to + (k ? layer : 0);
        add(at, z * w[0], what), add(at + RV_NARROW_SUM, z * w[1], what);
        add(at + pitch, z * w[2], what), add(at + pitch + RV_NARROW_SUM, z * w[3], what);
    }
}

// Form height has a rounder kernel, quadratic along each axis over three cells, whose slope has no
// jumps: the weights, and the slot of the low corner.
INLINE size_t round_corner(const rv_splat_grid *g, const float *x, float wx[3], float wy[3])
{
    int i = (int)x[0], j = (int)x[1];
    for (int c = 0; c < 2; c++) {
        float f = x[c] - (float)(c ? j : i) - 0.5f, low = 0.5f - f, high = 0.5f + f;
        float *w = c ? wy : wx;
        w[0] = 0.5f * low * low, w[1] = 0.75f - f * f, w[2] = 0.5f * high * high;
    }
    return (size_t)((ptrdiff_t)g->origin + (i - 1) + (j - 1) * (ptrdiff_t)g->pitch);
}

INLINE void splat_round(const rv_splat_grid *g, const float *p, float *sum)
{
    float wx[3], wy[3];
    float *to = sum + RV_NARROW_SUM * round_corner(g, p, wx, wy);
    const four what = {1.0f, p[2], p[3], 0.0f};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            add(to + RV_NARROW_SUM * ((size_t)j * g->pitch + (size_t)i), wx[i] * wy[j], what);
}

static void splat(const rv_splat_grid *g, const float *particle, int count, float *sum)
{
    const rv_splat_grid grid = *g; // a copy, so that stores to the sums cannot change it
    if (grid.up < 0) {
        for (int i = 0; i < count; i++) splat_round(&grid, particle + 4 * (size_t)i, sum);
        return;
    }
    if (grid.axes == 3)
        for (int i = 0; i < count; i++) splat_one(&grid, particle + 8 * (size_t)i, 3, sum);
    else
        for (int i = 0; i < count; i++) splat_one(&grid, particle + 4 * (size_t)i, 2, sum);
}

// ---- Smoothing ----------------------------------------------------------------------------------

// (¼, ½, ¼) along the axes but x of `floats` floats from `in`; out has room for them.
INLINE void blur_across(const float *restrict in, size_t pitch, size_t layer, int axes, int floats,
                        float *restrict out)
{
    const float *l = in - pitch, *h = in + pitch;
    if (axes == 2) {
        for (int i = 0; i < floats; i++) out[i] = 0.25f * (l[i] + h[i]) + 0.5f * in[i];
        return;
    }
    const float *n = in - layer, *ln = l - layer, *hn = h - layer;
    const float *f = in + layer, *lf = l + layer, *hf = h + layer;
    for (int i = 0; i < floats; i++) {
        float near = 0.25f * (ln[i] + hn[i]) + 0.5f * n[i];
        float own = 0.25f * (l[i] + h[i]) + 0.5f * in[i];
        float far = 0.25f * (lf[i] + hf[i]) + 0.5f * f[i];
        out[i] = 0.25f * (near + far) + 0.5f * own;
    }
}

INLINE void blur_sums_of(const rv_splat_grid *g, const float *sum, size_t at, int count, int axes,
                         float *weight, float *const motion[3])
{
    float own[(CHUNK + 2) * RV_NARROW_SUM];
    float *restrict w = weight + at, *restrict mx = motion[0] + at, *restrict my = motion[1] + at;
    float *restrict mz = axes == 3 ? motion[2] + at : NULL;
    size_t pitch = RV_NARROW_SUM * g->pitch, layer = RV_NARROW_SUM * g->layer;
    for (int x = 0; x < count; x += CHUNK) {
        int some = count - x < CHUNK ? count - x : CHUNK;
        const float *in = sum + RV_NARROW_SUM * (at + (size_t)x) - RV_NARROW_SUM;
        blur_across(in, pitch, layer, axes, (some + 2) * RV_NARROW_SUM, own);
        for (int i = 0; i < some; i++) {
            const float *o = own + RV_NARROW_SUM * i;
            w[x + i] = 0.25f * (o[0] + o[8]) + 0.5f * o[4];
            mx[x + i] = 0.25f * (o[1] + o[9]) + 0.5f * o[5];
            my[x + i] = 0.25f * (o[2] + o[10]) + 0.5f * o[6];
            if (axes == 3) mz[x + i] = 0.25f * (o[3] + o[11]) + 0.5f * o[7];
        }
    }
}

static void blur_sums(const rv_splat_grid *g, const float *sum, size_t at, int count, float *weight,
                      float *const motion[3])
{
    if (g->axes == 3)
        blur_sums_of(g, sum, at, count, 3, weight, motion);
    else
        blur_sums_of(g, sum, at, count, 2, weight, motion);
}

INLINE void blur_nodes_of(const rv_splat_grid *g, const float *cell, size_t at, int count, int axes,
                          float *node)
{
    const int size = axes == 3 ? 8 : 4;
    float own[(CHUNK + 2) * 8];
    size_t pitch = (size_t)size * g->pitch, layer = (size_t)size * g->layer;
    for (int x = 0; x < count; x += CHUNK) {
        int some = count - x < CHUNK ? count - x : CHUNK;
        const float *in = cell + (size_t)size * (at + (size_t)x) - size;
        float *restrict out = node + (size_t)size * (at + (size_t)x);
        blur_across(in, pitch, layer, axes, (some + 2) * size, own);
        for (int i = 0; i < some * size; i++)
            out[i] = 0.25f * (own[i] + own[i + 2 * size]) + 0.5f * own[i + size];
    }
}

static void blur_nodes(const rv_splat_grid *g, const float *cell, size_t at, int count, float *node)
{
    if (g->axes == 3)
        blur_nodes_of(g, cell, at, count, 3, node);
    else
        blur_nodes_of(g, cell, at, count, 2, node);
}

// ---- Faces and cells ----------------------------------------------------------------------------

// Share of a face that is open to liquid, 0 where a cell beside it counts as solid.
INLINE float face_share(float a, float b)
{
    float least = a < b ? a : b;
    return least > RV_NARROW_CLOSED ? 0.5f * (a + b) : 0.0f;
}

static void faces(const rv_narrow_law *law, const rv_narrow_fields *f, int c, ptrdiff_t step,
                  size_t at, int count, bool solid)
{
    const float *restrict w = f->weight + at, *restrict m = f->motion[c] + at;
    float *restrict speed = f->speed[c] + at, *restrict light = f->light[c] + at;
    float rest = 1.0f / law->per_rest;
    for (int x = 0; x < count; x++) {
        float sum = w[x] + w[x - step], per = sum > 2.0f * TINY ? 1.0f / sum : 0.0f;
        speed[x] = (m[x] + m[x - step]) * per;
        light[x] = 2.0f * rest * per;
    }
    if (!solid) return;
    const float *restrict share = f->share + at;
    for (int x = 0; x < count; x++) light[x] *= face_share(share[x], share[x - step]);
}

// What density off that at rest asks for: of a divergence, in cells a substep.
INLINE float wanted(float density)
{
    float off = density - 1.0f;
    float thin = RV_NARROW_EASE * (off > -RV_NARROW_GAP ? off : -RV_NARROW_GAP);
    float gap = off + RV_NARROW_GAP;
    thin += gap < 0.0f ? gap : 0.0f;
    float over = off - RV_NARROW_PLAY;
    float dense = RV_NARROW_EASE * (over < RV_NARROW_DENSE ? over : RV_NARROW_DENSE);
    return over > 0.0f ? dense : off > 0.0f ? 0.0f : thin;
}

// Density of a cell. Beside solids (`solid`) that of the part which is free; closed cells have the
// `other` one.
INLINE float density_of(float weight, float share, float per_rest, bool solid, float other)
{
    if (!solid) return weight * per_rest;
    return share > RV_NARROW_CLOSED ? weight * per_rest / share : other;
}

// Of the contraction that a cell may ask for, the share that it gets: where density falls off as
// steeply as at the surface of liquid that is dense up to there, it is thin because its kernel
// reaches out of the liquid, and must not be pulled together for that. At a plane surface density q
// differs by 0.72 between the cells around one with q = ½, and elsewhere by about four times as
// much as q (1 - q).
INLINE float blunt_part(float density, float steep)
{
    float sharp = RV_NARROW_SHARP * (density * (1.0f - density));
    float part = RV_NARROW_BLUNT * (sharp - steep);
    return part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
}

// wanted() of some cells, with the greatest difference of densities between the two cells around
// each along an axis; beside walls and solids, where there is one, twice that to the other.
INLINE void want(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                 size_t at, int count, bool solid, float *restrict out)
{
    const float *restrict w = f->weight + at, *restrict share = f->share + at;
    const ptrdiff_t step[3] = {1, (ptrdiff_t)l->pitch, (ptrdiff_t)l->layer};
    float steep[CHUNK], per_rest = law->per_rest;
    for (int x = 0; x < count; x++) steep[x] = 0.0f;
    for (int c = 0; c < law->axes; c++) {
        ptrdiff_t s = step[c];
        for (int x = 0; x < count; x++) {
            float own = density_of(w[x], share[x], per_rest, solid, w[x] * per_rest);
            float low = density_of(w[x - s], share[x - s], per_rest, solid, own);
            float high = density_of(w[x + s], share[x + s], per_rest, solid, own);
            float off = high > low ? high - low : low - high;
            off = low == own || high == own ? off + off : off; // a wall mirrors the cell's own
            steep[x] = steep[x] > off ? steep[x] : off;
        }
    }
    for (int x = 0; x < count; x++) {
        float q = density_of(w[x], share[x], per_rest, solid, w[x] * per_rest);
        float asked = wanted(q), part = blunt_part(q, steep[x]);
        out[x] = asked < 0.0f ? part * asked : asked;
    }
}

// The greatest density of some cells, and which have pressure. Lanes of maxima, because the
// compiler does not take a greatest float by vectors.
INLINE float mark(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                  size_t at, int count, bool solid)
{
    const float *restrict w = f->weight + at, *restrict share = f->share + at;
    float *restrict b = l->b + at, *restrict has = l->p + at;
    float fill = law->fill, per_rest = law->per_rest, most[LANES] = {0};
    for (int x = 0; x < count; x += LANES) {
        float q[LANES] = {0};
        int some = count - x < LANES ? count - x : LANES;
        for (int i = 0; i < some; i++)
            q[i] = density_of(w[x + i], share[x + i], per_rest, solid, w[x + i] * per_rest);
        for (int i = 0; i < some; i++) {
            float free = solid ? share[x + i] : 1.0f;
            has[x + i] = free > RV_NARROW_CLOSED && q[i] > RV_NARROW_LEAST ? 1.0f : 0.0f;
            b[x + i] *= fill * free;
        }
        for (int i = 0; i < LANES; i++) most[i] = most[i] > q[i] ? most[i] : q[i];
    }
    for (int i = 1; i < LANES; i++) most[0] = most[0] > most[i] ? most[0] : most[i];
    return most[0];
}

INLINE float ask_of(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                    size_t at, int count, bool solid)
{
    const float *restrict share = f->share + at;
    float *restrict b = l->b + at;
    const ptrdiff_t step[3] = {1, (ptrdiff_t)l->pitch, (ptrdiff_t)l->layer};
    for (int x = 0; x < count; x += CHUNK)
        want(law, f, l, at + (size_t)x, count - x < CHUNK ? count - x : CHUNK, solid, b + x);
    float densest = mark(law, f, l, at, count, solid);
    for (int c = 0; c < law->axes; c++) {
        const float *restrict u = f->speed[c] + at, *restrict k = f->light[c] + at;
        float fall = law->fall[c];
        ptrdiff_t s = step[c];
        for (int x = 0; x < count; x++) {
            float low = u[x] + (k[x] > 0.0f ? fall : 0.0f);
            float high = u[x + s] + (k[x + s] > 0.0f ? fall : 0.0f);
            if (solid) {
                low *= face_share(share[x], share[x - s]);
                high *= face_share(share[x], share[x + s]);
            }
            b[x] -= high - low;
        }
    }
    return densest;
}

static float ask(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                 size_t at, int count, bool solid)
{
    return solid ? ask_of(law, f, l, at, count, true) : ask_of(law, f, l, at, count, false);
}

// ---- Velocities --------------------------------------------------------------------------------

// Change of velocity and velocity after it along axis c, of at most CHUNK cells.
INLINE void apply_axis(const rv_narrow_law *law, const rv_narrow_fields *f, const float *p_all,
                       int c, ptrdiff_t s, size_t at, int count, float *restrict change,
                       float *restrict after)
{
    const float *restrict p = p_all + at, *restrict u = f->speed[c] + at;
    const float *restrict k = f->light[c] + at;
    float fall = law->fall[c];
    for (int x = 0; x < count; x++) {
        float low = (k[x] > 0.0f ? fall : 0.0f) - k[x] * (p[x] - p[x - s]);
        float high = (k[x + s] > 0.0f ? fall : 0.0f) - k[x + s] * (p[x + s] - p[x]);
        change[x] = 0.5f * (low + high);
        after[x] = 0.5f * ((u[x] + low) + (u[x + s] + high));
    }
}

// How much of a cell's density is too much, between 0 and what may count.
INLINE float too_dense(float weight, float share, float per_rest, bool solid)
{
    float over = density_of(weight, share, per_rest, solid, 1.0f) - 1.0f;
    over = over < 0.0f ? 0.0f : over;
    return over > RV_NARROW_DENSE ? RV_NARROW_DENSE : over;
}

// Liquid is moved from cells that are too dense, along axis c, without getting a velocity by it.
INLINE void even_axis(const rv_narrow_law *law, const rv_narrow_fields *f, int c, ptrdiff_t s,
                      size_t at, int count, bool solid, float *restrict change,
                      float *restrict after)
{
    const float *restrict w = f->weight + at, *restrict share = f->share + at;
    const float *restrict k = f->light[c] + at;
    float half = 0.5f * law->even, hold = law->hold, per = law->per_rest;
    for (int x = 0; x < count; x++) {
        float own = too_dense(w[x], share[x], per, solid);
        float before = too_dense(w[x - s], share[x - s], per, solid);
        float next = too_dense(w[x + s], share[x + s], per, solid);
        float low = k[x] > 0.0f ? before - own : 0.0f, high = k[x + s] > 0.0f ? own - next : 0.0f;
        float way = half * (low + high);
        change[x] -= hold * way;
        after[x] += way;
    }
}

INLINE void apply_of(const rv_narrow_law *law, const rv_narrow_fields *f, const float *p,
                     const rv_splat_grid *g, size_t from, int count, int axes, bool solid)
{
    const ptrdiff_t step[3] = {1, (ptrdiff_t)g->pitch, (ptrdiff_t)g->layer};
    const int size = axes == 3 ? 4 : 2;
    float change[4][CHUNK], after[4][CHUNK];
    if (axes == 3) memset(change[3], 0, sizeof change[3]), memset(after[3], 0, sizeof after[3]);
    bool foams = axes == 3 && law->foam > 0.0f;
    for (int x0 = 0; x0 < count; x0 += CHUNK) {
        int some = count - x0 < CHUNK ? count - x0 : CHUNK;
        size_t at = from + (size_t)x0;
        for (int c = 0; c < axes; c++) {
            apply_axis(law, f, p, c, step[c], at, some, change[c], after[c]);
            even_axis(law, f, c, step[c], at, some, solid, change[c], after[c]);
        }
        for (int x = 0; x < some && foams; x++)
            after[3][x] = f->weight[at + (size_t)x] * law->per_rest;
        float *restrict cell = f->cell + at * (size_t)(2 * size);
        for (int x = 0; x < some; x++)
            for (int c = 0; c < size; c++) {
                cell[2 * size * x + c] = change[c][x];
                cell[2 * size * x + size + c] = after[c][x];
            }
    }
}

static void apply(const rv_narrow_law *law, const rv_narrow_fields *f, const float *p,
                  const rv_splat_grid *g, size_t at, int count, bool solid)
{
    if (law->axes == 3 && solid)
        apply_of(law, f, p, g, at, count, 3, true);
    else if (law->axes == 3)
        apply_of(law, f, p, g, at, count, 3, false);
    else
        apply_of(law, f, p, g, at, count, 2, solid);
}

// move_simd.c
void PASTE(rv_narrow_move_, RV_ISA)(const rv_narrow_law *law, const rv_splat_grid *g,
                                    const float *node, const rv_narrow_foaming *foaming,
                                    float *particle, int count, rv_splat_moved *out);
void PASTE(rv_narrow_flow_, RV_ISA)(const rv_narrow_law *law, const rv_splat_grid *g,
                                    const float *node, const rv_narrow_foaming *foaming,
                                    float *particle, int count, rv_splat_moved *out);

extern const rv_narrow_rows PASTE(rv_narrow_rows_, RV_ISA);
const rv_narrow_rows PASTE(rv_narrow_rows_, RV_ISA) = {
    .splat = splat,
    .blur_sums = blur_sums,
    .blur_nodes = blur_nodes,
    .faces = faces,
    .ask = ask,
    .apply = apply,
    .move = PASTE(rv_narrow_move_, RV_ISA),
    .flow = PASTE(rv_narrow_flow_, RV_ISA),
};
