// The look of every vertex of the terrain's mesh. A vertex lies on an edge between a solid and a
// free sample. It belongs to a moving solid where that is nearer than the terrain that stays; else
// it looks as an edit stamped the solid sample; else like the solid it was built from, asked where
// the vertex is.
//
// Vertices are taken brick by brick: most bricks have one look only, many are known to have it
// since the field was built, and then no distance is asked.
#include "terrain/field.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define TIE 1e-3 // of dz: a solid that ends at the ground's plane is seen, not the ground

typedef struct painter {
    const rv_terrain *t;
    const float *positions;
    const rv_vertex_edge *edge;
    uint8_t *looks;
    size_t count;
    int low[3], n[3]; // bricks of the vertices: first, how many
    size_t bricks;
    uint32_t *first; // [bricks + 1] into order
    uint32_t *order; // vertices, brick by brick
    int at[3];       // the brick
    bool one;        // it has one look
    uint8_t look;
    rv_node *near; // nodes that matter in it
    int near_count;
    bool found; // they have been found
} painter;

// ---- One vertex ---------------------------------------------------------------------------------

typedef struct sample_place {
    size_t brick, index;
} sample_place;

static sample_place place_of(const rv_terrain *t, const int at[3])
{
    return (sample_place){(size_t)(at[1] >> RV_BRICK_SHIFT) * t->step_y +
                              (size_t)(at[0] >> RV_BRICK_SHIFT) * t->step_x +
                              (size_t)(at[2] >> RV_BRICK_SHIFT),
                          rv_brick_index(at[0], at[1], at[2])};
}

static float value_of(const rv_brick *bricks, sample_place p)
{
    return bricks[p.brick].samples ? bricks[p.brick].samples[p.index] : bricks[p.brick].middle;
}

// The other end of the edge; of a vertex on a cut, the same.
static void end_of(const rv_vertex_edge *e, int to[3])
{
    memcpy(to, e->at, sizeof e->at);
    if (e->axis < 3) to[e->axis]++;
}

double rv_terrain_nearest_mover(const rv_terrain *t, rv_vec3 p, bool angles, uint8_t *look)
{
    double nearest = INFINITY;
    for (int i = 0; i < t->mover_count; i++) {
        const rv_mover *m = &t->mover[i];
        rv_box reach = rv_box_grow(m->now, t->margin);
        if (m->node_count == 0 || !rv_box_meets(reach, (rv_box){p, p})) continue;
        const rv_looks *looks = angles ? &m->angle_looks : &m->looks;
        uint8_t own = angles ? m->angle_look : m->look;
        double d = looks->node_count > 0 ? rv_nodes_look(looks->nodes, looks->node_count,
                                                         rv_part_frame(&m->parts[0], p, 0), &own)
                                         : rv_nodes_distance(m->nodes, m->node_count, p);
        if (d < nearest) nearest = d, *look = own;
    }
    return nearest;
}

bool rv_terrain_on_mover(const rv_terrain *t, const rv_vertex_edge *e, rv_vec3 p, bool angles,
                         uint8_t *look)
{
    int to[3];
    end_of(e, to);
    if (!t->still || e->at[2] < 0) return false;
    sample_place a = place_of(t, e->at), b = place_of(t, to);
    float still_a = value_of(t->still, a), still_b = value_of(t->still, b);
    if (still_a == value_of(t->brick, a) && still_b == value_of(t->brick, b)) return false;
    double still = (1 - (double)e->share) * (double)still_a + (double)e->share * (double)still_b;
    return rv_terrain_nearest_mover(t, p, angles, look) < still;
}

static bool is_stamped(const rv_terrain *t, const rv_vertex_edge *e, uint8_t *look)
{
    int to[3];
    end_of(e, to);
    if (!t->stamp || e->at[2] < 0) return false;
    sample_place solid = place_of(t, e->at);
    if (!(value_of(t->brick, solid) < 0)) solid = place_of(t, to);
    const uint8_t *stamps = t->stamp[solid.brick];
    if (!stamps || stamps[solid.index] == 0) return false;
    *look = (uint8_t)(stamps[solid.index] - 1);
    return true;
}

// What matters between the brick's first samples and those of the bricks after it, and one below
// the lowest.
static void find_near(painter *w)
{
    const rv_grid *g = &w->t->grid;
    const rv_looks *looks = &w->t->looks;
    if (w->found || looks->node_count == 0) return;
    int i = w->at[0] * RV_BRICK, j = w->at[1] * RV_BRICK, k = w->at[2] * RV_BRICK;
    rv_box box = {rv_field_point(g, i, j, k == 0 ? -1 : k),
                  rv_field_point(g, i + RV_BRICK, j + RV_BRICK, k + RV_BRICK)};
    rv_ball ball = rv_ball_around(rv_box_grow(box, 3 * g->dx)); // edges go beyond their cells
    rv_nodes_cull(looks->nodes, looks->node_count, ball, w->near, &w->near_count);
    w->found = true;
}

