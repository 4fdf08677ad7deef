// Volumes and height maps from files: values, places and units exact, and every damage refused with
// one line. The small files are those of fuzz/corpus; tests/data/by_nifti_tool.nii.gz was written
// by libnifti's own nifti_tool.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file_bytes.h"
#include "io/height_file.h"
#include "io/volume_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CORPUS RV_SOURCE_DIR "/fuzz/corpus/"
#define DATA RV_SOURCE_DIR "/tests/data/"

static void load(const char *path, rv_volume_file *volume)
{
    rv_messages messages = {0};
    bool good = rv_volume_file_load(path, volume, &messages);
    if (!good) print_message("%s\n", messages.text);
    assert_true(good);
    assert_int_equal(messages.count, 0);
}

static void refused(const char *path, const char *why)
{
    rv_volume_file volume;
    rv_messages messages = {0};
    char line[4096];
    assert_false(rv_volume_file_load(path, &volume, &messages));
    snprintf(line, sizeof line, "%s: %s", path, why);
    assert_string_equal(messages.text, line);
    assert_int_equal(messages.count, 1);
    assert_null(volume.values);
}

static void same_vector(rv_vec3 v, double x, double y, double z)
{
    assert_true(v.x == x && v.y == y && v.z == z);
}

// 4 × 3 × 2 voxels whose values count up, after value = slope * n + inter.
static void counts_up(const rv_volume_file *v, double slope, double inter)
{
    assert_int_equal(v->nx, 4);
    assert_int_equal(v->ny, 3);
    assert_int_equal(v->nz, 2);
    for (int i = 0; i < 24; i++) assert_true((double)v->values[i] == slope * i + inter);
}

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// ---- NIfTI --------------------------------------------------------------------------------------

static void nifti_values_and_places(void **state)
{
    (void)state;
    static const char *const files[] = {CORPUS "nifti/sform.nii", CORPUS "nifti/big.nii"};
    for (int i = 0; i < 2; i++) {
        rv_volume_file v;
        load(files[i], &v);
        counts_up(&v, 1, 0);
        same_vector(v.first, 10, -20, 30);
        same_vector(v.step[0], -0.5, 0, 0);
        same_vector(v.step[1], 0, 0.5, 0);
        same_vector(v.step[2], 0, 0, 2);
        assert_int_equal(v.unit, RV_UNIT_MM);
        assert_string_equal(v.format, "nifti-1");
        assert_string_equal(v.type, "int16");
        assert_string_equal(v.note, "sform");
        rv_volume_file_free(&v);
    }
}

static void nifti_other_ways(void **state)
{
    (void)state;
    rv_volume_file v;
    // a quaternion (0, 0, 1) is half a turn about z
    load(CORPUS "nifti/qform.nii", &v);
    counts_up(&v, 1, 0);
    same_vector(v.first, 5, 6, 7);
    same_vector(v.step[0], -0.5, 0, 0);
    same_vector(v.step[1], 0, -0.5, 0);
    same_vector(v.step[2], 0, 0, 2);
    assert_string_equal(v.note, "qform");
    rv_volume_file_free(&v);
    load(CORPUS "nifti/float.nii.gz", &v);
    counts_up(&v, 0.25, 0);
    assert_string_equal(v.type, "float32");
    rv_volume_file_free(&v);
    load(CORPUS "nifti/scaled.nii", &v);
    counts_up(&v, 2, 10);
    rv_volume_file_free(&v);
    load(CORPUS "nifti/two.nii", &v);
    counts_up(&v, 1, 0);
    same_vector(v.step[2], 0, 0, 1);
    assert_string_equal(v.format, "nifti-2");
    assert_string_equal(v.note, "spacing only");
    rv_volume_file_free(&v);
    load(CORPUS "nifti/frames.nii", &v);
    assert_int_equal(v.nx, 2);
    assert_true(v.values[11] == 11.0f);
    assert_string_equal(v.note, "sform, first of 2 frames");
    rv_volume_file_free(&v);
}

static void nifti_of_another_tool(void **state)
{
    (void)state;
    rv_volume_file v;
    load(DATA "by_nifti_tool.nii.gz", &v);
    counts_up(&v, 2, 10);
    same_vector(v.first, 10, -20, 30);
    same_vector(v.step[0], -0.5, 0, 0);
    assert_string_equal(v.note, "sform");
    rv_volume_file_free(&v);
}

