// The loops of rv_pressure_rows (narrow.h): relaxing, what is left, and the way between two levels
// of the multigrid (pressure.c). Compiled once per instruction set, with RV_ISA set to its name;
// all of them give the same bits. A row is taken RV_LANES cells at a time, the last of which may
// lie beyond its end: cells there have no pressure, and keep none.
#define RV_SIMD
#include "base/simd.h"
#include "particles/narrow.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define INLINE static inline __attribute__((always_inline))

#define CHUNK 64 // cells that are worked on together

_Static_assert(RV_LANES <= RV_NARROW_BEYOND, "rows have more room than a vector");

// ---- The finest level ---------------------------------------------------------------------------

// As in narrow_simd.c.
INLINE rv_f face_share(rv_f a, rv_f b)
{
    rv_f both = rv_f_set(0.5f) * (a + b);
    return rv_f_pick(rv_f_above(rv_f_min(a, b), rv_f_set(RV_NARROW_CLOSED)), both, rv_f_set(0.0f));
}

INLINE void join_of(const rv_narrow_fields *f, const rv_narrow_level *l, size_t from, int count,
                    bool solid, int axes)
{
    const size_t step[3] = {1, l->pitch, l->layer};
    const rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        size_t at = from + (size_t)x;
        rv_f diag = zero, share = solid ? rv_f_load(f->share + at) : one;
        rv_mask has = rv_f_above(rv_f_load(l->p + at), zero);
        for (int c = 0; c < axes; c++) {
            size_t s = step[c];
            rv_f low = rv_f_load(f->light[c] + at), high = rv_f_load(f->light[c] + at + s);
            if (solid) {
                low = low * face_share(share, rv_f_load(f->share + at - s));
                high = high * face_share(share, rv_f_load(f->share + at + s));
            }
            diag = diag + (low + high);
            rv_mask before = rv_f_above(rv_f_load(l->p + at - s), zero);
            rv_f_store(l->joint[c] + at, rv_f_pick(has, rv_f_pick(before, low, zero), zero));
        }
        rv_mask some = rv_f_above(diag, zero);
        rv_f per = rv_f_pick(some, one / rv_f_pick(some, diag, one), zero);
        rv_f_store(l->diag + at, diag);
        rv_f_store(l->inverse + at, rv_f_pick(has, per, zero));
    }
}

static void join(const rv_narrow_fields *f, const rv_narrow_level *l, size_t at, int count,
                 bool solid)
{
    if (l->axes == 3 && solid)
        join_of(f, l, at, count, true, 3);
    else if (l->axes == 3)
        join_of(f, l, at, count, false, 3);
    else if (solid)
        join_of(f, l, at, count, true, 2);
    else
        join_of(f, l, at, count, false, 2);
}

// ---- Relaxing -----------------------------------------------------------------------------------

// b + Σ joint p of the neighbours across the row, RV_LANES cells from slot `at` on.
INLINE rv_f pull_across(const rv_narrow_level *l, size_t at, int axes)
{
    const float *jy = l->joint[1] + at, *p = l->p + at;
    size_t pitch = l->pitch, layer = l->layer;
    rv_f t = rv_f_load(l->b + at) +
             (rv_f_load(jy) * rv_f_load(p - pitch) + rv_f_load(jy + pitch) * rv_f_load(p + pitch));
    if (axes == 2) return t;
    const float *jz = l->joint[2] + at;
    return t +
           (rv_f_load(jz) * rv_f_load(p - layer) + rv_f_load(jz + layer) * rv_f_load(p + layer));
}

// The same along it; `low`: the pressures before theirs.
INLINE rv_f pull_along(const rv_narrow_level *l, size_t at, rv_f low)
{
    const float *jx = l->joint[0] + at;
    return rv_f_load(jx) * low + rv_f_load(jx + 1) * rv_f_load(l->p + at + 1);
}

INLINE rv_f relaxed(rv_f own, rv_f pull, rv_f inverse, rv_f part, bool floor)
{
    rv_f v = own + part * (pull * inverse - own);
    return floor ? rv_f_max(v, rv_f_set(0.0f)) : v;
}

#if RV_LANES > 1

