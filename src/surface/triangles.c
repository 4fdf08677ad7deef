// Triangles where things are not even (docs/surface.md; pipes paper §4.2, §4.3): at the end of the
// liquid, between planes, at walls and edges; and curtains under lips.
//
// For each four cells around a corner of the grid, three nodes that are all linked make a triangle.
// The four triangles that four cells can have belong to two diagonals; the one with more of them is
// taken. Of one each, that between columns goes before one with an extra node. Of two each, the
// diagonal goes first whose ends are farther inside, or without an end between them both wet or
// both dry, of those the one whose ends stand higher. Within a plane the loops over rows have found
// most of that (rows.h).
#include "surface/surface.h"

#include <math.h>

// The cells: a, b east of it, c north of it, d north-east.
enum { A, B, C, D };

typedef struct drawing {
    const rv_surface_pass *p;
    rv_surface_work *w;
    const rv_column_set *columns;
    rv_surface_band *band;
} drawing;

static int direction_between(int from, int to)
{
    static const int8_t of[4][4] = {{-1, RV_E, RV_N, RV_NE},
                                    {RV_W, -1, RV_NW, RV_N},
                                    {RV_S, RV_SE, -1, RV_E},
                                    {RV_SW, RV_S, RV_W, -1}};
    return of[from][to];
}

// ---- Vertices -----------------------------------------------------------------------------------

static uint32_t name_fresh(const drawing *m, uint32_t node, uint32_t with)
{
    uint32_t number = m->band->fresh_count++, band = (uint32_t)(m->band - m->w->band);
    m->w->fresh[m->band->fresh + number] = (rv_fresh_vertex){node, with};
    return RV_FRESH | band << RV_FRESH_BITS | number;
}

static uint32_t vertex_of(const drawing *m, uint32_t node)
{
    if (node < m->w->slots) return node;
    uint32_t *vertex = &m->w->vertex[node];
    if (*vertex == RV_NO_NODE) *vertex = name_fresh(m, node, RV_NO_NODE);
    return *vertex;
}

// Where the surface ends between a node inside and one outside, in the direction back to the one
// inside. It is kept with the one outside, which has a record.
static uint32_t end_between(const drawing *m, uint32_t in, uint32_t out, int direction)
{
    uint32_t record = m->w->record[out], *end = &m->w->ends[record].end[direction];
    if (*end == RV_NO_NODE) {
        *end = name_fresh(m, in, record * RV_DIRECTIONS + (uint32_t)direction);
        m->band->edge++;
    }
    return *end;
}

// ---- Triangles ----------------------------------------------------------------------------------

static void add_triangle(const drawing *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = m->w->loose + 3 * (size_t)(m->band->loose + m->band->loose_count++);
    to[0] = a, to[1] = b, to[2] = c;
}

// Remembers an edge between lips that has a triangle on its left.
static void share(rv_surface_work *w, uint32_t a, uint32_t b, int direction)
{
    if (w->kind[a] != RV_NODE_LIP || w->kind[b] != RV_NODE_LIP) return;
    w->records[w->record[a]].shared |= (uint8_t)(1u << direction);
}

