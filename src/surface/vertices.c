// The mesh, filled in from what was found: vertices over columns and the triangles of four cells
// that are all inside and all linked row by row, which is what most of a surface is made of; then
// the others (docs/surface.md, pipes paper §4.2).
#include "surface/mesher.h"

// ---- Rows ---------------------------------------------------------------------------------------

// What the loops over rows cannot know: links to other planes and to extra nodes, and dry columns.
static void put_odd(const rv_surface_pass *p, const rv_surface_row *row)
{
    const rv_surface_work *w = p->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        uint32_t slot = w->records[i].node;
        if (w->inside[slot] && (w->odd[slot] || w->kind[slot] == RV_NODE_DRY))
            rv_surface_put_odd(p, &w->records[i]);
    }
}

// The number of the first vertex of the row above at or after the place above this row's first.
static uint32_t number_above(const rv_surface_work *w, const rv_surface_row *row,
                             const rv_surface_row *above, size_t pitch)
{
    uint32_t number = above->vertices;
    for (size_t i = above->first; i < row->first + pitch; i++) number += w->inside[i];
    return number;
}

static void fill_row(const rv_surface_pass *p, const rv_surface_row *row, int plane, int y)
{
    rv_surface_work *w = p->w;
    size_t i = row->first, pitch = (size_t)p->in->columns->plane[plane].pitch;
    int n = row->x1 - row->x0;
    rv_row_view view = rv_view_of(p, row, plane);
    view.y = w->cell_y[y];
    view.nx = p->nx + i, view.ny = p->ny + i, view.nz = p->nz + i;
    const rv_row_mesh mesh = {w->positions, w->normals,   w->velocity, w->opacity,
                              w->depth,     w->roughness, w->drop};
    w->loops->vertices(&view, n, row->vertices, row->vertices + row->vertex_count, w->vertex + i,
                       &mesh);
    if (row->uneven && (rv_has_odd(w) || !p->in->edge)) put_odd(p, row);
    if (row->triangle_count == 0) return; // then there may be no row above either
    const rv_surface_row *above = rv_row_of(w, y + 1, plane);
    w->loops->triangles(w->quad + i, w->inside + i, (ptrdiff_t)pitch, n, row->vertices,
                        number_above(w, row, above, pitch),
                        w->indices + 3 * (size_t)row->triangles);
}

static void fill_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    const rv_surface_band *band = rv_band_of(p, task);
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < p->w->planes; l++) {
            const rv_surface_row *row = rv_row_of(p->w, y, l);
            if (row->vertex_count) fill_row(p, row, l, y);
        }
    }
}

// ---- The others ---------------------------------------------------------------------------------

static uint32_t number_of(const rv_surface_work *w, uint32_t name)
{
    if (!(name & RV_FRESH)) return w->vertex[name];
    uint32_t band = name >> RV_FRESH_BITS & (RV_BANDS_MAX - 1);
    return w->band[band].vertices + (name & ((1u << RV_FRESH_BITS) - 1));
}

static void finish_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    rv_surface_work *w = p->w;
    const rv_surface_band *band = rv_band_of(p, task);
    for (uint32_t i = 0; i < band->fresh_count; i++)
        rv_surface_put_fresh(p, w->fresh[band->fresh + i], band->vertices + i);
    const uint32_t *from = w->loose + 3 * (size_t)band->loose;
    uint32_t *to = w->indices + 3 * (size_t)band->triangles;
    for (size_t i = 0; i < 3 * (size_t)band->loose_count; i++) to[i] = number_of(w, from[i]);
}

// ---- All of it ----------------------------------------------------------------------------------

// Places in the mesh: first all rows, then what the bands have besides.
static void count_mesh(rv_surface_work *w, uint64_t *vertices, uint64_t *triangles)
{
    *vertices = w->vertices, *triangles = w->triangles; // after the islands before
    for (int y = w->band[0].y0; y < w->band[w->bands - 1].y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            rv_surface_row *row = rv_row_of(w, y, l);
            row->vertices = (uint32_t)*vertices, row->triangles = (uint32_t)*triangles;
            *vertices += row->vertex_count, *triangles += row->triangle_count;
        }
    }
    w->stats.columns = (int64_t)(*vertices - w->vertices);
    w->stats.extra = w->stats.edge = w->stats.curtain = 0;
    for (int b = 0; b <= w->bands; b++) {
        rv_surface_band *band = &w->band[b];
        band->vertices = (uint32_t)*vertices, band->triangles = (uint32_t)*triangles;
        *vertices += band->fresh_count, *triangles += band->loose_count;
        w->stats.extra += band->extra_count, w->stats.edge += band->edge;
        w->stats.curtain += band->curtain;
    }
}

bool rv_surface_fill(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    uint64_t vertices, triangles;
    count_mesh(w, &vertices, &triangles);
    if (!rv_surface_reserve(w, vertices, triangles) ||
        !rv_surface_grow(w, (void **)&w->line, &w->line_room, vertices - w->band[0].vertices,
                         sizeof *w->line))
        return false;
    rv_surface_smooth_on(p);
    rv_surface_each_band(p, fill_band);
    rv_parallel_for(w->pool, w->bands + 1, finish_band, p);
    if (!rv_surface_smooth_line(p)) return false;
    w->vertices = (uint32_t)vertices, w->triangles = (uint32_t)triangles;
    return true;
}

double rv_surface_volume(const rv_surface_work *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->triangles; i++) {
        const uint32_t *t = w->indices + 3 * i;
        const float *a = w->positions + 3 * (size_t)t[0], *b = w->positions + 3 * (size_t)t[1];
        const float *c = w->positions + 3 * (size_t)t[2];
        if (w->drop[t[0]] >= 0.0f) continue; // a curtain
        float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        sum += (double)(area * (w->depth[t[0]] + w->depth[t[1]] + w->depth[t[2]]));
    }
    return sum / 6;
}
