// Sorts the triangles of the liquid's surface for rays: by the four cells they lie between, and in
// blocks of those with their lowest and highest point.
//
// A triangle of the sheet lies between the centres of four cells, a place; a curtain stands over
// the line between two centres, between two places, and is put in both. The sheet ends at the
// centres of the outermost cells; strips half a cell wide carry it on, level, to the sides of the
// block that is drawn.
#include "render/liquid.h"

#include <stdlib.h>
#include <string.h>

// Vertices lie at whole numbers or at least 0.02 from them; rounding is far below this.
static const float SAME = 2e-3f;

static bool same(float a, float b)
{
    return fabsf(a - b) < SAME;
}

// ---- Memory ------------------------------------------------------------------------------------

static bool grow(void **array, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return true;
    size_t fresh = need + need / 2 + 256;
    void *more = realloc(*array, fresh * size);
    if (!more) return false;
    *array = more, *room = fresh;
    return true;
}

static bool grow_points(rv_liquid *q, size_t more)
{
    return grow((void **)&q->point, &q->point_room, q->points + more, sizeof *q->point);
}

static bool grow_corners(rv_liquid *q, size_t more)
{
    return grow((void **)&q->corner, &q->corner_room, q->triangles + more, 3 * sizeof *q->corner);
}

void rv_liquid_free(rv_liquid *q)
{
    rv_surface_destroy(q->surface);
    free(q->point);
    free(q->corner);
    free(q->sum);
    free(q->facet);
    free(q->first);
    free(q->place);
    free(q->block);
    memset(q, 0, sizeof *q);
}

static bool take_places(rv_liquid *q)
{
    const rv_columns *c = &q->columns;
    size_t places = ((size_t)c->nx + 1) * ((size_t)c->ny + 1);
    if (q->places == places) return true;
    int side = RV_LIQUID_BLOCK;
    q->block_nx = (c->nx + side) / side, q->block_ny = (c->ny + side) / side;
    size_t blocks = (size_t)q->block_nx * (size_t)q->block_ny;
    q->first = malloc((places + 1) * sizeof *q->first);
    q->place = malloc(places * sizeof *q->place);
    q->block = malloc(blocks * sizeof *q->block);
    if (!q->first || !q->place || !q->block) return false;
    q->places = places;
    return true;
}

// ---- Points and strips -------------------------------------------------------------------------

static bool take_mesh(rv_liquid *q, const rv_surface_mesh *mesh)
{
    const rv_columns *c = &q->columns;
    double per = 1 / c->dx;
    q->points = q->triangles = 0;
    if (!grow_points(q, mesh->vertex_count) || !grow_corners(q, mesh->triangle_count)) return false;
    for (size_t n = 0; n < mesh->vertex_count; n++) {
        const float *at = mesh->positions + 3 * n, *normal = mesh->normals + 3 * n;
        const float *flow = mesh->velocity + 3 * n;
        q->point[n] = (rv_point){{(float)(((double)at[0] - c->x0) * per + 0.5),
                                  (float)(((double)at[1] - c->y0) * per + 0.5),
                                  (float)(((double)at[2] - c->bottom) * per)},
                                 {normal[0], normal[1], normal[2]},
                                 (float)((double)mesh->depth[n] * per),
                                 sqrtf(flow[0] * flow[0] + flow[1] * flow[1]) * (float)per,
                                 0};
    }
    q->points = mesh->vertex_count, q->triangles = mesh->triangle_count;
    if (q->triangles > 0)
        memcpy(q->corner, mesh->indices, 3 * mesh->triangle_count * sizeof *q->corner);
    return true;
}

// The side of the block that a centre lies next to on one axis: the place of that side, or -1.
static float side_by(float at, int cells)
{
    return same(at, 1) ? 0.5f : same(at, (float)cells) ? (float)cells + 0.5f : -1;
}

static uint32_t add_point(rv_liquid *q, uint32_t like, float x, float y)
{
    rv_point p = q->point[like];
    p.at.x = x, p.at.y = y;
    q->point[q->points] = p;
    return (uint32_t)q->points++;
}

