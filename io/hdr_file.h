// Pictures of the surroundings from Radiance files (.hdr): light in all directions, without a limit
// of brightness.
#ifndef IO_HDR_FILE_H
#define IO_HDR_FILE_H

#include "rivulet/base.h"

#define RV_HDR_BYTES_MAX ((size_t)1 << 29)  // a larger file is refused
#define RV_HDR_EDGE_MAX 16384               // and one with more pixels along a side
#define RV_HDR_PIXELS_MAX ((size_t)1 << 25) // and one with more in all: 8192 x 4096

// Owns its array. Rows go from straight up to straight down. Columns go round to the left, from +x
// toward +y, as rv_environment of render/renderer.h has them; in the file, which is what one sees
// when one turns to the right, they go the other way.
typedef struct rv_hdr_file {
    int width, height;
    float *rgb; // width × height × 3, linear light, finite, not negative
} rv_hdr_file;

// false: `out` is empty, and messages has one line `FILE: what is wrong`.
bool rv_hdr_file_load(const char *path, rv_hdr_file *out, rv_messages *messages);
// The same from memory; `name` stands in the messages.
bool rv_hdr_file_load_memory(const void *data, size_t size, const char *name, rv_hdr_file *out,
                             rv_messages *messages);
void rv_hdr_file_free(rv_hdr_file *picture);

#endif
