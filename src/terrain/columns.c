// Columns in planes: layout, the simple terrain of heights, and finding the column under a point.
#include "terrain/columns.h"

#include "base/memory.h"

#include <math.h>

typedef struct rectangle {
    int x0, y0, x1, y1; // half open
} rectangle;

static rectangle bounds_above(const rv_grid *g, const uint8_t *count, int plane)
{
    rectangle r = {g->nx, g->ny, 0, 0};
    for (int y = 0; y < g->ny; y++) {
        for (int x = 0; x < g->nx; x++) {
            if (count[(size_t)y * (size_t)g->nx + (size_t)x] <= plane) continue;
            if (x < r.x0) r.x0 = x;
            if (x >= r.x1) r.x1 = x + 1;
            if (y < r.y0) r.y0 = y;
            if (y >= r.y1) r.y1 = y + 1;
        }
    }
    return r;
}

static size_t place(rv_plane *plane, rectangle r, size_t first)
{
    *plane = (rv_plane){r.x0, r.y0, r.x1 - r.x0, r.y1 - r.y0, 0, 0};
    plane->pitch = 16 + (plane->nx + 1 + 15) / 16 * 16;
    plane->offset = first + (size_t)plane->pitch + 16;
    return first + (size_t)(plane->ny + 2) * (size_t)plane->pitch + 16;
}

rv_result rv_columns_layout(rv_column_set *set, const rv_grid *grid, const uint8_t *count,
                            const rv_allocator *allocator)
{
    *set = (rv_column_set){.grid = *grid, .allocator = *allocator};
    size_t cells = (size_t)grid->nx * (size_t)grid->ny, end = 0;
    int most = 0;
    for (size_t i = 0; i < cells; i++) {
        int n = count[i] < RV_LAYERS_MAX ? count[i] : RV_LAYERS_MAX;
        if (n > most) most = n;
        set->cells_with[n]++;
        set->columns += n;
    }
    for (int p = 0; p < most; p++)
        end = place(&set->plane[set->planes++], bounds_above(grid, count, p), end);
    if (most == 0) end = place(&set->plane[set->planes++], (rectangle){0, 0, 1, 1}, 0);
    set->slots = (end + 15) / 16 * 16;
    if (set->slots >= UINT32_MAX) return RV_OUT_OF_MEMORY;
    set->min = rv_new(allocator, set->slots, sizeof(float));
    set->base = rv_new(allocator, set->slots, sizeof(float));
    set->max = rv_new(allocator, set->slots, sizeof(float));
    if (!set->min || !set->base || !set->max) {
        rv_columns_free(set);
        return RV_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < set->slots; i++) set->max[i] = -1.0f;
    return RV_OK;
}

rv_result rv_columns_from_heights(rv_column_set *set, const rv_grid *grid, const float *heights,
                                  const rv_allocator *allocator)
{
    size_t cells = (size_t)grid->nx * (size_t)grid->ny;
    uint8_t *count = rv_new(allocator, cells, 1);
    if (!count) return RV_OUT_OF_MEMORY;
    // judged by the rounded heights, which are what the columns will have
    double top = rv_grid_snap(grid, grid->top), bottom = rv_grid_snap(grid, grid->bottom);
    for (size_t i = 0; i < cells; i++)
        count[i] = fmax(rv_grid_snap(grid, (double)heights[i]), bottom) < top;
    rv_result result = rv_columns_layout(set, grid, count, allocator);
    for (int y = 0; result == RV_OK && y < grid->ny; y++) {
        for (int x = 0; x < grid->nx; x++) {
            size_t i = (size_t)y * (size_t)grid->nx + (size_t)x;
            if (!count[i]) continue;
            size_t slot = rv_slot(&set->plane[0], x, y);
            set->min[slot] = (float)grid->bottom;
            set->base[slot] = heights[i] > (float)grid->bottom ? heights[i] : (float)grid->bottom;
            set->max[slot] = (float)grid->top;
        }
    }
    rv_free(allocator, count, cells, 1);
    if (result == RV_OK) rv_columns_snap(set);
    return result;
}

void rv_columns_snap(rv_column_set *set)
{
    for (size_t i = 0; i < set->slots; i++) {
        if (!rv_column_exists(set, i)) continue;
        set->min[i] = (float)rv_grid_snap(&set->grid, (double)set->min[i]);
        set->base[i] = (float)rv_grid_snap(&set->grid, (double)set->base[i]);
        set->max[i] = (float)rv_grid_snap(&set->grid, (double)set->max[i]);
    }
}

void rv_columns_free(rv_column_set *set)
{
    rv_free(&set->allocator, set->min, set->slots, sizeof(float));
    rv_free(&set->allocator, set->base, set->slots, sizeof(float));
    rv_free(&set->allocator, set->max, set->slots, sizeof(float));
    set->min = set->base = set->max = NULL;
}

int rv_columns_below(const rv_column_set *set, int x, int y, double z)
{
    int found = -1;
    for (int p = 0; p < set->planes; p++) {
        if (!rv_plane_has(&set->plane[p], x, y)) break;
        size_t slot = rv_slot(&set->plane[p], x, y);
        if (!rv_column_exists(set, slot) || (double)set->base[slot] > z) break;
        found = p;
    }
    return found;
}