static void add_quad(rv_liquid *q, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corner[6] = {a, b, c, a, c, d};
    memcpy(q->corner + 3 * q->triangles, corner, sizeof corner);
    q->triangles += 2;
}

// From an edge of the sheet between two outermost centres to the side.
static bool add_strip(rv_liquid *q, uint32_t a, uint32_t b)
{
    int nx = q->columns.nx, ny = q->columns.ny;
    vec3 p = q->point[a].at, r = q->point[b].at;
    float x = same(p.x, r.x) ? side_by(p.x, nx) : -1, y = same(p.y, r.y) ? side_by(p.y, ny) : -1;
    if (x < 0 && y < 0) return true;
    if (!grow_points(q, 4) || !grow_corners(q, 4)) return false;
    if (x >= 0) add_quad(q, a, b, add_point(q, b, x, r.y), add_point(q, a, x, p.y));
    if (y >= 0) add_quad(q, a, b, add_point(q, b, r.x, y), add_point(q, a, p.x, y));
    return true;
}

static bool above(const rv_point *a, const rv_point *b)
{
    return same(a->at.x, b->at.x) && same(a->at.y, b->at.y);
}

// Whether a triangle is part of a curtain: one of its edges hangs straight down.
static bool upright(const rv_liquid *q, const uint32_t *corner)
{
    const rv_point *a = &q->point[corner[0]], *b = &q->point[corner[1]], *c = &q->point[corner[2]];
    return above(a, b) || above(b, c) || above(c, a);
}

// The lower ends of curtains hang right under their upper ends.
static void find_drops(rv_liquid *q)
{
    for (size_t n = 0; n < q->triangles; n++) {
        const uint32_t *corner = q->corner + 3 * n;
        for (int k = 0; k < 3; k++) {
            rv_point *a = &q->point[corner[k]], *b = &q->point[corner[(k + 1) % 3]];
            if (!above(a, b)) continue;
            rv_point *low = a->at.z < b->at.z ? a : b;
            low->drop = fabsf(a->at.z - b->at.z);
        }
    }
}

// A mean of the normals around each point, half of it its own. Waves of two cells, the shortest
// that the columns can hold, would make the surface sparkle.
static bool smooth_normals(rv_liquid *q)
{
    if (!grow((void **)&q->sum, &q->sum_room, q->points, sizeof *q->sum)) return false;
    for (size_t n = 0; n < q->points; n++) q->sum[n] = v3(0, 0, 0);
    for (size_t n = 0; n < q->triangles; n++) {
        const uint32_t *corner = q->corner + 3 * n;
        if (upright(q, corner)) continue;
        vec3 sum = q->point[corner[0]].normal;
        for (int k = 1; k < 3; k++) sum = add(sum, q->point[corner[k]].normal);
        for (int k = 0; k < 3; k++) {
            vec3 one = add(sum, q->point[corner[k]].normal);
            q->sum[corner[k]] = add(q->sum[corner[k]], one);
        }
    }
    for (size_t n = 0; n < q->points; n++)
        if (dot(q->sum[n], q->sum[n]) > 0) q->point[n].normal = unit(q->sum[n]);
    return true;
}

static bool add_strips(rv_liquid *q)
{
    size_t triangles = q->triangles, points = q->points;
    for (size_t n = 0; n < triangles; n++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t *corner = q->corner + 3 * n;
            if (upright(q, corner)) break;
            if (!add_strip(q, corner[k], corner[(k + 1) % 3])) return false;
        }
    }
    for (uint32_t n = 0; n < points; n++) {
        vec3 p = q->point[n].at;
        float x = side_by(p.x, q->columns.nx), y = side_by(p.y, q->columns.ny);
        if (x < 0 || y < 0) continue;
        if (!grow_points(q, 3) || !grow_corners(q, 2)) return false;
        add_quad(q, n, add_point(q, n, x, p.y), add_point(q, n, x, y), add_point(q, n, p.x, y));
    }
    return q->points < UINT32_MAX && q->triangles < UINT32_MAX / 2;
}

// ---- Places ------------------------------------------------------------------------------------

