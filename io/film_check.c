// Whether a film is whole. An encoder may say that all went well when the disk was full, so the
// file itself is looked at.
//
// An .mp4 is a row of boxes, each with its length and a word of four letters, some with boxes in
// them (ISO/IEC 14496-12, section 4.2). A whole film has `mdat`, the pictures, and `moov`, which
// says where each of them is; its table `stts` counts them (8.6.1.2) and `stsz` has their lengths
// (8.7.3.2). What is cut off shows as a box that reaches past the end, or as pictures that are
// missing.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include "io/film_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOOV_MOST (1u << 30) // bytes; a day of film has some 10 MiB

typedef struct film {
    uint64_t data;              // bytes in boxes `mdat`
    uint64_t moov_at, moov_end; // 0: there is none
    uint64_t pictures, lengths; // by the tables: how many, and bytes of all
} film;

static uint64_t number(const unsigned char *bytes, int width)
{
    uint64_t value = 0;
    for (int i = 0; i < width; i++) value = value << 8 | bytes[i];
    return value;
}

// The box at `at` of `end` bytes, whose first 16 (or as many as there are) are given: where it
// ends, and where what is in it begins. 0: it reaches past the end.
static uint64_t box_end(const unsigned char head[16], uint64_t at, uint64_t end, uint64_t *inside)
{
    uint64_t left = end - at, length = left >= 8 ? number(head, 4) : 0;
    if (left < 8) return 0;
    *inside = at + 8;
    if (length == 0) return end; // it goes on to the end of the file
    if (length == 1) {
        if (left < 16) return 0;
        length = number(head + 8, 8);
        *inside = at + 16;
    }
    return length <= left && length >= *inside - at ? at + length : 0;
}

static bool look_at_boxes(FILE *file, film *f)
{
    if (fseeko(file, 0, SEEK_END) != 0) return false;
    off_t size = ftello(file);
    uint64_t at = 0, end = size > 0 ? (uint64_t)size : 0, inside = 0;
    while (at < end) {
        unsigned char head[16] = {0};
        if (fseeko(file, (off_t)at, SEEK_SET) != 0) return false;
        size_t there = fread(head, 1, sizeof head, file);
        if (there < 8) return false;
        uint64_t next = box_end(head, at, end, &inside);
        if (next == 0) return false;
        if (memcmp(head + 4, "mdat", 4) == 0) f->data += next - inside;
        if (memcmp(head + 4, "moov", 4) == 0) f->moov_at = inside, f->moov_end = next;
        at = next;
    }
    return f->moov_at > 0 && f->data > 0;
}

// The tables of the pictures. Both begin with a byte of version, three of flags.
static bool take_times(const unsigned char *b, size_t size, film *f)
{
    if (size < 8 || (size - 8) / 8 < number(b + 4, 4)) return false;
    for (uint64_t i = 0; i < number(b + 4, 4); i++) f->pictures += number(b + 8 + 8 * i, 4);
    return true;
}

static bool take_lengths(const unsigned char *b, size_t size, film *f)
{
    if (size < 12) return false;
    uint64_t each = number(b + 4, 4), count = number(b + 8, 4);
    if (each > 0)
        f->lengths += each * count;
    else if ((size - 12) / 4 < count)
        return false;
    for (uint64_t i = 0; each == 0 && i < count; i++) f->lengths += number(b + 12 + 4 * i, 4);
    return true;
}

// moov holds trak, that mdia, that minf, that stbl, and that the tables.
static bool look_into(const unsigned char *bytes, size_t size, int depth, film *f)
{
    static const char *const path[] = {"trak", "mdia", "minf", "stbl"};
    for (uint64_t at = 0, next, inside; at < size; at = next) {
        unsigned char head[16] = {0};
        memcpy(head, bytes + at, size - at < 16 ? size - at : 16);
        next = box_end(head, at, size, &inside);
        if (next == 0) return false;
        const unsigned char *in = bytes + inside;
        size_t length = (size_t)(next - inside);
        bool good = true;
        if (depth < 4 && memcmp(head + 4, path[depth], 4) == 0)
            good = look_into(in, length, depth + 1, f);
        else if (depth == 4 && memcmp(head + 4, "stts", 4) == 0)
            good = take_times(in, length, f);
        else if (depth == 4 && memcmp(head + 4, "stsz", 4) == 0)
            good = take_lengths(in, length, f);
        if (!good) return false;
    }
    return true;
}

static bool look_at_tables(FILE *file, film *f)
{
    uint64_t size = f->moov_end - f->moov_at;
    if (size > MOOV_MOST || fseeko(file, (off_t)f->moov_at, SEEK_SET) != 0) return false;
    unsigned char *bytes = malloc((size_t)size + 1);
    bool good = bytes && fread(bytes, 1, (size_t)size, file) == size &&
                look_into(bytes, (size_t)size, 0, f);
    free(bytes);
    return good;
}

bool rv_film_check(const char *path, int64_t pictures, char *why, size_t size)
{
    film f = {0};
    FILE *file = fopen(path, "rb");
    bool whole = file && look_at_boxes(file, &f) && look_at_tables(file, &f);
    if (file) fclose(file);
    if (!whole || f.lengths > f.data) {
        snprintf(why, size, "the film is cut short");
        return false;
    }
    if (f.pictures >= (uint64_t)pictures) return true;
    snprintf(why, size, "the film has %llu of its %lld pictures", (unsigned long long)f.pictures,
             (long long)pictures);
    return false;
}
