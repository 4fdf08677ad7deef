// NumPy's .npz: a zip of named arrays, whole or not there.
//
//     rv_npz npz;
//     if (rv_npz_open(&npz, path, messages))
//         rv_npz_add(&npz, "x", "f8", "3,", x, sizeof x), rv_npz_commit(&npz, messages);
#ifndef IO_NPZ_FILE_H
#define IO_NPZ_FILE_H

#include "io/atomic_file.h"

typedef struct rv_npz {
    rv_atomic_file file;
    struct zip *zip;
    bool failed; // adding did; nothing more is added, and nothing is left
} rv_npz;

bool rv_npz_open(rv_npz *npz, const char *path, rv_messages *messages);
// `type` as in NumPy without the byte order, which is this machine's: "f8", "i4", "U12" (four bytes
// a letter). `shape` as in Python: "7,", "3, 4"; of a scalar "". The data is copied.
void rv_npz_add(rv_npz *npz, const char *name, const char *type, const char *shape,
                const void *data, size_t bytes);
// false: a message, and no file was left or changed.
bool rv_npz_commit(rv_npz *npz, rv_messages *messages);

#endif
