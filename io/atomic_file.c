// Output files that appear whole or not at all: written under another name in the same folder,
// flushed to the disk, then renamed, which the system does in one step.
#define _XOPEN_SOURCE 700
#include "io/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100 // names tried when a leftover of another run is in the way

static bool fail(rv_messages *messages, const char *path)
{
    rv_messages_add(messages, "%s: %s", path, strerror(errno));
    return false;
}

// A link is followed, so that the file it points to is replaced and not the link.
static char *final_path(const char *path)
{
    char *real = realpath(path, NULL);
    if (real) return real;
    char *copy = malloc(strlen(path) + 1);
    if (copy) strcpy(copy, path);
    return copy;
}

static FILE *open_temporary(rv_atomic_file *file)
{
    size_t room = strlen(file->path) + 48;
    file->temporary = malloc(room);
    if (!file->temporary) return NULL;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(file->temporary, room, "%s.%ld-%d.part", file->path, (long)getpid(), attempt);
        int handle = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle < 0 && errno == EEXIST) continue;
        return handle < 0 ? NULL : fdopen(handle, "wb");
    }
    return NULL;
}

bool rv_atomic_open(rv_atomic_file *file, const char *path, rv_messages *messages)
{
    *file = (rv_atomic_file){0};
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return fail(messages, path);
    }
    file->path = final_path(path);
    if (file->path && exists && !S_ISREG(status.st_mode))
        file->stream = fopen(path, "wb");
    else if (file->path)
        file->stream = open_temporary(file);
    if (file->stream) return true;
    fail(messages, path);
    free(file->path);
    free(file->temporary);
    *file = (rv_atomic_file){0};
    return false;
}

bool rv_atomic_commit(rv_atomic_file *file, rv_messages *messages)
{
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    // A pipe or device cannot be flushed to a disk; only a real file's failure counts.
    if (good && file->temporary) good = fsync(fileno(file->stream)) == 0;
    int reason = errno;
    good = (fclose(file->stream) == 0) && good;
    file->stream = NULL;
    errno = reason;
    if (good && file->temporary) good = rename(file->temporary, file->path) == 0;
    if (!good) fail(messages, file->path);
    if (good) {
        free(file->temporary);
        file->temporary = NULL;
    }
    rv_atomic_abandon(file);
    return good;
}

void rv_atomic_abandon(rv_atomic_file *file)
{
    if (file->stream) fclose(file->stream);
    if (file->temporary) remove(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (rv_atomic_file){0};
}

static bool has_extension(const char *path, const char *extensions)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash + 1 : path, '.');
    if (!dot) return false;
    size_t length = strlen(dot + 1);
    for (const char *word = extensions; *word;) {
        size_t n = strcspn(word, "|");
        if (n == length && n > 0 && memcmp(word, dot + 1, n) == 0) return true;
        word += n + (word[n] == '|');
    }
    return false;
}

// "npz|csv" → ".npz or .csv".
static void list_extensions(const char *extensions, char *out, size_t size)
{
    size_t used = 0;
    for (const char *word = extensions; *word;) {
        size_t n = strcspn(word, "|");
        int wrote =
            snprintf(out + used, size - used, "%s.%.*s", used > 0 ? " or " : "", (int)n, word);
        if (wrote < 0 || (size_t)wrote >= size - used) return;
        used += (size_t)wrote;
        word += n + (word[n] == '|');
    }
}

static bool check_folder(const char *option, const char *path, rv_messages *messages)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    char *folder = malloc(length + 2);
    if (!folder) return false;
    if (length > 0)
        memcpy(folder, path, length);
    else
        folder[length++] = '.';
    folder[length] = '\0';
    struct stat status;
    bool good = false;
    if (stat(folder, &status) != 0)
        rv_messages_add(messages, "%s %s: there is no folder '%s'", option, path, folder);
    else if (!S_ISDIR(status.st_mode))
        rv_messages_add(messages, "%s %s: '%s' is not a folder", option, path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        rv_messages_add(messages, "%s %s: the folder '%s' cannot be written to", option, path,
                        folder);
    else
        good = true;
    free(folder);
    return good;
}

bool rv_output_check(const char *option, const char *path, const char *extensions,
                     rv_messages *messages)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        rv_messages_add(messages, "%s %s: is a folder", option, path);
        return false;
    }
    if (exists && !S_ISREG(status.st_mode)) return true; // a pipe or device has no extension
    if (extensions && !has_extension(path, extensions)) {
        char list[64] = "";
        list_extensions(extensions, list, sizeof list);
        rv_messages_add(messages, "%s %s: the name must end in %s", option, path, list);
        return false;
    }
    return check_folder(option, path, messages);
}
