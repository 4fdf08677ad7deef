// Snapshots of a world as files: the library's bytes, unchanged, whole or not at all.
#include "io/snapshot_file.h"

#include "io/atomic_file.h"
#include "io/file_bytes.h"

#include <math.h>
#include <stdlib.h>

bool rv_snapshot_write(const char *path, const rv_world *world, rv_messages *messages)
{
    size_t size = rv_world_snapshot_size(world);
    void *buffer = malloc(size ? size : 1);
    rv_result result = buffer ? rv_world_save(world, buffer, size) : RV_OUT_OF_MEMORY;
    rv_atomic_file file = {0};
    bool good = false;
    if (result != RV_OK) {
        rv_messages_add(messages, "%s: %s", path, rv_result_text(result));
    } else if (rv_atomic_open(&file, path, messages)) {
        fwrite(buffer, 1, size, file.stream); // a short write is seen by commit
        good = rv_atomic_commit(&file, messages);
    }
    free(buffer);
    return good;
}

// More than a snapshot of this grid can be, every brick of its terrain changed and every layer
// taken.
static size_t most_bytes(const rv_world *world)
{
    const rv_params *p = rv_world_params(world);
    double layers = ceil((p->grid_top - p->grid_bottom) / (p->grid_dx * p->grid_stretch)) + 9;
    double samples = (p->grid_nx + 10.0) * (p->grid_ny + 10.0) * layers;
    double most = 32.0 * (double)rv_world_snapshot_size(world) + 8 * samples + 1e6;
    return most < (double)(SIZE_MAX / 4) ? (size_t)most : SIZE_MAX / 4;
}

bool rv_snapshot_read(const char *path, rv_world *world, rv_messages *messages)
{
    rv_file_bytes file;
    rv_messages inner = {0};
    if (!rv_file_read(path, most_bytes(world), &file, messages)) return false;
    rv_result result = rv_world_restore(world, file.data, file.size, &inner);
    const char *why = inner.text[0] ? inner.text : rv_result_text(result);
    if (result != RV_OK) rv_messages_add(messages, "%s: %.800s", path, why);
    rv_file_bytes_free(&file);
    return result == RV_OK;
}
