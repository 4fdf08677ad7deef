// Moving particles of the narrow form (narrow.c, step 5): the last two loops of rv_narrow_rows
// (narrow.h). Compiled once per instruction set, with RV_ISA set to its name; contraction to fused
// multiply-add is off, so that all of them give the same bits. A vector holds QUADS particles: what
// a particle must wait for, the velocity half way, it waits for together with others.
#include "particles/narrow.h"
#include "particles/quads.h"

#include <string.h>

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define INLINE QUAD_INLINE

// ---- All particles ------------------------------------------------------------------------------

// A particle is moved along all axes at once, one in each lane; in a plane lanes 2 and 3 repeat 0
// and 1, in space lane 3 is 0 throughout; what foam needs is taken out of it first. A particle
// stays within the grid, or up to two cells beyond a wall that is open; from a wall on the velocity
// into it is taken.
typedef struct lanes {
    quads pic, own;
    quads half, move, end;                // dt/(2 dx), dt/dx; cells, the other walls
    quads low, high, stop_low, stop_high; // cells
    quads fastest;                        // m²/s², of all so far
    quads foam, foam_left;
    quad_ints step; // slots
    ptrdiff_t from; // slot of the cell at -1 along all axes
    int64_t not_finite;
    int count; // of the particles in a vector, those that are some
} lanes;

INLINE lanes lanes_of(const rv_narrow_law *law, const rv_splat_grid *g, int axes)
{
    const float far = 3e38f;
    float end[4] = {0}, low[4] = {0}, high[4] = {0}, stop_low[4] = {0}, stop_high[4] = {0};
    for (int i = 0; i < 4; i++) {
        int c = axes == 3 ? i : i & 1;
        float first = RV_SPLAT_INSET, last = c < 3 ? law->high[c] - RV_SPLAT_INSET : 0.0f;
        if (c == 3) continue;
        end[i] = law->high[c];
        low[i] = law->open[c][0] ? -2.0f : first;
        high[i] = law->open[c][1] ? law->high[c] + 2.0f : last;
        stop_low[i] = law->open[c][0] ? -far : first;
        stop_high[i] = law->open[c][1] ? far : last;
    }
    const int32_t step[4] = {1, (int32_t)g->pitch, axes == 3 ? (int32_t)g->layer : 0, 0};
    return (lanes){.pic = quads_set(law->pic),
                   .own = quads_set(1.0f - law->pic),
                   .half = quads_set(0.5f * law->move),
                   .move = quads_set(law->move),
                   .end = quads_same(end),
                   .low = quads_same(low),
                   .high = quads_same(high),
                   .stop_low = quads_same(stop_low),
                   .stop_high = quads_same(stop_high),
                   .fastest = quads_set(0.0f),
                   .foam = quads_set(law->foam),
                   .foam_left = quads_set(law->foam_left),
                   .step = quad_ints_same(step),
                   .from = (ptrdiff_t)g->origin - 1 - (ptrdiff_t)g->pitch -
                           (axes == 3 ? (ptrdiff_t)g->layer : 0),
                   .count = QUADS};
}

INLINE quads within(quads a, quads low, quads high)
{
    a = quads_pick(quads_above(a, low), a, low); // NaN becomes low
    return quads_pick(quads_above(high, a), a, high);
}

// The greatest of a particle's lanes, in all of them; in a plane lanes 2 and 3 repeat 0 and 1.
INLINE quads greatest(quads a, int axes)
{
    a = quads_max(a, QUAD_TURN(a, 1, 0, 3, 2));
    return axes == 3 ? quads_max(a, QUAD_TURN(a, 2, 3, 0, 1)) : a;
}

// The cells at whole numbers along the axes, in `node`, of `size` floats each.
INLINE void cells_at(const lanes *k, quad_ints at, const float *node, int axes, int size,
                     const float *out[QUADS])
{
    int32_t slot[4 * QUADS];
    quad_ints way = quad_ints_mul(at, k->step), sum = way;
    sum = quad_ints_add(sum, QUAD_TURN_INTS(way, 1, 1, 1, 1));
    if (axes == 3) sum = quad_ints_add(sum, QUAD_TURN_INTS(way, 2, 2, 2, 2));
    quad_ints_store(slot, sum);
    for (int i = 0; i < QUADS; i++) out[i] = node + (k->from + slot[4 * i]) * size;
}

