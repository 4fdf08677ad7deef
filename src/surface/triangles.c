// Triangles over the nodes (SPEC §4; 003 §4.2), cut where the surface ends, and curtains under
// lips.
//
// For each four cells around a corner of the grid, three nodes that are all linked make a triangle.
// The four triangles that four cells can have belong to two diagonals; the one with more of them is
// taken, of equals the one whose ends are both inside or both outside, of those the one whose ends
// stand higher.
#include "surface/surface.h"

#include <math.h>

#define NEAREST                                                                                    \
    0.02f // of the way between nodes: the end stays so far from both, or triangles would vanish

// ---- Vertices -----------------------------------------------------------------------------------

typedef struct vec {
    float x, y, z;
} vec;

typedef struct vertex {
    vec at, normal, velocity;
    float opacity, depth;
} vertex;

typedef struct mesher {
    rv_surface_work *w;
    const rv_surface_input *in;
    float dx, per_dx, per_opaque;
    double x0, y0;
    bool failed;
} mesher;

static float slope(const mesher *m, const rv_node_data *n, int forward)
{
    uint32_t a = n->link[forward], b = n->link[forward + 4];
    const rv_node_data *node = m->w->node;
    if (a != RV_NO_NODE && b != RV_NO_NODE) return 0.5f * m->per_dx * (node[a].z - node[b].z);
    if (a != RV_NO_NODE) return m->per_dx * (node[a].z - n->z);
    if (b != RV_NO_NODE) return m->per_dx * (n->z - node[b].z);
    return 0.0f;
}

static vec unit(vec v)
{
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
    if (!(length > 0.0f)) return (vec){0, 0, 1};
    float per = 1.0f / length;
    return (vec){v.x * per, v.y * per, v.z * per};
}

// A wet node's from the heights around it, any other's the mean of the wet ones around it.
static vec normal_of(const mesher *m, const rv_node_data *n)
{
    if (n->kind == RV_NODE_WET) return unit((vec){-slope(m, n, RV_E), -slope(m, n, RV_N), 1});
    vec sum = {0, 0, 0};
    for (int d = 0; d < RV_DIRECTIONS; d++) {
        if (n->link[d] == RV_NO_NODE || m->w->node[n->link[d]].kind != RV_NODE_WET) continue;
        vec o = normal_of(m, &m->w->node[n->link[d]]);
        sum.x += o.x, sum.y += o.y, sum.z += o.z;
    }
    return unit(sum);
}

static vec velocity_of(const mesher *m, const rv_node_data *n)
{
    const rv_surface_input *in = m->in;
    if (rv_is_extra(n)) {
        for (int d = 0; d < RV_DIRECTIONS; d++)
            if (n->link[d] != RV_NO_NODE && m->w->node[n->link[d]].kind == RV_NODE_WET)
                return velocity_of(m, &m->w->node[n->link[d]]);
        return (vec){0, 0, 0};
    }
    if (n->kind != RV_NODE_WET) return (vec){0, 0, 0};
    const rv_column_set *c = in->columns;
    int l = c->planes - 1;
    while (l > 0 && n->slot < c->plane[l].offset) l--;
    size_t i = n->slot, pitch = (size_t)c->plane[l].pitch;
    float per = 0.5f * m->per_dx / n->depth;
    float u = per * (in->flux_x[i - 1] + in->flux_x[i]),
          v = per * (in->flux_y[i - pitch] + in->flux_y[i]);
    return (vec){u, v, u * slope(m, n, RV_E) + v * slope(m, n, RV_N)};
}