// A vector of cells of which the even ones are relaxed, and what the odd ones need for it.
typedef struct half_done {
    rv_f p, across, low, high, inverse; // low, high: conductances along the row
} half_done;

// `before`: the pressures one cell before these.
INLINE half_done relax_evens(const rv_narrow_level *l, size_t at, rv_f before, rv_f own, rv_f part,
                             rv_mask odd, bool floor, int axes)
{
    half_done h = {.across = pull_across(l, at, axes),
                   .low = rv_f_load(l->joint[0] + at),
                   .high = rv_f_load(l->joint[0] + at + 1),
                   .inverse = rv_f_load(l->inverse + at)};
    rv_f along = h.low * before + h.high * rv_f_load(l->p + at + 1);
    h.p = rv_f_pick(odd, own, relaxed(own, h.across + along, h.inverse, part, floor));
    return h;
}

INLINE rv_f relax_odds(const half_done *h, rv_f next, rv_f part, rv_mask odd, bool floor)
{
    rv_f along = h->low * rv_f_evens(h->p) + h->high * rv_f_evens_after(h->p, next);
    return rv_f_pick(odd, relaxed(h->p, h->across + along, h->inverse, part, floor), h->p);
}

// Every second cell of CHUNK of them, then the others, which see what came of the first. The even
// cells of the next vector are relaxed before the odd ones of this, all of it in registers.
INLINE void relax_of(const rv_narrow_level *level, size_t from, int count, float omega, bool floor,
                     int axes)
{
    const rv_narrow_level l = *level; // a copy, so that stores to pressures cannot change it
    const rv_f part = rv_f_set(omega);
    float turn[RV_LANES];
    for (int i = 0; i < RV_LANES; i++) turn[i] = (float)(i & 1);
    const rv_mask odd = rv_f_above(rv_f_load(turn), rv_f_set(0.0f));
    rv_f before = rv_f_load(l.p + from - 1), own = rv_f_load(l.p + from), last = own;
    for (int x0 = 0; x0 < count; x0 += CHUNK) {
        int some = count - x0 < CHUNK ? count - x0 : CHUNK;
        size_t at = from + (size_t)x0, end = at + (size_t)some;
        // what was stored last is not read from memory: a load across it would have to wait for it
        if (x0 > 0) before = rv_f_behind(last, own);
        half_done now = relax_evens(&l, at, before, own, part, odd, floor, axes);
        for (; at + RV_LANES < end; at += RV_LANES) {
            const float *p = l.p + at + RV_LANES;
            half_done next = relax_evens(&l, at + RV_LANES, rv_f_load(p - 1), rv_f_load(p), part,
                                         odd, floor, axes);
            rv_f_store(l.p + at, relax_odds(&now, next.p, part, odd, floor));
            now = next;
        }
        own = rv_f_load(l.p + at + RV_LANES); // as they were before
        last = relax_odds(&now, own, part, odd, floor);
        rv_f_store(l.p + at, last);
    }
}

#else

INLINE void relax_of(const rv_narrow_level *l, size_t from, int count, float omega, bool floor,
                     int axes)
{
    for (int x0 = 0; x0 < count; x0 += CHUNK) {
        int some = count - x0 < CHUNK ? count - x0 : CHUNK;
        for (int k = 0; k < 2; k++)
            for (int x = k; x < some; x += 2) {
                size_t at = from + (size_t)(x0 + x);
                float t = pull_across(l, at, axes) + pull_along(l, at, l->p[at - 1]);
                l->p[at] = relaxed(l->p[at], t, l->inverse[at], omega, floor);
            }
    }
}

#endif

static void relax(const rv_narrow_level *l, size_t at, int count, float omega, bool floor)
{
    if (l->axes == 3 && floor)
        relax_of(l, at, count, omega, true, 3);
    else if (l->axes == 3)
        relax_of(l, at, count, omega, false, 3);
    else if (floor)
        relax_of(l, at, count, omega, true, 2);
    else
        relax_of(l, at, count, omega, false, 2);
}

// ---- What is left -------------------------------------------------------------------------------

INLINE float greatest(rv_f all)
{
    float each[RV_LANES], most = 0.0f;
    rv_f_store(each, all);
    for (int i = 0; i < RV_LANES; i++) most = most > each[i] ? most : each[i];
    return most;
}