// One triangle of nodes in three of the four cells, counter-clockwise, cut where it ends.
static void draw(const drawing *m, const uint32_t q[4], int i, int j, int k)
{
    rv_surface_work *w = m->w;
    bool in_i = w->inside[q[i]], in_j = w->inside[q[j]], in_k = w->inside[q[k]];
    int count = in_i + in_j + in_k;
    if (count == 0 || !((w->kind[q[i]] | w->kind[q[j]] | w->kind[q[k]]) & 1)) return;
    if (count == 3) {
        uint32_t a = vertex_of(m, q[i]), b = vertex_of(m, q[j]), c = vertex_of(m, q[k]);
        add_triangle(m, a, b, c);
        share(w, q[i], q[j], direction_between(i, j));
        share(w, q[j], q[k], direction_between(j, k));
        share(w, q[k], q[i], direction_between(k, i));
        return;
    }
    // r is the one that is alone, inside or outside; s and t follow it
    bool alone = count == 1;
    int r = in_i == alone ? i : in_j == alone ? j : k;
    int s = r == i ? j : r == j ? k : i, t = r == i ? k : r == j ? i : j;
    if (alone) {
        uint32_t a = vertex_of(m, q[r]), b = end_between(m, q[r], q[s], direction_between(s, r));
        uint32_t c = end_between(m, q[r], q[t], direction_between(t, r));
        add_triangle(m, a, b, c);
    } else {
        uint32_t b = vertex_of(m, q[s]), c = vertex_of(m, q[t]);
        uint32_t d = end_between(m, q[t], q[r], direction_between(r, t));
        uint32_t e = end_between(m, q[s], q[r], direction_between(r, s));
        add_triangle(m, b, c, d);
        add_triangle(m, b, d, e);
        share(w, q[s], q[t], direction_between(s, t));
    }
}

// Whether the diagonal from a to d is to be preferred to that from b to c. Where the surface ends
// between them, by how far inside the ends are: when that changes sides the four lie in a plane,
// where both make the same line, so that it does not jump.
static bool prefer_ad(const drawing *m, const uint32_t q[4])
{
    const rv_surface_work *w = m->w;
    if (!(w->inside[q[A]] & w->inside[q[B]] & w->inside[q[C]] & w->inside[q[D]]))
        return rv_surface_inside_of(m->p, q[A]) + rv_surface_inside_of(m->p, q[D]) >
               rv_surface_inside_of(m->p, q[B]) + rv_surface_inside_of(m->p, q[C]);
    bool dry[4];
    for (int k = 0; k < 4; k++) dry[k] = w->kind[q[k]] == RV_NODE_DRY;
    bool ad = dry[A] == dry[D], bc = dry[B] == dry[C];
    if (ad != bc) return ad;
    return w->z[q[A]] + w->z[q[D]] > w->z[q[B]] + w->z[q[C]];
}

static bool are_columns(const rv_surface_work *w, uint32_t a, uint32_t b, uint32_t c)
{
    return a < w->slots && b < w->slots && c < w->slots;
}

static void draw_quartet(const drawing *m, uint32_t a)
{
    const rv_surface_work *w = m->w;
    const rv_column_set *s = m->columns;
    uint32_t b = rv_linked(w, s, a, RV_E), c = rv_linked(w, s, a, RV_N);
    uint32_t d = rv_linked(w, s, a, RV_NE);
    uint32_t b2 = rv_linked(w, s, d, RV_S), c2 = rv_linked(w, s, d, RV_W);
    bool abc = b != RV_NO_NODE && c != RV_NO_NODE && rv_linked(w, s, b, RV_NW) == c;
    bool bdc = b2 != RV_NO_NODE && c2 != RV_NO_NODE && rv_linked(w, s, b2, RV_NW) == c2;
    bool abd = b != RV_NO_NODE && d != RV_NO_NODE && rv_linked(w, s, b, RV_N) == d;
    bool adc = c != RV_NO_NODE && d != RV_NO_NODE && rv_linked(w, s, c, RV_E) == d;
    int across = abc + bdc, along = abd + adc;
    const uint32_t q[4] = {a, b, c, d}, q2[4] = {a, b2, c2, d};
    bool ad = along > across;
    if (along == 2 && across == 2) ad = prefer_ad(m, q);
    if (along == 1 && across == 1)
        ad = are_columns(w, a, abd ? b : c, d) &&
             !(abc ? are_columns(w, a, b, c) : are_columns(w, b2, c2, d));
    if (ad) {
        if (abd) draw(m, q, A, B, D);
        if (adc) draw(m, q, A, D, C);
    } else {
        if (abc) draw(m, q, A, B, C);
        if (bdc) draw(m, q2, B, D, C);
    }
}

