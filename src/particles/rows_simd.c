// The loops of rows.h. This file is compiled once per instruction set with RV_ISA set to its name;
// contraction to fused multiply-add is off everywhere and sums have one order, so that all of them
// give the same bits. Loops over cells and particles are left to the compiler, but for the splat,
// where the lanes of a vector are the cells of a row.
#include "particles/rows.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

// Vectors are never passed between functions that are not one after inlining.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(64)));
typedef int32_t wholes __attribute__((vector_size(64)));
// the same in memory, wherever it begins
typedef float loose __attribute__((vector_size(64), aligned(4), may_alias));

#define WIDE 16 // floats of `lanes`, whatever the machine has

// ---- Splat --------------------------------------------------------------------------------------

// Particles of one bin lie in one row of RV_SPLAT_BIN cells, so all that they weigh on is in the 16
// cells around: their sums stay in registers until the bin is done, one layer of rows after the
// other. With a reach over four cells it takes two times 16.

INLINE lanes all(float a)
{
    return (lanes){a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a};
}

// Where a bin stands: first cell of its sums, its row and layer.
typedef struct bin_at {
    int x, a, b;
} bin_at;

// Particles of a bin that are taken together, and what their distances along the second axis take
// from 1 - d²/r², by row: the same in all layers.
#define TOGETHER 32
typedef float rows_of[2 * RV_SPLAT_REACH + 1];

// One layer, k cells over that of the bin, and `block` times 16 cells on, without the first and
// last `less` rows.
INLINE void splat_layer(const rv_splat_law *law, const rv_splat_grid *g, const float *particle,
                        rows_of *ea, int count, bin_at at, int k, int block, int axes, int reach,
                        int less, float *weight, float *const motion[3])
{
    const int size = axes == 3 ? 4 : 2;
    const float s = law->per_radius2;
    const lanes zero = {0}, middle = all((float)(at.x + WIDE * block)) +
                                     (lanes){0.5f, 1.5f, 2.5f,  3.5f,  4.5f,  5.5f,  6.5f,  7.5f,
                                             8.5f, 9.5f, 10.5f, 11.5f, 12.5f, 13.5f, 14.5f, 15.5f};
    lanes sum[2 * RV_SPLAT_REACH + 1][4];
    for (int r = less; r <= 2 * reach - less; r++)
        for (int c = 0; c <= axes; c++) sum[r][c] = zero;
    for (int i = 0; i < count; i++) {
        const float *p = particle + 2 * size * i;
        float db = axes == 3 ? (float)(at.b + k) + 0.5f - p[2] : 0.0f, eb = 1.0f - db * db * s;
        if (!(eb > 0.0f)) continue;
        lanes d = middle - all(p[0]), left = all(eb) - d * d * all(s);
        for (int r = less; r <= 2 * reach - less; r++) {
            lanes t = left - all(ea[i][r]);
            t = (lanes)((wholes)t & (t > zero));
            lanes w = t * t * t;
            sum[r][0] += w;
            for (int c = 0; c < axes; c++) sum[r][1 + c] += w * all(p[size + c]);
        }
    }
    for (int r = less; r <= 2 * reach - less; r++) {
        size_t to =
            g->origin + (size_t)(at.x + WIDE * block + (at.a + r - reach) * (ptrdiff_t)g->pitch +
                                 (at.b + k) * (ptrdiff_t)g->layer);
        *(loose *)(void *)(weight + to) += sum[r][0];
        for (int c = 0; c < axes; c++) *(loose *)(void *)(motion[c] + to) += sum[r][1 + c];
    }
}

INLINE void splat_bin(const rv_splat_law *law, const rv_splat_grid *g, const float *particle,
                      int all_count, int axes, int reach, float *weight, float *const motion[3])
{
    const int size = axes == 3 ? 8 : 4;
    int high = axes == 3 ? reach : 0, blocks = RV_SPLAT_BIN + 2 * reach > WIDE ? 2 : 1;
    // sums that begin four cells before the bin lie better in memory: see RV_SPLAT_MARGIN
    int before = reach <= 4 ? 4 : reach;
    bin_at at = {(int)particle[0] / RV_SPLAT_BIN * RV_SPLAT_BIN - before, (int)particle[1],
                 axes == 3 ? (int)particle[2] : 0};
    for (int first = 0; first < all_count; first += TOGETHER) {
        const float *p = particle + first * size;
        int count = all_count - first < TOGETHER ? all_count - first : TOGETHER;
        rows_of ea[TOGETHER];
        for (int i = 0; i < count; i++)
            for (int r = 0; r <= 2 * reach; r++) {
                float da = (float)(at.a + r - reach) + 0.5f - p[i * size + 1];
                ea[i][r] = da * da * law->per_radius2;
            }
        for (int k = -high; k <= high; k++)
            for (int block = 0; block < blocks; block++) {
                // the outermost rows of the outermost layers are over (reach - ½) √2 cells away
                if (axes == 3 && (k == high || k == -high))
                    splat_layer(law, g, p, ea, count, at, k, block, axes, reach, 1, weight, motion);
                else
                    splat_layer(law, g, p, ea, count, at, k, block, axes, reach, 0, weight, motion);
            }
    }
}

