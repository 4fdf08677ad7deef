// The files of `rivulet-mpi run`. A snapshot goes to rank 0 piece by piece, which writes it beside
// its place and moves it there when it is whole: so a rank that dies leaves the last one. Restored,
// each rank looks at all of the file, as the system maps it, and takes its own rows.
#define _POSIX_C_SOURCE 200809L
#include "mpi/run.h"

#include "app/meshes.h"
#include "io/mesh_write.h"
#include "io/scene_world.h"
#include "io/snapshot_file.h"
#include "io/state_file.h"
#include "mpi/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool rv_band_check_outputs(const rv_band_options *o)
{
    rv_messages messages = {0};
    const char *const names[] = {o->stats, o->state, o->mesh, o->terrain, o->save, o->image};
    if (o->stats) rv_output_check("--stats", o->stats, "csv", &messages);
    if (o->state) rv_state_write_check("--state", o->state, &messages);
    if (o->mesh) rv_mesh_write_check("--mesh", o->mesh, &messages);
    if (o->terrain) rv_mesh_write_check("--terrain", o->terrain, &messages);
    if (o->save) rv_output_check("--save", o->save, NULL, &messages);
    if (o->image) rv_output_check("--image", o->image, "png", &messages);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (names[i] && names[j] && rv_film_names_meet(names[i], names[j]) &&
                strncmp(names[i], "/dev/", 5) != 0)
                rv_messages_add(&messages, "%s: two outputs have this name", names[i]);
    if (messages.count > 0) rv_print_messages(&messages);
    return messages.count == 0;
}

// ---- Snapshots ----------------------------------------------------------------------------------

static bool write_piece(void *user, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, user) == count;
}

bool rv_band_save(rv_band_run *r, rv_messages *messages)
{
    rv_atomic_file file = {0};
    bool open = r->rank != 0 || rv_atomic_open(&file, r->options->save, messages);
    if (!rv_mpi_of_first(MPI_COMM_WORLD, open)) return false;
    rv_result result = rv_world_save_to(r->world, write_piece, file.stream);
    bool good = result == RV_OK;
    if (r->rank == 0 && good) {
        good = rv_atomic_commit(&file, messages);
    } else if (r->rank == 0) {
        rv_atomic_abandon(&file);
        rv_messages_add(messages, "%s: %s", r->options->save,
                        result == RV_BAD_DATA ? "it could not be written" : rv_result_text(result));
    }
    return rv_mpi_of_first(MPI_COMM_WORLD, good);
}

// The file as memory; NULL: errno says why.
static void *map_file(const char *path, size_t *size)
{
    struct stat status;
    int file = open(path, O_RDONLY);
    void *bytes = MAP_FAILED;
    if (file < 0) return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        *size = (size_t)status.st_size;
        bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    } else {
        errno = EINVAL;
    }
    close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

bool rv_band_resume(rv_band_run *r)
{
    const char *path = r->options->resume;
    size_t size = 0;
    rv_messages inner = {0};
    void *bytes = map_file(path, &size);
    if (!bytes)
        rv_messages_add(&r->messages, "%s: %s", path,
                        errno == EINVAL ? "not a file with something in it" : strerror(errno));
    if (rv_mpi_greatest(MPI_COMM_WORLD, !bytes)) { // where a rank has not got it, none goes on
        if (bytes) munmap(bytes, size);
        if (bytes) rv_messages_add(&r->messages, "%s: another rank cannot read it", path);
        return false;
    }
    rv_result result = rv_world_restore(r->world, bytes, size, &inner);
    munmap(bytes, size);
    if (result == RV_OK) return true;
    rv_messages_add(&r->messages, "%s: %.800s", path,
                    inner.text[0] ? inner.text : rv_result_text(result));
    return false;
}

// ---- What needs the whole world -----------------------------------------------------------------

typedef struct whole {
    unsigned char *bytes;
    size_t used, room;
} whole;

static bool keep_piece(void *user, const void *bytes, size_t count)
{
    whole *w = user;
    if (count > w->room - w->used) return false;
    memcpy(w->bytes + w->used, bytes, count);
    w->used += count;
    return true;
}

static bool draw(const rv_band_run *r, const rv_world *world, rv_messages *messages)
{
    const rv_band_options *o = r->options;
    rv_moment moment = rv_moment_begin();
    rv_film film = {0};
    rv_meshes meshes;
    rv_film_def def = {.image = o->image, .environment = r->scene.environment};
    rv_meshes_start(&meshes, world, &moment, o->mesh);
    bool good = rv_film_start(&film, &def, world, &moment, messages);
    good = rv_film_finish(&film, world, good, messages) && good;
    good = rv_meshes_finish(&meshes, world, messages) && good;
    if (o->state) good = rv_state_write(o->state, world, messages) && good;
    if (o->terrain) good = rv_terrain_export(world, o->terrain, messages) && good;
    rv_moment_end(&moment);
    return good;
}

bool rv_band_show(rv_band_run *r)
{
    whole w = {.room = rv_world_snapshot_size(r->world)};
    rv_world *all = NULL;
    w.bytes = r->rank == 0 ? malloc(w.room) : NULL;
    bool good = rv_mpi_of_first(MPI_COMM_WORLD, w.bytes != NULL);
    if (!good) {
        rv_messages_add(&r->messages, "not enough memory for the whole world on rank 0, which "
                                      "--state, --mesh, --terrain and --image need");
        return false;
    }
    good = rv_world_save_to(r->world, keep_piece, &w) == RV_OK;
    if (r->rank == 0 && good) {
        good = rv_prepare_world(&r->scene, r->pool, NULL, &all, &r->messages);
        good = good && rv_world_restore(all, w.bytes, w.used, &r->messages) == RV_OK;
        good = good && draw(r, all, &r->messages);
        rv_world_destroy(all);
    }
    free(w.bytes);
    return rv_mpi_of_first(MPI_COMM_WORLD, good);
}

// ---- Traffic ------------------------------------------------------------------------------------

typedef struct traffic {
    rv_rank_traffic t;
    double megabytes; // most that the process had in memory
} traffic;

void rv_band_traffic(const rv_band_run *r, const rv_stats *s)
{
    traffic own = {.t = r->traffic};
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) own.megabytes = (double)usage.ru_maxrss / 1024;
    double steps = r->frames > 0 ? (double)r->frames : 1;
    if (r->rank == 0)
        printf("rank   own rows       kept       swaps  messages         MB  agreements    MB  "
               "waiting  memory\n"
               "                                 a frame   a frame    a frame     a frame          "
               " %%      MB\n");
    for (int rank = 0; rank < r->ranks; rank++) {
        traffic t = own;
        if (rank > 0 && r->rank == 0)
            MPI_Recv(&t, (int)sizeof t, MPI_BYTE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0 && r->rank == rank)
            MPI_Send(&t, (int)sizeof t, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        if (r->rank != 0) continue;
        printf("%4d  %5d-%-5d %5d-%-5d %9.2f %9.2f %10.4f %11.2f %5.3f %8.1f %7.1f\n", rank,
               t.t.first, t.t.end, t.t.low, t.t.high, (double)t.t.swaps / steps,
               (double)t.t.messages / steps, (double)t.t.bytes / steps * 1e-6,
               (double)t.t.agreements / steps, (double)t.t.gathered / steps * 1e-6,
               100 * t.t.waiting / (1e-3 * r->ms + 1e-9), t.megabytes);
    }
    if (r->rank == 0)
        printf("%" PRId64 " substeps in %" PRId64 " frames\n", s->all_substeps, r->frames);
}
