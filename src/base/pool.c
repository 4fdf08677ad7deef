// A pool of threads for steps that take some ten microseconds: workers spin for a moment before
// they sleep.
//
// One 64-bit word holds the job's number, its item count and the next item. A worker claims an item
// by compare-and-swap on the whole word, so a late worker can never claim an item of a job that it
// read half-written: a new job changes the number.
//
// A pool over a host's job system has no threads of its own and none of this.
//
// One caller at a time has the threads. Who comes meanwhile, from another thread or from within an
// item, runs its items itself: results do not depend on it, and nobody waits.
#define _GNU_SOURCE // sched_getaffinity
#include "rivulet/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define ITEM_BITS 20
#define ITEM_MASK ((1ull << ITEM_BITS) - 1)
#define ITEMS_MAX ((int)ITEM_MASK)
#define THREADS_MAX 1024
#define SPINS 4000 // some 20 to 50 µs: longer than the gap between two passes of a step

typedef _Atomic(uint64_t) job_word;

struct rv_pool {
    _Alignas(64) job_word job; // number | items | next
    _Alignas(64) atomic_int done;
    atomic_bool busy; // somebody has the threads
    _Alignas(64) _Atomic(rv_task *) task;
    _Atomic(void *) context;
    atomic_int sleepers;
    atomic_int started; // workers
    atomic_bool quit;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int threads;
    pthread_t *handles; // threads - 1
    rv_job_system jobs; // without a function: the threads above
};

static int next_of(uint64_t job)
{
    return (int)(job & ITEM_MASK);
}

static int items_of(uint64_t job)
{
    return (int)((job >> ITEM_BITS) & ITEM_MASK);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Claims and runs items until none is left.
static void work(rv_pool *pool)
{
    uint64_t job = atomic_load_explicit(&pool->job, memory_order_acquire);
    while (next_of(job) < items_of(job)) {
        rv_task *task = atomic_load_explicit(&pool->task, memory_order_relaxed);
        void *context = atomic_load_explicit(&pool->context, memory_order_relaxed);
        if (!atomic_compare_exchange_weak_explicit(&pool->job, &job, job + 1, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        task(context, next_of(job));
        atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
        job = atomic_load_explicit(&pool->job, memory_order_acquire);
    }
}

static bool has_work(rv_pool *pool)
{
    uint64_t job = atomic_load(&pool->job);
    return next_of(job) < items_of(job) || atomic_load(&pool->quit);
}

static void sleep_until_work(rv_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!has_work(pool)) pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *worker(void *argument)
{
    rv_pool *pool = argument;
    atomic_fetch_add(&pool->started, 1);
    while (!atomic_load(&pool->quit)) {
        int spins = 0;
        while (!has_work(pool) && spins++ < SPINS) relax();
        if (!has_work(pool)) sleep_until_work(pool);
        work(pool);
    }
    return NULL;
}

static void wake_sleepers(rv_pool *pool)
{
    if (atomic_load(&pool->sleepers) == 0) return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

rv_pool *rv_pool_create_for(const rv_job_system *jobs)
{
    if (!jobs || !jobs->parallel_for || jobs->threads < 1 || jobs->threads > THREADS_MAX)
        return NULL;
    rv_pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
    if (pool) *pool = (rv_pool){.threads = jobs->threads, .jobs = *jobs};
    return pool;
}

rv_pool *rv_pool_create(int threads)
{
    if (threads < 1 || threads > THREADS_MAX) return NULL;
    rv_pool *pool = aligned_alloc(64, (sizeof *pool + 63) / 64 * 64);
    pthread_t *handles = malloc((size_t)threads * sizeof *handles);
    if (!pool || !handles) {
        free(pool);
        free(handles);
        return NULL;
    }
    *pool = (rv_pool){.threads = 1, .handles = handles};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&handles[i - 1], NULL, worker, pool) != 0) {
            rv_pool_destroy(pool);
            return NULL;
        }
        pool->threads++;
    }
    // A host may fork: no thread is left half-way through its start, with locks of the C library.
    while (atomic_load(&pool->started) < threads - 1) sched_yield();
    return pool;
}

void rv_pool_destroy(rv_pool *pool)
{
    if (!pool) return;
    if (pool->jobs.parallel_for) {
        free(pool);
        return;
    }
    atomic_store(&pool->quit, true);
    wake_sleepers(pool);
    for (int i = 0; i < pool->threads - 1; i++) pthread_join(pool->handles[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->handles);
    free(pool);
}

int rv_pool_threads(const rv_pool *pool)
{
    return pool ? pool->threads : 1;
}

static void run_job(rv_pool *pool, int items, rv_task *task, void *context)
{
    uint64_t number = (atomic_load(&pool->job) >> (2 * ITEM_BITS)) + 1;
    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store(&pool->done, 0);
    atomic_store(&pool->job, number << (2 * ITEM_BITS) | (uint64_t)items << ITEM_BITS);
    wake_sleepers(pool);
    work(pool);
    for (int spins = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < items; spins++) {
        if (spins < SPINS)
            relax();
        else
            sched_yield();
    }
}

typedef struct slice {
    rv_task *task;
    void *context;
    int first;
} slice;

static void run_slice_item(void *context, int item)
{
    const slice *s = context;
    s->task(s->context, s->first + item);
}

static void run_slices(rv_pool *pool, int items, rv_task *task, void *context)
{
    for (int first = 0; first < items; first += ITEMS_MAX) {
        slice s = {task, context, first};
        int count = items - first < ITEMS_MAX ? items - first : ITEMS_MAX;
        run_job(pool, count, run_slice_item, &s);
    }
}

void rv_parallel_for(rv_pool *pool, int items, rv_task *task, void *context)
{
    if (!task) return;
    bool alone = !pool || pool->threads == 1 || items <= 1;
    if (alone || atomic_exchange_explicit(&pool->busy, true, memory_order_acquire)) {
        for (int i = 0; i < items; i++) task(context, i);
        return;
    }
    if (pool->jobs.parallel_for)
        pool->jobs.parallel_for(pool->jobs.user, items, task, context);
    else
        run_slices(pool, items, task, context);
    atomic_store_explicit(&pool->busy, false, memory_order_release);
}

int rv_hardware_threads(void)
{
#if defined(__linux__)
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int n = CPU_COUNT(&set);
        if (n > 0) return n;
    }
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}
