// From the edges of the surface's mesh that run along the middles of the outermost cells: a strip
// half a cell wide goes on at the same height to the grid's side, and a face hangs from its end
// down to the bed. In the corners of the grid the strips of both sides meet in a square.
//
// Faces reach into the ground wherever it is solid, and are drawn as a hair behind its cut
// (liquid_vertex.glsl): what is seen of them ends where the ground begins, along the bed, walls and
// ceilings as they are, not as cells have them.
#include "render/sides.h"

#include "render/grow.h"
#include "render/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTO 0.5f // cells that faces reach into the ground: it may fall toward the side

typedef struct maker {
    rv_sides *s;
    const rv_surface_mesh *mesh;
    const rv_columns *c;
    float line[4],
        side[4]; // west, east, south, north: middles of the outermost cells, and the grid's sides
    float near, dx; // m; nearer to a line is on it
    bool failed;
} maker;

static const float *place_of(const maker *m, uint32_t vertex)
{
    return m->mesh->positions + 3 * (size_t)vertex;
}

static bool is_on(const maker *m, uint32_t vertex, int side)
{
    return fabsf(place_of(m, vertex)[side / 2] - m->line[side]) < m->near;
}

// Turns a vertex out of its side.
static void stand_up(rv_side_vertex *v, int side)
{
    memset(v->normal, 0, sizeof v->normal);
    v->normal[side / 2] = side % 2 ? 1.0f : -1.0f;
}

// A copy of a vertex, moved to a side of the grid (and to a second one in a corner, else -1). On a
// face: `below` how far under the surface, and a normal out of that side.
static uint32_t add_vertex(maker *m, uint32_t like, int side, int second, bool face, float below)
{
    rv_sides *s = m->s;
    if (!rv_grow((void **)&s->vertices, &s->vertex_room, s->vertex_count + 1,
                 sizeof *s->vertices)) {
        m->failed = true;
        return like;
    }
    rv_side_vertex *v = &s->vertices[s->vertex_count];
    *v = (rv_side_vertex){.like = like, .face = face};
    memcpy(v->position, place_of(m, like), sizeof v->position);
    memcpy(v->normal, m->mesh->normals + 3 * (size_t)like, sizeof v->normal);
    v->position[side / 2] = m->side[side];
    if (second >= 0) v->position[second / 2] = m->side[second];
    v->position[2] -= below;
    if (face) stand_up(v, side);
    return (uint32_t)(m->mesh->vertex_count + s->vertex_count++);
}

static void add_quad(maker *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    rv_sides *s = m->s;
    if (!rv_grow((void **)&s->indices, &s->triangle_room, s->triangle_count + 2,
                 3 * sizeof *s->indices)) {
        m->failed = true;
        return;
    }
    const uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(s->indices + 3 * s->triangle_count, corners, sizeof corners);
    s->triangle_count += 2;
}

static float lowest(const maker *m, uint32_t vertex)
{
    return place_of(m, vertex)[2] - m->mesh->depth[vertex] - INTO * m->dx;
}

// Under the end of a strip, from a to b with the liquid on the left. At a wall the sheet ends
// without depth, and the liquid under it does not: so the lower of the two ends counts for both.
static void add_face(maker *m, uint32_t a, int a_second, uint32_t b, int b_second, int side)
{
    float low = minf(lowest(m, a), lowest(m, b));
    uint32_t top_a = add_vertex(m, a, side, a_second, true, 0);
    uint32_t top_b = add_vertex(m, b, side, b_second, true, 0);
    uint32_t low_a = add_vertex(m, a, side, a_second, true, place_of(m, a)[2] - low);
    uint32_t low_b = add_vertex(m, b, side, b_second, true, place_of(m, b)[2] - low);
    add_quad(m, top_a, low_a, low_b, top_b);
}

static void add_strip(maker *m, uint32_t a, uint32_t b, int side)
{
    uint32_t end_a = add_vertex(m, a, side, -1, false, 0),
             end_b = add_vertex(m, b, side, -1, false, 0);
    add_quad(m, b, a, end_a, end_b);
    add_face(m, a, -1, b, -1, side);
}

// The square in a corner of the grid, beyond a vertex in the middle of its last cell.
// Counter-clockwise around the grid, `side` ends there and `next` begins.
static void add_corner(maker *m, uint32_t vertex, int side, int next)
{
    uint32_t a = add_vertex(m, vertex, side, -1, false, 0);
    uint32_t c = add_vertex(m, vertex, side, next, false, 0);
    uint32_t b = add_vertex(m, vertex, next, -1, false, 0);
    add_quad(m, vertex, a, c, b);
    add_face(m, vertex, -1, vertex, next, side);
    add_face(m, vertex, side, vertex, -1, next);
}

