// Radiance pictures (.hdr, .pic): a header of text lines, an empty line, the size as
// "-Y height +X width", then rows of pixels. A pixel is four bytes: mantissas of red, green and
// blue and one exponent for all, 2^(e - 136).
//
// A row is kept in one of three ways. New runs: it begins 2 2 and its length; then the four bytes'
// planes one after the other, each as runs (128 + n, value) and literals (n, values). Old runs: a
// pixel 1 1 1 n stands for n more of the last one; a second such pixel right after counts 256 times
// as much. Or all pixels, one after the other. Files are not trusted.
#include "io/hdr_file.h"

#include "io/file_bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const unsigned char *at, *end;
    const char *name;
    rv_messages *messages;
    int width, height, row; // row: the one that is read, from 0
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(const reader *r, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return rv_file_refuse(r->name, line, r->messages);
}

// ---- The header ---------------------------------------------------------------------------------

// The next line without its end; longer ones are cut. false: there is none.
static bool next_line(reader *r, char *out, size_t out_size)
{
    const unsigned char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!stop) return false;
    size_t length = (size_t)(stop - r->at);
    if (length > 0 && r->at[length - 1] == '\r') length--;
    if (length >= out_size) length = out_size - 1;
    memcpy(out, r->at, length);
    out[length] = '\0';
    r->at = stop + 1;
    return true;
}

static bool read_size(reader *r, const char *line)
{
    char first[8] = "", second[8] = "";
    long a = 0, b = 0;
    char rest = 0;
    if (sscanf(line, " %2[-+XY] %9ld %2[-+XY] %9ld %c", first, &a, second, &b, &rest) != 4)
        return refuse(r, "'%.40s' is no size; expected \"-Y height +X width\"", line);
    if (strcmp(first, "-Y") != 0 || strcmp(second, "+X") != 0)
        return refuse(r,
                      "its rows are kept as \"%s %s\"; only \"-Y +X\" is read: from the top, from "
                      "the left",
                      first, second);
    if (a < 1 || b < 1 || a > RV_HDR_EDGE_MAX || b > RV_HDR_EDGE_MAX)
        return refuse(r, "%ld x %ld pixels; 1 to %d along each side are possible", b, a,
                      RV_HDR_EDGE_MAX);
    if ((size_t)a * (size_t)b > RV_HDR_PIXELS_MAX)
        return refuse(r, "%ld x %ld pixels are more than %zu million", b, a,
                      RV_HDR_PIXELS_MAX >> 20);
    r->height = (int)a, r->width = (int)b;
    return true;
}

static bool read_header(reader *r)
{
    char line[128];
    if (r->end - r->at < 2 || memcmp(r->at, "#?", 2) != 0)
        return refuse(r, "is no Radiance picture");
    for (;;) {
        if (!next_line(r, line, sizeof line)) return refuse(r, "cut short in its header");
        if (!line[0]) break;
        if (strncmp(line, "FORMAT=", 7) == 0 && strcmp(line + 7, "32-bit_rle_rgbe") != 0)
            return refuse(r, "its format is '%.40s'; only 32-bit_rle_rgbe is read", line + 7);
    }
    if (!next_line(r, line, sizeof line)) return refuse(r, "cut short before its size");
    return read_size(r, line);
}

// ---- Rows ---------------------------------------------------------------------------------------

static bool cut_short(const reader *r)
{
    return refuse(r, "cut short in row %d of %d", r->row + 1, r->height);
}

// One of the four planes of a row; `to` has a pixel every four bytes.
static bool read_plane(reader *r, unsigned char *to)
{
    for (int x = 0; x < r->width;) {
        if (r->end - r->at < 2) return cut_short(r);
        int count = *r->at++;
        bool run = count > 128;
        if (run) count -= 128;
        if (count == 0 || count > r->width - x)
            return refuse(r, "damaged: a run in row %d goes past its end", r->row + 1);
        if (r->end - r->at < (run ? 1 : count)) return cut_short(r);
        for (int i = 0; i < count; i++, x++) to[4 * x] = run ? *r->at : *r->at++;
        if (run) r->at++;
    }
    return true;
}

