// The loops of rows.h, written so that the compiler makes vectors of them.
#define RV_SIMD
#include "surface/rows.h"

#include "base/simd.h"

#include <math.h>
#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

#define GROUP 16
#define CHUNK 1024 // columns at once in sums of bytes, which count to 255

// Eight bytes are worked on as one word: all of them hold bits, and no operation carries from one
// to the next.
typedef uint64_t bytes;
#define EACH(bits) ((bits)*UINT64_C(0x0101010101010101))
#define ONE EACH(1)

RV_INLINE bytes load(const uint8_t *p)
{
    bytes word;
    memcpy(&word, p, sizeof word);
    return word;
}

RV_INLINE void store(uint8_t *p, bytes word)
{
    memcpy(p, &word, sizeof word);
}

RV_INLINE int sum(bytes word)
{
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) + (word >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return (int)(word * UINT64_C(0x0001000100010001) >> 48);
}

// ---- Levels, links, kinds -----------------------------------------------------------------------

static bool wet(const float *restrict depth, float film, int n, int *from, int *to)
{
    int a = 0, b = n;
    rv_f least = rv_f_set(film);
    while (a + RV_LANES <= n && !rv_any(rv_f_above(rv_f_load(depth + a), least))) a += RV_LANES;
    while (a < n && !(depth[a] > film)) a++;
    if (a == n) return false;
    while (b - RV_LANES >= a && !rv_any(rv_f_above(rv_f_load(depth + b - RV_LANES), least)))
        b -= RV_LANES;
    while (!(depth[b - 1] > film)) b--;
    *from = a, *to = b;
    return true;
}

static bool there(const float *restrict base, const float *restrict max)
{
    bool any = false;
    for (int x = 0; x < GROUP; x += RV_LANES)
        any |= rv_any(rv_f_above(rv_f_load(max + x), rv_f_load(base + x)));
    return any;
}

static void levels(const float *restrict base, const float *restrict depth,
                   const float *restrict over, int n, float *restrict level, float *restrict z)
{
    for (int g = 0; g < n; g += GROUP) {
        for (int x = g; x < g + GROUP; x++) {
            float d = depth[x] > 0.0f ? depth[x] : 0.0f;
            float h = base[x] + d, floor = base[x] + over[x];
            level[x] = h;
            z[x] = h > floor ? h : floor;
        }
    }
}

// Bit where a level is in the range of a column.
#define HOLDS(h, low, high, bit) ((((h) >= (low)) & ((h) < (high))) ? (bit) : 0)

RV_INLINE void links_of(const rv_link_view *row, float film, int n, uint8_t *restrict bits,
                        uint8_t *restrict held, bool with_held)
{
    const float *restrict level = row->level, *restrict min = row->min, *restrict max = row->max;
    const float *restrict base = row->base, *restrict depth = row->depth;
    const float *restrict level_up = row->level_above, *restrict min_up = row->min_above;
    const float *restrict max_up = row->max_above;
    for (int g = 0; g < n; g += GROUP) {
        int32_t wide[GROUP], wide_held[GROUP];
        for (int k = 0; k < GROUP; k++) {
            int x = g + k;
            float h = level[x], low = min[x], high = max[x];
            int32_t there = HOLDS(h, min[x + 1], max[x + 1], RV_BIT_E) |
                            HOLDS(h, min_up[x + 1], max_up[x + 1], RV_BIT_NE) |
                            HOLDS(h, min_up[x], max_up[x], RV_BIT_N) |
                            HOLDS(h, min_up[x - 1], max_up[x - 1], RV_BIT_NW);
            int32_t here = HOLDS(level[x + 1], low, high, RV_BIT_E) |
                           HOLDS(level_up[x + 1], low, high, RV_BIT_NE) |
                           HOLDS(level_up[x], low, high, RV_BIT_N) |
                           HOLDS(level_up[x - 1], low, high, RV_BIT_NW);
            wide[k] = (there & here) | (depth[x] > film ? RV_BIT_WET : 0) |
                      (high > base[x] ? RV_BIT_THERE : 0);
            wide_held[k] = there | here << 4;
        }
        for (int k = 0; k < GROUP; k++) bits[g + k] = (uint8_t)wide[k];
        for (int k = 0; k < GROUP && with_held; k++) held[g + k] = (uint8_t)wide_held[k];
    }
}

static void links(const rv_link_view *row, float film, int n, uint8_t *bits, uint8_t *held)
{
    if (held)
        links_of(row, film, n, bits, held, true);
    else
        links_of(row, film, n, bits, NULL, false);
}