// The same cells without a node in the south-west that d is linked to.
static void draw_corner(const drawing *m, const rv_node_record *n)
{
    uint32_t b = n->link[RV_S], c = n->link[RV_W];
    if (n->link[RV_SW] != RV_NO_NODE || b == RV_NO_NODE || c == RV_NO_NODE) return;
    if (rv_linked(m->w, m->columns, b, RV_NW) != c) return;
    draw(m, (const uint32_t[4]){RV_NO_NODE, b, c, n->node}, B, D, C);
}

// ---- Rows ---------------------------------------------------------------------------------------

static void draw_row(const drawing *m, const rv_surface_row *row, uint32_t pitch)
{
    const uint8_t *quad = m->w->quad + row->first;
    int n = row->x1 - row->x0;
    for (int x = rv_next_byte(quad, n, RV_QUAD_SLOW, 0); x < n;
         x = rv_next_byte(quad, n, RV_QUAD_SLOW, x + 1)) {
        uint32_t a = row->first + (uint32_t)x;
        const uint32_t q[4] = {a, a + 1, a + pitch, a + pitch + 1};
        unsigned what = quad[x];
        if (what & RV_QUAD_EITHER)
            what = prefer_ad(m, q) ? RV_QUAD_ABD | RV_QUAD_ADC : RV_QUAD_ABC | RV_QUAD_BDC;
        if (what & RV_QUAD_ODD) draw_quartet(m, a);
        if (what & RV_QUAD_ABC) draw(m, q, A, B, C);
        if (what & RV_QUAD_BDC) draw(m, q, B, D, C);
        if (what & RV_QUAD_ABD) draw(m, q, A, B, D);
        if (what & RV_QUAD_ADC) draw(m, q, A, D, C);
    }
}

// Corners that the loops over rows do not see, because one of the nodes around is odd.
static void draw_odd_corners(const drawing *m, const rv_surface_row *row, size_t pitch)
{
    const rv_surface_work *w = m->w;
    for (uint32_t i = row->records; i < row->records + row->uneven; i++) {
        const uint8_t *odd = w->odd + w->records[i].node;
        if (odd[0] | odd[-1] | odd[-(ptrdiff_t)pitch] | odd[-(ptrdiff_t)pitch - 1])
            draw_corner(m, &w->records[i]);
    }
}

static void draw_band(void *context, int task)
{
    rv_surface_pass *p = context;
    rv_surface_work *w = p->w;
    drawing m = {p, w, p->in->columns, rv_band_of(p, task)};
    for (int y = m.band->y0; y < m.band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            const rv_surface_row *row = rv_row_of(w, y, l);
            int pitch = m.columns->plane[l].pitch;
            if (row->slow) draw_row(&m, row, (uint32_t)pitch);
            if (row->uneven && rv_has_odd(w)) draw_odd_corners(&m, row, (size_t)pitch);
        }
    }
    for (uint32_t i = 0; i < m.band->extra_count; i++) {
        const rv_node_record *n = &w->records[w->columns + m.band->extra + i];
        draw_quartet(&m, n->node);
        draw_corner(&m, n);
    }
    rv_surface_smooth_rows(p, m.band); // normals of all bands are there, and these are only its own
}

// ---- Curtains -----------------------------------------------------------------------------------

// A curtain has vertices of its own at its lip too: it faces outward there, and the sheet does not.
static void name_ends(const drawing *m, rv_node_record *n)
{
    static const uint32_t count[] = {RV_CURTAIN_ROWS, 2 * RV_FALL_ROWS, RV_FALL_VERTICES};
    if (n->top != RV_NO_NODE) return;
    n->top = name_fresh(m, n->node, RV_TOP);
    for (uint32_t k = 1; k < count[n->falls]; k++) name_fresh(m, n->node, RV_TOP + k);
}

// The lip in a direction; NULL: there is none.
static rv_node_record *lip_at(const rv_surface_work *w, const rv_node_record *n, int direction)
{
    uint32_t o = n->link[direction];
    return o != RV_NO_NODE && w->kind[o] == RV_NODE_LIP ? &w->records[w->record[o]] : NULL;
}

