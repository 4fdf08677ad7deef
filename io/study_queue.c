// The runs of a study on all cores: threads that take one run after another from a list. The thread
// that called waits, tells how far they are, and lets them stop.
#define _POSIX_C_SOURCE 200809L
#include "io/study_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOLD_EVERY 50000000 // ns between two looks at the threads
#define OTHERS_TOLD 3       // folders of other settings that are named

// How a run of the list ended.
typedef struct outcome {
    rv_study_state state;
    char *why; // NULL: nothing to say
    _Atomic int thousandth;
} outcome;

typedef struct queue {
    const rv_study *study;
    const rv_study_work *work;
    const char *folder;
    int *runs; // to make
    outcome *outcomes;
    int count;
    _Atomic int next;
    _Atomic bool stop;
    pthread_mutex_t lock; // of the three below
    pthread_cond_t changed;
    int *ended; // places in the list, as they ended
    int ended_count;
    int working; // threads
} queue;

rv_study_work rv_default_study_work(void)
{
    return (rv_study_work){.threads = 1};
}

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

// ---- The threads --------------------------------------------------------------------------------

static rv_study_state make(queue *q, int place, rv_messages *messages)
{
    int run = q->runs[place];
    char path[RV_STUDY_PATH];
    bool warned;
    rv_study_watch watch = {q->work, q->folder, &q->stop, &q->outcomes[place].thousandth};
    if (!rv_study_path(q->folder, run, NULL, path)) {
        rv_messages_add(messages, "%s: the folder's name is too long", q->folder);
        return RV_STUDY_FAILED;
    }
    if (!rv_study_make_folder(path, messages)) return RV_STUDY_FAILED;
    int lock = rv_study_lock(q->folder, run, messages);
    if (lock < 0) return messages->count > 0 ? RV_STUDY_FAILED : RV_STUDY_ELSEWHERE;
    rv_study_state state = rv_study_look(q->study, q->work, run);
    // another process may have made it since the list was
    if (state != RV_STUDY_DONE && state != RV_STUDY_NOT_FINITE)
        state = rv_study_make_run(q->study, run, &watch, &warned, messages);
    rv_study_unlock(q->folder, run, lock);
    return state;
}

static void *work(void *user)
{
    queue *q = user;
    for (int place; !atomic_load(&q->stop) && (place = atomic_fetch_add(&q->next, 1)) < q->count;) {
        rv_messages messages = {0};
        rv_study_state state = make(q, place, &messages);
        pthread_mutex_lock(&q->lock);
        q->outcomes[place].state = state;
        q->outcomes[place].why = messages.count > 0 ? copy_text(messages.text) : NULL;
        atomic_store(&q->outcomes[place].thousandth, 1000);
        q->ended[q->ended_count++] = place;
        pthread_cond_signal(&q->changed);
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_lock(&q->lock);
    q->working--;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

// ---- The caller ---------------------------------------------------------------------------------

static double share_of(queue *q)
{
    int64_t all = 0;
    for (int i = 0; i < q->count; i++) all += atomic_load(&q->outcomes[i].thousandth);
    return q->count > 0 ? (double)all / (1000.0 * q->count) : 1;
}

// Tells what ended since it was last called; the lock is the caller's.
static void tell(queue *q, int *told)
{
    while (*told < q->ended_count) {
        int place = q->ended[(*told)++];
        const outcome *o = &q->outcomes[place];
        pthread_mutex_unlock(&q->lock);
        if (q->work->ended)
            q->work->ended(q->runs[place], o->state, o->why ? o->why : "", q->work->user);
        pthread_mutex_lock(&q->lock);
    }
}

static void wait_for_all(queue *q)
{
    int told = 0;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        tell(q, &told);
        if (q->working == 0) break;
        pthread_mutex_unlock(&q->lock);
        if (q->work->progress && !q->work->progress(share_of(q), told, q->count, q->work->user))
            atomic_store(&q->stop, true);
        pthread_mutex_lock(&q->lock);
        if (q->working == 0 || told < q->ended_count) continue;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TOLD_EVERY;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&q->changed, &q->lock, &until);
    }
    pthread_mutex_unlock(&q->lock);
}

static bool run_all(queue *q)
{
    int jobs = q->work->jobs > 0 ? q->work->jobs : rv_hardware_threads();
    if (jobs > q->count) jobs = q->count;
    pthread_t *threads = calloc((size_t)(jobs > 0 ? jobs : 1), sizeof *threads);
    if (!threads) return false;
    int started = 0;
    pthread_mutex_lock(&q->lock);
    while (started < jobs && pthread_create(&threads[started], NULL, work, q) == 0) started++;
    q->working = started;
    pthread_mutex_unlock(&q->lock);
    if (started > 0) wait_for_all(q);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
    return started > 0 || q->count == 0;
}