// The wetness of four columns, in the places of the links to them.
RV_INLINE bytes wetness(bytes e, bytes ne, bytes n, bytes nw)
{
    const bytes wet_bit = EACH(RV_BIT_WET);
    return (e & wet_bit) >> 4 | (ne & wet_bit) >> 3 | (n & wet_bit) >> 2 | (nw & wet_bit) >> 1;
}

// A column's links to the west and south are those of its neighbours to the east and north.
static int kinds(const uint8_t *restrict bits, ptrdiff_t pitch, int n, const rv_row_kinds *to)
{
    const uint8_t *restrict below = bits - pitch, *restrict above = bits + pitch;
    uint8_t *restrict kind = to->kind, *restrict even = to->even, *restrict linked = to->linked;
    uint8_t *restrict wets = to->wet;
    int records = 0;
    for (int from = 0; from < n; from += CHUNK) {
        int end = n - from < CHUNK ? n : from + CHUNK;
        bytes count = 0;
        for (int x = from; x < end; x += 8) {
            bytes own = load(bits + x), w = load(bits + x - 1), s = load(below + x);
            bytes sw = load(below + x - 1), se = load(below + x + 1);
            bytes on = own & wetness(load(bits + x + 1), load(above + x + 1), load(above + x),
                                     load(above + x - 1));
            bytes back = (w & EACH(RV_BIT_E)) | (sw & EACH(RV_BIT_NE)) | (s & EACH(RV_BIT_N)) |
                         (se & EACH(RV_BIT_NW));
            store(linked + x, (own & EACH(RV_BITS_LINKS)) | back << 4);
            back &= wetness(w, sw, s, se);
            store(wets + x, on | back << 4);
            bytes all = on & back, any = on | back;
            all &= all >> 1, any |= any >> 1;
            all &= all >> 2, any |= any >> 2;
            bytes wet_too = own >> 4 & ONE, dry = own >> 5 & any & ~wet_too & ONE;
            bytes is_even = wet_too & all, uneven = (wet_too ^ is_even) | dry;
            store(kind + x, wet_too | uneven << 1);
            store(even + x, is_even);
            count += uneven;
        }
        records += sum(count);
    }
    return records;
}

RV_INLINE void among(const uint16_t *restrict wet_planes, uint16_t planes, int n,
                     uint8_t *restrict out)
{
    for (int g = 0; g < n; g += GROUP)
        for (int x = g; x < g + GROUP; x++) out[x] = (wet_planes[x] & planes) != 0;
}

static bool candidates(const uint16_t *wet_planes, ptrdiff_t wet_pitch, uint16_t planes,
                       const uint8_t *restrict bits, const uint8_t *restrict held,
                       const uint8_t *restrict kind, ptrdiff_t pitch, int n, uint8_t *restrict out)
{
    const uint8_t *restrict below = held - pitch;
    bytes any = 0;
    for (int from = 0; from < n; from += CHUNK) {
        int count = n - from < CHUNK ? n - from : CHUNK;
        uint8_t wets[3][CHUNK + 2 * GROUP];
        for (int k = 0; k < 3; k++)
            among(wet_planes + from - GROUP + (k - 1) * wet_pitch, planes, count + 2 * GROUP,
                  wets[k]);
        for (int k = 0; k < count; k += 8) {
            const uint8_t *s = wets[0] + GROUP + k, *m = wets[1] + GROUP + k;
            const uint8_t *t = wets[2] + GROUP + k;
            int x = from + k;
            // wet ones of the others around, where no column of the own plane holds the level
            bytes own = load(held + x);
            bytes is =
                (load(m + 1) & ~own) | (load(t + 1) & ~(own >> 1)) | (load(t) & ~(own >> 2)) |
                (load(t - 1) & ~(own >> 3)) | (load(m - 1) & ~(load(held + x - 1) >> 4)) |
                (load(s - 1) & ~(load(below + x - 1) >> 5)) | (load(s) & ~(load(below + x) >> 6)) |
                (load(s + 1) & ~(load(below + x + 1) >> 7));
            bytes node = load(kind + x);
            is &= load(bits + x) >> 5 & ~(node | node >> 1) & ONE;
            store(out + x, is);
            any |= is;
        }
    }
    return any != 0;
}

// ---- Fronts -------------------------------------------------------------------------------------

// Whether any of 16 bytes has this value.
RV_INLINE bool any_is(const uint8_t *p, uint8_t value)
{
    uint8_t is[GROUP], any = 0;
    for (int x = 0; x < GROUP; x++) is[x] = p[x] == value;
    for (int x = 0; x < GROUP; x++) any |= is[x];
    return any;
}

