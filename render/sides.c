// From the edges of the surface's mesh that run along the middles of the outermost cells: a strip
// half a cell wide goes on at the same height to the grid's side, and a face hangs from its end
// down to the bed. In the corners of the grid the strips of both sides meet in a square.
#include "render/sides.h"

#include "render/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    rv_sides *s;
    const rv_surface_mesh *mesh;
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
    if (face) {
        memset(v->normal, 0, sizeof v->normal);
        v->normal[side / 2] = side % 2 ? 1.0f : -1.0f;
    }
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

// Faces reach half a cell into the ground: the bed may fall toward the side.
static float reach(const maker *m, uint32_t vertex)
{
    return m->mesh->depth[vertex] + 0.5f * m->dx;
}

// Under the end of a strip, from a to b with the liquid on the left.
static void add_face(maker *m, uint32_t a, int a_second, uint32_t b, int b_second, int side)
{
    uint32_t top_a = add_vertex(m, a, side, a_second, true, 0);
    uint32_t top_b = add_vertex(m, b, side, b_second, true, 0);
    uint32_t low_a = add_vertex(m, a, side, a_second, true, reach(m, a));
    uint32_t low_b = add_vertex(m, b, side, b_second, true, reach(m, b));
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

rv_result rv_sides_make(rv_sides *sides, const rv_surface_mesh *mesh, const rv_columns *c)
{
    double x1 = c->x0 + c->nx * c->dx, y1 = c->y0 + c->ny * c->dx, half = 0.5 * c->dx;
    maker m = {.s = sides,
               .mesh = mesh,
               .line = {(float)(c->x0 + half), (float)(x1 - half), (float)(c->y0 + half),
                        (float)(y1 - half)},
               .side = {(float)c->x0, (float)x1, (float)c->y0, (float)y1},
               .near = (float)(1e-3 * c->dx),
               .dx = (float)c->dx};
    sides->vertex_count = sides->triangle_count = 0;
    for (size_t t = 0; t < mesh->triangle_count && !m.failed; t++) {
        const uint32_t *corner = mesh->indices + 3 * t;
        for (int k = 0; k < 3; k++) {
            const float *p = place_of(&m, corner[k]);
            bool rim = p[0] - m.line[0] < m.near || m.line[1] - p[0] < m.near ||
                       p[1] - m.line[2] < m.near || m.line[3] - p[1] < m.near;
            if (rim) look_at_edge(&m, corner[k], corner[(k + 1) % 3]);
        }
    }
    return m.failed ? RV_OUT_OF_MEMORY : RV_OK;
}

void rv_sides_free(rv_sides *sides)
{
    free(sides->vertices);
    free(sides->indices);
    *sides = (rv_sides){0};
}
