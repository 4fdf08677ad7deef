// The snapshots of `rivulet-mpi run`, and its table of traffic. All ranks write their rows into one
// file beside its place, and it is moved there when it is whole: so a rank that dies leaves the
// last one. Restored, each rank looks at all of the file, as the system maps it, and takes its own
// rows.
#define _POSIX_C_SOURCE 200809L
#include "mpi/run.h"

#include "mpi/ranks.h"
#include "mpi/run_lost.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- Snapshots ----------------------------------------------------------------------------------

#define PIECE_MOST (1u << 30) // bytes that MPI is given at once: it counts them with 31 bits

// A disk that is full may only be told by how much was written.
static bool write_at(void *user, uint64_t at, const void *bytes, size_t count)
{
    MPI_File *file = user;
    const unsigned char *from = bytes;
    for (size_t n; count > 0; from += n, at += n, count -= n) {
        MPI_Status status;
        int written = 0;
        n = count < PIECE_MOST ? count : PIECE_MOST;
        if (MPI_File_write_at(*file, (MPI_Offset)at, from, (int)n, MPI_BYTE, &status) !=
                MPI_SUCCESS ||
            MPI_Get_count(&status, MPI_BYTE, &written) != MPI_SUCCESS || written != (int)n)
            return false;
    }
    return true;
}

static bool write_piece(void *user, const void *bytes, size_t count)
{
    return !user || fwrite(bytes, 1, count, user) == count;
}

// A device or pipe has no places: rank 0 writes all of it. Where the world is not cut the others
// have it too, and no stream.
static rv_result save_stream(rv_band_run *r, rv_atomic_file *file)
{
    return rv_world_save_to(r->world, write_piece, file->stream);
}

// Each rank opens the file by itself: one that cannot would not be at its closing, for which the
// others would wait.
static rv_result save_together(rv_band_run *r, const char *name)
{
    MPI_File own;
    bool open =
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_WRONLY, MPI_INFO_NULL, &own) == MPI_SUCCESS;
    rv_result result = RV_BAD_DATA;
    if (!rv_mpi_greatest(MPI_COMM_WORLD, !open))
        result = rv_world_save_at(r->world, write_at, &own);
    if (open && MPI_File_close(&own) != MPI_SUCCESS && result == RV_OK) result = RV_BAD_DATA;
    return result;
}

bool rv_band_save(rv_band_run *r, rv_messages *messages)
{
    const char *path = r->options->save;
    rv_atomic_file file = {0};
    char name[4096] = "";
    bool open = r->rank != 0 || rv_atomic_open(&file, path, messages);
    if (!rv_mpi_of_first(MPI_COMM_WORLD, open)) return false;
    if (r->rank == 0 && file.temporary) snprintf(name, sizeof name, "%s", file.temporary);
    MPI_Bcast(name, (int)sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    rv_result result = name[0] ? save_together(r, name) : save_stream(r, &file);
    bool good = !rv_mpi_greatest(MPI_COMM_WORLD, result != RV_OK);
    if (r->rank == 0 && good) {
        good = rv_atomic_commit(&file, messages);
    } else if (r->rank == 0) {
        rv_atomic_abandon(&file);
        rv_messages_add(messages, "%s: %s", path,
                        result == RV_OK || result == RV_BAD_DATA ? "it could not be written"
                                                                 : rv_result_text(result));
    }
    good = rv_mpi_of_first(MPI_COMM_WORLD, good);
    rv_stats stats;
    if (good && rv_world_get_stats(r->world, &stats) == RV_OK) rv_lost_saved(path, stats.time);
    return good;
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
    // what is wrong with the file all ranks find; these may be of this one alone
    if (result == RV_OUT_OF_MEMORY || result == RV_RANK_LOST)
        rv_band_give_up(r, rv_result_text(result));
    rv_messages_add(&r->messages, "%s: %.800s", path,
                    inner.text[0] ? inner.text : rv_result_text(result));
    return false;
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
