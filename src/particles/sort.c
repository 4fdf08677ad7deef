// Particles in the order of where they are: a stable counting sort over bins of RV_SPLAT_BIN cells
// of a row, so that what is splatted and gathered together lies together in memory. A stable sort
// has one result, however many threads count, so the order of sums does not depend on them.
#include "particles/splat.h"

#include <string.h>

#define PARTS_MAX 8

static size_t row_bins(const rv_splat *s)
{
    return ((size_t)s->grid.n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
}

static uint32_t bin_of(const rv_splat *s, const float *p)
{
    uint32_t bin;
    s->rows->bins(&s->grid, p, 1, &bin);
    return bin;
}

// ---- Room ---------------------------------------------------------------------------------------

// Takes half as much again as there was, so that a jet does not ask for memory in every step.
rv_result rv_splat_room(rv_splat *s, int64_t count)
{
    if (count <= s->room) return RV_OK;
    if (count > s->params.splat_particles) return RV_OUT_OF_MEMORY;
    int64_t room = s->room * 3 / 2 > count ? s->room * 3 / 2 : count;
    if (room < 1024) room = 1024;
    if (room > s->params.splat_particles) room = s->params.splat_particles;
    size_t item = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    void *particle = rv_new(&s->allocator, (size_t)room, item);
    void *other = rv_new(&s->allocator, (size_t)room, item);
    void *bin = rv_new(&s->allocator, (size_t)room, sizeof *s->bin);
    size_t apart = rv_splat_air_apart(s) ? (size_t)room : 0, was = apart ? (size_t)s->room : 0;
    float *air = apart ? rv_new(&s->allocator, 2 * apart, sizeof *air) : NULL;
    if (!particle || !other || !bin || (apart && !air)) {
        rv_free(&s->allocator, particle, (size_t)room, item);
        rv_free(&s->allocator, other, (size_t)room, item);
        rv_free(&s->allocator, bin, (size_t)room, sizeof *s->bin);
        rv_free(&s->allocator, air, air ? 2 * apart : 0, sizeof *air);
        return RV_OUT_OF_MEMORY;
    }
    if (s->count > 0) memcpy(particle, s->particle, (size_t)s->count * item);
    if (s->count > 0 && apart) memcpy(air, s->air, (size_t)s->count * sizeof *air);
    rv_free(&s->allocator, s->air_room, 2 * was, sizeof *air);
    s->air = s->air_room = air, s->other_air = air ? air + apart : NULL;
    rv_free(&s->allocator, s->particle, (size_t)s->room, item);
    rv_free(&s->allocator, s->other, (size_t)s->room, item);
    rv_free(&s->allocator, s->bin, (size_t)s->room, sizeof *s->bin);
    s->particle = particle, s->other = other, s->bin = bin, s->room = room;
    return RV_OK;
}

// ---- Sorting ------------------------------------------------------------------------------------

static void part_of(const rv_splat *s, int part, int64_t *from, int64_t *to)
{
    *from = s->count * part / s->parts, *to = s->count * (part + 1) / s->parts;
}

static void count_part(void *context, int part)
{
    rv_splat *s = context;
    uint32_t *counts = s->counts + (size_t)part * s->bins;
    int64_t from, to;
    part_of(s, part, &from, &to);
    memset(counts, 0, s->bins * sizeof *counts);
    const uint32_t *bin = s->bin;
    if (!s->binned)
        s->rows->bins(&s->grid, rv_splat_particle(s, from), (int)(to - from), s->bin + from);
    for (int64_t i = from; i < to; i++)
        if (bin[i] != RV_SPLAT_GONE) counts[bin[i]]++;
}

static void place_part(void *context, int part)
{
    rv_splat *s = context;
    uint32_t *counts = s->counts + (size_t)part * s->bins;
    int64_t from, to;
    size_t bytes = 2 * (size_t)rv_splat_size(s) * sizeof(float);
    part_of(s, part, &from, &to);
    const uint32_t *bin = s->bin;
    const char *in = (const char *)s->particle;
    const float *air = rv_splat_foams(s) && rv_splat_air_apart(s) ? s->air : NULL;
    char *out = (char *)s->other;
    for (int64_t i = from; i < to; i++) {
        if (bin[i] == RV_SPLAT_GONE) continue;
        size_t to_place = counts[bin[i]]++;
        if (air) s->other_air[to_place] = air[i];
        if (bytes == 16) // a size that is known is one move
            memcpy(out + to_place * 16, in + (size_t)i * 16, 16);
        else
            memcpy(out + to_place * 32, in + (size_t)i * 32, 32);
    }
}

static void swap_air(rv_splat *s)
{
    float *air = s->air;
    if (rv_splat_foams(s)) s->air = s->other_air, s->other_air = air;
}

void rv_splat_sort(rv_splat *s)
{
    int threads = rv_pool_threads(s->pool);
    s->parts = threads < PARTS_MAX ? threads : PARTS_MAX;
    if (s->count == 0) {
        s->sorted = 0, s->binned = false;
        memset(s->first, 0, (s->bins + 1) * sizeof *s->first);
        return;
    }
    rv_parallel_for(s->pool, s->parts, count_part, s);
    uint32_t sum = 0;
    for (size_t b = 0; b < s->bins; b++) {
        s->first[b] = sum;
        for (int part = 0; part < s->parts; part++) {
            uint32_t *count = &s->counts[(size_t)part * s->bins + b], own = *count;
            *count = sum, sum += own;
        }
    }
    s->first[s->bins] = sum;
    rv_parallel_for(s->pool, s->parts, place_part, s);
    float *sorted = s->other;
    s->other = s->particle, s->particle = sorted;
    swap_air(s);
    s->count = s->sorted = sum;
    s->binned = false;
    s->sent = 0; // in another order now
}

// Back to the order before the last sort, which is still in the other array: who only looks at the
// particles leaves the state as it was. The first `sorted` of them are in the order of their bins.
void rv_splat_unsort(rv_splat *s, int64_t count, int64_t sorted)
{
    float *before = s->other;
    size_t bin = 0;
    s->other = s->particle, s->particle = before;
    swap_air(s);
    s->count = count, s->sorted = sorted;
    for (int64_t i = 0; i < sorted; i++)
        for (size_t own = bin_of(s, rv_splat_particle(s, i)); bin <= own && bin < s->bins;)
            s->first[bin++] = (uint32_t)i;
    while (bin <= s->bins) s->first[bin++] = (uint32_t)sorted;
}

// ---- Slabs --------------------------------------------------------------------------------------

// Particles in rows [0, a) along the second axis, all layers.
static int64_t particles_in(const rv_splat *s, int a)
{
    const rv_splat_grid *g = &s->grid;
    size_t wide = row_bins(s);
    int64_t sum = 0;
    for (int b = 0; b < (g->axes == 3 ? g->n[2] : 1); b++) {
        size_t row = (size_t)b * (size_t)g->n[1] + (size_t)a;
        sum += (int64_t)s->first[row * wide] - (int64_t)s->first[(row - 1) * wide];
    }
    return sum;
}

// Slabs along the second axis for splatting: at least as thick as the reach of two particles, so
// that every second one can be worked on at the same time, and of about equal numbers of particles.
// They follow from the particles alone, not from the number of threads: the order of sums does too.
void rv_splat_slabs(rv_splat *s)
{
    int thick = 2 * s->law.reach, rows = s->grid.n[1], most = RV_SPLAT_SLABS;
    int64_t share = s->count / 24 + 1, own = 0;
    s->slabs = 0, s->slab[0] = 0;
    for (int a = 1; a <= rows; a++) {
        own += particles_in(s, a);
        int from = s->slab[s->slabs];
        bool full = a - from >= thick && own >= share && rows - a >= thick;
        if (a < rows && !(full && s->slabs + 1 < most)) continue;
        s->slab[++s->slabs] = a;
        own = 0;
    }
}