// The places of a triangle: one, or the two beside a curtain.
static int places_of(const rv_liquid *q, const uint32_t *corner, size_t place[2])
{
    int nx = q->columns.nx, ny = q->columns.ny, count = 0;
    vec3 m = scale(add(add(q->point[corner[0]].at, q->point[corner[1]].at), q->point[corner[2]].at),
                   1.0f / 3);
    float step = upright(q, corner) ? SAME : 0;
    for (int k = -1; k <= 1; k += 2) {
        int x = (int)floorf(m.x + (float)k * step), y = (int)floorf(m.y + (float)k * step);
        x = x < 0 ? 0 : x > nx ? nx : x, y = y < 0 ? 0 : y > ny ? ny : y;
        size_t at = (size_t)y * ((size_t)nx + 1) + (size_t)x;
        if (count == 0 || at != place[0]) place[count++] = at;
    }
    return count;
}

static rv_facet facet_of(const rv_liquid *q, const uint32_t *corner)
{
    vec3 a = q->point[corner[0]].at;
    return (rv_facet){.at = a,
                      .u = sub(q->point[corner[1]].at, a),
                      .v = sub(q->point[corner[2]].at, a),
                      .corner = {corner[0], corner[1], corner[2]},
                      .falling = upright(q, corner)};
}

static bool sort_facets(rv_liquid *q)
{
    size_t place[2], sum = 0;
    memset(q->first, 0, (q->places + 1) * sizeof *q->first);
    for (size_t n = 0; n < q->triangles; n++)
        for (int k = places_of(q, q->corner + 3 * n, place); k-- > 0;) q->first[place[k]]++;
    for (size_t n = 0; n <= q->places; n++) {
        sum += q->first[n];
        q->first[n] = (uint32_t)sum; // one past its last, brought back to its first below
    }
    if (!grow((void **)&q->facet, &q->facet_room, sum, sizeof *q->facet)) return false;
    for (size_t n = q->triangles; n-- > 0;)
        for (int k = places_of(q, q->corner + 3 * n, place); k-- > 0;)
            q->facet[--q->first[place[k]]] = facet_of(q, q->corner + 3 * n);
    return true;
}

static void widen(rv_span *a, rv_span b)
{
    a->low = minf(a->low, b.low), a->high = maxf(a->high, b.high);
}

static void bound_places(rv_liquid *q)
{
    int nx = q->columns.nx + 1, ny = q->columns.ny + 1;
    const rv_span none = {INFINITY, -INFINITY};
    rv_span all = none;
    for (int n = 0; n < q->block_nx * q->block_ny; n++) q->block[n] = none;
    for (int y = 0; y < ny; y++) {
        for (int x = 0; x < nx; x++) {
            size_t place = (size_t)y * (size_t)nx + (size_t)x;
            int block = y / RV_LIQUID_BLOCK * q->block_nx + x / RV_LIQUID_BLOCK;
            rv_span span = none;
            for (uint32_t n = q->first[place]; n < q->first[place + 1]; n++) {
                const rv_facet *f = &q->facet[n];
                widen(&span, (rv_span){f->at.z + minf(minf(f->u.z, f->v.z), 0),
                                       f->at.z + maxf(maxf(f->u.z, f->v.z), 0)});
            }
            q->place[place] = span;
            widen(&q->block[block], span);
            widen(&all, span);
        }
    }
    q->high = all.high;
}

rv_result rv_liquid_update(rv_liquid *q, const rv_world *world)
{
    rv_surface_mesh mesh;
    rv_result result = rv_world_columns(world, &q->columns);
    if (result == RV_OK && !q->surface) result = rv_surface_create(world, &q->surface);
    if (result == RV_OK) result = rv_surface_update(q->surface, world);
    if (result == RV_OK) result = rv_surface_get(q->surface, &mesh);
    if (result != RV_OK) return result;
    if (!take_places(q) || !take_mesh(q, &mesh)) return RV_OUT_OF_MEMORY;
    q->gravity = (float)(rv_world_params(world)->gravity / q->columns.dx);
    find_drops(q);
    if (!smooth_normals(q) || !add_strips(q) || !sort_facets(q)) return RV_OUT_OF_MEMORY;
    bound_places(q);
    return RV_OK;
}