// The cells whose middles are before a place, and its shares between them and the next.
INLINE quads corners(const lanes *k, quads place, const float *node, int axes, int size,
                     const float *out[QUADS])
{
    quads y = place + quads_set(0.5f);
    quad_ints i = quads_whole(y); // one more than the cell before
    cells_at(k, i, node, axes, size, out);
    return y - quads_float(i);
}

// Particles that are no numbers stay where they are.
static __attribute__((noinline)) void hold(lanes *k, quad_mask bad, const quads *place, quads *x,
                                           quads *v)
{
    const quads zero = quads_set(0.0f);
    quads lanes_bad = quads_pick(bad, quads_set(1.0f), zero);
    quads all = greatest(lanes_bad, 3);
    float each[4 * QUADS];
    quads_store(each, all);
    for (int i = 0; i < k->count; i++) k->not_finite += each[4 * i] > 0.0f;
    *x = quads_pick(quads_above(all, zero), *place, *x);
    *v = quads_pick(quads_above(all, zero), zero, *v);
}

// Moves particles with the velocity u, by `way`. What is no number stays where it is.
INLINE void finish(lanes *k, quads *place, quads *u, quads way)
{
    const quads zero = quads_set(0.0f);
    quads x = within(*place + k->move * way, k->low, k->high), v = *u;
    quads held = quads_pick(quads_above(zero, v), zero, v);
    quads back = quads_pick(quads_above(v, zero), zero, v);
    quads low = quads_pick(quads_above(x, k->stop_low), v, held);
    v = quads_pick(quads_above(k->stop_high, x), low, quads_pick(quads_above(zero, v), low, back));
    quad_mask bad = quads_differ((*u + way) * zero, zero);
    if (__builtin_expect(quads_any(bad), 0)) hold(k, bad, place, &x, &v);
    k->fastest = quads_max(v * v, k->fastest);
    *place = x, *u = v;
}

// Half way further than a particle's own weight reaches: there may be no liquid there whose
// velocity could be asked for, so it goes on as it began.
INLINE quad_mask is_far(quads from, quads to, int axes)
{
    quads off = to - from;
    return quads_above(greatest(quads_max(off, quads_set(0.0f) - off), axes), quads_set(1.0f));
}

// ---- In a plane ---------------------------------------------------------------------------------

// The change in lanes 0 and 1, the velocity after it in 2 and 3.
INLINE quads sample_plane(const lanes *k, const rv_splat_grid *g, const float *node, quads place)
{
    const float *n[QUADS];
    quads f = corners(k, place, node, 2, 4, n), fx = QUAD_TURN(f, 0, 0, 0, 0);
    ptrdiff_t up = 4 * (ptrdiff_t)g->pitch;
    quads a = quads_each(n, 0), b = quads_each(n, up);
    quads low = a + fx * (quads_each(n, 4) - a), high = b + fx * (quads_each(n, up + 4) - b);
    return low + QUAD_TURN(f, 1, 1, 1, 1) * (high - low);
}

INLINE void move_plane(lanes *k, const rv_splat_grid *g, const float *node, float *particle)
{
    quads all = quads_load(particle);
    quads place = QUAD_TURN(all, 0, 1, 0, 1), u = QUAD_TURN(all, 2, 3, 2, 3);
    quads v = sample_plane(k, g, node, place), after = QUAD_TURN(v, 2, 3, 2, 3);
    u = k->pic * after + k->own * (u + QUAD_TURN(v, 0, 1, 0, 1));
    quads mid = within(place + k->half * after, quads_set(0.0f), k->end);
    quads there = sample_plane(k, g, node, mid);
    finish(k, &place, &u, quads_pick(is_far(place, mid, 2), after, QUAD_TURN(there, 2, 3, 2, 3)));
    quads_store(particle, quads_halves(place, u));
}

// ---- In space -----------------------------------------------------------------------------------

INLINE quads lerp(quads a, quads b, quads part)
{
    return a + part * (b - a);
}

