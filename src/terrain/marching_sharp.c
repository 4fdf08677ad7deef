// Loops of marching cubes that pass edges or corners of the solid (sharp.c).
#include "terrain/marching_parts.h"

#include <math.h>
#include <string.h>

#define BEYOND 1.25   // of a cell: how far vertices may leave it
#define NEAR 0.01     // of a cell: how close to each other they may be
#define ROUND 0.25    // of a cell: what has a smaller radius is an edge
#define BENT 0.85     // cosine of the least angle that is seen: 32 degrees
#define SIDE 0.04     // how much nearer to one side than the other a normal is its own: a fifth
#define ROUNDS 4      // of looking for an edge
#define AROUND_MAX 24 // a loop's vertices, and as many between them

typedef struct ring {
    double low[3], high[3]; // how far its vertices may go
    double near;            // m, closer to another vertex none may be
    rv_sharp_point point[AROUND_MAX];
    bool bend[AROUND_MAX];
    uint32_t vertex[AROUND_MAX];
    int count, bends;
} ring;

static rv_sharp_point point_of(const rv_marcher *m, uint32_t vertex)
{
    rv_sharp_point p;
    const rv_march_known *known = &m->known[vertex];
    const float *at =
        known->kind == RV_MARCH_EXACT ? known->at : m->out->positions + 3 * (size_t)vertex;
    for (int d = 0; d < 3; d++) {
        p.at[d] = (double)at[d];
        p.normal[d] = (double)m->out->normals[3 * (size_t)vertex + (size_t)d];
    }
    return p;
}

// The face that both edges lie in, as axis and side, but none where the cell beyond it cannot
// agree: on a cut and on the ground.
static bool face_of(const rv_lattice *l, const int cell[3], int e, int f, int *axis)
{
    int a = rv_march_start(e), b = rv_march_start(f);
    for (int d = 0; d < 3; d++) {
        if (d == e >> 2 || d == f >> 2 || (a >> d & 1) != (b >> d & 1)) continue;
        int at = cell[d] + (a >> d & 1);
        if ((at == 0 && l->cut[d][0]) || (at == l->n[d] - 1 && l->cut[d][1])) return false;
        if (d == 2 && at == l->ground) return false;
        *axis = d;
        return true;
    }
    return false;
}

// A vertex on an edge, or on something round.
static uint32_t add_point(rv_marcher *m, const rv_sharp_point *p, bool round, uint32_t beside)
{
    rv_march_known known = {.kind = round ? RV_MARCH_EXACT : RV_MARCH_CREASE};
    for (int d = 0; d < 3; d++) known.at[d] = (float)p->at[d];
    float normal[3] = {(float)p->normal[0], (float)p->normal[1], (float)p->normal[2]};
    uint32_t n = rv_march_vertex(m, normal, known);
    if (n == RV_MARCH_NONE) return n;
    for (int d = 0; d < 3; d++) m->out->positions[3 * (size_t)n + (size_t)d] = (float)p->at[d];
    m->l->added(m->l->user, beside);
    return n;
}

// A thin edge may leave its cell between two free samples and come back; the cell there has no
// vertices of its own, so those of this one go as far. Not through a cut, nor under the ground.
static void set_limits(const rv_lattice *l, const int cell[3], ring *r)
{
    int beyond[3] = {cell[0] + 1, cell[1] + 1, cell[2] + 1};
    l->corner(l->user, cell, r->low), l->corner(l->user, beyond, r->high);
    r->near = INFINITY;
    for (int d = 0; d < 3; d++) {
        double size = r->high[d] - r->low[d];
        bool first = cell[d] == 0 && l->cut[d][0], last = beyond[d] == l->n[d] - 1 && l->cut[d][1];
        r->low[d] -= first || (d == 2 && cell[2] == l->ground) ? -NEAR * size : BEYOND * size;
        r->high[d] += last ? -NEAR * size : BEYOND * size;
        r->near = fmin(r->near, NEAR * size);
    }
}

static bool is_allowed(const ring *r, const double p[3], int but)
{
    for (int d = 0; d < 3; d++)
        if (d != but && !(p[d] > r->low[d] && p[d] < r->high[d])) return false;
    return true;
}

static bool is_apart(const rv_sharp_point *a, const rv_sharp_point *b, double far)
{
    double x = a->at[0] - b->at[0], y = a->at[1] - b->at[1], z = a->at[2] - b->at[2];
    return x * x + y * y + z * z > far * far;
}

