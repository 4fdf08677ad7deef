// Ctrl-C and SIGTERM: what runs long ends well, and what was asked for is still written.
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <signal.h>

// Catches both from now on. Points to the signal that came, 0 until then.
const volatile sig_atomic_t *rv_signals_catch(void);

#endif
