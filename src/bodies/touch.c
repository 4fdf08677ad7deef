// Where bodies meet the terrain, the walls of the grid and each other.
//
// The terrain is its distance field: a sphere looks for the directions in which the solid is
// nearest to its surface, a box looks at points all over its own. Contacts are found a little
// before they close, so that a body at speed stops at the surface instead of inside it.
#include "bodies/bodies.h"

#include <string.h>

#define POINTS_KEPT 8 // of one box on the terrain
#define SEEDS 14

void rv_contact_add(rv_bodies *bodies, const rv_body_contact *contact)
{
    if (!rv_array_grow(&bodies->allocator, &bodies->contact, &bodies->contact_room,
                       bodies->contact_count + 1, sizeof *contact)) {
        bodies->failed = true;
        return;
    }
    rv_body_contact *c = &bodies->contact[bodies->contact_count++];
    const rv_body_def *a = &bodies->body[contact->a].def;
    const rv_body_def *b = contact->b >= 0 ? &bodies->body[contact->b].def : a;
    *c = *contact;
    c->friction = sqrt(a->friction * b->friction);
    c->bounce = fmax(a->restitution, b->restitution);
}

// ---- The solid ----------------------------------------------------------------------------------

// Height of the bed between the middles of the cells, and how it rises along x and y.
static double bed_at(const rv_column_set *set, rv_vec3 p, double *rise_x, double *rise_y)
{
    const rv_grid *g = &set->grid;
    const rv_plane *plane = &set->plane[0];
    double u = (p.x - g->x0) / g->dx - 0.5, v = (p.y - g->y0) / g->dx - 0.5;
    u = fmin(fmax(u, 0), g->nx - 1), v = fmin(fmax(v, 0), g->ny - 1);
    int i = (int)fmin(u, fmax(g->nx - 2, 0)), j = (int)fmin(v, fmax(g->ny - 2, 0));
    int i1 = i + 1 < g->nx ? i + 1 : i, j1 = j + 1 < g->ny ? j + 1 : j;
    double b00 = (double)set->base[rv_slot(plane, i, j)];
    double b10 = (double)set->base[rv_slot(plane, i1, j)];
    double b01 = (double)set->base[rv_slot(plane, i, j1)];
    double b11 = (double)set->base[rv_slot(plane, i1, j1)];
    double s = u - i, t = v - j;
    *rise_x = ((1 - t) * (b10 - b00) + t * (b11 - b01)) / g->dx;
    *rise_y = ((1 - s) * (b01 - b00) + s * (b11 - b10)) / g->dx;
    return (1 - t) * ((1 - s) * b00 + s * b10) + t * ((1 - s) * b01 + s * b11);
}

double rv_solid_distance(const rv_surroundings *around, rv_vec3 p)
{
    if (around->terrain) return (double)rv_terrain_distance(around->terrain, p);
    double x, y, bed = bed_at(around->columns, p, &x, &y);
    return fmin((p.z - bed) / sqrt(1 + x * x + y * y), p.z - around->columns->grid.bottom);
}

rv_vec3 rv_solid_normal(const rv_surroundings *around, rv_vec3 p)
{
    if (around->terrain) return rv_terrain_normal(around->terrain, p);
    double x, y;
    bed_at(around->columns, p, &x, &y);
    return rv_unit((rv_vec3){-x, -y, 1});
}

// How far a body comes in dt.
static double closing(const rv_body *body, double dt)
{
    double speed = rv_length(body->state.velocity) + rv_length(body->state.spin) * body->reach;
    return 1.1 * speed * dt + 0.02 * body->thin;
}

// ---- A sphere on the solid ----------------------------------------------------------------------

// From direction *n on, the one near it in which the solid is nearest to the sphere; returns how
// near.
static double nearest_direction(const rv_surroundings *around, rv_vec3 middle, double radius,
                                rv_vec3 *n)
{
    double d = rv_solid_distance(around, rv_along(middle, -radius, *n));
    for (int i = 0; i < 4; i++) {
        rv_vec3 to = rv_solid_normal(around, rv_along(middle, -radius, *n)), from = *n;
        double moved = 0;
        // the whole way, or where the solid is sharply curved half of it
        for (int half = 0; half < 2 && moved == 0; half++) {
            double d2 = rv_solid_distance(around, rv_along(middle, -radius, to));
            if (d2 < d) d = d2, *n = to, moved = 1 - rv_dot(to, from);
            to = rv_unit(rv_add(to, from));
        }
        if (moved < 1e-6) break;
    }
    return d;
}

