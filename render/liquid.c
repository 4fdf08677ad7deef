// Turns the columns into patches of surface and finds where rays meet them (SPEC §4, in image
// space).
//
// Columns of 8-neighbours are linked when each one's level lies in the other's open range. A patch
// joins the centres of four cells; a wet column without a patch yet starts one and takes the linked
// column of each of the other three cells. Dry columns beside wet ones carry the surface on under
// their bed, so that the terrain itself, not the grid, draws the wet edge:
// - where the bed rises, they take the mean level of their wet neighbours, and the edge is where
// that
//   level meets the bed;
// - where it does not (the front of a film), they lie below their bed by a share of the depth
// behind the
//   front. As the last wet column fills, the edge then moves steadily through the cell.
#include "render/liquid.h"

#include <stdlib.h>
#include <string.h>

// Share of the depth behind a front by which the surface dips under the bed of the next, dry
// column. A small share makes the edge move evenly, a large one makes it steep.
static const float DIP = 0.35f;

// How far, in cells, the surface bends down from one centre to the next over the edge of an
// overhang.
static const float FALL = 1.5f;

typedef struct neighbour {
    int plane;
    size_t slot;
} neighbour;

typedef struct pass {
    rv_liquid *liquid;
    int stage;
    _Atomic bool failed;
} pass;

static bool exists(const rv_columns *c, size_t s)
{
    return c->max[s] > c->base[s];
}

static bool wet(const rv_liquid *q, size_t s)
{
    return q->columns.depth[s] > q->thinnest;
}

// The level that decides about links, in metres.
static float level_of(const rv_columns *c, size_t s)
{
    return c->base[s] + (c->depth[s] > 0 ? c->depth[s] : 0);
}

static bool linked(const rv_columns *c, size_t a, int plane_a, size_t b, int plane_b)
{
    float ha = level_of(c, a), hb = level_of(c, b);
    bool low_a = plane_a == 0 || hb > c->min[a], low_b = plane_b == 0 || ha > c->min[b];
    return low_a && low_b && hb < c->max[a] && ha < c->max[b];
}

// The column of cell (x, y) that is linked to a column; the same plane is tried first.
static bool find_linked(const rv_columns *c, size_t s, int plane, int x, int y, neighbour *out)
{
    if (x < 0 || y < 0 || x >= c->nx || y >= c->ny) return false;
    for (int n = -1; n < c->planes; n++) {
        int l = n < 0 ? plane : n;
        if ((n == plane) || !rv_plane_has(&c->plane[l], x, y)) continue;
        size_t o = rv_slot(&c->plane[l], x, y);
        if (exists(c, o) && linked(c, s, plane, o, l)) {
            *out = (neighbour){l, o};
            return true;
        }
    }
    return false;
}

static void set_wet(rv_liquid *q, size_t s, int l, int x, int y)
{
    const rv_columns *c = &q->columns;
    float inverse = (float)(1 / c->dx), deepest = c->depth[s];
    for (int k = 0; k < 9; k++) {
        neighbour n;
        if (k != 4 && find_linked(c, s, l, x + k % 3 - 1, y + k / 3 - 1, &n))
            deepest = maxf(deepest, c->depth[n.slot]);
    }
    q->level[s] = (float)(((double)c->base[s] + (double)c->depth[s] - c->bottom) / c->dx);
    q->thick[s] = c->depth[s] * inverse;
    q->reference[s] = deepest * inverse;
}

static void set_dry(rv_liquid *q, size_t s, int l, int x, int y)
{
    const rv_columns *c = &q->columns;
    float base = (float)(((double)c->base[s] - c->bottom) / c->dx);
    float level = 0, thick = 0, reference = 0, count = 0;
    for (int k = 0; k < 9; k++) {
        neighbour n;
        if (k == 4 || !find_linked(c, s, l, x + k % 3 - 1, y + k / 3 - 1, &n) || !wet(q, n.slot))
            continue;
        level += q->level[n.slot], thick += q->thick[n.slot];
        reference = maxf(reference, q->reference[n.slot]), count++;
    }
    q->level[s] = NAN;
    if (count <= 0) return;
    level /= count, thick /= count;
    // Liquid at rest on a rising bed is at most about twice as deep two cells from its shore as the
    // bed rises in one; only what is deeper than that is a front.
    float rise = maxf(base - (level - thick), 0), front = maxf(reference - 2.2f * rise, 0);
    q->level[s] = minf(level, base - minf(DIP * front, 0.35f));
    q->thick[s] = thick;
}

