// Files as bytes, for readers that do not trust them: whole files with a limit, files that lie
// beside another, and bytes that may be compressed.
#ifndef IO_FILE_BYTES_H
#define IO_FILE_BYTES_H

#include "rivulet/base.h"

typedef struct rv_file_bytes {
    unsigned char *data; // a zero byte follows the last
    size_t size;
} rv_file_bytes;

// Reads a regular file of at most `most` bytes. false: a message `PATH: why`, and nothing is held.
bool rv_file_read(const char *path, size_t most, rv_file_bytes *out, rv_messages *messages);
// The same from memory: a copy, because readers change their bytes.
bool rv_file_copy(const void *data, size_t size, const char *name, rv_file_bytes *out,
                  rv_messages *messages);
void rv_file_bytes_free(rv_file_bytes *bytes);

// Adds the line `NAME: WHY`; always false. What the file itself gave to `why` may not move a
// terminal's cursor or start a line, so all but printable characters become '?'.
bool rv_file_refuse(const char *name, char *why, rv_messages *messages);

// The extension without its dot, in lower case: "stl", and "nii.gz" for two. "" when there is none
// or it is longer than `size`.
void rv_file_extension(const char *path, char *out, size_t size);
// The path of a file that another one names: beside it or below, so neither absolute nor with "..".
// NULL when the name is not of that kind, or without memory; to be freed.
char *rv_file_beside(const char *path, const char *name);

// The size of a regular file; false when there is none.
bool rv_file_size(const char *path, uint64_t *size);

// Reads bytes in order, inflating them on the way where they are compressed.
typedef struct rv_byte_source rv_byte_source;

// `gzip`: the bytes are a gzip file. NULL without memory. The bytes are borrowed.
rv_byte_source *rv_source_open(const unsigned char *data, size_t size, bool gzip);
// Gives `want` bytes, or fewer at the end or where the compressed data is damaged.
size_t rv_source_read(rv_byte_source *source, void *out, size_t want);
// Passes over bytes. false: there are not as many.
bool rv_source_skip(rv_byte_source *source, uint64_t count);
void rv_source_close(rv_byte_source *source);
// The most bytes that can come out: a gzip file grows at most 1032 times.
uint64_t rv_source_most(size_t size, bool gzip);
bool rv_is_gzip(const unsigned char *data, size_t size);

#endif