INLINE float leave_of(const rv_narrow_level *level, size_t from, int count, bool floor,
                      float *restrict sum, int axes)
{
    const rv_narrow_level l = *level;
    const rv_f zero = rv_f_set(0.0f);
    rv_f most = zero;
    for (int x0 = 0; x0 < count; x0 += CHUNK) {
        int some = count - x0 < CHUNK ? count - x0 : CHUNK;
        float left[CHUNK + RV_LANES];
        for (int x = 0; x < some; x += RV_LANES) {
            size_t at = from + (size_t)(x0 + x);
            rv_f p = rv_f_load(l.p + at);
            rv_f t = pull_across(&l, at, axes) + pull_along(&l, at, rv_f_load(l.p + at - 1));
            rv_f r = t - rv_f_load(l.diag + at) * p;
            // where pressure is 0 and may not fall, only what lifts it counts
            if (floor) r = rv_f_pick(rv_f_above(p, zero), r, rv_f_max(r, zero));
            r = rv_f_pick(rv_f_above(rv_f_load(l.inverse + at), zero), r, zero);
            rv_f_store(left + x, r);
            most = rv_f_max(most, rv_f_max(r, zero - r));
        }
        for (int x = 0; x < some / 2; x++) sum[x0 / 2 + x] += left[2 * x] + left[2 * x + 1];
    }
    return greatest(most);
}

static float leave(const rv_narrow_level *l, size_t at, int count, bool floor, float *sum)
{
    return l->axes == 3 ? leave_of(l, at, count, floor, sum, 3)
                        : leave_of(l, at, count, floor, sum, 2);
}

// ---- Coarser levels -----------------------------------------------------------------------------

// What some small cells add to large ones, by small cell.
typedef struct share_out {
    float rest[CHUNK + RV_LANES], own[CHUNK + RV_LANES]; // conductance to where no pressure is; 1
    float joint[3][CHUNK + RV_LANES];                    // of low faces, half of it
} share_out;

INLINE void give(const rv_narrow_level *f, const float *mark, size_t from, int count, int axes,
                 share_out *out)
{
    const size_t step[3] = {1, f->pitch, f->layer};
    const rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f), half = rv_f_set(0.5f);
    for (int x = 0; x < count; x += RV_LANES) {
        size_t at = from + (size_t)x;
        rv_mask has = rv_f_above(rv_f_load(mark + at), zero);
        rv_f sum = zero;
        for (int c = 0; c < axes; c++) {
            size_t s = step[c];
            rv_f low = rv_f_load(f->joint[c] + at), high = rv_f_load(f->joint[c] + at + s);
            low = rv_f_pick(rv_f_above(rv_f_load(mark + at - s), zero), low, zero);
            high = rv_f_pick(rv_f_above(rv_f_load(mark + at + s), zero), high, zero);
            sum = sum + (low + high);
            rv_f_store(out->joint[c] + x, rv_f_pick(has, half * low, zero));
        }
        rv_f left = rv_f_set(RV_NARROW_EDGE) * (rv_f_load(f->diag + at) - sum);
        left = rv_f_pick(rv_f_above(left, zero), left, zero);
        rv_f_store(out->rest + x, rv_f_pick(has, left, zero));
        rv_f_store(out->own + x, rv_f_pick(has, one, zero));
    }
}

INLINE void add_pairs(const float *restrict from, int count, float *restrict to)
{
    for (int x = 0; x < count; x++) to[x] += from[2 * x] + from[2 * x + 1];
}

INLINE void coarsen_some(const rv_narrow_level *f, const float *mark, size_t at, int count,
                         const bool odd[3], const rv_narrow_level *l, size_t to)
{
    share_out out;
    if (f->axes == 3)
        give(f, mark, at, count, 3, &out);
    else
        give(f, mark, at, count, 2, &out);
    add_pairs(out.rest, count / 2, l->diag + to);
    add_pairs(out.own, count / 2, l->inverse + to);
    float *restrict along = l->joint[0] + to;
    for (int x = 0; x < count / 2; x++) along[x] += out.joint[0][2 * x];
    for (int c = 1; c < f->axes; c++)
        if (!odd[c]) add_pairs(out.joint[c], count / 2, l->joint[c] + to);
}