// Header and values in two files, named by either.
static void nifti_pairs(void **state)
{
    (void)state;
    rv_file_bytes file;
    rv_messages messages = {0};
    rv_volume_file v;
    assert_true(rv_file_read(CORPUS "nifti/sform.nii", 4096, &file, &messages));
    memcpy(file.data + 344, "ni1", 4);
    memset(file.data + 108, 0, 4); // the values are at the beginning of their file
    write_file("pair.hdr", file.data, 348);
    write_file("pair.img", file.data + 352, file.size - 352);
    write_file("alone.hdr", file.data, 348);
    rv_file_bytes_free(&file);
    load("pair.hdr", &v);
    counts_up(&v, 1, 0);
    rv_volume_file_free(&v);
    load("pair.img", &v);
    counts_up(&v, 1, 0);
    rv_volume_file_free(&v);
    assert_false(rv_volume_file_load("alone.hdr", &v, &messages));
    assert_string_equal(messages.text, "alone.img: no such file");
}

static void nifti_refused(void **state)
{
    (void)state;
    refused(CORPUS "nifti/cut.nii", "cut short: 48 bytes of values announced, 43 there");
    refused(CORPUS "nifti/head.nii", "cut short: a header of 348 bytes, 200 there");
    refused(CORPUS "nifti/large.nii", "32767 x 32767 x 32767 voxels are more than 1073741824");
    refused(CORPUS "nifti/negative.nii", "-3 voxels along axis 2; 1 to 65536 are possible");
    refused(CORPUS "nifti/offset.nii", "values at byte 1e+30, which cannot be");
    refused(CORPUS "nifti/offset_nan.nii", "values at byte nan, which cannot be");
    refused(CORPUS "nifti/rgb.nii",
            "values of type 128 (RGB24) are not read; whole and real ones of "
            "8 to 64 bits are");
    refused(CORPUS "nifti/bomb.nii.gz",
            "cut short or damaged: 3000000 bytes of values announced, 2900000 there");
    refused(CORPUS "scene/good.yaml", "is neither NIfTI nor NRRD");
    refused("not_there.nii", "no such file");
    rv_file_bytes file;
    rv_messages messages = {0}, told = {0};
    rv_volume_file v;
    assert_true(rv_file_read(CORPUS "nifti/pair.nii", 4096, &file, &messages));
    assert_false(rv_volume_file_load_memory(file.data, file.size, "nii", "pair", &v, &told));
    assert_string_equal(told.text, "pair: its values are in another file");
    rv_file_bytes_free(&file);
}

// ---- NRRD ---------------------------------------------------------------------------------------

static void nrrd_values_and_places(void **state)
{
    (void)state;
    static const char *const files[] = {CORPUS "nrrd/raw.nrrd",  CORPUS "nrrd/big.nrrd",
                                        CORPUS "nrrd/gzip.nrrd", CORPUS "nrrd/skip.nrrd",
                                        CORPUS "nrrd/last.nrrd", CORPUS "nrrd/bomb.nrrd"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        rv_volume_file v;
        load(files[i], &v);
        counts_up(&v, i == 5 ? 0 : 1, 0); // more than announced is not even looked at
        // left, posterior, superior becomes right, anterior, superior
        same_vector(v.first, -1, -2, 3);
        same_vector(v.step[0], -0.5, 0, 0);
        same_vector(v.step[1], 0, -0.5, 0);
        same_vector(v.step[2], 0, 0, 2);
        assert_int_equal(v.unit, RV_UNIT_MM);
        assert_string_equal(v.format, "nrrd");
        assert_string_equal(v.type, "int16");
        assert_string_equal(v.note, "space directions, turned to right-anterior-superior");
        rv_volume_file_free(&v);
    }
}

static void nrrd_other_ways(void **state)
{
    (void)state;
    rv_volume_file v;
    load(CORPUS "nrrd/text.nrrd", &v);
    counts_up(&v, 1, 0);
    same_vector(v.first, 0, 0, 0);
    same_vector(v.step[0], 1, 0, 0);
    same_vector(v.step[1], 0, 2, 0);
    same_vector(v.step[2], 0, 0, 3);
    assert_string_equal(v.note, "spacing only");
    rv_volume_file_free(&v);
    load(CORPUS "nrrd/four.nrrd", &v);
    counts_up(&v, 1, 0);
    same_vector(v.step[1], 0, -1, 0);
    rv_volume_file_free(&v);
}

