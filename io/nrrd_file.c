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
        {"sizes", h->sizes},    {"spacings", h->spacings}, {"space directions", h->directions},
        {"axis mins", h->lows}, {"axis maxs", h->highs},   {"centers", h->centers},
        {"kinds", h->kinds}};
    for (int i = 0; i < (int)(sizeof lists / sizeof lists[0]); i++)
        if (lists[i].count != h->dimension && (i == 0 || lists[i].count != 0))
            return rv_volume_refuse(reader, "%s: %d are given for a dimension of %d", lists[i].name,
                                    lists[i].count, h->dimension);
    if (h->encoding != RV_NRRD_TEXT && rv_scalar_bytes(h->type) > 1 && h->endian == 0)
        return rv_volume_refuse(reader, "endian is missing");
    return true;
}

// Which three axes of the file are the volume's: of more than three, those of one voxel fall away,
// the ones without a place in space first; then the slowest, along which there are frames, of which
// the first is taken.
static bool choose_axes(const rv_volume_reader *reader, const rv_nrrd_header *h, int axis[3],
                        int64_t *frames)
{
    bool gone[RV_NRRD_AXES_MAX] = {false};
    int left = h->dimension;
    *frames = 1;
    for (int pass = 0; pass < 3; pass++)
        for (int i = h->dimension - 1; i >= 0 && left > 3; i--) {
            bool placeless = h->directions && !h->has_direction[i];
            if (gone[i] || (pass < 2 && h->size[i] != 1) || (pass == 0 && !placeless)) continue;
            if (h->size[i] > INT32_MAX / *frames)
                return rv_volume_refuse(reader, "more than %d frames", INT32_MAX);
            gone[i] = true;
            *frames *= h->size[i];
            left--;
        }
    if (left != 3) return rv_volume_refuse(reader, "%d axes; a volume has 3", left);
    for (int i = 0, n = 0; i < h->dimension; i++)
        if (!gone[i]) axis[n++] = i;
    for (int n = 0; n < 3 && h->kinds; n++) {
        if (h->mixed[axis[n]])
            return rv_volume_refuse(reader,
                                    "kinds: axis %d holds the parts of a value; one number "
                                    "a voxel is read",
                                    axis[n] + 1);
        if (h->listed[axis[n]] && h->size[axis[n]] > 1)
            return rv_volume_refuse(reader,
                                    "kinds: axis %d is a list of volumes; the first of several is "
                                    "read where that axis is the last",
                                    axis[n] + 1);
    }
    return true;
}

static rv_vec3 turned(rv_vec3 v, rv_vec3 sign)
{
    return (rv_vec3){v.x * sign.x, v.y * sign.y, v.z * sign.z};
}

// Along an axis without a direction: the distance of voxels, with the sign that the axis has, and
// the place of the first. Mins and maxs are those of the outer sides of voxels unless the axis is
// centered on nodes, as the format's own library takes it.
static void place_along(const rv_nrrd_header *h, int a, double *spacing, double *first)
{
    bool low = h->lows && !isnan(h->low[a]), high = h->highs && !isnan(h->high[a]);
    bool node = h->centers && h->node[a];
    double parts = (double)(node && h->size[a] > 1 ? h->size[a] - 1 : h->size[a]);
    *spacing = 1, *first = 0;
    if (h->spacings && !isnan(h->spacing[a]))
        *spacing = h->spacing[a];
    else if (low && high && h->low[a] != h->high[a])
        *spacing = (h->high[a] - h->low[a]) / parts;
    double half = node ? 0 : 0.5 * *spacing;
    if (low)
        *first = h->low[a] + half;
    else if (high)
        *first = h->high[a] - *spacing * parts + half;
}