// inside_wedge of shape.c is the same of one column.
RV_INLINE void wedges(const rv_wedge_view *row, int at, float *restrict to)
{
    const float *restrict v = row->depth + at, *restrict below = v - row->pitch;
    const float *restrict above = v + row->pitch;
    const float dx = row->dx, per_dx = row->per_dx, rim = row->rim;
    const float farthest = RV_WEDGE_FARTHEST * dx, least = RV_WEDGE_LEAST * dx;
    for (int x = 0; x < GROUP; x++) {
        float own = v[x], e = v[x + 1], w = v[x - 1], n = above[x], s = below[x];
        float ne = above[x + 1], sw = below[x - 1], nw = above[x - 1], se = below[x + 1];
        float sides = (e + w) + (n + s), corners = (ne + sw) + (nw + se);
        float mean = (4.0f * own + 2.0f * sides + corners) * (1.0f / 16.0f);
        float diagonal = ne - sw, other = se - nw;
        float a = 2.0f * (e - w) + (diagonal + other), b = 2.0f * (n - s) + (diagonal - other);
        float slope = __builtin_sqrtf(a * a + b * b) * 0.125f;
        float inside = (mean / slope - RV_WEDGE_BLURRED) * dx;
        inside = inside > -farthest ? inside : -farthest;
        inside = mean < (RV_WEDGE_BLURRED + RV_WEDGE_FARTHEST) * slope ? inside : farthest;
        inside = inside > least ? inside : least;
        float most = own, more = e > n ? e : n, others = w > s ? w : s;
        more = more > others ? more : others, most = most > more ? most : more;
        more = ne > sw ? ne : sw, others = nw > se ? nw : se;
        more = more > others ? more : others, most = most > more ? most : more;
        float rise = 4.0f * most * per_dx - 1.0f;
        rise = rise > 0.0f ? rise : 0.0f, rise = rise < 1.0f ? rise : 1.0f;
        to[x] = own + rim * rise * (inside - own);
    }
}

static void insides(const rv_wedge_view *row, int n, float *restrict to)
{
    const rv_wedge_view view = *row;
    for (int at = 0; at < n; at += GROUP) {
        if (!any_is(view.kind + at, RV_NODE_EVEN)) continue;
        if (view.rim > 0.0f)
            wedges(&view, at, to + at);
        else
            memcpy(to + at, view.depth + at, GROUP * sizeof *to);
    }
}

// ---- Quads --------------------------------------------------------------------------------------

// 1 where the diagonal from a to d is higher than the one from b to c.
RV_INLINE void higher(const float *restrict z, const float *restrict above, uint8_t *restrict out)
{
    int32_t is[GROUP];
    for (int x = 0; x < GROUP; x++) is[x] = z[x] + above[x + 1] > z[x + 1] + above[x] ? 1 : 0;
    for (int x = 0; x < GROUP; x++) out[x] = (uint8_t)is[x];
}

typedef struct quad_sum {
    bytes inside, whole, slow;
} quad_sum;

// Of one pair of triangles, its diagonal is taken. Of two, if all are inside, the one whose ends
// are both wet, or both dry, else the higher; if the surface ends between them, records will tell.
RV_INLINE bytes quads_at(const rv_row_view *row, int x, bytes high, quad_sum *count)
{
    const uint8_t *kind = row->kind + x, *in = row->inside + x, *bits = row->bits + x;
    const uint8_t *odd = row->odd + x;
    ptrdiff_t up = row->pitch;
    bytes ka = load(kind), kb = load(kind + 1), kc = load(kind + up), kd = load(kind + up + 1);
    bytes ia = load(in), ib = load(in + 1), ic = load(in + up), id = load(in + up + 1);
    bytes own = load(bits), east = load(bits + 1);
    bytes na = ka | ka >> 1, nb = kb | kb >> 1, nc = kc | kc >> 1, nd = kd | kd >> 1;
    bytes ab = own & na & nb, ad = own >> 1 & na & nd, ac = own >> 2 & na & nc;
    bytes bc = east >> 3 & nb & nc, bd = east >> 2 & nb & nd, cd = load(bits + up) & nc & nd;
    bytes abc = ab & ac & bc, bdc = bd & cd & bc, abd = ab & ad & bd, adc = ac & ad & cd;
    bytes every = abc & bdc & abd & adc, all_in = ia & ib & ic & id;
    bytes whole = every & all_in & ka & kb & kc & kd & ONE;
    bytes is_odd = load(odd) | load(odd + 1) | load(odd + up) | load(odd + up + 1);
    bytes by_record = ~whole & is_odd & na & ONE;
    bytes plain = ~whole & ~is_odd & (ia | ib | ic | id) & ONE, either = plain & every & ~all_in;
    bytes same_ad = ~(ka ^ kd), same_bc = ~(kb ^ kc), differ = same_ad ^ same_bc;
    bytes prefer = (differ & same_ad) | (~differ & high);
    bytes more = ((abd | adc) & ~(abc | bdc)) | (abd & adc & ~(abc & bdc));
    bytes take_ad = (every & prefer) | (~every & more), rest = plain & ~either;
    abc &= rest & ~take_ad, bdc &= rest & ~take_ad, abd &= rest & take_ad, adc &= rest & take_ad;
    bytes slow = abc | bdc | abd | adc | either | by_record;
    count->inside += ia, count->whole += whole, count->slow += slow;
    return abc | bdc << 1 | abd << 2 | adc << 3 | either << 4 | by_record << 5 |
           (whole & ~high) << 6 | (whole & high) << 7;
}