// A volume of 2 x 1 x 1 voxels of text, with these lines in its header.
static void load_lines(const char *lines, rv_volume_file *v)
{
    char text[1024];
    snprintf(text, sizeof text,
             "NRRD0004\ntype: int\nencoding: ascii\n%s\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
             lines);
    write_file("lines.nrrd", text, strlen(text));
    load("lines.nrrd", v);
}

// Where a volume is, without a direction in space: by spacings that have a sign, and by the places
// of its outer sides or of its first and last voxels.
static void nrrd_places_along_axes(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        double first, step;
    } cases[] = {
        {"spacings: -2 1 1\n", 0, -2},
        {"axis mins: 20 0 0\naxis maxs: 24 1 1\n", 21, 2}, // 1 and 3 of 4 mm, from 20
        {"axismins: 20 0 0\naxismaxs: 24 1 1\n", 21, 2},
        {"axis mins: 20 0 0\naxis maxs: 24 1 1\ncenters: node cell cell\n", 20, 4},
        {"axis mins: 20 0 0\naxis maxs: 24 1 1\ncenterings: cell cell cell\n", 21, 2},
        {"axis mins: 24 0 0\naxis maxs: 20 1 1\n", 23, -2},
        {"spacings: 3 1 1\naxis mins: 20 0 0\n", 21.5, 3},
        {"spacings: 3 1 1\naxis mins: 20 0 0\ncenters: node node node\n", 20, 3},
        {"spacings: 3 1 1\naxis maxs: 20 1 1\n", 15.5, 3},
        {"spacings: nan 1 1\naxis mins: 20 nan nan\naxis maxs: 24 nan nan\n", 21, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char lines[512];
        rv_volume_file v;
        snprintf(lines, sizeof lines, "dimension: 3\nsizes: 2 1 1\n%s", cases[i].lines);
        load_lines(lines, &v);
        if (v.first.x != cases[i].first || v.step[0].x != cases[i].step)
            fail_msg("%s: first %g, step %g", cases[i].lines, v.first.x, v.step[0].x);
        rv_volume_file_free(&v);
    }
}

static void nrrd_frames(void **state)
{
    (void)state;
    rv_volume_file v;
    load_lines("dimension: 4\nsizes: 2 2 2 2\nkinds: domain domain domain list\n", &v);
    assert_int_equal(v.nx, 2);
    assert_int_equal(v.ny, 2);
    assert_true(v.values[0] == 1.0f && v.values[7] == 8.0f);
    assert_string_equal(v.note, "no spacing, 1 taken, first of 2 frames");
    rv_volume_file_free(&v);
    load_lines("dimension: 4\nsizes: 2 2 2 2\n"
               "space directions: (1,0,0) (0,1,0) (0,0,1) none\nspace: RAS\n",
               &v);
    assert_string_equal(v.note, "space directions, first of 2 frames");
    rv_volume_file_free(&v);
    static const char colours[] = "NRRD0004\ntype: uchar\nencoding: ascii\ndimension: 4\n"
                                  "sizes: 3 1 1 2\nkinds: RGB-color domain domain domain\n\n"
                                  "1 2 3 4 5 6\n";
    write_file("colours.nrrd", colours, strlen(colours));
    refused("colours.nrrd", "kinds: axis 1 holds the parts of a value; one number a voxel is read");
    // values of two volumes by turns: three axes of these four would be no volume
    static const char turns[] = "NRRD0004\ntype: uchar\nencoding: ascii\ndimension: 4\n"
                                "sizes: 2 1 1 2\nkinds: list domain domain domain\n\n1 2 3 4\n";
    write_file("turns.nrrd", turns, strlen(turns));
    refused("turns.nrrd", "kinds: axis 1 is a list of volumes; the first of several is read where "
                          "that axis is the last");
}

// The limit is looked at before memory is taken.
static void no_more_voxels_than_allowed(void **state)
{
    (void)state;
    rv_volume_file v;
    rv_messages messages = {0};
    assert_false(rv_volume_file_load_most(CORPUS "nrrd/raw.nrrd", 23, &v, &messages));
    assert_non_null(strstr(messages.text, "voxels are more than voxels_max, which is 23"));
    assert_true(rv_volume_file_load_most(CORPUS "nrrd/raw.nrrd", 24, &v, &messages));
    rv_volume_file_free(&v);
}

