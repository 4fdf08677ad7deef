// Impulses at contacts, one after another until they agree: no approach beyond the gap, bounce by
// the restitution, Coulomb's friction, a little resistance to rolling. Overlap that is left is
// taken away by moving bodies apart, which gives them no speed.
#include "bodies/bodies.h"

#define ROUNDS 40  // a stack of four boxes stands; most contacts agree after two or three
#define SLOP 0.005 // of the thinner body: overlap that is left alone, so that resting contacts stay
#define ROLLING 1e-3 // resistance to rolling over the normal force: a hard ball on a hard floor

static rv_vec3 speed_at(const rv_bodies *bodies, int index, rv_vec3 arm)
{
    if (index < 0) return (rv_vec3){0, 0, 0};
    const rv_body_state *s = &bodies->body[index].state;
    return rv_add(s->velocity, rv_cross(s->spin, arm));
}

static rv_vec3 closing_speed(const rv_bodies *bodies, const rv_body_contact *c)
{
    return rv_sub(speed_at(bodies, c->a, c->arm_a), speed_at(bodies, c->b, c->arm_b));
}

// Speed in direction d per impulse in direction d.
static double lightness(const rv_bodies *bodies, int index, rv_vec3 arm, rv_vec3 d)
{
    if (index < 0) return 0;
    const rv_body_work *w = &bodies->work[index];
    rv_vec3 lever = rv_cross(arm, d);
    return rv_dot(d, rv_times(w->inverse, d)) + rv_dot(lever, rv_apply(&w->light, lever));
}

static double lightness_of(const rv_bodies *bodies, const rv_body_contact *c, rv_vec3 d)
{
    return lightness(bodies, c->a, c->arm_a, d) + lightness(bodies, c->b, c->arm_b, d);
}

static void push(rv_bodies *bodies, int index, rv_vec3 arm, rv_vec3 impulse, double sign)
{
    if (index < 0) return;
    rv_body_state *s = &bodies->body[index].state;
    rv_body_work *w = &bodies->work[index];
    s->velocity = rv_along(s->velocity, sign, rv_times(w->inverse, impulse));
    s->spin = rv_along(s->spin, sign, rv_apply(&w->light, rv_cross(arm, impulse)));
    w->contacts = rv_along(w->contacts, sign, impulse);
}

static void push_both(rv_bodies *bodies, const rv_body_contact *c, rv_vec3 impulse)
{
    push(bodies, c->a, c->arm_a, impulse, 1);
    push(bodies, c->b, c->arm_b, impulse, -1);
}

// What the speed along the normal shall be. A bounce takes the speed from before this step's
// forces, and they act after it, so that a ball's energy is that of its fall.
static void aim(rv_bodies *bodies, rv_body_contact *c, double dt, double gravity)
{
    const rv_body *a = &bodies->body[c->a], *b = c->b >= 0 ? &bodies->body[c->b] : NULL;
    double thin = b ? fmin(a->thin, b->thin) : a->thin;
    c->arm_a = rv_sub(c->at, a->state.at);
    if (b) c->arm_b = rv_sub(c->at, b->state.at);
    double light = lightness_of(bodies, c, c->normal);
    c->weight = light > 0 ? 1 / light : 0;
    double now = rv_dot(closing_speed(bodies, c), c->normal);
    double kick = rv_dot(bodies->work[c->a].kick, c->normal);
    if (b) kick -= rv_dot(bodies->work[c->b].kick, c->normal);
    double before = now - kick;
    // slower than a fall over a hundredth of its size is no bounce
    double least = 2 * gravity * dt + sqrt(0.02 * gravity * thin), gap = fmax(c->gap, 0);
    // it is still `gap` away: it falls that far, bounces, and comes up again as far
    double fall = 2 * fmax(-kick, 0) / dt * gap;
    double after = c->bounce * c->bounce * (before * before + fall) - fall;
    c->bounces = before < -least && c->gap + now * dt <= 0 && after > 0;
    c->target = c->bounces ? fmin(kick, 0) + sqrt(after) : -gap / dt;
    c->pushed = 0;
    c->rubbed = (rv_vec3){0, 0, 0};
}

