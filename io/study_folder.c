// The folder of a study: one folder a run, named by its number, with a file that makes the run
// again, and one with what it came to, which is written last and so marks it as finished.
//
// Processes that work at one folder take turns by locks on a file in each run's folder. The system
// lets go of them when a process ends, however it ends.
#define _DEFAULT_SOURCE
#include "io/study_file.h"

#include "io/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool rv_study_path(const char *folder, int run, const char *name, char out[RV_STUDY_PATH])
{
    int wrote =
        snprintf(out, RV_STUDY_PATH, "%s/%04d%s%s", folder, run, name ? "/" : "", name ? name : "");
    return wrote > 0 && wrote < RV_STUDY_PATH;
}

const char *rv_study_folder(const rv_study *study, const rv_study_work *work)
{
    return work && work->folder ? work->folder : study->folder;
}

bool rv_study_make_folder(const char *folder, rv_messages *messages)
{
    char path[RV_STUDY_PATH];
    struct stat status;
    int wrote = snprintf(path, sizeof path, "%s", folder);
    errno = wrote < (int)sizeof path ? 0 : ENAMETOOLONG;
    for (char *c = path + 1; path[0] && errno != ENAMETOOLONG; c++) {
        if (*c != '/' && *c != 0) continue;
        char kept = *c;
        *c = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST) break;
        *c = kept;
        errno = 0;
        if (kept == 0) break;
    }
    if (!errno && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) errno = ENOTDIR;
    if (!errno && access(folder, W_OK | X_OK) == 0) return true;
    rv_messages_add(messages, "%s: cannot be made or written to: %s", folder, strerror(errno));
    return false;
}

void rv_study_remove(const char *folder, int run, const char *name)
{
    char path[RV_STUDY_PATH];
    if (rv_study_path(folder, run, name, path)) remove(path);
}

// ---- Locks --------------------------------------------------------------------------------------

int rv_study_lock(const char *folder, int run, rv_messages *messages)
{
    char path[RV_STUDY_PATH];
    struct stat status;
    errno = ENAMETOOLONG;
    int lock = rv_study_path(folder, run, "lock", path)
                   ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)
                   : -1;
    bool ours = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (!ours && (lock < 0 || errno != EWOULDBLOCK))
        rv_messages_add(messages, "%s: cannot be locked: %s", path, strerror(errno));
    // one that was removed in between belongs to nobody any more
    if (ours && fstat(lock, &status) == 0 && status.st_nlink > 0) return lock;
    if (lock >= 0) close(lock);
    return -1;
}

void rv_study_unlock(const char *folder, int run, int lock)
{
    rv_study_remove(folder, run, "lock");
    close(lock);
}

bool rv_study_locked(const char *folder, int run)
{
    char path[RV_STUDY_PATH];
    int lock = rv_study_path(folder, run, "lock", path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    bool held = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lock >= 0) close(lock);
    return held;
}

// ---- Again --------------------------------------------------------------------------------------

// For a shell: in single quotes where it has more than plain letters.
static void put_word(FILE *out, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/=+-:,@%";
    if (*text && strspn(text, plain) == strlen(text)) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    putc('\'', out);
}

static void settings_line(const rv_study *s, int run, char out[64])
{
    snprintf(out, 64, "# settings %016" PRIx64 "\n", rv_study_settings(s, run));
}

bool rv_study_write_again(const rv_study *s, const char *folder, int run, rv_messages *messages)
{
    char path[RV_STUDY_PATH], text[RV_STUDY_TEXT], line[64];
    rv_atomic_file file;
    if (!rv_study_path(folder, run, "again.sh", path) || !rv_atomic_open(&file, path, messages))
        return false;
    FILE *out = file.stream;
    // the script may be called from anywhere
    char *whole = s->scene_file ? realpath(s->scene_path, NULL) : NULL;
    fprintf(out, "#!/bin/sh\n# Run %d of %d. Makes it again; more options may follow.\n", run,
            s->runs);
    settings_line(s, run, line);
    fputs(line, out);
    fputs("exec rivulet run ", out);
    put_word(out, whole ? whole : s->scene_path);
    free(whole);
    rv_study_number_text(s->time, text);
    fprintf(out, " --time %s", text);
    for (int i = 0; i < s->set_count + s->param_count; i++) {
        char assignment[RV_STUDY_PATH + 160];
        rv_study_assignment(s, run, i, assignment, sizeof assignment);
        fputs(" \\\n    --set ", out);
        put_word(out, assignment);
    }
    fputs(" \"$@\"\n", out);
    return rv_atomic_commit(&file, messages);
}

bool rv_study_same_again(const rv_study *s, const char *folder, int run)
{
    char path[RV_STUDY_PATH], line[4096], wanted[64];
    FILE *in = rv_study_path(folder, run, "again.sh", path) ? fopen(path, "r") : NULL;
    bool same = false;
    settings_line(s, run, wanted);
    while (in && !same && fgets(line, sizeof line, in)) same = strcmp(line, wanted) == 0;
    if (in) fclose(in);
    return same;
}

