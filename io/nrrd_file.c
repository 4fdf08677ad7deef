// NRRD: header and values, attached or in one file beside it; raw, as text, or gzipped.
//
// The format is defined at teem.sourceforge.net/nrrd/format.html. Positions are those of voxel
// centres; medical spaces are turned to right, anterior, superior.
#include "io/nrrd_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_lists(const rv_volume_reader *reader, const rv_nrrd_header *h)
{
    if (h->dimension == 0) return rv_volume_refuse(reader, "dimension is missing");
    if (h->type == RV_SCALAR_NONE) return rv_volume_refuse(reader, "type is missing");
    if (h->encoding == RV_NRRD_NONE) return rv_volume_refuse(reader, "encoding is missing");
    const struct {
        const char *name;
        int count;
    } lists[] = {
        {"sizes", h->sizes}, {"spacings", h->spacings}, {"space directions", h->directions}};
    for (int i = 0; i < 3; i++)
        if (lists[i].count != h->dimension && (i == 0 || lists[i].count != 0))
            return rv_volume_refuse(reader, "%s: %d are given for a dimension of %d", lists[i].name,
                                    lists[i].count, h->dimension);
    if (h->encoding != RV_NRRD_TEXT && rv_scalar_bytes(h->type) > 1 && h->endian == 0)
        return rv_volume_refuse(reader, "endian is missing");
    return true;
}

// Which three axes of the file are the volume's: of more than three, those of one voxel fall away,
// the ones without a place in space first.
static bool choose_axes(const rv_volume_reader *reader, const rv_nrrd_header *h, int axis[3])
{
    bool gone[RV_NRRD_AXES_MAX] = {false};
    int left = h->dimension;
    for (int any = 0; any < 2; any++)
        for (int i = h->dimension - 1; i >= 0 && left > 3; i--) {
            bool placeless = h->directions && !h->has_direction[i];
            if (gone[i] || h->size[i] != 1 || (!any && !placeless)) continue;
            gone[i] = true;
            left--;
        }
    if (left != 3) return rv_volume_refuse(reader, "%d axes; a volume has 3", left);
    for (int i = 0, n = 0; i < h->dimension; i++)
        if (!gone[i]) axis[n++] = i;
    return true;
}

static rv_vec3 turned(rv_vec3 v, rv_vec3 sign)
{
    return (rv_vec3){v.x * sign.x, v.y * sign.y, v.z * sign.z};
}

static bool set_places(const rv_volume_reader *reader, const rv_nrrd_header *h, const int axis[3])
{
    rv_volume_file *out = reader->out;
    bool directed = h->directions > 0;
    for (int i = 0; i < 3; i++) {
        int a = axis[i];
        if (directed && !h->has_direction[a])
            return rv_volume_refuse(reader, "space directions: axis %d has none", a + 1);
        double spacing = h->spacings && !isnan(h->spacing[a]) ? fabs(h->spacing[a]) : 1;
        double along[3] = {0, 0, 0};
        along[i] = spacing;
        out->step[i] = directed ? turned(h->direction[a], h->sign)
                                : turned((rv_vec3){along[0], along[1], along[2]}, h->sign);
    }
    out->first = turned(h->origin, h->sign);
    if (!rv_volume_steps_good(out))
        return rv_volume_refuse(reader, "its spacings or space directions span no volume");
    out->unit = h->unit == RV_UNIT_AUTO ? RV_UNIT_MM : h->unit;
    snprintf(out->note, sizeof out->note, "%s%s",
             directed      ? "space directions"
             : h->spacings ? "spacing only"
                           : "no spacing, 1 taken",
             h->sign.x < 0 ? ", turned to right-anterior-superior" : "");
    return true;
}

// ---- Values -------------------------------------------------------------------------------------

