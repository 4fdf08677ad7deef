// Particles seen as columns: what queries, statistics, sources and drains of the world ask for. The
// depth of a column is the volume of the liquid over its bed, and of what is owed to it, over its
// area; its flux is that volume times its velocity.
#include "particles/card/card.h"
#include "particles/splat.h"

#include <math.h>
#include <string.h>

// Form height has one column a cell: the highest, if nothing but sky is over it.
void rv_splat_find_sky(rv_splat *s, rv_rect cells)
{
    const rv_column_set *set = s->columns;
    int first_x = cells.x0 > 0 ? cells.x0 : 0, first_y = cells.y0 > 0 ? cells.y0 : 0;
    if (s->card) s->card->sheet.sky_fresh = false;
    for (int y = first_y; y < cells.y1 && y < s->grid.n[1]; y++)
        for (int x = first_x; x < cells.x1 && x < s->grid.n[0]; x++) {
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
static bool column_at(const rv_splat *s, int x, int y, float z, size_t *slot)
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

bool rv_splat_column_of(const rv_splat *s, const float *p, size_t *slot)
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

// The cells of a row that may hold something.
static void cells_of(const rv_splat *s, int a, int b, int *low, int *high)
{
    rv_splat_span span = s->span[rv_splat_row(&s->grid, a, b)];
    *low = span.low > 0 ? span.low : 0, *high = span.high;
    if (*high > s->grid.n[0]) *high = s->grid.n[0];
}

#define NO_COLUMN UINT32_MAX
#define CELLS 64 // of a row that are looked at together

// The columns that `count` cells of a row stand in, NO_COLUMN: none; as column_at, from the middles
// of the cells, plane after plane from the lowest up.
static void columns_of(const rv_splat *s, int a, int b, int x, int count, uint32_t out[CELLS])
{
    const rv_splat_grid *g = &s->grid;
    const rv_column_set *set = s->columns;
    int y = g->up == 1 ? 0 : a, k = g->up == 1 ? a : b;
    const size_t *sky = g->up < 0 ? s->sky + (size_t)y * (size_t)g->n[0] + (size_t)x : NULL;
    for (int i = 0; i < count; i++)
        out[i] = sky && sky[i] != SIZE_MAX ? (uint32_t)sky[i] : NO_COLUMN;
    if (sky) return;
    float z = (float)(s->low[g->up] + (k + 0.5) * s->dx);
    for (int l = 0; l < set->planes; l++) {
        const rv_plane *p = &set->plane[l];
        int low = p->x0 > x ? p->x0 - x : 0, high = p->x0 + p->nx - x;
        if (y < p->y0 || y >= p->y0 + p->ny || low >= high) continue;
        if (high > count) high = count;
        size_t slot = rv_slot(p, x + low, y);
        const float *base = set->base + slot, *max = set->max + slot;
        for (int i = low; i < high; i++) {
            bool in = (out[i] == NO_COLUMN) | (base[i - low] <= z);
            in = in & (max[i - low] > base[i - low]);
            out[i] = in ? (uint32_t)slot + (uint32_t)(i - low) : out[i];
        }
    }
}

// Adds the weight of a cell, and its motion, to a column.
static inline void add_cell(rv_splat *s, size_t at, size_t slot, float w)
{
    s->depth[slot] += w;
    if (s->narrow) w = 1.0f; // its motion is a sum
    s->flux_x[slot] += w * s->f.motion[0][at];
    if (s->grid.up != 1) s->flux_y[slot] += w * s->f.motion[1][at];
}

// One row of the grid; returns the sum of its weights. In form height that is one of whole numbers,
// which a card has in any order.
static double add_row(rv_splat *s, int a, int b)
{
    size_t row = rv_splat_slot(&s->grid, 0, a, b);
    bool flat = s->grid.up < 0;
    double sum = 0;
    int low, high;
    cells_of(s, a, b, &low, &high);
    for (int from = low; from < high; from += CELLS) {
        uint32_t slot[CELLS];
        int count = high - from < CELLS ? high - from : CELLS;
        size_t at = row + (size_t)from;
        columns_of(s, a, b, from, count, slot);
        for (int i = 0; i < count; i++) {
            float w = s->f.weight[at + (size_t)i];
            if (!(w > 0.0f) || slot[i] == NO_COLUMN) continue;
            add_cell(s, at + (size_t)i, slot[i], w);
            sum += flat ? floor((double)(w * RV_SPLAT_PARTS + 0.5f)) : (double)w;
        }
    }
    return flat ? sum / (double)RV_SPLAT_PARTS : sum;
}

// The rows of a y, which have columns of their own; their sums are put together later, in one
// order.
static void add_rows(void *context, int a)
{
    rv_splat *s = context;
    for (int b = 0; b < (s->grid.axes == 3 ? s->grid.n[2] : 1); b++)
        s->row_sum[(size_t)b * (size_t)s->grid.n[1] + (size_t)a] = add_row(s, a, b);
}

static double add_all(rv_splat *s)
{
    int rows = s->grid.n[1], layers = s->grid.axes == 3 ? s->grid.n[2] : 1;
    double sum = 0;
    rv_parallel_for(s->pool, rows, add_rows, s);
    for (int b = 0; b < layers; b++)
        for (int a = 0; a < rows; a++) sum += s->row_sum[(size_t)b * (size_t)rows + (size_t)a];
    return sum;
}

// In a vertical plane all rows stand over the same columns: first which column each cell is in, and
// the sums of rows, row by row; then the columns, by their x, from the lowest row up.
#define X_A_TASK 32

static void find_row(void *context, int a)
{
    rv_splat *s = context;
    size_t row = rv_splat_slot(&s->grid, 0, a, 0);
    double sum = 0;
    int low, high;
    cells_of(s, a, 0, &low, &high);
    for (int from = low; from < high; from += CELLS) {
        int count = high - from < CELLS ? high - from : CELLS;
        uint32_t *slot = s->column_of + row + from;
        columns_of(s, a, 0, from, count, slot);
        for (int i = 0; i < count; i++) {
            float w = s->f.weight[row + (size_t)(from + i)];
            if (!(w > 0.0f)) slot[i] = NO_COLUMN;
            if (slot[i] != NO_COLUMN) sum += (double)w;
        }
    }
    s->row_sum[a] = sum;
}

static void add_some(void *context, int item)
{
    rv_splat *s = context;
    int first = item * X_A_TASK, last = first + X_A_TASK;
    for (int a = 0; a < s->grid.n[1]; a++) {
        size_t row = rv_splat_slot(&s->grid, 0, a, 0);
        int low, high;
        cells_of(s, a, 0, &low, &high);
        for (int x = low > first ? low : first; x < high && x < last; x++) {
            uint32_t slot = s->column_of[row + (size_t)x];
            if (slot != NO_COLUMN) add_cell(s, row + (size_t)x, slot, s->f.weight[row + (size_t)x]);
        }
    }
}

static double add_plane(rv_splat *s)
{
    double sum = 0;
    rv_parallel_for(s->pool, s->grid.n[1], find_row, s);
    rv_parallel_for(s->pool, (s->grid.n[0] + X_A_TASK - 1) / X_A_TASK, add_some, s);
    for (int a = 0; a < s->grid.n[1]; a++) sum += s->row_sum[a];
    return sum;
}

// What weights are in m, and motion in m²/s, if they are of `count` particles and their sum is `sum`.
void rv_splat_columns_scale(const rv_splat *s, double sum, int64_t count, float *deep, float *flow)
{
    double scale = sum > 0 ? (double)count * s->each / sum : 0;
    *deep = (float)(scale / (s->dx * s->dx)), *flow = (float)(scale / s->dx);
}

// From the weights and velocities of the last splat: smooth, where counting particles would show
// their lattice. Scaled so that all columns together hold the volume of all particles.
void rv_splat_columns(rv_splat *s)
{
    size_t slots = s->columns->slots;
    memset(s->depth, 0, slots * sizeof *s->depth);
    memset(s->flux_x, 0, slots * sizeof *s->flux_x);
    memset(s->flux_y, 0, slots * sizeof *s->flux_y);
    double sum = s->grid.up == 1 ? add_plane(s) : add_all(s);
    float deep, flow;
    rv_splat_columns_scale(s, sum, s->count, &deep, &flow);
    for (size_t i = 0; i < slots; i++) {
        s->depth[i] = s->depth[i] * deep + s->owed[i];
        s->flux_x[i] *= flow, s->flux_y[i] *= flow;
    }
}
