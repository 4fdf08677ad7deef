// Volumes from files: picks the reader by what the file begins with, so that a wrong extension does
// no harm.
#include "io/volume_file.h"

#include "io/volume_read.h"

#include <stdlib.h>
#include <string.h>

bool rv_volume_file_is(const char *path)
{
    static const char *const known[] = {"nii", "nii.gz", "hdr", "img", "nrrd", "nhdr"};
    char extension[16];
    rv_file_extension(path, extension, sizeof extension);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(extension, known[i]) == 0) return true;
    return false;
}

static bool read_bytes(const rv_volume_reader *reader, rv_file_bytes *file)
{
    rv_volume_file *out = reader->out;
    *out = (rv_volume_file){0};
    bool nrrd = file->size >= 4 && memcmp(file->data, "NRRD", 4) == 0;
    bool good = nrrd ? rv_nrrd_read(reader, file) : rv_nifti_read(reader, file);
    if (!good) rv_volume_file_free(out);
    return good;
}

// "brain.img" → "brain.hdr": the header comes first. NULL without memory.
static char *header_of(const char *path)
{
    size_t length = strlen(path);
    char *header = malloc(length + 1);
    if (!header) return NULL;
    memcpy(header, path, length + 1);
    char extension[16];
    rv_file_extension(path, extension, sizeof extension);
    if (strcmp(extension, "img") == 0) memcpy(header + length - 3, "hdr", 3);
    return header;
}

bool rv_volume_file_load(const char *path, rv_volume_file *out, rv_messages *messages)
{
    return rv_volume_file_load_most(path, (int64_t)RV_VOLUME_VOXELS_MAX, out, messages);
}

bool rv_volume_file_load_most(const char *path, int64_t voxels, rv_volume_file *out,
                              rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_volume_file){0};
    char *header = header_of(path);
    if (!header) {
        rv_messages_add(messages, "%s: not enough memory", path);
        return false;
    }
    rv_file_bytes file;
    rv_volume_reader reader = {header, header, out, messages, voxels};
    bool good = rv_file_read(header, RV_VOLUME_BYTES_MAX, &file, messages);
    if (good) {
        good = read_bytes(&reader, &file);
        rv_file_bytes_free(&file);
    }
    free(header);
    return good;
}

bool rv_volume_file_load_memory(const void *data, size_t size, const char *extension,
                                const char *name, rv_volume_file *out, rv_messages *messages)
{
    (void)extension; // what it begins with says more
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_volume_file){0};
    rv_file_bytes file;
    if (!rv_file_copy(data, size, name, &file, messages)) return false;
    rv_volume_reader reader = {NULL, name, out, messages, (int64_t)RV_VOLUME_VOXELS_MAX};
    bool good = read_bytes(&reader, &file);
    rv_file_bytes_free(&file);
    return good;
}

void rv_volume_file_free(rv_volume_file *volume)
{
    if (!volume) return;
    free(volume->values);
    *volume = (rv_volume_file){0};
}
