// assimp in a process of its own.
//
// assimp is large and written for files that mean well. So it runs in a child of this process, with
// limits on time and memory, and hands its triangles back through a pipe; where it breaks down, the
// child ends and the parent says so in one line.
#define _DEFAULT_SOURCE
#include "io/mesh_read.h"
#include "io/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)
// What the child may use: assimp needs some 10 to 30 times a file's size, and reads some MiB a
// second.
#define CHILD_MEMORY(bytes) (4096 * MIB + 64 * (uint64_t)(bytes))
#define CHILD_SECONDS(bytes) (60 + 2 * ((uint64_t)(bytes) / MIB))

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

// What the child sends, followed by the positions, the indices and its message.
typedef struct mesh_parcel {
    uint64_t vertices, triangles;
    int64_t skipped;
    int32_t parts;
    uint32_t message; // bytes; 0: all went well
} mesh_parcel;

static bool send_bytes(int pipe_end, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t sent = write(pipe_end, at, size);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent, size -= (size_t)sent;
    }
    return true;
}

static bool get_bytes(int pipe_end, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t got = read(pipe_end, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got, size -= (size_t)got;
    }
    return true;
}

// Memory is limited from what is in use now: under a sanitizer that is terabytes.
static void limit_child(size_t bytes)
{
    struct rlimit seconds = {CHILD_SECONDS(bytes), CHILD_SECONDS(bytes) + 5};
    setrlimit(RLIMIT_CPU, &seconds);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    unsigned long long pages = 0;
    FILE *status = fopen("/proc/self/statm", "r");
    if (!status) return;
    if (fscanf(status, "%llu", &pages) == 1) {
        uint64_t most = pages * (uint64_t)sysconf(_SC_PAGESIZE) + CHILD_MEMORY(bytes);
        struct rlimit memory = {most, most};
        setrlimit(RLIMIT_AS, &memory);
    }
    fclose(status);
}

static void child(int pipe_end, const rv_mesh_reader *reader, const rv_file_bytes *file,
                  const char *extension)
{
    limit_child(file->size);
    if (!SANITIZED) { // what C++ prints when it gives up is not the one line that was promised
        int nothing = open("/dev/null", O_WRONLY);
        if (nothing >= 0) dup2(nothing, STDERR_FILENO);
    }
    // only those of glTF have files beside them
    (void)rv_sandbox_enter(reader->path && strcmp(extension, "gltf") == 0);
    rv_messages messages = {0};
    rv_mesh_reader mine = {reader->path, reader->name, reader->out, &messages};
    bool good = rv_mesh_import(&mine, file, extension);
    rv_mesh_file *out = mine.out;
    mesh_parcel parcel = {.message = good ? 0 : (uint32_t)messages.used};
    if (good) {
        parcel.vertices = out->vertex_count, parcel.triangles = out->triangle_count;
        parcel.skipped = out->skipped, parcel.parts = out->parts;
    }
    bool sent = send_bytes(pipe_end, &parcel, sizeof parcel);
    if (good)
        sent = sent && send_bytes(pipe_end, out->positions, out->vertex_count * 12) &&
               send_bytes(pipe_end, out->indices, out->triangle_count * 12);
    else
        sent = sent && send_bytes(pipe_end, messages.text, parcel.message);
    _exit(sent ? 0 : 1); // nothing of the parent's is flushed or freed twice
}

// false without a message: the child did not say all.
static bool receive(int pipe_end, const rv_mesh_reader *reader)
{
    mesh_parcel parcel;
    rv_mesh_file *out = reader->out;
    if (!get_bytes(pipe_end, &parcel, sizeof parcel)) return false;
    if (parcel.message > 0) {
        char text[sizeof((rv_messages *)0)->text];
        if (parcel.message >= sizeof text || !get_bytes(pipe_end, text, parcel.message))
            return false;
        text[parcel.message] = '\0';
        text[strcspn(text, "\n")] = '\0';
        rv_messages_add(reader->messages, "%s", text);
        return false;
    }
    if (parcel.triangles == 0 || parcel.triangles > RV_MESH_TRIANGLES_MAX || parcel.vertices == 0 ||
        parcel.vertices > 3 * RV_MESH_TRIANGLES_MAX)
        return false;
    out->positions = malloc(parcel.vertices * 12);
    out->indices = malloc(parcel.triangles * 12);
    if (!out->positions || !out->indices) return rv_mesh_refuse(reader, "not enough memory");
    out->vertex_count = parcel.vertices, out->triangle_count = parcel.triangles;
    out->skipped = parcel.skipped, out->parts = parcel.parts;
    return get_bytes(pipe_end, out->positions, out->vertex_count * 12) &&
           get_bytes(pipe_end, out->indices, out->triangle_count * 12);
}

static bool tell_end(const rv_mesh_reader *reader, int status, size_t bytes)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return rv_mesh_refuse(reader, "assimp did not come to an end with it in %llu s",
                              (unsigned long long)CHILD_SECONDS(bytes));
    if (WIFSIGNALED(status))
        return rv_mesh_refuse(reader, "assimp broke down on it (signal %d)", WTERMSIG(status));
    return rv_mesh_refuse(reader, "assimp broke down on it");
}

bool rv_mesh_import_apart(const rv_mesh_reader *reader, const rv_file_bytes *file,
                          const char *extension)
{
    int ends[2];
    if (pipe(ends) != 0) return rv_mesh_refuse(reader, "no pipe: %s", strerror(errno));
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        child(ends[1], reader, file, extension);
    }
    close(ends[1]);
    int before = reader->messages->count, status = 0;
    bool good = process > 0 && receive(ends[0], reader);
    close(ends[0]); // a child that still writes ends by this
    if (process < 0) return rv_mesh_refuse(reader, "no process: %s", strerror(errno));
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (!good && reader->messages->count == before) return tell_end(reader, status, file->size);
    return good;
}