// ---- Results ------------------------------------------------------------------------------------

bool rv_study_write_result(const char *folder, int run, const rv_study_result *r,
                           rv_messages *messages)
{
    char path[RV_STUDY_PATH];
    rv_atomic_file file;
    if (!rv_study_path(folder, run, "result.csv", path) || !rv_atomic_open(&file, path, messages))
        return false;
    fprintf(file.stream, "#status,%s\n#settings,%016" PRIx64 "\n#hash,%016" PRIx64 "\n",
            rv_study_state_text(r->state), r->settings, r->hash);
    fputs("quantity,last,min,max,mean\n", file.stream);
    for (int i = 0; i < r->count; i++) {
        fprintf(file.stream, "%s", r->name[i]);
        for (int k = 0; k < RV_STUDY_PARTS; k++) {
            char text[32];
            rv_study_number_text(r->value[i][k], text);
            fprintf(file.stream, ",%s", text);
        }
        putc('\n', file.stream);
    }
    return rv_atomic_commit(&file, messages);
}

// One line; false: it is not as it was written.
static bool take_line(rv_study_result *r, const char *line)
{
    char word[32];
    if (strcmp(line, "quantity,last,min,max,mean\n") == 0) return true;
    if (sscanf(line, "#status,%31[a-z ]", word) == 1) {
        r->state = strcmp(word, rv_study_state_text(RV_STUDY_NOT_FINITE)) == 0 ? RV_STUDY_NOT_FINITE
                                                                               : RV_STUDY_DONE;
        return true;
    }
    if (sscanf(line, "#settings,%" SCNx64, &r->settings) == 1) return true;
    if (sscanf(line, "#hash,%" SCNx64, &r->hash) == 1) return true;
    size_t length = strcspn(line, ",");
    if (r->count >= RV_STUDY_COLUMNS || length >= sizeof r->name[0] || line[length] != ',')
        return false;
    snprintf(r->name[r->count], sizeof r->name[0], "%.*s", (int)length, line);
    const char *c = line + length;
    for (int k = 0; k < RV_STUDY_PARTS; k++) {
        char *end;
        if (*c != ',') return false;
        r->value[r->count][k] = strtod(c + 1, &end);
        if (end == c + 1) return false;
        c = end;
    }
    r->count++;
    return true;
}

bool rv_study_read_result(const char *folder, int run, rv_study_result *r)
{
    char path[RV_STUDY_PATH], line[512];
    *r = (rv_study_result){0};
    FILE *in = rv_study_path(folder, run, "result.csv", path) ? fopen(path, "r") : NULL;
    bool good = in != NULL;
    while (good && fgets(line, sizeof line, in)) good = take_line(r, line);
    if (in) fclose(in);
    return good && r->state != RV_STUDY_TO_DO && r->count > 0;
}

const char *rv_study_state_text(rv_study_state state)
{
    static const char *const texts[] = {"to do",   "done",           "not finite",    "failed",
                                        "stopped", "made elsewhere", "other settings"};
    return (unsigned)state < sizeof texts / sizeof texts[0] ? texts[state] : "unknown";
}

rv_study_state rv_study_look(const rv_study *study, const rv_study_work *work, int run)
{
    rv_study_result result;
    char path[RV_STUDY_PATH];
    if (!study || run < 1 || run > study->runs) return RV_STUDY_TO_DO;
    const char *folder = rv_study_folder(study, work);
    if (rv_study_read_result(folder, run, &result))
        return result.settings == rv_study_settings(study, run) ? result.state : RV_STUDY_OTHER;
    if (!rv_study_path(folder, run, "again.sh", path) || access(path, F_OK) != 0)
        return RV_STUDY_TO_DO;
    if (!rv_study_same_again(study, folder, run)) return RV_STUDY_OTHER;
    if (rv_study_path(folder, run, "failed.txt", path) && access(path, F_OK) == 0)
        return RV_STUDY_FAILED;
    return RV_STUDY_STOPPED;
}

rv_result rv_study_count(const rv_study *study, const rv_study_work *work, rv_study_report *out)
{
    if (!study || !out) return RV_BAD_ARGUMENT;
    *out = (rv_study_report){.runs = study->runs};
    int first = work && work->first > 0 ? work->first : 1;
    int last = work && work->last > 0 ? work->last : work && work->first > 0 ? first : study->runs;
    for (int run = first; run <= last && run <= study->runs; run++) {
        char path[RV_STUDY_PATH];
        rv_study_state state = rv_study_look(study, work, run);
        out->done += state == RV_STUDY_DONE;
        out->not_finite += state == RV_STUDY_NOT_FINITE;
        out->failed += state == RV_STUDY_FAILED;
        out->stopped += state == RV_STUDY_STOPPED;
        out->to_do += state == RV_STUDY_TO_DO || state == RV_STUDY_OTHER;
        out->warned += rv_study_path(rv_study_folder(study, work), run, "warnings.txt", path) &&
                       access(path, F_OK) == 0;
    }
    return RV_OK;
}