static void set_slope(rv_liquid *q, size_t s, int l, int x, int y)
{
    const rv_columns *c = &q->columns;
    float h[9];
    for (int k = 0; k < 9; k++) {
        neighbour n;
        h[k] = NAN;
        if (k == 4)
            h[k] = q->level[s];
        else if (find_linked(c, s, l, x + k % 3 - 1, y + k / 3 - 1, &n))
            h[k] = q->level[n.slot];
    }
    float gx = 0, gy = 0, wx = 0, wy = 0;
    for (int k = 0; k < 3; k++) {
        float w = k == 1 ? 2 : 1;
        // Central difference in each of three lines, one-sided at an edge of the surface.
        const float ax[3] = {h[3 * k], h[3 * k + 1], h[3 * k + 2]},
                    ay[3] = {h[k], h[k + 3], h[k + 6]};
        for (int d = 0; d < 2; d++) {
            const float *a = d ? ay : ax;
            float g = !isnan(a[0]) && !isnan(a[2])   ? 0.5f * (a[2] - a[0])
                      : !isnan(a[1]) && !isnan(a[2]) ? a[2] - a[1]
                                                     : a[1] - a[0];
            if (isnan(g)) continue;
            if (d)
                gy += w * g, wy += w;
            else
                gx += w * g, wx += w;
        }
    }
    q->gx[s] = wx > 0 ? gx / wx : 0, q->gy[s] = wy > 0 ? gy / wy : 0;
}

// One row of cells, all planes: stage 0 wet columns, 1 dry ones beside them, 2 slopes.
static void column_row(void *context, int y)
{
    const pass *p = context;
    rv_liquid *q = p->liquid;
    const rv_columns *c = &q->columns;
    for (int l = 0; l < c->planes; l++) {
        const rv_plane *plane = &c->plane[l];
        if (y < plane->y0 || y >= plane->y0 + plane->ny) continue;
        for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
            size_t s = rv_slot(plane, x, y);
            if (!exists(c, s)) continue;
            bool w = wet(q, s);
            if (p->stage == 0 && w)
                set_wet(q, s, l, x, y);
            else if (p->stage == 1 && !w)
                set_dry(q, s, l, x, y);
            else if (p->stage == 2 && !isnan(q->level[s]))
                set_slope(q, s, l, x, y);
        }
    }
}

static bool push(rv_patch_row *row, const rv_patch *patch)
{
    if (row->count == row->room) {
        int room = row->room ? 2 * row->room : 64;
        rv_patch *more = realloc(row->patch, (size_t)room * sizeof *more);
        if (!more) return false;
        row->patch = more, row->room = room;
    }
    row->patch[row->count++] = *patch;
    return true;
}

static int inside(int v, int n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}

// Whether a level, in cells, lies in a void of the cell: then there is no wall there that it runs
// into, but an edge that it falls from.
static bool open_air(const rv_columns *c, int x, int y, float level)
{
    double z = c->bottom + (double)level * c->dx;
    for (int l = 0; l < c->planes; l++) {
        if (!rv_plane_has(&c->plane[l], x, y)) continue;
        size_t s = rv_slot(&c->plane[l], x, y);
        if (z > (double)c->base[s] && z < (double)c->max[s]) return true;
    }
    return false;
}

// The patch that starts at corner k with the wet column s. Corners it takes are marked in `taken`,
// one bit per plane. At the border of the grid a cell stands for its missing neighbour.
static rv_patch make_patch(const rv_liquid *q, int x, int y, int k, size_t s, int l,
                           unsigned *taken)
{
    const rv_columns *c = &q->columns;
    rv_patch patch;
    float sum = 0, count = 0;
    int cx = inside(x - 1 + k % 2, c->nx), cy = inside(y - 1 + k / 2, c->ny);
    for (int n = 0; n < 4; n++) {
        int nx = inside(x - 1 + n % 2, c->nx), ny = inside(y - 1 + n / 2, c->ny);
        neighbour o = {l, s};
        bool own = nx == cx && ny == cy;
        patch.slot[n] = RV_PATCH_WALL, patch.level[n] = NAN;
        if (!own && !find_linked(c, s, l, nx, ny, &o)) continue;
        taken[n] |= 1u << o.plane;
        if (isnan(q->level[o.slot])) continue;
        patch.slot[n] = (int)o.slot, patch.level[n] = q->level[o.slot];
        if (wet(q, o.slot)) sum += patch.level[n], count++;
    }
    float level = sum / count;
    for (int n = 0; n < 4; n++) {
        int nx = inside(x - 1 + n % 2, c->nx), ny = inside(y - 1 + n / 2, c->ny);
        if (patch.slot[n] >= 0) continue;
        bool edge = open_air(c, nx, ny, level);
        patch.slot[n] = edge ? RV_PATCH_EDGE : RV_PATCH_WALL;
        patch.level[n] = edge ? level - FALL : level;
    }
    return patch;
}