// The vertex that two strips meet at has an edge on either line.
static void look_at_edge(maker *m, uint32_t a, uint32_t b)
{
    static const int next_side[4] = {2, 3, 1, 0}; // counter-clockwise: west, south, east, north
    for (int side = 0; side < 4; side++) {
        if (!is_on(m, a, side) || !is_on(m, b, side)) continue;
        add_strip(m, a, b, side);
        // the liquid is on the left, so the grid is gone round counter-clockwise and b is ahead
        if (is_on(m, b, next_side[side])) add_corner(m, b, side, next_side[side]);
    }
}

// ---- Flooded columns ----------------------------------------------------------------------------

// Cells along a side, and the one that is the k-th of them.
static int cells_along(const maker *m, int side)
{
    return side < 2 ? m->c->ny : m->c->nx;
}

static bool column_of(const maker *m, int side, int k, int plane, size_t *slot)
{
    const rv_plane *p = &m->c->plane[plane];
    int x = side == 0 ? 0 : side == 1 ? m->c->nx - 1 : k;
    int y = side == 2 ? 0 : side == 3 ? m->c->ny - 1 : k;
    if (x < p->x0 || y < p->y0 || x >= p->x0 + p->nx || y >= p->y0 + p->ny) return false;
    *slot = rv_slot(p, x, y);
    return m->c->max[*slot] > m->c->base[*slot];
}

static bool is_full(const maker *m, size_t slot)
{
    return m->c->full && m->c->full[slot];
}

static float level_of(const maker *m, size_t slot)
{
    return is_full(m, slot) ? m->c->max[slot] : m->c->base[slot] + maxf(m->c->depth[slot], 0);
}

// A corner of a face, `along` m from the side's beginning, that no vertex of the surface is like.
static uint32_t add_alone(maker *m, int side, float along, float z, float depth)
{
    rv_sides *s = m->s;
    if (!rv_grow((void **)&s->vertices, &s->vertex_room, s->vertex_count + 1,
                 sizeof *s->vertices)) {
        m->failed = true;
        return 0;
    }
    rv_side_vertex *v = &s->vertices[s->vertex_count];
    *v = (rv_side_vertex){.like = RV_SIDE_ALONE, .face = true, .depth = depth};
    v->position[side / 2] = m->side[side];
    v->position[1 - side / 2] = m->side[side < 2 ? 2 : 0] + along;
    v->position[2] = z;
    stand_up(v, side);
    return (uint32_t)(m->mesh->vertex_count + s->vertex_count++);
}

// A face over a stretch of a side, its top from z at `from` to z at `to`.
static void add_plate(maker *m, int side, const float along[2], const float top[2], float low,
                      float depth)
{
    // seen from outside, the second end is to the right on the southern and the eastern side
    int first = side == 1 || side == 2 ? 0 : 1;
    uint32_t top_a = add_alone(m, side, along[first], top[first], depth);
    uint32_t low_a = add_alone(m, side, along[first], low, depth);
    uint32_t low_b = add_alone(m, side, along[1 - first], low, depth);
    uint32_t top_b = add_alone(m, side, along[1 - first], top[1 - first], depth);
    add_quad(m, top_a, low_a, low_b, top_b);
}

// The column of a cell whose void meets that of a flooded one; a wet one goes before a dry one.
static bool column_beside(const maker *m, int side, int k, size_t own, size_t *found, bool *wet)
{
    bool any = false;
    *wet = false;
    for (int l = 0; l < m->c->planes && !*wet; l++) {
        size_t slot;
        if (!column_of(m, side, k, l, &slot)) continue;
        float low = maxf(m->c->base[own], m->c->base[slot]);
        if (!(low < minf(m->c->max[own], m->c->max[slot]))) continue;
        *wet = low < level_of(m, slot) && m->c->depth[slot] > 0;
        *found = slot, any = true;
    }
    return any;
}

// Half of a flooded column's face, toward the cell on one side of it: up to the next column's
// middle if that has a surface of its own, half-way if it is flooded or dry, into the wall if there
// is none.
static void add_half(maker *m, int side, int k, int step, size_t own)
{
    const rv_columns *c = m->c;
    float into = INTO * m->dx, middle = ((float)k + 0.5f) * m->dx, reach = 0.5f * m->dx;
    float top[2] = {c->max[own] + into, c->max[own] + into}, low = c->base[own] - into;
    bool within = k + step >= 0 && k + step < cells_along(m, side), wet = false;
    size_t other;
    bool found = within && column_beside(m, side, k + step, own, &other, &wet);
    if (within && !found) reach = m->dx;
    if (found && wet) low = minf(low, c->base[other] - into);
    if (found && wet && !is_full(m, other)) {
        float level = level_of(m, other);
        reach = m->dx, top[1] = level;
        top[0] = maxf(c->max[own], level);
    } else if (found && wet) {
        top[0] = top[1] = maxf(c->max[own], c->max[other]) + into;
    }
    float along[2] = {middle, middle + (float)step * reach};
    if (step < 0) {
        float t = along[0];
        along[0] = along[1], along[1] = t;
        t = top[0], top[0] = top[1], top[1] = t;
    }
    add_plate(m, side, along, top, low, c->max[own] - c->base[own]);
}

