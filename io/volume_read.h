// What the readers of volumes share: types of values, limits, and from bytes to floats. Not for
// other folders.
#ifndef IO_VOLUME_READ_H
#define IO_VOLUME_READ_H

#include "io/file_bytes.h"
#include "io/volume_file.h"

typedef enum rv_scalar {
    RV_SCALAR_NONE,
    RV_SCALAR_INT8,
    RV_SCALAR_UINT8,
    RV_SCALAR_INT16,
    RV_SCALAR_UINT16,
    RV_SCALAR_INT32,
    RV_SCALAR_UINT32,
    RV_SCALAR_INT64,
    RV_SCALAR_UINT64,
    RV_SCALAR_FLOAT32,
    RV_SCALAR_FLOAT64
} rv_scalar;

size_t rv_scalar_bytes(rv_scalar type);
const char *rv_scalar_name(rv_scalar type);
rv_scalar rv_scalar_named(const char *name); // by rv_scalar_name; NONE when there is no such

// One volume being read. `path`: where files beside it are looked for; NULL when from memory.
typedef struct rv_volume_reader {
    const char *path, *name; // name: in messages
    rv_volume_file *out;
    rv_messages *messages;
    int64_t voxels; // at most
} rv_volume_reader;

// Adds the line `NAME: …`; always false.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool rv_volume_refuse(const rv_volume_reader *reader, const char *format, ...);

// How the values lie in the file.
typedef struct rv_value_layout {
    rv_scalar type;
    bool swap;           // the other byte order than this machine's
    double slope, inter; // value = slope * stored + inter
} rv_value_layout;

// Checks the size against the limits, and sets it.
bool rv_volume_set_size(const rv_volume_reader *reader, int64_t nx, int64_t ny, int64_t nz);
// Checks that first and step are finite and the steps independent.
bool rv_volume_steps_good(const rv_volume_file *volume);
// Takes all values from the source. The caller has checked that so many bytes can be there.
// Infinite ones are cut to ±1e30, so that they can be interpolated.
bool rv_volume_take(const rv_volume_reader *reader, rv_byte_source *source,
                    const rv_value_layout *layout);
float rv_volume_value(double value);

// Bytes that are there against those that the header asks for; says so when they are too few.
bool rv_volume_fits(const rv_volume_reader *reader, rv_scalar type, uint64_t there, bool gzip);

bool rv_nifti_read(const rv_volume_reader *reader, const rv_file_bytes *file);
bool rv_nrrd_read(const rv_volume_reader *reader, rv_file_bytes *file);

#endif