// Text: numbers with blanks or commas between. `text` ends with a zero byte.
static bool take_text(const rv_volume_reader *reader, const char *text, size_t size)
{
    rv_volume_file *out = reader->out;
    size_t count = (size_t)out->nx * (size_t)out->ny * (size_t)out->nz, have = 0;
    if (size / 2 + 1 < count) // a digit and a blank each
        return rv_volume_refuse(reader, "cut short: %zu values announced, %zu bytes there", count,
                                size);
    out->values = malloc(count * sizeof *out->values);
    if (!out->values) return rv_volume_refuse(reader, "not enough memory");
    for (const char *at = text; have < count; have++) {
        while (isspace((unsigned char)*at) || *at == ',') at++;
        char *end;
        double value = strtod(at, &end);
        if (end == at) break;
        out->values[have] = rv_volume_value(value);
        at = end;
    }
    if (have < count)
        return rv_volume_refuse(reader, "cut short or damaged: %zu values announced, %zu there",
                                count, have);
    return true;
}

static bool little_machine(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

// Raw or gzipped. A skip of -1: the values are the last bytes.
static bool take_binary(const rv_volume_reader *reader, const rv_nrrd_header *h,
                        const unsigned char *data, size_t size)
{
    const rv_volume_file *out = reader->out;
    bool gzip = h->encoding == RV_NRRD_GZIP;
    uint64_t most = rv_source_most(size, gzip), skip = (uint64_t)h->byte_skip;
    uint64_t need =
        (uint64_t)out->nx * (uint64_t)out->ny * (uint64_t)out->nz * rv_scalar_bytes(h->type);
    if (h->byte_skip < 0) {
        if (gzip) return rv_volume_refuse(reader, "byte skip: -1 goes with raw values only");
        skip = most > need ? most - need : 0;
    }
    if (!rv_volume_fits(reader, h->type, most > skip ? most - skip : 0, gzip)) return false;
    rv_value_layout layout = {h->type, h->endian != 0 && (h->endian == 1) != little_machine(), 1,
                              0};
    rv_byte_source *source = rv_source_open(data, size, gzip);
    if (!source) return rv_volume_refuse(reader, "not enough memory");
    bool good = rv_source_skip(source, skip);
    if (!good) rv_volume_refuse(reader, "cut short before its values");
    good = good && rv_volume_take(reader, source, &layout);
    rv_source_close(source);
    return good;
}

static bool take_values(const rv_volume_reader *reader, const rv_nrrd_header *h,
                        const unsigned char *data, size_t size)
{
    for (int64_t i = 0; i < h->line_skip; i++) {
        const unsigned char *newline = memchr(data, '\n', size);
        if (!newline) return rv_volume_refuse(reader, "cut short before its values");
        size -= (size_t)(newline + 1 - data);
        data = newline + 1;
    }
    if (h->encoding != RV_NRRD_TEXT) return take_binary(reader, h, data, size);
    if (h->byte_skip < 0 || (uint64_t)h->byte_skip > size)
        return rv_volume_refuse(reader, "cut short before its values");
    snprintf(reader->out->type, sizeof reader->out->type, "%s", rv_scalar_name(h->type));
    return take_text(reader, (const char *)data + h->byte_skip, size - (size_t)h->byte_skip);
}

static bool take_from_file(const rv_volume_reader *reader, const rv_nrrd_header *h)
{
    if (!reader->path) return rv_volume_refuse(reader, "its values are in another file");
    char *path = rv_file_beside(reader->path, h->data_file);
    if (!path)
        return rv_volume_refuse(reader, "data file: `%.60s` is not in its own folder",
                                h->data_file);
    rv_file_bytes file;
    bool good = rv_file_read(path, RV_VOLUME_BYTES_MAX, &file, reader->messages);
    if (good) {
        good = take_values(reader, h, file.data, file.size);
        rv_file_bytes_free(&file);
    }
    free(path);
    return good;
}

bool rv_nrrd_read(const rv_volume_reader *reader, rv_file_bytes *file)
{
    rv_nrrd_header header;
    size_t data = 0;
    int axis[3];
    if (!rv_nrrd_header_read(reader, file, &header, &data)) return false;
    if (!check_lists(reader, &header) || !choose_axes(reader, &header, axis)) return false;
    if (!rv_volume_set_size(reader, header.size[axis[0]], header.size[axis[1]],
                            header.size[axis[2]]) ||
        !set_places(reader, &header, axis))
        return false;
    snprintf(reader->out->format, sizeof reader->out->format, "nrrd");
    if (header.data_file) return take_from_file(reader, &header);
    return take_values(reader, &header, file->data + data, file->size - data);
}