// Onto the surface. On an edge it is there already; what is rounded lies farther in, and has a
// normal of its own there.
// The tangents of an arc of radius R that turns by an angle meet R (1/cos(angle/2) - 1) outside it.
static bool settle_in_face(rv_marcher *m, const ring *r, int axis, double turn, rv_sharp_point *p,
                           bool *round)
{
    rv_sharp_point was = *p;
    double along[3] = {p->normal[0], p->normal[1], p->normal[2]};
    along[axis] = 0;
    double size = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    for (int d = 0; d < 3; d++) along[d] /= size;
    if (!(size > 0.1) || !m->l->settle(m->l->user, along, p->at)) return false;
    double outside = 1 / sqrt(fmax(0.5 + 0.5 * turn, 0.01)) - 1;
    *round = is_apart(&was, p, outside * ROUND / NEAR * r->near);
    return !*round || m->l->normal(m->l->user, p->at, p->normal);
}

// Beyond a line whose ends lie on two sides of something thin: its end, on the way out from the
// middle. The tangents there do not meet, or far away.
static bool find_tip(rv_marcher *m, const ring *r, const rv_sharp_point *a, const rv_sharp_point *b,
                     int axis, rv_sharp_point *out)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double way[3] = {0}, best = 0;
    way[u] = a->normal[u] - b->normal[u], way[v] = a->normal[v] - b->normal[v];
    double across = way[u], size = sqrt(way[u] * way[u] + way[v] * way[v]);
    if (!(size > 1)) return false;
    way[u] = -way[v] / size, way[v] = across / size;
    rv_sharp_point middle = *a;
    for (int d = 0; d < 3; d++) middle.at[d] = 0.5 * (a->at[d] + b->at[d]);
    for (int side = 0; side < 2; side++) { // the nearer end is the one that is meant
        rv_sharp_point p = middle;
        for (int d = 0; d < 3; d++) p.normal[d] = side ? -way[d] : way[d];
        if (!m->l->settle(m->l->user, p.normal, p.at)) continue;
        double x = p.at[u] - middle.at[u], y = p.at[v] - middle.at[v], far = x * x + y * y;
        if (is_allowed(r, p.at, axis) && (!(best > 0) || far < best)) *out = p, best = far;
    }
    return best > r->near * r->near && m->l->normal(m->l->user, out->at, out->normal);
}

// The end whose side of the solid a place is on, if it faces as that end does and not between the
// two, which face away from each other by the angle of this cosine.
static rv_sharp_point *on_side(rv_sharp_point end[2], const rv_sharp_point *p, double turn)
{
    for (int n = 0; n < 2; n++)
        if (1 - rv_sharp_turn(p->normal, end[n].normal) < SIDE * (1 - turn)) return &end[n];
    return NULL;
}

// Where the tangents of both ends meet. Beside an edge whose sides are curved, as that of a rim,
// this may be off it, on one of them: then it is a nearer end, and the next meeting is nearer.
static bool find_bend(rv_marcher *m, const ring *r, const rv_sharp_point *a,
                      const rv_sharp_point *b, int axis, rv_sharp_point *p, bool *round)
{
    rv_sharp_point end[2] = {*a, *b}, *side = NULL;
    double turn = rv_sharp_turn(a->normal, b->normal), normal[3];
    for (int n = 0; n < ROUNDS; n++) {
        if (!rv_sharp_on_face(&end[0], &end[1], axis, r->low, r->high, p)) break;
        memcpy(normal, p->normal, sizeof normal);
        if (!settle_in_face(m, r, axis, turn, p, round) || !is_allowed(r, p->at, axis)) break;
        side = *round ? on_side(end, p, turn) : NULL;
        if (!side) return true;
        *side = *p;
    }
    if (!side) return false;
    *p = *side, *round = false;
    memcpy(p->normal, normal, sizeof normal);
    return true;
}

// Whether a place is no farther from the face than the cells on both sides of it reach: cuts and
// the ground are a cell away at least.
static bool is_beside(const ring *r, const rv_sharp_point *p, const rv_sharp_point *a, int axis)
{
    double size = r->near / NEAR; // of the shortest side, in metres
    return is_allowed(r, p->at, axis) && fabs(p->at[axis] - a->at[axis]) < (1 - NEAR) * size;
}

// The edge of something thin that the face cuts aslant, and so far away: the nearest place of it,
// off the face. Looked for as find_bend() does.
static bool find_beside(rv_marcher *m, const ring *r, const rv_sharp_point *a,
                        const rv_sharp_point *b, int axis, rv_sharp_point *p)
{
    rv_sharp_point end[2] = {*a, *b};
    double turn = rv_sharp_turn(a->normal, b->normal), normal[3];
    for (int n = 0; n < ROUNDS; n++) {
        if (!rv_sharp_beside_face(&end[0], &end[1], p)) return false;
        memcpy(normal, p->normal, sizeof normal);
        if (!m->l->settle(m->l->user, normal, p->at) || !is_beside(r, p, a, axis)) return false;
        bool sided = m->l->normal(m->l->user, p->at, p->normal);
        rv_sharp_point *side = sided ? on_side(end, p, turn) : NULL;
        if (side) *side = *p;
        memcpy(p->normal, normal, sizeof normal);
        if (!side) return true;
    }
    return true;
}