static bool set_places(const rv_volume_reader *reader, const rv_nrrd_header *h, const int axis[3],
                       int64_t frames)
{
    rv_volume_file *out = reader->out;
    bool directed = h->directions > 0;
    double first[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        int a = axis[i];
        if (directed && !h->has_direction[a])
            return rv_volume_refuse(reader, "space directions: axis %d has none", a + 1);
        double along[3] = {0, 0, 0};
        if (!directed) place_along(h, a, &along[i], &first[i]);
        out->step[i] = directed ? turned(h->direction[a], h->sign)
                                : turned((rv_vec3){along[0], along[1], along[2]}, h->sign);
    }
    bool own = directed || h->has_origin;
    out->first = turned(own ? h->origin : (rv_vec3){first[0], first[1], first[2]}, h->sign);
    if (!rv_volume_steps_good(out))
        return rv_volume_refuse(reader, "its spacings or space directions span no volume");
    out->unit = h->unit == RV_UNIT_AUTO ? RV_UNIT_MM : h->unit;
    char more[48] = "";
    if (frames > 1) snprintf(more, sizeof more, ", first of %d frames", (int)frames);
    snprintf(out->note, sizeof out->note, "%s%s%s",
             directed              ? "space directions"
             : h->lows || h->highs ? "axis mins and maxs"
             : h->spacings         ? "spacing only"
                                   : "no spacing, 1 taken",
             h->sign.x < 0 ? ", turned to right-anterior-superior" : "", more);
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
static bool take_binary(const rv_volume_reader *reader, const rv_nrrd_header *h, int64_t frames,
                        const unsigned char *data, size_t size)
{
    const rv_volume_file *out = reader->out;
    bool gzip = h->encoding == RV_NRRD_GZIP;
    uint64_t most = rv_source_most(size, gzip), skip = (uint64_t)h->byte_skip;
    uint64_t need =
        (uint64_t)out->nx * (uint64_t)out->ny * (uint64_t)out->nz * rv_scalar_bytes(h->type);
    if (h->byte_skip < 0) {
        if (gzip) return rv_volume_refuse(reader, "byte skip: -1 goes with raw values only");
        // the edge limit keeps `need` below 2^33, and there are fewer than 2^31 frames
        need *= (uint64_t)frames;
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

static bool take_values(const rv_volume_reader *reader, const rv_nrrd_header *h, int64_t frames,
                        const unsigned char *data, size_t size)
{
    for (int64_t i = 0; i < h->line_skip; i++) {
        const unsigned char *newline = memchr(data, '\n', size);
        if (!newline) return rv_volume_refuse(reader, "cut short before its values");
        size -= (size_t)(newline + 1 - data);
        data = newline + 1;
    }
    if (h->encoding != RV_NRRD_TEXT) return take_binary(reader, h, frames, data, size);
    if (h->byte_skip < 0 || (uint64_t)h->byte_skip > size)
        return rv_volume_refuse(reader, "cut short before its values");
    snprintf(reader->out->type, sizeof reader->out->type, "%s", rv_scalar_name(h->type));
    return take_text(reader, (const char *)data + h->byte_skip, size - (size_t)h->byte_skip);
}

static bool take_from_file(const rv_volume_reader *reader, const rv_nrrd_header *h, int64_t frames)
{
    if (!reader->path) return rv_volume_refuse(reader, "its values are in another file");
    char *path = rv_file_beside(reader->path, h->data_file);
    if (!path)
        return rv_volume_refuse(reader, "data file: `%.60s` is not in its own folder",
                                h->data_file);
    rv_file_bytes file;
    bool good = rv_file_read(path, RV_VOLUME_BYTES_MAX, &file, reader->messages);
    if (good) {
        good = take_values(reader, h, frames, file.data, file.size);
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
    int64_t frames = 1;
    if (!rv_nrrd_header_read(reader, file, &header, &data)) return false;
    if (!check_lists(reader, &header) || !choose_axes(reader, &header, axis, &frames)) return false;
    if (!rv_volume_set_size(reader, header.size[axis[0]], header.size[axis[1]],
                            header.size[axis[2]]) ||
        !set_places(reader, &header, axis, frames))
        return false;
    snprintf(reader->out->format, sizeof reader->out->format, "nrrd");
    if (header.data_file) return take_from_file(reader, &header, frames);
    return take_values(reader, &header, frames, file->data + data, file->size - data);
}
