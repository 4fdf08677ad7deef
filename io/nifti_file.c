// NIfTI-1 and NIfTI-2, one file or a pair, plain or gzipped.
//
// libnifti says what the header means (byte order, quaternion, units, scaling). It trusts what it
// reads and takes its data from files by name only, so the header is checked here first, and the
// values are read here. Orientation as the standard's section 3 has it: the sform where there is
// one (method 3), else the qform (method 2), else the spacing alone (method 1).
#include "io/volume_read.h"

#include <nifti/nifti2_io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union nifti_header {
    unsigned char bytes[sizeof(nifti_2_header)];
    nifti_1_header one;
    nifti_2_header two;
} nifti_header;

// What is needed of either version, in this machine's byte order.
typedef struct nifti_facts {
    int version; // 1 or 2
    bool swap;   // the file has the other byte order
    bool pair;   // the values are in an .img
    int64_t dim[8];
    int datatype;
    double offset; // bytes before the values
} nifti_facts;

static int32_t swap32(int32_t value)
{
    uint32_t v = (uint32_t)value;
    return (int32_t)(v >> 24 | (v >> 8 & 0xff00u) | (v << 8 & 0xff0000u) | v << 24);
}

// Bytes of the header that the first four announce; 0: it is no NIfTI.
static size_t header_size(const nifti_header *header, nifti_facts *facts)
{
    int32_t size;
    memcpy(&size, header->bytes, sizeof size);
    facts->swap = size != 348 && size != 540;
    if (facts->swap) size = swap32(size);
    facts->version = size == 540 ? 2 : 1;
    if (size == 540) return memcmp(header->two.magic, "n", 1) == 0 ? 540 : 0;
    return size == 348 ? 348 : 0;
}

static bool read_magic(const rv_volume_reader *reader, const nifti_header *header,
                       nifti_facts *facts)
{
    const char *magic = facts->version == 2 ? header->two.magic : header->one.magic;
    char version = (char)('0' + facts->version);
    if (magic[0] != 'n' || (magic[1] != '+' && magic[1] != 'i') || magic[2] != version ||
        magic[3] != '\0')
        return rv_volume_refuse(reader, "looks like ANALYZE 7.5, which is not read; NIfTI is");
    facts->pair = magic[1] == 'i';
    return true;
}

static void read_facts(const nifti_header *header, nifti_facts *facts)
{
    nifti_header h = *header;
    if (facts->swap) swap_nifti_header(&h, facts->version);
    for (int i = 0; i < 8; i++)
        facts->dim[i] = facts->version == 2 ? h.two.dim[i] : (int64_t)h.one.dim[i];
    facts->datatype = facts->version == 2 ? h.two.datatype : h.one.datatype;
    facts->offset = facts->version == 2 ? (double)h.two.vox_offset : (double)h.one.vox_offset;
}

static rv_scalar scalar_of(int datatype)
{
    switch (datatype) {
    case NIFTI_TYPE_INT8:
        return RV_SCALAR_INT8;
    case NIFTI_TYPE_UINT8:
        return RV_SCALAR_UINT8;
    case NIFTI_TYPE_INT16:
        return RV_SCALAR_INT16;
    case NIFTI_TYPE_UINT16:
        return RV_SCALAR_UINT16;
    case NIFTI_TYPE_INT32:
        return RV_SCALAR_INT32;
    case NIFTI_TYPE_UINT32:
        return RV_SCALAR_UINT32;
    case NIFTI_TYPE_INT64:
        return RV_SCALAR_INT64;
    case NIFTI_TYPE_UINT64:
        return RV_SCALAR_UINT64;
    case NIFTI_TYPE_FLOAT32:
        return RV_SCALAR_FLOAT32;
    case NIFTI_TYPE_FLOAT64:
        return RV_SCALAR_FLOAT64;
    default:
        return RV_SCALAR_NONE;
    }
}