// Four floats of the nodes around, from the float `off` of each on.
INLINE quads sample_space(const rv_splat_grid *g, const float *const n[QUADS], ptrdiff_t off,
                          quads f)
{
    ptrdiff_t up = 8 * (ptrdiff_t)g->pitch + off, far = 8 * (ptrdiff_t)g->layer;
    quads fx = QUAD_TURN(f, 0, 0, 0, 0), fy = QUAD_TURN(f, 1, 1, 1, 1);
    quads a = lerp(quads_each(n, off), quads_each(n, off + 8), fx);
    quads b = lerp(quads_each(n, up), quads_each(n, up + 8), fx);
    quads c = lerp(quads_each(n, far + off), quads_each(n, far + off + 8), fx);
    quads d = lerp(quads_each(n, far + up), quads_each(n, far + up + 8), fx);
    return lerp(lerp(a, b, fy), lerp(c, d, fy), QUAD_TURN(f, 2, 2, 2, 2));
}

INLINE quads share_of(quads a)
{
    const quads zero = quads_set(0.0f), one = quads_set(1.0f);
    a = quads_pick(quads_above(a, zero), a, zero); // what is no number, too
    return quads_pick(quads_above(a, one), one, a);
}

// Of lanes 0 to 2, in all.
INLINE quads sum_of(quads a)
{
    return QUAD_TURN(a, 0, 0, 0, 0) + QUAD_TURN(a, 1, 1, 1, 1) + QUAD_TURN(a, 2, 2, 2, 2);
}

// Foam of particles after a substep, in all lanes; before it is in lane 3 of u. It comes where
// liquid strikes liquid, by the square of the velocity against that of its surroundings (trapped
// air, as Ihmsen and others 2012, "Unified Spray, Foam and Bubbles", have it), near the surface
// only; and in the air, where liquid is torn into less than a particle a cell. Lane 3 of `after` is
// the density there.
INLINE quads foamed(const lanes *k, quads u, quads change, quads after)
{
    quads off = u - (after - change), dense = QUAD_TURN(after, 3, 3, 3, 3);
    quads near = share_of((quads_set(RV_NARROW_UNDER) - dense) * quads_set(RV_NARROW_NEAR));
    quads torn = share_of((quads_set(RV_NARROW_TORN) - dense) * quads_set(RV_NARROW_NEAR));
    quads against = sum_of(off * off), speed = sum_of(u * u);
    quads struck = against * near + quads_set(RV_NARROW_SPRAY) * (speed * torn);
    quads more = share_of(k->foam * (struck - quads_set(RV_NARROW_STRUCK)));
    quads air = share_of(QUAD_TURN(u, 3, 3, 3, 3)) * k->foam_left;
    return air + (quads_set(1.0f) - air) * more;
}

INLINE void move_space(lanes *k, const rv_splat_grid *g, const float *node, float *particle,
                       bool foams)
{
    const quads zero = quads_set(0.0f);
    const float *each[QUADS], *n[QUADS];
    for (int i = 0; i < QUADS; i++) each[i] = particle + 8 * i;
    quads place = quads_each(each, 0), u = quads_each(each, 4);
    quads f = corners(k, place, node, 3, 8, n);
    quads change = sample_space(g, n, 0, f), after = sample_space(g, n, 4, f);
    quads air = foams ? foamed(k, u, change, after) : zero;
    u = k->pic * after + k->own * (u + change);
    u = quads_last(u, zero);
    quads mid = within(place + k->half * after, zero, k->end);
    f = corners(k, mid, node, 3, 8, n);
    quads there = sample_space(g, n, 4, f);
    finish(k, &place, &u, quads_pick(is_far(place, mid, 3), after, there));
    quads_store_each(particle, 8, place);
    quads_store_each(particle + 4, 8, quads_last(u, air));
}

// ---- Form height --------------------------------------------------------------------------------

