// Pictures that a scene brings: PNG and JPEG, as light or as a map of one value a pixel.
#ifndef IO_PICTURE_FILE_H
#define IO_PICTURE_FILE_H

#include "rivulet/base.h"

#define RV_PICTURE_BYTES_MAX ((size_t)1 << 28)  // a larger file is refused
#define RV_PICTURE_EDGE_MAX 16384               // and one with more pixels along a side
#define RV_PICTURE_PIXELS_MAX ((size_t)1 << 26) // and one with more in all

// Owns its array. Rows from the top.
typedef struct rv_picture_file {
    int width, height;
    int channels; // 3: linear light, what is white in the file brighter than 1; 1: 0 black to 1
                  // white
    float *value; // width × height × channels
} rv_picture_file;

// As light. A file cannot tell how bright its white places are; they are taken to be lamps, several
// times brighter than paper, so that they shine when they are blurred. false: `out` is empty, and
// messages has one line `FILE: what is wrong`.
bool rv_picture_load(const char *path, rv_picture_file *out, rv_messages *messages);
// As one value a pixel, the file's own numbers.
bool rv_picture_load_map(const char *path, rv_picture_file *out, rv_messages *messages);
// The same from memory; `name` stands in the messages.
bool rv_picture_load_memory(const void *data, size_t size, const char *name, int channels,
                            rv_picture_file *out, rv_messages *messages);
void rv_picture_free(rv_picture_file *picture);

#endif
