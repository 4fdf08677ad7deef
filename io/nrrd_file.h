// The header of an NRRD file, as far as it matters here. Not for other folders.
#ifndef IO_NRRD_FILE_H
#define IO_NRRD_FILE_H

#include "io/volume_read.h"

#define RV_NRRD_AXES_MAX 16

typedef enum rv_nrrd_encoding {
    RV_NRRD_NONE, // not given
    RV_NRRD_RAW,
    RV_NRRD_TEXT,
    RV_NRRD_GZIP
} rv_nrrd_encoding;

// Lists have one entry per axis of the file, fastest first.
typedef struct rv_nrrd_header {
    int dimension; // 0: not given
    int64_t size[RV_NRRD_AXES_MAX];
    int sizes;
    rv_scalar type;
    rv_nrrd_encoding encoding;
    int endian;                       // 0 not given, 1 little, 2 big
    double spacing[RV_NRRD_AXES_MAX]; // negative: the axis runs the other way; NaN: not given
    int spacings;
    double low[RV_NRRD_AXES_MAX], high[RV_NRRD_AXES_MAX]; // "axis mins", "axis maxs"; NaN likewise
    int lows, highs;
    bool node[RV_NRRD_AXES_MAX]; // low and high are places of voxels; else their outer sides
    int centers;
    bool mixed[RV_NRRD_AXES_MAX];  // along it are the parts of one value, such as colours
    bool listed[RV_NRRD_AXES_MAX]; // along it are frames: values of different volumes
    int kinds;
    bool has_direction[RV_NRRD_AXES_MAX]; // false: "none"
    rv_vec3 direction[RV_NRRD_AXES_MAX];
    int directions;
    rv_vec3 origin;
    bool has_origin;
    rv_vec3 sign;        // from the file's space to right, anterior, superior
    rv_length_unit unit; // AUTO: not given
    int64_t line_skip, byte_skip;
    char *data_file; // within the header's text; NULL: the values follow
} rv_nrrd_header;

// Reads the header in place and leaves in *data where the values begin, which may be the end.
bool rv_nrrd_header_read(const rv_volume_reader *reader, rv_file_bytes *file, rv_nrrd_header *out,
                         size_t *data);

#endif
