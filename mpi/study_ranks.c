// A study over MPI ranks: the queue of io/study_queue.c with its list on rank 0. The others send
// rank 0 a beat, when a run ended, when a thread has nothing to do, and twice a second in any case;
// each beat has an answer, with a run or without. Nobody waits inside MPI, which would burn a core:
// both sides look for messages every few milliseconds, in the thread that called.
//
// A rank that went away without a word is known by its silence and by the locks of its runs, which
// the system let go of; then they are put back into the queue.
#define _POSIX_C_SOURCE 200809L
#include "io/study_queue.h"
#include "mpi/ranks.h"
#include "rivulet_mpi/study.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BEAT_TAG 1
#define ANSWER_TAG 2
#define BEAT_EVERY 0.5  // s
#define ASK_EVERY 0.2   // s, where there was nothing to do
#define LOST_AFTER 5.0  // s of silence
#define HURRY 0.4       // s of silence, once all is to stop: who starts jobs kills after a second
#define ALONE_AFTER 60. // s without an answer: rank 0 may be at a slow disk
#define NAP 1000000     // ns, between looks when all runs are made
#define OVER (-1)       // instead of a run: there will be no more

// Ranks run the same program, so that both travel as bytes.
typedef struct beat {
    int idle; // threads with nothing to do
    int run;  // that ended; 0: none
    rv_study_state state;
    int leaving;   // the last one
    double far;    // of the runs that this rank is at: 1.5 are one and a half
    char why[416]; // the rest is in the run's folder
} beat;

typedef struct answer {
    int run; // 0: none now
    int stop;
} answer;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

// ---- Rank 0 -------------------------------------------------------------------------------------

typedef struct peer {
    double heard; // s, when its last beat came; 0: none did
    double far;   // runs
    bool over;    // it knows that it gets no more
    bool lost;
} peer;

typedef struct gift {
    int run, rank;
} gift;

typedef struct first {
    MPI_Comm ranks;
    peer *peers; // by rank
    int size;
    gift *gifts; // runs that are away
    int gift_count, gift_room;
    double looked; // s, for ranks that went away
    bool stopping;
    int lost;
} first;

// false: no memory, so that nothing can be given.
static bool has_room(first *f)
{
    if (f->gift_count < f->gift_room) return true;
    int room = f->gift_room > 0 ? 2 * f->gift_room : 64;
    gift *more = realloc(f->gifts, (size_t)room * sizeof *more);
    if (!more) return false;
    f->gifts = more;
    f->gift_room = room;
    return true;
}

// A run that ended is nobody's. A rank that was told to leave has not made it.
static void take_back(first *f, rv_study_queue *queue, const beat *b, int rank)
{
    for (int i = 0; i < f->gift_count; i++) {
        if (f->gifts[i].run != b->run || f->gifts[i].rank != rank) continue;
        bool other = b->state == RV_STUDY_STOPPED && !rv_study_queue_stopping(queue);
        rv_study_queue_ended(queue, b->run, other ? RV_STUDY_TO_DO : b->state, b->why);
        f->gifts[i] = f->gifts[--f->gift_count];
        return;
    }
}

// What a rank that is gone has not made is somebody else's.
static void take_all_back(first *f, rv_study_queue *queue, int rank)
{
    for (int i = f->gift_count - 1; i >= 0; i--) {
        if (f->gifts[i].rank != rank) continue;
        rv_study_queue_ended(queue, f->gifts[i].run, RV_STUDY_TO_DO, NULL);
        f->gifts[i] = f->gifts[--f->gift_count];
    }
    f->peers[rank].far = 0;
}

// `queue` NULL: all is over.
static answer answer_to(first *f, rv_study_queue *queue, const beat *b, int rank)
{
    peer *p = &f->peers[rank];
    if (queue && b->run > 0) take_back(f, queue, b, rank);
    if (!queue || p->lost || p->over || b->leaving) {
        if (queue) take_all_back(f, queue, rank);
        p->over = true;
        return (answer){OVER, 0};
    }
    p->far = b->far;
    answer a = {0, rv_study_queue_stopping(queue)};
    if (b->idle > 0 && has_room(f)) a.run = rv_study_queue_take(queue);
    if (a.run > 0) f->gifts[f->gift_count++] = (gift){a.run, rank};
    return a;
}

