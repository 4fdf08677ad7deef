// The few calls of libzip that io/npz_file.c makes, over zlib (see shim/zip.c).
#ifndef SHIM_ZIP_H
#define SHIM_ZIP_H

#include <stdint.h>

typedef struct zip zip_t;
typedef struct zip_part zip_source_t;
typedef int64_t zip_int64_t;
typedef uint64_t zip_uint64_t;
#define ZIP_CREATE 1
#define ZIP_TRUNCATE 8
#define ZIP_FL_ENC_UTF_8 2048u
#define ZIP_CM_DEFLATE 8

zip_t *zip_open(const char *path, int flags, int *code);
// Takes over the memory where `owned` is not 0.
zip_source_t *zip_source_buffer(zip_t *zip, const void *data, uint64_t size, int owned);
void zip_source_free(zip_source_t *source);
zip_int64_t zip_file_add(zip_t *zip, const char *name, zip_source_t *source, unsigned flags);
int zip_set_file_compression(zip_t *zip, zip_uint64_t index, int method, unsigned level);
int zip_file_set_dostime(zip_t *zip, zip_uint64_t index, uint16_t time, uint16_t date,
                         unsigned flags);
int zip_close(zip_t *zip); // writes the file; 0: done, and freed
void zip_discard(zip_t *zip);
const char *zip_strerror(zip_t *zip);

#endif