static void seed_directions(rv_vec3 out[SEEDS])
{
    const double k = 0.57735026918962576; // 1/√3
    int n = 0;
    for (int a = 0; a < 6; a++) {
        double s = a % 2 ? -1 : 1;
        out[n++] = (rv_vec3){a / 2 == 0 ? s : 0, a / 2 == 1 ? s : 0, a / 2 == 2 ? s : 0};
    }
    for (int a = 0; a < 8; a++)
        out[n++] = (rv_vec3){a & 1 ? -k : k, a & 2 ? -k : k, a & 4 ? -k : k};
}

static void sphere_on_solid(rv_bodies *bodies, const rv_surroundings *around, int index, double dt)
{
    const rv_body *body = &bodies->body[index];
    rv_vec3 at = body->state.at, seed[SEEDS], found[3];
    double r = body->def.radius, margin = closing(body, dt), gap[SEEDS];
    double middle = rv_solid_distance(around, at);
    if (middle > r + margin) return;
    seed_directions(seed);
    for (int k = 0; k < SEEDS; k++) gap[k] = rv_solid_distance(around, rv_along(at, -r, seed[k]));
    seed[0] = rv_solid_normal(around, at); // exact where the middle is not far from the solid
    gap[0] = rv_solid_distance(around, rv_along(at, -r, seed[0]));
    for (int n = 0; n < 3; n++) {
        int best = -1;
        for (int k = 0; k < SEEDS; k++) {
            bool taken = false; // a direction beside one that was found is the same contact
            for (int m = 0; m < n; m++) taken |= rv_dot(seed[k], found[m]) > 0.7;
            // a plane seen from the middle between two seeds is 0.12 r nearer than both
            if (!taken && gap[k] < margin + 0.13 * r && (best < 0 || gap[k] < gap[best])) best = k;
        }
        if (best < 0) return;
        found[n] = seed[best];
        double d = nearest_direction(around, at, r, &found[n]);
        gap[best] = INFINITY;
        bool again = d > margin;
        for (int m = 0; m < n; m++) again |= rv_dot(found[n], found[m]) > 0.98;
        if (again) continue;
        rv_body_contact c = {.a = index, .b = -1, .normal = found[n], .gap = d};
        c.at = rv_along(at, -r, found[n]);
        rv_contact_add(bodies, &c);
    }
}

// ---- A box on the solid -------------------------------------------------------------------------

// Points on the surface of a box, corners and edges among them; returns how many.
static int surface_points(rv_bodies *bodies, const rv_body *body, double dx)
{
    const double half[3] = {body->half.x, body->half.y, body->half.z};
    int n[3], count = 0;
    for (int a = 0; a < 3; a++) n[a] = (int)fmin(fmax(ceil(half[a] / dx), 1), 6);
    int most = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    if (!rv_array_grow(&bodies->allocator, &bodies->surface, &bodies->surface_room, most,
                       sizeof(rv_vec3)))
        return 0;
    for (int k = 0; k <= n[2]; k++)
        for (int j = 0; j <= n[1]; j++)
            for (int i = 0; i <= n[0]; i++) {
                bool inside = i > 0 && i < n[0] && j > 0 && j < n[1] && k > 0 && k < n[2];
                if (inside) continue;
                bodies->surface[count++] =
                    (rv_vec3){half[0] * (2.0 * i / n[0] - 1), half[1] * (2.0 * j / n[1] - 1),
                              half[2] * (2.0 * k / n[2] - 1)};
            }
    return count;
}

// Keeps of the contacts from `first` on the nearest one and those farthest from all that are kept.
static void thin_out(rv_bodies *bodies, int first)
{
    int count = bodies->contact_count - first;
    rv_body_contact *c = bodies->contact + first;
    if (count <= POINTS_KEPT) return;
    for (int kept = 0; kept < POINTS_KEPT; kept++) {
        int best = kept;
        double most = -INFINITY;
        for (int k = kept; k < count; k++) {
            double score = -c[k].gap;
            if (kept > 0) score = INFINITY;
            for (int m = 0; m < kept; m++) {
                rv_vec3 apart = rv_sub(c[k].at, c[m].at);
                score = fmin(score, rv_dot(apart, apart));
            }
            if (score > most) most = score, best = k;
        }
        rv_body_contact swap = c[kept];
        c[kept] = c[best], c[best] = swap;
    }
    bodies->contact_count = first + POINTS_KEPT;
}

