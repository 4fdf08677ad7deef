// Normals of the surface at its wet columns, and how rough it is there (docs/surface.md, Normals).
//
// A normal comes from the drawn heights of the nodes linked to the east and west, north and south.
// Half of what is drawn is the mean of the normals around. Waves of two cells, the shortest that
// columns can hold, would make the surface sparkle: where a normal differs from those around it,
// which it does in such waves and not where the surface is bent evenly, the mean counts more, and
// what is left makes the surface rough. Where some of the surface is choppy, as in a vessel that is
// moved, that is done there a few times more. Dry columns, extra nodes and ends have theirs from
// the wet ones around.
#include "surface/surface.h"

#include <math.h>

#define MOST_PASSES 4
// Of the wet columns: with fewer choppy ones once more would show nowhere.
#define FEW_CHOPPY 0.004

static float slope_between(const rv_surface_pass *p, uint32_t node, uint32_t a, uint32_t b)
{
    const float *z = p->w->z;
    if (a != RV_NO_NODE && b != RV_NO_NODE) return 0.5f * p->per_dx * (z[a] - z[b]);
    if (a != RV_NO_NODE) return p->per_dx * (z[a] - z[node]);
    if (b != RV_NO_NODE) return p->per_dx * (z[node] - z[b]);
    return 0.0f;
}

void rv_surface_slopes(const rv_surface_pass *p, const rv_node_record *n, float *x, float *y)
{
    *x = slope_between(p, n->node, n->link[RV_E], n->link[RV_W]);
    *y = slope_between(p, n->node, n->link[RV_N], n->link[RV_S]);
}

// ---- As heights tell ----------------------------------------------------------------------------

// What the loops over rows cannot know: links to other planes and to extra nodes.
static void find_odd(const rv_surface_pass *p, const rv_surface_row *row)
{
    const rv_surface_work *w = p->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        uint32_t slot = w->records[i].node;
        float x, y;
        if (!w->odd[slot] || w->kind[slot] != RV_NODE_WET) continue;
        rv_surface_slopes(p, &w->records[i], &x, &y);
        float per = 1.0f / sqrtf(x * x + y * y + 1.0f);
        w->normal_x[slot] = -x * per, w->normal_y[slot] = -y * per, w->normal_z[slot] = per;
    }
}

void rv_surface_find_normals(const rv_surface_pass *p, const rv_surface_band *band)
{
    rv_surface_work *w = p->w;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            size_t i = row->first;
            if (row->x1 <= row->x0) continue;
            rv_row_view view = rv_view_of(p, row, l);
            const rv_row_normals to = {w->normal_x + i, w->normal_y + i, w->normal_z + i};
            w->loops->normals(&view, row->x1 - row->x0, &to);
            memset(w->rough + i, 0, (size_t)(row->x1 - row->x0) * sizeof *w->rough);
            if (row->uneven && rv_has_odd(w)) find_odd(p, row);
        }
    }
}

// ---- Smoothed -----------------------------------------------------------------------------------

