// What the fuzz targets share. Each fuzz/fuzz_NAME.c tries one reader with any bytes: nothing may
// crash, leak or run on, what is refused must come with one line, and what is taken must be sound.
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include "io/mesh_read.h"
#include "io/volume_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the program where a promise is broken, and says which; a fuzzer takes that for a find.
#define expect(kept) expect_kept((kept), #kept, __FILE__, __LINE__)
static inline void expect_kept(bool kept, const char *promise, const char *file, int line)
{
    if (kept) return;
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    abort();
}

static inline void expect_message(bool good, const rv_messages *messages)
{
    const char *newline = strchr(messages->text, '\n');
    expect(messages->count == (good ? 0 : 1));
    expect(good || strncmp(messages->text, "file: ", 6) == 0);
    expect(!newline || !newline[1]);
}

// Where assimp refuses a file, some of its own objects stay behind. It is the only part in C++.
#define FUZZ_ASSIMP_LEAKS                                                                          \
    const char *__lsan_default_suppressions(void);                                                 \
    const char *__lsan_default_suppressions(void)                                                  \
    {                                                                                              \
        return "leak:libstdc++\nleak:libassimp\n";                                                 \
    }

// As rv_mesh_file_load_memory, but with assimp in this process, where finds are seen.
static inline void fuzz_mesh(const uint8_t *data, size_t size, const char *extension)
{
    rv_mesh_file mesh = {0};
    rv_messages messages = {0};
    rv_mesh_reader reader = {NULL, "file", &mesh, &messages};
    rv_file_bytes file;
    expect(rv_file_copy(data, size, "file", &file, &messages));
    bool good = rv_mesh_check(&reader, &file, extension) &&
                rv_mesh_import(&reader, &file, extension) && rv_mesh_verify(&reader);
    expect_message(good, &messages);
    rv_file_bytes_free(&file);
    if (good) {
        expect(mesh.triangle_count > 0 && mesh.vertex_count > 0 && mesh.parts > 0);
        rv_triangles triangles = {mesh.positions, mesh.vertex_count, mesh.indices,
                                  mesh.triangle_count};
        rv_form_def def = rv_default_form_def();
        rv_form_work work = rv_default_form_work();
        rv_form *form = NULL;
        rv_messages told = {0};
        rv_result result = rv_form_from_triangles(&triangles, &def, &work, &form, NULL, &told);
        expect((result == RV_OK) == (form != NULL));
        rv_form_free(form);
    }
    rv_mesh_file_free(&mesh);
}

static inline void fuzz_volume(const uint8_t *data, size_t size, const char *extension)
{
    rv_volume_file volume;
    rv_messages messages = {0};
    bool good = rv_volume_file_load_memory(data, size, extension, "file", &volume, &messages);
    expect_message(good, &messages);
    if (good) {
        size_t count = (size_t)volume.nx * (size_t)volume.ny * (size_t)volume.nz;
        for (size_t i = 0; i < count; i++) expect(!isinf(volume.values[i]));
        expect(isfinite(volume.step[2].z) && volume.type[0] && volume.note[0]);
        rv_volume lattice = {.nx = volume.nx,
                             .ny = volume.ny,
                             .nz = volume.nz,
                             .values = volume.values,
                             .first = volume.first,
                             .step = {volume.step[0], volume.step[1], volume.step[2]}};
        rv_form_def def = rv_default_form_def();
        rv_form_work work = rv_default_form_work();
        rv_form *form = NULL;
        rv_messages told = {0};
        rv_result result = rv_form_from_volume(&lattice, &def, &work, &form, NULL, &told);
        expect((result == RV_OK) == (form != NULL));
        rv_form_free(form);
    }
    rv_volume_file_free(&volume);
}

#endif