// The runs that are not finished. false: a folder holds other runs, or there is no memory.
static bool list_runs(queue *q, int first, int last, rv_messages *messages)
{
    int others = 0;
    q->runs = calloc((size_t)(last - first + 1), sizeof *q->runs);
    if (!q->runs) {
        rv_messages_add(messages, "%s: not enough memory", q->study->path);
        return false;
    }
    for (int run = first; run <= last; run++) {
        rv_study_state state = rv_study_look(q->study, q->work, run);
        if (state == RV_STUDY_DONE || state == RV_STUDY_NOT_FINITE) continue;
        if (state == RV_STUDY_OTHER && !q->work->again && others++ < OTHERS_TOLD)
            rv_messages_add(messages,
                            "%s/%04d: holds a run of another scene or other settings; name another "
                            "folder, or make those runs anew (--again)",
                            q->folder, run);
        q->runs[q->count++] = run;
    }
    if (others > OTHERS_TOLD) messages->count += others - OTHERS_TOLD;
    return others == 0;
}

static bool range_of(const rv_study *s, const rv_study_work *w, int *first, int *last,
                     rv_messages *messages)
{
    *first = w->first > 0 ? w->first : 1;
    *last = w->last > 0 ? w->last : w->first > 0 ? w->first : s->runs;
    if (w->first >= 0 && w->last >= 0 && *first <= *last && *last <= s->runs) return true;
    rv_messages_add(messages, "%s: no runs %d to %d: there are runs 1 to %d", s->path, *first,
                    *last, s->runs);
    return false;
}

static bool make_runs(queue *q, rv_messages *messages)
{
    q->outcomes = calloc((size_t)q->count + 1, sizeof *q->outcomes);
    q->ended = calloc((size_t)q->count + 1, sizeof *q->ended);
    bool good = q->outcomes && q->ended && pthread_mutex_init(&q->lock, NULL) == 0;
    if (good && pthread_cond_init(&q->changed, NULL) != 0) {
        pthread_mutex_destroy(&q->lock);
        good = false;
    }
    if (good) {
        good = run_all(q);
        pthread_cond_destroy(&q->changed);
        pthread_mutex_destroy(&q->lock);
    }
    if (!good) rv_messages_add(messages, "%s: not enough memory or threads", q->study->path);
    return good;
}

static void count_made(const queue *q, rv_study_report *out)
{
    int failed = 0;
    for (int i = 0; i < q->ended_count; i++) {
        rv_study_state state = q->outcomes[q->ended[i]].state;
        out->made += state == RV_STUDY_DONE;
        out->elsewhere += state == RV_STUDY_ELSEWHERE;
        failed += state == RV_STUDY_FAILED;
    }
    // where even the folder could not be made, the disk does not tell
    if (failed > out->failed) out->failed = failed;
    // what another process is at has begun, and has no end yet
    int theirs = out->elsewhere < out->stopped ? out->elsewhere : out->stopped;
    out->stopped -= theirs;
}

rv_result rv_study_run(rv_study *study, const rv_study_work *work_given, rv_study_report *out,
                       rv_messages *messages)
{
    rv_messages unread = {0};
    rv_study_report unasked;
    rv_study_work usual = rv_default_study_work();
    if (!messages) messages = &unread;
    if (!out) out = &unasked;
    if (!study) return RV_BAD_ARGUMENT;
    queue q = {.study = study, .work = work_given ? work_given : &usual};
    q.folder = rv_study_folder(study, q.work);
    *out = (rv_study_report){.runs = study->runs};
    int first, last;
    if (!range_of(study, q.work, &first, &last, messages)) return RV_BAD_ARGUMENT;
    if (study->keep.picture && !q.work->draw) {
        rv_messages_add(messages, "%s: keep.picture: nothing is there to draw with", study->path);
        return RV_BAD_ARGUMENT;
    }
    bool good = rv_study_make_folder(q.folder, messages);
    bool listed = good && list_runs(&q, first, last, messages);
    if (listed) good = make_runs(&q, messages);
    if (listed && good) {
        rv_study_count(study, q.work, out);
        count_made(&q, out);
    }
    for (int i = 0; q.outcomes && i < q.count; i++) free(q.outcomes[i].why);
    free(q.outcomes);
    free(q.ended);
    free(q.runs);
    return !listed ? RV_BAD_ARGUMENT : good ? RV_OK : RV_OUT_OF_MEMORY;
}