static void box_on_solid(rv_bodies *bodies, const rv_surroundings *around, int index, double dt)
{
    const rv_body *body = &bodies->body[index];
    const rv_mat3 *turn = &bodies->work[index].turn;
    double margin = closing(body, dt);
    if (rv_solid_distance(around, body->state.at) > body->reach + margin) return;
    int count = surface_points(bodies, body, around->columns->grid.dx);
    int first = bodies->contact_count;
    for (int k = 0; k < count; k++) {
        rv_vec3 p = rv_add(body->state.at, rv_apply(turn, bodies->surface[k]));
        double d = rv_solid_distance(around, p);
        if (d > margin) continue;
        rv_body_contact c = {.a = index, .b = -1, .at = p, .gap = d};
        c.normal = rv_solid_normal(around, p);
        rv_contact_add(bodies, &c);
    }
    thin_out(bodies, first);
}

// ---- Walls --------------------------------------------------------------------------------------

static void wall(rv_bodies *bodies, int index, rv_vec3 normal, double place, double margin)
{
    const rv_body *body = &bodies->body[index];
    const rv_mat3 *turn = &bodies->work[index].turn;
    double middle = rv_dot(body->state.at, normal) - place;
    if (middle > body->reach + margin) return;
    rv_body_contact c = {.a = index, .b = -1, .normal = normal};
    if (body->def.shape == RV_BODY_SPHERE) {
        c.gap = middle - body->def.radius;
        c.at = rv_along(body->state.at, -body->def.radius, normal);
        rv_contact_add(bodies, &c);
        return;
    }
    for (int k = 0; k < 8; k++) {
        rv_vec3 corner = {k & 1 ? body->half.x : -body->half.x,
                          k & 2 ? body->half.y : -body->half.y,
                          k & 4 ? body->half.z : -body->half.z};
        c.at = rv_add(body->state.at, rv_apply(turn, corner));
        c.gap = rv_dot(c.at, normal) - place;
        if (c.gap <= margin) rv_contact_add(bodies, &c);
    }
}

static void walls(rv_bodies *bodies, const rv_surroundings *around, int index, double dt)
{
    const rv_grid *g = &around->columns->grid;
    double margin = closing(&bodies->body[index], dt);
    if (around->wall[0]) wall(bodies, index, (rv_vec3){1, 0, 0}, g->x0, margin);
    if (around->wall[1]) wall(bodies, index, (rv_vec3){-1, 0, 0}, -g->x0 - g->nx * g->dx, margin);
    if (around->wall[2]) wall(bodies, index, (rv_vec3){0, 1, 0}, g->y0, margin);
    if (around->wall[3]) wall(bodies, index, (rv_vec3){0, -1, 0}, -g->y0 - g->ny * g->dx, margin);
}

// ---- Each other ---------------------------------------------------------------------------------

static void two_spheres(rv_bodies *bodies, int a, int b, double margin)
{
    const rv_body *p = &bodies->body[a], *q = &bodies->body[b];
    rv_vec3 apart = rv_sub(p->state.at, q->state.at);
    rv_body_contact c = {.a = a, .b = b, .normal = rv_unit(apart)};
    c.gap = rv_length(apart) - p->def.radius - q->def.radius;
    if (c.gap > margin) return;
    c.at = rv_along(q->state.at, q->def.radius + 0.5 * c.gap, c.normal);
    rv_contact_add(bodies, &c);
}

// Out of a box from a point in it: the way to the nearest face, in the box's own axes.
static rv_vec3 nearest_face(rv_vec3 p, rv_vec3 half, double *depth)
{
    const double in[3] = {half.x - fabs(p.x), half.y - fabs(p.y), half.z - fabs(p.z)};
    int best = in[0] <= in[1] && in[0] <= in[2] ? 0 : in[1] <= in[2] ? 1 : 2;
    *depth = in[best];
    if (best == 0) return (rv_vec3){p.x < 0 ? -1 : 1, 0, 0};
    if (best == 1) return (rv_vec3){0, p.y < 0 ? -1 : 1, 0};
    return (rv_vec3){0, 0, p.z < 0 ? -1 : 1};
}