static void patch_row(void *context, int y)
{
    pass *p = context;
    rv_liquid *q = p->liquid;
    const rv_columns *c = &q->columns;
    rv_patch_row *row = &q->row[y];
    row->count = 0;
    for (int x = 0; x <= c->nx; x++) {
        unsigned taken[4] = {0};
        row->first[x] = row->count;
        for (int l = 0; l < c->planes; l++) {
            for (int k = 0; k < 4; k++) {
                int cx = inside(x - 1 + k % 2, c->nx), cy = inside(y - 1 + k / 2, c->ny);
                if ((taken[k] >> l & 1u) || !rv_plane_has(&c->plane[l], cx, cy)) continue;
                size_t s = rv_slot(&c->plane[l], cx, cy);
                if (!exists(c, s) || !wet(q, s)) continue;
                rv_patch patch = make_patch(q, x, y, k, s, l, taken);
                if (!push(row, &patch)) p->failed = true;
            }
        }
    }
    row->first[c->nx + 1] = row->count;
}

static void block_row(void *context, int by)
{
    const pass *p = context;
    rv_liquid *q = p->liquid;
    for (int bx = 0; bx < q->block_nx; bx++) {
        float low = INFINITY, high = -INFINITY;
        for (int y = by * RV_LIQUID_BLOCK; y < (by + 1) * RV_LIQUID_BLOCK && y <= q->columns.ny;
             y++) {
            const rv_patch_row *row = &q->row[y];
            int end = inside((bx + 1) * RV_LIQUID_BLOCK, q->columns.nx + 2);
            for (int n = row->first[bx * RV_LIQUID_BLOCK]; n < row->first[end]; n++) {
                for (int k = 0; k < 4; k++) {
                    low = minf(low, row->patch[n].level[k]);
                    high = maxf(high, row->patch[n].level[k]);
                }
            }
        }
        q->block_low[by * q->block_nx + bx] = low, q->block_high[by * q->block_nx + bx] = high;
    }
}

void rv_liquid_free(rv_liquid *q)
{
    for (int n = 0; n < q->rows; n++) {
        free(q->row[n].patch);
        free(q->row[n].first);
    }
    free(q->row);
    free(q->level);
    free(q->thick);
    free(q->reference);
    free(q->gx);
    free(q->gy);
    free(q->block_low);
    free(q->block_high);
    memset(q, 0, sizeof *q);
}

static bool take_memory(rv_liquid *q, const rv_columns *c)
{
    if (q->room == c->slots && q->rows == c->ny + 1) return true;
    rv_liquid_free(q);
    int rows = c->ny + 1, side = RV_LIQUID_BLOCK;
    q->block_nx = (c->nx + side) / side, q->block_ny = (c->ny + side) / side;
    size_t blocks = (size_t)q->block_nx * (size_t)q->block_ny;
    q->level = malloc(c->slots * sizeof(float)), q->thick = calloc(c->slots, sizeof(float));
    q->reference = calloc(c->slots, sizeof(float));
    q->gx = calloc(c->slots, sizeof(float)), q->gy = calloc(c->slots, sizeof(float));
    q->block_low = malloc(blocks * sizeof(float)), q->block_high = malloc(blocks * sizeof(float));
    q->row = calloc((size_t)rows, sizeof *q->row);
    bool ok = q->level && q->thick && q->reference && q->gx && q->gy && q->block_low &&
              q->block_high && q->row;
    q->rows = q->row ? rows : 0;
    for (int n = 0; ok && n < rows; n++) {
        q->row[n].first = calloc((size_t)c->nx + 2, sizeof(int));
        ok = q->row[n].first != NULL;
    }
    if (!ok) rv_liquid_free(q);
    q->room = ok ? c->slots : 0;
    return ok;
}

rv_result rv_liquid_update(rv_liquid *q, const rv_world *world, rv_pool *pool, double thinnest)
{
    rv_columns c;
    rv_result result = rv_world_columns(world, &c);
    if (result != RV_OK) return result;
    if (c.slots > INT32_MAX || !take_memory(q, &c)) return RV_OUT_OF_MEMORY;
    q->columns = c, q->thinnest = (float)thinnest;
    for (size_t s = 0; s < c.slots; s++) q->level[s] = NAN;
    pass p = {q, 0, false};
    for (; p.stage < 3; p.stage++) rv_parallel_for(pool, c.ny, column_row, &p);
    rv_parallel_for(pool, c.ny + 1, patch_row, &p);
    rv_parallel_for(pool, q->block_ny, block_row, &p);
    q->high = -INFINITY;
    for (int n = 0; n < q->block_nx * q->block_ny; n++) q->high = maxf(q->high, q->block_high[n]);
    return p.failed ? RV_OUT_OF_MEMORY : RV_OK;
}
