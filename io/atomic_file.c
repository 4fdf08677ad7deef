// Output files that appear whole or not at all: written under another name in the same folder,
// flushed to the disk, then renamed, which the system does in one step.
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE // flock
#include "io/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 100   // names tried when a leftover of another run is in the way
#define LINKS_MAX 40   // links that lead to links, as many as systems follow
#define NAME_BYTES 200 // of the name go into the temporary one, which so is never too long

static bool fail(rv_messages *messages, const char *path)
{
    rv_messages_add(messages, "%s: %s", path, strerror(errno));
    return false;
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy) strcpy(copy, text);
    return copy;
}

// How many characters of a path are its folder, the slash among them.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// Where a link leads, from the folder it is in; NULL: it is none, or there is no memory.
static char *link_target(const char *path)
{
    char to[4096];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length <= 0) return NULL;
    to[length] = '\0';
    size_t folder = to[0] == '/' ? 0 : folder_length(path);
    char *whole = malloc(folder + (size_t)length + 1);
    if (!whole) return NULL;
    memcpy(whole, path, folder);
    memcpy(whole + folder, to, (size_t)length + 1);
    return whole;
}

// A link is followed, so that the file it points to is replaced and not the link, and made where
// there is none yet.
static char *final_path(const char *path)
{
    char *real = realpath(path, NULL);
    if (real) return real;
    char *at = copy_text(path);
    for (int links = 0; at && links < LINKS_MAX; links++) {
        char *next = link_target(at);
        if (!next) break;
        free(at);
        at = next;
    }
    return at;
}

static FILE *open_temporary(rv_atomic_file *file)
{
    size_t room = strlen(file->path) + 48, folder = folder_length(file->path);
    file->temporary = malloc(room);
    if (!file->temporary) return NULL;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(file->temporary, room, "%.*s%.*s.%ld-%d.part", (int)folder, file->path, NAME_BYTES,
                 file->path + folder, (long)getpid(), attempt);
        int handle = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle < 0 && errno == EEXIST) continue;
        // so that others see that somebody writes it; a disk without locks does without
        if (handle >= 0) (void)flock(handle, LOCK_EX | LOCK_NB);
        return handle < 0 ? NULL : fdopen(handle, "wb");
    }
    return NULL;
}

// Whether a name is that of a temporary file of another: NAME.PID-NUMBER.part.
static bool is_part_of(const char *part, const char *name)
{
    size_t n = strlen(name) < NAME_BYTES ? strlen(name) : NAME_BYTES;
    if (strncmp(part, name, n) != 0 || part[n] != '.') return false;
    part += n + 1;
    size_t pid = strspn(part, "0123456789");
    if (pid == 0 || part[pid] != '-') return false;
    part += pid + 1;
    size_t number = strspn(part, "0123456789");
    return number > 0 && strcmp(part + number, ".part") == 0;
}

// Removes it where nobody has its lock.
static bool remove_unlocked(const char *part)
{
    int handle = open(part, O_RDWR | O_CLOEXEC);
    bool gone = handle >= 0 && flock(handle, LOCK_EX | LOCK_NB) == 0 && remove(part) == 0;
    if (handle >= 0) close(handle);
    return gone;
}

void rv_atomic_clear(const char *path, rv_messages *told)
{
    char *real = final_path(path), folder[4096];
    size_t length = real ? folder_length(real) : 0;
    if (!real || length >= sizeof folder) {
        free(real);
        return;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)length, length > 0 ? real : "");
    DIR *all = opendir(length > 0 ? folder : ".");
    for (struct dirent *e = all ? readdir(all) : NULL; e; e = readdir(all)) {
        char part[4096 + 256];
        if (!is_part_of(e->d_name, real + length)) continue;
        snprintf(part, sizeof part, "%s%s", folder, e->d_name);
        if (remove_unlocked(part))
            rv_messages_add(told, "%s: left by a run that was killed; removed", part);
    }
    if (all) closedir(all);
    free(real);
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

// The folder that a path lies in, without a slash at its end but for the root's; "." where it has
// none. NULL: there is no memory.
static char *folder_of(const char *path)
{
    size_t length = folder_length(path);
    char *folder = copy_text(length > 0 ? path : ".");
    if (folder && length > 0) folder[length > 1 ? length - 1 : 1] = '\0';
    return folder;
}

char *rv_output_place(const char *path)
{
    char *at = final_path(path), *folder = at ? folder_of(at) : NULL;
    char *real = folder ? realpath(folder, NULL) : NULL, *place = NULL;
    if (real) {
        const char *name = at + folder_length(at);
        size_t room = strlen(real) + strlen(name) + 2;
        place = malloc(room);
        if (place) snprintf(place, room, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
    }
    free(real);
    free(folder);
    free(at);
    return place;
}

// `path` is where links lead.
static bool check_folder(const char *path, char *why, size_t size)
{
    char *folder = folder_of(path);
    if (!folder) {
        snprintf(why, size, "not enough memory");
        return false;
    }
    struct stat status;
    why[0] = '\0';
    if (stat(folder, &status) != 0)
        snprintf(why, size, "there is no folder '%s'", folder);
    else if (!S_ISDIR(status.st_mode))
        snprintf(why, size, "'%s' is not a folder", folder);
    else if (access(folder, W_OK | X_OK) != 0)
        snprintf(why, size, "the folder '%s' cannot be written to", folder);
    free(folder);
    return why[0] == '\0';
}

// Whether a file of this name can be there, and one be made beside it: what the run will do.
static bool try_name(const char *path, char *why, size_t size)
{
    struct stat status;
    rv_atomic_file file = {.path = final_path(path)};
    bool good = file.path && check_folder(file.path, why, size);
    if (!file.path) snprintf(why, size, "not enough memory");
    errno = 0;
    if (good && stat(file.path, &status) != 0 && errno != ENOENT)
        good = false; // the name is too long, or links go round in a circle
    if (good && !(file.stream = open_temporary(&file))) {
        free(file.temporary);
        file.temporary = NULL;
        good = false;
    }
    if (!good && errno) snprintf(why, size, "%s", strerror(errno));
    rv_atomic_abandon(&file);
    return good;
}

bool rv_output_check(const char *option, const char *path, const char *extensions,
                     rv_messages *messages)
{
    struct stat status;
    char why[512] = "";
    if (path[0] == '\0') {
        rv_messages_add(messages, "%s: the name of the file is empty", option);
        return false;
    }
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
    if (try_name(path, why, sizeof why)) return true;
    rv_messages_add(messages, "%s %s: %s", option, path, why);
    return false;
}

bool rv_output_regular(const char *option, const char *path, rv_messages *messages)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return true;
    rv_messages_add(messages, "%s %s: is a pipe or device; only a regular file can be this", option,
                    path);
    return false;
}
