// The columns of a world as a file for other programs. Both formats come from the same arrays, so
// they cannot differ: .npz is a zip of .npy arrays, .csv has digits enough to give each float back
// exactly.
#define _XOPEN_SOURCE 700
#include "io/state_file.h"

#include "io/atomic_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { X, Y, LAYER, WHOLES };
enum { MIN, BASE, MAX, DEPTH, LEVEL, U, V, REALS };
static const char *const whole_names[WHOLES] = {"x", "y", "layer"};
static const char *const real_names[REALS] = {"min", "base", "max", "depth", "level", "u", "v"};
#define BATCH 1024 // columns whose velocity is asked for at once

typedef struct state_arrays {
    size_t count;
    int32_t *whole[WHOLES];
    float *real[REALS];
} state_arrays;

static void free_arrays(state_arrays *a)
{
    for (int i = 0; i < WHOLES; i++) free(a->whole[i]);
    for (int i = 0; i < REALS; i++) free(a->real[i]);
    *a = (state_arrays){0};
}

static size_t count_columns(const rv_columns *c)
{
    size_t count = 0;
    for (int p = 0; p < c->planes; p++) {
        const rv_plane *plane = &c->plane[p];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++)
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t slot = rv_slot(plane, x, y);
                count += c->max[slot] > c->base[slot];
            }
    }
    return count;
}

static void copy_columns(const rv_columns *c, state_arrays *a)
{
    size_t i = 0;
    for (int p = 0; p < c->planes; p++) {
        const rv_plane *plane = &c->plane[p];
        for (int y = plane->y0; y < plane->y0 + plane->ny; y++)
            for (int x = plane->x0; x < plane->x0 + plane->nx; x++) {
                size_t slot = rv_slot(plane, x, y);
                if (!(c->max[slot] > c->base[slot])) continue;
                a->whole[X][i] = x, a->whole[Y][i] = y, a->whole[LAYER][i] = p;
                a->real[MIN][i] = c->min[slot], a->real[BASE][i] = c->base[slot];
                a->real[MAX][i] = c->max[slot], a->real[DEPTH][i] = c->depth[slot];
                a->real[LEVEL][i] = c->base[slot] + c->depth[slot];
                i++;
            }
    }
}

// Velocities come from the world's own query: a column's pipes to other layers count too.
static void ask_velocities(const rv_world *world, const rv_columns *c, state_arrays *a)
{
    rv_vec3 points[BATCH];
    rv_sample samples[BATCH];
    for (size_t from = 0; from < a->count; from += BATCH) {
        size_t n = a->count - from < BATCH ? a->count - from : BATCH;
        for (size_t i = 0; i < n; i++)
            points[i] = (rv_vec3){c->x0 + (a->whole[X][from + i] + 0.5) * c->dx,
                                  c->y0 + (a->whole[Y][from + i] + 0.5) * c->dx,
                                  (double)a->real[BASE][from + i]};
        rv_world_sample(world, points, (int)n, samples);
        for (size_t i = 0; i < n; i++) {
            bool wet = a->real[DEPTH][from + i] > 0 && samples[i].inside;
            a->real[U][from + i] = wet ? (float)samples[i].u : 0;
            a->real[V][from + i] = wet ? (float)samples[i].v : 0;
        }
    }
}

static bool gather(const rv_world *world, const rv_columns *c, state_arrays *a)
{
    *a = (state_arrays){.count = count_columns(c)};
    bool good = true;
    size_t room = a->count ? a->count : 1;
    for (int i = 0; i < WHOLES; i++) good = (a->whole[i] = calloc(room, sizeof(int32_t))) && good;
    for (int i = 0; i < REALS; i++) good = (a->real[i] = calloc(room, sizeof(float))) && good;
    if (!good) {
        free_arrays(a);
        return false;
    }
    copy_columns(c, a);
    ask_velocities(world, c, a);
    return true;
}

static bool write_csv(const char *path, const state_arrays *a, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    for (int k = 0; k < WHOLES; k++) fprintf(file.stream, "%s,", whole_names[k]);
    for (int k = 0; k < REALS; k++) fprintf(file.stream, "%s%c", real_names[k], k < V ? ',' : '\n');
    for (size_t i = 0; i < a->count; i++) {
        for (int k = 0; k < WHOLES; k++) fprintf(file.stream, "%d,", (int)a->whole[k][i]);
        for (int k = 0; k < REALS; k++)
            fprintf(file.stream, "%.9g%c", (double)a->real[k][i], k < V ? ',' : '\n');
    }
    return rv_atomic_commit(&file, messages);
}

