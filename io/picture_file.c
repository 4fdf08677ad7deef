// Pictures from PNG and JPEG files, through stb_image. A PNG is walked first, as height maps are:
// stb_image itself lets compressed pixels grow without limit.
#include "io/picture_file.h"

#include "io/file_bytes.h"
#include "io/height_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The library's own code does not follow this project's warnings.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS RV_PICTURE_EDGE_MAX
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
// Static functions that are declared but not built are noticed at the end of the file only.
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

static bool refuse(const char *name, const char *why, rv_messages *messages)
{
    char line[256];
    snprintf(line, sizeof line, "%s", why);
    return rv_file_refuse(name, line, messages);
}

static bool check(const unsigned char *data, size_t size, const char *name, rv_messages *messages)
{
    static const unsigned char png[4] = {0x89, 'P', 'N', 'G'}, jpeg[3] = {0xff, 0xd8, 0xff};
    char line[160];
    int width = 0, height = 0, channels = 0;
    if (size > RV_PICTURE_BYTES_MAX) {
        snprintf(line, sizeof line, "larger than %zu MiB", RV_PICTURE_BYTES_MAX >> 20);
        return refuse(name, line, messages);
    }
    bool is_png = size >= 4 && memcmp(data, png, 4) == 0;
    if (!is_png && !(size >= 3 && memcmp(data, jpeg, 3) == 0))
        return refuse(name, "is neither a PNG nor a JPEG", messages);
    if (is_png && !rv_png_check(data, size, name, messages)) return false;
    if (!stbi_info_from_memory(data, (int)size, &width, &height, &channels)) {
        snprintf(line, sizeof line, "stb_image says: %s", stbi_failure_reason());
        return refuse(name, line, messages);
    }
    if (width < 1 || height < 1 || width > RV_PICTURE_EDGE_MAX || height > RV_PICTURE_EDGE_MAX ||
        (size_t)width * (size_t)height > RV_PICTURE_PIXELS_MAX) {
        snprintf(line, sizeof line,
                 "%d x %d pixels; at most %d along a side and %zu million in all", width, height,
                 RV_PICTURE_EDGE_MAX, RV_PICTURE_PIXELS_MAX / 1000000);
        return refuse(name, line, messages);
    }
    return true;
}

// What a byte of sRGB stands for: linear light, with the curve taken back that cameras and films
// bend bright places with, c / (1 + c^1.7)^(1/1.7). So white is a lamp, and the picture looks as it
// did when it is drawn through that curve again.
static void fill_table(float light[256])
{
    for (int n = 0; n < 256; n++) {
        double v = n / 255.0;
        v = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
        v = v < 0.99 ? v : 0.99;
        light[n] = (float)(v / pow(1 - pow(v, 1.7), 1 / 1.7));
    }
}

static void to_light(const unsigned char *bytes, size_t count, float *out)
{
    float light[256];
    fill_table(light);
    for (size_t n = 0; n < count; n++) out[n] = light[bytes[n]];
}

bool rv_picture_load_memory(const void *data, size_t size, const char *name, int channels,
                            rv_picture_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_picture_file){0};
    if (!check(data, size, name, messages)) return false;
    int width = 0, height = 0, there = 0, wanted = channels == 1 ? 1 : 3;
    unsigned char *bytes = stbi_load_from_memory(data, (int)size, &width, &height, &there, wanted);
    if (!bytes) {
        char line[160];
        snprintf(line, sizeof line, "stb_image says: %s", stbi_failure_reason());
        return refuse(name, line, messages);
    }
    size_t pixels = (size_t)width * (size_t)height;
    *out = (rv_picture_file){width, height, wanted, NULL};
    out->value = malloc(pixels * (size_t)wanted * sizeof *out->value);
    if (out->value && wanted == 3) to_light(bytes, 3 * pixels, out->value);
    for (size_t n = 0; out->value && wanted == 1 && n < pixels; n++)
        out->value[n] = (float)bytes[n] / 255.0f;
    stbi_image_free(bytes);
    if (out->value) return true;
    *out = (rv_picture_file){0};
    return refuse(name, "not enough memory", messages);
}

static bool load(const char *path, int channels, rv_picture_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_picture_file){0};
    rv_file_bytes file;
    if (!rv_file_read(path, RV_PICTURE_BYTES_MAX, &file, messages)) return false;
    bool good = rv_picture_load_memory(file.data, file.size, path, channels, out, messages);
    rv_file_bytes_free(&file);
    return good;
}

bool rv_picture_load(const char *path, rv_picture_file *out, rv_messages *messages)
{
    return load(path, 3, out, messages);
}

bool rv_picture_load_map(const char *path, rv_picture_file *out, rv_messages *messages)
{
    return load(path, 1, out, messages);
}

void rv_picture_free(rv_picture_file *picture)
{
    if (!picture) return;
    free(picture->value);
    *picture = (rv_picture_file){0};
}
