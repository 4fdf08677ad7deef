// A thread that draws: callers hand it one job at a time and wait. A context of OpenGL belongs to
// one thread; this keeps it from hosts, which call from several, or have a context of their own
// current.
#include "rivulet_gl/painter.h"

#include "render/renderer_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>


typedef enum job_kind { JOB_NONE, JOB_DRAW, JOB_FORGET, JOB_END } job_kind;

typedef struct job {
    job_kind kind;
    const rv_painting *what;
    const rv_world *world; // to forget
    uint8_t *rgba;
    rv_messages *messages;
    rv_result result;
    bool done;
} job;

struct rv_painter {
    pthread_t thread;
    pthread_mutex_t turn; // of the callers, one after the other
    pthread_mutex_t lock; // of what follows
    pthread_cond_t changed;
    job *job;
    rv_target *target;
    rv_renderer *renderer;
    uint64_t surroundings; // of the last picture
    bool around, behind;   // it had an environment, a backdrop, of its own
    char driver[256];
};

// ---- In the thread ------------------------------------------------------------------------------

static rv_result open_target(rv_painter *p, rv_messages *messages)
{
    const rv_target_def def = {.kind = RV_TARGET_HEADLESS, .width = 64, .height = 64};
    rv_result r = rv_target_create(&def, &p->target, messages);
    if (r == RV_OK) r = rv_renderer_create(p->target, NULL, &p->renderer, messages);
    if (r == RV_OK) snprintf(p->driver, sizeof p->driver, "%s", rv_target_driver(p->target));
    return r;
}

static rv_result surround(rv_painter *p, const rv_painting *what)
{
    rv_result r = RV_OK;
    if (what->surroundings != 0 && what->surroundings == p->surroundings) return RV_OK;
    if (what->environment || p->around)
        r = rv_renderer_set_environment(p->renderer, what->environment);
    if (r == RV_OK && (what->backdrop || p->behind))
        r = rv_renderer_set_backdrop(p->renderer, what->backdrop);
    p->around = what->environment != NULL, p->behind = what->backdrop != NULL;
    p->surroundings = r == RV_OK ? what->surroundings : 0;
    return r;
}

static rv_result paint(rv_painter *p, const job *j)
{
    const rv_painting *what = j->what;
    const rv_params *params = what->params ? what->params : rv_world_params(what->world);
    int width, height;
    rv_target_get_size(p->target, &width, &height);
    if (width != what->width || height != what->height) {
        if (rv_target_resize(p->target, what->width, what->height) != RV_OK) {
            rv_messages_add(j->messages, "picture: %d x %d pixels are more than the driver can do",
                            what->width, what->height);
            return RV_BAD_ARGUMENT;
        }
    }
    rv_result r = surround(p, what);
    if (r == RV_OK) r = rv_renderer_update(p->renderer, what->world, what->surface, j->messages);
    if (r == RV_OK) r = rv_renderer_draw(p->renderer, params);
    if (r == RV_OK) r = rv_target_read_alpha(p->target, j->rgba);
    if (r != RV_OK || params->view_alpha) return r;
    size_t pixels = (size_t)what->width * (size_t)what->height;
    for (size_t i = 0; i < pixels; i++) j->rgba[4 * i + 3] = 255;
    return RV_OK;
}

static void work(rv_painter *p, job *j)
{
    if (j->kind == JOB_DRAW) j->result = paint(p, j);
    if (j->kind == JOB_FORGET && p->renderer->world == j->world) p->renderer->world = NULL;
}

// The first job is the painter's own: it tells whether there is anything to draw on.
static void *draw_for_others(void *user)
{
    rv_painter *p = user;
    bool on = true;
    pthread_mutex_lock(&p->lock);
    p->job->result = open_target(p, p->job->messages);
    on = p->job->result == RV_OK;
    for (p->job->done = true;;) {
        p->job = NULL;
        pthread_cond_broadcast(&p->changed);
        if (!on) break;
        while (!p->job) pthread_cond_wait(&p->changed, &p->lock);
        work(p, p->job);
        p->job->done = true;
        on = p->job->kind != JOB_END;
    }
    rv_renderer_destroy(p->renderer);
    rv_target_destroy(p->target);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

// ---- For callers --------------------------------------------------------------------------------

static void wait_for(rv_painter *p, job *j)
{
    while (!j->done) pthread_cond_wait(&p->changed, &p->lock);
}

static rv_result hand(rv_painter *p, job *j)
{
    pthread_mutex_lock(&p->turn);
    pthread_mutex_lock(&p->lock);
    p->job = j;
    pthread_cond_broadcast(&p->changed);
    wait_for(p, j);
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&p->turn);
    return j->result;
}

static void free_painter(rv_painter *p)
{
    pthread_join(p->thread, NULL);
    pthread_mutex_destroy(&p->turn);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    free(p);
}

rv_result rv_painter_create(rv_painter **out, rv_messages *messages)
{
    if (out) *out = NULL;
    if (!out) return RV_BAD_ARGUMENT;
    rv_painter *p = calloc(1, sizeof *p);
    if (!p) return RV_OUT_OF_MEMORY;
    job first = {.messages = messages};
    pthread_mutex_init(&p->turn, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->job = &first;
    if (pthread_create(&p->thread, NULL, draw_for_others, p) != 0) {
        rv_messages_add(messages, "picture: no thread can be had to draw in");
        pthread_mutex_destroy(&p->turn);
        pthread_mutex_destroy(&p->lock);
        pthread_cond_destroy(&p->changed);
        free(p);
        return RV_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&p->lock);
    wait_for(p, &first);
    pthread_mutex_unlock(&p->lock);
    if (first.result == RV_OK)
        *out = p;
    else
        free_painter(p);
    return first.result;
}

void rv_painter_destroy(rv_painter *p)
{
    if (!p) return;
    job last = {.kind = JOB_END};
    hand(p, &last);
    free_painter(p);
}

rv_result rv_painter_draw(rv_painter *p, const rv_painting *what, uint8_t *rgba,
                          rv_messages *messages)
{
    if (!p || !what || !what->world || !rgba) {
        rv_messages_add(messages, "picture: no painter, no world, or no place for it");
        return RV_BAD_ARGUMENT;
    }
    if (!what->surface && rv_renderer_needs_surface(rv_world_params(what->world))) {
        rv_messages_add(messages, "picture: this world is drawn from its surface; there is none");
        return RV_BAD_ARGUMENT;
    }
    job j = {.kind = JOB_DRAW, .what = what, .rgba = rgba, .messages = messages};
    int said = messages ? messages->count : 0;
    rv_result r = hand(p, &j);
    if (r != RV_OK && messages && messages->count == said)
        rv_messages_add(messages, "picture: %s", rv_result_text(r));
    return r;
}

void rv_painter_forget(rv_painter *p, const rv_world *world)
{
    if (!p || !world) return;
    job j = {.kind = JOB_FORGET, .world = world};
    hand(p, &j);
}

const char *rv_painter_driver(const rv_painter *p)
{
    return p ? p->driver : "none";
}