// A row of pixels one by one, with old runs between them.
static bool read_pixels(reader *r, unsigned char *to)
{
    int shift = 0;
    for (int x = 0; x < r->width;) {
        if (r->end - r->at < 4) return cut_short(r);
        const unsigned char *p = r->at;
        r->at += 4;
        if (p[0] != 1 || p[1] != 1 || p[2] != 1) {
            memcpy(to + 4 * x++, p, 4);
            shift = 0;
            continue;
        }
        long count = shift < 24 ? (long)p[3] << shift : RV_HDR_EDGE_MAX + 1;
        if (x == 0 || count > r->width - x)
            return refuse(r, "damaged: a run in row %d goes past its end", r->row + 1);
        for (long i = 0; i < count; i++, x++) memcpy(to + 4 * x, to + 4 * (x - 1), 4);
        shift += 8;
    }
    return true;
}

static bool read_row(reader *r, unsigned char *to)
{
    const unsigned char *p = r->at;
    if (r->end - p < 4) return cut_short(r);
    bool planes = r->width >= 8 && r->width < 32768 && p[0] == 2 && p[1] == 2 && p[2] < 128;
    if (!planes) return read_pixels(r, to);
    if ((p[2] << 8 | p[3]) != r->width)
        return refuse(r, "damaged: row %d has %d pixels, not %d", r->row + 1, p[2] << 8 | p[3],
                      r->width);
    r->at += 4;
    for (int i = 0; i < 4; i++)
        if (!read_plane(r, to + i)) return false;
    return true;
}

// The file's columns from the last to the first.
static void decode(const unsigned char *from, int width, float *to)
{
    for (int x = width - 1; x >= 0; x--, to += 3) {
        const unsigned char *p = from + 4 * x;
        float unit = p[3] ? ldexpf(1, p[3] - 136) : 0;
        for (int i = 0; i < 3; i++) to[i] = (float)p[i] * unit;
    }
}

// ---- Loading ------------------------------------------------------------------------------------

static bool read_rows(reader *r, rv_hdr_file *out)
{
    // The shortest row is a pixel and a few runs; this spares a large array for a file that is cut.
    if ((r->end - r->at) / 4 < r->height)
        return refuse(r, "cut short: %d rows announced, %zu bytes there", r->height,
                      (size_t)(r->end - r->at));
    size_t row = (size_t)r->width * 3;
    out->rgb = malloc(row * (size_t)r->height * sizeof *out->rgb);
    unsigned char *bytes = malloc((size_t)r->width * 4);
    bool good = out->rgb && bytes;
    if (!good) refuse(r, "not enough memory");
    for (; good && r->row < r->height; r->row++) {
        good = read_row(r, bytes);
        if (good) decode(bytes, r->width, out->rgb + (size_t)r->row * row);
    }
    free(bytes);
    out->width = r->width, out->height = r->height;
    if (!good) rv_hdr_file_free(out);
    return good;
}

bool rv_hdr_file_load_memory(const void *data, size_t size, const char *name, rv_hdr_file *out,
                             rv_messages *messages)
{
    rv_messages unheard = {0};
    const unsigned char *bytes = data;
    reader r = {bytes, bytes + size, name, messages ? messages : &unheard, 0, 0, 0};
    *out = (rv_hdr_file){0};
    if (size > RV_HDR_BYTES_MAX) return refuse(&r, "larger than %zu MiB", RV_HDR_BYTES_MAX >> 20);
    return read_header(&r) && read_rows(&r, out);
}

bool rv_hdr_file_load(const char *path, rv_hdr_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_hdr_file){0};
    rv_file_bytes file;
    if (!rv_file_read(path, RV_HDR_BYTES_MAX, &file, messages)) return false;
    bool good = rv_hdr_file_load_memory(file.data, file.size, path, out, messages);
    rv_file_bytes_free(&file);
    return good;
}

void rv_hdr_file_free(rv_hdr_file *picture)
{
    if (!picture) return;
    free(picture->rgb);
    *picture = (rv_hdr_file){0};
}