static void splat(const rv_splat_law *law, const rv_splat_grid *g, const float *particle, int count,
                  float *weight, float *const motion[3])
{
    const rv_splat_law own = *law; // a copy, so that stores to the grid cannot change it
    const rv_splat_grid grid = *g;
    float *const m[3] = {motion[0], motion[1], motion[2]};
    if (own.axes == 3 && own.reach == 3)
        splat_bin(&own, &grid, particle, count, 3, 3, weight, m);
    else if (own.axes == 3)
        splat_bin(&own, &grid, particle, count, 3, own.reach, weight, m);
    else if (own.reach == 3)
        splat_bin(&own, &grid, particle, count, 2, 3, weight, m);
    else
        splat_bin(&own, &grid, particle, count, 2, own.reach, weight, m);
}

// ---- Rows of the grid ---------------------------------------------------------------------------

static float mean(const rv_splat_law *law, const rv_splat_fields *f, size_t at, int count,
                  bool solid)
{
    const float *restrict weight = f->weight + at;
    float *restrict dense = f->dense + at, per_rest = law->per_rest, densest = 0.0f;
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
        for (int x = 0; x < count; x++) {
            float own = dense[x], most = own > RV_SPLAT_LIFT ? own : RV_SPLAT_LIFT;
            float whole = own * share[x];
            dense[x] = (whole < most ? whole : most) + extra[x];
        }
    }
    for (int x = 0; x < count; x++) densest = densest > dense[x] ? densest : dense[x];
    return densest;
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
    float fall = law->fall[c], push = law->push;
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

// ---- Particles ----------------------------------------------------------------------------------

// Sixteen particles at a time, each step of the work a loop over them that the compiler turns into
// vectors. Lanes past the last particle repeat it.

typedef float many[WIDE];

INLINE float within(float a, float low, float high)
{
    a = a > low ? a : low; // NaN becomes low
    return a < high ? a : high;
}

// Components `first` … of the nodes at sixteen places.
INLINE void sample(const rv_splat_grid *g, const float *restrict node, many *restrict place,
                   int axes, int first, int parts, many *restrict out)
{
    const int size = axes == 3 ? 8 : 4;
    const int pitch = (int)g->pitch * size, layer = (int)g->layer * size;
    const int origin = (int)g->origin * size + first;
    int32_t at[WIDE];
    many f[3];
    for (int l = 0; l < WIDE; l++) {
        float x = place[0][l] + 0.5f, y = place[1][l] + 0.5f;
        int i = (int)x, j = (int)y; // one more than the node before
        f[0][l] = x - (float)i, f[1][l] = y - (float)j;
        at[l] = origin + (i - 1) * size + (j - 1) * pitch;
    }
    for (int l = 0; l < WIDE && axes == 3; l++) {
        float z = place[2][l] + 0.5f;
        int k = (int)z;
        f[2][l] = z - (float)k, at[l] += (k - 1) * layer;
    }
    for (int c = 0; c < parts; c++)
        for (int l = 0; l < WIDE; l++) {
            const float *n = node + c;
            int i = at[l], h = i + layer;
            float a = n[i] + f[0][l] * (n[i + size] - n[i]);
            float b = n[i + pitch] + f[0][l] * (n[i + pitch + size] - n[i + pitch]);
            float low = a + f[1][l] * (b - a);
            if (axes == 3) {
                a = n[h] + f[0][l] * (n[h + size] - n[h]);
                b = n[h + pitch] + f[0][l] * (n[h + pitch + size] - n[h + pitch]);
                low = low + f[2][l] * (a + f[1][l] * (b - a) - low);
            }
            out[c][l] = low;
        }
}

