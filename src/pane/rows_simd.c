// The loops of rows.h. This file is compiled once per instruction set with RV_ISA set to its name,
// and all of them give the same bits.
#define RV_SIMD
#include "pane/rows.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

// ---- Film ---------------------------------------------------------------------------------------

typedef struct beside {
    rv_f height; // m; the middle's own where the cell is not loose: nothing flows to or from there
    rv_f low;    // m, for erosion: beyond an edge the surface goes on down
} beside;

RV_INLINE rv_mask is_loose(const uint16_t *kind)
{
    return rv_f_above(rv_f_load_u16(kind), rv_f_set(1.5f));
}

// Two cells on either side of the middle. At an edge the slope is that on the inside, or down to
// the glass, whichever is steeper; a trail's edge would else creep the slower the thinner it is.
RV_INLINE void pair(rv_film_row row, int x, long step, rv_f middle, beside *a, beside *b)
{
    rv_mask loose_a = is_loose(row.kind + x - step), loose_b = is_loose(row.kind + x + step);
    a->height = rv_f_pick(loose_a, rv_f_load(row.height + x - step), middle);
    b->height = rv_f_pick(loose_b, rv_f_load(row.height + x + step), middle);
    rv_f zero = rv_f_set(0.0f), twice = middle + middle;
    a->low = rv_f_pick(loose_a, a->height, rv_f_min(zero, twice - b->height));
    b->low = rv_f_pick(loose_b, b->height, rv_f_min(zero, twice - a->height));
}

RV_INLINE rv_f fall(rv_f middle, beside a, beside b)
{
    return rv_f_max(rv_f_set(0.0f), middle - rv_f_min(a.low, b.low));
}

static void film(const rv_film_law *law_in, rv_film_row row, int count)
{
    const rv_film_law law = *law_in;
    rv_f axial = rv_f_set(law.smooth * (2.0f / 3.0f)), diagonal = rv_f_set(law.smooth / 6.0f);
    rv_f thick = rv_f_set(law.film), zero = rv_f_set(0.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_mask loose = is_loose(row.kind + x);
        rv_f h = rv_f_load(row.height + x);
        if (!rv_any(loose)) {
            rv_f_store(row.next + x, h);
            continue;
        }
        beside w, e, s, n, sw, ne, se, nw;
        pair(row, x, 1, h, &w, &e);
        pair(row, x, row.pitch, h, &s, &n);
        pair(row, x, row.pitch + 1, h, &sw, &ne);
        pair(row, x, row.pitch - 1, h, &se, &nw);
        rv_f four = rv_f_set(4.0f) * h;
        rv_f more = axial * (((w.height + e.height) + (s.height + n.height)) - four) +
                    diagonal * (((sw.height + ne.height) + (se.height + nw.height)) - four);
        rv_f along_x = fall(h, w, e), along_y = fall(h, s, n);
        rv_f slope = rv_f_sqrt(along_x * along_x + along_y * along_y);
        rv_f next = (h + more) - rv_f_set(law.erode) * slope;
        rv_f over = rv_f_max(zero, next - thick);
        next = rv_f_max(zero, next - (over - rv_f_set(law.kept) * over));
        rv_f_store(row.next + x, rv_f_pick(loose, next, h));
    }
}

// Plain loops over a group, which compilers turn into vectors; sums of whole numbers in any order.
static rv_written write_group(const float *next, int32_t drop, float thin, float cutoff,
                              float *height, uint16_t *kind, int32_t *id)
{
    float now[RV_GLASS_GROUP];
    int32_t loose[RV_GLASS_GROUP], left[RV_GLASS_GROUP], other = 0;
    rv_written sum = {0, 0};
    for (int i = 0; i < RV_GLASS_GROUP; i++) loose[i] = kind[i] >= RV_CELL_LOOSE ? -1 : 0;
    for (int i = 0; i < RV_GLASS_GROUP; i++) other |= loose[i] & (id[i] ^ drop);
    if (other != 0) return (rv_written){-1, 0};
    for (int i = 0; i < RV_GLASS_GROUP; i++) {
        now[i] = next[i] * thin;
        left[i] = now[i] >= cutoff ? loose[i] : 0;
        now[i] = left[i] ? now[i] : 0.0f;
    }
    for (int i = 0; i < RV_GLASS_GROUP; i++) {
        height[i] = loose[i] ? now[i] : height[i];
        id[i] |= loose[i] & ~left[i]; // -1 where it dried
        sum.units += (int32_t)(now[i] * 1e9f + 0.5f);
        sum.loose -= left[i];
    }
    for (int i = 0; i < RV_GLASS_GROUP; i++) {
        uint16_t after = (uint16_t)(left[i] & RV_CELL_LOOSE);
        kind[i] = loose[i] ? after : kind[i];
    }
    return sum;
}

