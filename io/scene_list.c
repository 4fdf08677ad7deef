// Finding scenes: a shipped one by its name, a file by its path, and the list of those shipped.
#define _POSIX_C_SOURCE 200809L
#include "io/file_bytes.h"
#include "io/scene_read.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// An installed command that was moved with its tree still finds PREFIX/share beside PREFIX/bin.
static bool beside_command(char *out, size_t out_size)
{
    char self[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    int wrote = snprintf(out, out_size, "%s/share/rivulet/scenes", self);
    return wrote > 0 && (size_t)wrote < out_size && is_folder(out);
}

bool rv_scene_folder(char *out, size_t out_size)
{
    const char *chosen = getenv("RIVULET_SCENES");
    if (chosen && *chosen) {
        snprintf(out, out_size, "%s", chosen);
        return is_folder(out);
    }
#ifdef RV_SCENES_BUILD_DIR
    snprintf(out, out_size, "%s", RV_SCENES_BUILD_DIR);
    if (is_folder(out)) return true;
#endif
    if (beside_command(out, out_size)) return true;
#ifdef RV_SCENES_INSTALL_DIR
    snprintf(out, out_size, "%s", RV_SCENES_INSTALL_DIR);
    if (is_folder(out)) return true;
#endif
    return false;
}

static bool has_extension(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(rv_scene_names *names, int *room, const char *file)
{
    if (names->count == *room) {
        int more = *room ? 2 * *room : 32;
        char **grown = realloc(names->name, (size_t)more * sizeof *grown);
        if (!grown) return false;
        names->name = grown;
        *room = more;
    }
    size_t length = (size_t)(strrchr(file, '.') - file);
    char *copy = malloc(length + 1);
    if (!copy) return false;
    memcpy(copy, file, length);
    copy[length] = '\0';
    names->name[names->count++] = copy;
    return true;
}

bool rv_scene_names_list(rv_scene_names *out, rv_messages *messages)
{
    *out = (rv_scene_names){0};
    char folder[PATH_BYTES];
    DIR *stream = rv_scene_folder(folder, sizeof folder) ? opendir(folder) : NULL;
    if (!stream) {
        rv_messages_add(messages,
                        "no folder of shipped scenes was found; set RIVULET_SCENES to one");
        return false;
    }
    bool good = true;
    int room = 0;
    for (struct dirent *entry; good && (entry = readdir(stream));)
        if (has_extension(entry->d_name)) good = add_name(out, &room, entry->d_name);
    closedir(stream);
    if (!good) {
        rv_messages_add(messages, "%s: not enough memory", folder);
        rv_scene_names_free(out);
        return false;
    }
    if (out->count > 1) qsort(out->name, (size_t)out->count, sizeof *out->name, by_name);
    return true;
}

void rv_scene_names_free(rv_scene_names *names)
{
    for (int i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
    *names = (rv_scene_names){0};
}

// Whether two paths are of the same file.
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static bool load_file(const char *path, const rv_like *like, rv_scene_file *out,
                      rv_messages *messages)
{
    rv_file_bytes file;
    for (const rv_like *l = like; l; l = l->next) {
        if (!same_file(path, l->path)) continue;
        rv_messages_add(messages, "%s: scenes that are like each other, in a circle", path);
        return false;
    }
    if (!rv_file_read(path, RV_SCENE_BYTES_MAX, &file, messages)) return false;
    bool good = rv_scene_load_at((const char *)file.data, file.size, path, like, out, messages);
    rv_file_bytes_free(&file);
    return good;
}

static void no_such_scene(const char *name, rv_messages *messages)
{
    rv_scene_names names;
    if (!rv_scene_names_list(&names, messages)) return;
    rv_field_info *rows = calloc((size_t)names.count + 1, sizeof *rows);
    for (int i = 0; rows && i < names.count; i++) rows[i].key = names.name[i];
    rv_table table = {"scenes", rows, rows ? names.count : 0, 0};
    const char *nearest = rv_table_nearest(&table, name);
    if (nearest)
        rv_messages_add(messages, "%s: no such scene; did you mean '%s'?", name, nearest);
    else
        rv_messages_add(messages,
                        "%s: no such scene; `rivulet scenes` lists them, a file needs its "
                        "extension .yaml",
                        name);
    free(rows);
    rv_scene_names_free(&names);
}

static bool is_path(const char *name)
{
    return strchr(name, '/') || has_extension(name);
}

static bool load_shipped(const char *name, const rv_like *like, rv_scene_file *out,
                         rv_messages *messages)
{
    static const char *const extensions[] = {"yaml", "yml"};
    char folder[PATH_BYTES], path[PATH_BYTES + 256];
    if (rv_scene_folder(folder, sizeof folder)) {
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/%.200s.%s", folder, name, extensions[i]);
            if (access(path, F_OK) == 0) return load_file(path, like, out, messages);
        }
    }
    if (!like && access(name, F_OK) == 0) return load_file(name, like, out, messages);
    no_such_scene(name, messages);
    return false;
}

bool rv_scene_load(const char *name_or_path, rv_scene_file *out, rv_messages *messages)
{
    rv_messages unheard = {0};
    if (!messages) messages = &unheard;
    *out = (rv_scene_file){0};
    if (is_path(name_or_path)) return load_file(name_or_path, NULL, out, messages);
    return load_shipped(name_or_path, NULL, out, messages);
}

bool rv_scene_load_like(const char *name, const rv_like *like, rv_scene_file *out,
                        rv_messages *messages)
{
    if (!is_path(name)) return load_shipped(name, like, out, messages);
    char *path = rv_file_beside(like->path, name);
    if (!path || !has_extension(name)) {
        rv_messages_add(messages,
                        "%s: not the name of a scene, nor of a .yaml file beside this one", name);
        free(path);
        return false;
    }
    bool good = load_file(path, like, out, messages);
    free(path);
    return good;
}