// Whether 16 columns, one more, and those above them are all of a kind.
RV_INLINE bool all_of(const uint8_t *kind, const uint8_t *above, uint64_t same)
{
    bytes other = (load(kind) ^ EACH(same)) | (load(kind + 8) ^ EACH(same));
    other |= (load(above) ^ EACH(same)) | (load(above + 8) ^ EACH(same));
    return other == 0 && kind[GROUP] == same && above[GROUP] == same;
}

RV_INLINE void quads_of(const rv_row_view *row, int at, const uint8_t *high, uint8_t *restrict quad,
                        rv_quad_count *all)
{
    quad_sum some = {0, 0, 0};
    for (int x = 0; x < GROUP; x += 8)
        store(quad + at + x, quads_at(row, at + x, load(high + x), &some));
    all->inside += sum(some.inside), all->whole += sum(some.whole), all->slow += sum(some.slow);
}

static rv_quad_count quads(const rv_row_view *row, int n, uint8_t *restrict quad)
{
    rv_quad_count all = {0, 0, 0};
    const rv_row_view view = *row;
    for (int at = 0; at < n; at += GROUP) {
        const uint8_t *kind = view.kind + at, *above = kind + view.pitch;
        uint8_t high[GROUP];
        if (all_of(kind, above, RV_NODE_NONE)) {
            memset(quad + at, 0, GROUP);
            continue;
        }
        higher(view.z + at, view.z + at + view.pitch, high);
        if (!all_of(kind, above, RV_NODE_EVEN)) {
            quads_of(&view, at, high, quad, &all);
            continue;
        }
        for (int x = 0; x < GROUP; x += 8)
            store(quad + at + x, EACH(RV_QUAD_BC) + (load(high + x) << 6));
        all.inside += GROUP, all.whole += GROUP;
    }
    return all;
}

// ---- Normals ------------------------------------------------------------------------------------

// Whether all 16 bytes have this value.
RV_INLINE bool all_are(const uint8_t *p, uint64_t value)
{
    return ((load(p) ^ EACH(value)) | (load(p + 8) ^ EACH(value))) == 0;
}

// Slopes between the two beside, or to the only one.
RV_INLINE void slopes_even(const rv_row_view *row, int at, float *restrict sx, float *restrict sy)
{
    const float *restrict z = row->z + at, *restrict below = z - row->pitch;
    const float *restrict above = z + row->pitch;
    float half = 0.5f * row->per_dx;
    for (int x = 0; x < GROUP; x++) {
        sx[x] = half * (z[x + 1] - z[x - 1]);
        sy[x] = half * (above[x] - below[x]);
    }
}

RV_INLINE void slopes_linked(const rv_row_view *row, int at, float *restrict sx, float *restrict sy)
{
    const float *restrict z = row->z + at, *restrict below = z - row->pitch;
    const float *restrict above = z + row->pitch;
    const uint8_t *restrict bits = row->bits + at, *restrict bits_below = bits - row->pitch;
    float one = row->per_dx, half = 0.5f * row->per_dx;
    int32_t easts[GROUP], wests[GROUP], norths[GROUP], souths[GROUP];
    for (int x = 0; x < GROUP; x++) {
        easts[x] = bits[x] & RV_BIT_E, wests[x] = bits[x - 1] & RV_BIT_E;
        norths[x] = bits[x] & RV_BIT_N, souths[x] = bits_below[x] & RV_BIT_N;
    }
    for (int x = 0; x < GROUP; x++) {
        int32_t east = easts[x], west = wests[x], north = norths[x], south = souths[x];
        float ahead = one * (z[x + 1] - z[x]), back = one * (z[x] - z[x - 1]);
        float both = half * (z[x + 1] - z[x - 1]), some = east ? ahead : back;
        sx[x] = east & west ? both : east | west ? some : 0.0f;
        ahead = one * (above[x] - z[x]), back = one * (z[x] - below[x]);
        both = half * (above[x] - below[x]), some = north ? ahead : back;
        sy[x] = north & south ? both : north | south ? some : 0.0f;
    }
}

