// What a snapshot of particles may hold: numbers, and such as particles can have. Its checksum is
// no seal.
#include "particles/splat.h"

#include <math.h>
#include <string.h>

// Particles are on the grid, or a little over a border that is open; all else is a number, and one
// after which the next step is no longer than any other.
static bool particles_good(const rv_splat *s, const rv_saved_field *f)
{
    int size = rv_splat_size(s), axes = s->grid.axes;
    for (uint64_t i = 0; i < f->count; i++) {
        float p[8] = {0};
        memcpy(p, f->from + i * 2 * (size_t)size * sizeof *p, 2 * (size_t)size * sizeof *p);
        for (int c = 0; c < axes; c++)
            if (!(p[c] >= -16.0f && p[c] <= (float)s->grid.n[c] + 16.0f)) return false;
        for (int c = axes; c < 2 * size; c++)
            if (!(fabsf(p[c]) <= 1e4f)) return false;
    }
    return true;
}

// Density is 1 where liquid is at rest, and of form height how many layers there are: waves are as
// fast as it is deep, so a depth of many grids would make the next step a long one. Only so many
// particles as stand deeper in one cell can make it: emitters know no top there.
static bool clock_good(const rv_splat *s, const unsigned char *from, uint64_t particles)
{
    const rv_grid *g = &s->columns->grid;
    const rv_params *p = &s->params;
    double tall = g->top - g->bottom, layer = p->splat_depth * p->splat_rest * s->dx;
    double volume = 4.0 * (g->nx + 2) * (g->ny + 2) * tall * g->dx * g->dx + s->each;
    double heap = (double)particles * s->each / (s->dx * s->dx * layer);
    double densest = s->grid.up < 0 ? fmax(16 * (tall / layer + 1), heap) : 1e4;
    rv_splat_clock clock;
    memcpy(&clock, from, sizeof clock);
    return clock.rate >= 0.0f && clock.rate <= 1e9f && clock.densest >= 0.0f &&
           (double)clock.densest <= densest && clock.fastest >= 0.0f && clock.fastest <= 1e4f &&
           fabs(clock.owed) <= volume && fabs(clock.due) <= volume;
}

bool rv_splat_state_good(const rv_solver *solver, const rv_saved_field *saved, int count)
{
    const rv_splat *s = (const rv_splat *)solver;
    double tall = 4 * (s->columns->grid.top - s->columns->grid.bottom);
    if (count < 6 || (count > 6 && !rv_saved_within(&saved[6], 0, 1e9))) return false;
    int air = rv_splat_air_field(s);
    if (air >= 0 && air < count && !rv_saved_within(&saved[air], 0, 1)) return false;
    return particles_good(s, &saved[0]) && rv_saved_within(&saved[1], -tall, tall) &&
           rv_saved_within(&saved[2], 0, 1e7) && rv_saved_within(&saved[3], -1e15, 1e15) &&
           rv_saved_within(&saved[4], -1e15, 1e15) && clock_good(s, saved[5].from, saved[0].count);
}
