// A rank that dies while others wait for it. MPI leaves them waiting, in a call that does not
// return, until whoever started the job ends them: first by SIGTERM, a second later by SIGKILL. In
// that second this tells what is known: which rank of this machine is gone, in which frame, and
// which snapshot is whole. The lowest rank of a machine that lives tells it.
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "mpi/run_lost.h"

#include "mpi/program.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define GRACE_US 300000 // a run that is asked to end and can is past its frame by then, mostly

// A handler has no other way to know. Text is made outside of it, in one of two places.
static struct {
    int rank, ranks;
    pid_t *process; // by rank; 0: on another machine
    char where[2][160], saved[2][600];
    volatile sig_atomic_t where_at, saved_at;
    struct sigaction before; // what SIGTERM did
} lost;

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void say_whole(int number)
{
    char digits[12], *at = digits + sizeof digits - 1;
    *at = 0;
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    say(at);
}

static int is_gone(int rank)
{
    return lost.process[rank] > 0 && kill(lost.process[rank], 0) != 0 && errno == ESRCH;
}

// Still in the same call: somebody does not answer.
static void tell(int number)
{
    int kept = errno, first = -1, count = 0;
    (void)number;
    for (int k = 0; k < lost.rank; k++)
        if (lost.process[k] > 0 && !is_gone(k)) return; // that one tells
    for (int k = 0; k < lost.ranks; k++)
        if (is_gone(k) && count++ == 0) first = k;
    say(RV_MPI_PROGRAM ": ");
    if (count == 0) {
        say("ended from outside, or a rank of another machine is gone");
    } else {
        say("rank "), say_whole(first);
        say(count > 1 ? " and others are gone" : " is gone");
    }
    say(lost.where[lost.where_at]);
    say(lost.saved[lost.saved_at]);
    say("\n");
    errno = kept;
}

static void on_end(int number)
{
    struct itimerval soon = {.it_value = {0, GRACE_US}};
    setitimer(ITIMER_REAL, &soon, NULL);
    if (lost.before.sa_handler != SIG_DFL && lost.before.sa_handler != SIG_IGN)
        lost.before.sa_handler(number);
}

void rv_lost_watch(int rank, int ranks)
{
    struct {
        char machine[64];
        pid_t process;
    } own, *all = calloc((size_t)ranks, sizeof own);
    memset(&own, 0, sizeof own);
    gethostname(own.machine, sizeof own.machine - 1);
    own.process = getpid();
    lost.process = calloc((size_t)ranks, sizeof *lost.process);
    if (!all || !lost.process) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int k = 0; k < ranks; k++)
        if (strcmp(all[k].machine, own.machine) == 0) lost.process[k] = all[k].process;
    free(all);
    lost.rank = rank, lost.ranks = ranks;
    struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, &lost.before);
    action.sa_handler = tell;
    sigaction(SIGALRM, &action, NULL);
}

void rv_lost_note(int64_t frames, double time)
{
    int next = !lost.where_at;
    snprintf(lost.where[next], sizeof lost.where[next], ", after %" PRId64 " frames, at %g s",
             frames, time);
    lost.where_at = next;
}

void rv_lost_saved(const char *path, double time)
{
    int next = !lost.saved_at;
    snprintf(lost.saved[next], sizeof lost.saved[next], "; %.500s is whole, of %g s", path, time);
    lost.saved_at = next;
}

void rv_lost_end(void)
{
    signal(SIGALRM, SIG_IGN);
    sigaction(SIGTERM, &lost.before, NULL); // what is asked to end now still writes its files
    free(lost.process);
    lost.process = NULL;
}