static void sphere_and_box(rv_bodies *bodies, int sphere, int box, double margin)
{
    const rv_body *s = &bodies->body[sphere], *b = &bodies->body[box];
    const rv_mat3 *turn = &bodies->work[box].turn;
    rv_vec3 p = rv_apply_back(turn, rv_sub(s->state.at, b->state.at)), h = b->half;
    rv_vec3 near = {fmin(fmax(p.x, -h.x), h.x), fmin(fmax(p.y, -h.y), h.y),
                    fmin(fmax(p.z, -h.z), h.z)};
    rv_vec3 out = rv_sub(p, near);
    double distance = rv_length(out), depth;
    if (distance > s->def.radius + margin) return;
    if (distance > 1e-9 * b->reach) {
        out = rv_scaled(out, 1 / distance);
    } else { // its middle is in the box
        out = nearest_face(p, h, &depth);
        distance = -depth;
    }
    rv_body_contact c = {.a = sphere, .b = box, .normal = rv_apply(turn, out)};
    c.gap = distance - s->def.radius;
    c.at = rv_along(s->state.at, -(s->def.radius + 0.5 * c.gap), c.normal);
    rv_contact_add(bodies, &c);
}

static void touch_pair(rv_bodies *bodies, int a, int b, double dt)
{
    const rv_body *p = &bodies->body[a], *q = &bodies->body[b];
    double margin = closing(p, dt) + closing(q, dt);
    bool round_a = p->def.shape == RV_BODY_SPHERE, round_b = q->def.shape == RV_BODY_SPHERE;
    if (round_a && round_b)
        two_spheres(bodies, a, b, margin);
    else if (round_a)
        sphere_and_box(bodies, a, b, margin);
    else if (round_b)
        sphere_and_box(bodies, b, a, margin);
    else
        rv_touch_boxes(bodies, a, b, margin);
}

static void on_solid(rv_bodies *bodies, const rv_surroundings *around, int index, double dt)
{
    if (bodies->body[index].def.shape == RV_BODY_SPHERE)
        sphere_on_solid(bodies, around, index, dt);
    else
        box_on_solid(bodies, around, index, dt);
}

// Contacts with the solid of all bodies, as their homes find them, behind each other at the front
// of the list; returns how many.
static int far_contacts(rv_bodies *bodies, const rv_surroundings *around, double dt)
{
    int count = 0;
    if (!bodies->cut) return 0;
    if (!rv_bodies_find_homes(bodies, &around->columns->grid)) bodies->cut->lost = true;
    for (int i = 0; i < bodies->count && !bodies->cut->lost; i++)
        if (bodies->work[i].free && rv_body_is_home(bodies, i)) on_solid(bodies, around, i, dt);
    rv_bodies_share_contacts(bodies, 0, &count);
    return count;
}

// … of one body, in the order of one process.
static void take_contacts(rv_bodies *bodies, int index, int shared)
{
    for (int k = 0; k < shared; k++) {
        rv_body_contact c = bodies->contact[k]; // the list may move
        if (c.a == index) rv_contact_add(bodies, &c);
    }
}

void rv_bodies_touch(rv_bodies *bodies, const rv_surroundings *around, double dt)
{
    double margin = 0;
    bodies->contact_count = 0;
    int shared = bodies->contact_count = far_contacts(bodies, around, dt);
    for (int i = 0; i < bodies->count; i++) {
        if (!bodies->work[i].here) continue;
        margin = fmax(margin, closing(&bodies->body[i], dt));
        if (!bodies->work[i].free) continue;
        if (bodies->cut)
            take_contacts(bodies, i, shared);
        else
            on_solid(bodies, around, i, dt);
        walls(bodies, around, i, dt);
    }
    if (shared > 0) {
        bodies->contact_count -= shared;
        memmove(bodies->contact, bodies->contact + shared,
                (size_t)bodies->contact_count * sizeof *bodies->contact);
    }
    if (!rv_bodies_pairs(bodies, margin)) bodies->failed = true;
    for (int k = 0; k < bodies->pair_count; k++)
        touch_pair(bodies, bodies->pair[k].a, bodies->pair[k].b, dt);
}
