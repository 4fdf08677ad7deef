// Asking a frame. The same surface as query.c has, worked out from columns that lie cell by cell;
// rays and distances are those of a world that stands still.
#include "world/frame_internal.h"

#include <string.h>

#define AHEAD 6 // points that columns are sent for before they are looked at

// The columns around a corner of cells that belong together, and the weights of their values at a
// point.
typedef struct patch {
    const rv_frame_column *column[4]; // NULL: absent
    double weight[4];                 // with a sum of 1
    double base[4], level[4];         // m
} patch;

typedef struct place {
    int x, y, i, j; // its cell, and the corner: the cell whose centre is next below and before it
    double fx, fy;  // 0 … 1 between the centres
} place;

// Not fmin and fmax, which are calls: nothing here is NaN.
static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void find_patch(const rv_frame *f, const place *at, const rv_frame_column *own, patch *p)
{
    const rv_grid *g = &f->world.columns.grid;
    const double weight[4] = {(1 - at->fx) * (1 - at->fy), at->fx * (1 - at->fy),
                              (1 - at->fx) * at->fy, at->fx * at->fy};
    double all = 0, level = rv_frame_level(own);
    for (int k = 0; k < 4; k++) {
        int x = at->i + k % 2, y = at->j + k / 2;
        const rv_frame_column *c = own;
        if (x != at->x || y != at->y) {
            bool in = x >= 0 && y >= 0 && x < g->nx && y < g->ny;
            c = in ? rv_frame_linked(f, own, level, (size_t)y * (size_t)g->nx + (size_t)x) : NULL;
        }
        p->column[k] = c, p->weight[k] = 0, p->base[k] = p->level[k] = 0;
        if (!c) continue;
        p->weight[k] = weight[k], all += weight[k];
        p->base[k] = (double)c->base;
        p->level[k] = c->depth > 0 ? p->base[k] + (double)c->depth : (double)c->shore;
    }
    if (!(all > 1e-9)) { // at the corner of an absent column, as rv_patch_mean
        all = 0;
        for (int k = 0; k < 4; k++) p->weight[k] = p->column[k] ? 1 : 0, all += p->weight[k];
    }
    if (all == 1) return;
    for (int k = 0; k < 4; k++) p->weight[k] /= all;
}

static double mean(const patch *p, const double value[4])
{
    return (p->weight[0] * value[0] + p->weight[1] * value[1]) +
           (p->weight[2] * value[2] + p->weight[3] * value[3]);
}

// The column at or below z, see find_column of query.c; NULL: there is none.
static const rv_frame_column *find_column(const rv_frame *f, const place *at, double z, int *layer,
                                          patch *p)
{
    size_t cell = (size_t)at->y * (size_t)f->world.columns.grid.nx + (size_t)at->x;
    const rv_frame_column *first = f->column + f->first[cell], *c = first;
    const rv_frame_column *end = f->column + f->first[cell + 1];
    while (c < end && (double)c->base <= z) c++;
    if (c < end && (c == first || z > (double)c->min)) {
        find_patch(f, at, c, p);
        *layer = (int)(c - first);
        if (mean(p, p->base) <= z) return c;
    }
    if (c == first) return NULL;
    c--;
    find_patch(f, at, c, p);
    *layer = (int)(c - first);
    return c;
}

