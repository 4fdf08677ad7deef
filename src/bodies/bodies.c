// The list of bodies: adding, weighing, and who takes part in a step.
#include "bodies/bodies.h"

#include "base/memory.h"

#include <string.h>

#define PI 3.14159265358979323846

void rv_body_weigh(rv_body *body)
{
    const rv_body_def *d = &body->def;
    double r = d->radius;
    if (d->shape == RV_BODY_SPHERE) {
        body->half = (rv_vec3){r, r, r};
        body->volume = 4.0 / 3.0 * PI * r * r * r;
        body->reach = body->thin = r;
    } else {
        body->half = rv_scaled(d->size, 0.5);
        body->volume = d->size.x * d->size.y * d->size.z;
        body->reach = rv_length(body->half);
        body->thin = fmin(body->half.x, fmin(body->half.y, body->half.z));
    }
    body->round = cbrt(0.75 / PI * body->volume);
    body->mass = d->mass < 0 ? d->density * body->volume : d->mass;
    double x = body->half.x * body->half.x, y = body->half.y * body->half.y;
    double z = body->half.z * body->half.z, third = body->mass / 3;
    body->inertia = d->shape == RV_BODY_SPHERE
                        ? rv_scaled((rv_vec3){x, x, x}, 0.4 * body->mass)
                        : (rv_vec3){third * (y + z), third * (x + z), third * (x + y)};
}

// About x, then y, then z.
static void first_turn(rv_vec3 rotate, double q[4])
{
    q[0] = q[1] = q[2] = 0, q[3] = 1;
    rv_turn_by(q, (rv_vec3){rotate.x, 0, 0});
    rv_turn_by(q, (rv_vec3){0, rotate.y, 0});
    rv_turn_by(q, (rv_vec3){0, 0, rotate.z});
}

rv_result rv_bodies_add(rv_bodies *bodies, const rv_body_def *def, int *index)
{
    int need = bodies->count + 1;
    if (!rv_array_grow(&bodies->allocator, &bodies->body, &bodies->room, need,
                       sizeof *bodies->body) ||
        !rv_array_grow(&bodies->allocator, &bodies->work, &bodies->work_room, need,
                       sizeof *bodies->work))
        return RV_OUT_OF_MEMORY;
    rv_body *body = &bodies->body[bodies->count];
    memset(body, 0, sizeof *body);
    memset(&bodies->work[bodies->count], 0, sizeof *bodies->work);
    body->def = *def;
    body->state.at = def->at, body->state.velocity = def->velocity, body->state.spin = def->spin;
    if (def->motion == RV_BODY_HELD) body->state.velocity = body->state.spin = (rv_vec3){0, 0, 0};
    first_turn(def->rotate, body->state.turn);
    rv_body_weigh(body);
    if (index) *index = bodies->count;
    bodies->count++;
    return RV_OK;
}

void rv_bodies_free(rv_bodies *b)
{
    const rv_allocator *a = &b->allocator;
    rv_free(a, b->body, (size_t)b->room, sizeof *b->body);
    rv_free(a, b->work, (size_t)b->work_room, sizeof *b->work);
    rv_free(a, b->contact, (size_t)b->contact_room, sizeof *b->contact);
    rv_free(a, b->pair, (size_t)b->pair_room, sizeof *b->pair);
    rv_free(a, b->bucket, (size_t)b->bucket_room, sizeof *b->bucket);
    rv_free(a, b->chain, (size_t)b->chain_room, sizeof *b->chain);
    rv_free(a, b->surface, (size_t)b->surface_room, sizeof *b->surface);
    rv_free(a, b->chord, (size_t)b->chord_room, sizeof *b->chord);
    rv_free(a, b->cover, (size_t)b->cover_room, sizeof *b->cover);
    rv_free(a, b->link, (size_t)b->link_room, sizeof *b->link);
    rv_free(a, b->first_cover, b->slots, sizeof *b->first_cover);
    rv_free(a, b->head, b->slots, sizeof *b->head);
    rv_free(a, b->home, (size_t)b->home_room, sizeof *b->home);
    rv_free(a, b->push, (size_t)b->push_room, sizeof *b->push);
    *b = (rv_bodies){.allocator = b->allocator, .pool = b->pool, .cut = b->cut};
}

// A few bodies are done before a thread is awake.
#define WORTH_THREADS 8
#define BODIES_A_TASK 4

typedef struct batch {
    rv_task *task;
    void *context;
    int count;
} batch;

static void run_batch(void *context, int item)
{
    const batch *b = context;
    for (int i = item * BODIES_A_TASK; i < (item + 1) * BODIES_A_TASK && i < b->count; i++)
        b->task(b->context, i);
}

void rv_bodies_for_each(rv_bodies *bodies, rv_task *task, void *context)
{
    batch b = {task, context, bodies->count};
    rv_pool *pool = bodies->count >= WORTH_THREADS ? bodies->pool : NULL;
    rv_parallel_for(pool, (bodies->count + BODIES_A_TASK - 1) / BODIES_A_TASK, run_batch, &b);
}

bool rv_bodies_begin(rv_bodies *bodies, double time)
{
    bool any = false;
    for (int i = 0; i < bodies->count; i++) {
        const rv_body *body = &bodies->body[i];
        rv_body_work *w = &bodies->work[i];
        memset(w, 0, sizeof *w);
        w->here = !body->gone && time >= body->def.start;
        w->free = w->here && body->def.motion == RV_BODY_FREE;
        w->before = body->state.velocity;
        w->ease = w->slowed = 1;
        any = any || w->here;
    }
    if (any) rv_bodies_refresh(bodies);
    return any;
}

void rv_bodies_refresh(rv_bodies *bodies)
{
    for (int i = 0; i < bodies->count; i++) {
        const rv_body *body = &bodies->body[i];
        rv_body_work *w = &bodies->work[i];
        if (!w->here) continue;
        w->turn = rv_rotation(body->state.turn);
        w->inverse = (rv_vec3){0, 0, 0};
        w->light = (rv_mat3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
        if (!w->free) continue;
        double light = 1 / body->mass;
        w->inverse = (rv_vec3){light, light, w->heave > 0 ? 1 / w->heave : light};
        rv_vec3 inverse = {w->ease / body->inertia.x, w->ease / body->inertia.y,
                           w->ease / body->inertia.z};
        w->light = rv_turned_diagonal(&w->turn, inverse);
    }
}