static void normals(const rv_row_view *row, int n, const rv_row_normals *to)
{
    const rv_row_view view = *row;
    float *restrict nx = to->x, *restrict ny = to->y, *restrict nz = to->z;
    for (int at = 0; at < n; at += GROUP) {
        float sx[GROUP], sy[GROUP];
        if (all_are(view.kind + at, RV_NODE_NONE)) continue;
        if (all_are(view.kind + at, RV_NODE_EVEN))
            slopes_even(&view, at, sx, sy);
        else
            slopes_linked(&view, at, sx, sy);
        for (int x = 0; x < GROUP; x++) {
            float per = 1.0f / __builtin_sqrtf(sx[x] * sx[x] + sy[x] * sy[x] + 1.0f);
            nx[at + x] = -sx[x] * per, ny[at + x] = -sy[x] * per, nz[at + x] = per;
        }
    }
}

// Of one axis: all that is around, sides twice as much as corners. The links of `wet` only; both
// ways of doing it add in the same order.
RV_INLINE void around_even(const float *restrict v, ptrdiff_t pitch, float *restrict out)
{
    const float *restrict below = v - pitch, *restrict above = v + pitch;
    for (int x = 0; x < GROUP; x++) {
        float sides = (v[x + 1] + v[x - 1]) + (above[x] + below[x]);
        float corners = (above[x + 1] + below[x - 1]) + (above[x - 1] + below[x + 1]);
        out[x] = 2.0f * sides + corners;
    }
}

// Of all three axes at once: which links there are is told apart once.
RV_INLINE void around_linked(const rv_row_view *row, int at, float mean[3][GROUP])
{
    const float *from[3] = {row->nx + at, row->ny + at, row->nz + at};
    static const int8_t bit[8] = {1, 16, 4, 64, 2, 32, 8, -128}; // E W N S NE SW NW SE
    const ptrdiff_t p = row->pitch, step[8] = {1, -1, p, -p, p + 1, -p - 1, p - 1, -p + 1};
    int32_t wets[GROUP];
    for (int x = 0; x < GROUP; x++) wets[x] = row->wet[at + x];
    for (int x = 0; x < GROUP; x += RV_LANES) {
        const rv_i is = rv_i_load(wets + x);
        const rv_f zero = rv_f_set(0.0f), two = rv_f_set(2.0f);
        rv_f v[3][8];
        for (int d = 0; d < 8; d++) {
            rv_i only = rv_i_and(is, rv_i_set(bit[d] & 255));
            rv_mask has = rv_f_above(rv_f_from(only), zero);
            for (int k = 0; k < 3; k++)
                v[k][d] = rv_f_pick(has, rv_f_load(from[k] + x + step[d]), zero);
        }
        for (int k = 0; k < 3; k++) {
            rv_f sides = (v[k][0] + v[k][1]) + (v[k][2] + v[k][3]);
            rv_f corners = (v[k][4] + v[k][5]) + (v[k][6] + v[k][7]);
            rv_f_store(mean[k] + x, two * sides + corners);
        }
    }
}

RV_INLINE float eased(float from, float to, float v)
{
    float t = (v - from) * (1.0f / (to - from));
    t = t > 0.0f ? t : 0.0f, t = t < 1.0f ? t : 1.0f;
    return t * t * (3.0f - 2.0f * t);
}