// The place where the line between two vertices bends, if it does: one vertex for both cells.
static uint32_t bend_between(rv_marcher *m, const ring *r, uint32_t a, uint32_t b, int axis)
{
    uint32_t there = rv_sharp_find(&m->bends, a, b);
    if (there != RV_SHARP_NONE) return there;
    if (m->known[a].kind == RV_MARCH_DOUBTFUL || m->known[b].kind == RV_MARCH_DOUBTFUL)
        return RV_MARCH_NONE;
    rv_sharp_point one = point_of(m, a), other = point_of(m, b), p;
    uint32_t first = a; // whoever asks: an edit may have stamped one of the two only
    if (rv_sharp_comes_first(&other, &one)) one = other, other = point_of(m, a), first = b;
    bool round = false, found = find_bend(m, r, &one, &other, axis, &p, &round);
    if (!found) found = find_beside(m, r, &one, &other, axis, &p), round = false;
    if (!found) found = round = find_tip(m, r, &one, &other, axis, &p);
    if (!found) return RV_MARCH_NONE;
    // an end that is there itself needs no vertex beside it; but which side it looks like is chance
    const rv_sharp_point ends[2] = {point_of(m, a), point_of(m, b)};
    bool at_a = !is_apart(&p, &ends[0], r->near), at_b = !is_apart(&p, &ends[1], r->near);
    if (at_a && !round) m->known[a].crease = true;
    if (at_b && !round) m->known[b].crease = true;
    if (at_a || at_b) return RV_MARCH_NONE;
    uint32_t made = add_point(m, &p, round, first);
    if (made == RV_MARCH_NONE) return made;
    if (!rv_sharp_note(&m->bends, a, b, made, &m->out->allocator)) m->result = RV_OUT_OF_MEMORY;
    return made;
}

static void put(rv_marcher *m, ring *r, uint32_t vertex, bool bend)
{
    r->point[r->count] = point_of(m, vertex);
    r->bend[r->count] = bend, r->bends += bend;
    r->vertex[r->count++] = vertex;
}

// Bends beside their faces may be one place, which is then the middle too; its triangles would have
// no area.
static bool is_alone(const ring *r, const rv_sharp_point *p)
{
    for (int n = 0; n < r->count; n++)
        if (!is_apart(p, &r->point[n], r->near)) return false;
    return true;
}

static uint32_t add_middle(rv_marcher *m, const ring *r)
{
    rv_sharp_point p, settled;
    bool round = false;
    for (int n = 0; n < r->count; n++)
        round = round || (r->bend[n] && m->known[r->vertex[n]].kind == RV_MARCH_EXACT);
    rv_sharp_in_cell(r->point, r->count, r->bend, r->low, r->high, &p);
    settled = p;
    if (m->l->settle(m->l->user, p.normal, settled.at) && is_allowed(r, settled.at, -1))
        memcpy(p.at, settled.at, sizeof p.at);
    if (!is_alone(r, &p)) rv_sharp_mean(r->point, r->count, p.at);
    round = round && m->l->normal(m->l->user, p.at, p.normal);
    return add_point(m, &p, round, r->vertex[0]);
}

bool rv_march_sharp(rv_marcher *m, const int cell[3], const uint32_t *loop, const uint8_t *edge,
                    int count)
{
    ring r = {.count = 0};
    bool asked = false;
    for (int n = 0; n < count && m->result == RV_OK; n++) {
        int next = (n + 1) % count, axis;
        put(m, &r, loop[n], false);
        if (!face_of(m->l, cell, edge[n], edge[next], &axis)) continue;
        rv_sharp_point a = r.point[r.count - 1], b = point_of(m, loop[next]);
        if (!(rv_sharp_turn(a.normal, b.normal) < BENT)) continue;
        if (!asked) set_limits(m->l, cell, &r);
        asked = true;
        uint32_t bend = bend_between(m, &r, loop[n], loop[next], axis);
        if (bend != RV_MARCH_NONE) put(m, &r, bend, true);
    }
    if (m->result != RV_OK || r.bends == 0 || !rv_march_room(m, AROUND_MAX)) return false;
    uint32_t middle = add_middle(m, &r);
    if (middle == RV_MARCH_NONE) return false;
    uint32_t *out = m->out->indices + 3 * m->out->triangle_count;
    for (int n = 0; n < r.count; n++, out += 3)
        out[0] = middle, out[1] = r.vertex[n], out[2] = r.vertex[(n + 1) % r.count];
    m->out->triangle_count += (size_t)r.count;
    return true;
}
