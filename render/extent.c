// Finds the lowest and the highest bed, and the peaks that must be in the picture.
#include "render/extent.h"

static bool closed_above(const rv_columns *c, int x, int y)
{
    for (int l = c->planes - 1; l >= 0; l--) {
        if (!rv_plane_has(&c->plane[l], x, y)) continue;
        size_t s = rv_slot(&c->plane[l], x, y);
        if (c->max[s] > c->base[s]) return (double)c->max[s] < c->top - 1e-3 * c->dx;
    }
    return true;
}

static float *peak_at(rv_extent *e, const rv_columns *c, int x, int y)
{
    int side = RV_EXTENT_PEAKS;
    return &e->peak[y * side / c->ny * side + x * side / c->nx];
}

static void take_plane(rv_extent *e, const rv_columns *c, const rv_plane *plane)
{
    for (int y = plane->y0; y < plane->y0 + plane->ny; y++) {
        for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
            size_t s = rv_slot(plane, x, y);
            if (c->max[s] <= c->base[s]) continue;
            float base = (float)(((double)c->base[s] - c->bottom) / c->dx);
            float depth = (float)((double)c->depth[s] / c->dx), *peak = peak_at(e, c, x, y);
            e->low = minf(e->low, base), e->high = maxf(e->high, base);
            *peak = maxf(*peak, base + maxf(depth, 0));
        }
    }
}

void rv_extent_find(rv_extent *e, const rv_columns *c)
{
    *e = (rv_extent){.x0 = c->x0, .y0 = c->y0, .bottom = c->bottom, .dx = c->dx};
    e->wide = (float)c->nx, e->deep = (float)c->ny;
    e->top = (float)((c->top - c->bottom) / c->dx);
    e->low = INFINITY, e->high = -INFINITY;
    for (int n = 0; n < RV_EXTENT_PEAKS * RV_EXTENT_PEAKS; n++) e->peak[n] = -INFINITY;
    for (int l = 0; l < c->planes; l++) take_plane(e, c, &c->plane[l]);
    // Cells without a column, or closed above their last one, are solid up to the top of the grid.
    for (int y = 0; y < c->ny; y++) {
        for (int x = 0; x < c->nx; x++) {
            if (!closed_above(c, x, y)) continue;
            e->high = maxf(e->high, e->top);
            *peak_at(e, c, x, y) = e->top;
        }
    }
    if (e->low == INFINITY) e->low = 0;
    if (e->high == -INFINITY) e->high = e->low;
    e->floor = e->low - 0.045f * maxf(e->wide, e->deep);
}
