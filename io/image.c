// PNG files through stb_image_write: encoded in memory, then written whole or not at all.
#include "io/image.h"

#include "io/atomic_file.h"

#include <stdlib.h>
#include <string.h>

// The library's own code does not follow this project's warnings.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

typedef struct buffer {
    unsigned char *bytes;
    size_t count;
    bool failed;
} buffer;

static void keep(void *context, void *data, int size)
{
    buffer *b = context;
    unsigned char *more = realloc(b->bytes, b->count + (size_t)size);
    if (!more) {
        b->failed = true;
        return;
    }
    memcpy(more + b->count, data, (size_t)size);
    b->bytes = more, b->count += (size_t)size;
}

static bool write_png(const char *path, const uint8_t *bytes, int channels, int width, int height,
                      rv_messages *messages)
{
    if (!path || !bytes || width < 1 || height < 1 || width > INT32_MAX / 4) {
        rv_messages_add(messages, "%s: no picture to write", path ? path : "picture");
        return false;
    }
    rv_atomic_file file = {0};
    if (!rv_atomic_open(&file, path, messages)) return false;
    buffer b = {NULL, 0, false};
    bool ok = stbi_write_png_to_func(keep, &b, width, height, channels, bytes, channels * width) &&
              !b.failed;
    if (!ok) {
        rv_messages_add(messages, "%s: out of memory for a picture of %d x %d", path, width,
                        height);
        rv_atomic_abandon(&file);
    } else {
        // A short write shows in the stream's error flag, which the commit looks at.
        fwrite(b.bytes, 1, b.count, file.stream);
        ok = rv_atomic_commit(&file, messages);
    }
    free(b.bytes);
    return ok;
}

bool rv_image_write_png(const char *path, const uint8_t *rgb, int width, int height,
                        rv_messages *messages)
{
    return write_png(path, rgb, 3, width, height, messages);
}

bool rv_image_write_png_alpha(const char *path, const uint8_t *rgba, int width, int height,
                              rv_messages *messages)
{
    return write_png(path, rgba, 4, width, height, messages);
}