// Every type, and a unit, from values beside the header.
static void nrrd_types_and_files_beside(void **state)
{
    (void)state;
    static const struct {
        const char *type, *name;
        unsigned char bytes[8];
        size_t size;
        double value;
    } types[] = {
        {"signed char", "int8", {0xfe}, 1, -2},
        {"uint8_t", "uint8", {0xfe}, 1, 254},
        {"int16", "int16", {0xfe, 0xff}, 2, -2},
        {"unsigned short int", "uint16", {0xfe, 0xff}, 2, 65534},
        {"int", "int32", {0xfe, 0xff, 0xff, 0xff}, 4, -2},
        {"uint", "uint32", {0, 0, 0, 0x80}, 4, 2147483648.0},
        {"long long", "int64", {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 8, -2},
        {"uint64", "uint64", {0, 0, 0, 0, 0, 0, 0, 0x80}, 8, 9223372036854775808.0},
        {"float", "float32", {0, 0, 0xc0, 0x3f}, 4, 1.5},
        {"double", "float64", {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 8, 1.5},
    };
    mkdir("inner", 0777); // it may be there from the last time
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char head[512];
        rv_volume_file v;
        snprintf(head, sizeof head,
                 "NRRD0005\ntype: %s\ndimension: 3\nsizes: 1 1 1\nendian: little\nencoding: raw\n"
                 "space: RAS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n"
                 "space units: \"microns\" \"microns\" \"microns\"\ndata file: value.raw\n",
                 types[i].type);
        write_file("inner/value.raw", types[i].bytes, types[i].size);
        write_file("inner/value.nhdr", head, strlen(head));
        load("inner/value.nhdr", &v);
        assert_true((double)v.values[0] == types[i].value);
        assert_string_equal(v.type, types[i].name);
        assert_int_equal(v.unit, RV_UNIT_UM);
        rv_volume_file_free(&v);
    }
    static const char above[] = "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 1 1 1\nencoding: raw\n"
                                "data file: ../value.raw\n";
    write_file("value.raw", "x", 1);
    write_file("inner/above.nhdr", above, strlen(above));
    refused("inner/above.nhdr", "data file: `../value.raw` is not in its own folder");
}

static void nrrd_refused(void **state)
{
    (void)state;
    refused(CORPUS "nrrd/cut.nrrd", "cut short: 48 bytes of values announced, 47 there");
    refused(CORPUS "nrrd/large.nrrd", "60000 x 60000 x 60000 voxels are more than 1073741824");
    refused(CORPUS "nrrd/overflow.nrrd",
            "sizes: `4294967296 4294967296 99999999999999999999` makes no sense");
    refused(CORPUS "nrrd/bzip2.nrrd", "encoding: `bzip2` is not read; raw, ascii and gzip are");
    refused(CORPUS "nrrd/outside.nrrd",
            "data file: `../../../../etc/passwd` is not in its own folder");
    refused(CORPUS "nrrd/list.nrrd", "data file: several data files are not read");
    refused(CORPUS "nrrd/flat.nrrd", "its spacings or space directions span no volume");
    refused(CORPUS "nrrd/nan.nrrd", "its spacings or space directions span no volume");
    refused(CORPUS "nrrd/two.nrrd", "2 axes; a volume has 3");
    refused(CORPUS "nrrd/type.nrrd", "type: `block` is not read");
    refused(CORPUS "nrrd/text_cut.nrrd", "cut short or damaged: 24 values announced, 21 there");
    refused(CORPUS "nrrd/head.nrrd", "begins with `NRRD0009`; NRRD0001 to NRRD0005 are read");
    refused(CORPUS "nrrd/line.nrrd", "`no field` is no line of an NRRD header");
}

// ---- Height maps --------------------------------------------------------------------------------

static void load_heights(const char *path, rv_height_file *map, int nx, int ny, int bits)
{
    rv_messages messages = {0};
    bool good = rv_height_file_load(path, map, &messages);
    if (!good) print_message("%s\n", messages.text);
    assert_true(good);
    assert_int_equal(map->nx, nx);
    assert_int_equal(map->ny, ny);
    assert_int_equal(map->bits, bits);
}

static void heights_from_below(void **state)
{
    (void)state;
    static const char *const files[] = {CORPUS "height/grey16.png", CORPUS "height/chunks.png"};
    rv_height_file map;
    for (int i = 0; i < 2; i++) {
        load_heights(files[i], &map, 5, 4, 16);
        for (int y = 0; y < 4; y++) // row 0 is the picture's last
            for (int x = 0; x < 5; x++)
                assert_true(map.share[y * 5 + x] == (float)(1000 * (3 - y) + 100 * x) / 65535.0f);
        rv_height_file_free(&map);
    }
    load_heights(CORPUS "height/grey8.png", &map, 5, 4, 8);
    assert_true(map.share[0] == 30.0f * 257.0f / 65535.0f);
    assert_true(map.share[19] == 4.0f * 257.0f / 65535.0f);
    rv_height_file_free(&map);
    load_heights(CORPUS "height/palette.png", &map, 9, 2, 1);
    for (int x = 0; x < 9; x++) assert_true(map.share[9 + x] == (x % 2 == 0 ? 1.0f : 0.0f));
    rv_height_file_free(&map);
    load_heights(CORPUS "height/rgba16.png", &map, 2, 2, 16);
    rv_height_file_free(&map);
    load_heights(CORPUS "height/interlaced.png", &map, 1, 1, 8);
    assert_true(map.share[0] == 128.0f * 257.0f / 65535.0f);
    rv_height_file_free(&map);
}

static void heights_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *why;
    } bad[] = {
        {"cut.png", "cut short: 44 bytes of pixels announced, 0 there"},
        {"head.png", "a PNG without a header"},
        {"large.png", "16385 x 16385 pixels; 1 to 16384 along each side are possible"},
        {"edge.png", "cut short: 2147500032 bytes of pixels announced, 44 there"},
        {"bomb.png", "holds more pixels than its size says"},
        {"few.png", "cut short: 4040 bytes of pixels announced, 44 there"},
        {"depth.png", "colour type 0 with 7 bits, which cannot be"},
        {"not.png", "is no PNG"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char path[1024], line[2048];
        rv_height_file map;
        rv_messages messages = {0};
        snprintf(path, sizeof path, CORPUS "height/%s", bad[i].file);
        snprintf(line, sizeof line, "%s: %s", path, bad[i].why);
        assert_false(rv_height_file_load(path, &map, &messages));
        assert_string_equal(messages.text, line);
        assert_int_equal(messages.count, 1);
        assert_null(map.share);
    }
}