// Frames after the first are left out; *frames says how many there are.
static bool check_facts(const rv_volume_reader *reader, const nifti_facts *facts, int64_t *frames)
{
    int64_t dims = facts->dim[0], size[7] = {1, 1, 1, 1, 1, 1, 1};
    if (dims < 1 || dims > 7)
        return rv_volume_refuse(reader, "%lld dimensions; NIfTI has 1 to 7", (long long)dims);
    for (int i = 0; i < dims; i++) size[i] = facts->dim[i + 1];
    if (!rv_volume_set_size(reader, size[0], size[1], size[2])) return false;
    *frames = 1;
    for (int i = 3; i < 7; i++) {
        // several zeros are about, where a one is meant
        int64_t more = size[i] == 0 ? 1 : size[i];
        if (more < 0 || more > INT32_MAX / *frames)
            return rv_volume_refuse(reader, "%lld frames along dimension %d", (long long)more,
                                    i + 1);
        *frames *= more;
    }
    if (scalar_of(facts->datatype) == RV_SCALAR_NONE)
        return rv_volume_refuse(reader,
                                "values of type %d (%s) are not read; whole and real ones "
                                "of 8 to 64 bits are",
                                facts->datatype, nifti_datatype_string(facts->datatype));
    double least = facts->pair ? 0 : facts->version == 2 ? 540 : 348;
    if (!(facts->offset >= least && facts->offset < 9e15) || facts->offset != floor(facts->offset))
        return rv_volume_refuse(reader, "values at byte %g, which cannot be", facts->offset);
    return true;
}

// ---- Meaning ------------------------------------------------------------------------------------

static void set_affine(rv_volume_file *out, const nifti_dmat44 *m)
{
    out->first = (rv_vec3){m->m[0][3], m->m[1][3], m->m[2][3]};
    for (int i = 0; i < 3; i++) out->step[i] = (rv_vec3){m->m[0][i], m->m[1][i], m->m[2][i]};
}

static rv_length_unit unit_of(int units)
{
    if (units == NIFTI_UNITS_METER) return RV_UNIT_M;
    if (units == NIFTI_UNITS_MICRON) return RV_UNIT_UM;
    return RV_UNIT_MM;
}

static bool set_orientation(const rv_volume_reader *reader, const nifti_image *image,
                            int64_t frames)
{
    rv_volume_file *out = reader->out;
    const char *from = NULL;
    if (image->sform_code > 0) {
        set_affine(out, &image->sto_xyz);
        if (rv_volume_steps_good(out)) from = "sform";
    }
    if (!from && image->qform_code > 0) {
        set_affine(out, &image->qto_xyz);
        if (rv_volume_steps_good(out)) from = "qform";
    }
    if (!from) {
        out->first = (rv_vec3){0, 0, 0};
        out->step[0] = (rv_vec3){fabs(image->dx), 0, 0};
        out->step[1] = (rv_vec3){0, fabs(image->dy), 0};
        out->step[2] = (rv_vec3){0, 0, fabs(image->dz)};
        if (!rv_volume_steps_good(out))
            return rv_volume_refuse(reader, "a spacing of %g x %g x %g, which cannot be", image->dx,
                                    image->dy, image->dz);
        from = image->sform_code > 0 || image->qform_code > 0
                   ? "spacing only, its transform is unusable"
                   : "spacing only";
    }
    out->unit = unit_of(image->xyz_units);
    if (frames > 1)
        snprintf(out->note, sizeof out->note, "%s, first of %lld frames", from, (long long)frames);
    else
        snprintf(out->note, sizeof out->note, "%s", from);
    return true;
}

static bool set_meaning(const rv_volume_reader *reader, const nifti_header *header,
                        const nifti_facts *facts, int64_t frames, rv_value_layout *layout)
{
    nifti_header h = *header;
    // A pair's name would be made from a file name, which is none of libnifti's business here.
    if (facts->version == 2)
        memcpy(h.two.magic, "n+2", 4);
    else
        memcpy(h.one.magic, "n+1", 4);
    nifti_set_debug_level(0); // it would write to stderr
    nifti_image *image = facts->version == 2 ? nifti_convert_n2hdr2nim(h.two, NULL)
                                             : nifti_convert_n1hdr2nim(h.one, NULL);
    if (!image) return rv_volume_refuse(reader, "its header makes no sense to libnifti");
    bool good = set_orientation(reader, image, frames);
    bool scaled = image->scl_slope != 0 && isfinite(image->scl_slope);
    *layout =
        (rv_value_layout){scalar_of(facts->datatype), facts->swap, scaled ? image->scl_slope : 1,
                          scaled && isfinite(image->scl_inter) ? image->scl_inter : 0};
    nifti_image_free(image);
    return good;
}