// Where the curtain from a lip would end: in the first direction in which a triangle is on the left
// and none on the right.
static void begin_curtain(const drawing *m, rv_node_record *n)
{
    for (int d = 0; n->shared >> d && !n->begins; d++) {
        if (!(n->shared >> d & 1)) continue;
        const rv_node_record *o = lip_at(m->w, n, d);
        if (o && !(o->shared >> rv_opposite(d) & 1)) n->begins = (uint8_t)(d + 1);
    }
}

// A lip where two shores meet in a point has only one curtain that ends there: from the first
// direction.
static void end_curtain(const drawing *m, rv_node_record *n)
{
    for (int d = 0; d < RV_DIRECTIONS && !n->ends; d++) {
        const rv_node_record *o = lip_at(m->w, n, d);
        if (o && o->begins == rv_opposite(d) + 1) n->ends = (uint8_t)(d + 1);
    }
}

static void forget_curtain(const drawing *m, rv_node_record *n)
{
    const rv_node_record *o = n->begins ? lip_at(m->w, n, n->begins - 1) : NULL;
    if (o && o->ends != rv_opposite(n->begins - 1) + 1) n->begins = 0;
}

// Whether there is a curtain from a lip on, or up to it, and liquid falls freely from the lip
// there.
static bool falls_beside(const drawing *m, const rv_node_record *n, uint8_t way)
{
    return way && !(lip_at(m->w, n, way - 1)->apron > -INFINITY);
}

// Falls are bodies between two lips at least.
static void find_fall(const drawing *m, rv_node_record *n)
{
    if (n->apron > -INFINITY) return;
    int count = falls_beside(m, n, n->begins) + falls_beside(m, n, n->ends);
    n->falls = count == 2 ? RV_FALL_INNER : count == 1 ? RV_FALL_SIDE : RV_FALL_NONE;
}

// Two rows of triangles' corners, from top to bottom, that face to the right of the way from a to
// b.
static void add_strip(const drawing *m, uint32_t a, uint32_t b, uint32_t from, uint32_t rows)
{
    for (uint32_t k = from; k + 1 < rows; k++) {
        add_triangle(m, b + k, a + k, a + k + 1);
        add_triangle(m, b + k, a + k + 1, b + k + 1);
    }
    m->band->curtain += 2 * (rows - 1 - from);
}

// What clings, beside what falls: joined to its front, as far as the edge goes.
static void add_joint(const drawing *m, const rv_node_record *a, const rv_node_record *b)
{
    const uint32_t last = RV_FALL_JOINED;
    add_strip(m, a->top, b->top, 0, last + 1);
    for (uint32_t k = last; k + 1 < RV_CURTAIN_ROWS; k++) {
        if (a->falls)
            add_triangle(m, b->top + k, a->top + last, b->top + k + 1);
        else
            add_triangle(m, b->top + last, a->top + k, a->top + k + 1);
        m->band->curtain++;
    }
}

// The round side of a fall.
static void add_rim(const drawing *m, const rv_node_record *n)
{
    const uint32_t front = n->top, back = front + RV_FALL_ROWS, rim = back + RV_FALL_ROWS;
    bool first = falls_beside(m, n, n->begins); // the fall goes on from here
    uint32_t from = (first ? n->ends : n->begins) ? RV_FALL_JOINED : 0;
    add_strip(m, first ? rim : front, first ? front : rim, from, RV_FALL_ROWS);
    add_strip(m, first ? back : rim, first ? rim : back, from, RV_FALL_ROWS);
}

