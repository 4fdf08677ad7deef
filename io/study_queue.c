// The runs of a study on all cores: threads that take one run after another from a list. The thread
// that called waits, tells how far they are, and lets them stop. Processes may share one list: the
// one that has it gives runs away, as to threads of its own that are elsewhere.
#define _POSIX_C_SOURCE 200809L
#include "io/study_queue.h"
#include "io/study_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOLD_EVERY 50000000 // ns between two looks at the threads
#define MET_EVERY 2000000   // ns, where other processes may have something to say
#define OTHERS_TOLD 3       // folders of other settings that are named

// How a run of the list ended.
typedef struct outcome {
    rv_study_state state;
    char *why; // NULL: nothing to say
    bool away; // another process makes it
    _Atomic int thousandth;
} outcome;

struct rv_study_queue {
    const rv_study *study;
    const rv_study_work *work;
    const rv_study_sharing *sharing; // NULL: all by ourselves
    const char *folder;
    int *runs; // to make, from low to high unless they are given
    outcome *outcomes;
    int room;        // for runs
    int64_t told_at; // ns, when progress was last told
    _Atomic bool stop;
    pthread_mutex_t lock;   // of all below
    pthread_cond_t changed; // for the caller
    pthread_cond_t more;    // for threads that wait for a run
    int count, next;        // of runs
    int *back;              // places in the list that were taken and not made
    int back_count;
    int away;    // runs that other processes make
    double far;  // how much of them is done, in runs
    bool closed; // none will be given any more
    int waiting; // threads with nothing to do
    int *ended;  // places in the list, as they ended
    int ended_count;
    int working; // threads
};

typedef rv_study_queue queue;

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

// The place of a run that nobody has; −1: there is none now. The lock is the caller's.
static int take_place(queue *q)
{
    if (q->back_count > 0) return q->back[--q->back_count];
    return q->next < q->count ? q->next++ : -1;
}

// Whether another process may still bring a run. The lock is the caller's.
static bool may_come(const queue *q)
{
    return q->sharing && (q->sharing->given ? !q->closed : q->away > 0);
}

// What a thread makes next, once it is there; −1: nothing any more.
static int wait_for_place(queue *q)
{
    int place = -1;
    pthread_mutex_lock(&q->lock);
    while (!atomic_load(&q->stop) && (place = take_place(q)) < 0 && may_come(q)) {
        q->waiting++;
        pthread_cond_signal(&q->changed);
        pthread_cond_wait(&q->more, &q->lock);
        q->waiting--;
    }
    pthread_mutex_unlock(&q->lock);
    return place;
}

// The lock is the caller's.
static void end_place(queue *q, int place, rv_study_state state, const char *why)
{
    outcome *o = &q->outcomes[place];
    o->state = state;
    free(o->why);
    o->why = why && *why ? copy_text(why) : NULL;
    atomic_store(&o->thousandth, 1000);
    q->ended[q->ended_count++] = place;
    pthread_cond_signal(&q->changed);
}

static void *work(void *user)
{
    queue *q = user;
    for (int place; (place = wait_for_place(q)) >= 0;) {
        rv_messages messages = {0};
        rv_study_state state = make(q, place, &messages);
        pthread_mutex_lock(&q->lock);
        end_place(q, place, state, messages.count > 0 ? messages.text : NULL);
        pthread_mutex_unlock(&q->lock);
    }
    pthread_mutex_lock(&q->lock);
    q->working--;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

// ---- The caller ---------------------------------------------------------------------------------

// Only this thread changes the count.
static double share_of(queue *q)
{
    int64_t all = 0;
    for (int i = 0; i < q->count; i++) all += atomic_load(&q->outcomes[i].thousandth);
    double share = q->count > 0 ? ((double)all / 1000 + q->far) / q->count : 1;
    return share < 1 ? share : 1; // what is away may be told later than its end
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

static void nap(queue *q)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += q->sharing ? MET_EVERY : TOLD_EVERY;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&q->changed, &q->lock, &until);
}

// Of the list's length, so not each time that other processes are met.
static void tell_progress(queue *q, int told)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (!q->work->progress || (q->sharing && ns - q->told_at < TOLD_EVERY)) return;
    q->told_at = ns;
    if (!q->work->progress(share_of(q), told, q->count, q->work->user)) rv_study_queue_stop(q);
}

static void wait_for_all(queue *q)
{
    int told = 0;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        tell(q, &told);
        if (q->working == 0 && q->away == 0) break;
        pthread_mutex_unlock(&q->lock);
        tell_progress(q, told);
        if (q->sharing) q->sharing->meet(q, q->sharing->user);
        pthread_mutex_lock(&q->lock);
        if (q->working + q->away > 0 && told == q->ended_count) nap(q);
    }
    pthread_mutex_unlock(&q->lock);
}