static uint32_t put(mesher *m, const vertex *v)
{
    rv_surface_work *w = m->w;
    uint64_t need = (uint64_t)w->vertices + 1;
    uint32_t n = w->vertices;
    if (!rv_surface_grow(w, (void **)&w->positions, &w->position_room, n, need,
                         3 * sizeof(float)) ||
        !rv_surface_grow(w, (void **)&w->normals, &w->normal_room, n, need, 3 * sizeof(float)) ||
        !rv_surface_grow(w, (void **)&w->velocity, &w->velocity_room, n, need, 3 * sizeof(float)) ||
        !rv_surface_grow(w, (void **)&w->opacity, &w->opacity_room, n, need, sizeof(float)) ||
        !rv_surface_grow(w, (void **)&w->depth, &w->depth_room, n, need, sizeof(float))) {
        m->failed = true;
        return 0;
    }
    float *at = w->positions + 3 * (size_t)n, *normal = w->normals + 3 * (size_t)n;
    float *velocity = w->velocity + 3 * (size_t)n;
    at[0] = v->at.x, at[1] = v->at.y, at[2] = v->at.z;
    normal[0] = v->normal.x, normal[1] = v->normal.y, normal[2] = v->normal.z;
    velocity[0] = v->velocity.x, velocity[1] = v->velocity.y, velocity[2] = v->velocity.z;
    w->opacity[n] = v->opacity, w->depth[n] = v->depth;
    return w->vertices++;
}

static vertex vertex_at(const mesher *m, const rv_node_data *n)
{
    return (vertex){{(float)(m->x0 + (n->x + 0.5) * (double)m->dx),
                     (float)(m->y0 + (n->y + 0.5) * (double)m->dx), n->z},
                    normal_of(m, n),
                    velocity_of(m, n),
                    fminf(n->depth * m->per_opaque, 1.0f),
                    n->depth};
}

static uint32_t vertex_of(mesher *m, uint32_t number)
{
    rv_node_data *n = &m->w->node[number];
    if (n->vertex == RV_NO_NODE) {
        vertex v = vertex_at(m, n);
        n->vertex = put(m, &v);
    }
    return n->vertex;
}

