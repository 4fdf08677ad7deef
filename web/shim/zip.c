// A zip file of deflated parts, for state files as .npz: local headers with their bytes, then the
// list of them (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16).
#include <zip.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PARTS = 64, NAME = 60 };

struct zip_part {
    void *data;
    size_t size, packed_size;
    unsigned char *packed;
    char name[NAME];
    uint32_t sum, place;
    uint16_t time, date;
    int level;
};

struct zip {
    char *path;
    int parts;
    zip_source_t *part[PARTS];
};

zip_t *zip_open(const char *path, int flags, int *code)
{
    (void)flags, (void)code;
    zip_t *zip = calloc(1, sizeof *zip);
    char *copy = malloc(strlen(path) + 1);
    if (!zip || !copy) {
        free(zip), free(copy);
        return NULL;
    }
    zip->path = strcpy(copy, path);
    return zip;
}

zip_source_t *zip_source_buffer(zip_t *zip, const void *data, uint64_t size, int owned)
{
    (void)zip;
    zip_source_t *part = owned ? calloc(1, sizeof *part) : NULL;
    if (part) part->data = (void *)(uintptr_t)data, part->size = (size_t)size, part->level = 1;
    return part;
}

void zip_source_free(zip_source_t *part)
{
    if (!part) return;
    free(part->data);
    free(part->packed);
    free(part);
}

zip_int64_t zip_file_add(zip_t *zip, const char *name, zip_source_t *part, unsigned flags)
{
    (void)flags;
    if (zip->parts == PARTS || strlen(name) >= NAME) return -1;
    strcpy(part->name, name);
    zip->part[zip->parts] = part;
    return zip->parts++;
}

int zip_set_file_compression(zip_t *zip, zip_uint64_t index, int method, unsigned level)
{
    zip->part[index]->level = (int)level;
    return method == ZIP_CM_DEFLATE ? 0 : -1;
}

int zip_file_set_dostime(zip_t *zip, zip_uint64_t index, uint16_t time, uint16_t date,
                         unsigned flags)
{
    (void)flags;
    zip->part[index]->time = time, zip->part[index]->date = date;
    return 0;
}

static int pack(zip_source_t *p)
{
    z_stream z = {0};
    if (deflateInit2(&z, p->level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return -1;
    uLong most = deflateBound(&z, (uLong)p->size);
    p->packed = malloc(most);
    z.next_in = p->data, z.avail_in = (uInt)p->size;
    z.next_out = p->packed, z.avail_out = (uInt)most;
    int result = p->packed ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
    p->packed_size = (size_t)z.total_out;
    deflateEnd(&z);
    p->sum = (uint32_t)crc32(0, p->data, (uInt)p->size);
    return result == Z_STREAM_END ? 0 : -1;
}

static void put(FILE *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 255), out);
}

// What the two kinds of header share.
static void put_facts(FILE *out, const zip_source_t *p)
{
    put(out, 20, 2), put(out, 0x0800, 2), put(out, ZIP_CM_DEFLATE, 2);
    put(out, p->time, 2), put(out, p->date, 2), put(out, p->sum, 4);
    put(out, (uint32_t)p->packed_size, 4), put(out, (uint32_t)p->size, 4);
    put(out, (uint32_t)strlen(p->name), 2), put(out, 0, 2);
}

static int write_all(zip_t *zip, FILE *out)
{
    for (int i = 0; i < zip->parts; i++) {
        zip_source_t *p = zip->part[i];
        if (pack(p) != 0) return -1;
        p->place = (uint32_t)ftell(out);
        put(out, 0x04034b50, 4);
        put_facts(out, p);
        fputs(p->name, out);
        fwrite(p->packed, 1, p->packed_size, out);
    }
    uint32_t list = (uint32_t)ftell(out);
    for (int i = 0; i < zip->parts; i++) {
        const zip_source_t *p = zip->part[i];
        put(out, 0x02014b50, 4), put(out, 20, 2);
        put_facts(out, p);
        put(out, 0, 2), put(out, 0, 2), put(out, 0, 2), put(out, 0, 4), put(out, p->place, 4);
        fputs(p->name, out);
    }
    uint32_t end = (uint32_t)ftell(out);
    put(out, 0x06054b50, 4), put(out, 0, 4);
    put(out, (uint32_t)zip->parts, 2), put(out, (uint32_t)zip->parts, 2);
    put(out, end - list, 4), put(out, list, 4), put(out, 0, 2);
    return ferror(out) ? -1 : 0;
}

void zip_discard(zip_t *zip)
{
    for (int i = 0; i < zip->parts; i++) zip_source_free(zip->part[i]);
    free(zip->path);
    free(zip);
}

int zip_close(zip_t *zip)
{
    FILE *out = fopen(zip->path, "wb");
    int result = out ? write_all(zip, out) : -1;
    if (out && fclose(out) != 0) result = -1;
    if (result == 0) zip_discard(zip);
    return result;
}

const char *zip_strerror(zip_t *zip)
{
    (void)zip;
    return "the state could not be written";
}
