// A pool over a host's own job system: a toy one of pthreads that hands out items from the last to
// the first and in no fixed share gives the same bits as our own threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rivulet/rivulet.h"

#include <pthread.h>

#define WORKERS 2
// The thread sanitizer makes every access a call: there smaller worlds and fewer rounds must do.
#if defined(__SANITIZE_THREAD__)
#define SIDE 96 // cells
#define ROUNDS 1000
#else
#define SIDE 160
#define ROUNDS 20000
#endif

typedef struct jobs {
    pthread_t thread[WORKERS];
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    rv_task *task;
    void *context;
    int next, running; // items that nobody has begun, from the top; and those that somebody runs
    bool quit;
    int calls, items;
} jobs;

// With the mutex held: runs what there is.
static void drain(jobs *j)
{
    while (j->next > 0) {
        int item = --j->next;
        j->running++;
        pthread_mutex_unlock(&j->mutex);
        j->task(j->context, item);
        pthread_mutex_lock(&j->mutex);
        j->running--;
    }
}

static void *worker(void *user)
{
    jobs *j = user;
    pthread_mutex_lock(&j->mutex);
    while (!j->quit) {
        drain(j);
        if (j->running == 0) pthread_cond_signal(&j->done);
        if (!j->quit && j->next == 0) pthread_cond_wait(&j->wake, &j->mutex);
    }
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

static void parallel_for(void *user, int items, rv_task *task, void *context)
{
    jobs *j = user;
    pthread_mutex_lock(&j->mutex);
    j->task = task, j->context = context, j->next = items;
    j->calls++, j->items += items;
    pthread_cond_broadcast(&j->wake);
    drain(j);
    while (j->running > 0) pthread_cond_wait(&j->done, &j->mutex);
    pthread_mutex_unlock(&j->mutex);
}

static void start(jobs *j)
{
    memset(j, 0, sizeof *j);
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->wake, NULL);
    pthread_cond_init(&j->done, NULL);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&j->thread[i], NULL, worker, j), 0);
}

static void stop(jobs *j)
{
    pthread_mutex_lock(&j->mutex);
    j->quit = true;
    pthread_cond_broadcast(&j->wake);
    pthread_mutex_unlock(&j->mutex);
    for (int i = 0; i < WORKERS; i++) pthread_join(j->thread[i], NULL);
    pthread_cond_destroy(&j->wake), pthread_cond_destroy(&j->done);
    pthread_mutex_destroy(&j->mutex);
}

// A slab on a ball, liquid from above: layers, and wide enough for threads to be worth it.
static uint64_t hash_with(rv_pool *pool, rv_solver_kind solver)
{
    rv_solid_def solids[2] = {rv_default_solid_def(), rv_default_solid_def()};
    solids[0].at.z = 0.02, solids[0].size = (rv_vec3){0.06, 0.04, 0.006};
    solids[1].shape = RV_SHAPE_SPHERE, solids[1].radius = 0.01, solids[1].at.x = 0.02;
    rv_source_def tap = rv_default_source_def();
    tap.at = (rv_vec3){0.01, 0, 0.045}, tap.radius = 0.01, tap.rate = 5e-5;
    rv_emitter_def block = rv_default_emitter_def();
    block.kind = RV_EMITTER_BLOCK;
    block.from = (rv_vec3){-0.04, -0.04, 0.03}, block.to = (rv_vec3){0, 0.04, 0.05};
    rv_world_def def = rv_default_world_def();
    def.params.solver = solver;
    def.params.grid_nx = def.params.grid_ny = SIDE;
    if (solver == RV_SOLVER_SPLAT) {
        def.params.grid_nx = def.params.grid_ny = SIDE / 4, def.params.grid_dx = 0.4 / SIDE;
        def.emitters = &block, def.emitter_count = 1;
    } else {
        def.sources = &tap, def.source_count = 1;
    }
    def.solids = solids, def.solid_count = 2;
    def.pool = pool;
    rv_world *world;
    rv_messages messages = {0};
    if (rv_world_create(&def, &world, &messages) != RV_OK) fail_msg("%s", messages.text);
    for (int i = 0; i < 8; i++) assert_int_equal(rv_world_step(world, 0.01), RV_OK);
    uint64_t hash = rv_world_hash(world);
    rv_world_destroy(world);
    return hash;
}

