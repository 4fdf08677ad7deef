// The grid pass (splat paper §1.4): sums to velocity and density, pressure, forces, walls. Rows are
// worked on by all threads; a pass reads only what the pass before it wrote, so any number of
// threads gives the same bits. step.c has the formulas.
#include "particles/splat.h"

#include <string.h>

#define ROWS_A_TASK 8
#define BESIDE                                                                                     \
    2 // cells beyond those that particles reach, so that differences there are of nothing

// ---- Where there is something -------------------------------------------------------------------

static rv_splat_span join(rv_splat_span a, rv_splat_span b)
{
    if (a.low >= a.high) return b;
    if (b.low >= b.high) return a;
    return (rv_splat_span){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

// The bins of a row that hold particles, as cells.
static rv_splat_span filled(const rv_splat *s, int a, int b)
{
    const rv_splat_grid *g = &s->grid;
    size_t wide = ((size_t)g->n[0] + RV_SPLAT_BIN - 1) / RV_SPLAT_BIN;
    const uint32_t *first = s->first + ((size_t)b * (size_t)g->n[1] + (size_t)a) * wide;
    size_t i = 0, j = wide;
    while (i < wide && first[i] == first[i + 1]) i++;
    while (j > i && first[j - 1] == first[j]) j--;
    if (i >= j) return (rv_splat_span){0, 0};
    int reach = s->law.reach + BESIDE;
    return (rv_splat_span){(int)i * RV_SPLAT_BIN - reach, (int)j * RV_SPLAT_BIN + reach};
}

// Spans of the rows that particles reach: those of their own rows, spread along the other axes.
void rv_splat_spans(rv_splat *s)
{
    const rv_splat_grid *g = &s->grid;
    int reach = s->law.reach + BESIDE, layers = g->axes == 3 ? g->n[2] : 1, rows = g->n[1];
    int around = g->axes == 3 ? g->pad : 0;
    memset(s->span, 0, s->span_count * sizeof *s->span);
    memset(s->span_next, 0, s->span_count * sizeof *s->span_next);
    for (int b = 0; b < layers; b++)
        for (int a = 0; a < rows; a++) {
            rv_splat_span own = filled(s, a, b);
            if (own.low >= own.high) continue;
            for (int i = a - reach; i <= a + reach; i++) {
                size_t row = rv_splat_row(g, i, b);
                s->span_next[row] = join(s->span_next[row], own);
            }
        }
    int above = g->axes == 3 ? reach : 0;
    for (int b = -around; b < layers + around; b++)
        for (int a = -g->pad; a < rows + g->pad; a++) {
            rv_splat_span sum = {0, 0};
            for (int k = b - above; k <= b + above; k++)
                if (k >= 0 && k < layers) sum = join(sum, s->span_next[rv_splat_row(g, a, k)]);
            s->span[rv_splat_row(g, a, b)] = sum;
        }
}

// The part of a row's span that is between the walls; false: none.
static bool inner(const rv_splat *s, int a, int b, int *x, int *count)
{
    rv_splat_span span = s->span[rv_splat_row(&s->grid, a, b)];
    int low = span.low > 0 ? span.low : 0;
    int high = span.high < s->grid.n[0] ? span.high : s->grid.n[0];
    *x = low, *count = high - low;
    return high > low;
}

// ---- Walls of the grid --------------------------------------------------------------------------

// Adds what fell beyond a wall to the mirrored cells; `n`: how many cells stand between the walls.
static void fold_x(rv_splat *s, int a, int b)
{
    const rv_splat_grid *g = &s->grid;
    int n = g->n[0], reach = s->law.reach < n ? s->law.reach : n;
    rv_splat_span span = s->span[rv_splat_row(g, a, b)];
    for (int side = 0; side < 2; side++) {
        if (s->law.open[0][side] || (side ? span.high <= n : span.low >= 0)) continue;
        size_t wall = rv_splat_slot(g, side ? n : 0, a, b);
        for (int i = 0; i < reach; i++) {
            size_t out = side ? wall + (size_t)i : wall - 1 - (size_t)i;
            size_t in = side ? wall - 1 - (size_t)i : wall + (size_t)i;
            s->f.weight[in] += s->f.weight[out];
            s->f.motion[0][in] -= s->f.motion[0][out];
            for (int c = 1; c < g->axes; c++) s->f.motion[c][in] += s->f.motion[c][out];
        }
    }
}

static void fold_row(rv_splat *s, int axis, size_t out, size_t in, rv_splat_span span)
{
    for (int x = span.low; x < span.high; x++) {
        size_t o = (size_t)((ptrdiff_t)out + x), i = (size_t)((ptrdiff_t)in + x);
        s->f.weight[i] += s->f.weight[o];
    }
    for (int c = 0; c < s->grid.axes; c++) {
        float *m = s->f.motion[c], sign = c == axis ? -1.0f : 1.0f;
        for (int x = span.low; x < span.high; x++)
            m[(size_t)((ptrdiff_t)in + x)] += sign * m[(size_t)((ptrdiff_t)out + x)];
    }
}

static void fold_axis(rv_splat *s, int axis)
{
    const rv_splat_grid *g = &s->grid;
    int n = g->n[axis], reach = s->law.reach < n ? s->law.reach : n, other = axis == 1 ? 2 : 1;
    int pad = axis == 1 && g->axes == 3 ? g->pad : 0; // beyond the floor too, which is folded after
    for (int side = 0; side < 2; side++) {
        if (s->law.open[axis][side]) continue;
        for (int i = 0; i < reach; i++)
            for (int o = -pad; o < g->n[other] + pad; o++) {
                int far = side ? n + i : -1 - i, near = side ? n - 1 - i : i;
                int fa = axis == 1 ? far : o, fb = axis == 1 ? o : far;
                int na = axis == 1 ? near : o, nb = axis == 1 ? o : near;
                rv_splat_span span = s->span[rv_splat_row(g, fa, fb)];
                if (span.low >= span.high) continue;
                fold_row(s, axis, rv_splat_slot(g, 0, fa, fb), rv_splat_slot(g, 0, na, nb), span);
            }
    }
}

// ---- Passes over rows ---------------------------------------------------------------------------

typedef struct pass {
    rv_splat *s;
    rv_splat_row_pass *each;
    bool padded; // with the rows beyond the walls
} pass;

static void run_rows(void *context, int item)
{
    const pass *p = context;
    const rv_splat_grid *g = &p->s->grid;
    int pad = p->padded ? g->pad : 0, layer_pad = g->axes == 3 ? pad : 0;
    int rows = g->n[1] + 2 * pad, layers = (g->axes == 3 ? g->n[2] : 1) + 2 * layer_pad;
    for (int i = item * ROWS_A_TASK; i < (item + 1) * ROWS_A_TASK && i < rows * layers; i++) {
        int a = i % rows - pad, b = i / rows - layer_pad, x = 0, count = 0;
        if (inner(p->s, a, b, &x, &count)) p->each(p->s, a, b, x, count);
    }
}

void rv_splat_over_rows(rv_splat *s, rv_splat_row_pass *each, bool padded)
{
    const rv_splat_grid *g = &s->grid;
    pass p = {s, each, padded};
    int pad = padded ? g->pad : 0, layers = g->axes == 3 ? g->n[2] + 2 * pad : 1;
    int rows = (g->n[1] + 2 * pad) * layers;
    rv_parallel_for(s->pool, (rows + ROWS_A_TASK - 1) / ROWS_A_TASK, run_rows, &p);
}

static rv_splat_beside beside(const rv_splat *s, int a, int b)
{
    const rv_splat_grid *g = &s->grid;
    rv_splat_beside r = {{-1, 0, 0}, {1, 0, 0}};
    if (a > 0) r.low[1] = -(ptrdiff_t)g->pitch;
    if (a < g->n[1] - 1) r.high[1] = (ptrdiff_t)g->pitch;
    if (b > 0) r.low[2] = -(ptrdiff_t)g->layer;
    if (g->axes == 3 && b < g->n[2] - 1) r.high[2] = (ptrdiff_t)g->layer;
    return r;
}

bool rv_splat_near_solid(const rv_splat *s, int a, int b)
{
    return s->any_solid && s->solid_row[rv_splat_row(&s->grid, a, b)];
}

// The cells beyond the walls along x: as the last one, or its mirror image.
static void edge(const rv_splat *s, float *field, int a, int b, float sign)
{
    size_t row = rv_splat_slot(&s->grid, 0, a, b), n = (size_t)s->grid.n[0];
    field[row - 1] = sign * field[row];
    field[row + n] = sign * field[row + n - 1];
}

static void fold_pass(rv_splat *s, int a, int b, int x, int count)
{
    (void)x, (void)count;
    fold_x(s, a, b);
}

static void mean_pass(rv_splat *s, int a, int b, int x, int count)
{
    size_t at = rv_splat_slot(&s->grid, x, a, b);
    bool solid = rv_splat_near_solid(s, a, b);
    float most = s->rows->mean(&s->law, &s->f, at, count, solid);
    s->row_most[rv_splat_row(&s->grid, a, b)] = most;
    edge(s, s->f.dense, a, b, 1.0f);
    edge(s, s->f.motion[0], a, b, -1.0f);
    if (s->law.smooth) {
        s->rows->smooth(&s->f, s->f.dense, s->f.smooth[0], -1, 1, at, count, solid);
        edge(s, s->f.smooth[0], a, b, 1.0f);
    }
}

static void smooth_pass(rv_splat *s, int a, int b, int x, int count)
{
    rv_splat_beside next = beside(s, a, b);
    s->rows->smooth(&s->f, s->f.smooth[0], s->f.smooth[1], next.low[1], next.high[1],
                    rv_splat_slot(&s->grid, x, a, b), count, rv_splat_near_solid(s, a, b));
}

static void press_pass(rv_splat *s, int a, int b, int x, int count)
{
    rv_splat_beside next = beside(s, a, b);
    size_t at = rv_splat_slot(&s->grid, x, a, b);
    bool solid = rv_splat_near_solid(s, a, b);
    const float *in = s->f.dense;
    if (s->law.smooth) {
        in = s->f.smooth[1];
        if (s->grid.axes == 3) {
            s->rows->smooth(&s->f, in, s->f.smooth[0], next.low[2], next.high[2], at, count, solid);
            in = s->f.smooth[0];
        }
    }
    s->rows->press(&s->law, &s->f, in, &next, at, count, solid);
    edge(s, s->f.pressure, a, b, 1.0f);
}

// One component of a node beyond a wall is that of the node before it, the one along the normal
// turned around.
static void mirror_node(rv_splat *s, size_t out, size_t in, int axis)
{
    int size = rv_splat_size(s);
    float *to = s->f.node + out * 2 * (size_t)size;
    const float *from = s->f.node + in * 2 * (size_t)size;
    for (int c = 0; c < 2 * size; c++) to[c] = c % size == axis ? -from[c] : from[c];
}

static void wall_x(rv_splat *s, int a, int b)
{
    const rv_splat_grid *g = &s->grid;
    int size = rv_splat_size(s);
    for (int side = 0; side < 2; side++) {
        size_t in = rv_splat_slot(g, side ? g->n[0] - 1 : 0, a, b);
        float *v = s->f.node + in * 2 * (size_t)size + size;
        bool into = side ? *v > 0.0f : *v < 0.0f;
        if (!s->law.open[0][side] && (s->law.plain || into)) *v = 0.0f;
    }
}

static void force_pass(rv_splat *s, int a, int b, int x, int count)
{
    rv_splat_beside next = beside(s, a, b);
    s->rows->force(&s->law, &s->f, &next, rv_splat_slot(&s->grid, x, a, b), count,
                   rv_splat_near_solid(s, a, b));
    wall_x(s, a, b);
}

// Nodes one cell beyond the walls, for particles in the outer half of the last cells.
static void mirror_pass(rv_splat *s, int a, int b, int x, int count)
{
    (void)x, (void)count;
    const rv_splat_grid *g = &s->grid;
    size_t row = rv_splat_slot(g, 0, a, b), n = (size_t)g->n[0];
    mirror_node(s, row - 1, row, s->law.open[0][0] ? -1 : 0);
    mirror_node(s, row + n, row + n - 1, s->law.open[0][1] ? -1 : 0);
}

static void mirror_rows(rv_splat *s, int axis)
{
    const rv_splat_grid *g = &s->grid;
    int other = axis == 1 ? 2 : 1, n = g->n[axis], beyond = axis == 2 ? 1 : 0;
    for (int side = 0; side < 2; side++)
        for (int o = -beyond; o < g->n[other] + beyond; o++) {
            int far = side ? n : -1, near = side ? n - 1 : 0;
            size_t out = rv_splat_slot(g, 0, axis == 1 ? far : o, axis == 1 ? o : far);
            size_t in = rv_splat_slot(g, 0, axis == 1 ? near : o, axis == 1 ? o : near);
            rv_splat_span span =
                s->span[axis == 1 ? rv_splat_row(g, near, o) : rv_splat_row(g, o, near)];
            for (int x = span.low; x < span.high; x++)
                mirror_node(s, (size_t)((ptrdiff_t)out + x), (size_t)((ptrdiff_t)in + x),
                            s->law.open[axis][side] ? -1 : axis);
        }
}

void rv_splat_mirror_nodes(rv_splat *s)
{
    rv_splat_over_rows(s, mirror_pass, false);
    mirror_rows(s, 1);
    if (s->grid.axes == 3) mirror_rows(s, 2);
}

void rv_splat_fold(rv_splat *s)
{
    rv_splat_over_rows(s, fold_pass, true);
    fold_axis(s, 1);
    if (s->grid.axes == 3) fold_axis(s, 2);
}

void rv_splat_grid_pass(rv_splat *s)
{
    memset(s->row_most, 0, s->span_count * sizeof *s->row_most);
    rv_splat_over_rows(s, mean_pass, false);
    if (s->law.smooth) rv_splat_over_rows(s, smooth_pass, false);
    rv_splat_over_rows(s, press_pass, false);
    rv_splat_over_rows(s, force_pass, false);
    if (s->near_count > 0 || s->stirring) rv_splat_project(s);
    rv_splat_mirror_nodes(s);
    float most = 0.0f;
    for (size_t i = 0; i < s->span_count; i++) most = most > s->row_most[i] ? most : s->row_most[i];
    s->clock.densest = most;
}
