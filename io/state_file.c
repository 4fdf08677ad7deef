// The state of a world as a file for other programs. Both formats come from the same arrays, so
// they cannot differ: .npz is a zip of .npy arrays, .csv has digits enough to give each float back
// exactly.
#define _XOPEN_SOURCE 700
#include "io/state_file.h"

#include "io/atomic_file.h"
#include "io/state_table.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

static bool write_csv(const char *path, const rv_state_table *t, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    for (int k = 0; k < t->columns; k++)
        fprintf(file.stream, "%s%c", t->column[k].name, k + 1 < t->columns ? ',' : '\n');
    for (size_t i = 0; i < t->count; i++) {
        for (int k = 0; k < t->columns; k++) {
            const rv_state_column *c = &t->column[k];
            char end = k + 1 < t->columns ? ',' : '\n';
            if (c->whole)
                fprintf(file.stream, "%d%c", (int)c->whole[i], end);
            else
                fprintf(file.stream, "%.9g%c", (double)c->real[i], end);
        }
    }
    return rv_atomic_commit(&file, messages);
}

static char byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

// One array in NumPy's .npy format, version 1.0: magic, length of the header, the header as a
// Python dictionary padded to a multiple of 64 bytes, the bytes. `shape` as in Python: "7,", "3,4";
// of a scalar "".
static bool add_array(zip_t *zip, const char *name, const char *type, const char *shape,
                      const void *data, size_t bytes)
{
    char head[128], file[40];
    int used = snprintf(head + 10, sizeof head - 10,
                        "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", byte_order(),
                        type, shape);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10); // 118 = 128 - 10
    memset(head + 10 + used, ' ', sizeof head - 11 - (size_t)used);
    head[sizeof head - 1] = '\n';

    char *buffer = malloc(sizeof head + bytes);
    if (!buffer) return false;
    memcpy(buffer, head, sizeof head);
    memcpy(buffer + sizeof head, data, bytes);
    zip_source_t *source = zip_source_buffer(zip, buffer, sizeof head + bytes, 1);
    if (!source) {
        free(buffer);
        return false;
    }
    snprintf(file, sizeof file, "%s.npy", name);
    zip_int64_t index = zip_file_add(zip, file, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    // The same state gives the same file: no clock in it. Dry columns are many and compress to
    // nothing.
    return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 1) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)index, 0, 0x21, 0) == 0;
}

static bool add_map(zip_t *zip, const rv_state_map *m)
{
    char shape[48];
    size_t bytes = (size_t)m->nx * (size_t)m->ny * sizeof *m->value;
    if (m->nz > 0)
        snprintf(shape, sizeof shape, "%d, %d, %d", m->nz, m->ny, m->nx), bytes *= (size_t)m->nz;
    else
        snprintf(shape, sizeof shape, "%d, %d", m->ny, m->nx);
    return add_array(zip, m->name, "f4", shape, m->value, bytes);
}

static bool add_all(zip_t *zip, const rv_state_table *t)
{
    bool good = true;
    char shape[32];
    snprintf(shape, sizeof shape, "%zu,", t->count);
    for (int i = 0; i < t->columns && good; i++) {
        const rv_state_column *c = &t->column[i];
        if (c->whole)
            good = add_array(zip, c->name, "i4", shape, c->whole, t->count * sizeof *c->whole);
        else
            good = add_array(zip, c->name, "f4", shape, c->real, t->count * sizeof *c->real);
    }
    for (int i = 0; i < t->maps && good; i++) good = add_map(zip, &t->map[i]);
    for (int i = 0; i < t->scalars && good; i++)
        good = add_array(zip, t->scalar[i].name, "f8", "", &t->scalar[i].value, sizeof(double));
    return good;
}

// libzip writes by name; the atomic file lends it the name of its temporary.
static bool write_npz(const char *path, const rv_state_table *t, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    if (!file.temporary) {
        rv_messages_add(messages, "%s: an .npz cannot be written to a pipe or device", path);
        rv_atomic_abandon(&file);
        return false;
    }
    int code = 0;
    zip_t *zip = zip_open(file.temporary, ZIP_CREATE | ZIP_TRUNCATE, &code);
    bool good = zip && add_all(zip, t);
    if (good && zip_close(zip) != 0)
        good = false;
    else if (good)
        zip = NULL;
    if (!good) {
        rv_messages_add(messages, "%s: %s", path, zip ? zip_strerror(zip) : "cannot be made");
        if (zip) zip_discard(zip);
        rv_atomic_abandon(&file);
        return false;
    }
    // libzip put a new file in place of the one that is open: open that one, for its bytes to be
    // flushed.
    file.stream = freopen(file.temporary, "r+b", file.stream);
    if (!file.stream) {
        rv_messages_add(messages, "%s: cannot be made", path);
        rv_atomic_abandon(&file);
        return false;
    }
    return rv_atomic_commit(&file, messages);
}

static bool is_npz(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".npz") == 0;
}

bool rv_state_write_check(const char *option, const char *path, rv_messages *messages)
{
    return rv_output_check(option, path, RV_STATE_EXTENSIONS, messages) &&
           (!is_npz(path) || rv_output_regular(option, path, messages));
}

bool rv_state_write(const char *path, const rv_world *world, rv_messages *messages)
{
    rv_state_table table;
    rv_result result = rv_state_gather(world, &table);
    bool good = result == RV_OK;
    if (!good) rv_messages_add(messages, "%s: %s", path, rv_result_text(result));
    if (good)
        good = is_npz(path) ? write_npz(path, &table, messages) : write_csv(path, &table, messages);
    rv_state_table_free(&table);
    return good;
}
