// From bytes of any scalar type and byte order to the floats of a volume, in pieces, so that only
// the floats take memory.
#include "io/volume_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 4096       // values converted at once
#define VALUE_MOST 1e30f // for what is infinite

static const struct {
    const char *name;
    size_t bytes;
} scalars[] = {
    [RV_SCALAR_NONE] = {"", 0},           [RV_SCALAR_INT8] = {"int8", 1},
    [RV_SCALAR_UINT8] = {"uint8", 1},     [RV_SCALAR_INT16] = {"int16", 2},
    [RV_SCALAR_UINT16] = {"uint16", 2},   [RV_SCALAR_INT32] = {"int32", 4},
    [RV_SCALAR_UINT32] = {"uint32", 4},   [RV_SCALAR_INT64] = {"int64", 8},
    [RV_SCALAR_UINT64] = {"uint64", 8},   [RV_SCALAR_FLOAT32] = {"float32", 4},
    [RV_SCALAR_FLOAT64] = {"float64", 8},
};
#define SCALARS ((int)(sizeof scalars / sizeof scalars[0]))

size_t rv_scalar_bytes(rv_scalar type)
{
    return scalars[type].bytes;
}

const char *rv_scalar_name(rv_scalar type)
{
    return scalars[type].name;
}

rv_scalar rv_scalar_named(const char *name)
{
    for (int i = 1; i < SCALARS; i++)
        if (strcmp(scalars[i].name, name) == 0) return (rv_scalar)i;
    return RV_SCALAR_NONE;
}

bool rv_volume_refuse(const rv_volume_reader *reader, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    rv_file_refuse(reader->name, line, reader->messages);
    return false;
}

bool rv_volume_set_size(const rv_volume_reader *reader, int64_t nx, int64_t ny, int64_t nz)
{
    int64_t size[3] = {nx, ny, nz};
    for (int i = 0; i < 3; i++)
        if (size[i] < 1 || size[i] > RV_VOLUME_EDGE_MAX)
            return rv_volume_refuse(reader, "%lld voxels along axis %d; 1 to %d are possible",
                                    (long long)size[i], i + 1, RV_VOLUME_EDGE_MAX);
    // The edge limit keeps this below 2^48.
    if ((uint64_t)(nx * ny * nz) > RV_VOLUME_VOXELS_MAX)
        return rv_volume_refuse(reader, "%lld x %lld x %lld voxels are more than %zu",
                                (long long)nx, (long long)ny, (long long)nz, RV_VOLUME_VOXELS_MAX);
    if (nx * ny * nz > reader->voxels)
        return rv_volume_refuse(
            reader, "%lld x %lld x %lld voxels are more than voxels_max, which is %lld",
            (long long)nx, (long long)ny, (long long)nz, (long long)reader->voxels);
    reader->out->nx = (int)nx, reader->out->ny = (int)ny, reader->out->nz = (int)nz;
    return true;
}

static size_t voxels(const rv_volume_file *volume)
{
    return (size_t)volume->nx * (size_t)volume->ny * (size_t)volume->nz;
}

static bool finite3(rv_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static double length3(rv_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

bool rv_volume_steps_good(const rv_volume_file *volume)
{
    const rv_vec3 a = volume->step[0], b = volume->step[1], c = volume->step[2];
    if (!finite3(volume->first) || !finite3(a) || !finite3(b) || !finite3(c)) return false;
    double product = length3(a) * length3(b) * length3(c);
    double whole = a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) +
                   a.z * (b.x * c.y - b.y * c.x);
    return product > 0 && isfinite(product) && fabs(whole) > 1e-6 * product;
}

bool rv_volume_fits(const rv_volume_reader *reader, rv_scalar type, uint64_t there, bool gzip)
{
    uint64_t need = (uint64_t)voxels(reader->out) * rv_scalar_bytes(type);
    if (need <= there) return true;
    return rv_volume_refuse(reader, "cut short: %llu bytes of values announced, %s%llu there",
                            (unsigned long long)need, gzip ? "at most " : "",
                            (unsigned long long)there);
}

float rv_volume_value(double value)
{
    if (value > (double)VALUE_MOST) return VALUE_MOST;
    if (value < -(double)VALUE_MOST) return -VALUE_MOST;
    return (float)value; // NaN stays
}

static void swap_bytes(unsigned char *bytes, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++)
        for (size_t low = i * width, high = low + width - 1; low < high; low++, high--) {
            unsigned char kept = bytes[low];
            bytes[low] = bytes[high], bytes[high] = kept;
        }
}

// One loop per type; the bytes may lie anywhere, so they are copied out.
#define CONVERT(name, type)                                                                        \
    static void name(const unsigned char *bytes, size_t count, const rv_value_layout *l,           \
                     float *out)                                                                   \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            type value;                                                                            \
            memcpy(&value, bytes + i * sizeof value, sizeof value);                                \
            out[i] = rv_volume_value(l->slope * (double)value + l->inter);                         \
        }                                                                                          \
    }
CONVERT(from_int8, int8_t)
CONVERT(from_uint8, uint8_t)
CONVERT(from_int16, int16_t)
CONVERT(from_uint16, uint16_t)
CONVERT(from_int32, int32_t)
CONVERT(from_uint32, uint32_t)
CONVERT(from_int64, int64_t)
CONVERT(from_uint64, uint64_t)
CONVERT(from_float32, float)
CONVERT(from_float64, double)
#undef CONVERT

static void convert(const unsigned char *bytes, size_t count, const rv_value_layout *l, float *out)
{
    static void (*const from[])(const unsigned char *, size_t, const rv_value_layout *, float *) = {
        [RV_SCALAR_INT8] = from_int8,       [RV_SCALAR_UINT8] = from_uint8,
        [RV_SCALAR_INT16] = from_int16,     [RV_SCALAR_UINT16] = from_uint16,
        [RV_SCALAR_INT32] = from_int32,     [RV_SCALAR_UINT32] = from_uint32,
        [RV_SCALAR_INT64] = from_int64,     [RV_SCALAR_UINT64] = from_uint64,
        [RV_SCALAR_FLOAT32] = from_float32, [RV_SCALAR_FLOAT64] = from_float64,
    };
    from[l->type](bytes, count, l, out);
}

bool rv_volume_take(const rv_volume_reader *reader, rv_byte_source *source,
                    const rv_value_layout *layout)
{
    unsigned char piece[PIECE * 8];
    size_t count = voxels(reader->out), width = rv_scalar_bytes(layout->type);
    float *values = malloc(count * sizeof *values);
    if (!values) return rv_volume_refuse(reader, "not enough memory");
    for (size_t done = 0; done < count;) {
        size_t part = count - done < PIECE ? count - done : PIECE;
        size_t got = rv_source_read(source, piece, part * width);
        if (got != part * width) {
            free(values);
            return rv_volume_refuse(
                reader, "cut short or damaged: %llu bytes of values announced, %llu there",
                (unsigned long long)count * width, (unsigned long long)done * width + got);
        }
        if (layout->swap) swap_bytes(piece, part, width);
        convert(piece, part, layout, values + done);
        done += part;
    }
    reader->out->values = values;
    snprintf(reader->out->type, sizeof reader->out->type, "%s", rv_scalar_name(layout->type));
    return true;
}