// What smoothing does to 16 columns; `mean` becomes the result. smooth_one of normals.c is the same
// of one column.
RV_INLINE int ease(const rv_row_view *row, int at, float least, float mean[3][GROUP],
                   float *restrict rough)
{
    const float *restrict nx = row->nx + at, *restrict ny = row->ny + at,
                          *restrict nz = row->nz + at;
    int32_t choppy[GROUP], sum_of = 0;
    for (int x = 0; x < GROUP; x++) {
        float mx = mean[0][x], my = mean[1][x], mz = mean[2][x];
        float square = mx * mx + my * my + mz * mz;
        float per = 1.0f / __builtin_sqrtf(square > 1e-12f ? square : 1.0f);
        mx = square > 1e-12f ? mx * per : nx[x], my = square > 1e-12f ? my * per : ny[x];
        mz = square > 1e-12f ? mz * per : nz[x];
        float dx = nx[x] - mx, dy = ny[x] - my, dz = nz[x] - mz;
        float differs = __builtin_sqrtf(dx * dx + dy * dy + dz * dz);
        float share = least + eased(RV_EVEN_FROM, RV_EVEN_TO, differs) * (RV_EVEN_MOST - least);
        float x1 = nx[x] - share * dx, y1 = ny[x] - share * dy, z1 = nz[x] - share * dz;
        per = 1.0f / __builtin_sqrtf(x1 * x1 + y1 * y1 + z1 * z1);
        mean[0][x] = x1 * per, mean[1][x] = y1 * per, mean[2][x] = z1 * per;
        float is = RV_ROUGH_MOST * eased(RV_ROUGH_FROM, RV_ROUGH_TO, differs);
        rough[x] = is > rough[x] ? is : rough[x];
        choppy[x] = differs > RV_CHOPPY ? 1 : 0;
    }
    int32_t wets[GROUP]; // dry ones have no say in whether all is smooth
    for (int x = 0; x < GROUP; x++) wets[x] = row->kind[at + x] & 1;
    for (int x = 0; x < GROUP; x++) rough[x] = wets[x] ? rough[x] : 0.0f;
    for (int x = 0; x < GROUP; x++) sum_of += choppy[x] & wets[x];
    return sum_of;
}

// Whether no pass has found anything rough in 16 columns.
RV_INLINE bool is_calm(const float *rough)
{
    float most = 0.0f;
    for (int x = 0; x < GROUP; x++) most += rough[x]; // none is negative
    return most == 0.0f;
}

static int smooth(const rv_row_view *row, int n, float least, const rv_row_normals *to,
                  float *restrict rough)
{
    const rv_row_view view = *row;
    const float *from[3] = {view.nx, view.ny, view.nz};
    int count = 0;
    for (int at = 0; at < n; at += GROUP) {
        float mean[3][GROUP];
        if (all_are(view.kind + at, RV_NODE_NONE)) continue;
        if (least == 0.0f && is_calm(rough + at)) { // smooth enough
            memcpy(to->x + at, view.nx + at, sizeof mean[0]);
            memcpy(to->y + at, view.ny + at, sizeof mean[1]);
            memcpy(to->z + at, view.nz + at, sizeof mean[2]);
            continue;
        }
        if (all_are(view.kind + at, RV_NODE_EVEN)) {
            for (int k = 0; k < 3; k++) around_even(from[k] + at, view.pitch, mean[k]);
        } else {
            around_linked(&view, at, mean);
        }
        count += ease(&view, at, least, mean, rough + at);
        memcpy(to->x + at, mean[0], sizeof mean[0]);
        memcpy(to->y + at, mean[1], sizeof mean[1]);
        memcpy(to->z + at, mean[2], sizeof mean[2]);
    }
    return count;
}

// ---- Vertices -----------------------------------------------------------------------------------

typedef struct group {
    float z[GROUP], depth[GROUP], opacity[GROUP];
    float u[GROUP], v[GROUP], w[GROUP];
} group;

RV_INLINE void flows(const rv_row_view *row, int at, const float *restrict sx,
                     const float *restrict sy, group *restrict g)
{
    const float *restrict z = row->z + at, *restrict depth = row->depth + at;
    const float *restrict fx = row->flux_x + at, *restrict fy = row->flux_y + at;
    const float *restrict fy_below = fy - row->pitch, *restrict north = depth + row->pitch;
    const float *restrict south = depth - row->pitch;
    float half = 0.5f * row->per_dx, per_opaque = row->per_opaque;
    for (int x = 0; x < GROUP; x++) {
        float own = depth[x], share = own * per_opaque;
        float west = own > depth[x - 1] ? own : depth[x - 1];
        float east = own > depth[x + 1] ? own : depth[x + 1];
        float below = own > south[x] ? own : south[x], above = own > north[x] ? own : north[x];
        float u = half * (fx[x - 1] / west + fx[x] / east);
        float v = half * (fy_below[x] / below + fy[x] / above);
        // fluxes at rest may be -0: liquid at rest has one mesh, to the bit
        g->u[x] = u + 0.0f, g->v[x] = v + 0.0f, g->w[x] = u * sx[x] + v * sy[x] + 0.0f;
        g->z[x] = z[x], g->depth[x] = depth[x], g->opacity[x] = share < 1.0f ? share : 1.0f;
    }
}

