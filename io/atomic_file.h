// Output files that appear whole or not at all: written beside their place, moved there when
// complete.
#ifndef IO_ATOMIC_FILE_H
#define IO_ATOMIC_FILE_H

#include "rivulet/base.h"

#include <stdio.h>

typedef struct rv_atomic_file {
    FILE *stream;    // where to write
    char *path;      // the file to be
    char *temporary; // beside it; NULL for a device or pipe, which is written directly
} rv_atomic_file;

// false: a message "PATH: why", and nothing to close.
bool rv_atomic_open(rv_atomic_file *file, const char *path, rv_messages *messages);
// Flushes to the disk and moves the file to its place. false: a message, and no file was left or
// changed.
bool rv_atomic_commit(rv_atomic_file *file, rv_messages *messages);
// Removes what runs that were killed left beside a file that they were writing, and tells of each.
// What another process is writing stays.
void rv_atomic_clear(const char *path, rv_messages *told);
// Throws away what was written. Safe on a zeroed or closed file.
void rv_atomic_abandon(rv_atomic_file *file);

// Tells before any work whether a file can be written: its extension is one of "npz|csv" (NULL:
// any), and a file can be made beside where it is to be, so its folder is there, may be written to,
// and its name is none that the system refuses. `option` starts the message: "--state".
bool rv_output_check(const char *option, const char *path, const char *extensions,
                     rv_messages *messages);
// Likewise, for what cannot be written to a pipe or device.
bool rv_output_regular(const char *option, const char *path, rv_messages *messages);

// The one name of a file, whether there is one or not: its folder's own, and where links lead. To
// be freed; NULL: there is no such folder, or no memory.
char *rv_output_place(const char *path);

#endif
