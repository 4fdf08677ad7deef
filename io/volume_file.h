// Volumes from files: NIfTI (.nii, .nii.gz, .hdr with .img) and NRRD (.nrrd, .nhdr with its data).
//
// Axes are turned so that x is to the right, y to the front (anterior) and z up (superior), which
// is NIfTI's way; an NRRD in other medical spaces is turned, one without a space is taken as it is.
// Files are not trusted: a file that cannot be read is refused with one line `FILE: what is wrong`.
#ifndef IO_VOLUME_FILE_H
#define IO_VOLUME_FILE_H

#include "rivulet/form.h"

// A larger file is refused: 16 GiB, or what fits where addresses have 32 bits.
#define RV_VOLUME_BYTES_MAX ((size_t)(SIZE_MAX >> 31 > 1 ? (uint64_t)16 << 30 : (uint64_t)1 << 31))
#define RV_VOLUME_VOXELS_MAX ((size_t)1 << 30) // and one with more voxels
#define RV_VOLUME_EDGE_MAX 65536               // along one axis

// Owns its array.
typedef struct rv_volume_file {
    int nx, ny, nz;
    float *values;       // [nz][ny][nx], scaled as the file says
    rv_vec3 first;       // centre of voxel (0, 0, 0), in `unit`
    rv_vec3 step[3];     // from a voxel to the next along each index, in `unit`
    rv_length_unit unit; // m, mm or um as the file says; mm when it does not
    char format[16];     // "nifti-1", "nrrd"
    char type[16];       // of the values in the file, "int16"
    char note[128];      // where the orientation came from, frames left out: "sform"
} rv_volume_file;

// Does the extension say that a file is a volume?
bool rv_volume_file_is(const char *path);
// false: `out` is empty, and messages has one line. A data file beside the header is read from the
// header's own folder only.
bool rv_volume_file_load(const char *path, rv_volume_file *out, rv_messages *messages);
// The same, of at most so many voxels: more are refused before memory is taken for them.
bool rv_volume_file_load_most(const char *path, int64_t voxels, rv_volume_file *out,
                              rv_messages *messages);
// The same from memory, where nothing can lie beside it. `extension`: "nii", "nii.gz", "nrrd";
// `name` stands in the messages.
bool rv_volume_file_load_memory(const void *data, size_t size, const char *extension,
                                const char *name, rv_volume_file *out, rv_messages *messages);
void rv_volume_file_free(rv_volume_file *volume);

#endif
