// Signals that ask for an end. Each is caught once: a second Ctrl-C ends the program at once, as it
// would without us.
#define _POSIX_C_SOURCE 200809L
#include "app/signals.h"

#include <stddef.h>

// A handler has no other way to tell.
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

const volatile sig_atomic_t *rv_signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    // A reader that goes away, or a file as large as files may be, is an error of that output.
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    return &stop_signal;
}
