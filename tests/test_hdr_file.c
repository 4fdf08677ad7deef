// Radiance pictures: every way of keeping rows gives the pixels that were meant, the same as
// another reader finds, and what is damaged is refused with one line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/hdr_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STBI_ONLY_HDR
#define STBI_NO_STDIO
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

// A file that grows while it is written.
typedef struct file {
    unsigned char bytes[1 << 18];
    size_t size;
} file;

static void put(file *f, const void *data, size_t size)
{
    assert_true(f->size + size <= sizeof f->bytes);
    memcpy(f->bytes + f->size, data, size);
    f->size += size;
}

static void put_byte(file *f, int value)
{
    unsigned char byte = (unsigned char)value;
    put(f, &byte, 1);
}

static void put_head(file *f, int width, int height)
{
    char head[128];
    int length = snprintf(head, sizeof head,
                          "#?RADIANCE\n# made by hand\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=1.0\n\n"
                          "-Y %d +X %d\n",
                          height, width);
    f->size = 0;
    put(f, head, (size_t)length);
}

// Four planes of runs of up to 127 and literals of up to 128.
static void put_planes(file *f, const unsigned char *row, int width)
{
    const int head[4] = {2, 2, width >> 8, width & 255};
    for (int i = 0; i < 4; i++) put_byte(f, head[i]);
    for (int plane = 0; plane < 4; plane++) {
        for (int x = 0; x < width;) {
            const unsigned char *p = row + plane;
            int run = 1;
            while (x + run < width && run < 127 && p[4 * (x + run)] == p[4 * x]) run++;
            if (run > 1) {
                put_byte(f, 128 + run), put_byte(f, p[4 * x]);
                x += run;
                continue;
            }
            int end = x + 1;
            while (end < width && end - x < 128 && p[4 * end] != p[4 * (end - 1)]) end++;
            put_byte(f, end - x);
            for (; x < end; x++) put_byte(f, p[4 * x]);
        }
    }
}

// Old runs: 1 1 1 n, then 256 times as much.
static void put_old(file *f, const unsigned char *row, int width)
{
    for (int x = 0; x < width;) {
        int run = 1;
        while (x + run < width && memcmp(row + 4 * (x + run), row + 4 * x, 4) == 0) run++;
        put(f, row + 4 * x, 4);
        for (int left = run - 1; left > 0; left >>= 8) {
            put(f, "\1\1\1", 3);
            put_byte(f, left & 255);
        }
        x += run;
    }
}

static void put_flat(file *f, const unsigned char *row, int width)
{
    put(f, row, 4 * (size_t)width);
}

// Pixels with long runs, short runs and none; never such that a flat row looks like runs.
static unsigned char *some_pixels(int width, int height, unsigned seed)
{
    unsigned char *rgbe = malloc((size_t)(width * height) * 4);
    assert_non_null(rgbe);
    for (int i = 0; i < width * height * 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        bool same =
            i >= 4 && i / 4 % width > 0 && (seed >> 20) % 10 < (unsigned)(i / 4 / width % 11);
        rgbe[i] =
            same ? rgbe[i - 4]
                 : (unsigned char)(i % 4 == 3 ? 100 + (seed >> 24) % 50 : 3 + (seed >> 24) % 250);
    }
    return rgbe;
}

