// Triangles where things are not even (SPEC §4; 003 §4.2, §4.3): at the end of the liquid, between
// planes, at walls and edges; and curtains under lips.
//
// For each four cells around a corner of the grid, three nodes that are all linked make a triangle.
// The four triangles that four cells can have belong to two diagonals; the one with more of them is
// taken. Of one each, that between columns goes before one with an extra node. Of two each, the
// diagonal goes first whose ends are farther inside, or without an end between them both wet or
// both dry, of those the one whose ends stand higher.
#include "surface/mesher.h"

#define NEAREST                                                                                    \
    0.02f // of the way between nodes: the end stays so far from both, or triangles would vanish

// ---- Vertices -----------------------------------------------------------------------------------

static uint32_t put(rv_mesher *m, const rv_vertex *v)
{
    rv_vertex_store(m->w, m->w->vertices, v);
    return m->w->vertices++;
}

static uint32_t vertex_of(rv_mesher *m, uint32_t node)
{
    uint32_t *vertex = &m->w->vertex[node];
    if (*vertex == RV_NO_NODE) {
        rv_vertex v = rv_vertex_at(m, node);
        *vertex = put(m, &v);
    }
    return *vertex;
}

static rv_vec mix(rv_vec a, rv_vec b, float t)
{
    return (rv_vec){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static int direction_of(int x, int y)
{
    for (int d = 0; d < RV_DIRECTIONS; d++)
        if (rv_step_x(d) == x && rv_step_y(d) == y) return d;
    return 0;
}

static float floor_of(const rv_mesher *m, uint32_t node)
{
    if (m->w->record[node] != RV_NO_NODE) return m->w->records[m->w->record[node]].floor;
    return m->in->columns->base[node] + m->in->over[node];
}

static float inside_of(const rv_mesher *m, uint32_t node)
{
    if (m->w->record[node] != RV_NO_NODE) return m->w->records[m->w->record[node]].inside;
    return m->in->depth[node];
}

// Whether the way from a node inside to one outside is a bed that the straight line between them
// tells of (0), or a wall that stands somewhere between them (1).
static float wall_between(const rv_mesher *m, const rv_vertex *in, float low, float high,
                          bool diagonal)
{
    if (in->at.z > high) return 0.0f;
    float rise = (high - low) * m->per_dx * (diagonal ? 0.70710678f : 1.0f);
    return fminf(fmaxf(rise - 1.0f, 0.0f), 1.0f);
}

// Where the surface ends between a node inside and one outside, without depth: on a bed, on the
// least height there; at a wall it goes on level, into the wall. It is kept with the one outside,
// which has a record.
static uint32_t end_between(rv_mesher *m, uint32_t in, uint32_t out)
{
    rv_node_record *o = &m->w->records[m->w->record[out]];
    rv_vertex u = rv_vertex_at(m, in), v = rv_vertex_at(m, out);
    float half = 0.5f * m->dx, dx = u.at.x - v.at.x, dy = u.at.y - v.at.y;
    int d = direction_of((dx > half) - (dx < -half), (dy > half) - (dy < -half));
    if (o->end[d] != RV_NO_NODE) return o->end[d];
    float a = inside_of(m, in), low = floor_of(m, in);
    float t = fminf(fmaxf(a / (a - o->inside), NEAREST), 1.0f - NEAREST);
    float wall = wall_between(m, &u, low, o->floor, d % 2), bed = low + t * (o->floor - low);
    t += wall * (1.0f - NEAREST - t);
    rv_vertex end = {mix(u.at, v.at, t), rv_vec_unit(mix(u.normal, v.normal, t)),
                     mix(u.velocity, v.velocity, t), 0.0f, 0.0f};
    end.at.z = bed + wall * (u.at.z - bed);
    m->w->stats.edge++;
    return o->end[d] = put(m, &end);
}

// ---- Triangles ----------------------------------------------------------------------------------

static void add_triangle(rv_mesher *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = m->w->indices + 3 * (size_t)m->w->triangles++;
    to[0] = a, to[1] = b, to[2] = c;
}

// Remembers an edge between lips that has a triangle on its left.
static void share(rv_surface_work *w, uint32_t a, uint32_t b)
{
    if (w->kind[a] != RV_NODE_LIP || w->kind[b] != RV_NODE_LIP) return;
    rv_node_record *n = &w->records[w->record[a]];
    const rv_node_record *o = &w->records[w->record[b]];
    n->shared |= (uint8_t)(1u << direction_of(o->x - n->x, o->y - n->y));
}

// One triangle of nodes, counter-clockwise, cut where it ends.
static void draw(rv_mesher *m, const uint32_t node[3])
{
    const rv_surface_work *w = m->w;
    bool in[3], wet = false;
    int count = 0;
    for (int k = 0; k < 3; k++) {
        in[k] = w->inside[node[k]];
        count += in[k], wet = wet || rv_is_wet_node(w->kind[node[k]]);
    }
    if (count == 0 || !wet) return;
    if (count == 3) {
        uint32_t a = vertex_of(m, node[0]), b = vertex_of(m, node[1]), c = vertex_of(m, node[2]);
        add_triangle(m, a, b, c);
        for (int k = 0; k < 3; k++) share(m->w, node[k], node[(k + 1) % 3]);
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
        share(m->w, q, r);
    }
}

// Whether the diagonal from a to d is to be preferred to that from b to c. Where the surface ends
// between them, by how far inside the ends are: when that changes sides the four lie in a plane,
// where both make the same line, so that it does not jump.
static bool prefer_ad(const rv_mesher *m, const uint32_t q[4])
{
    const rv_surface_work *w = m->w;
    bool in[4];
    for (int k = 0; k < 4; k++) in[k] = w->inside[q[k]];
    if (!in[0] || !in[1] || !in[2] || !in[3])
        return inside_of(m, q[0]) + inside_of(m, q[3]) > inside_of(m, q[1]) + inside_of(m, q[2]);
    for (int k = 0; k < 4; k++) in[k] = w->kind[q[k]] != RV_NODE_DRY;
    bool ad = in[0] == in[3], bc = in[1] == in[2];
    if (ad != bc) return ad;
    return w->z[q[0]] + w->z[q[3]] > w->z[q[1]] + w->z[q[2]];
}

static bool are_columns(const rv_surface_work *w, uint32_t a, uint32_t b, uint32_t c)
{
    return a < w->slots && b < w->slots && c < w->slots;
}

// The four cells with `a` in the south-west: b east of it, c north, d north-east.
static void draw_quartet(rv_mesher *m, uint32_t a)
{
    const rv_surface_work *w = m->w;
    const rv_column_set *s = m->in->columns;
    uint32_t b = rv_linked(w, s, a, RV_E), c = rv_linked(w, s, a, RV_N);
    uint32_t d = rv_linked(w, s, a, RV_NE);
    uint32_t b2 = rv_linked(w, s, d, RV_S), c2 = rv_linked(w, s, d, RV_W);
    bool abc = b != RV_NO_NODE && c != RV_NO_NODE && rv_linked(w, s, b, RV_NW) == c;
    bool bcd = b2 != RV_NO_NODE && c2 != RV_NO_NODE && rv_linked(w, s, b2, RV_NW) == c2;
    bool abd = b != RV_NO_NODE && d != RV_NO_NODE && rv_linked(w, s, b, RV_N) == d;
    bool acd = c != RV_NO_NODE && d != RV_NO_NODE && rv_linked(w, s, c, RV_E) == d;
    int across = abc + bcd, along = abd + acd;
    bool ad = along > across;
    if (along == 2 && across == 2) ad = prefer_ad(m, (uint32_t[]){a, b, c, d});
    if (along == 1 && across == 1)
        ad = are_columns(w, a, abd ? b : c, d) &&
             !(abc ? are_columns(w, a, b, c) : are_columns(w, b2, c2, d));
    if (ad) {
        if (abd) draw(m, (uint32_t[]){a, b, d});
        if (acd) draw(m, (uint32_t[]){a, d, c});
    } else {
        if (abc) draw(m, (uint32_t[]){a, b, c});
        if (bcd) draw(m, (uint32_t[]){b2, d, c2});
    }
}

// The same cells without a node in the south-west.
static void draw_corner(rv_mesher *m, uint32_t d)
{
    const rv_surface_work *w = m->w;
    const rv_column_set *s = m->in->columns;
    uint32_t b = rv_linked(w, s, d, RV_S), c = rv_linked(w, s, d, RV_W);
    if (b == RV_NO_NODE || c == RV_NO_NODE || rv_linked(w, s, b, RV_NW) != c) return;
    draw(m, (uint32_t[]){b, d, c});
}

static void draw_row(rv_mesher *m, const rv_surface_row *row)
{
    const rv_surface_work *w = m->w;
    for (uint32_t i = row->first; i < row->first + (uint32_t)(row->x1 - row->x0); i++)
        if (w->quad[i] == RV_QUAD_SLOW) draw_quartet(m, i);
}

// ---- Curtains -----------------------------------------------------------------------------------

static uint32_t bottom_of(rv_mesher *m, uint32_t lip, rv_vec outward)
{
    const rv_surface_work *w = m->w;
    rv_node_record *n = &m->w->records[m->w->record[lip]];
    if (n->bottom != RV_NO_NODE) return n->bottom;
    rv_vertex v = rv_vertex_at(m, lip);
    bool lands = rv_is_wet_node(w->kind[n->below]) && w->inside[n->below];
    float low = lands ? w->z[n->below] : m->in->columns->base[n->below] + m->in->over[n->below];
    // at the foot of a cliff the surface below may be drawn as high as the lip
    v.at.z = fminf(low, v.at.z - NEAREST * m->dx);
    v.normal = outward;
    return n->bottom = put(m, &v);
}

// A curtain between two lips, where the surface is on the left of the way from a to b and nothing
// on the right: it faces to the right. A lip where two shores meet in a point has only one.
static void hang(rv_mesher *m, uint32_t a, uint32_t b, int direction)
{
    rv_node_record *n = &m->w->records[m->w->record[a]], *o = &m->w->records[m->w->record[b]];
    if ((n->hung & 1) || (o->hung & 2)) return;
    n->hung |= 1, o->hung |= 2;
    rv_vec outward =
        rv_vec_unit((rv_vec){(float)rv_step_y(direction), (float)-rv_step_x(direction), 0});
    uint32_t p = vertex_of(m, a), q = vertex_of(m, b);
    uint32_t r = bottom_of(m, a, outward), s = bottom_of(m, b, outward);
    add_triangle(m, q, p, r);
    add_triangle(m, q, r, s);
    m->w->stats.curtain += 2;
}

static void hang_curtains(rv_mesher *m)
{
    const rv_surface_work *w = m->w;
    for (uint32_t i = w->columns; i < w->count; i++) {
        const rv_node_record *n = &w->records[i];
        for (int d = 0; d < RV_DIRECTIONS; d++) {
            if (!(n->shared & (1u << d))) continue;
            uint32_t other = n->link[d];
            unsigned back = 1u << (d + 4) % RV_DIRECTIONS;
            if (!(w->records[w->record[other]].shared & back)) hang(m, n->node, other, d);
        }
    }
}

// ---- All of it ----------------------------------------------------------------------------------

double rv_surface_volume(const rv_surface_work *w)
{
    double sum = 0;
    for (size_t i = 0; i < w->triangles; i++) {
        const uint32_t *t = w->indices + 3 * i;
        const float *a = w->positions + 3 * (size_t)t[0], *b = w->positions + 3 * (size_t)t[1];
        const float *c = w->positions + 3 * (size_t)t[2];
        float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        sum += (double)(area * (w->depth[t[0]] + w->depth[t[1]] + w->depth[t[2]]));
    }
    return sum / 6;
}

bool rv_surface_triangulate(rv_surface_work *w, const rv_surface_input *in)
{
    rv_mesher m = rv_mesher_of(w, in);
    uint64_t slow = 0;
    for (uint32_t r = 0; r < w->rows; r++)
        slow += (uint32_t)(w->row[r].x1 - w->row[r].x0) - w->row[r].triangle_count / 2;
    // a node gives at most its own vertex, an end in each of eight directions, and a bottom; four
    // cells make at most two triangles, cut four, and a corner one more
    if (!rv_surface_reserve(w, 10 * (uint64_t)w->count, 4 * slow + 12 * (uint64_t)w->count))
        return false;
    w->stats.edge = w->stats.curtain = 0;
    for (uint32_t r = 0; r < w->rows; r++) draw_row(&m, &w->row[r]);
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t node = w->records[i].node;
        if (node >= w->slots) draw_quartet(&m, node);
        if (w->records[i].link[RV_SW] == RV_NO_NODE) draw_corner(&m, node);
    }
    hang_curtains(&m);
    return true;
}
