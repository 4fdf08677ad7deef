// Droplets that meet bodies: they come off with a fifth of the speed that they came with, as off
// the sides of solids, and give the body the momentum that they lost. One that has hardly any speed
// left is at rest there, runs off the body and lands in the column that it stands in.
//
// Droplets were moved before: where the way that each came first enters a body is where it met it,
// however fast it is and however thin the body.
#include "world/world_internal.h"

#define BOUNCE 0.2 // speed off a body over speed onto it
#define SLOW 0.1   // m/s, under which a droplet stays

// Whether a point is in a body; then the way out of it, and how far that is.
static bool is_inside(const rv_body *body, const rv_body_work *w, rv_vec3 p, rv_vec3 *out,
                      double *deep)
{
    rv_vec3 d = rv_sub(p, body->state.at);
    double far = rv_length(d);
    if (far >= body->reach) return false;
    if (body->def.shape == RV_BODY_SPHERE) {
        *out = far > 0 ? rv_scaled(d, 1 / far) : (rv_vec3){0, 0, 1};
        *deep = body->def.radius - far;
        return *deep > 0;
    }
    rv_vec3 own = rv_apply_back(&w->turn, d);
    double in[3] = {body->half.x - fabs(own.x), body->half.y - fabs(own.y),
                    body->half.z - fabs(own.z)};
    double sign[3] = {own.x < 0 ? -1 : 1, own.y < 0 ? -1 : 1, own.z < 0 ? -1 : 1};
    int least = in[1] < in[0] ? 1 : 0;
    if (in[2] < in[least]) least = 2;
    *deep = in[least];
    *out = rv_scaled(rv_axis(&w->turn, least), sign[least]);
    return *deep > 0;
}

static rv_vec3 speed_at(const rv_body *body, rv_vec3 arm)
{
    return rv_add(body->state.velocity, rv_cross(body->state.spin, arm));
}

// The impulse of a droplet on a body along n; returns the droplet's change of speed along n.
static double push_apart(rv_body *body, const rv_body_work *w, rv_vec3 arm, rv_vec3 n,
                         double closing, double mass)
{
    rv_vec3 lever = rv_cross(arm, n);
    double light =
        rv_dot(n, rv_times(w->inverse, n)) + rv_dot(lever, rv_apply(&w->light, lever)) + 1 / mass;
    double push = (1 + BOUNCE) * closing / light; // N s
    body->state.velocity = rv_along(body->state.velocity, -push, rv_times(w->inverse, n));
    body->state.spin = rv_along(body->state.spin, -push, rv_apply(&w->light, lever));
    return push / mass;
}

// Along one axis of the grid, from `low` on: whether a droplet is still over it. A wall keeps it.
static bool stays(double *p, double low, double dx, int cells, const bool wall[2])
{
    double high = low + (cells - 1e-6) * dx;
    if (!(*p < low || *p > high)) return true;
    if (!wall[*p > high]) return false;
    *p = *p < low ? low : high;
    return true;
}

// Lets a droplet that is at a point in a body come off it. A body at the grid's side may lead it
// out of the grid.
static void come_off(rv_world *world, int i, int index, rv_vec3 at, rv_vec3 out, double deep,
                     const bool wall[4])
{
    const rv_grid *g = &world->columns.grid;
    rv_spray *s = &world->spray;
    rv_body *body = &world->bodies.body[index];
    at = rv_along(at, deep, out);
    rv_vec3 arm = rv_sub(at, body->state.at);
    double closing = -rv_dot(rv_sub(s->velocity[i], speed_at(body, arm)), out);
    if (closing > 0) {
        double mass = world->params.liquid_density * s->volume[i];
        double by = push_apart(body, &world->bodies.work[index], arm, out, closing, mass);
        s->velocity[i] = rv_along(s->velocity[i], by, out);
    }
    bool over =
        stays(&at.x, g->x0, g->dx, g->nx, wall) && stays(&at.y, g->y0, g->dx, g->ny, wall + 2);
    s->at[i] = at, s->flown[i] = over ? RV_FLOWN_ON : RV_FLOWN_OUT;
    if (!over) return;
    rv_vec3 left = rv_sub(s->velocity[i], speed_at(body, arm));
    if (rv_length(left) > SLOW) return;
    size_t slot = rv_spray_slot_at(&world->columns, at);
    if (slot != RV_NOWHERE) s->down[i] = slot, s->flown[i] = RV_FLOWN_DOWN;
}

