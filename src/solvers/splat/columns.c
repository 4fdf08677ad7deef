// Particles seen as columns: what queries, statistics, sources and drains of the world ask for. The
// depth of a column is the volume of its particles, and of what is owed to it, over its area; its
// flux is their volume times their velocity.
#include "solvers/splat/splat.h"

#include <string.h>

// Form height has one column a cell: the highest, if nothing but sky is over it.
void rv_splat_find_sky(rv_solver *s, rv_rect cells)
{
    const rv_column_set *set = s->columns;
    for (int y = cells.y0; y < cells.y1 && y < s->grid.n[1]; y++)
        for (int x = cells.x0; x < cells.x1 && x < s->grid.n[0]; x++) {
            size_t *sky = &s->sky[(size_t)y * (size_t)s->grid.n[0] + (size_t)x];
            *sky = SIZE_MAX;
            for (int l = 0; l < set->planes; l++) {
                if (!rv_plane_has(&set->plane[l], x, y)) continue;
                size_t slot = rv_slot(&set->plane[l], x, y);
                if (rv_column_exists(set, slot)) *sky = slot;
            }
        }
}

// Column of the cell (x, y) that height z is in: the highest with its bed at or below it, else the
// lowest.
static bool column_at(const rv_solver *s, int x, int y, float z, size_t *slot)
{
    const rv_column_set *set = s->columns;
    bool any = false;
    for (int l = set->planes - 1; l >= 0; l--) {
        if (!rv_plane_has(&set->plane[l], x, y)) continue;
        size_t i = rv_slot(&set->plane[l], x, y);
        if (!rv_column_exists(set, i)) continue;
        any = true, *slot = i;
        if (set->base[i] <= z) break;
    }
    return any;
}

bool rv_splat_column_of(const rv_solver *s, const float *p, size_t *slot)
{
    const rv_splat_grid *g = &s->grid;
    for (int c = 0; c < g->axes; c++)
        if (!(p[c] >= 0.0f && p[c] < (float)g->n[c])) return false;
    int x = (int)p[0], y = g->up == 1 ? 0 : (int)p[1];
    if (g->up < 0) {
        *slot = s->sky[(size_t)y * (size_t)g->n[0] + (size_t)x];
        return *slot != SIZE_MAX;
    }
    return column_at(s, x, y, (float)(s->low[g->up] + (double)p[g->up] * s->dx), slot);
}

void rv_splat_columns(rv_solver *s)
{
    size_t slots = s->columns->slots;
    int size = rv_splat_size(s);
    float deep = (float)(s->each / (s->dx * s->dx)), flow = (float)(s->each / s->dx);
    memset(s->depth, 0, slots * sizeof *s->depth);
    memset(s->flux_x, 0, slots * sizeof *s->flux_x);
    memset(s->flux_y, 0, slots * sizeof *s->flux_y);
    for (int64_t i = 0; i < s->count; i++) {
        const float *p = rv_splat_particle(s, i);
        size_t slot;
        if (!rv_splat_column_of(s, p, &slot)) continue;
        s->depth[slot] += 1.0f; // whole numbers: exact
        s->flux_x[slot] += p[size];
        if (s->grid.up != 1) s->flux_y[slot] += p[size + 1];
    }
    for (size_t i = 0; i < slots; i++) {
        s->depth[i] = s->depth[i] * deep + s->owed[i];
        s->flux_x[i] *= flow, s->flux_y[i] *= flow;
    }
    s->columns_fresh = true;
}