// ---- Profile ------------------------------------------------------------------------------------

#define BLEND 0.35f   // width of the smooth union of caps, in u
#define NARROWS 0.55f // by how much of its width the rear narrows
#define LOWERS 0.35f  // and of its height
#define LEAN 0.1f     // the least that the sag leaves of a height

RV_INLINE rv_f smooth_most(rv_f a, rv_f b)
{
    rv_f over = rv_f_max(rv_f_set(0.0f), rv_f_set(BLEND) - rv_f_abs(a - b));
    return rv_f_max(a, b) + over * over * rv_f_set(0.25f / BLEND);
}

// χ(u), see shape.c; 0 where u is not positive.
RV_INLINE rv_f cap_height(const rv_profile *q, rv_f u)
{
    rv_f zero = rv_f_set(0.0f), square = rv_f_set(q->sine * q->sine) * rv_f_max(zero, u);
    rv_f root = rv_f_sqrt(rv_f_set(q->cosine * q->cosine) + square);
    rv_f height = (root - rv_f_set(q->cosine)) * rv_f_set(1.0f / q->sine);
    return rv_f_pick(rv_f_above(u, zero), height, zero);
}

RV_INLINE rv_f resting(const rv_profile *q, rv_f x, rv_f y, rv_f over, rv_f along)
{
    rv_f u = rv_f_set(0.0f);
    for (int k = 0; k < q->caps; k++) {
        rv_f dx = (x - rv_f_set(q->x[k])) * over, dy = (y - rv_f_set(q->y[k])) * over;
        rv_f one = rv_f_set(q->size[k] * q->size[k]) - (dx * dx + dy * dy);
        u = k == 0 ? one : smooth_most(u, one);
    }
    rv_f lean = rv_f_max(rv_f_set(LEAN), rv_f_set(1.0f) + rv_f_set(q->sag) * along);
    return cap_height(q, u) * lean;
}

RV_INLINE rv_f running(const rv_profile *q, rv_f along, rv_f across)
{
    rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f);
    rv_f ahead = rv_f_max(along, zero);
    rv_f back = rv_f_max(zero, zero - along) * rv_f_set(1.0f / q->stretch);
    rv_f width = one - rv_f_set(NARROWS * (q->stretch - 1.0f) / q->stretch) * rv_f_min(one, back);
    rv_f side = across / width, far = ahead + back; // one of them is 0
    rv_f lean = one + rv_f_set(q->sag) * (ahead - back);
    rv_f height = cap_height(q, one - (far * far + side * side)) * lean;
    height = height * (one - rv_f_set(LOWERS) * rv_f_min(one, back));
    return rv_f_pick(rv_f_above(rv_f_set(-1.0f), along), zero - height, height);
}

// A puddle is as high as its weight lets it be: v (1 + (v/most)⁸)^(-1/8).
RV_INLINE rv_f flattened(rv_f v, float most)
{
    rv_f r = v * rv_f_set(1.0f / most), r2 = r * r, r4 = r2 * r2;
    return v / rv_f_sqrt(rv_f_sqrt(rv_f_sqrt(rv_f_set(1.0f) + r4 * r4)));
}

static void profile(const rv_profile *q_in, float x, float y, float dx, float *out, int count)
{
    const rv_profile q = *q_in;
    static const float steps[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    rv_f over = rv_f_set(1.0f / q.radius), py = rv_f_set(y), way_x = rv_f_set(q.way_x);
    rv_f way_y = rv_f_set(q.way_y), step = rv_f_load(steps);
    for (int i = 0; i < count; i += RV_LANES) {
        rv_f px = rv_f_set(x) + (rv_f_set((float)i) + step) * rv_f_set(dx);
        rv_f along = (px * way_x + py * way_y) * over, across = (py * way_x - px * way_y) * over;
        rv_f v = q.runs ? running(&q, along, across) : resting(&q, px, py, over, along);
        rv_f_store(out + i, q.most > 0.0f ? flattened(v, q.most) : v);
    }
}

const rv_glass_rows PASTE(rv_glass_rows_, RV_ISA);
const rv_glass_rows PASTE(rv_glass_rows_, RV_ISA) = {TEXT(RV_ISA), film, write_group, profile};
