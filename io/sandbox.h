// What a process that reads strangers' files may ask the system for: see sandbox.c.
#ifndef IO_SANDBOX_H
#define IO_SANDBOX_H

#include <stdbool.h>

// From now on this process has no files but those that are open (`may_read`: and others to read),
// starts nothing and reaches no network; all of that fails with EPERM. false: the kernel or the
// machine has no such thing, and nothing has changed. There is no way back.
bool rv_sandbox_enter(bool may_read);

#endif
