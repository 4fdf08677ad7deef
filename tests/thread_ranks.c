// Letters between threads, one box for each pair; meetings at a barrier.
#define _POSIX_C_SOURCE 200809L
#include "thread_ranks.h"

#include <stdlib.h>
#include <string.h>

typedef struct letter {
    struct letter *next;
    size_t bytes;
    unsigned char data[];
} letter;

static void post(thread_ranks *a, int from, const rv_rank_part *out)
{
    letter *l = malloc(sizeof *l + out->bytes), **end = &a->box[from][out->rank];
    if (!l) abort();
    l->next = NULL, l->bytes = out->bytes;
    if (out->bytes > 0) memcpy(l->data, out->data, out->bytes);
    pthread_mutex_lock(&a->lock);
    while (*end) end = &(*end)->next;
    *end = l;
    pthread_cond_broadcast(&a->arrived);
    pthread_mutex_unlock(&a->lock);
}

// false: it is not as long as it should be.
static bool take(thread_ranks *a, int to, const rv_rank_part *in)
{
    letter **first = &a->box[in->rank][to];
    pthread_mutex_lock(&a->lock);
    while (!*first) pthread_cond_wait(&a->arrived, &a->lock);
    letter *l = *first;
    *first = l->next;
    pthread_mutex_unlock(&a->lock);
    bool good = l->bytes == in->bytes;
    if (good && l->bytes > 0) memcpy(in->data, l->data, l->bytes);
    free(l);
    return good;
}

static bool swap(void *user, const rv_rank_part *out, int outs, const rv_rank_part *in, int ins)
{
    thread_rank *r = user;
    bool good = true;
    for (int i = 0; i < outs; i++) post(r->all, r->table.rank, &out[i]);
    for (int i = 0; i < ins; i++) good = take(r->all, r->table.rank, &in[i]) && good;
    return good;
}

// The two halves, with what crosses under way in between.
static bool begin_swap(void *user, const rv_rank_part *out, int outs, const rv_rank_part *in,
                       int ins)
{
    thread_rank *r = user;
    for (int i = 0; i < outs; i++) post(r->all, r->table.rank, &out[i]);
    for (int i = 0; i < ins; i++) r->awaited[i] = in[i];
    r->awaits = ins;
    return true;
}

static bool finish_swap(void *user)
{
    thread_rank *r = user;
    bool good = true;
    for (int i = 0; i < r->awaits; i++) good = take(r->all, r->table.rank, &r->awaited[i]) && good;
    return good;
}

static bool gather(void *user, const void *own, void *all, const size_t *bytes)
{
    thread_rank *r = user;
    thread_ranks *a = r->all;
    unsigned char *to = all;
    a->given[r->table.rank] = own;
    pthread_barrier_wait(&a->barrier);
    for (int k = 0; k < a->count; k++) {
        if (bytes[k] > 0) memcpy(to, a->given[k], bytes[k]);
        to += bytes[k];
    }
    pthread_barrier_wait(&a->barrier);
    return true;
}

static bool greatest(void *user, double *values, int count)
{
    thread_rank *r = user;
    thread_ranks *a = r->all;
    memcpy(a->values[r->table.rank], values, (size_t)count * sizeof *values);
    pthread_barrier_wait(&a->barrier);
    for (int k = 0; k < a->count; k++)
        for (int i = 0; i < count; i++)
            if (a->values[k][i] > values[i]) values[i] = a->values[k][i];
    pthread_barrier_wait(&a->barrier);
    return true;
}

typedef struct start {
    thread_rank rank;
    void (*task)(thread_rank *rank);
} start;

static void *begin(void *user)
{
    start *s = user;
    s->task(&s->rank);
    return NULL;
}

void thread_ranks_run(int count, void (*task)(thread_rank *rank), void *user)
{
    thread_ranks all = {.count = count};
    start starts[RANKS_MOST];
    pthread_t threads[RANKS_MOST];
    pthread_barrier_init(&all.barrier, NULL, (unsigned)count);
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.arrived, NULL);
    for (int k = 0; k < count; k++) {
        rv_ranks table = {.user = &starts[k].rank,
                          .rank = k,
                          .count = count,
                          .swap = swap,
                          .gather = gather,
                          .greatest = greatest,
                          .start = begin_swap,
                          .finish = finish_swap};
        starts[k] = (start){.rank = {&all, table, user}, .task = task};
    }
    for (int k = 0; k < count; k++)
        if (pthread_create(&threads[k], NULL, begin, &starts[k]) != 0) abort();
    for (int k = 0; k < count; k++) pthread_join(threads[k], NULL);
    pthread_cond_destroy(&all.arrived);
    pthread_mutex_destroy(&all.lock);
    pthread_barrier_destroy(&all.barrier);
}
