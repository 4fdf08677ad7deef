// The statistics of a run of a study: a file that grows by a row a frame and gets its name when the
// run is over, and the last value, minimum, maximum and mean of each column.
//
// All four are made of the numbers as they stand in the file. A run that goes on from a snapshot
// reads the rows before it again, so it comes to the same bits as one that was never cut short.
#define _POSIX_C_SOURCE 200809L
#include "io/stats_file.h"
#include "io/study_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW_BYTES 2048

void rv_study_read_names(rv_study_names *names)
{
    *names = (rv_study_names){0};
    for (const char *c = rv_stats_names(); *c && *c != '\n' && names->count < RV_STUDY_COLUMNS;) {
        size_t length = strcspn(c, ",\n");
        int n = names->count++;
        snprintf(names->name[n], sizeof names->name[n], "%.*s", (int)length, c);
        names->clock[n] = strncmp(c, "ms_", 3) == 0;
        c += length + (c[length] == ',');
    }
}

// Adds a row as it stands in the file. false: it is no row.
static bool add_row(rv_study_sums *s, const char *text)
{
    double value[RV_STUDY_COLUMNS];
    for (int i = 0; i < s->names->count; i++) {
        char *end;
        value[i] = strtod(text, &end);
        if (end == text || *end != (i + 1 < s->names->count ? ',' : '\n')) return false;
        text = end + 1;
    }
    for (int i = 0; i < s->names->count; i++) {
        bool first = s->rows == 0;
        s->last[i] = value[i];
        if (first || value[i] < s->low[i]) s->low[i] = value[i];
        if (first || value[i] > s->high[i]) s->high[i] = value[i];
        s->sum[i] += value[i];
    }
    s->rows++;
    return true;
}

static bool begin(rv_study_sums *s, const rv_study_names *names, const char *folder, int run)
{
    *s = (rv_study_sums){.names = names};
    if (!rv_study_path(folder, run, "stats.csv.part", s->path) ||
        !rv_study_path(folder, run, "stats.csv", s->final))
        return false;
    s->line = open_memstream(&s->text, &s->size);
    return s->line != NULL;
}

static bool refuse(const rv_study_sums *s, rv_messages *messages)
{
    rv_messages_add(messages, "%s: %s", s->path, strerror(errno ? errno : EIO));
    return false;
}

bool rv_study_sums_open(rv_study_sums *s, const rv_study_names *names, const char *folder, int run,
                        rv_messages *messages)
{
    bool good = begin(s, names, folder, run);
    if (good) s->file = fopen(s->path, "w");
    if (!good || !s->file || fputs(rv_stats_names(), s->file) < 0) return refuse(s, messages);
    return true;
}

// Reads the rows up to that time; the place after the last of them, −1: there is no such row.
static long read_rows(rv_study_sums *s, double time)
{
    char line[ROW_BYTES], wanted[32];
    snprintf(wanted, sizeof wanted, "%.12g,", time); // as rv_stats_row has it
    if (!fgets(line, sizeof line, s->file) || strcmp(line, rv_stats_names()) != 0) return -1;
    while (fgets(line, sizeof line, s->file)) {
        if (!add_row(s, line)) return -1;
        if (strncmp(line, wanted, strlen(wanted)) == 0) return ftell(s->file);
    }
    return -1;
}

bool rv_study_sums_resume(rv_study_sums *s, const rv_study_names *names, const char *folder,
                          int run, double time)
{
    bool good = begin(s, names, folder, run);
    if (good) s->file = fopen(s->path, "r+");
    long end = good && s->file ? read_rows(s, time) : -1;
    // rows after the snapshot come again
    if (end >= 0 && fseek(s->file, end, SEEK_SET) == 0 && ftruncate(fileno(s->file), end) == 0)
        return true;
    rv_messages unread = {0};
    rv_study_sums_close(s, false, &unread);
    return false;
}

bool rv_study_sums_row(rv_study_sums *s, const rv_stats *stats, double ms_surface,
                       double ms_rendering, rv_messages *messages)
{
    rv_atomic_file row = {.stream = s->line};
    rewind(s->line);
    rv_stats_row(&row, stats, ms_surface, ms_rendering);
    errno = 0;
    if (fflush(s->line) != 0 || fwrite(s->text, 1, s->size, s->file) != s->size)
        return refuse(s, messages);
    if (add_row(s, s->text)) return true;
    rv_messages_add(messages, "%s: a row could not be read back", s->path);
    return false;
}

bool rv_study_sums_flush(rv_study_sums *s, rv_messages *messages)
{
    if (fflush(s->file) == 0 && fsync(fileno(s->file)) == 0) return true;
    return refuse(s, messages);
}

bool rv_study_sums_close(rv_study_sums *s, bool keep, rv_messages *messages)
{
    bool good = !keep || rv_study_sums_flush(s, messages);
    if (s->file && fclose(s->file) != 0 && good) good = refuse(s, messages);
    if (s->line) fclose(s->line);
    free(s->text);
    s->file = s->line = NULL, s->text = NULL;
    if (keep && good && rename(s->path, s->final) != 0) good = refuse(s, messages);
    return good;
}

void rv_study_sums_result(const rv_study_sums *s, rv_study_result *out)
{
    out->count = s->names->count;
    double rows = s->rows > 0 ? (double)s->rows : NAN;
    for (int i = 0; i < out->count; i++) {
        snprintf(out->name[i], sizeof out->name[i], "%s", s->names->name[i]);
        double *value = out->value[i];
        value[RV_PART_LAST] = s->rows > 0 ? s->last[i] : NAN;
        value[RV_PART_MIN] = s->rows > 0 ? s->low[i] : NAN;
        value[RV_PART_MAX] = s->rows > 0 ? s->high[i] : NAN;
        value[RV_PART_MEAN] = s->sum[i] / rows;
    }
}