// a[0] b[0] c[0] a[1] b[1] c[1] and so on.
RV_INLINE void triples(float *restrict to, const float *restrict a, const float *restrict b,
                       const float *restrict c)
{
#if RV_LANES == 16
    const __m512i ab0 = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i ab1 = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i ab2 = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    const __m512i c0 = _mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
    const __m512i c1 = _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
    const __m512i c2 = _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
    __m512 va = rv_f_load(a), vb = rv_f_load(b), vc = rv_f_load(c);
    rv_f_store(to, _mm512_permutex2var_ps(_mm512_permutex2var_ps(va, ab0, vb), c0, vc));
    rv_f_store(to + 16, _mm512_permutex2var_ps(_mm512_permutex2var_ps(va, ab1, vb), c1, vc));
    rv_f_store(to + 32, _mm512_permutex2var_ps(_mm512_permutex2var_ps(va, ab2, vb), c2, vc));
#elif defined(__SSE2__)
#define SHUFFLE(a, b, i, j, k, l) _mm_shuffle_ps(a, b, _MM_SHUFFLE(l, k, j, i))
    for (int x = 0; x < GROUP; x += 4) {
        __m128 va = _mm_loadu_ps(a + x), vb = _mm_loadu_ps(b + x), vc = _mm_loadu_ps(c + x);
        __m128 ca = SHUFFLE(vc, va, 0, 0, 1, 1), bc = SHUFFLE(vb, vc, 1, 1, 1, 1);
        __m128 ab = SHUFFLE(va, vb, 2, 2, 2, 2), ca3 = SHUFFLE(vc, va, 2, 2, 3, 3);
        _mm_storeu_ps(to + 3 * x, SHUFFLE(_mm_unpacklo_ps(va, vb), ca, 0, 1, 0, 2));
        _mm_storeu_ps(to + 3 * x + 4, SHUFFLE(bc, ab, 0, 2, 0, 2));
        _mm_storeu_ps(to + 3 * x + 8, SHUFFLE(ca3, _mm_unpackhi_ps(vb, vc), 0, 2, 2, 3));
    }
#undef SHUFFLE
#else
    for (int x = 0; x < GROUP; x++) to[3 * x] = a[x], to[3 * x + 1] = b[x], to[3 * x + 2] = c[x];
#endif
}

// All 16 to vertex `next` and following.
RV_INLINE void put_all(const rv_row_view *row, int at, const group *restrict g, uint32_t next,
                       const rv_row_mesh *to)
{
    float y[GROUP];
    for (int x = 0; x < GROUP; x++) y[x] = row->y, to->drop[next + (uint32_t)x] = -1.0f;
    triples(to->positions + 3 * (size_t)next, row->x + at, y, g->z);
    triples(to->normals + 3 * (size_t)next, row->nx + at, row->ny + at, row->nz + at);
    memcpy(to->roughness + next, row->rough + at, GROUP * sizeof *row->rough);
    triples(to->velocity + 3 * (size_t)next, g->u, g->v, g->w);
    memcpy(to->opacity + next, g->opacity, sizeof g->opacity);
    memcpy(to->depth + next, g->depth, sizeof g->depth);
}

static void put_some(const rv_row_view *row, int at, const group *restrict g, uint32_t next, int n,
                     const rv_row_mesh *to)
{
    for (int x = 0; x < n; x++, next++) {
        float *p = to->positions + 3 * (size_t)next, *normal = to->normals + 3 * (size_t)next;
        float *v = to->velocity + 3 * (size_t)next;
        p[0] = row->x[at + x], p[1] = row->y, p[2] = g->z[x];
        normal[0] = row->nx[at + x], normal[1] = row->ny[at + x], normal[2] = row->nz[at + x];
        v[0] = g->u[x], v[1] = g->v[x], v[2] = g->w[x];
        to->opacity[next] = g->opacity[x], to->depth[next] = g->depth[x];
        to->roughness[next] = row->rough[at + x], to->drop[next] = -1.0f;
    }
}

// The next place from `at` on that is inside (value 1) or is not (value 0); n: none.
RV_INLINE int seek(const uint8_t *inside, int n, int at, uint8_t value)
{
    while (at < n && (at & 7) && inside[at] != value) at++;
    if (at & 7) return at;
    while (at < n && load(inside + at) == EACH(value ^ 1u)) at += 8;
    while (at < n && inside[at] != value) at++;
    return at;
}