static bool run_all(queue *q)
{
    int jobs = q->work->jobs > 0 ? q->work->jobs : rv_hardware_threads();
    if (jobs > q->room) jobs = q->room;
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
    return started > 0 || q->room == 0;
}

// The runs that are not finished. false: a folder holds other runs, or there is no memory.
static bool list_runs(queue *q, int first, int last, rv_messages *messages)
{
    int others = 0;
    q->room = last - first + 1;
    q->runs = calloc((size_t)q->room, sizeof *q->runs);
    if (!q->runs) {
        rv_messages_add(messages, "%s: not enough memory", q->study->path);
        return false;
    }
    if (q->sharing && q->sharing->given) return true;
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
    q->room = q->count;
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
    size_t room = (size_t)q->room + 1;
    q->outcomes = calloc(room, sizeof *q->outcomes);
    q->ended = calloc(room, sizeof *q->ended);
    q->back = calloc(room, sizeof *q->back);
    bool good = q->outcomes && q->ended && q->back;
    bool lock = good && pthread_mutex_init(&q->lock, NULL) == 0;
    bool changed = lock && pthread_cond_init(&q->changed, NULL) == 0;
    bool more = changed && pthread_cond_init(&q->more, NULL) == 0;
    good = more && run_all(q);
    if (more) pthread_cond_destroy(&q->more);
    if (changed) pthread_cond_destroy(&q->changed);
    if (lock) pthread_mutex_destroy(&q->lock);
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

rv_result rv_study_run(rv_study *study, const rv_study_work *work, rv_study_report *out,
                       rv_messages *messages)
{
    return rv_study_run_shared(study, work, NULL, out, messages);
}

rv_result rv_study_run_shared(rv_study *study, const rv_study_work *work_given,
                              const rv_study_sharing *sharing, rv_study_report *out,
                              rv_messages *messages)
{
    rv_messages unread = {0};
    rv_study_report unasked;
    rv_study_work usual = rv_default_study_work();
    if (!messages) messages = &unread;
    if (!out) out = &unasked;
    if (!study) return RV_BAD_ARGUMENT;
    queue q = {.study = study, .work = work_given ? work_given : &usual, .sharing = sharing};
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
        if (!sharing || !sharing->given) rv_study_count(study, q.work, out);
        count_made(&q, out);
    }
    for (int i = 0; q.outcomes && i < q.count; i++) free(q.outcomes[i].why);
    free(q.outcomes);
    free(q.ended);
    free(q.back);
    free(q.runs);
    return !listed ? RV_BAD_ARGUMENT : good ? RV_OK : RV_OUT_OF_MEMORY;
}

// ---- Sharing ------------------------------------------------------------------------------------

int rv_study_queue_take(queue *q)
{
    pthread_mutex_lock(&q->lock);
    int place = atomic_load(&q->stop) ? -1 : take_place(q);
    if (place >= 0) q->outcomes[place].away = true, q->away++;
    pthread_mutex_unlock(&q->lock);
    return place >= 0 ? q->runs[place] : 0;
}

static int compare_runs(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void rv_study_queue_ended(queue *q, int run, rv_study_state state, const char *why)
{
    const int *found = bsearch(&run, q->runs, (size_t)q->count, sizeof *q->runs, compare_runs);
    if (!found || !q->outcomes[found - q->runs].away) return;
    int place = (int)(found - q->runs);
    pthread_mutex_lock(&q->lock);
    q->outcomes[place].away = false;
    q->away--;
    if (state == RV_STUDY_TO_DO)
        q->back[q->back_count++] = place;
    else
        end_place(q, place, state, why);
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
}

void rv_study_queue_far(queue *q, double runs)
{
    q->far = runs;
}

bool rv_study_queue_held(queue *q, int run)
{
    return rv_study_locked(q->folder, run);
}

int rv_study_queue_free(queue *q)
{
    pthread_mutex_lock(&q->lock);
    int idle = q->waiting - (q->count - q->next);
    pthread_mutex_unlock(&q->lock);
    return idle > 0 ? idle : 0;
}

void rv_study_queue_give(queue *q, int run)
{
    pthread_mutex_lock(&q->lock);
    if (q->count < q->room) q->runs[q->count++] = run;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
}

void rv_study_queue_close(queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
}

void rv_study_queue_stop(queue *q)
{
    pthread_mutex_lock(&q->lock);
    atomic_store(&q->stop, true);
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
}

bool rv_study_queue_stopping(queue *q)
{
    return atomic_load(&q->stop);
}