// Where particles that go from `from` by `way` (m/s) end along axis c: within the grid, or up to
// two cells beyond a wall that is open. A wall takes the velocity into it.
INLINE void arrive(const rv_splat_law *law, int c, const many from, const many way, many next,
                   many u)
{
    bool open_low = law->open[c][0], open_high = law->open[c][1], plain = law->plain;
    float first = RV_SPLAT_INSET, last = law->high[c] - RV_SPLAT_INSET, move = law->move;
    float low = open_low ? -2.0f : first, high = open_high ? law->high[c] + 2.0f : last;
    float stop_low = open_low || plain ? -3.0f : first;
    float stop_high = open_high || plain ? law->high[c] + 3.0f : last;
    for (int l = 0; l < WIDE; l++) {
        float x = within(from[l] + move * way[l], low, high), v = u[l];
        v = x <= stop_low && v < 0.0f ? 0.0f : v;
        v = x >= stop_high && v > 0.0f ? 0.0f : v;
        next[l] = x, u[l] = v;
    }
}

INLINE void move_some(const rv_splat_law *law, const rv_splat_grid *g, const float *node,
                      float *particle, int count, int axes, rv_splat_moved *out)
{
    const int size = axes == 3 ? 4 : 2;
    float half = 0.5f * law->move, keep = 1.0f - law->pic, pic = law->pic;
    many x[3], u[3], v[8], mid[3], way[3], next[3], wrong = {0};
    for (int l = 0; l < WIDE; l++) {
        const float *p = particle + 2 * size * (l < count ? l : count - 1);
        for (int c = 0; c < axes; c++) x[c][l] = p[c], u[c][l] = p[size + c];
    }
    sample(g, node, x, axes, 0, size + axes, v);
    for (int c = 0; c < axes; c++)
        for (int l = 0; l < WIDE; l++) {
            float after = v[size + c][l];
            mid[c][l] = within(x[c][l] + half * after, 0.0f, law->high[c]);
            u[c][l] = pic * after + keep * (u[c][l] + (after - v[c][l]));
            wrong[l] += u[c][l] * 0.0f; // stays 0 for numbers
        }
    sample(g, node, mid, axes, size, axes, way);
    for (int c = 0; c < axes; c++) {
        for (int l = 0; l < WIDE; l++) wrong[l] += way[c][l] * 0.0f;
        arrive(law, c, x[c], way[c], next[c], u[c]);
    }
    for (int c = 0; c < axes; c++)
        for (int l = 0; l < WIDE; l++) { // what is no number stays where it is
            next[c][l] = wrong[l] == 0.0f ? next[c][l] : x[c][l];
            u[c][l] = wrong[l] == 0.0f ? u[c][l] : 0.0f;
        }
    for (int c = 0; c < axes; c++)
        for (int l = 0; l < WIDE; l++)
            way[0][l] = within(u[c][l] * u[c][l], c ? way[0][l] : 0.0f, 1e30f);
    for (int l = 0; l < count; l++) {
        float *p = particle + 2 * size * l;
        for (int c = 0; c < axes; c++) p[c] = next[c][l], p[size + c] = u[c][l];
        out->fastest = out->fastest > way[0][l] ? out->fastest : way[0][l];
        out->not_finite += !(wrong[l] == 0.0f);
    }
}

static void move(const rv_splat_law *law, const rv_splat_grid *g, const float *node,
                 float *particle, int count, rv_splat_moved *out)
{
    const rv_splat_law own = *law;
    const rv_splat_grid grid = *g;
    rv_splat_moved moved = *out;
    for (int i = 0; i < count; i += WIDE) {
        int some = count - i < WIDE ? count - i : WIDE;
        if (own.axes == 3)
            move_some(&own, &grid, node, particle + 8 * (size_t)i, some, 3, &moved);
        else
            move_some(&own, &grid, node, particle + 4 * (size_t)i, some, 2, &moved);
    }
    *out = moved;
}

// bins_simd.c
void PASTE(rv_splat_bins_, RV_ISA)(const rv_splat_grid *g, const float *particle, int count,
                                   uint32_t *bin);
int PASTE(rv_splat_near_, RV_ISA)(const rv_splat_grid *g, const float *solid, const float *particle,
                                  int count, uint32_t *list);

extern const rv_splat_rows PASTE(rv_splat_rows_, RV_ISA);
const rv_splat_rows PASTE(rv_splat_rows_, RV_ISA) = {
    .name = TEXT(RV_ISA),
    .splat = splat,
    .mean = mean,
    .smooth = smooth,
    .press = press,
    .force = force,
    .move = move,
    .bins = PASTE(rv_splat_bins_, RV_ISA),
    .near = PASTE(rv_splat_near_, RV_ISA),
};
