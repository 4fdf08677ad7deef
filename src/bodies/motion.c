// How bodies move: forces give speed, contacts correct it, then places follow.
//
// A body in liquid takes some of it along: half of the liquid it displaces moves with a sphere (the
// inertia of potential flow). It counts for motion up and down only; sideways the columns around
// carry the inertia. When a body plunges in, that liquid must first get its speed, and takes it
// from the body: the blow at the surface.
//
// Forces are constant over a substep, places and contacts are followed in parts of it in which no
// body moves farther than half of its own thickness: so nothing passes through anything.
#include "bodies/bodies.h"

#define PARTS_MOST 64

// ---- Turning ------------------------------------------------------------------------------------

static double turning_energy(const rv_body *body, rv_vec3 spin)
{
    rv_mat3 turn = rv_rotation(body->state.turn);
    rv_vec3 own = rv_apply_back(&turn, spin);
    return rv_dot(own, rv_times(body->inertia, own));
}

// The spin that belongs to an angular momentum as the body stands.
static rv_vec3 spin_of(const rv_body *body, const double turn[4], rv_vec3 momentum)
{
    rv_mat3 m = rv_rotation(turn);
    rv_vec3 own = rv_apply_back(&m, momentum);
    own.x /= body->inertia.x, own.y /= body->inertia.y, own.z /= body->inertia.z;
    return rv_apply(&m, own);
}

// A box tumbles: its angular momentum stays, its spin does not. By the middle of the step; what
// energy the step would still add is taken off again.
static void turn_box(rv_body *body, double dt)
{
    rv_body_state *s = &body->state;
    double before = turning_energy(body, s->spin);
    rv_mat3 turn = rv_rotation(s->turn);
    rv_vec3 own = rv_times(body->inertia, rv_apply_back(&turn, s->spin));
    rv_vec3 momentum = rv_apply(&turn, own);
    double half[4] = {s->turn[0], s->turn[1], s->turn[2], s->turn[3]};
    rv_turn_by(half, rv_scaled(s->spin, 0.5 * dt));
    rv_turn_by(s->turn, rv_scaled(spin_of(body, half, momentum), dt));
    s->spin = spin_of(body, s->turn, momentum);
    double after = turning_energy(body, s->spin);
    if (after > before) s->spin = rv_scaled(s->spin, sqrt(before / after));
}

static void advance(rv_body *body, const rv_body_work *w, double dt)
{
    rv_body_state *s = &body->state;
    if (body->def.motion == RV_BODY_HELD) return;
    rv_vec3 step = rv_scaled(s->velocity, dt);
    // under a constant force the mean speed is that of the middle of the step
    if (w->free && !w->held_up) step = rv_along(step, -0.5 * dt, w->kick);
    s->at = rv_add(s->at, step);
    if (rv_dot(s->spin, s->spin) == 0) return;
    if (w->free && body->def.shape == RV_BODY_BOX)
        turn_box(body, dt);
    else
        rv_turn_by(s->turn, rv_scaled(s->spin, dt));
}

// ---- Forces -------------------------------------------------------------------------------------

// What acts once in a substep: the drag, and the liquid that is taken along.
static void resist(rv_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++) {
        rv_body_work *w = &bodies->work[i];
        rv_body_state *s = &bodies->body[i].state;
        if (!w->free || !w->touches) continue;
        s->velocity.z *= w->slowed;
        s->velocity = rv_add(s->velocity, rv_times(w->inverse, w->drag));
        s->spin = rv_add(s->spin, rv_apply(&w->light, w->drag_turn));
    }
}

static void kick(rv_bodies *bodies, rv_vec3 pull, double dt)
{
    for (int i = 0; i < bodies->count; i++) {
        rv_body_work *w = &bodies->work[i];
        rv_body *body = &bodies->body[i];
        w->kick = (rv_vec3){0, 0, 0};
        w->held_up = w->supported = false;
        if (!w->free) continue;
        rv_vec3 force = rv_along(w->force, body->mass, pull);
        w->weighed = rv_along(w->weighed, dt, rv_scaled(pull, body->mass));
        w->kick = rv_scaled(rv_times(w->inverse, force), dt);
        body->state.velocity = rv_add(body->state.velocity, w->kick);
        body->state.spin = rv_along(body->state.spin, dt, rv_apply(&w->light, w->torque));
    }
}

// Parts of a substep in which no body moves farther than half of its thickness.
static int parts_of(rv_bodies *bodies, double gravity, double dt)
{
    double most = 1;
    for (int i = 0; i < bodies->count; i++) {
        const rv_body *body = &bodies->body[i];
        if (!bodies->work[i].here || body->def.motion == RV_BODY_HELD) continue;
        double speed = rv_length(body->state.velocity) + gravity * dt +
                       rv_length(body->state.spin) * (body->reach - 0.5 * body->thin);
        most = fmax(most, ceil(speed * dt / (0.5 * body->thin)));
    }
    return (int)fmin(most, PARTS_MOST);
}

// With the most parts a body may still be too fast for its size; it is then held to what is safe.
static void limit(rv_bodies *bodies, double dt)
{
    for (int i = 0; i < bodies->count; i++) {
        rv_body *body = &bodies->body[i];
        if (!bodies->work[i].free) continue;
        double speed = rv_length(body->state.velocity), most = body->thin / dt;
        if (speed > most) body->state.velocity = rv_scaled(body->state.velocity, most / speed);
    }
}

// A body past an open border does not come back. One that is nowhere is taken out.
static void leave(rv_bodies *bodies, const rv_surroundings *around)
{
    const rv_grid *g = &around->columns->grid;
    for (int i = 0; i < bodies->count; i++) {
        rv_body *body = &bodies->body[i];
        rv_body_state *s = &body->state;
        if (!bodies->work[i].here) continue;
        double r = body->reach;
        bool out = (!around->wall[0] && s->at.x + r < g->x0) ||
                   (!around->wall[1] && s->at.x - r > g->x0 + g->nx * g->dx) ||
                   (!around->wall[2] && s->at.y + r < g->y0) ||
                   (!around->wall[3] && s->at.y - r > g->y0 + g->ny * g->dx);
        bool lost = !rv_finite(s->at) || !rv_finite(s->velocity) || !rv_finite(s->spin);
        if (!lost && !(out && bodies->work[i].free)) continue;
        body->gone = true;
        bodies->work[i].here = bodies->work[i].free = false;
    }
}

void rv_bodies_move(rv_bodies *bodies, const rv_surroundings *around, double dt)
{
    rv_bodies_refresh(bodies);
    resist(bodies);
    int parts = parts_of(bodies, rv_length(around->pull), dt);
    double part = dt / parts;
    for (int k = 0; k < parts; k++) {
        if (k > 0) rv_bodies_refresh(bodies);
        kick(bodies, around->pull, part);
        if (parts == PARTS_MOST) limit(bodies, part);
        rv_bodies_touch(bodies, around, part);
        rv_bodies_solve(bodies, part, around->pull);
        for (int i = 0; i < bodies->count; i++)
            if (bodies->work[i].here) advance(&bodies->body[i], &bodies->work[i], part);
        rv_bodies_part(bodies, part);
        leave(bodies, around);
    }
}