// Nodes are pressure times dt/dx, nothing, and velocity. The slope is that of the very kernel that
// was splatted, round_corner() in narrow_simd.c.
INLINE void flow_some(lanes *k, const rv_splat_grid *g, const float *node, float *particle)
{
    const quads half = quads_set(0.5f), zero = quads_set(0.0f);
    const float *n[QUADS];
    quads all = quads_load(particle);
    quads place = QUAD_TURN(all, 0, 1, 0, 1), u = QUAD_TURN(all, 2, 3, 2, 3);
    quad_ints cell = quads_whole(place);
    cells_at(k, cell, node, 2, 4, n);
    quads f = place - quads_float(cell) - half, low = half - f, high = half + f;
    const quads w[3] = {half * low * low, quads_set(0.75f) - f * f, half * high * high};
    const quads d[3] = {quads_set(-1.0f) * low, quads_set(-2.0f) * f, high};
    quads v = zero, along = zero, beside = zero;
    for (int j = 0; j < 3; j++) {
        ptrdiff_t row = 4 * j * (ptrdiff_t)g->pitch;
        quads a = quads_each(n, row), b = quads_each(n, row + 4), c = quads_each(n, row + 8);
        quads sum = QUAD_TURN(w[0], 0, 0, 0, 0) * a + QUAD_TURN(w[1], 0, 0, 0, 0) * b +
                    QUAD_TURN(w[2], 0, 0, 0, 0) * c;
        quads slope = QUAD_TURN(d[0], 0, 0, 0, 0) * a + QUAD_TURN(d[1], 0, 0, 0, 0) * b +
                      QUAD_TURN(d[2], 0, 0, 0, 0) * c;
        quads wy = QUAD_TURN(w[j], 1, 1, 1, 1);
        v += wy * sum, along += wy * slope, beside += QUAD_TURN(d[j], 1, 1, 1, 1) * sum;
    }
    quads down = quads_weave(QUAD_TURN(along, 0, 0, 0, 0), QUAD_TURN(beside, 0, 0, 0, 0));
    u = k->pic * QUAD_TURN(v, 2, 3, 2, 3) + k->own * u - down;
    finish(k, &place, &u, u);
    quads_store(particle, quads_halves(place, u));
}

// ---- Foam that stands apart ---------------------------------------------------------------------

// In a plane and in form height a particle has no room for its foam. The law is that of foamed(); a
// height is all surface.

INLINE float share_one(float a)
{
    a = a > 0.0f ? a : 0.0f; // what is no number, too
    return a > 1.0f ? 1.0f : a;
}

// u: of the particle, on: of the liquid around it, before the substep.
INLINE float foamed_one(const rv_narrow_law *law, float air, const float u[2], const float on[2],
                        float dense, bool flat)
{
    float off[2] = {u[0] - on[0], u[1] - on[1]};
    float against = off[0] * off[0] + off[1] * off[1], speed = u[0] * u[0] + u[1] * u[1];
    float near = flat ? 1.0f : share_one((RV_NARROW_UNDER - dense) * RV_NARROW_NEAR);
    float torn = share_one((RV_NARROW_TORN - dense) * RV_NARROW_NEAR);
    float struck = against * near + RV_NARROW_SPRAY * (speed * torn);
    float more = share_one(law->foam * (struck - RV_NARROW_STRUCK));
    float left = share_one(air) * law->foam_left;
    return left + (1.0f - left) * more;
}

// As sample_plane(): the velocity before the substep.
INLINE void on_plane(const rv_splat_grid *g, const float *node, const float *p, float on[2])
{
    float x = p[0] + 0.5f, y = p[1] + 0.5f;
    int i = (int)x, j = (int)y;
    float fx = x - (float)i, fy = y - (float)j;
    const float *a =
        node + 4 * ((ptrdiff_t)g->origin + (i - 1) + (j - 1) * (ptrdiff_t)g->pitch);
    const float *b = a + 4 * g->pitch;
    float v[4];
    for (int k = 0; k < 4; k++) {
        float low = a[k] + fx * (a[4 + k] - a[k]), high = b[k] + fx * (b[4 + k] - b[k]);
        v[k] = low + fy * (high - low);
    }
    on[0] = v[2] - v[0], on[1] = v[3] - v[1];
}

// As flow_some(): the mean velocity.
INLINE void on_height(const rv_splat_grid *g, const float *node, const float *p, float on[2])
{
    int i = (int)p[0], j = (int)p[1];
    float w[2][3];
    for (int c = 0; c < 2; c++) {
        float f = p[c] - (float)(c ? j : i) - 0.5f, low = 0.5f - f, high = 0.5f + f;
        w[c][0] = 0.5f * low * low, w[c][1] = 0.75f - f * f, w[c][2] = 0.5f * high * high;
    }
    on[0] = on[1] = 0.0f;
    for (int k = 0; k < 3; k++) {
        const float *n =
            node + 4 * ((ptrdiff_t)g->origin + (i - 1) + (j - 1 + k) * (ptrdiff_t)g->pitch);
        for (int c = 0; c < 2; c++)
            on[c] += w[1][k] * (w[0][0] * n[2 + c] + w[0][1] * n[6 + c] + w[0][2] * n[10 + c]);
    }
}

