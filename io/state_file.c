// The state of a world as a file for other programs. Both formats come from the same arrays, so
// they cannot differ: .npz is a zip of .npy arrays, .csv has digits enough to give each float back
// exactly.
#include "io/state_file.h"

#include "io/atomic_file.h"
#include "io/npz_file.h"
#include "io/state_table.h"

#include <string.h>

static bool write_csv(const char *path, const rv_state_table *t, rv_messages *messages)
{
    rv_atomic_file file;
    if (!rv_atomic_open(&file, path, messages)) return false;
    for (int k = 0; k < t->columns; k++)
        fprintf(file.stream, "%s%c", t->column[k].name, k + 1 < t->columns ? ',' : '\n');
    for (size_t i = 0; i < t->count; i++) {
        for (int k = 0; k < t->columns; k++) {
            const rv_state_column *c = &t->column[k];
            char end = k + 1 < t->columns ? ',' : '\n';
            if (c->whole)
                fprintf(file.stream, "%d%c", (int)c->whole[i], end);
            else
                fprintf(file.stream, "%.9g%c", (double)c->real[i], end);
        }
    }
    return rv_atomic_commit(&file, messages);
}

static void add_map(rv_npz *npz, const rv_state_map *m)
{
    char shape[48];
    size_t bytes = (size_t)m->nx * (size_t)m->ny * sizeof *m->value;
    if (m->nz > 0)
        snprintf(shape, sizeof shape, "%d, %d, %d", m->nz, m->ny, m->nx), bytes *= (size_t)m->nz;
    else
        snprintf(shape, sizeof shape, "%d, %d", m->ny, m->nx);
    rv_npz_add(npz, m->name, "f4", shape, m->value, bytes);
}

static bool write_npz(const char *path, const rv_state_table *t, rv_messages *messages)
{
    rv_npz npz;
    char shape[32];
    if (!rv_npz_open(&npz, path, messages)) return false;
    snprintf(shape, sizeof shape, "%zu,", t->count);
    for (int i = 0; i < t->columns; i++) {
        const rv_state_column *c = &t->column[i];
        if (c->whole)
            rv_npz_add(&npz, c->name, "i4", shape, c->whole, t->count * sizeof *c->whole);
        else
            rv_npz_add(&npz, c->name, "f4", shape, c->real, t->count * sizeof *c->real);
    }
    for (int i = 0; i < t->maps; i++) add_map(&npz, &t->map[i]);
    for (int i = 0; i < t->scalars; i++)
        rv_npz_add(&npz, t->scalar[i].name, "f8", "", &t->scalar[i].value, sizeof(double));
    return rv_npz_commit(&npz, messages);
}

static bool is_npz(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".npz") == 0;
}

bool rv_state_write_check(const char *option, const char *path, rv_messages *messages)
{
    return rv_output_check(option, path, RV_STATE_EXTENSIONS, messages) &&
           (!is_npz(path) || rv_output_regular(option, path, messages));
}

bool rv_state_write(const char *path, const rv_world *world, rv_messages *messages)
{
    rv_state_table table;
    rv_result result = rv_state_gather(world, &table);
    bool good = result == RV_OK;
    if (!good) rv_messages_add(messages, "%s: %s", path, rv_result_text(result));
    if (good)
        good = is_npz(path) ? write_npz(path, &table, messages) : write_csv(path, &table, messages);
    rv_state_table_free(&table);
    return good;
}
