// Files as bytes. Sizes are known before memory is taken, and nothing but regular files is opened:
// a pipe would block and a device has no end.
#define _POSIX_C_SOURCE 200809L
#include "io/file_bytes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

// deflate's best: 258 bytes from two bits
#define GZIP_GROWTH_MAX 1032u
#define SKIP_BYTES 16384

static bool fail(rv_messages *messages, const char *path, const char *why)
{
    rv_messages_add(messages, "%s: %s", path, why);
    return false;
}

// Bytes that are there; fewer than `size` when the file shrank meanwhile or cannot be read.
static size_t read_all(int file, unsigned char *data, size_t size)
{
    size_t have = 0;
    while (have < size) {
        ssize_t got = read(file, data + have, size - have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        have += (size_t)got;
    }
    return have;
}

static bool read_open(int file, const char *path, size_t most, rv_file_bytes *out,
                      rv_messages *messages)
{
    struct stat about;
    if (fstat(file, &about) != 0) return fail(messages, path, strerror(errno));
    if (S_ISDIR(about.st_mode)) return fail(messages, path, "is a folder");
    if (!S_ISREG(about.st_mode)) return fail(messages, path, "is not a regular file");
    if ((uint64_t)about.st_size > most || (uint64_t)about.st_size >= SIZE_MAX) {
        rv_messages_add(messages, "%s: larger than %zu MiB", path, most >> 20);
        return false;
    }
    size_t size = (size_t)about.st_size;
    out->data = malloc(size + 1);
    if (!out->data) return fail(messages, path, "not enough memory");
    out->size = read_all(file, out->data, size);
    out->data[out->size] = 0;
    if (out->size == size) return true;
    rv_file_bytes_free(out);
    return fail(messages, path, "cannot be read");
}

bool rv_file_read(const char *path, size_t most, rv_file_bytes *out, rv_messages *messages)
{
    *out = (rv_file_bytes){0};
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // O_NONBLOCK: a pipe must not block
    if (file < 0) return fail(messages, path, errno == ENOENT ? "no such file" : strerror(errno));
    bool good = read_open(file, path, most, out, messages);
    close(file);
    return good;
}

bool rv_file_copy(const void *data, size_t size, const char *name, rv_file_bytes *out,
                  rv_messages *messages)
{
    *out = (rv_file_bytes){0};
    if (size < SIZE_MAX) out->data = malloc(size + 1);
    if (!out->data) return fail(messages, name, "not enough memory");
    if (size) memcpy(out->data, data, size);
    out->data[size] = 0;
    out->size = size;
    return true;
}

void rv_file_bytes_free(rv_file_bytes *bytes)
{
    free(bytes->data);
    *bytes = (rv_file_bytes){0};
}

bool rv_file_refuse(const char *name, char *why, rv_messages *messages)
{
    for (char *c = why; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
    return fail(messages, name, why);
}

// ---- Names --------------------------------------------------------------------------------------

void rv_file_extension(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    out[0] = '\0';
    if (!dot || dot == name) return;
    if (dot - name > 4 && strcmp(dot, ".gz") == 0 && memcmp(dot - 4, ".nii", 4) == 0) dot -= 4;
    if (strlen(dot + 1) >= size) return;
    size_t i = 0;
    for (; dot[1 + i]; i++) out[i] = (char)tolower((unsigned char)dot[1 + i]);
    out[i] = '\0';
}

// Is it a relative path that never leaves its folder?
static bool stays_below(const char *name)
{
    if (!name[0] || name[0] == '/' || strchr(name, '\\') || strchr(name, ':')) return false;
    for (const char *part = name; part;) {
        const char *slash = strchr(part, '/');
        size_t length = slash ? (size_t)(slash - part) : strlen(part);
        if (length == 2 && part[0] == '.' && part[1] == '.') return false;
        part = slash ? slash + 1 : NULL;
    }
    return true;
}

char *rv_file_beside(const char *path, const char *name)
{
    if (!stays_below(name)) return NULL;
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, length = strlen(name);
    char *whole = malloc(folder + length + 1);
    if (!whole) return NULL;
    memcpy(whole, path, folder);
    memcpy(whole + folder, name, length + 1);
    return whole;
}

bool rv_file_size(const char *path, uint64_t *size)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    *size = (uint64_t)about.st_size;
    return true;
}

// ---- Bytes in order -----------------------------------------------------------------------------

struct rv_byte_source {
    const unsigned char *data;
    size_t size, place; // what was taken from data
    bool gzip, done;
    z_stream stream;
};

bool rv_is_gzip(const unsigned char *data, size_t size)
{
    return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

uint64_t rv_source_most(size_t size, bool gzip)
{
    uint64_t bytes = size;
    if (!gzip) return bytes;
    return bytes > UINT64_MAX / GZIP_GROWTH_MAX ? UINT64_MAX : bytes * GZIP_GROWTH_MAX;
}

rv_byte_source *rv_source_open(const unsigned char *data, size_t size, bool gzip)
{
    rv_byte_source *source = calloc(1, sizeof *source);
    if (!source) return NULL;
    source->data = data, source->size = size, source->gzip = gzip;
    if (gzip && inflateInit2(&source->stream, 15 + 16) != Z_OK) {
        free(source);
        return NULL;
    }
    return source;
}

// zlib counts in unsigned int, so both sides go in pieces.
static size_t inflate_some(rv_byte_source *source, unsigned char *out, size_t want)
{
    z_stream *z = &source->stream;
    size_t left = source->size - source->place;
    z->next_in = (unsigned char *)(uintptr_t)(source->data + source->place); // read only
    z->avail_in = left > (1u << 30) ? 1u << 30 : (unsigned)left;
    z->next_out = out;
    z->avail_out = want > (1u << 30) ? 1u << 30 : (unsigned)want;
    size_t before_in = z->avail_in, before_out = z->avail_out;
    int state = inflate(z, Z_NO_FLUSH);
    source->place += before_in - z->avail_in;
    size_t got = before_out - z->avail_out;
    if (state == Z_STREAM_END) {
        // a gzip file may be several, one after another
        source->done = !rv_is_gzip(source->data + source->place, source->size - source->place) ||
                       inflateReset(z) != Z_OK;
    } else if (state != Z_OK || (got == 0 && before_in == z->avail_in)) {
        source->done = true; // damaged, or cut short
    }
    return got;
}

size_t rv_source_read(rv_byte_source *source, void *out, size_t want)
{
    unsigned char *bytes = out;
    size_t have = 0;
    if (!source->gzip) {
        size_t left = source->size - source->place;
        have = want < left ? want : left;
        if (have) memcpy(bytes, source->data + source->place, have);
        source->place += have;
        return have;
    }
    while (have < want && !source->done) have += inflate_some(source, bytes + have, want - have);
    return have;
}

bool rv_source_skip(rv_byte_source *source, uint64_t count)
{
    if (!source->gzip) {
        if (count > source->size - source->place) return false;
        source->place += (size_t)count;
        return true;
    }
    unsigned char unread[SKIP_BYTES];
    while (count > 0) {
        size_t part = count < sizeof unread ? (size_t)count : sizeof unread;
        if (rv_source_read(source, unread, part) != part) return false;
        count -= part;
    }
    return true;
}

void rv_source_close(rv_byte_source *source)
{
    if (!source) return;
    if (source->gzip) inflateEnd(&source->stream);
    free(source);
}