// Of `count` particles, before they are moved.
static void foam_all(const rv_narrow_law *law, const rv_splat_grid *g, const float *node,
                     const rv_narrow_foaming *foaming, const float *particle, int count, bool flat)
{
    for (int i = 0; i < count; i++) {
        const float *p = particle + 4 * (size_t)i;
        float on[2];
        if (flat)
            on_height(g, node, p, on);
        else
            on_plane(g, node, p, on);
        ptrdiff_t at = (ptrdiff_t)g->origin + (int)p[0] + (int)p[1] * (ptrdiff_t)g->pitch;
        float dense = foaming->weight[at] * law->per_rest;
        foaming->air[i] = foamed_one(law, foaming->air[i], p + 2, on, dense, flat);
    }
}

// ---- Loops --------------------------------------------------------------------------------------

typedef enum moving { PLANE, SPACE, FOAM, HEIGHT } moving;

INLINE void move_some(lanes *k, const rv_splat_grid *g, const float *node, float *particle,
                      moving kind)
{
    if (kind == PLANE)
        move_plane(k, g, node, particle);
    else if (kind == HEIGHT)
        flow_some(k, g, node, particle);
    else
        move_space(k, g, node, particle, kind == FOAM);
}

// The last ones, less than a vector holds, are moved with one of them repeated.
INLINE void move_all(const rv_narrow_law *law, const rv_splat_grid *g, const float *node,
                     float *particle, int count, rv_splat_moved *out, moving kind)
{
    const rv_splat_grid grid = *g; // a copy, so that stores to particles cannot change it
    const size_t size = kind == PLANE || kind == HEIGHT ? 4 : 8;
    lanes k = lanes_of(law, &grid, size == 4 ? 2 : 3);
    int whole = count / QUADS * QUADS;
    for (int i = 0; i < whole; i += QUADS)
        move_some(&k, &grid, node, particle + size * (size_t)i, kind);
    k.count = count - whole;
    if (k.count > 0) {
        float some[8 * QUADS], *from = particle + size * (size_t)whole;
        for (int i = 0; i < QUADS; i++)
            memcpy(some + size * (size_t)i, from + size * (size_t)(i < k.count ? i : 0),
                   size * sizeof(float));
        move_some(&k, &grid, node, some, kind);
        memcpy(from, some, size * (size_t)k.count * sizeof(float));
    }
    float fastest[4 * QUADS];
    quads_store(fastest, k.fastest);
    for (int i = 0; i < 4 * QUADS; i++)
        out->fastest = out->fastest > fastest[i] ? out->fastest : fastest[i];
    out->not_finite += k.not_finite;
}

void PASTE(rv_narrow_move_, RV_ISA)(const rv_narrow_law *law, const rv_splat_grid *g,
                                    const float *node, const rv_narrow_foaming *foaming,
                                    float *particle, int count, rv_splat_moved *out);
void PASTE(rv_narrow_move_, RV_ISA)(const rv_narrow_law *law, const rv_splat_grid *g,
                                    const float *node, const rv_narrow_foaming *foaming,
                                    float *particle, int count, rv_splat_moved *out)
{
    if (foaming) foam_all(law, g, node, foaming, particle, count, false);
    if (g->axes == 3 && law->foam > 0.0f)
        move_all(law, g, node, particle, count, out, FOAM);
    else if (g->axes == 3)
        move_all(law, g, node, particle, count, out, SPACE);
    else
        move_all(law, g, node, particle, count, out, PLANE);
}

void PASTE(rv_narrow_flow_, RV_ISA)(const rv_narrow_law *law, const rv_splat_grid *g,
                                    const float *node, const rv_narrow_foaming *foaming,
                                    float *particle, int count, rv_splat_moved *out);
void PASTE(rv_narrow_flow_, RV_ISA)(const rv_narrow_law *law, const rv_splat_grid *g,
                                    const float *node, const rv_narrow_foaming *foaming,
                                    float *particle, int count, rv_splat_moved *out)
{
    if (foaming) foam_all(law, g, node, foaming, particle, count, true);
    move_all(law, g, node, particle, count, out, HEIGHT);
}