static void hear(first *f, rv_study_queue *queue)
{
    int there = 0;
    MPI_Status status;
    while (MPI_Iprobe(MPI_ANY_SOURCE, BEAT_TAG, f->ranks, &there, &status) == MPI_SUCCESS &&
           there) {
        beat b;
        int rank = status.MPI_SOURCE;
        if (MPI_Recv(&b, sizeof b, MPI_BYTE, rank, BEAT_TAG, f->ranks, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS)
            return;
        f->peers[rank].heard = seconds();
        answer a = answer_to(f, queue, &b, rank);
        MPI_Send(&a, sizeof a, MPI_BYTE, rank, ANSWER_TAG, f->ranks);
    }
}

static double patience(const first *f)
{
    return f->stopping ? HURRY : LOST_AFTER;
}

static bool holds_any(const first *f, rv_study_queue *queue, int rank, int *runs)
{
    bool held = false;
    *runs = 0;
    for (int i = 0; i < f->gift_count; i++) {
        if (f->gifts[i].rank != rank) continue;
        ++*runs;
        held = held || rv_study_queue_held(queue, f->gifts[i].run);
    }
    return held;
}

// Those with runs only: of the others nothing is wanted.
static void find_lost(first *f, rv_study_queue *queue)
{
    double now = seconds();
    if (now - f->looked < patience(f) / 10) return;
    f->looked = now;
    for (int rank = 1; rank < f->size; rank++) {
        int runs;
        peer *p = &f->peers[rank];
        if (p->lost || now - p->heard < patience(f) || holds_any(f, queue, rank, &runs) ||
            runs == 0)
            continue;
        p->lost = true;
        f->lost++;
        take_all_back(f, queue, rank);
    }
}

static void meet_all(rv_study_queue *queue, void *user)
{
    first *f = user;
    double far = 0;
    f->stopping = rv_study_queue_stopping(queue);
    hear(f, queue);
    find_lost(f, queue);
    for (int rank = 1; rank < f->size; rank++) far += f->peers[rank].far;
    rv_study_queue_far(queue, far);
}

// Everyone is told that there is no more; who does not ask for it is gone.
static void dismiss(first *f)
{
    double began = seconds();
    for (;;) {
        int left = 0;
        hear(f, NULL);
        for (int rank = 1; rank < f->size; rank++) {
            peer *p = &f->peers[rank];
            if (p->over || p->lost) continue;
            double heard = p->heard > began ? p->heard : began;
            p->lost = seconds() - heard > patience(f);
            f->lost += p->lost;
            left += !p->lost;
        }
        if (left == 0) return;
        nap();
    }
}

static rv_result lead(MPI_Comm ranks, rv_study *study, const rv_study_work *work,
                      rv_study_report *out, int *lost, rv_messages *messages)
{
    first f = {.ranks = ranks, .size = rv_mpi_size(ranks)};
    f.peers = calloc((size_t)f.size, sizeof *f.peers);
    if (rv_mpi_of_first(ranks, f.peers == NULL)) return RV_OUT_OF_MEMORY;
    const rv_study_sharing sharing = {.meet = meet_all, .user = &f};
    rv_result result = rv_study_run_shared(study, work, &sharing, out, messages);
    dismiss(&f);
    *lost = f.lost;
    free(f.gifts);
    free(f.peers);
    return result;
}

// ---- The others ---------------------------------------------------------------------------------

typedef struct ending {
    int run;
    rv_study_state state;
    char why[sizeof((beat *)0)->why];
} ending;

typedef struct member {
    MPI_Comm ranks;
    const rv_study_work *work; // as the host gave it
    ending *endings;           // not yet told
    int ending_count, ending_room;
    double far; // runs
    beat out;
    answer in;
    MPI_Request request;
    bool asked; // an answer is due
    bool heard; // one has come
    bool empty; // a run was asked for, and it had none
    bool over, alone;
    double sent; // s, when the last beat was
} member;

static bool on_progress(double share, int ended, int runs, void *user)
{
    member *m = user;
    double far = share * runs - ended;
    m->far = far > 0 ? far : 0;
    return !m->work->progress || m->work->progress(share, ended, runs, m->work->user);
}

// Without memory for it rank 0 hears of the run when this rank leaves, by its lock.
static void on_ended(int run, rv_study_state state, const char *why, void *user)
{
    member *m = user;
    if (m->ending_count == m->ending_room) {
        int room = m->ending_room > 0 ? 2 * m->ending_room : 16;
        ending *more = realloc(m->endings, (size_t)room * sizeof *more);
        if (!more) return;
        m->endings = more;
        m->ending_room = room;
    }
    ending *e = &m->endings[m->ending_count++];
    *e = (ending){.run = run, .state = state};
    size_t length = strlen(why);
    if (length >= sizeof e->why) length = sizeof e->why - 1;
    memcpy(e->why, why, length);
}

static rv_result on_draw(const rv_study_picture *what, uint8_t *rgba, rv_messages *messages,
                         void *user)
{
    const member *m = user;
    return m->work->draw(what, rgba, messages, m->work->user);
}

static void on_forget(const rv_world *world, void *user)
{
    const member *m = user;
    m->work->forget(world, m->work->user);
}

static void send_beat(member *m, int idle, bool leaving)
{
    m->out = (beat){.idle = idle, .far = m->far};
    if (m->ending_count > 0) {
        const ending *e = &m->endings[0];
        m->out.run = e->run, m->out.state = e->state;
        memcpy(m->out.why, e->why, sizeof e->why);
        memmove(m->endings, m->endings + 1, (size_t)--m->ending_count * sizeof *e);
    }
    m->out.leaving = leaving && m->ending_count == 0;
    m->sent = seconds();
    m->asked = MPI_Irecv(&m->in, sizeof m->in, MPI_BYTE, 0, ANSWER_TAG, m->ranks, &m->request) ==
                   MPI_SUCCESS &&
               MPI_Send(&m->out, sizeof m->out, MPI_BYTE, 0, BEAT_TAG, m->ranks) == MPI_SUCCESS;
    m->alone = !m->asked;
}

// true: an answer has come.
static bool has_answer(member *m)
{
    int done = 0;
    if (!m->asked) return false;
    if (MPI_Test(&m->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) m->alone = true;
    if (!done) {
        m->alone = m->alone || (m->heard && seconds() - m->sent > ALONE_AFTER);
        return false;
    }
    m->asked = false;
    m->heard = true;
    m->over = m->in.run == OVER;
    m->empty = m->in.run == 0 && m->out.idle > 0;
    return true;
}

static void meet_first(rv_study_queue *queue, void *user)
{
    member *m = user;
    if (has_answer(m)) {
        if (m->in.run > 0) rv_study_queue_give(queue, m->in.run);
        if (m->in.stop) rv_study_queue_stop(queue);
    }
    if (m->over || m->alone) rv_study_queue_close(queue);
    if (m->asked || m->over || m->alone) return;
    int idle = rv_study_queue_free(queue);
    double silent = seconds() - m->sent;
    if (m->ending_count > 0 || silent >= BEAT_EVERY ||
        (idle > 0 && (!m->empty || silent >= ASK_EVERY)))
        send_beat(m, idle, false);
}

// The last outcomes, and a word of leaving.
static void leave(member *m)
{
    bool left = false;
    m->far = 0;
    while (!m->over && !m->alone) {
        has_answer(m);
        if (m->asked || m->over || m->alone) {
            nap();
            continue;
        }
        if (left) break;
        send_beat(m, 0, true);
        left = m->out.leaving;
    }
    if (m->asked) {
        MPI_Cancel(&m->request);
        MPI_Request_free(&m->request);
    }
}

static rv_result follow(MPI_Comm ranks, rv_study *study, const rv_study_work *work,
                        rv_study_report *out, int *lost, rv_messages *messages)
{
    member m = {.ranks = ranks, .work = work};
    if (rv_mpi_of_first(ranks, 0)) return RV_OUT_OF_MEMORY;
    rv_study_work mine = *work;
    mine.progress = on_progress, mine.ended = on_ended;
    mine.draw = work->draw ? on_draw : NULL, mine.forget = work->forget ? on_forget : NULL;
    mine.user = &m;
    const rv_study_sharing sharing = {.given = true, .meet = meet_first, .user = &m};
    rv_result result = rv_study_run_shared(study, &mine, &sharing, out, messages);
    leave(&m);
    *lost = m.alone;
    if (m.alone) rv_messages_add(messages, "rank 0 does not answer");
    free(m.endings);
    return m.alone && result == RV_OK ? RV_BAD_DATA : result;
}

rv_result rv_mpi_study_run(MPI_Comm ranks, rv_study *study, const rv_study_work *work,
                           rv_study_report *out, int *lost, rv_messages *messages)
{
    rv_messages unread = {0};
    rv_study_report unasked;
    int missing = 0;
    MPI_Comm own;
    rv_study_work mine = work ? *work : rv_default_study_work();
    if (mine.jobs <= 0) mine.jobs = 1;
    if (!messages) messages = &unread;
    // messages of our own, and errors are ours to see
    if (!study || MPI_Comm_dup(ranks, &own) != MPI_SUCCESS) return RV_BAD_ARGUMENT;
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    rv_result result = rv_mpi_rank(own) == 0
                           ? lead(own, study, &mine, out ? out : &unasked, &missing, messages)
                           : follow(own, study, &mine, out ? out : &unasked, &missing, messages);
    if (missing == 0) MPI_Comm_free(&own); // all of them do it, or none can
    if (lost) *lost = missing;
    return result;
}
