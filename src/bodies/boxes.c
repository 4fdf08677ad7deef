// Where two boxes meet. The direction in which they overlap least, of the 15 in which two boxes can
// be apart (faces of both, and edge against edge), is the contact's normal; the points are the
// corners of one box's face cut to the other's, or the nearest points of two edges.
#include "bodies/bodies.h"

#define CORNERS_MOST 16

typedef struct box {
    rv_vec3 at, axis[3];
    double half[3];
} box;

static box box_of(const rv_bodies *bodies, int index)
{
    const rv_body *body = &bodies->body[index];
    box b = {.at = body->state.at, .half = {body->half.x, body->half.y, body->half.z}};
    for (int k = 0; k < 3; k++) b.axis[k] = rv_axis(&bodies->work[index].turn, k);
    return b;
}

// How far a box reaches from its middle along a unit direction.
static double extent(const box *b, rv_vec3 d)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += b->half[k] * fabs(rv_dot(b->axis[k], d));
    return sum;
}

typedef struct separation {
    double gap;     // m
    rv_vec3 normal; // from b to a
    int kind;       // 0 face of a, 1 face of b, 2 edges
    int i, j;       // which axis of a, of b
} separation;

// Looks at one direction. Edges must be clearly better than faces, or boxes at rest would change
// their mind with every breath.
static void look(const box *a, const box *b, rv_vec3 d, int kind, int i, int j, separation *best)
{
    rv_vec3 apart = rv_sub(a->at, b->at);
    double along = rv_dot(apart, d);
    double gap = fabs(along) - extent(a, d) - extent(b, d);
    double favour = kind == 2 ? 0.02 * fmin(a->half[0] + a->half[1] + a->half[2],
                                            b->half[0] + b->half[1] + b->half[2])
                              : 0;
    if (gap <= best->gap + favour) return;
    *best = (separation){gap, along < 0 ? rv_scaled(d, -1) : d, kind, i, j};
}

static separation separate(const box *a, const box *b)
{
    separation best = {.gap = -INFINITY, .normal = {0, 0, 1}};
    for (int i = 0; i < 3; i++) look(a, b, a->axis[i], 0, i, 0, &best);
    for (int j = 0; j < 3; j++) look(a, b, b->axis[j], 1, 0, j, &best);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            rv_vec3 d = rv_cross(a->axis[i], b->axis[j]);
            double length = rv_length(d);
            if (length > 1e-3) look(a, b, rv_scaled(d, 1 / length), 2, i, j, &best);
        }
    return best;
}

// The four corners of the face of a box that looks most against a direction.
static void facing_corners(const box *b, rv_vec3 d, rv_vec3 out[4])
{
    int face = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double cosine = fabs(rv_dot(b->axis[k], d));
        if (cosine > most) most = cosine, face = k;
    }
    double side = rv_dot(b->axis[face], d) > 0 ? -1 : 1;
    int u = (face + 1) % 3, v = (face + 2) % 3;
    rv_vec3 middle = rv_along(b->at, side * b->half[face], b->axis[face]);
    const double su[4] = {-1, 1, 1, -1}, sv[4] = {-1, -1, 1, 1};
    for (int k = 0; k < 4; k++)
        out[k] = rv_along(rv_along(middle, su[k] * b->half[u], b->axis[u]), sv[k] * b->half[v],
                          b->axis[v]);
}

// Cuts a polygon to where normal · p <= place.
static int cut(const rv_vec3 *in, int count, rv_vec3 normal, double place, rv_vec3 *out)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        rv_vec3 p = in[k], q = in[(k + 1) % count];
        double dp = rv_dot(normal, p) - place, dq = rv_dot(normal, q) - place;
        if (dp <= 0 && n < CORNERS_MOST) out[n++] = p;
        if ((dp <= 0) != (dq <= 0) && n < CORNERS_MOST)
            out[n++] = rv_along(p, dp / (dp - dq), rv_sub(q, p));
    }
    return n;
}

// A face of `own` against the corners of `other`. `outward`: the face's own direction.
static void face_contacts(rv_bodies *bodies, const box *own, const box *other, int face,
                          rv_vec3 outward, double margin, rv_body_contact *contact)
{
    rv_vec3 now[CORNERS_MOST], next[CORNERS_MOST];
    int count = 4;
    facing_corners(other, outward, now);
    for (int k = 1; k <= 2; k++) {
        int side = (face + k) % 3;
        double middle = rv_dot(own->axis[side], own->at);
        count = cut(now, count, own->axis[side], middle + own->half[side], next);
        count = cut(next, count, rv_scaled(own->axis[side], -1), own->half[side] - middle, now);
    }
    double place = rv_dot(own->at, outward) + own->half[face];
    for (int k = 0; k < count; k++) {
        contact->gap = rv_dot(now[k], outward) - place;
        contact->at = rv_along(now[k], -0.5 * contact->gap, outward);
        if (contact->gap <= margin) rv_contact_add(bodies, contact);
    }
}

// Middle of the edge along axis k that reaches farthest in direction d.
static rv_vec3 far_edge(const box *b, int k, rv_vec3 d)
{
    rv_vec3 p = b->at;
    for (int m = 0; m < 3; m++)
        if (m != k)
            p = rv_along(p, rv_dot(b->axis[m], d) > 0 ? b->half[m] : -b->half[m], b->axis[m]);
    return p;
}

static void edge_contact(rv_bodies *bodies, const box *a, const box *b, const separation *s,
                         rv_body_contact *contact)
{
    rv_vec3 p = far_edge(a, s->i, rv_scaled(s->normal, -1)), q = far_edge(b, s->j, s->normal);
    rv_vec3 u = a->axis[s->i], v = b->axis[s->j], w = rv_sub(p, q);
    double uv = rv_dot(u, v), denominator = 1 - uv * uv;
    if (denominator < 1e-9) return;
    double t = (uv * rv_dot(v, w) - rv_dot(u, w)) / denominator;
    double r = (rv_dot(v, w) - uv * rv_dot(u, w)) / denominator;
    contact->gap = s->gap;
    contact->at = rv_scaled(rv_add(rv_along(p, t, u), rv_along(q, r, v)), 0.5);
    rv_contact_add(bodies, contact);
}

void rv_touch_boxes(rv_bodies *bodies, int index_a, int index_b, double margin)
{
    box a = box_of(bodies, index_a), b = box_of(bodies, index_b);
    separation s = separate(&a, &b);
    if (s.gap > margin) return;
    rv_body_contact contact = {.a = index_a, .b = index_b, .normal = s.normal};
    if (s.kind == 0)
        face_contacts(bodies, &a, &b, s.i, rv_scaled(s.normal, -1), margin, &contact);
    else if (s.kind == 1)
        face_contacts(bodies, &b, &a, s.j, s.normal, margin, &contact);
    else
        edge_contact(bodies, &a, &b, &s, &contact);
}