// A vertex of the ground. What stands on it hides it, and goes on through it where it is cut.
static uint8_t ground_look(painter *w, const rv_vertex_edge *e, rv_vec3 p)
{
    const int above[3] = {e->at[0], e->at[1], 0};
    uint8_t look;
    if (w->one && e->axis == 3 && value_of(w->t->brick, place_of(w->t, above)) < 0) return w->look;
    find_near(w);
    double d = rv_nodes_look(w->near, w->near_count, p, &look);
    return d <= TIE * w->t->grid.dz ? look : RV_LOOK_SCENE;
}

static uint8_t look_of(painter *w, size_t vertex)
{
    const rv_vertex_edge *e = &w->edge[vertex];
    const float *at = e->known ? e->exact : w->positions + 3 * vertex;
    rv_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
    uint8_t look = w->look;
    if (rv_terrain_on_mover(w->t, e, p, false, &look) || is_stamped(w->t, e, &look)) return look;
    if (e->at[2] < 0) return ground_look(w, e, p);
    if (!w->one) rv_nodes_look(w->near, w->near_count, p, &look);
    return look;
}

// ---- Brick by brick -----------------------------------------------------------------------------

static int brick_along(const rv_vertex_edge *e, int axis)
{
    return (e->at[axis] < 0 ? 0 : e->at[axis]) >> RV_BRICK_SHIFT;
}

static size_t brick_of(const painter *w, const rv_vertex_edge *e)
{
    size_t x = (size_t)(brick_along(e, 0) - w->low[0]), y = (size_t)(brick_along(e, 1) - w->low[1]);
    size_t z = (size_t)(brick_along(e, 2) - w->low[2]);
    return (y * (size_t)w->n[0] + x) * (size_t)w->n[2] + z;
}

static void find_bricks(painter *w)
{
    int high[3] = {0};
    for (int a = 0; a < 3; a++) w->low[a] = high[a] = brick_along(&w->edge[0], a);
    for (size_t v = 1; v < w->count; v++) {
        for (int a = 0; a < 3; a++) {
            int b = brick_along(&w->edge[v], a);
            if (b < w->low[a]) w->low[a] = b;
            if (b > high[a]) high[a] = b;
        }
    }
    w->bricks = 1;
    for (int a = 0; a < 3; a++) w->n[a] = high[a] - w->low[a] + 1, w->bricks *= (size_t)w->n[a];
}

static void sort_vertices(painter *w)
{
    uint32_t *first = w->first;
    for (size_t v = 0; v < w->count; v++) first[brick_of(w, &w->edge[v]) + 1]++;
    for (size_t b = 0; b < w->bricks; b++) first[b + 1] += first[b];
    for (size_t v = 0; v < w->count; v++) w->order[first[brick_of(w, &w->edge[v])]++] = (uint32_t)v;
    memmove(first + 1, first, w->bricks * sizeof *first); // each had come to where the next began
    first[0] = 0;
}

// Whether the brick has one look, as the field knows or else its nodes.
static void look_around(painter *w)
{
    const rv_terrain *t = w->t;
    w->one = true, w->look = RV_LOOK_SCENE, w->found = false, w->near_count = 0;
    if (t->looks.node_count == 0) return;
    w->look = t->brick_look[(size_t)w->at[1] * t->step_y + (size_t)w->at[0] * t->step_x +
                            (size_t)w->at[2]];
    if (w->look != RV_LOOK_SEVERAL) return;
    find_near(w);
    w->one = rv_nodes_one_look(w->near, w->near_count, &w->look);
}

static void paint_brick(painter *w, size_t b)
{
    size_t begin = w->first[b], end = w->first[b + 1], flat = b / (size_t)w->n[2];
    if (begin == end) return;
    w->at[0] = w->low[0] + (int)(flat % (size_t)w->n[0]);
    w->at[1] = w->low[1] + (int)(flat / (size_t)w->n[0]);
    w->at[2] = w->low[2] + (int)(b % (size_t)w->n[2]);
    look_around(w);
    bool plain = w->one && w->at[2] > 0 && !w->t->still && !w->t->stamp;
    for (size_t n = begin; n < end; n++) {
        uint32_t v = w->order[n];
        uint8_t look = plain ? w->look : look_of(w, v);
        w->looks[v] = look == RV_LOOK_CLEAR ? RV_LOOK_SCENE : look;
    }
}

bool rv_terrain_vertex_looks(const rv_terrain *t, const rv_mesh *mesh, const rv_vertex_edge *edges,
                             const rv_allocator *a, uint8_t *looks)
{
    painter w = {.t = t,
                 .positions = mesh->positions,
                 .edge = edges,
                 .looks = looks,
                 .count = mesh->vertex_count};
    if (w.count == 0) return true;
    find_bricks(&w);
    size_t nodes = (size_t)t->looks.node_count;
    w.first = rv_new(a, w.bricks + 1, sizeof *w.first);
    w.order = rv_new(a, w.count, sizeof *w.order);
    w.near = nodes > 0 ? rv_new(a, nodes, sizeof *w.near) : NULL;
    bool good = w.first && w.order && (nodes == 0 || w.near);
    if (good) {
        sort_vertices(&w);
        for (size_t b = 0; b < w.bricks; b++) paint_brick(&w, b);
    }
    rv_free(a, w.first, w.bricks + 1, sizeof *w.first);
    rv_free(a, w.order, w.count, sizeof *w.order);
    rv_free(a, w.near, nodes, sizeof *w.near);
    return good;
}
