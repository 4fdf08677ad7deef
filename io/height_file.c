// Height maps from PNG files, through stb_image.
//
// stb_image lets compressed pixels grow to whatever they inflate to, and does not say that a file
// is cut short. So the chunks are walked here first, and the pixels inflated once without keeping
// them, to see that they are as many as the header says.
#include "io/height_file.h"

#include "io/file_bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS RV_HEIGHT_EDGE_MAX
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
// Static functions that are declared but not built are noticed at the end of the file only.
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

typedef struct png_head {
    uint32_t width, height;
    int depth, colour; // bits of a sample; colour type
    bool interlaced;
} png_head;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
refuse(const char *name, rv_messages *messages, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return rv_file_refuse(name, line, messages);
}

static uint32_t big32(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// ---- Checks in front ----------------------------------------------------------------------------

static bool read_head(const unsigned char *data, size_t size, const char *name, png_head *head,
                      rv_messages *messages)
{
    static const unsigned char begin[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                            0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    if (size < 33 || memcmp(data, begin, sizeof begin) != 0)
        return refuse(name, messages, "%s",
                      size >= 8 && memcmp(data, begin, 8) == 0 ? "a PNG without a header"
                                                               : "is no PNG");
    head->width = big32(data + 16), head->height = big32(data + 20);
    head->depth = data[24], head->colour = data[25], head->interlaced = data[28] == 1;
    if (head->width < 1 || head->height < 1 || head->width > RV_HEIGHT_EDGE_MAX ||
        head->height > RV_HEIGHT_EDGE_MAX)
        return refuse(name, messages, "%u x %u pixels; 1 to %d along each side are possible",
                      head->width, head->height, RV_HEIGHT_EDGE_MAX);
    bool depth_good = head->depth == 8 || (head->depth == 16 && head->colour != 3) ||
                      ((head->depth == 1 || head->depth == 2 || head->depth == 4) &&
                       (head->colour == 0 || head->colour == 3));
    bool colour_good = head->colour <= 6 && head->colour != 1 && head->colour != 5;
    if (!depth_good || !colour_good)
        return refuse(name, messages, "colour type %d with %d bits, which cannot be", head->colour,
                      head->depth);
    return true;
}

// Bytes of filtered rows: per row its pixels and one more.
static uint64_t rows_bytes(const png_head *head, uint64_t width, uint64_t height)
{
    static const unsigned channels[7] = {1, 0, 3, 1, 2, 0, 4};
    if (width == 0 || height == 0) return 0;
    uint64_t bits = width * channels[head->colour] * (unsigned)head->depth;
    return height * (1 + (bits + 7) / 8);
}

static uint64_t pixel_bytes(const png_head *head)
{
    // the seven passes of an interlaced picture: first pixel and step, across and down
    static const unsigned pass[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                        {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    if (!head->interlaced) return rows_bytes(head, head->width, head->height);
    uint64_t bytes = 0;
    for (int i = 0; i < 7; i++)
        bytes += rows_bytes(head, (head->width + pass[i][2] - 1 - pass[i][0]) / pass[i][2],
                            (head->height + pass[i][3] - 1 - pass[i][1]) / pass[i][3]);
    return bytes;
}

// Inflates a chunk's bytes into nothing and counts them, up to one more than `most`. false:
// damaged.
static bool count_inflated(z_stream *z, const unsigned char *data, uint32_t size, uint64_t most,
                           uint64_t *count, bool *ended)
{
    unsigned char thrown[32768];
    z->next_in = (unsigned char *)(uintptr_t)data; // read only
    z->avail_in = size;
    while (!*ended && *count <= most) {
        z->next_out = thrown;
        z->avail_out = sizeof thrown;
        int state = inflate(z, Z_NO_FLUSH);
        *count += sizeof thrown - z->avail_out;
        *ended = state == Z_STREAM_END;
        if (state == Z_BUF_ERROR) break; // wants the next chunk
        if (state != Z_OK && !*ended) return false;
        if (z->avail_in == 0 && z->avail_out > 0) break;
    }
    return true;
}

// Walks the chunks; `count` is what the pixels inflate to.
static bool walk_chunks(const unsigned char *data, size_t size, z_stream *z, uint64_t most,
                        uint64_t *count)
{
    bool ended = false;
    for (size_t at = 8; size - at >= 12;) {
        uint32_t length = big32(data + at);
        if (length > size - at - 12) length = (uint32_t)(size - at - 12); // cut short
        bool pixels = memcmp(data + at + 4, "IDAT", 4) == 0;
        if (pixels && !count_inflated(z, data + at + 8, length, most, count, &ended)) return false;
        if (memcmp(data + at + 4, "IEND", 4) == 0) break;
        at += 12 + (size_t)length;
    }
    return true;
}

static bool check_pixels(const unsigned char *data, size_t size, const char *name,
                         const png_head *head, rv_messages *messages)
{
    z_stream z = {0};
    if (inflateInit(&z) != Z_OK) return refuse(name, messages, "not enough memory");
    uint64_t most = pixel_bytes(head), count = 0;
    bool whole = walk_chunks(data, size, &z, most, &count);
    inflateEnd(&z);
    if (!whole) return refuse(name, messages, "its compressed pixels are damaged");
    if (count > most) return refuse(name, messages, "holds more pixels than its size says");
    if (count < most)
        return refuse(name, messages, "cut short: %llu bytes of pixels announced, %llu there",
                      (unsigned long long)most, (unsigned long long)count);
    return true;
}

bool rv_png_check(const void *data, size_t size, const char *name, rv_messages *messages)
{
    png_head head = {0};
    return read_head(data, size, name, &head, messages) &&
           check_pixels(data, size, name, &head, messages);
}

// ---- Loading ------------------------------------------------------------------------------------

static bool decode(const unsigned char *data, size_t size, const char *name, const png_head *head,
                   rv_height_file *out, rv_messages *messages)
{
    int width = 0, height = 0, channels = 0;
    stbi_us *pixels = stbi_load_16_from_memory(data, (int)size, &width, &height, &channels, 1);
    if (!pixels) return refuse(name, messages, "stb_image says: %s", stbi_failure_reason());
    size_t row = (size_t)width, count = row * (size_t)height;
    out->share = malloc(count * sizeof *out->share);
    bool good = out->share && width == (int)head->width && height == (int)head->height;
    for (size_t y = 0; good && y < (size_t)height; y++) {
        const stbi_us *from = pixels + ((size_t)height - 1 - y) * row;
        for (size_t x = 0; x < row; x++) out->share[y * row + x] = (float)from[x] / 65535.0f;
    }
    stbi_image_free(pixels);
    if (!good) {
        rv_height_file_free(out);
        return refuse(name, messages, "not enough memory");
    }
    out->nx = width, out->ny = height, out->bits = head->depth;
    return true;
}

bool rv_height_file_load_memory(const void *data, size_t size, const char *name,
                                rv_height_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_height_file){0};
    png_head head = {0};
    if (size > RV_HEIGHT_BYTES_MAX)
        return refuse(name, messages, "larger than %zu MiB", RV_HEIGHT_BYTES_MAX >> 20);
    return read_head(data, size, name, &head, messages) &&
           check_pixels(data, size, name, &head, messages) &&
           decode(data, size, name, &head, out, messages);
}

bool rv_height_file_load(const char *path, rv_height_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_height_file){0};
    rv_file_bytes file;
    if (!rv_file_read(path, RV_HEIGHT_BYTES_MAX, &file, messages)) return false;
    bool good = rv_height_file_load_memory(file.data, file.size, path, out, messages);
    rv_file_bytes_free(&file);
    return good;
}

bool rv_height_file_is(const char *path)
{
    char extension[16];
    rv_file_extension(path, extension, sizeof extension);
    return strcmp(extension, "png") == 0;
}

void rv_height_file_free(rv_height_file *map)
{
    if (!map) return;
    free(map->share);
    *map = (rv_height_file){0};
}
