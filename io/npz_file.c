// NumPy's .npz: each array as a .npy, version 1.0: magic, length of the header, the header as a
// Python dictionary padded to a multiple of 64 bytes, the bytes. The same arrays give the same
// file: there is no clock in it.
#define _XOPEN_SOURCE 700
#include "io/npz_file.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

static char byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

bool rv_npz_open(rv_npz *npz, const char *path, rv_messages *messages)
{
    int code = 0;
    *npz = (rv_npz){0};
    if (!rv_atomic_open(&npz->file, path, messages)) return false;
    // libzip writes by name; the atomic file lends it the name of its temporary
    if (npz->file.temporary)
        npz->zip = zip_open(npz->file.temporary, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (npz->zip) return true;
    rv_messages_add(messages, "%s: %s", path,
                    npz->file.temporary ? "cannot be made"
                                        : "an .npz cannot be written to a pipe or device");
    rv_atomic_abandon(&npz->file);
    return false;
}

// The bytes of a .npy; NULL without memory.
static char *make_array(const char *type, const char *shape, const void *data, size_t bytes,
                        size_t *size)
{
    char head[128];
    int used = snprintf(head + 10, sizeof head - 10,
                        "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", byte_order(),
                        type, shape);
    if (used < 0 || used > (int)sizeof head - 11) return NULL;
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10); // 118 = 128 - 10
    memset(head + 10 + used, ' ', sizeof head - 11 - (size_t)used);
    head[sizeof head - 1] = '\n';
    char *buffer = malloc(sizeof head + bytes);
    if (!buffer) return NULL;
    memcpy(buffer, head, sizeof head);
    if (bytes > 0) memcpy(buffer + sizeof head, data, bytes);
    *size = sizeof head + bytes;
    return buffer;
}

void rv_npz_add(rv_npz *npz, const char *name, const char *type, const char *shape,
                const void *data, size_t bytes)
{
    char file[256];
    size_t size;
    if (npz->failed) return;
    npz->failed = true;
    char *buffer = make_array(type, shape, data, bytes, &size);
    if (!buffer) return;
    zip_source_t *source = zip_source_buffer(npz->zip, buffer, size, 1);
    if (!source) {
        free(buffer);
        return;
    }
    snprintf(file, sizeof file, "%.240s.npy", name);
    zip_int64_t index = zip_file_add(npz->zip, file, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return;
    }
    // dry columns are many and compress to nothing
    npz->failed = zip_set_file_compression(npz->zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 1) != 0 ||
                  zip_file_set_dostime(npz->zip, (zip_uint64_t)index, 0, 0x21, 0) != 0;
}

bool rv_npz_commit(rv_npz *npz, rv_messages *messages)
{
    bool good = !npz->failed && zip_close(npz->zip) == 0;
    if (!good) {
        rv_messages_add(messages, "%s: %s", npz->file.path,
                        npz->failed ? "an array cannot be added" : zip_strerror(npz->zip));
        zip_discard(npz->zip);
        rv_atomic_abandon(&npz->file);
        return false;
    }
    // libzip put a new file in place of the one that is open: open that one, for its bytes to be
    // flushed
    npz->file.stream = freopen(npz->file.temporary, "r+b", npz->file.stream);
    if (npz->file.stream) return rv_atomic_commit(&npz->file, messages);
    rv_messages_add(messages, "%s: cannot be made", npz->file.path);
    rv_atomic_abandon(&npz->file);
    return false;
}