// A curtain between two lips, where the surface is on the left of the way from a to b and nothing
// on the right: it faces to the right.
static void hang(const drawing *m, rv_node_record *a)
{
    rv_node_record *b = a->begins ? lip_at(m->w, a, a->begins - 1) : NULL;
    if (b) {
        name_ends(m, a);
        name_ends(m, b);
        if (!a->falls != !b->falls)
            add_joint(m, a, b);
        else
            add_strip(m, a->top, b->top, 0, a->falls ? RV_FALL_ROWS : RV_CURTAIN_ROWS);
        if (a->falls && b->falls)
            add_strip(m, b->top + RV_FALL_ROWS, a->top + RV_FALL_ROWS, 0, RV_FALL_ROWS);
    }
    if (a->falls != RV_FALL_SIDE) return;
    name_ends(m, a);
    add_rim(m, a);
}

static void each_lip(const drawing *m, void (*does)(const drawing *m, rv_node_record *n))
{
    rv_surface_work *w = m->w;
    for (int b = 0; b < w->bands; b++) {
        if (w->band[b].lips == 0) continue;
        rv_node_record *n = w->records + w->columns + w->band[b].extra;
        for (rv_node_record *end = n + w->band[b].extra_count; n < end; n++)
            if (w->kind[n->node] == RV_NODE_LIP) does(m, n);
    }
}

// In one go: lips are few. In whatever order they stand, the same are hung.
static void hang_curtains(const rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    drawing m = {p, w, p->in->columns, &w->band[w->bands]};
    each_lip(&m, begin_curtain);
    each_lip(&m, end_curtain);
    each_lip(&m, forget_curtain);
    each_lip(&m, find_fall);
    each_lip(&m, hang);
}

// ---- All of it ----------------------------------------------------------------------------------

static void quad_band(void *context, int task)
{
    const rv_surface_pass *p = context;
    rv_surface_work *w = p->w;
    rv_surface_band *band = rv_band_of(p, task);
    uint32_t slow = 0, records = 0;
    for (int y = band->y0; y < band->y1; y++) {
        for (int l = 0; l < w->planes; l++) {
            rv_surface_row *row = rv_row_of(w, y, l);
            if (row->x1 <= row->x0) continue;
            rv_row_view view = rv_view_of(p, row, l);
            rv_quad_count count = w->loops->quads(&view, row->x1 - row->x0, w->quad + row->first);
            row->vertex_count = (uint32_t)count.inside;
            row->triangle_count = 2 * (uint32_t)count.whole, row->slow = (uint32_t)count.slow;
            slow += row->slow, records += row->uneven;
        }
    }
    rv_surface_find_normals(p, band);
    // four cells make at most two triangles, a corner one; a triangle of nodes has at most three
    // vertices of its own, and is cut into two
    uint32_t most = 2 * slow;
    if (rv_has_odd(w)) most += records + 3 * band->extra_count;
    band->fresh_room = 3 * most, band->loose_room = 2 * most;
}

bool rv_surface_triangulate(rv_surface_pass *p)
{
    rv_surface_work *w = p->w;
    uint64_t fresh = 0, loose = 0;
    rv_surface_each_band(p, quad_band);
    rv_surface_band *curtains = &w->band[w->bands];
    *curtains = (rv_surface_band){0};
    for (int b = 0; b <= w->bands; b++) {
        rv_surface_band *band = &w->band[b];
        if (band->fresh_room >= 1u << RV_FRESH_BITS) return false;
        band->fresh = (uint32_t)fresh, band->loose = (uint32_t)loose;
        fresh += band->fresh_room, loose += band->loose_room;
        curtains->fresh_room += RV_CURTAIN_ROWS * band->lips + RV_FALL_VERTICES * band->falls;
        curtains->loose_room += RV_CURTAIN_TRIANGLES * band->lips + RV_FALL_TRIANGLES * band->falls;
    }
    if (!rv_surface_grow(w, (void **)&w->fresh, &w->fresh_room, fresh, sizeof *w->fresh) ||
        !rv_surface_grow(w, (void **)&w->loose, &w->loose_room, loose, 3 * sizeof *w->loose))
        return false;
    rv_surface_begin_normals(p);
    rv_surface_each_second_band(p, draw_band);
    hang_curtains(p);
    return true;
}