// ---- Values -------------------------------------------------------------------------------------

static bool take_values(const rv_volume_reader *reader, const rv_file_bytes *file, double offset,
                        const rv_value_layout *layout)
{
    bool gzip = rv_is_gzip(file->data, file->size);
    uint64_t most = rv_source_most(file->size, gzip), skip = (uint64_t)offset;
    if (!rv_volume_fits(reader, layout->type, most > skip ? most - skip : 0, gzip)) return false;
    rv_byte_source *source = rv_source_open(file->data, file->size, gzip);
    if (!source) return rv_volume_refuse(reader, "not enough memory");
    bool good = rv_source_skip(source, skip);
    if (!good) rv_volume_refuse(reader, "cut short before its values");
    good = good && rv_volume_take(reader, source, layout);
    rv_source_close(source);
    return good;
}

// "brain.hdr" → "brain.img", or "brain.img.gz" when that is there instead.
static bool take_from_pair(const rv_volume_reader *reader, double offset,
                           const rv_value_layout *layout)
{
    if (!reader->path) return rv_volume_refuse(reader, "its values are in another file");
    const char *slash = strrchr(reader->path, '/'), *dot = strrchr(reader->path, '.');
    size_t stem =
        dot && (!slash || dot > slash) ? (size_t)(dot - reader->path) : strlen(reader->path);
    char *image = malloc(stem + sizeof ".img.gz");
    if (!image) return rv_volume_refuse(reader, "not enough memory");
    memcpy(image, reader->path, stem);
    memcpy(image + stem, ".img", sizeof ".img");
    rv_messages first = {0};
    rv_file_bytes file;
    bool good = rv_file_read(image, RV_VOLUME_BYTES_MAX, &file, &first);
    if (!good) {
        memcpy(image + stem, ".img.gz", sizeof ".img.gz");
        rv_messages second = {0};
        good = rv_file_read(image, RV_VOLUME_BYTES_MAX, &file, &second);
    }
    if (!good) rv_messages_add(reader->messages, "%.800s", first.text);
    if (good) {
        good = take_values(reader, &file, offset, layout);
        rv_file_bytes_free(&file);
    }
    free(image);
    return good;
}

bool rv_nifti_read(const rv_volume_reader *reader, const rv_file_bytes *file)
{
    nifti_header header = {{0}};
    nifti_facts facts = {0};
    int64_t frames = 1;
    rv_value_layout layout;
    rv_byte_source *source =
        rv_source_open(file->data, file->size, rv_is_gzip(file->data, file->size));
    if (!source) return rv_volume_refuse(reader, "not enough memory");
    size_t there = rv_source_read(source, header.bytes, sizeof header.bytes);
    rv_source_close(source);
    size_t size = there >= 12 ? header_size(&header, &facts) : 0;
    if (size == 0) return rv_volume_refuse(reader, "is neither NIfTI nor NRRD");
    if (there < size)
        return rv_volume_refuse(reader, "cut short: a header of %zu bytes, %zu there", size, there);
    if (!read_magic(reader, &header, &facts)) return false;
    read_facts(&header, &facts);
    if (!check_facts(reader, &facts, &frames)) return false;
    if (!set_meaning(reader, &header, &facts, frames, &layout)) return false;
    snprintf(reader->out->format, sizeof reader->out->format, "nifti-%d", facts.version);
    return facts.pair ? take_from_pair(reader, facts.offset, &layout)
                      : take_values(reader, file, facts.offset, &layout);
}
