// PNG files through stb_image_write: encoded in memory, written beside the target, renamed.
#define _POSIX_C_SOURCE 200809L
#include "io/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// All bytes under a temporary name, then the name.
static bool write_whole(const char *path, const buffer *b, rv_messages *messages)
{
    size_t length = strlen(path) + 32;
    char *part = malloc(length);
    if (!part) {
        rv_messages_add(messages, "%s: out of memory", path);
        return false;
    }
    snprintf(part, length, "%s.part%ld", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    bool ok = file && fwrite(b->bytes, 1, b->count, file) == b->count;
    int problem = errno;
    if (file && fclose(file) != 0 && ok)
        ok = false, problem = errno;
    if (ok && rename(part, path) != 0)
        ok = false, problem = errno;
    if (!ok) {
        rv_messages_add(messages, "%s: cannot write: %s", path, strerror(problem));
        if (file)
            remove(part);
    }
    free(part);
    return ok;
}

bool rv_image_write_png(const char *path, const uint8_t *rgb, int width, int height,
                        rv_messages *messages)
{
    if (!path || !rgb || width < 1 || height < 1 || width > INT32_MAX / 3) {
        rv_messages_add(messages, "%s: no picture to write", path ? path : "picture");
        return false;
    }
    buffer b = {NULL, 0, false};
    bool ok = stbi_write_png_to_func(keep, &b, width, height, 3, rgb, 3 * width) && !b.failed;
    if (!ok)
        rv_messages_add(messages, "%s: out of memory for a picture of %d x %d", path, width, height);
    else
        ok = write_whole(path, &b, messages);
    free(b.bytes);
    return ok;
}
