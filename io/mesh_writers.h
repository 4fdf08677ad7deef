// What the writers of mesh files share. Not for other folders.
//
// A writer is one function that writes to a stream whose failures are seen at its end, and a row of
// the table in mesh_write.c. Binary formats are little endian on every machine.
#ifndef IO_MESH_WRITERS_H
#define IO_MESH_WRITERS_H

#include "io/mesh_write.h"

#include <stdio.h>
#include <string.h>

static inline unsigned char *rv_put_whole(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) *to++ = (unsigned char)(value >> (8 * i) & 0xff);
    return to;
}

static inline unsigned char *rv_put_real(unsigned char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return rv_put_whole(to, bits);
}

void rv_write_wholes(FILE *out, const uint32_t *values, size_t count);
void rv_write_reals(FILE *out, const float *values, size_t count);

void rv_write_glb(FILE *out, const rv_mesh_export *mesh);
// Whether the sizes in a GLB, which have 32 bits, can tell the size of this mesh.
bool rv_glb_fits(const rv_mesh_export *mesh);

void rv_write_vtp(FILE *out, const rv_mesh_export *mesh);
// Whether the indices, which are 32 bits with a sign, can tell all of this mesh's.
bool rv_vtp_fits(const rv_mesh_export *mesh);

#endif