static rv_vec3 normal_of(const patch *p, const double value[4], const place *at, double dx)
{
    if (p->column[0] && p->column[1] && p->column[2] &&
        p->column[3]) { // as below, without the sums
        double a = value[1] - value[0], b = value[3] - value[2], c = value[2] - value[0];
        double sx = a + at->fy * (b - a), sy = c + at->fx * ((value[3] - value[1]) - c);
        double one = 1 / sqrt(sx * sx + sy * sy + dx * dx);
        return (rv_vec3){-sx * one, -sy * one, dx * one};
    }
    static const int ends[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    const double weight[4] = {1 - at->fy, at->fy, 1 - at->fx, at->fx};
    double sum[2] = {0, 0}, all[2] = {1e-12, 1e-12};
    for (int k = 0; k < 4; k++) {
        int a = ends[k][0], b = ends[k][1];
        if (!p->column[a] || !p->column[b]) continue;
        sum[k / 2] += weight[k] * (value[b] - value[a]), all[k / 2] += weight[k];
    }
    double nx = -sum[0] / (all[0] * dx), ny = -sum[1] / (all[1] * dx);
    double length = sqrt(nx * nx + ny * ny + 1);
    return (rv_vec3){nx / length, ny / length, 1 / length};
}

// What only liquid has.
static void fill_liquid(const patch *p, const rv_frame_column *own, rv_sample *out)
{
    double u[4] = {0}, v[4] = {0}, head[4] = {0};
    for (int k = 0; k < 4; k++) {
        const rv_frame_column *c = p->column[k];
        if (!c) continue;
        u[k] = (double)c->u, v[k] = (double)c->v;
        head[k] = most((double)c->head, p->level[k]);
    }
    out->u = mean(p, u), out->v = mean(p, v);
    if ((double)own->head > (double)own->max) out->head = mean(p, head);
}

// Corner of the four cell centres around a point along one axis, for points of the grid.
static void place_along(double at, double low, double per_dx, int n, int *cell, int *corner,
                        double *f)
{
    double g = (at - low) * per_dx;
    int c = (int)(g + 0.5) - 1;          // as floor(g - 0.5)
    *cell = (int)g < n ? (int)g : n - 1; // the far edge belongs to the grid
    *corner = c < n ? c : n - 1;
    *f = least(most(g - 0.5 - *corner, 0), 1);
}

static void sample(const rv_frame *f, rv_vec3 point, rv_sample *out)
{
    const rv_grid *g = &f->world.columns.grid;
    place at;
    patch p;
    double per_dx = 1 / g->dx;
    place_along(point.x, g->x0, per_dx, g->nx, &at.x, &at.i, &at.fx);
    place_along(point.y, g->y0, per_dx, g->ny, &at.y, &at.j, &at.fy);
    const rv_frame_column *own = find_column(f, &at, point.z, &out->layer, &p);
    if (!own) return;
    out->inside = true;
    out->base = mean(&p, p.base);
    out->ceiling = most((double)own->max, out->base);
    double level = least(mean(&p, p.level), out->ceiling);
    out->wet = level > out->base;
    out->level = out->head = out->wet ? level : out->base;
    out->depth = out->level - out->base;
    out->normal = normal_of(&p, out->wet ? p.level : p.base, &at, g->dx);
    if (out->wet) fill_liquid(&p, own, out);
}

static bool in_grid(const rv_grid *g, rv_vec3 p)
{
    return p.x >= g->x0 && p.x <= g->x0 + g->nx * g->dx && p.y >= g->y0 &&
           p.y <= g->y0 + g->ny * g->dx && !isnan(p.z);
}

// Points come in any order, so their columns are seldom at hand: those of a point further on are
// sent for.
static void send_for(const rv_frame *f, rv_vec3 p)
{
    const rv_grid *g = &f->world.columns.grid;
    if (!in_grid(g, p)) return;
    double per_dx = 1 / g->dx;
    int x = (int)((p.x - g->x0) * per_dx - 0.5), y = (int)((p.y - g->y0) * per_dx - 0.5);
    size_t cell = (size_t)y * (size_t)g->nx + (size_t)x, next = y + 1 < g->ny ? (size_t)g->nx : 0;
    __builtin_prefetch(f->column + f->first[cell]);
    __builtin_prefetch(f->column + f->first[cell + next]);
}

void rv_frame_sample(const rv_frame *f, const rv_vec3 *points, int n, rv_sample *out)
{
    if (!out) return;
    for (int i = 0; i < n; i++) {
        out[i] = (rv_sample){.normal = {0, 0, 1}};
        if (!f || !points) continue;
        if (i + AHEAD < n) send_for(f, points[i + AHEAD]);
        if (in_grid(&f->world.columns.grid, points[i])) sample(f, points[i], &out[i]);
    }
}

void rv_frame_cast(const rv_frame *f, const rv_ray *rays, int n, rv_hit *out)
{
    rv_world_cast(f ? &f->world : NULL, rays, n, out);
}

void rv_frame_distance(const rv_frame *f, const rv_vec3 *points, int n, float *out)
{
    rv_world_distance(f ? &f->world : NULL, points, n, out);
}

rv_result rv_frame_get_body(const rv_frame *f, int body, rv_body_state *out)
{
    if (!f || !out || body < 0 || body >= f->body_count || f->body[body].gone)
        return RV_BAD_ARGUMENT;
    *out = f->body[body].state;
    return RV_OK;
}

rv_result rv_frame_get_info(const rv_frame *f, rv_frame_info *out)
{
    if (!f || !out) return RV_BAD_ARGUMENT;
    *out = f->info;
    return RV_OK;
}