static void same_bits_as_our_own(void **state)
{
    (void)state;
    const rv_solver_kind solvers[] = {RV_SOLVER_PIPES, RV_SOLVER_SWE, RV_SOLVER_SPLAT};
    jobs j;
    start(&j);
    rv_pool *host = rv_pool_create_for(&(rv_job_system){parallel_for, &j, WORKERS + 1});
    rv_pool *own = rv_pool_create(2);
    assert_non_null(host);
    assert_int_equal(rv_pool_threads(host), WORKERS + 1);
    for (int k = 0; k < 3; k++) {
        int before = j.calls;
        uint64_t want = hash_with(NULL, solvers[k]);
        assert_true(hash_with(own, solvers[k]) == want);
        assert_int_equal(j.calls, before);
        assert_true(hash_with(host, solvers[k]) == want);
        assert_true(j.calls > before); // it was the host that did it
    }
    rv_pool_destroy(host);
    rv_pool_destroy(own);
    stop(&j);
}

static void mark(void *context, int item)
{
    ((unsigned char *)context)[item]++;
}

static void each_item_once(void **state)
{
    (void)state;
    static unsigned char done[300000];
    jobs j;
    start(&j);
    rv_pool *host = rv_pool_create_for(&(rv_job_system){parallel_for, &j, 3});
    memset(done, 0, sizeof done);
    rv_parallel_for(host, 300000, mark, done);
    for (int i = 0; i < 300000; i++) assert_int_equal(done[i], 1);
    assert_int_equal(j.items, 300000);
    rv_pool_destroy(host);
    stop(&j);
    assert_null(rv_pool_create_for(NULL));
    assert_null(rv_pool_create_for(&(rv_job_system){NULL, NULL, 2}));
    assert_null(rv_pool_create_for(&(rv_job_system){parallel_for, &j, 0}));
    assert_null(rv_pool_create_for(&(rv_job_system){parallel_for, &j, 4096}));
}

// ---- One pool, several callers ------------------------------------------------------------------

#define ITEMS 64

typedef struct caller {
    rv_pool *pool;
    unsigned char done[ITEMS];
    bool wrong;
} caller;

// Each item must be done once when the call is back, whoever else uses the pool.
static void *call_often(void *user)
{
    caller *c = user;
    for (int round = 0; round < ROUNDS; round++) {
        memset(c->done, 0, sizeof c->done);
        rv_parallel_for(c->pool, ITEMS, mark, c->done);
        for (int i = 0; i < ITEMS; i++) c->wrong = c->wrong || c->done[i] != 1;
    }
    return NULL;
}

static void call_from_two(rv_pool *pool)
{
    caller here = {.pool = pool}, there = {.pool = pool};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call_often, &there), 0);
    call_often(&here);
    pthread_join(thread, NULL);
    assert_false(here.wrong);
    assert_false(there.wrong);
}

static void two_callers_share_a_pool(void **state)
{
    (void)state;
    jobs j;
    start(&j);
    rv_pool *host = rv_pool_create_for(&(rv_job_system){parallel_for, &j, WORKERS + 1});
    rv_pool *own = rv_pool_create(3);
    call_from_two(own);
    call_from_two(host); // this toy takes one call at a time
    rv_pool_destroy(host);
    rv_pool_destroy(own);
    stop(&j);
}

typedef struct outer {
    rv_pool *pool;
    unsigned char done[8][ITEMS];
} outer;

static void call_within(void *context, int item)
{
    outer *o = context;
    rv_parallel_for(o->pool, ITEMS, mark, o->done[item]);
}

static void an_item_may_call(void **state)
{
    (void)state;
    outer o = {.pool = rv_pool_create(3)};
    rv_parallel_for(o.pool, 8, call_within, &o);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < ITEMS; k++) assert_int_equal(o.done[i][k], 1);
    rv_pool_destroy(o.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_as_our_own),
        cmocka_unit_test(each_item_once),
        cmocka_unit_test(two_callers_share_a_pool),
        cmocka_unit_test(an_item_may_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
