// Draws the plots of `rivulet verify` with gnuplot, a child process.
//
// Of each plot there are its numbers, NAME.csv (one row a point: series, x, y), a script that draws
// them, NAME.gp, and the picture, NAME.svg. All are made in a folder of their own inside the one
// that was asked for and moved out of it when every picture is there, so a failure leaves nothing.
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PATH_BYTES 4096 // of a folder
#define FILE_BYTES (PATH_BYTES + 160)
#define MARKS_MAX 120 // points that are drawn of a series; the file has them all

static const char *const endings[] = {"csv", "gp", "svg"};

// ---- Folders ------------------------------------------------------------------------------------

// Makes a folder and those it lies in.
static bool make_folder(const char *folder, rv_messages *messages)
{
    char path[PATH_BYTES];
    size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path - 160) {
        rv_messages_add(messages, "--plots: the folder's name is empty or too long");
        return false;
    }
    memcpy(path, folder, length + 1);
    for (char *c = path + 1;; c++) {
        if (*c != '/' && *c != 0) continue;
        char kept = *c;
        *c = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            rv_messages_add(messages, "--plots %s: cannot make the folder: %s", folder,
                            strerror(errno));
            return false;
        }
        if (kept == 0) break;
        *c = kept;
    }
    if (access(folder, W_OK | X_OK) == 0) return true;
    rv_messages_add(messages, "--plots %s: cannot write there: %s", folder, strerror(errno));
    return false;
}

static void path_of(char out[FILE_BYTES], const char *folder, const char *name, const char *ending)
{
    snprintf(out, FILE_BYTES, "%s/%s.%s", folder, name, ending);
}

static void remove_all(const rv_report *report, const char *folder)
{
    char path[FILE_BYTES];
    for (const rv_plot *p = report->first; p; p = p->next)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            path_of(path, folder, p->name, endings[i]);
            remove(path);
        }
    rmdir(folder);
}

static bool move_all(const rv_report *report, const char *from, const char *to,
                     rv_messages *messages)
{
    char here[FILE_BYTES], there[FILE_BYTES];
    for (const rv_plot *p = report->first; p; p = p->next)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            path_of(here, from, p->name, endings[i]);
            path_of(there, to, p->name, endings[i]);
            if (rename(here, there) == 0) continue;
            rv_messages_add(messages, "%s: cannot write: %s", there, strerror(errno));
            return false;
        }
    return true;
}

// ---- Files --------------------------------------------------------------------------------------

// In quotes that gnuplot, or a reader of CSV, takes as they are.
static void put_quoted(FILE *out, const char *text, char quote)
{
    putc(quote, out);
    for (; *text; text++) {
        if (*text == quote) putc(quote, out);
        putc(*text, out);
    }
    putc(quote, out);
}

// Two empty lines between the series: gnuplot finds them by their index, others skip the lines.
static void put_numbers(FILE *out, const rv_plot *plot)
{
    fputs("series,", out);
    put_quoted(out, plot->x_label, '"');
    putc(',', out);
    put_quoted(out, plot->y_label, '"');
    putc('\n', out);
    for (const rv_series *s = plot->series; s; s = s->next) {
        if (s != plot->series) fputs("\n\n", out);
        for (int i = 0; i < s->count; i++) {
            put_quoted(out, s->label, '"');
            fprintf(out, ",%.7g,%.7g\n", s->point[i][0], s->point[i][1]);
        }
    }
}

static void put_range(FILE *out, const char *axis, double low, double high)
{
    if (isnan(low) && isnan(high)) return;
    fprintf(out, "set %srange [", axis);
    if (isnan(low))
        putc('*', out);
    else
        fprintf(out, "%.9g", low);
    putc(':', out);
    if (isnan(high))
        putc('*', out);
    else
        fprintf(out, "%.9g", high);
    fputs("]\n", out);
}

static void put_frame(FILE *out, const rv_plot *plot)
{
    fputs("reset\n"
          "set terminal svg size 640,440 dynamic noenhanced font 'Helvetica,14' "
          "background '#ffffff'\n"
          "set encoding utf8\nset datafile separator ','\n",
          out);
    fprintf(out, "set output '%s.svg'\n", plot->name);
    fputs("set title ", out);
    put_quoted(out, plot->title, '\'');
    fputs("\nset xlabel ", out);
    put_quoted(out, plot->x_label, '\'');
    fputs("\nset ylabel ", out);
    put_quoted(out, plot->y_label, '\'');
    fprintf(out, "\nset key %s Left reverse samplen 2 spacing 1.15\n", plot->key);
    fputs("set border 3 linecolor '#404040'\nset tics nomirror out textcolor '#202020'\n"
          "set grid linetype 1 linecolor '#e4e4e4' linewidth 0.7\n",
          out);
    if (plot->log) fputs("set logscale xy\nset format x '%g'\nset format y '%g'\n", out);
    if (plot->cells) fputs("set xtics (0.125, 0.25, 0.5, 1, 2, 4)\n", out);
    put_range(out, "x", plot->x_low, plot->x_high);
    put_range(out, "y", plot->y_low, plot->y_high);
}