// Where something of a way lies, as shares of it.
typedef struct stretch {
    double from, to;
    int axis; // of a box: whose face is met first
} stretch;

static bool through_sphere(const rv_body *body, rv_vec3 from, rv_vec3 way, stretch *s)
{
    double a = rv_dot(way, way), b = rv_dot(from, way), r = body->def.radius;
    double root = b * b - a * (rv_dot(from, from) - r * r);
    if (!(a > 0) || !(root > 0)) return false;
    root = sqrt(root);
    s->from = (-b - root) / a, s->to = (-b + root) / a;
    return true;
}

// In the box's own axes.
static bool through_box(const rv_body *body, rv_vec3 from, rv_vec3 way, stretch *s)
{
    const double p[3] = {from.x, from.y, from.z}, d[3] = {way.x, way.y, way.z};
    const double half[3] = {body->half.x, body->half.y, body->half.z};
    *s = (stretch){-INFINITY, INFINITY, 0};
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (fabs(p[k]) >= half[k]) return false;
            continue;
        }
        double a = (-half[k] - p[k]) / d[k], b = (half[k] - p[k]) / d[k];
        if (fmin(a, b) > s->from) s->from = fmin(a, b), s->axis = k;
        s->to = fmin(s->to, fmax(a, b));
    }
    return s->from < s->to;
}

// Where a way first enters a body, as a share of it, and the direction out of the body there.
static bool enters(const rv_body *body, const rv_body_work *w, rv_vec3 from, rv_vec3 way,
                   double *share, rv_vec3 *out)
{
    rv_vec3 off = rv_sub(from, body->state.at);
    stretch s = {0, 0, 0};
    if (body->def.shape == RV_BODY_SPHERE) {
        if (!through_sphere(body, off, way, &s) || s.from < 0 || s.from > 1) return false;
        *out = rv_unit(rv_along(off, s.from, way));
    } else {
        rv_vec3 own = rv_apply_back(&w->turn, way);
        if (!through_box(body, rv_apply_back(&w->turn, off), own, &s)) return false;
        if (s.from < 0 || s.from > 1) return false;
        const double along[3] = {own.x, own.y, own.z};
        *out = rv_scaled(rv_axis(&w->turn, s.axis), along[s.axis] > 0 ? -1 : 1);
    }
    *share = s.from;
    return true;
}

// The body that a droplet met first, on its way or at its end.
static void strike(rv_world *world, int i, double dt, const bool wall[4])
{
    rv_spray *s = &world->spray;
    const rv_bodies *b = &world->bodies;
    rv_vec3 way = rv_scaled(s->velocity[i], dt), from = rv_sub(s->at[i], way);
    rv_vec3 out = {0, 0, 0}, other;
    double first = INFINITY, share, deep = 0, length = rv_length(way);
    int met = -1;
    for (int k = 0; k < b->count; k++) {
        const rv_body *body = &b->body[k];
        if (!b->work[k].here) continue;
        if (rv_length(rv_sub(s->at[i], body->state.at)) > body->reach + length) continue;
        double inside = 0;
        if (is_inside(body, &b->work[k], from, &other, &inside))
            share = 0; // the body came over it
        else if (enters(body, &b->work[k], from, way, &share, &other))
            inside = 0;
        else
            continue;
        if (share < first) first = share, met = k, out = other, deep = inside;
    }
    if (met >= 0) come_off(world, i, met, rv_along(from, first, way), out, deep, wall);
}

void rv_world_strike_bodies(rv_world *world, double dt, const bool wall[4])
{
    rv_spray *s = &world->spray;
    rv_bodies *b = &world->bodies;
    rv_bodies_refresh(b);
    for (int i = 0; i < s->count; i++) {
        if (s->goal[i] > 0 || s->flown[i] == RV_FLOWN_OUT) continue;
        strike(world, i, dt, wall);
    }
}