// ---- Cut anywhere -------------------------------------------------------------------------------

static void cut_anywhere(void **state)
{
    (void)state;
    static const char *const files[] = {"nifti/sform.nii", "nifti/float.nii.gz", "nrrd/raw.nrrd",
                                        "nrrd/gzip.nrrd"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        rv_messages messages = {0};
        rv_file_bytes file;
        snprintf(path, sizeof path, CORPUS "%s", files[i]);
        assert_true(rv_file_read(path, 1 << 20, &file, &messages));
        // gzip ends with a checksum and a length, without which all the values are there already
        size_t vital = file.size - (strstr(path, "gz") ? 9 : 0);
        for (size_t size = 0; size < vital; size++) {
            rv_volume_file v;
            rv_messages told = {0};
            bool good = rv_volume_file_load_memory(file.data, size, "", "cut", &v, &told);
            assert_false(good);
            assert_int_equal(told.count, 1);
            assert_memory_equal(told.text, "cut: ", 5);
        }
        rv_file_bytes_free(&file);
    }
}

static void extensions(void **state)
{
    (void)state;
    assert_true(rv_volume_file_is("a/b.nii.gz") && rv_volume_file_is("B.NRRD"));
    assert_false(rv_volume_file_is("a.gz") || rv_volume_file_is("nii") ||
                 rv_volume_file_is("a.nii/b"));
    assert_true(rv_height_file_is("x.PNG"));
    assert_false(rv_height_file_is("x.jpg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nifti_values_and_places),
        cmocka_unit_test(nifti_other_ways),
        cmocka_unit_test(nifti_of_another_tool),
        cmocka_unit_test(nifti_pairs),
        cmocka_unit_test(nifti_refused),
        cmocka_unit_test(nrrd_values_and_places),
        cmocka_unit_test(nrrd_other_ways),
        cmocka_unit_test(nrrd_places_along_axes),
        cmocka_unit_test(nrrd_frames),
        cmocka_unit_test(no_more_voxels_than_allowed),
        cmocka_unit_test(nrrd_types_and_files_beside),
        cmocka_unit_test(nrrd_refused),
        cmocka_unit_test(heights_from_below),
        cmocka_unit_test(heights_refused),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(extensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