static void coarsen(const rv_narrow_level *f, bool pressed, size_t at, int count, bool odd_y,
                    bool odd_z, const rv_narrow_level *l, size_t to)
{
    const bool odd[3] = {false, odd_y, odd_z};
    for (int x = 0; x < count; x += CHUNK)
        coarsen_some(f, pressed ? f->p : f->inverse, at + (size_t)x,
                     count - x < CHUNK ? count - x : CHUNK, odd, l, to + (size_t)(x / 2));
}

// Pressures of large cells at the middles of the small ones of a row, between the large cells that
// they are joined to. odd_y, odd_z: the row is the upper one of its large cells along that axis.
INLINE void spread(const rv_narrow_level *l, size_t from, int count, bool odd_y, bool odd_z,
                   float *restrict each)
{
    const float *restrict p = l->p + from, *restrict jx = l->joint[0] + from;
    const float *restrict jy = l->joint[1] + from + (odd_y ? l->pitch : 0);
    const float *restrict py = odd_y ? p + l->pitch : p - l->pitch;
    float base[CHUNK / 2];
    for (int x = 0; x < count; x++) base[x] = p[x] + (jy[x] > 0.0f ? 0.25f * (py[x] - p[x]) : 0.0f);
    if (l->axes == 3) {
        const float *restrict jz = l->joint[2] + from + (odd_z ? l->layer : 0);
        const float *restrict pz = odd_z ? p + l->layer : p - l->layer;
        for (int x = 0; x < count; x++) base[x] += jz[x] > 0.0f ? 0.25f * (pz[x] - p[x]) : 0.0f;
    }
    for (int x = 0; x < count; x++) {
        each[2 * x] = base[x] + (jx[x] > 0.0f ? 0.25f * (p[x - 1] - p[x]) : 0.0f);
        each[2 * x + 1] = base[x] + (jx[x + 1] > 0.0f ? 0.25f * (p[x + 1] - p[x]) : 0.0f);
    }
}

static void correct(const rv_narrow_level *f, bool floor, bool pressed, float part, size_t from,
                    int count, const rv_narrow_level *l, size_t large, bool odd_y, bool odd_z)
{
    const rv_f zero = rv_f_set(0.0f), share = rv_f_set(part);
    for (int x0 = 0; x0 < count; x0 += CHUNK) {
        int some = count - x0 < CHUNK ? count - x0 : CHUNK;
        float each[CHUNK + RV_LANES] = {0};
        spread(l, large + (size_t)(x0 / 2), some / 2, odd_y, odd_z, each);
        for (int x = 0; x < some; x += RV_LANES) {
            float *p = f->p + from + x0 + x;
            rv_f own = rv_f_load(p), v = own + share * rv_f_load(each + x);
            rv_f has = pressed ? own : rv_f_load(f->inverse + from + x0 + x);
            if (floor) v = rv_f_max(v, zero);
            rv_f_store(p, rv_f_pick(rv_f_above(has, zero), v, zero));
        }
    }
}

// `diag` holds the conductance to cells without pressure, `inverse` marks those that have some.
static void diagonal(const rv_narrow_level *l, size_t from, int count)
{
    const size_t step[3] = {1, l->pitch, l->layer};
    const rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        size_t at = from + (size_t)x;
        rv_f sum = rv_f_load(l->diag + at), has = rv_f_load(l->inverse + at);
        for (int c = 0; c < l->axes; c++)
            sum = sum + (rv_f_load(l->joint[c] + at) + rv_f_load(l->joint[c] + at + step[c]));
        rv_f_store(l->diag + at, sum);
        has = rv_f_pick(rv_f_above(sum, zero), has, zero);
        rv_f per = one / rv_f_pick(rv_f_above(has, zero), sum, one);
        rv_f_store(l->inverse + at, rv_f_pick(rv_f_above(has, zero), per, zero));
    }
}

extern const rv_pressure_rows PASTE(rv_pressure_rows_, RV_ISA);
const rv_pressure_rows PASTE(rv_pressure_rows_, RV_ISA) = {
    .join = join,
    .relax = relax,
    .leave = leave,
    .coarsen = coarsen,
    .correct = correct,
    .diagonal = diagonal,
};
