// io/image.h: a picture file, whole or not at all.
#ifndef IO_IMAGE_H
#define IO_IMAGE_H

#include "rivulet/base.h"

// Writes width × height × 3 bytes, rows from the top, as a PNG. false: a message says why, and no
// file of that name was made or changed.
bool rv_image_write_png(const char *path, const uint8_t *rgb, int width, int height,
                        rv_messages *messages);
// The same with 4 bytes a pixel; the colours are not multiplied by the alpha.
bool rv_image_write_png_alpha(const char *path, const uint8_t *rgba, int width, int height,
                              rv_messages *messages);

#endif