static vec mix(vec a, vec b, float t)
{
    return (vec){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static int direction_between(const rv_node_data *a, const rv_node_data *b)
{
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (a->x + rv_step_x(d) == b->x && a->y + rv_step_y(d) == b->y) return d;
    return 0;
}

// Where the surface ends between a node inside and one outside: on the least height there, without
// depth.
static uint32_t end_between(mesher *m, uint32_t in, uint32_t out)
{
    rv_node_data *a = &m->w->node[in], *b = &m->w->node[out];
    int d = direction_between(a, b);
    uint32_t *kept = d < 4 ? &a->on_edge[d] : &b->on_edge[d - 4];
    if (*kept != RV_NO_NODE) return *kept;
    float t = a->inside / (a->inside - b->inside);
    t = fminf(fmaxf(t, NEAREST), 1.0f - NEAREST);
    vertex u = vertex_at(m, a), v = vertex_at(m, b);
    vertex end = {mix(u.at, v.at, t), unit(mix(u.normal, v.normal, t)),
                  mix(u.velocity, v.velocity, t), 0.0f, 0.0f};
    end.at.z = a->floor + t * (b->floor - a->floor);
    m->w->stats.edge++;
    return *kept = put(m, &end);
}

// ---- Triangles ----------------------------------------------------------------------------------

static void add_triangle(mesher *m, uint32_t a, uint32_t b, uint32_t c)
{
    rv_surface_work *w = m->w;
    if (m->failed) return;
    if (!rv_surface_grow(w, (void **)&w->indices, &w->index_room, w->triangles,
                         (uint64_t)w->triangles + 1, 3 * sizeof(uint32_t))) {
        m->failed = true;
        return;
    }
    uint32_t *to = w->indices + 3 * (size_t)w->triangles++;
    to[0] = a, to[1] = b, to[2] = c;
}

// One triangle of nodes, counter-clockwise, cut where it ends.
static void draw(mesher *m, const uint32_t node[3])
{
    const rv_node_data *n = m->w->node;
    bool in[3], wet = false;
    int count = 0;
    for (int k = 0; k < 3; k++) {
        in[k] = n[node[k]].inside > 0.0f;
        count += in[k], wet = wet || n[node[k]].kind == RV_NODE_WET;
    }
    if (count == 0 || !wet) return;
    if (count == 3) {
        uint32_t a = vertex_of(m, node[0]), b = vertex_of(m, node[1]), c = vertex_of(m, node[2]);
        add_triangle(m, a, b, c);
        return;
    }
    int k = 0; // the one that is alone, inside or outside
    while (in[k] != (count == 1)) k++;
    uint32_t p = node[k], q = node[(k + 1) % 3], r = node[(k + 2) % 3];
    if (count == 1) {
        uint32_t a = vertex_of(m, p), b = end_between(m, p, q), c = end_between(m, p, r);
        add_triangle(m, a, b, c);
    } else {
        uint32_t b = vertex_of(m, q), c = vertex_of(m, r);
        uint32_t d = end_between(m, r, p), e = end_between(m, q, p);
        add_triangle(m, b, c, d);
        add_triangle(m, b, d, e);
    }
}

// Whether the diagonal from a to d is to be preferred to that from b to c.
static bool prefer_ad(const rv_node_data *n, const uint32_t q[4])
{
    bool in[4];
    for (int k = 0; k < 4; k++) in[k] = n[q[k]].inside > 0.0f && n[q[k]].kind != RV_NODE_DRY;
    bool ad = in[0] == in[3], bc = in[1] == in[2];
    if (ad != bc) return ad;
    return n[q[0]].z + n[q[3]].z > n[q[1]].z + n[q[2]].z;
}

static uint32_t link_of(const rv_surface_work *w, uint32_t node, int direction)
{
    return node == RV_NO_NODE ? RV_NO_NODE : w->node[node].link[direction];
}

// The four cells with `a` in the south-west: b east of it, c north, d north-east.
static void draw_quartet(mesher *m, uint32_t a)
{
    const rv_surface_work *w = m->w;
    uint32_t b = link_of(w, a, RV_E), c = link_of(w, a, RV_N), d = link_of(w, a, RV_NE);
    uint32_t b2 = link_of(w, d, RV_S), c2 = link_of(w, d, RV_W);
    bool abc = b != RV_NO_NODE && c != RV_NO_NODE && link_of(w, b, RV_NW) == c;
    bool bcd = b2 != RV_NO_NODE && c2 != RV_NO_NODE && link_of(w, b2, RV_NW) == c2;
    bool abd = b != RV_NO_NODE && d != RV_NO_NODE && link_of(w, b, RV_N) == d;
    bool acd = c != RV_NO_NODE && d != RV_NO_NODE && link_of(w, c, RV_E) == d;
    int across = abc + bcd, along = abd + acd;
    bool ad = along > across;
    if (along == across && along == 2) ad = prefer_ad(w->node, (uint32_t[]){a, b, c, d});
    if (ad) {
        if (abd) draw(m, (uint32_t[]){a, b, d});
        if (acd) draw(m, (uint32_t[]){a, d, c});
    } else {
        if (abc) draw(m, (uint32_t[]){a, b, c});
        if (bcd) draw(m, (uint32_t[]){b2, d, c2});
    }
}

// The same cells without a node in the south-west.
static void draw_corner(mesher *m, uint32_t d)
{
    const rv_surface_work *w = m->w;
    uint32_t b = link_of(w, d, RV_S), c = link_of(w, d, RV_W);
    if (b == RV_NO_NODE || c == RV_NO_NODE || link_of(w, b, RV_NW) != c) return;
    draw(m, (uint32_t[]){b, d, c});
}

// ---- Curtains -----------------------------------------------------------------------------------

static uint32_t bottom_of(mesher *m, uint32_t lip, vec outward)
{
    const rv_surface_work *w = m->w;
    rv_node_data *n = &m->w->node[lip];
    if (n->bottom != RV_NO_NODE) return n->bottom;
    vertex v = vertex_at(m, n);
    uint32_t below = w->active[n->slot];
    bool lands =
        below != RV_NO_NODE && w->node[below].kind == RV_NODE_WET && w->node[below].inside > 0.0f;
    v.at.z = lands ? w->node[below].z : m->in->columns->base[n->slot] + m->in->over[n->slot];
    v.normal = outward;
    v.velocity.z = -sqrtf(2.0f * 9.81f * fmaxf(n->z - v.at.z, 0.0f));
    return n->bottom = put(m, &v);
}

// A curtain between two lips side by side; it faces away from what it hangs from.
static void hang(mesher *m, uint32_t a, uint32_t b, int direction)
{
    const rv_surface_work *w = m->w;
    float across = 0.0f; // on which side of the way from a to b the liquid is
    for (int k = 0; k < 2; k++) {
        const rv_node_data *n = &w->node[k == 0 ? a : b];
        for (int d = 0; d < RV_DIRECTIONS; d++)
            if (n->link[d] != RV_NO_NODE && w->node[n->link[d]].kind == RV_NODE_WET)
                across += (float)(rv_step_x(direction) * rv_step_y(d) -
                                  rv_step_y(direction) * rv_step_x(d));
    }
    bool left = across > 0.0f;
    vec outward = {left ? (float)rv_step_y(direction) : (float)-rv_step_y(direction),
                   left ? (float)-rv_step_x(direction) : (float)rv_step_x(direction), 0};
    uint32_t p = vertex_of(m, a), q = vertex_of(m, b);
    uint32_t r = bottom_of(m, a, outward), s = bottom_of(m, b, outward);
    if (left) {
        add_triangle(m, q, p, r);
        add_triangle(m, q, r, s);
    } else {
        add_triangle(m, p, q, s);
        add_triangle(m, p, s, r);
    }
    m->w->stats.curtain += 2;
}

static void hang_curtains(mesher *m)
{
    static const int along[2] = {RV_E, RV_N};
    const rv_surface_work *w = m->w;
    for (uint32_t i = w->columns; i < w->count; i++) {
        if (w->node[i].kind != RV_NODE_LIP) continue;
        for (int k = 0; k < 2; k++) {
            uint32_t other = w->node[i].link[along[k]];
            if (other == RV_NO_NODE || w->node[other].kind != RV_NODE_LIP) continue;
            if (w->node[i].inside > 0.0f && w->node[other].inside > 0.0f)
                hang(m, i, other, along[k]);
        }
    }
}

// Between the surface and the bed, by what it covers.
static double volume(const rv_surface_work *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->triangles; i++) {
        const uint32_t *t = w->indices + 3 * i;
        const float *a = w->positions + 3 * (size_t)t[0], *b = w->positions + 3 * (size_t)t[1];
        const float *c = w->positions + 3 * (size_t)t[2];
        double area = 0.5 * ((double)(b[0] - a[0]) * (double)(c[1] - a[1]) -
                             (double)(b[1] - a[1]) * (double)(c[0] - a[0]));
        sum += area * (double)(w->depth[t[0]] + w->depth[t[1]] + w->depth[t[2]]) / 3;
    }
    return sum;
}

bool rv_surface_triangulate(rv_surface_work *w, const rv_surface_input *in)
{
    const rv_grid *g = &in->columns->grid;
    mesher m = {.w = w, .in = in, .dx = (float)g->dx, .per_dx = (float)(1 / g->dx)};
    m.per_opaque = (float)(1 / in->opaque), m.x0 = g->x0, m.y0 = g->y0;
    w->vertices = w->triangles = 0;
    w->stats = (rv_surface_stats){.columns = w->columns, .extra = w->count - w->columns};
    for (uint32_t i = 0; i < w->count; i++) {
        draw_quartet(&m, i);
        if (w->node[i].link[RV_SW] == RV_NO_NODE) draw_corner(&m, i);
    }
    hang_curtains(&m);
    w->stats.volume = m.failed ? 0 : volume(w);
    return !m.failed;
}