// Returns by how much the speed changed.
static double press(rv_bodies *bodies, rv_body_contact *c)
{
    double now = rv_dot(closing_speed(bodies, c), c->normal);
    double sum = fmax(c->pushed + (c->target - now) * c->weight, 0);
    double more = sum - c->pushed;
    c->pushed = sum;
    if (more == 0) return 0;
    push_both(bodies, c, rv_scaled(c->normal, more));
    return fabs(more) / c->weight;
}

static double rub(rv_bodies *bodies, rv_body_contact *c)
{
    rv_vec3 speed = closing_speed(bodies, c);
    rv_vec3 slide = rv_along(speed, -rv_dot(speed, c->normal), c->normal);
    double length = rv_length(slide);
    if (!(length > 1e-12) || !(c->friction > 0)) return 0;
    rv_vec3 d = rv_scaled(slide, 1 / length);
    double light = lightness_of(bodies, c, d);
    if (!(light > 0)) return 0;
    rv_vec3 sum = rv_along(c->rubbed, -length / light, d);
    double size = rv_length(sum), most = c->friction * c->pushed;
    if (size > most) sum = rv_scaled(sum, most / size);
    rv_vec3 more = rv_sub(sum, c->rubbed);
    push_both(bodies, c, more);
    c->rubbed = sum;
    return rv_length(more) * light;
}

// Of a sphere only: a box stands on its corners.
static void resist_rolling(rv_bodies *bodies, int index, double pushed)
{
    if (index < 0 || bodies->body[index].def.shape != RV_BODY_SPHERE) return;
    rv_body_state *s = &bodies->body[index].state;
    double spin = rv_length(s->spin), light = bodies->work[index].light.row[0].x;
    double less = ROLLING * bodies->body[index].def.radius * pushed * light;
    if (spin > 0) s->spin = rv_scaled(s->spin, fmax(1 - less / spin, 0));
}

static void note(rv_bodies *bodies, const rv_body_contact *c, rv_vec3 up)
{
    if (!(c->pushed > 0)) return;
    if (!c->bounces) {
        bodies->work[c->a].held_up = true;
        if (c->b >= 0) bodies->work[c->b].held_up = true;
    }
    double rises = rv_dot(c->normal, up);
    if (rises > 0.3) bodies->work[c->a].supported = true;
    if (c->b >= 0 && rises < -0.3) bodies->work[c->b].supported = true;
    resist_rolling(bodies, c->a, c->pushed);
    resist_rolling(bodies, c->b, c->pushed);
}

void rv_bodies_solve(rv_bodies *bodies, double dt, rv_vec3 pull)
{
    double gravity = rv_length(pull);
    rv_vec3 up = {0, 0, 1};
    if (gravity > 0) up = (rv_vec3){-pull.x / gravity, -pull.y / gravity, -pull.z / gravity};
    for (int k = 0; k < bodies->contact_count; k++) aim(bodies, &bodies->contact[k], dt, gravity);
    for (int round = 0; round < ROUNDS; round++) {
        double most = 0;
        for (int k = 0; k < bodies->contact_count; k++) {
            most = fmax(most, rub(bodies, &bodies->contact[k]));
            most = fmax(most, press(bodies, &bodies->contact[k]));
        }
        if (most <= 1e-6 * gravity * dt) break;
    }
    for (int k = 0; k < bodies->contact_count; k++) note(bodies, &bodies->contact[k], up);
}

void rv_bodies_part(rv_bodies *bodies, double dt)
{
    for (int k = 0; k < bodies->contact_count; k++) {
        const rv_body_contact *c = &bodies->contact[k];
        rv_body *a = &bodies->body[c->a], *b = c->b >= 0 ? &bodies->body[c->b] : NULL;
        double thin = b ? fmin(a->thin, b->thin) : a->thin;
        double gap = c->gap + dt * rv_dot(closing_speed(bodies, c), c->normal);
        double over = -gap - SLOP * thin;
        if (!(over > 0)) continue;
        double light_a = bodies->work[c->a].free ? 1 / a->mass : 0;
        double light_b = b && bodies->work[c->b].free ? 1 / b->mass : 0, all = light_a + light_b;
        if (!(all > 0)) continue;
        double move = fmin(0.3 * over, 0.2 * thin) / all;
        a->state.at = rv_along(a->state.at, move * light_a, c->normal);
        if (b) b->state.at = rv_along(b->state.at, -move * light_b, c->normal);
    }
}