static void expect_same_as_stb(const file *f, const rv_hdr_file *got)
{
    int width, height, channels;
    float *rgb = stbi_loadf_from_memory(f->bytes, (int)f->size, &width, &height, &channels, 3);
    assert_non_null(rgb);
    assert_int_equal(width, got->width);
    assert_int_equal(height, got->height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            assert_memory_equal(rgb + 3 * (y * width + x),
                                got->rgb + 3 * (y * width + width - 1 - x), 3 * sizeof *rgb);
    stbi_image_free(rgb);
}

static void every_way_of_keeping_rows(void **state)
{
    (void)state;
    static file f;
    void (*const ways[])(file *, const unsigned char *, int) = {put_planes, put_old, put_flat};
    const int widths[] = {1, 7, 8, 130, 700};
    for (int way = 0; way < 3; way++) {
        for (int w = way == 0 ? 2 : 0; w < 5; w++) {
            int width = widths[w], height = 23;
            unsigned char *rgbe = some_pixels(width, height, (unsigned)(w + 5 * way));
            put_head(&f, width, height);
            for (int y = 0; y < height; y++) ways[way](&f, rgbe + 4 * y * width, width);
            rv_hdr_file got;
            rv_messages m = {0};
            if (!rv_hdr_file_load_memory(f.bytes, f.size, "t.hdr", &got, &m))
                fail_msg("%s", m.text);
            assert_int_equal(got.width, width);
            for (int i = 0; i < width * height; i++) {
                const float *to = got.rgb + 3 * (i / width * width + width - 1 - i % width);
                for (int c = 0; c < 3; c++)
                    assert_true(to[c] == (float)ldexp(rgbe[4 * i + c], rgbe[4 * i + 3] - 136));
            }
            // stb does not know old runs, and takes rows under 8 pixels for flat ones
            if (way != 1) expect_same_as_stb(&f, &got);
            rv_hdr_file_free(&got);
            free(rgbe);
        }
    }
}

// Left in the file is where one looks after turning to the left: up there red, down there blue.
static void directions(void **state)
{
    (void)state;
    static file f;
    put_head(&f, 2, 2);
    put(&f,
        "\200\0\0\201"
        "\0\0\0\0"
        "\0\0\0\0"
        "\0\0\200\201",
        16);
    rv_hdr_file got;
    assert_true(rv_hdr_file_load_memory(f.bytes, f.size, "t.hdr", &got, NULL));
    const float expected[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0};
    assert_memory_equal(got.rgb, expected, sizeof expected);
    rv_hdr_file_free(&got);
}

static void expect_refused(const char *bytes, size_t size, const char *expected)
{
    rv_hdr_file got;
    rv_messages m = {0};
    assert_false(rv_hdr_file_load_memory(bytes, size, "t.hdr", &got, &m));
    assert_null(got.rgb);
    assert_string_equal(m.text, expected);
}

static void expect_refused_text(const char *text, const char *expected)
{
    expect_refused(text, strlen(text), expected);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
#define HEAD "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"
    expect_refused_text("", "t.hdr: is no Radiance picture");
    expect_refused_text("P6 2 2", "t.hdr: is no Radiance picture");
    expect_refused_text("#?RADIANCE\n", "t.hdr: cut short in its header");
    expect_refused_text("#?RADIANCE\n\n-Y 2", "t.hdr: cut short before its size");
    expect_refused_text("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 2 +X 2\n",
                        "t.hdr: its format is '32-bit_rle_xyze'; only 32-bit_rle_rgbe is read");
    expect_refused_text(HEAD "-Y two +X 2\n",
                        "t.hdr: '-Y two +X 2' is no size; expected \"-Y height +X width\"");
    expect_refused_text(HEAD "-Y 2 +X 2 more\n",
                        "t.hdr: '-Y 2 +X 2 more' is no size; expected \"-Y height +X width\"");
    expect_refused_text(HEAD "+Y 2 +X 2\n", "t.hdr: its rows are kept as \"+Y +X\"; only \"-Y +X\" "
                                            "is read: from the top, from the left");
    expect_refused_text(HEAD "-Y 0 +X 2\n",
                        "t.hdr: 2 x 0 pixels; 1 to 16384 along each side are possible");
    expect_refused_text(HEAD "-Y 16384 +X 16384\n",
                        "t.hdr: 16384 x 16384 pixels are more than 32 million");
    expect_refused_text(HEAD "-Y 900 +X 8\nabcd",
                        "t.hdr: cut short: 900 rows announced, 4 bytes there");
    expect_refused_text(HEAD "-Y 1 +X 2\nabcd", "t.hdr: cut short in row 1 of 1");
    expect_refused_text(HEAD "-Y 1 +X 4\n\1\1\1\3abcdefghijkl",
                        "t.hdr: damaged: a run in row 1 goes past its end");
    expect_refused_text(HEAD "-Y 1 +X 4\nabcd\1\1\1\4efghijkl",
                        "t.hdr: damaged: a run in row 1 goes past its end");
#define PLANES(bytes) HEAD "-Y 1 +X 8\n\2\2\0" bytes
    const char length[] = PLANES("\11abcdefgh"), past[] = PLANES("\10\211abcdefgh"),
               none[] = PLANES("\10\0abcdefgh"), cut[] = PLANES("\10\210a\210b\210");
    expect_refused(length, sizeof length, "t.hdr: damaged: row 1 has 9 pixels, not 8");
    expect_refused(past, sizeof past, "t.hdr: damaged: a run in row 1 goes past its end");
    expect_refused(none, sizeof none, "t.hdr: damaged: a run in row 1 goes past its end");
    expect_refused(cut, sizeof cut - 1, "t.hdr: cut short in row 1 of 1");
}

// Cut anywhere, a file is refused, and never read past its end (the sanitizer sees that).
static void cut_anywhere(void **state)
{
    (void)state;
    static file f;
    unsigned char *rgbe = some_pixels(40, 6, 7);
    put_head(&f, 40, 6);
    for (int y = 0; y < 6; y++) put_planes(&f, rgbe + 160 * y, 40);
    free(rgbe);
    for (size_t size = 0; size <= f.size; size++) {
        unsigned char *copy = malloc(size + 1); // not with room behind it
        memcpy(copy, f.bytes, size);
        copy = realloc(copy, size ? size : 1);
        rv_hdr_file got;
        rv_messages m = {0};
        bool good = rv_hdr_file_load_memory(copy, size, "t.hdr", &got, &m);
        assert_int_equal(good, size == f.size);
        assert_int_equal(m.count, good ? 0 : 1);
        rv_hdr_file_free(&got);
        free(copy);
    }
}

static void files(void **state)
{
    (void)state;
    rv_hdr_file got;
    rv_messages m = {0};
    assert_true(rv_hdr_file_load(RV_SOURCE_DIR "/fuzz/corpus/hdr/planes.hdr", &got, &m));
    assert_int_equal(got.width, 20);
    assert_int_equal(got.height, 3);
    rv_hdr_file_free(&got);
    assert_false(rv_hdr_file_load("nowhere.hdr", &got, &m));
    assert_string_equal(m.text, "nowhere.hdr: no such file");
    rv_hdr_file_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_keeping_rows),
        cmocka_unit_test(directions),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
