// Droplets that meet bodies: they come off with a fifth of the speed that they came with, as off
// the sides of solids, and give the body the momentum that they lost. One that has hardly any speed
// left is at rest there, runs off the body and lands in the column that it stands in.
//
// Droplets were moved before; the way that each came is looked at in pieces of half the body's
// thickness, in the order of droplets and bodies.
#include "world/world_internal.h"

#define BOUNCE 0.2    // speed off a body over speed onto it
#define SLOW 0.1      // m/s, under which a droplet stays
#define PIECES_MAX 64 // of a way

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

// Lets a droplet that is at a point in a body come off it.
static void come_off(rv_world *world, int i, int index, rv_vec3 at, rv_vec3 out, double deep)
{
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
    s->at[i] = at, s->flown[i] = RV_FLOWN_ON;
    rv_vec3 left = rv_sub(s->velocity[i], speed_at(body, arm));
    if (rv_length(left) > SLOW) return;
    size_t slot = rv_spray_slot_at(&world->columns, at);
    if (slot != RV_NOWHERE) s->down[i] = slot, s->flown[i] = RV_FLOWN_DOWN;
}

static bool strike(rv_world *world, int i, int index, double dt)
{
    rv_spray *s = &world->spray;
    const rv_body *body = &world->bodies.body[index];
    rv_vec3 way = rv_scaled(s->velocity[i], dt), out;
    double length = rv_length(way), deep;
    if (rv_length(rv_sub(s->at[i], body->state.at)) > body->reach + length) return false;
    double pieces = fmin(ceil(2 * length / body->thin), PIECES_MAX);
    int n = pieces > 1 ? (int)pieces : 1;
    for (int k = n - 1; k >= 0; k--) {
        rv_vec3 at = rv_along(s->at[i], -(double)k / n, way);
        if (!is_inside(body, &world->bodies.work[index], at, &out, &deep)) continue;
        come_off(world, i, index, at, out, deep);
        return true;
    }
    return false;
}

void rv_world_strike_bodies(rv_world *world, double dt)
{
    rv_spray *s = &world->spray;
    rv_bodies *b = &world->bodies;
    rv_bodies_refresh(b);
    for (int i = 0; i < s->count; i++) {
        if (s->goal[i] > 0 || s->flown[i] == RV_FLOWN_OUT) continue;
        for (int k = 0; k < b->count; k++)
            if (b->work[k].here && strike(world, i, k, dt)) break;
    }
}
