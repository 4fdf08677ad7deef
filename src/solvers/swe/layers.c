// Terrain with several columns in a cell. This solver has one layer: what is seen from above. The
// liquid of a cell is that of its topmost column, those below stay dry and take nothing. Inside,
// all cells stand in the layout of the lowest plane; where any has more columns, what others see of
// the depths and fluxes is written out by slot after every substep.
#include "solvers/swe/swe.h"

#include <string.h>

static uint32_t top_of(const rv_column_set *c, int x, int y)
{
    uint32_t top = RV_NO_SLOT;
    for (int p = 0; p < c->planes; p++) {
        if (!rv_plane_has(&c->plane[p], x, y)) break;
        size_t slot = rv_slot(&c->plane[p], x, y);
        if (!rv_column_exists(c, slot)) break;
        top = (uint32_t)slot;
    }
    return top;
}

static uint32_t count_raised(const rv_solver *s)
{
    const rv_column_set *c = s->columns;
    uint32_t n = 0;
    if (c->planes < 2) return 0;
    const rv_plane *second = &c->plane[1];
    for (int y = second->y0; y < second->y0 + second->ny; y++)
        for (int x = second->x0; x < second->x0 + second->nx; x++)
            n += rv_column_exists(c, rv_slot(second, x, y));
    return n;
}

rv_result rv_swe_find_raised(rv_solver *s)
{
    const rv_column_set *c = s->columns;
    const rv_allocator *a = &s->allocator;
    uint32_t need = count_raised(s);
    if (need > s->raised_capacity) {
        rv_swe_raised *list = rv_new(a, need, sizeof *list);
        if (!list) return RV_OUT_OF_MEMORY;
        rv_free(a, s->raised, s->raised_capacity, sizeof *list);
        s->raised = list, s->raised_capacity = need;
    }
    if (need > 0 && !s->seen) {
        s->seen = rv_new(a, 4 * s->slots, sizeof *s->seen);
        if (!s->seen) return RV_OUT_OF_MEMORY;
    }
    s->raised_count = 0;
    if (need == 0) return RV_OK;
    const rv_plane *second = &c->plane[1];
    for (int y = second->y0; y < second->y0 + second->ny; y++)
        for (int x = second->x0; x < second->x0 + second->nx; x++)
            if (rv_column_exists(c, rv_slot(second, x, y)))
                s->raised[s->raised_count++] =
                    (rv_swe_raised){(uint32_t)rv_slot(&c->plane[0], x, y), top_of(c, x, y)};
    return RV_OK;
}

uint32_t rv_swe_flat(const rv_solver *s, size_t slot)
{
    const rv_column_set *c = s->columns;
    if (slot >= s->slots || !rv_column_exists(c, slot)) return RV_NO_SLOT;
    if (s->raised_count == 0) return (uint32_t)slot;
    int p = c->planes - 1;
    while (p > 0 && slot < c->plane[p].offset) p--;
    const rv_plane *plane = &c->plane[p];
    size_t ahead = slot - plane->offset;
    int x = plane->x0 + (int)(ahead % (size_t)plane->pitch);
    int y = plane->y0 + (int)(ahead / (size_t)plane->pitch);
    return top_of(c, x, y) == slot ? (uint32_t)rv_slot(&c->plane[0], x, y) : RV_NO_SLOT;
}

void rv_swe_see(rv_solver *s)
{
    if (s->raised_count == 0) return;
    const float *own[3] = {s->depth, s->flux_x, s->flux_y};
    for (int k = 0; k < 3; k++) {
        float *seen = s->seen + (size_t)k * s->slots;
        memcpy(seen, own[k], s->slots * sizeof *seen);
        for (uint32_t i = 0; i < s->raised_count; i++) {
            rv_swe_raised r = s->raised[i];
            seen[r.flat] = 0.0f;
            seen[r.top] = own[k][r.flat];
        }
    }
}

const float *rv_swe_pressed(const rv_solver *s)
{
    if (!s->press || s->raised_count == 0) return s->press;
    return s->seen + 3 * s->slots;
}
