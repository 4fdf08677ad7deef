// Columns in planes: layout, the simple terrain of heights, and finding the column under a point.
#include "terrain/columns.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

rv_rect rv_rect_join(rv_rect a, rv_rect b)
{
    if (a.x1 <= a.x0) return b;
    if (b.x1 <= b.x0) return a;
    return (rv_rect){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0,
                     a.x1 > b.x1 ? a.x1 : b.x1, a.y1 > b.y1 ? a.y1 : b.y1};
}

static rv_rect bounds_above(const rv_grid *g, const uint8_t *count, int plane)
{
    rv_rect r = {g->nx, g->ny, 0, 0};
    rv_rows own = rv_grid_own(g);
    for (int y = own.from; y < own.to; y++) {
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

// Of the rows that are here.
static size_t place(rv_plane *plane, const rv_grid *g, rv_rect r, size_t first)
{
    rv_rows here = rv_rows_both((rv_rows){r.y0, r.y1}, rv_grid_kept(g));
    r.x0 -= r.x0 % g->begin;
    *plane = (rv_plane){r.x0, here.from, r.x1 - r.x0, here.to - here.from, 0, 0};
    plane->pitch = 16 + (plane->nx + 1 + 15) / 16 * 16;
    plane->offset = first + (size_t)plane->pitch + 16;
    return first + (size_t)(plane->ny + 2) * (size_t)plane->pitch + 16;
}

#define PIECE 65536 // slots

static void empty_slots(void *context, int task)
{
    const rv_column_set *set = context;
    size_t first = (size_t)task * PIECE,
           end = first + PIECE < set->slots ? first + PIECE : set->slots;
    for (size_t i = first; i < end; i++) set->max[i] = -1.0f;
}

static bool take_arrays(rv_column_set *set, rv_pool *pool)
{
    const rv_allocator *a = &set->allocator;
    set->min = rv_new_wide(a, pool, set->slots, sizeof(float));
    set->base = rv_new_wide(a, pool, set->slots, sizeof(float));
    set->max = rv_new_wide(a, pool, set->slots, sizeof(float));
    if (!set->min || !set->base || !set->max) {
        rv_columns_free(set);
        return false;
    }
    rv_parallel_for(pool, (int)((set->slots + PIECE - 1) / PIECE), empty_slots, set);
    return true;
}

// The counts and the planes of all ranks, by those of each.
static void join_ranks(rv_column_set *set, rv_rect bounds[RV_LAYERS_MAX], int *most)
{
    rv_cut *cut = set->grid.cut;
    double ends[4 * RV_LAYERS_MAX + 1];
    int64_t counts[RV_LAYERS_MAX + 2] = {set->columns};
    for (int p = 0; p < RV_LAYERS_MAX; p++) {
        const rv_rect *r = &bounds[p];
        const double own[4] = {-r->x0, -r->y0, r->x1, r->y1};
        memcpy(ends + 4 * p, own, sizeof own);
    }
    ends[4 * RV_LAYERS_MAX] = *most;
    rv_cut_greatest(cut, ends, 4 * RV_LAYERS_MAX + 1);
    for (int p = 0; p < RV_LAYERS_MAX; p++)
        bounds[p] = (rv_rect){(int)-ends[4 * p], (int)-ends[4 * p + 1], (int)ends[4 * p + 2],
                              (int)ends[4 * p + 3]};
    *most = (int)ends[4 * RV_LAYERS_MAX];
    memcpy(counts + 1, set->cells_with, sizeof set->cells_with);
    rv_cut_sum(cut, counts, RV_LAYERS_MAX + 2);
    set->columns = counts[0];
    memcpy(set->cells_with, counts + 1, sizeof set->cells_with);
}

rv_result rv_columns_layout(rv_column_set *set, const rv_grid *grid, const uint8_t *count,
                            rv_pool *pool, const rv_allocator *allocator)
{
    *set = (rv_column_set){.grid = *grid, .allocator = *allocator};
    rv_rows own = rv_grid_own(grid);
    rv_rect bounds[RV_LAYERS_MAX];
    size_t nx = (size_t)grid->nx, end = 0;
    int most = 0;
    for (size_t i = (size_t)own.from * nx; i < (size_t)own.to * nx; i++) {
        int n = count[i] < RV_LAYERS_MAX ? count[i] : RV_LAYERS_MAX;
        if (n > most) most = n;
        set->cells_with[n]++;
        set->columns += n;
    }
    for (int p = 0; p < RV_LAYERS_MAX; p++)
        bounds[p] = p < most ? bounds_above(grid, count, p) : (rv_rect){grid->nx, grid->ny, 0, 0};
    if (grid->cut) join_ranks(set, bounds, &most);
    for (int p = 0; p < most; p++) end = place(&set->plane[set->planes++], grid, bounds[p], end);
    if (most == 0) end = place(&set->plane[set->planes++], grid, (rv_rect){0, 0, 1, 1}, 0);
    set->slots = (end + 15) / 16 * 16;
    if (set->slots >= UINT32_MAX) return RV_OUT_OF_MEMORY;
    return take_arrays(set, pool) ? RV_OK : RV_OUT_OF_MEMORY;
}

// Columns of one layer, row by row.
typedef struct heights {
    rv_column_set *set;
    const rv_grid *grid;
    const float *height;
    uint8_t *count; // of each cell
    int from;       // the first row
} heights;

// Judged by the rounded heights, which are what the columns will have.
static void count_row(void *context, int y)
{
    const heights *h = context;
    const rv_grid *g = h->grid;
    const double step = rv_grid_step(g);
    double top = rv_snap(step, g->top), bottom = rv_snap(step, g->bottom);
    size_t first = (size_t)y * (size_t)g->nx;
    for (size_t i = first; i < first + (size_t)g->nx; i++)
        h->count[i] = fmax(rv_snap(step, (double)h->height[i]), bottom) < top;
}

static void put_row(void *context, int task)
{
    const heights *h = context;
    const rv_grid *g = h->grid;
    const double step = rv_grid_step(g);
    const float top = (float)rv_snap(step, (double)(float)g->top);
    const float bottom = (float)rv_snap(step, (double)(float)g->bottom);
    int y = h->from + task;
    for (int x = 0; x < g->nx; x++) {
        size_t i = (size_t)y * (size_t)g->nx + (size_t)x;
        if (!h->count[i]) continue;
        size_t slot = rv_slot(&h->set->plane[0], x, y);
        float base = h->height[i] > (float)g->bottom ? h->height[i] : (float)g->bottom;
        h->set->min[slot] = bottom, h->set->max[slot] = top;
        h->set->base[slot] = (float)rv_snap(step, (double)base);
    }
}

rv_result rv_columns_from_heights(rv_column_set *set, const rv_grid *grid, const float *height,
                                  rv_pool *pool, const rv_allocator *allocator)
{
    size_t cells = (size_t)grid->nx * (size_t)grid->ny;
    rv_rows kept = rv_grid_kept(grid);
    heights h = {set, grid, height, rv_new_wide(allocator, pool, cells, 1), kept.from};
    if (!h.count) return RV_OUT_OF_MEMORY;
    rv_parallel_for(pool, grid->ny, count_row, &h);
    rv_result result = rv_columns_layout(set, grid, h.count, pool, allocator);
    if (result == RV_OK) rv_parallel_for(pool, kept.to - kept.from, put_row, &h);
    rv_free(allocator, h.count, cells, 1);
    return result;
}

void rv_columns_put(rv_column_set *set, int x, int y, const float (*column)[3], int count)
{
    for (int l = 0; l < set->planes; l++) {
        if (!rv_plane_has(&set->plane[l], x, y)) continue;
        size_t slot = rv_slot(&set->plane[l], x, y);
        bool there = l < count;
        set->min[slot] = there ? column[l][0] : 0.0f;
        set->base[slot] = there ? column[l][1] : 0.0f;
        set->max[slot] = there ? column[l][2] : -1.0f;
    }
}

int rv_columns_get(const rv_column_set *set, int x, int y, float (*column)[3])
{
    int count = 0;
    for (int l = 0; l < set->planes; l++) {
        if (!rv_plane_has(&set->plane[l], x, y)) break;
        size_t slot = rv_slot(&set->plane[l], x, y);
        if (!rv_column_exists(set, slot)) break;
        column[count][0] = set->min[slot], column[count][1] = set->base[slot];
        column[count++][2] = set->max[slot];
    }
    return count;
}

void rv_columns_recount(rv_column_set *set, int before, int after)
{
    set->cells_with[before]--, set->cells_with[after]++;
    set->columns += after - before;
}

static rv_rect plane_rect(const rv_plane *p)
{
    return (rv_rect){p->x0, p->y0, p->x0 + p->nx, p->y0 + p->ny};
}

// With room around it, so that a drill on its way out does not need another layout for each cell.
#define ROOM 16 // cells

static rv_rect with_room(const rv_grid *g, rv_rect r)
{
    return (rv_rect){r.x0 > ROOM ? r.x0 - ROOM : 0, r.y0 > ROOM ? r.y0 - ROOM : 0,
                     r.x1 + ROOM < g->nx ? r.x1 + ROOM : g->nx,
                     r.y1 + ROOM < g->ny ? r.y1 + ROOM : g->ny};
}

static bool within(rv_rect inner, rv_rect outer)
{
    return inner.x0 >= outer.x0 && inner.y0 >= outer.y0 && inner.x1 <= outer.x1 &&
           inner.y1 <= outer.y1;
}

// What all ranks have of each plane, and what they need, together; without a cut, as they are.
static void join_rects(rv_cut *cut, rv_rect *rects, int count)
{
    double ends[8 * RV_LAYERS_MAX];
    const double far = 1e9; // of those that are empty
    if (!cut) return;
    for (int i = 0; i < count; i++) {
        const rv_rect *r = &rects[i];
        bool empty = r->x1 <= r->x0 || r->y1 <= r->y0;
        const double own[4] = {empty ? -far : -r->x0, empty ? -far : -r->y0, empty ? -far : r->x1,
                               empty ? -far : r->y1};
        memcpy(ends + 4 * i, own, sizeof own);
    }
    rv_cut_greatest(cut, ends, 4 * count);
    for (int i = 0; i < count; i++) {
        const double *e = ends + 4 * i;
        rects[i] = (rv_rect){0, 0, 0, 0};
        if (e[2] > 0) rects[i] = (rv_rect){(int)-e[0], (int)-e[1], (int)e[2], (int)e[3]};
    }
}

rv_result rv_columns_widen(rv_column_set *set, const rv_rect need[RV_LAYERS_MAX],
                           rv_column_set *old)
{
    rv_column_set fresh = *set;
    rv_rect rects[2 * RV_LAYERS_MAX] = {{0, 0, 0, 0}}, *wanted = rects + RV_LAYERS_MAX;
    size_t end = 0;
    fresh.planes = 0;
    for (int l = 0; l < set->planes; l++) rects[l] = plane_rect(&set->plane[l]);
    memcpy(wanted, need, RV_LAYERS_MAX * sizeof *need);
    join_rects(set->grid.cut, rects, 2 * RV_LAYERS_MAX);
    for (int l = 0; l < RV_LAYERS_MAX; l++) {
        rv_rect have = rects[l];
        bool wants = wanted[l].x1 > wanted[l].x0;
        if (l >= set->planes && !wants) break;
        if (wants && !within(wanted[l], have))
            have = with_room(&set->grid, rv_rect_join(have, wanted[l]));
        end = place(&fresh.plane[fresh.planes++], &set->grid, have, end);
    }
    fresh.slots = (end + 15) / 16 * 16;
    if (fresh.slots >= UINT32_MAX || !take_arrays(&fresh, NULL)) return RV_OUT_OF_MEMORY;
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *from = &set->plane[l], *to = &fresh.plane[l];
        for (int y = from->y0; y < from->y0 + from->ny; y++) {
            size_t a = rv_slot(from, from->x0, y), b = rv_slot(to, from->x0, y);
            size_t bytes = (size_t)from->nx * sizeof(float);
            memcpy(fresh.min + b, set->min + a, bytes);
            memcpy(fresh.base + b, set->base + a, bytes);
            memcpy(fresh.max + b, set->max + a, bytes);
        }
    }
    *old = *set, *set = fresh;
    return RV_OK;
}

void rv_columns_snap(rv_column_set *set)
{
    const double step = rv_grid_step(&set->grid);
    for (size_t i = 0; i < set->slots; i++) {
        if (!rv_column_exists(set, i)) continue;
        set->min[i] = (float)rv_snap(step, (double)set->min[i]);
        set->base[i] = (float)rv_snap(step, (double)set->base[i]);
        set->max[i] = (float)rv_snap(step, (double)set->max[i]);
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