// Colours of Okabe and Ito, which the colour-blind can tell apart.
static void put_script(FILE *out, const rv_plot *plot)
{
    static const char *const hue[8] = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                       "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"};
    static const int shape[8] = {7, 7, 5, 9, 13, 11, 6, 4};
    put_frame(out, plot);
    int index = 0;
    for (const rv_series *s = plot->series; s; s = s->next) {
        if (s->count == 0) continue;
        const char *colour = hue[s->hue & 7];
        fprintf(out, "%s '%s.csv' index %d using 2:3 ", index == 0 ? "plot" : ", \\\n    ",
                plot->name, index);
        if (s->mark == RV_MARK_POINTS)
            fprintf(out, "every %d with points pointtype %d pointsize %s linecolor '%s' ",
                    1 + (s->count - 1) / MARKS_MAX, shape[s->hue & 7], s->hue < 3 ? "0.65" : "0.85",
                    colour);
        else
            fprintf(out, "with lines linewidth %s linecolor '%s' ",
                    s->mark == RV_MARK_LINE ? "1.6" : "1.2 dashtype 2", colour);
        if (s->label[0] && !s->unlisted) {
            fputs("title ", out);
            put_quoted(out, s->label, '\'');
        } else {
            fputs("notitle", out);
        }
        index++;
    }
    fputs("\nunset output\n", out);
}

static bool write_file(const char *folder, const rv_plot *plot, const char *ending,
                       void (*put)(FILE *out, const rv_plot *plot), rv_messages *messages)
{
    char path[FILE_BYTES];
    path_of(path, folder, plot->name, ending);
    FILE *out = fopen(path, "w");
    if (out) put(out, plot);
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0) good = false;
    if (!good) rv_messages_add(messages, "%s: cannot write: %s", path, strerror(errno));
    return good;
}

// ---- The child ----------------------------------------------------------------------------------

// Runs gnuplot and waits; 0, an errno, or -1 when it ran and complained (into `complaints`).
static int run_gnuplot(char *const *arguments, FILE *complaints)
{
    posix_spawn_file_actions_t actions;
    int problem = posix_spawn_file_actions_init(&actions), status;
    pid_t child;
    if (problem) return problem;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    problem = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (problem) return problem;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static bool call_gnuplot(char *const *arguments, rv_messages *messages)
{
    FILE *complaints = tmpfile();
    int problem = complaints ? run_gnuplot(arguments, complaints) : errno;
    if (problem == ENOENT) {
        rv_messages_add(messages, "--plots: needs the program gnuplot, and there is none in PATH "
                                  "(Debian: gnuplot-nox)");
    } else if (problem) {
        char line[256] = "it stopped and did not say why";
        if (problem > 0) snprintf(line, sizeof line, "%s", strerror(problem));
        if (problem < 0) {
            rewind(complaints);
            for (char text[256]; fgets(text, sizeof text, complaints);) {
                text[strcspn(text, "\n")] = 0;
                if (strspn(text, " \t^") != strlen(text)) snprintf(line, sizeof line, "%s", text);
            }
        }
        rv_messages_add(messages, "--plots: gnuplot: %s", line);
    }
    if (complaints) fclose(complaints);
    return problem == 0;
}

static bool draw_all(const rv_report *report, const char *folder, rv_messages *messages)
{
    int count = 0, n = 0;
    char cd[PATH_BYTES + 16];
    for (const rv_plot *p = report->first; p; p = p->next) count++;
    char **arguments = calloc((size_t)count + 4, sizeof *arguments);
    char(*script)[80] = calloc((size_t)count + 1, sizeof *script);
    bool good = arguments && script;
    if (!good) rv_messages_add(messages, "--plots: not enough memory");
    FILE *quoted = good ? fmemopen(cd, sizeof cd, "w") : NULL;
    if (quoted) {
        fputs("cd ", quoted);
        put_quoted(quoted, folder, '\'');
        fclose(quoted);
        arguments[n++] = "gnuplot", arguments[n++] = "-e", arguments[n++] = cd;
        for (const rv_plot *p = report->first; p; p = p->next, n++) {
            snprintf(script[n - 3], sizeof *script, "%s.gp", p->name);
            arguments[n] = script[n - 3];
        }
        good = call_gnuplot(arguments, messages);
    }
    free(arguments);
    free(script);
    return good && quoted;
}

bool rv_plots_check(const char *folder, rv_messages *messages)
{
    char *arguments[] = {"gnuplot", "--version", NULL};
    return call_gnuplot(arguments, messages) && make_folder(folder, messages);
}

bool rv_plots_write(const rv_report *report, const char *folder, rv_messages *messages)
{
    char own[PATH_BYTES];
    if (!report->first) return true;
    if (!make_folder(folder, messages)) return false;
    snprintf(own, sizeof own, "%s/.plots-XXXXXX", folder);
    if (!mkdtemp(own)) {
        rv_messages_add(messages, "--plots %s: cannot write there: %s", folder, strerror(errno));
        return false;
    }
    bool good = true;
    for (const rv_plot *p = report->first; p && good; p = p->next)
        good = write_file(own, p, "csv", put_numbers, messages) &&
               write_file(own, p, "gp", put_script, messages);
    good = good && draw_all(report, own, messages) && move_all(report, own, folder, messages);
    remove_all(report, own);
    return good;
}