static void add_flooded(maker *m)
{
    for (int side = 0; side < 4; side++) {
        for (int k = 0; k < cells_along(m, side) && !m->failed; k++) {
            for (int l = 0; l < m->c->planes; l++) {
                size_t slot;
                if (!column_of(m, side, k, l, &slot) || !is_full(m, slot)) continue;
                add_half(m, side, k, -1, slot);
                add_half(m, side, k, 1, slot);
            }
        }
    }
}

// Whether a place is on the middles of the outermost cells, or beyond them.
static bool is_rim(const maker *m, float x, float y)
{
    return x - m->line[0] < m->near || m->line[1] - x < m->near || y - m->line[2] < m->near ||
           m->line[3] - y < m->near;
}

static void add_strips(maker *m)
{
    rv_sides *s = m->s;
    const rv_surface_mesh *mesh = m->mesh;
    if (!rv_grow((void **)&s->rim, &s->rim_room, mesh->vertex_count, sizeof *s->rim)) {
        m->failed = true;
        return;
    }
    for (size_t n = 0; n < mesh->vertex_count; n++)
        s->rim[n] = is_rim(m, mesh->positions[3 * n], mesh->positions[3 * n + 1]);
    for (size_t t = 0; t < mesh->triangle_count && !m->failed; t++) {
        const uint32_t *corner = mesh->indices + 3 * t;
        for (int k = 0; k < 3; k++)
            if (s->rim[corner[k]]) look_at_edge(m, corner[k], corner[(k + 1) % 3]);
    }
}

rv_result rv_sides_make(rv_sides *sides, const rv_surface_mesh *mesh, const rv_columns *c,
                        const float low[2], const float high[2])
{
    double x1 = c->x0 + c->nx * c->dx, y1 = c->y0 + c->ny * c->dx, half = 0.5 * c->dx;
    maker m = {.s = sides,
               .mesh = mesh,
               .c = c,
               .line = {(float)(c->x0 + half), (float)(x1 - half), (float)(c->y0 + half),
                        (float)(y1 - half)},
               .side = {(float)c->x0, (float)x1, (float)c->y0, (float)y1},
               .near = (float)(1e-3 * c->dx),
               .dx = (float)c->dx};
    sides->vertex_count = sides->triangle_count = 0;
    if (is_rim(&m, low[0], low[1]) || is_rim(&m, high[0], high[1])) add_strips(&m);
    sides->strip_vertices = sides->vertex_count, sides->strip_triangles = sides->triangle_count;
    if (c->full) add_flooded(&m);
    return m.failed ? RV_OUT_OF_MEMORY : RV_OK;
}

rv_result rv_sides_again(rv_sides *s, const rv_surface_mesh *mesh, const rv_columns *grid,
                         const float low[2], const float high[2], const rv_sides *first,
                         size_t first_vertices)
{
    rv_columns only = {
        .nx = grid->nx, .ny = grid->ny, .dx = grid->dx, .x0 = grid->x0, .y0 = grid->y0};
    rv_result result = rv_sides_make(s, mesh, &only, low, high);
    size_t vertices = first->vertex_count - first->strip_vertices;
    size_t triangles = first->triangle_count - first->strip_triangles;
    if (result != RV_OK || triangles == 0) return result;
    if (!rv_grow((void **)&s->vertices, &s->vertex_room, s->vertex_count + vertices,
                 sizeof *s->vertices) ||
        !rv_grow((void **)&s->indices, &s->triangle_room, s->triangle_count + triangles,
                 3 * sizeof *s->indices))
        return RV_OUT_OF_MEMORY;
    memcpy(s->vertices + s->vertex_count, first->vertices + first->strip_vertices,
           vertices * sizeof *s->vertices);
    size_t was = first_vertices + first->strip_vertices, now = mesh->vertex_count + s->vertex_count;
    const uint32_t *from = first->indices + 3 * first->strip_triangles;
    uint32_t *to = s->indices + 3 * s->triangle_count;
    for (size_t k = 0; k < 3 * triangles; k++) to[k] = (uint32_t)(from[k] - was + now);
    s->vertex_count += vertices, s->triangle_count += triangles;
    return RV_OK;
}

void rv_sides_free(rv_sides *sides)
{
    free(sides->vertices);
    free(sides->indices);
    free(sides->rim);
    *sides = (rv_sides){0};
}