static float eased(float from, float to, float v)
{
    float t = rv_lesser_f(rv_greater_f((v - from) * (1.0f / (to - from)), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

// The mean of the wet ones that a node is linked to; its own without any.
static void mean_around(const rv_surface_pass *p, const rv_node_record *n, float mean[3])
{
    float sum[3] = {0, 0, 0};
    for (unsigned wet = n->wet; wet; wet &= wet - 1) {
        int d = __builtin_ctz(wet);
        uint32_t o = n->link[d];
        float weight = d % 2 ? 1.0f : 2.0f;
        sum[0] += weight * p->nx[o], sum[1] += weight * p->ny[o], sum[2] += weight * p->nz[o];
    }
    float square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
    float per = square > 1e-12f ? 1.0f / sqrtf(square) : 0.0f;
    for (int k = 0; k < 3; k++) mean[k] = sum[k] * per;
    if (!(square > 1e-12f))
        mean[0] = p->nx[n->node], mean[1] = p->ny[n->node], mean[2] = p->nz[n->node];
}

// As the loop over rows does it. Returns 1 where it is choppy.
static int smooth_one(const rv_surface_pass *p, const rv_node_record *n, const rv_row_normals *to)
{
    uint32_t slot = n->node;
    float own[3] = {p->nx[slot], p->ny[slot], p->nz[slot]}, mean[3], square = 0.0f, length = 0.0f;
    float *rough = &p->w->rough[slot];
    mean_around(p, n, mean);
    for (int k = 0; k < 3; k++) square += (own[k] - mean[k]) * (own[k] - mean[k]);
    float differs = sqrtf(square);
    float share = p->least + eased(RV_EVEN_FROM, RV_EVEN_TO, differs) * (RV_EVEN_MOST - p->least);
    for (int k = 0; k < 3; k++) own[k] += share * (mean[k] - own[k]), length += own[k] * own[k];
    float per = 1.0f / sqrtf(length);
    to->x[slot] = own[0] * per, to->y[slot] = own[1] * per, to->z[slot] = own[2] * per;
    *rough = rv_greater_f(*rough, RV_ROUGH_MOST * eased(RV_ROUGH_FROM, RV_ROUGH_TO, differs));
    return differs > RV_CHOPPY;
}

static rv_row_normals target_of(const rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    if (p->nx == w->normal_x) return (rv_row_normals){w->soft_x, w->soft_y, w->soft_z};
    return (rv_row_normals){w->normal_x, w->normal_y, w->normal_z};
}

static void smooth_row(const rv_surface_pass *p, const rv_surface_row *row, int plane, int *choppy)
{
    const rv_surface_work *w = p->w;
    size_t i = row->first;
    const rv_row_normals all = target_of(p), to = {all.x + i, all.y + i, all.z + i};
    rv_row_view view = rv_view_of(p, row, plane);
    view.nx = p->nx + i, view.ny = p->ny + i, view.nz = p->nz + i;
    *choppy += w->loops->smooth(&view, row->x1 - row->x0, p->least, &to, w->rough + i);
    if (!row->uneven || !rv_has_odd(w)) return;
    for (uint32_t k = row->records; k < row->records + row->uneven; k++) {
        const rv_node_record *n = &w->records[k];
        size_t slot = n->node;
        if (!w->odd[slot] || w->kind[slot] != RV_NODE_WET) continue;
        if (p->least == 0.0f && w->rough[slot] == 0.0f) // smooth enough
            all.x[slot] = p->nx[slot], all.y[slot] = p->ny[slot], all.z[slot] = p->nz[slot];
        else
            *choppy += smooth_one(p, n, &all);
    }
}

static void copy_row(const rv_surface_pass *p, const rv_surface_row *row)
{
    const rv_row_normals to = target_of(p);
    size_t i = row->first, bytes = (size_t)(row->x1 - row->x0) * sizeof *to.x;
    memcpy(to.x + i, p->nx + i, bytes);
    memcpy(to.y + i, p->ny + i, bytes);
    memcpy(to.z + i, p->nz + i, bytes);
}

void rv_surface_smooth_rows(rv_surface_pass *p, const rv_surface_band *band)
{
    const rv_surface_work *w = p->w;
    int *choppy = &p->choppy[band - w->band];
    bool again = p->least == 0.0f, calm = again && *choppy == 0; // smooth enough already
    *choppy = 0;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            if (row->x1 <= row->x0) continue;
            if (calm)
                copy_row(p, row);
            else
                smooth_row(p, row, l, choppy);
        }
    }
}

static void smooth_band(void *context, int task)
{
    rv_surface_pass *p = context;
    rv_surface_smooth_rows(p, rv_band_of(p, task));
}

void rv_surface_begin_normals(rv_surface_pass *p)
{
    const rv_surface_work *w = p->w;
    p->nx = w->normal_x, p->ny = w->normal_y, p->nz = w->normal_z, p->least = 0.5f;
}

// Goes over to what the last pass made; whether there is to be another.
static bool is_choppy(rv_surface_pass *p)
{
    const rv_surface_work *w = p->w;
    rv_row_normals made = target_of(p);
    int64_t count = 0, choppy = 0;
    p->nx = made.x, p->ny = made.y, p->nz = made.z, p->least = 0.0f;
    for (int b = 0; b < w->bands; b++) choppy += p->choppy[b];
    for (int y = w->band[0].y0; y < w->band[w->bands - 1].y1; y++)
        for (int l = 0; l < w->planes; l++) count += rv_row_of(w, y, l)->vertex_count;
    return (double)choppy >= FEW_CHOPPY * (double)count;
}

void rv_surface_smooth_on(rv_surface_pass *p)
{
    for (int pass = 1; is_choppy(p) && pass < MOST_PASSES; pass++)
        rv_surface_each_band(p, smooth_band);
}
