// Height maps from PNG files, 8 or 16 bits, grey; colours are turned to grey.
#ifndef IO_HEIGHT_FILE_H
#define IO_HEIGHT_FILE_H

#include "rivulet/base.h"

#define RV_HEIGHT_BYTES_MAX ((size_t)1 << 30) // a larger file is refused
#define RV_HEIGHT_EDGE_MAX 16384              // and one with more pixels along a side

// Owns its array.
typedef struct rv_height_file {
    int nx, ny;
    float *share; // [ny][nx], black 0 to white 1; row 0 is low y: the picture's last row
    int bits;     // per channel in the file
} rv_height_file;

// Does the extension say that a file is a height map?
bool rv_height_file_is(const char *path);
// false: `out` is empty, and messages has one line `FILE: what is wrong`.
bool rv_height_file_load(const char *path, rv_height_file *out, rv_messages *messages);
// The same from memory; `name` stands in the messages.
bool rv_height_file_load_memory(const void *data, size_t size, const char *name,
                                rv_height_file *out, rv_messages *messages);
// Whether a PNG is whole: its header makes sense, and its pixels are as many as that says. Any
// reader of PNG can ask this before it inflates them. false: a message `NAME: what is wrong`.
bool rv_png_check(const void *data, size_t size, const char *name, rv_messages *messages);
void rv_height_file_free(rv_height_file *map);

#endif
