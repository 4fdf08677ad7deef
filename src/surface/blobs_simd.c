// The loops of blobs_inside.h.
#define RV_SIMD
#include "surface/blobs_inside.h"

#include "base/simd.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define SIDE RV_BLOB_SIDE

_Static_assert(RV_BLOB_SLICE % RV_LANES == 0, "a slice is some vectors");

// Of the samples of a slice, how far a droplet is along x and y, and the square of both.
typedef struct slice {
    float dx[RV_BLOB_SLICE], dy[RV_BLOB_SLICE], square[RV_BLOB_SLICE];
} slice;

// Of the rows that it reaches only; a vector may hold a row more.
RV_INLINE void measure(slice *s, const rv_blob_grain *g, int from, int to)
{
    float dx[SIDE], xx[SIDE];
    for (int x = 0; x < SIDE; x++) dx[x] = g->at[0] - (float)x, xx[x] = dx[x] * dx[x];
    for (int n = from; n < to; n += SIDE) {
        float dy = g->at[1] - (float)(n / SIDE), yy = dy * dy;
        for (int x = 0; x < SIDE; x++)
            s->dx[n + x] = dx[x], s->dy[n + x] = dy, s->square[n + x] = xx[x] + yy;
    }
}

RV_INLINE void add_at(float *sum, rv_f more)
{
    rv_f_store(sum, rv_f_load(sum) + more);
}

static void add(rv_blob_brick *b, const rv_blob_grain *g)
{
    slice s;
    const int step = RV_LANES > SIDE ? RV_LANES : SIDE;
    const int from = g->low[1] * SIDE / step * step;
    const int to = ((g->high[1] + 1) * SIDE + step - 1) / step * step;
    const rv_f one = rv_f_set(1.0f), none = rv_f_set(0.0f);
    const rv_f per = rv_f_set(1.0f / (RV_BLOB_FAR * RV_BLOB_FAR)), r = rv_f_set(g->radius);
    const rv_f u = rv_f_set(g->velocity[0]), v = rv_f_set(g->velocity[1]);
    const rv_f vz = rv_f_set(g->velocity[2]);
    measure(&s, g, from, to);
    for (int z = g->low[2]; z <= g->high[2]; z++) {
        float up = g->at[2] - (float)z;
        rv_f dz = rv_f_set(up), square = rv_f_set(up * up);
        for (int n = from; n < to; n += RV_LANES) {
            rv_f q = one - (rv_f_load(s.square + n) + square) * per;
            if (!rv_any(rv_f_above(q, none))) continue;
            q = rv_f_max(q, none);
            rv_f w = q * q * q;
            int at = z * RV_BLOB_SLICE + n;
            add_at(b->sum[RV_BLOB_W] + at, w);
            add_at(b->sum[RV_BLOB_X] + at, w * rv_f_load(s.dx + n));
            add_at(b->sum[RV_BLOB_Y] + at, w * rv_f_load(s.dy + n));
            add_at(b->sum[RV_BLOB_Z] + at, w * dz);
            add_at(b->sum[RV_BLOB_R] + at, w * r);
            add_at(b->sum[RV_BLOB_U] + at, w * u);
            add_at(b->sum[RV_BLOB_V] + at, w * v);
            add_at(b->sum[RV_BLOB_VZ] + at, w * vz);
        }
    }
}

static void phi(rv_blob_brick *b)
{
    const rv_f least = rv_f_set(1e-6f), one = rv_f_set(1.0f), far = rv_f_set(RV_BLOB_FAR);
    for (int n = 0; n < RV_BLOB_SAMPLES; n += RV_LANES) {
        rv_f w = rv_f_load(b->sum[RV_BLOB_W] + n);
        rv_mask some = rv_f_above(w, least);
        rv_f per = one / rv_f_pick(some, w, one);
        rv_f x = rv_f_load(b->sum[RV_BLOB_X] + n) * per, y = rv_f_load(b->sum[RV_BLOB_Y] + n) * per;
        rv_f z = rv_f_load(b->sum[RV_BLOB_Z] + n) * per, r = rv_f_load(b->sum[RV_BLOB_R] + n) * per;
        rv_f_store(b->phi + n, rv_f_pick(some, rv_f_sqrt(x * x + y * y + z * z) - r, far));
    }
    for (int n = 0; n < RV_BLOB_SLICE; n++) {
        const float *row = b->phi + SIDE * n;
        unsigned bits = 0;
        for (int x = 0; x < SIDE; x++) bits |= (unsigned)(row[x] < 0.0f) << x;
        b->under[n / SIDE][n % SIDE] = (uint8_t)bits;
    }
}

// Four floats on any machine that this is compiled for.
typedef float four __attribute__((vector_size(16)));

RV_INLINE four load_four(const float *p)
{
    four a;
    __builtin_memcpy(&a, p, sizeof a);
    return a;
}

static void even(const rv_blob_work *w, const float *from, float *to, float share, size_t first,
                 size_t last)
{
    for (size_t n = first; n < last; n++) {
        const int32_t *beside = w->beside + w->first_of[n], *end = w->beside + w->first_of[n + 1];
        four own = load_four(from + 4 * n), sum = {0.0f, 0.0f, 0.0f, 0.0f};
        float per = end > beside ? 1.0f / (float)(end - beside) : 0.0f;
        float part = end > beside ? share * w->part[n] : 0.0f;
        for (; beside < end; beside++) sum += load_four(from + 4 * (size_t)*beside);
        own += part * (sum * per - own);
        __builtin_memcpy(to + 4 * n, &own, sizeof own);
    }
}

const rv_blob_loops PASTE(rv_blob_loops_, RV_ISA);
const rv_blob_loops PASTE(rv_blob_loops_, RV_ISA) = {.add = add, .phi = phi, .even = even};
