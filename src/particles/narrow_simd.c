// The loops of narrow.h. This file is compiled once per instruction set with RV_ISA set to its
// name; contraction to fused multiply-add is off everywhere and sums have one order, so that all of
// them give the same bits. Particles are taken one by one, the lanes of a vector are what a cell
// knows, or the axes; loops over cells are left to the compiler.
#include "particles/narrow.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define INLINE static inline __attribute__((always_inline))

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

#define CHUNK 64 // cells that are worked on together
#define LANES 16 // of maxima
#define TINY RV_SPLAT_TINY

INLINE four four_of(float a)
{
    return (four){a, a, a, a};
}

INLINE eight eight_of(float a)
{
    return (eight){a, a, a, a, a, a, a, a};
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
// jumps: the weights, their slopes, and the slot of the low corner.
INLINE size_t round_corner(const rv_splat_grid *g, const float *x, float wx[3], float wy[3],
                           float dx[3], float dy[3])
{
    int i = (int)x[0], j = (int)x[1];
    for (int c = 0; c < 2; c++) {
        float f = x[c] - (float)(c ? j : i) - 0.5f, low = 0.5f - f, high = 0.5f + f;
        float *w = c ? wy : wx, *d = c ? dy : dx;
        w[0] = 0.5f * low * low, w[1] = 0.75f - f * f, w[2] = 0.5f * high * high;
        d[0] = -low, d[1] = -2.0f * f, d[2] = high;
    }
    return (size_t)((ptrdiff_t)g->origin + (i - 1) + (j - 1) * (ptrdiff_t)g->pitch);
}

INLINE void splat_round(const rv_splat_grid *g, const float *p, float *sum)
{
    float wx[3], wy[3], dx[3], dy[3];
    float *to = sum + RV_NARROW_SUM * round_corner(g, p, wx, wy, dx, dy);
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

// Of the contraction that a cell may ask for, the share that it gets: a cell beside thin ones is
// thin because its kernel reaches out of the liquid, and must not be pulled together for that.
INLINE float inner_part(float least)
{
    const float per = 1.0f / (RV_NARROW_INNER - RV_NARROW_OPEN);
    float part = (least - RV_NARROW_OPEN) * per;
    return part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
}

// wanted() of some cells, with the least density around them.
INLINE void want(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                 size_t at, int count, bool solid, float *restrict out)
{
    const float *restrict w = f->weight + at, *restrict share = f->share + at;
    const ptrdiff_t step[3] = {1, (ptrdiff_t)l->pitch, (ptrdiff_t)l->layer};
    float least[CHUNK], per_rest = law->per_rest;
    for (int x = 0; x < count; x++) least[x] = 1.0f;
    for (int c = 0; c < law->axes; c++) {
        ptrdiff_t s = step[c];
        for (int x = 0; x < count; x++) {
            float low = density_of(w[x - s], share[x - s], per_rest, solid, 1.0f);
            float high = density_of(w[x + s], share[x + s], per_rest, solid, 1.0f);
            low = low < high ? low : high;
            least[x] = least[x] < low ? least[x] : low;
        }
    }
    for (int x = 0; x < count; x++) {
        float q = density_of(w[x], share[x], per_rest, solid, w[x] * per_rest);
        float asked = wanted(q), part = q > 1.0f - RV_NARROW_GAP ? inner_part(least[x]) : 1.0f;
        out[x] = asked < 0.0f ? part * asked : asked;
    }
}

// The greatest density of some cells, and which have pressure. Lanes of maxima, because the
// compiler does not take a greatest float by vectors.
INLINE float mark(const rv_narrow_law *law, const rv_narrow_fields *f, const rv_narrow_level *l,
                  size_t at, int count, bool solid)
{
    const float *restrict w = f->weight + at, *restrict share = f->share + at;
    float *restrict b = l->b + at, *restrict inverse = l->inverse + at;
    float fill = law->fill, per_rest = law->per_rest, most[LANES] = {0};
    for (int x = 0; x < count; x += LANES) {
        float q[LANES] = {0};
        int some = count - x < LANES ? count - x : LANES;
        for (int i = 0; i < some; i++)
            q[i] = density_of(w[x + i], share[x + i], per_rest, solid, w[x + i] * per_rest);
        for (int i = 0; i < some; i++) {
            float free = solid ? share[x + i] : 1.0f;
            inverse[x + i] = free > RV_NARROW_CLOSED && q[i] > RV_NARROW_LEAST ? 1.0f : 0.0f;
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

INLINE void join_of(const rv_narrow_fields *f, const rv_narrow_level *l, size_t at, int count,
                    bool solid)
{
    const float *restrict share = f->share + at, *restrict has = l->inverse + at;
    float *restrict diag = l->diag + at;
    const ptrdiff_t step[3] = {1, (ptrdiff_t)l->pitch, (ptrdiff_t)l->layer};
    for (int x = 0; x < count; x++) diag[x] = 0.0f;
    for (int c = 0; c < l->axes; c++) {
        const float *restrict k = f->light[c] + at;
        float *restrict joint = l->joint[c] + at;
        ptrdiff_t s = step[c];
        for (int x = 0; x < count; x++) {
            float low = k[x], high = k[x + s];
            if (solid) {
                low *= face_share(share[x], share[x - s]);
                high *= face_share(share[x], share[x + s]);
            }
            diag[x] += low + high;
            float both = has[x] * has[x - s]; // each is 0 or 1
            joint[x] = both * low;
        }
    }
}

static void join(const rv_narrow_fields *f, const rv_narrow_level *l, size_t at, int count,
                 bool solid)
{
    if (solid)
        join_of(f, l, at, count, true);
    else
        join_of(f, l, at, count, false);
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

// ---- Particles ----------------------------------------------------------------------------------

// A particle is moved along all axes at once, one in each lane; in a plane lanes 2 and 3 repeat 0
// and 1, in space lane 3 is 0 throughout; what foam needs is taken out of it first.
typedef int ints __attribute__((vector_size(16)));

#if defined(__clang__)
#define TURN(a, i, j, k, l) __builtin_shufflevector(a, a, i, j, k, l)
#else
#define TURN(a, i, j, k, l) __builtin_shuffle(a, (ints){i, j, k, l})
#endif

INLINE four four_at(const float *p)
{
    return *(const four *)(const void *)p;
}

INLINE four pick(ints mask, four a, four b)
{
    return (four)(((ints)a & mask) | ((ints)b & ~mask));
}

INLINE four within(four a, four low, four high)
{
    a = pick(a > low, a, low); // NaN becomes low
    return pick(a < high, a, high);
}

// Whether any lane is set.
INLINE bool any_of(ints mask)
{
    mask |= TURN(mask, 2, 3, 0, 1);
    return (mask[0] | mask[1]) != 0;
}

// What is the same for all particles. A particle stays within the grid, or up to two cells beyond a
// wall that is open; from a wall on the velocity into it is taken.
typedef struct lanes {
    float pic, own;
    four half, move, end;                // dt/(2 dx), dt/dx; cells, the other walls
    four low, high, stop_low, stop_high; // cells
    four fastest;                        // m²/s², of all so far
    int64_t not_finite;
    float foam, foam_left;
} lanes;

INLINE lanes lanes_of(const rv_narrow_law *law, int axes)
{
    const float far = 3e38f;
    lanes k = {
        .pic = law->pic, .own = 1.0f - law->pic, .foam = law->foam, .foam_left = law->foam_left};
    k.half = four_of(0.5f * law->move), k.move = four_of(law->move);
    for (int i = 0; i < 4; i++) {
        int c = axes == 3 ? i : i & 1;
        float first = RV_SPLAT_INSET, last = c < 3 ? law->high[c] - RV_SPLAT_INSET : 0.0f;
        if (c == 3) continue;
        k.end[i] = law->high[c];
        k.low[i] = law->open[c][0] ? -2.0f : first;
        k.high[i] = law->open[c][1] ? law->high[c] + 2.0f : last;
        k.stop_low[i] = law->open[c][0] ? -far : first;
        k.stop_high[i] = law->open[c][1] ? far : last;
    }
    return k;
}

// As corner().
INLINE size_t corner_of(const rv_splat_grid *g, four place, int axes, four *f)
{
    four y = place + four_of(0.5f);
    ints i = __builtin_convertvector(y, ints);
    *f = y - __builtin_convertvector(i, four);
    ptrdiff_t at = (ptrdiff_t)g->origin + (i[0] - 1) + (i[1] - 1) * (ptrdiff_t)g->pitch;
    if (axes == 3) at += (i[2] - 1) * (ptrdiff_t)g->layer;
    return (size_t)at;
}

// Moves a particle with the velocity u, by `way`. What is no number stays where it is.
INLINE void finish(lanes *k, four *place, four *u, four way)
{
    const four zero = four_of(0.0f);
    if (any_of((*u + way) * zero != zero)) {
        *u = zero;
        k->not_finite++;
        return;
    }
    four x = within(*place + k->move * way, k->low, k->high), v = *u;
    ints into = ((x <= k->stop_low) & (v < zero)) | ((x >= k->stop_high) & (v > zero));
    v = (four)((ints)v & ~into);
    four square = v * v;
    k->fastest = pick(square > k->fastest, square, k->fastest);
    *place = x, *u = v;
}

// Half way further than a particle's own weight reaches: there may be no liquid there whose
// velocity could be asked for, so it goes on as it began.
INLINE ints is_far(four from, four to, int axes)
{
    four off = to - from;
    ints far = (off > four_of(1.0f)) | (off < four_of(-1.0f));
    far |= TURN(far, 1, 0, 3, 2);
    return axes == 3 ? far | TURN(far, 2, 3, 0, 1) : far;
}

// The change in lanes 0 and 1, the velocity after it in 2 and 3.
INLINE four sample_plane(const rv_splat_grid *g, const float *node, four place)
{
    four f;
    const float *n = node + 4 * corner_of(g, place, 2, &f), *m = n + 4 * g->pitch;
    four fx = TURN(f, 0, 0, 0, 0), a = four_at(n), b = four_at(m);
    four low = a + fx * (four_at(n + 4) - a), high = b + fx * (four_at(m + 4) - b);
    return low + TURN(f, 1, 1, 1, 1) * (high - low);
}

INLINE void move_plane(lanes *k, const rv_splat_grid *g, const float *node, float *particle)
{
    four all = four_at(particle), place = TURN(all, 0, 1, 0, 1), u = TURN(all, 2, 3, 2, 3);
    four v = sample_plane(g, node, place), after = TURN(v, 2, 3, 2, 3);
    u = four_of(k->pic) * after + four_of(k->own) * (u + TURN(v, 0, 1, 0, 1));
    four mid = within(place + k->half * after, four_of(0.0f), k->end);
    four there = sample_plane(g, node, mid);
    finish(k, &place, &u, pick(is_far(place, mid, 2), after, TURN(there, 2, 3, 2, 3)));
    *(four *)(void *)particle = (four){place[0], place[1], u[0], u[1]};
}

INLINE eight sample8(const rv_splat_grid *g, const float *node, four place)
{
    four f;
    const float *n = node + 8 * corner_of(g, place, 3, &f);
    const eight *a = (const eight *)(const void *)n;
    const eight *b = (const eight *)(const void *)(n + 8 * g->pitch);
    const eight *c = (const eight *)(const void *)(n + 8 * g->layer);
    const eight *d = (const eight *)(const void *)(n + 8 * (g->layer + g->pitch));
    eight fx = eight_of(f[0]), fy = eight_of(f[1]), fz = eight_of(f[2]);
    eight ab = a[0] + fx * (a[1] - a[0]), bb = b[0] + fx * (b[1] - b[0]);
    eight cb = c[0] + fx * (c[1] - c[0]), db = d[0] + fx * (d[1] - d[0]);
    ab += fy * (bb - ab), cb += fy * (db - cb);
    return ab + fz * (cb - ab);
}

INLINE four sample_after(const rv_splat_grid *g, const float *node, four place)
{
    four f;
    const float *n = node + 8 * corner_of(g, place, 3, &f) + 4;
    const four *a = (const four *)(const void *)n;
    const four *b = (const four *)(const void *)(n + 8 * g->pitch);
    const four *c = (const four *)(const void *)(n + 8 * g->layer);
    const four *d = (const four *)(const void *)(n + 8 * (g->layer + g->pitch));
    four fx = TURN(f, 0, 0, 0, 0), fy = TURN(f, 1, 1, 1, 1), fz = TURN(f, 2, 2, 2, 2);
    four ab = a[0] + fx * (a[2] - a[0]), bb = b[0] + fx * (b[2] - b[0]);
    four cb = c[0] + fx * (c[2] - c[0]), db = d[0] + fx * (d[2] - d[0]);
    ab += fy * (bb - ab), cb += fy * (db - cb);
    return ab + fz * (cb - ab);
}

INLINE float share_of(float a)
{
    a = a > 0.0f ? a : 0.0f; // what is no number, too
    return a > 1.0f ? 1.0f : a;
}

// Foam of a particle after a substep. It comes where liquid strikes liquid, by the square of the
// velocity against that of its surroundings (trapped air, as Ihmsen and others 2012, "Unified
// Spray, Foam and Bubbles", have it), near the surface only; and in the air, where liquid is torn
// into less than a particle a cell. after[3] is the density there.
INLINE float foamed(const lanes *k, float air, four u, four change, four after)
{
    four off = u - (after - change), square = off * off, own = u * u;
    float against = square[0] + square[1] + square[2], speed = own[0] + own[1] + own[2];
    float near = share_of((RV_NARROW_UNDER - after[3]) * RV_NARROW_NEAR);
    float torn = share_of((RV_NARROW_TORN - after[3]) * RV_NARROW_NEAR);
    float struck = against * near + RV_NARROW_SPRAY * (speed * torn);
    float more = share_of(k->foam * (struck - RV_NARROW_STRUCK));
    air = share_of(air) * k->foam_left;
    return air + (1.0f - air) * more;
}

INLINE void move_space(lanes *k, const rv_splat_grid *g, const float *node, float *particle,
                       bool foams)
{
    four place = four_at(particle), u = four_at(particle + 4);
    eight v = sample8(g, node, place);
    four change = {v[0], v[1], v[2], v[3]}, after = {v[4], v[5], v[6], v[7]};
    float air = foams ? foamed(k, u[3], u, change, after) : 0.0f;
    u = four_of(k->pic) * after + four_of(k->own) * (u + change);
    u[3] = 0.0f;
    four mid = within(place + k->half * after, four_of(0.0f), k->end);
    four there = sample_after(g, node, mid);
    finish(k, &place, &u, pick(is_far(place, mid, 3), after, there));
    u[3] = air;
    *(four *)(void *)particle = place, *(four *)(void *)(particle + 4) = u;
}

// Form height: nodes are pressure times dt/dx, nothing, and velocity. The slope is that of the very
// kernel that was splatted.
INLINE void flow_one(lanes *k, const rv_splat_grid *g, const float *node, float *particle)
{
    float wx[3], wy[3], dx[3], dy[3];
    four all = four_at(particle), place = TURN(all, 0, 1, 0, 1), u = TURN(all, 2, 3, 2, 3);
    const float *n = node + 4 * round_corner(g, particle, wx, wy, dx, dy);
    four v = {0}, along = {0}, beside = {0};
    for (int j = 0; j < 3; j++) {
        const four *row = (const four *)(const void *)(n + 4 * (size_t)j * g->pitch);
        four sum = four_of(wx[0]) * row[0] + four_of(wx[1]) * row[1] + four_of(wx[2]) * row[2];
        four slope = four_of(dx[0]) * row[0] + four_of(dx[1]) * row[1] + four_of(dx[2]) * row[2];
        v += four_of(wy[j]) * sum;
        along += four_of(wy[j]) * slope, beside += four_of(dy[j]) * sum;
    }
    four down = {along[0], beside[0], along[0], beside[0]};
    u = four_of(k->pic) * TURN(v, 2, 3, 2, 3) + four_of(k->own) * u - down;
    finish(k, &place, &u, u);
    *(four *)(void *)particle = (four){place[0], place[1], u[0], u[1]};
}

INLINE void tell(const lanes *k, rv_splat_moved *out)
{
    for (int i = 0; i < 4; i++)
        out->fastest = out->fastest > k->fastest[i] ? out->fastest : k->fastest[i];
    out->not_finite += k->not_finite;
}

static void move(const rv_narrow_law *law, const rv_splat_grid *g, const float *node,
                 float *particle, int count, rv_splat_moved *out)
{
    const rv_splat_grid grid = *g; // a copy, so that stores to particles cannot change it
    lanes k = lanes_of(law, grid.axes);
    if (grid.axes == 3 && law->foam > 0.0f)
        for (int i = 0; i < count; i++) move_space(&k, &grid, node, particle + 8 * (size_t)i, true);
    else if (grid.axes == 3)
        for (int i = 0; i < count; i++)
            move_space(&k, &grid, node, particle + 8 * (size_t)i, false);
    else
        for (int i = 0; i < count; i++) move_plane(&k, &grid, node, particle + 4 * (size_t)i);
    tell(&k, out);
}

static void flow(const rv_narrow_law *law, const rv_splat_grid *g, const float *node,
                 float *particle, int count, rv_splat_moved *out)
{
    const rv_splat_grid grid = *g;
    lanes k = lanes_of(law, 2);
    for (int i = 0; i < count; i++) flow_one(&k, &grid, node, particle + 4 * (size_t)i);
    tell(&k, out);
}

extern const rv_narrow_rows PASTE(rv_narrow_rows_, RV_ISA);
const rv_narrow_rows PASTE(rv_narrow_rows_, RV_ISA) = {
    .splat = splat,
    .blur_sums = blur_sums,
    .blur_nodes = blur_nodes,
    .faces = faces,
    .ask = ask,
    .join = join,
    .apply = apply,
    .move = move,
    .flow = flow,
};
