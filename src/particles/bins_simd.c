// Where particles are: their bins (sort.c), and which of them may be near a solid. Two loops of
// rv_splat_rows (rows.h), compiled once per instruction set, with RV_ISA set to its name.
#include "particles/quads.h"
#include "particles/rows.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define INLINE QUAD_INLINE

// The places of QUADS particles, of which there are `count`; in a plane lanes 2 and 3 repeat 0 and
// 1, in space lane 3 is nothing.
INLINE quads places(const float *particle, int count, int axes)
{
    const size_t size = axes == 3 ? 8 : 4;
    const float *each[QUADS];
    for (int i = 0; i < QUADS; i++) each[i] = particle + size * (size_t)(i < count ? i : 0);
    quads p = quads_each(each, 0);
    return axes == 3 ? p : QUAD_TURN(p, 0, 1, 0, 1);
}

// Σ of whole numbers times `step`, one for each particle, 4 apart.
INLINE void add_up(quad_ints whole, quad_ints step, int axes, int32_t out[4 * QUADS])
{
    quad_ints way = quad_ints_mul(whole, step);
    quad_ints sum = quad_ints_add(way, QUAD_TURN_INTS(way, 1, 1, 1, 1));
    if (axes == 3) sum = quad_ints_add(sum, QUAD_TURN_INTS(way, 2, 2, 2, 2));
    quad_ints_store(out, sum);
}

// 1 in all lanes of a particle that is not on the grid, else 0.
INLINE quads off_grid(quads p, quads high, int axes)
{
    const quads zero = quads_set(0.0f), one = quads_set(1.0f);
    quads off = quads_pick(quads_above(high, p), zero, one); // what is no number, too
    off = quads_pick(quads_above(zero, p), one, off);
    if (axes == 3) off = quads_last(off, zero);
    off = quads_max(off, QUAD_TURN(off, 1, 0, 3, 2));
    return quads_max(off, QUAD_TURN(off, 2, 3, 0, 1));
}

typedef struct binning {
    quads scale, high;
    quad_ints step;
} binning;

INLINE binning binning_of(const rv_splat_grid *g, int axes)
{
    const int32_t wide = (g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    const int32_t step[4] = {1, wide, axes == 3 ? wide * g->n[1] : 0, 0};
    const float per = 1.0f / RV_SPLAT_BIN; // a power of two: the product is exact
    const float scale[4] = {per, 1.0f, axes == 3 ? 1.0f : per, 1.0f};
    const float high[4] = {(float)g->n[0], (float)g->n[1], (float)g->n[axes == 3 ? 2 : 0],
                           (float)g->n[1]};
    return (binning){quads_same(scale), quads_same(high), quad_ints_same(step)};
}

INLINE void bins_of_some(const binning *b, const float *particle, int count, uint32_t *bin,
                         int axes)
{
    int32_t own[4 * QUADS];
    quads p = places(particle, count, axes), off = off_grid(p, b->high, axes);
    add_up(quads_whole(p * b->scale), b->step, axes, own);
    for (int k = 0; k < count; k++) bin[k] = (uint32_t)own[4 * k];
    if (!quads_any(quads_above(off, quads_set(0.0f)))) return;
    float gone[4 * QUADS];
    quads_store(gone, off);
    for (int k = 0; k < count; k++)
        if (gone[4 * k] > 0.0f) bin[k] = RV_SPLAT_GONE;
}

INLINE void bins_of(const rv_splat_grid *g, const float *particle, int count, uint32_t *bin,
                    int axes)
{
    const size_t size = axes == 3 ? 8 : 4;
    const binning b = binning_of(g, axes);
    int i = 0;
    for (; i + QUADS <= count; i += QUADS)
        bins_of_some(&b, particle + size * (size_t)i, QUADS, bin + i, axes);
    if (i < count) bins_of_some(&b, particle + size * (size_t)i, count - i, bin + i, axes);
}

// Lists those of `count` particles whose cell has a solid near, as numbers from `first` on.
INLINE int near_of_some(const float *solid, quad_ints step, const float *particle, int count,
                        int first, uint32_t *list, int axes)
{
    int32_t slot[4 * QUADS];
    int listed = 0;
    add_up(quads_whole(places(particle, count, axes)), step, axes, slot);
    for (int k = 0; k < count; k++) {
        list[listed] = (uint32_t)(first + k);
        listed += !(solid[slot[4 * k]] > RV_SPLAT_NEAR);
    }
    return listed;
}

INLINE int near_of(const rv_splat_grid *g, const float *solid, const float *particle, int count,
                   uint32_t *list, int axes)
{
    const size_t size = axes == 3 ? 8 : 4;
    const int32_t steps[4] = {1, (int32_t)g->pitch, axes == 3 ? (int32_t)g->layer : 0, 0};
    const quad_ints step = quad_ints_same(steps);
    const float *from = solid + g->origin;
    int i = 0, listed = 0;
    for (; i + QUADS <= count; i += QUADS)
        listed +=
            near_of_some(from, step, particle + size * (size_t)i, QUADS, i, list + listed, axes);
    if (i < count)
        listed += near_of_some(from, step, particle + size * (size_t)i, count - i, i, list + listed,
                               axes);
    return listed;
}

void PASTE(rv_splat_bins_, RV_ISA)(const rv_splat_grid *g, const float *particle, int count,
                                   uint32_t *bin);
void PASTE(rv_splat_bins_, RV_ISA)(const rv_splat_grid *g, const float *particle, int count,
                                   uint32_t *bin)
{
    if (g->axes == 3)
        bins_of(g, particle, count, bin, 3);
    else
        bins_of(g, particle, count, bin, 2);
}

int PASTE(rv_splat_near_, RV_ISA)(const rv_splat_grid *g, const float *solid, const float *particle,
                                  int count, uint32_t *list);
int PASTE(rv_splat_near_, RV_ISA)(const rv_splat_grid *g, const float *solid, const float *particle,
                                  int count, uint32_t *list)
{
    return g->axes == 3 ? near_of(g, solid, particle, count, list, 3)
                        : near_of(g, solid, particle, count, list, 2);
}