static char byte_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

// One array in NumPy's .npy format, version 1.0: magic, length of the header, the header as a
// Python dictionary padded to a multiple of 64 bytes, the bytes. count < 0: a scalar.
static bool add_array(zip_t *zip, const char *name, const char *type, const void *data,
                      int64_t count, size_t item)
{
    char shape[32] = "", head[128], file[40];
    if (count >= 0) snprintf(shape, sizeof shape, "%lld,", (long long)count);
    int used = snprintf(head + 10, sizeof head - 10,
                        "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", byte_order(),
                        type, shape);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10); // 118 = 128 - 10
    memset(head + 10 + used, ' ', sizeof head - 11 - (size_t)used);
    head[sizeof head - 1] = '\n';

    size_t bytes = (size_t)(count < 0 ? 1 : count) * item;
    char *buffer = malloc(sizeof head + bytes);
    if (!buffer) return false;
    memcpy(buffer, head, sizeof head);
    memcpy(buffer + sizeof head, data, bytes);
    zip_source_t *source = zip_source_buffer(zip, buffer, sizeof head + bytes, 1);
    if (!source) {
        free(buffer);
        return false;
    }
    snprintf(file, sizeof file, "%s.npy", name);
    zip_int64_t index = zip_file_add(zip, file, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    // The same state gives the same file: no clock in it. Dry columns are many and compress to
    // nothing.
    return zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_DEFLATE, 1) == 0 &&
           zip_file_set_dostime(zip, (zip_uint64_t)index, 0, 0x21, 0) == 0;
}

static bool add_all(zip_t *zip, const rv_stats *stats, const rv_columns *c, const state_arrays *a)
{
    const struct {
        const char *name;
        double value;
    } scalars[] = {{"time", stats->time},
                   {"dx", c->dx},
                   {"x0", c->x0},
                   {"y0", c->y0},
                   {"volume", stats->volume}};
    bool good = true;
    for (int i = 0; i < WHOLES; i++)
        good = good && add_array(zip, whole_names[i], "i4", a->whole[i], (int64_t)a->count, 4);
    for (int i = 0; i < REALS; i++)
        good = good && add_array(zip, real_names[i], "f4", a->real[i], (int64_t)a->count, 4);
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        good = good && add_array(zip, scalars[i].name, "f8", &scalars[i].value, -1, 8);
    return good;
}

// libzip writes by name; the atomic file lends it the name of its temporary.
static bool write_npz(const char *path, const rv_stats *stats, const rv_columns *c,
                      const state_arrays *a, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    if (!file.temporary) {
        rv_messages_add(messages, "%s: an .npz cannot be written to a pipe or device", path);
        rv_atomic_abandon(&file);
        return false;
    }
    int code = 0;
    zip_t *zip = zip_open(file.temporary, ZIP_CREATE | ZIP_TRUNCATE, &code);
    bool good = zip && add_all(zip, stats, c, a);
    if (good && zip_close(zip) != 0)
        good = false;
    else if (good)
        zip = NULL;
    if (!good) {
        rv_messages_add(messages, "%s: %s", path, zip ? zip_strerror(zip) : "cannot be made");
        if (zip) zip_discard(zip);
        rv_atomic_abandon(&file);
        return false;
    }
    // libzip put a new file in place of the one that is open: open that one, for its bytes to be
    // flushed.
    file.stream = freopen(file.temporary, "r+b", file.stream);
    if (!file.stream) {
        rv_messages_add(messages, "%s: cannot be made", path);
        rv_atomic_abandon(&file);
        return false;
    }
    return rv_atomic_commit(&file, messages);
}

bool rv_state_write(const char *path, const rv_world *world, rv_messages *messages)
{
    rv_columns columns;
    rv_stats stats;
    state_arrays arrays;
    rv_result result = rv_world_columns(world, &columns);
    if (result == RV_OK) result = rv_world_stats(world, &stats);
    if (result == RV_OK && !gather(world, &columns, &arrays)) result = RV_OUT_OF_MEMORY;
    if (result != RV_OK) {
        rv_messages_add(messages, "%s: %s", path, rv_result_text(result));
        return false;
    }
    const char *dot = strrchr(path, '.');
    bool npz = dot && strcmp(dot, ".npz") == 0;
    bool good = npz ? write_npz(path, &stats, &columns, &arrays, messages)
                    : write_csv(path, &arrays, messages);
    free_arrays(&arrays);
    return good;
}