// Each run of columns inside, 16 at a time. What a group has beyond the end of its run is written
// over by the next run's; so near the end of the row only as many are written as there are.
static void vertices(const rv_row_view *row, int n, uint32_t next, uint32_t end, uint32_t *vertex,
                     const rv_row_mesh *to)
{
    for (int at = 0; next < end; at++) {
        at = seek(row->inside, n, at, 1);
        int stop = seek(row->inside, n, at, 0);
        for (; at < stop; at += GROUP) {
            int count = stop - at < GROUP ? stop - at : GROUP;
            float sx[GROUP], sy[GROUP];
            group g;
            if (all_are(row->kind + at, RV_NODE_EVEN))
                slopes_even(row, at, sx, sy);
            else
                slopes_linked(row, at, sx, sy);
            flows(row, at, sx, sy, &g);
            for (int x = 0; x < GROUP; x++) vertex[at + x] = next + (uint32_t)x;
            if (next + GROUP <= end)
                put_all(row, at, &g, next, to);
            else
                put_some(row, at, &g, next, count, to);
            next += (uint32_t)count;
        }
        at = stop;
    }
}

// ---- Triangles ----------------------------------------------------------------------------------

RV_INLINE void two_triangles(uint32_t *to, uint32_t a, uint32_t c, uint32_t ad)
{
    // a b d, a d c, or a b c, b d c
    to[0] = a, to[1] = a + 1, to[2] = c + ad, to[3] = a + 1 - ad, to[4] = c + 1, to[5] = c;
}

// Those of eight quads in a row.
RV_INLINE void eight_quads(uint32_t *restrict to, const uint8_t *quad, uint32_t a, uint32_t c)
{
#if RV_LANES == 16
    // a b c b d c of each: what to add to a or c, and from which quad
    const __m512i of[3] = {_mm512_setr_epi32(0, 1, 0, 1, 1, 0, 1, 2, 1, 2, 2, 1, 2, 3, 2, 3),
                           _mm512_setr_epi32(3, 2, 3, 4, 3, 4, 4, 3, 4, 5, 4, 5, 5, 4, 5, 6),
                           _mm512_setr_epi32(5, 6, 6, 5, 6, 7, 6, 7, 7, 6, 7, 8, 7, 8, 8, 7)};
    const __mmask16 of_c[3] = {0x4d34, 0x34d3, 0xd34d}; // places of c and d
    const __mmask16 third[3] = {0x4104, 0x0410, 0x1041}, fourth[3] = {0x8208, 0x0820, 0x2082};
    const __m512i place[3] = {_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2),
                              _mm512_setr_epi32(2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5),
                              _mm512_setr_epi32(5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7)};
    __m128i kinds_of_eight = _mm_loadl_epi64((const __m128i *)(const void *)quad);
    __m512i ads = _mm512_srli_epi32(_mm512_cvtepu8_epi32(kinds_of_eight), 7);
    __m512i va = _mm512_set1_epi32((int)a), vc = _mm512_set1_epi32((int)c);
    for (int k = 0; k < 3; k++) {
        __m512i v = _mm512_add_epi32(_mm512_mask_mov_epi32(va, of_c[k], vc), of[k]);
        __m512i ad = _mm512_permutexvar_epi32(place[k], ads);
        v = _mm512_mask_add_epi32(v, third[k], v, ad);
        v = _mm512_mask_sub_epi32(v, fourth[k], v, ad);
        _mm512_storeu_si512(to + 16 * k, v);
    }
#else
    for (uint32_t x = 0; x < 8; x++)
        two_triangles(to + 6 * x, a + x, c + x, (uint32_t)(quad[x] >> 7));
#endif
}

static void triangles(const uint8_t *restrict quad, const uint8_t *restrict inside, ptrdiff_t pitch,
                      int n, uint32_t next, uint32_t above, uint32_t *restrict to)
{
    for (int at = 0; at < n; at += 8) {
        bytes word = load(quad + at), whole = (word | word << 1) & EACH(0x80);
        if (whole == EACH(0x80)) {
            eight_quads(to, quad + at, next, above);
            to += 48, next += 8, above += 8;
            continue;
        }
        for (int x = at; x < at + 8; x++) {
            if (quad[x] & RV_QUAD_WHOLE) {
                two_triangles(to, next, above, (uint32_t)(quad[x] >> 7));
                to += 6;
            }
            next += inside[x], above += inside[x + pitch];
        }
    }
}

const rv_surface_rows PASTE(rv_surface_rows_, RV_ISA);
const rv_surface_rows PASTE(rv_surface_rows_, RV_ISA) = {.name = TEXT(RV_ISA),
                                                         .wet = wet,
                                                         .there = there,
                                                         .levels = levels,
                                                         .links = links,
                                                         .kinds = kinds,
                                                         .candidates = candidates,
                                                         .insides = insides,
                                                         .quads = quads,
                                                         .normals = normals,
                                                         .smooth = smooth,
                                                         .vertices = vertices,
                                                         .triangles = triangles};
